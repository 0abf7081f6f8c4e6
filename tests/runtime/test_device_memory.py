# SPDX-License-Identifier: Apache-2.0
"""Further ways to allocate, how much there is, several devices, and what an address is."""

import ctypes
from ctypes import c_int32, c_size_t, c_uint32, c_void_p

import pytest
from c_library import (
    INVALID_PARAM,
    RT_CONTEXT_NULL,
    RT_INVALID_DEVICEID,
    RT_INVALID_MEMORY_TYPE,
    RT_PARAM_INVALID,
)

FORMS = ("aclrtMallocAlign32", "aclrtMallocCached", "aclrtMallocWithCfg")


def allocate(lib, form, pointer, size):
    last = (None,) if form == "aclrtMallocWithCfg" else ()
    return getattr(lib, form)(pointer, size, 0, *last)


@pytest.mark.parametrize("form", FORMS)
def test_forms(lib, device, in_thread, form):
    pointer = c_void_p()
    assert allocate(lib, form, None, 8) == INVALID_PARAM
    assert allocate(lib, form, pointer, 0) == INVALID_PARAM
    assert in_thread(lambda: allocate(lib, form, c_void_p(), 8)) == RT_CONTEXT_NULL
    assert allocate(lib, form, pointer, 100) == 0
    assert pointer.value % 64 == 0
    assert lib.aclrtFreeWithDevSync(pointer) == 0
    assert lib.aclrtFreeWithDevSync(pointer) == RT_PARAM_INVALID
    assert lib.aclrtFreeWithDevSync(None) == INVALID_PARAM


def test_attributes_have_to_exist(lib, device):
    config = (c_size_t * 2)(0, 1)  # no attributes, but one of them
    assert lib.aclrtMallocWithCfg(c_void_p(), 8, 0, config) == INVALID_PARAM


def test_free_with_sync_waits(lib, stream, gate):
    pointer = c_void_p()
    assert lib.aclrtMalloc(pointer, 8, 0) == 0
    assert lib.aclrtMemsetAsync(pointer, 8, 1, 8, stream) == 0
    gate.open()
    assert lib.aclrtFreeWithDevSync(pointer) == 0
    status = c_int32(-1)
    assert lib.aclrtStreamQuery(stream, status) == 0
    assert status.value == 0


def test_how_much_there_is(in_process):
    in_process(
        """
def info(attr=1):
    free, total = c_size_t(), c_size_t()
    assert lib.aclrtGetMemInfo(attr, free, total) == 0
    return free.value, total.value
free, total = c_size_t(), c_size_t()
assert lib.aclrtGetMemInfo(1, free, total) == RT_CONTEXT_NULL
assert lib.aclrtSetDevice(0) == 0
M = 1 << 20
assert info() == (2 * M, 2 * M)
pointer, other, host = c_void_p(), c_void_p(), c_void_p()
assert lib.aclrtMalloc(pointer, M, 0) == 0
assert info() == (M - 32, 2 * M)
assert lib.aclrtMalloc(other, M, 0) == RT_MEMORY_ALLOCATION
assert "ACLHOST_DEVICE_MEMORY" in text(lib)
assert lib.aclrtMallocHost(host, 4 * M) == 0
assert lib.aclrtMallocAlign32(other, M - 32, 0) == 0
assert info() == (0, 2 * M)
assert lib.aclrtMalloc(c_void_p(), 1, 0) == RT_MEMORY_ALLOCATION
assert lib.aclrtSetDevice(1) == 0
assert info() == (2 * M, 2 * M)
assert lib.aclrtFree(pointer) == lib.aclrtFree(other) == lib.aclrtFreeHost(host) == 0
assert lib.aclrtSetDevice(0) == 0
assert info() == (2 * M, 2 * M) == info(0) == info(13)
assert info(6) == (0, 0)
""",
        ACLHOST_DEVICE_MEMORY="2M",
        ACLHOST_DEVICES="2",
    )


def test_a_950_pads_nothing(in_process):
    in_process(
        """
assert lib.aclrtSetDevice(0) == 0
assert lib.aclrtMalloc(c_void_p(), 1 << 20, 0) == 0
""",
        ACLHOST_DEVICE_MEMORY="1M",
        ACLHOST_SOC="Ascend950PR_9589",
    )


def test_an_empty_size_is_none(in_process):
    in_process(
        """
assert lib.aclrtSetDevice(0) == 0
free, total = c_size_t(), c_size_t()
assert lib.aclrtGetMemInfo(1, free, total) == 0
assert total.value > 1 << 20
""",
        ACLHOST_DEVICE_MEMORY="",
    )


def test_memory_info_arguments(lib, device):
    free, total = c_size_t(), c_size_t()
    assert lib.aclrtGetMemInfo(1, None, total) == INVALID_PARAM
    assert lib.aclrtGetMemInfo(1, free, None) == INVALID_PARAM
    for attr in (-1, 18):
        assert lib.aclrtGetMemInfo(attr, free, total) == RT_INVALID_MEMORY_TYPE


def test_visible_devices(in_process):
    statements = """
count = c_uint32()
assert lib.aclrtGetDeviceCount(count) == 0
assert count.value == {0}
"""
    in_process(statements.format(4), ACLHOST_DEVICES="4")
    in_process(statements.format(2), ACLHOST_DEVICES="4", ASCEND_RT_VISIBLE_DEVICES="3,1")
    in_process(statements.format(1), ACLHOST_DEVICES="4", ASCEND_RT_VISIBLE_DEVICES="3,9,1")


def test_peers(in_process):
    in_process(
        """
peer = c_int32(-1)
assert lib.aclrtDeviceEnablePeerAccess(1, 0) == RT_CONTEXT_NULL
assert lib.aclrtSetDevice(0) == 0
assert lib.aclrtDeviceCanAccessPeer(peer, 0, 1) == 0 and peer.value == 1
assert lib.aclrtDeviceCanAccessPeer(peer, 1, 1) == 0 and peer.value == 0
assert lib.aclrtDeviceCanAccessPeer(None, 0, 1) == INVALID_PARAM
assert lib.aclrtDeviceCanAccessPeer(peer, 0, 2) == RT_INVALID_DEVICEID
assert lib.aclrtDeviceEnablePeerAccess(1, 0) == 0
assert lib.aclrtDeviceEnablePeerAccess(1, 1) == RT_FEATURE_NOT_SUPPORT
assert lib.aclrtDeviceEnablePeerAccess(0, 0) == RT_PARAM_INVALID
assert lib.aclrtDeviceDisablePeerAccess(1) == 0
assert lib.aclrtDeviceDisablePeerAccess(2) == RT_INVALID_DEVICEID
""",
        ACLHOST_DEVICES="2",
    )


def test_state_of_a_device(lib, device):
    flags, active = c_uint32(9), c_int32(9)
    assert lib.aclrtGetPrimaryCtxState(0, flags, active) == 0
    assert (flags.value, active.value) == (0, 1)
    assert lib.aclrtGetPrimaryCtxState(0, None, None) == 0
    assert lib.aclrtGetPrimaryCtxState(99, flags, active) == RT_INVALID_DEVICEID
    assert lib.aclrtSetOpWaitTimeout(5) == 0
    assert lib.aclrtSetOpExecuteTimeOut(5) == 0


def test_what_an_address_is(lib, device):
    def kind(pointer):
        attributes = (c_uint32 * 7)()
        assert lib.aclrtPointerGetAttributes(pointer, attributes) == 0
        return attributes[1]

    memory, pinned = c_void_p(), c_void_p()
    assert lib.aclrtMalloc(memory, 8, 0) == 0
    assert lib.aclrtMallocHost(pinned, 8) == 0
    local = ctypes.create_string_buffer(8)
    assert [kind(pinned), kind(memory), kind(ctypes.addressof(local))] == [0, 1, 2]
    assert lib.aclrtPointerGetAttributes(None, local) == INVALID_PARAM
    assert lib.aclrtPointerGetAttributes(memory, None) == INVALID_PARAM
    assert lib.aclrtFree(memory) == 0
    assert kind(memory) == 2
    assert lib.aclrtFreeHost(pinned) == 0
