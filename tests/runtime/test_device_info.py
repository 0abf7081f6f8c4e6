# SPDX-License-Identifier: Apache-2.0
"""What devices say about themselves."""

import ctypes
from ctypes import byref, c_int32, c_int64, c_size_t, c_uint64, c_void_p

import pytest
from c_library import (
    INVALID_PARAM,
    RT_CONTEXT_NULL,
    RT_FEATURE_NOT_SUPPORT,
    RT_INVALID_DEVICEID,
    RT_PARAM_INVALID,
)

from aclhost import constants
from aclhost.acl import _capi

NOWHERE = 64


@pytest.fixture
def c(device):
    return _capi.library()


def info(c, attr):
    value = c_int64(-1)
    assert c.aclrtGetDeviceInfo(0, attr, byref(value)) == 0
    return value.value


def test_device_info(c):
    assert info(c, constants.ACL_DEV_ATTR_CUBE_CORE_NUM) > 0
    assert info(c, constants.ACL_DEV_ATTR_VECTOR_CORE_NUM) > 0
    free, total = c_size_t(), c_size_t()
    assert c.aclrtGetMemInfo(1, byref(free), byref(total)) == 0
    assert info(c, constants.ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE) == total.value
    value = c_int64()
    assert c.aclrtGetDeviceInfo(0, 12345, byref(value)) == RT_FEATURE_NOT_SUPPORT
    assert c.aclrtGetDeviceInfo(NOWHERE, 101, byref(value)) == RT_INVALID_DEVICEID
    assert c.aclrtGetDeviceInfo(0, 101, None) == INVALID_PARAM


def test_priorities(c):
    least, greatest = c_int32(-1), c_int32(-1)
    assert c.aclrtDeviceGetStreamPriorityRange(byref(least), byref(greatest)) == 0
    assert (least.value, greatest.value) == (7, 0)
    assert c.aclrtDeviceGetStreamPriorityRange(None, None) == 0


def test_identity(c):
    uuid = ctypes.create_string_buffer(16)
    assert c.aclrtDeviceGetUuid(0, uuid) == 0
    assert uuid.raw != bytes(16)
    assert c.aclrtDeviceGetUuid(NOWHERE, uuid) == RT_INVALID_DEVICEID
    bus, device = ctypes.create_string_buffer(13), c_int32(-1)
    assert c.aclrtDeviceGetPCIBusId(0, bus, 12) == RT_PARAM_INVALID
    assert c.aclrtDeviceGetPCIBusId(0, bus, 13) == 0
    assert c.aclrtDeviceGetByPCIBusId(bus.value, byref(device)) == 0
    assert device.value == 0
    for wrong in (b"", b"0000:00:00.0", bus.value + b"0", b"0000:FF:00.0"):
        assert c.aclrtDeviceGetByPCIBusId(wrong, byref(device)) == RT_PARAM_INVALID


def test_state(c):
    used, status, topology = (c_int32 * 6)(*[-1] * 6), c_int32(-1), c_uint64()
    assert c.aclrtGetDeviceUtilizationRate(0, used) == 0
    assert all(0 <= share <= 100 for share in used[:4])
    assert c.aclrtQueryDeviceStatus(0, byref(status)) == 0
    assert status.value == constants.ACL_RT_DEVICE_STATUS_NORMAL
    assert c.aclrtGetDevicesTopo(0, 0, byref(topology)) == 0
    assert topology.value == constants.ACL_RT_DEVS_TOPOLOGY_HCCS
    assert c.aclrtGetDevicesTopo(0, NOWHERE, byref(topology)) == RT_INVALID_DEVICEID


def test_default_stream(c):
    stream = c_void_p()
    assert c.aclrtCtxGetCurrentDefaultStream(byref(stream)) == 0
    assert stream.value
    assert c.aclrtSynchronizeStream(stream) == 0
    assert c.aclrtCtxGetCurrentDefaultStream(None) == INVALID_PARAM


def test_default_stream_needs_a_context(in_thread):
    stream = c_void_p()
    call = _capi.library().aclrtCtxGetCurrentDefaultStream
    assert in_thread(lambda: call(byref(stream))) == RT_CONTEXT_NULL


@pytest.mark.parametrize(
    "name",
    [
        "aclrtGetLogicDevIdByUserDevId",
        "aclrtGetUserDevIdByLogicDevId",
        "aclrtGetLogicDevIdByPhyDevId",
        "aclrtGetPhyDevIdByLogicDevId",
        "aclrtGetPhyDevIdByUserDevId",
        "aclrtGetUserDevIdByPhyDevId",
    ],
)
def test_one_numbering(c, name):
    other = c_int32(-1)
    assert getattr(c, name)(0, byref(other)) == 0
    assert other.value == 0
    assert getattr(c, name)(NOWHERE, byref(other)) == RT_INVALID_DEVICEID
    assert getattr(c, name)(0, None) == INVALID_PARAM
