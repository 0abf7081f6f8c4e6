# SPDX-License-Identifier: Apache-2.0
"""What programs want of streams, devices and operators is kept and given back."""

from ctypes import byref, c_int, c_uint32, c_uint64, c_void_p, sizeof

import pytest
from c_library import INVALID_PARAM, RT_INVALID_DEVICEID, RT_INVALID_HANDLE, RT_PARAM_INVALID

FLAG, PRIORITY = 2, 3
FAILURE_MODE, OVERFLOW, TAG, CACHE, STREAM_PRIORITY = range(1, 6)
CUBE, VECTOR = 0, 1


def test_streams_from_options(lib, device):
    options, stream, value = lib.aclrtCreateStreamConfigHandle(), c_void_p(), c_uint32()
    assert options
    assert lib.aclrtSetStreamConfigOpt(options, PRIORITY, byref(c_uint32(3)), 4) == 0
    assert lib.aclrtSetStreamConfigOpt(options, FLAG, byref(c_uint64(1)), 8) == 0
    assert lib.aclrtSetStreamConfigOpt(options, FLAG, byref(c_uint64(1)), 4) == INVALID_PARAM
    assert lib.aclrtSetStreamConfigOpt(options, 4, byref(c_uint64(1)), 8) == INVALID_PARAM
    assert lib.aclrtSetStreamConfigOpt(options, FLAG, None, 8) == INVALID_PARAM
    assert lib.aclrtCreateStreamV2(byref(stream), options) == 0
    assert lib.aclrtStreamGetPriority(stream, value) == 0
    assert value.value == 3
    assert lib.aclrtStreamGetFlags(stream, value) == 0
    assert value.value == 1
    assert lib.aclrtDestroyStream(stream) == 0
    assert lib.aclrtDestroyStreamConfigHandle(options) == 0
    assert lib.aclrtDestroyStreamConfigHandle(options) == RT_INVALID_HANDLE
    assert lib.aclrtCreateStreamV2(byref(stream), options) == RT_INVALID_HANDLE
    assert lib.aclrtCreateStreamV2(byref(stream), None) == INVALID_PARAM


@pytest.mark.parametrize(
    ("attribute", "value", "wrong"),
    [
        (FAILURE_MODE, 1, 2),
        (OVERFLOW, 1, 2),
        (TAG, 7, None),
        (CACHE, 1, 2),
        (STREAM_PRIORITY, 5, 8),
    ],
)
def test_attributes(lib, stream, attribute, value, wrong):
    found = (c_uint64 * 2)()
    assert lib.aclrtGetStreamAttribute(stream, attribute, found) == 0
    assert found[0] == 0
    assert lib.aclrtSetStreamAttribute(stream, attribute, (c_uint64 * 2)(value)) == 0
    assert lib.aclrtGetStreamAttribute(stream, attribute, found) == 0
    assert found[0] == value
    if wrong is not None:
        code = lib.aclrtSetStreamAttribute(stream, attribute, (c_uint64 * 2)(wrong))
        assert code == RT_PARAM_INVALID
    for function in (lib.aclrtSetStreamAttribute, lib.aclrtGetStreamAttribute):
        assert function(stream, attribute, None) == INVALID_PARAM
        assert function(stream, 6, found) == RT_PARAM_INVALID
        assert function(c_void_p(1), attribute, found) == RT_INVALID_HANDLE


def test_the_overflow_switch_is_an_attribute(lib, stream):
    flag, found = c_uint32(9), (c_uint64 * 2)()
    assert lib.aclrtGetStreamOverflowSwitch(stream, byref(flag)) == 0
    assert flag.value == 0
    assert lib.aclrtSetStreamOverflowSwitch(stream, 1) == 0
    assert lib.aclrtSetStreamOverflowSwitch(stream, 2) == RT_PARAM_INVALID
    assert lib.aclrtGetStreamOverflowSwitch(stream, byref(flag)) == 0
    assert lib.aclrtGetStreamAttribute(stream, OVERFLOW, found) == 0
    assert (flag.value, found[0]) == (1, 1)


def test_an_attribute_leaves_the_others_as_they_were(lib, device):
    stream, found = c_void_p(), (c_uint64 * 2)()
    assert lib.aclrtCreateStreamWithConfig(byref(stream), 3, 0) == 0
    assert lib.aclrtSetStreamOverflowSwitch(stream, 1) == 0
    assert lib.aclrtGetStreamAttribute(stream, STREAM_PRIORITY, found) == 0
    assert found[0] == 3
    assert lib.aclrtDestroyStream(stream) == 0


def limit(lib, function, *arguments):
    value = c_uint32()
    assert getattr(lib, function)(*arguments, byref(value)) == 0
    return value.value


def test_limits_of_stream_device_and_thread(lib, stream):
    cores = limit(lib, "aclrtGetDeviceResLimit", 0, CUBE)
    vectors = limit(lib, "aclrtGetDeviceResLimit", 0, VECTOR)
    assert 0 < cores < vectors
    assert lib.aclrtSetDeviceResLimit(0, CUBE, 5) == 0
    assert limit(lib, "aclrtGetDeviceResLimit", 0, CUBE) == 5
    assert limit(lib, "aclrtGetStreamResLimit", stream, CUBE) == 5
    assert lib.aclrtSetStreamResLimit(stream, CUBE, 3) == 0
    assert limit(lib, "aclrtGetStreamResLimit", stream, CUBE) == 3
    assert limit(lib, "aclrtGetResInCurrentThread", CUBE) == 5
    assert lib.aclrtUseStreamResInCurrentThread(stream) == 0
    assert limit(lib, "aclrtGetResInCurrentThread", CUBE) == 3
    assert limit(lib, "aclrtGetResInCurrentThread", VECTOR) == vectors
    assert lib.aclrtUnuseStreamResInCurrentThread(stream) == 0
    assert limit(lib, "aclrtGetResInCurrentThread", CUBE) == 5
    assert lib.aclrtResetStreamResLimit(stream) == 0
    assert limit(lib, "aclrtGetStreamResLimit", stream, CUBE) == 5
    assert lib.aclrtResetDeviceResLimit(0) == 0
    assert limit(lib, "aclrtGetDeviceResLimit", 0, CUBE) == cores
    for wrong in (0, cores + 1):
        assert lib.aclrtSetDeviceResLimit(0, CUBE, wrong) == RT_PARAM_INVALID
    assert lib.aclrtSetStreamResLimit(stream, 2, 1) == RT_PARAM_INVALID
    assert lib.aclrtGetDeviceResLimit(99, CUBE, byref(c_uint32())) == RT_INVALID_DEVICEID


def test_modes_of_overflow(lib, device):
    mode = c_int()
    assert lib.aclrtGetDeviceSatMode(byref(mode)) == 0
    assert mode.value == 1
    assert lib.aclrtSetDeviceSatMode(0) == 0
    assert lib.aclrtGetDeviceSatMode(byref(mode)) == 0
    assert mode.value == 0
    assert lib.aclrtSetDeviceSatMode(1) == 0
    assert lib.aclrtSetDeviceSatMode(2) == RT_PARAM_INVALID
    assert lib.aclrtGetDeviceSatMode(None) == INVALID_PARAM


def test_nothing_overflows(lib, stream):
    memory, found = c_void_p(), (c_uint64 * 8)()
    assert lib.aclrtMalloc(memory, 64, 0) == 0
    status = (
        lambda size: lib.aclrtGetOverflowStatus(memory, size, stream),
        lambda size: lib.aclrtGetFloatOverflowStatus(memory, size, stream),
        lambda size: lib.aclrtNpuGetFloatOverFlowStatus(memory, size, 0, stream),
    )
    for ask in status:
        assert lib.aclrtMemset(memory, 64, 1, 64) == 0
        assert ask(63) == RT_PARAM_INVALID
        assert ask(64) == 0
        assert lib.aclrtSynchronizeStream(stream) == 0
        assert lib.aclrtMemcpy(found, sizeof(found), memory, 64, 2) == 0
        assert set(found) == {0}
    for handle, code in ((stream, 0), (c_void_p(1), RT_INVALID_HANDLE)):
        assert lib.aclrtResetOverflowStatus(handle) == code
        assert lib.aclrtResetFloatOverflowStatus(handle) == code
        assert lib.aclrtNpuClearFloatOverFlowStatus(0, handle) == code
    assert lib.aclrtFree(memory) == 0


def test_times_of_operators(lib):
    step, now, actual = c_uint64(), c_uint32(), c_uint64()
    assert lib.aclrtGetOpTimeOutInterval(byref(step)) == 0
    assert lib.aclrtSetOpExecuteTimeOutV2(step.value + 1, byref(actual)) == 0
    assert actual.value == 2 * step.value
    assert lib.aclrtGetOpExecuteTimeout(byref(now)) == 0
    assert now.value == actual.value // 1000
    assert lib.aclrtSetOpExecuteTimeOutWithMs(1) == 0
    assert lib.aclrtGetOpExecuteTimeout(byref(now)) == 0
    assert now.value == step.value // 1000
    assert lib.aclrtSetOpExecuteTimeOut(0) == 0
    assert lib.aclrtGetOpExecuteTimeout(byref(now)) == 0
    assert now.value == step.value * 254 // 1000
    assert lib.aclrtSetOpExecuteTimeOutV2(0, None) == INVALID_PARAM
