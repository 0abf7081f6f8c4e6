# SPDX-License-Identifier: Apache-2.0
"""Registered and managed memory, batches of copies, fills with 32 bits."""

import ctypes
import struct
from ctypes import byref, c_size_t, c_void_p

import pytest
from c_library import INVALID_PARAM, RT_FEATURE_NOT_SUPPORT, RT_PARAM_INVALID

from aclhost.acl import _capi

ALREADY_REGISTERED, NOT_REGISTERED = 507910, 507911
HOST, DEVICE = 0, 1
SIZE = 64


class BatchAttr(ctypes.Structure):
    _fields_ = (
        ("target_id", ctypes.c_uint32),
        ("target", ctypes.c_int),
        ("source_id", ctypes.c_uint32),
        ("source", ctypes.c_int),
        ("rsv", ctypes.c_uint8 * 16),
    )


@pytest.fixture
def c(device):
    return _capi.library()


@pytest.fixture
def memory(c):
    pointer = c_void_p()
    assert c.aclrtMalloc(byref(pointer), SIZE, 0) == 0
    yield pointer
    assert c.aclrtFree(pointer) == 0


@pytest.fixture
def queue(c):
    handle = c_void_p()
    assert c.aclrtCreateStream(byref(handle)) == 0
    yield handle
    assert c.aclrtDestroyStream(handle) == 0


def contents(c, pointer, size=SIZE):
    back = ctypes.create_string_buffer(size)
    assert c.aclrtMemcpy(back, size, pointer, size, 2) == 0
    return back.raw


def test_registration(c):
    host, seen = ctypes.create_string_buffer(100), c_void_p()
    start = c_void_p(ctypes.addressof(host))
    inside = c_void_p(start.value + 50)
    assert c.aclrtHostGetDevicePointer(start, byref(seen), 0) == NOT_REGISTERED
    assert c.aclrtHostRegister(start, 100, 0, byref(seen)) == 0
    assert seen.value == start.value
    assert c.aclrtHostRegisterV2(inside, 10, 2) == ALREADY_REGISTERED
    assert c.aclrtHostGetDevicePointer(inside, byref(seen), 0) == 0
    assert seen.value == inside.value
    assert c.aclrtHostUnregister(inside) == NOT_REGISTERED
    assert c.aclrtHostUnregister(start) == 0
    assert c.aclrtHostUnregister(start) == NOT_REGISTERED
    assert c.aclrtHostRegisterV2(start, 100, 0x10000000) == 0
    assert c.aclrtHostUnregister(start) == 0


def test_wrong_registrations(c):
    host, seen = ctypes.create_string_buffer(8), c_void_p()
    assert c.aclrtHostRegister(None, 8, 0, byref(seen)) == INVALID_PARAM
    assert c.aclrtHostRegister(host, 0, 0, byref(seen)) == INVALID_PARAM
    assert c.aclrtHostRegister(host, 8, 1, byref(seen)) == RT_PARAM_INVALID
    assert c.aclrtHostRegisterV2(host, 8, 1) == RT_PARAM_INVALID
    assert c.aclrtHostRegisterV2(c_void_p(0x1234), 8, 2) == RT_PARAM_INVALID


def test_copies_of_registered_memory_are_queued(c, memory, queue):
    """A function that needs pinned memory takes it."""
    host = ctypes.create_string_buffer(b"x" * SIZE, SIZE)
    copy = (memory, SIZE, host, SIZE, 1, queue)
    assert c.aclrtMemcpyAsyncWithCondition(*copy) == RT_FEATURE_NOT_SUPPORT
    assert c.aclrtHostRegisterV2(host, SIZE, 2) == 0
    assert c.aclrtMemcpyAsyncWithCondition(*copy) == 0
    assert c.aclrtSynchronizeStream(queue) == 0
    assert c.aclrtHostUnregister(host) == 0
    assert contents(c, memory) == b"x" * SIZE


def test_host_memory_is_reached_by_every_unit(c):
    answer = ctypes.c_int(-1)
    assert c.aclrtHostMemMapCapabilities(0, 0, byref(answer)) == 0
    assert answer.value == 1
    assert c.aclrtHostMemMapCapabilities(0, 10, byref(answer)) == RT_PARAM_INVALID


def test_host_allocation_with_attributes(c):
    pointer = c_void_p()
    assert c.aclrtMallocHostWithCfg(byref(pointer), SIZE, None) == 0
    assert c.aclrtFreeHost(pointer) == 0


def test_managed_memory(c):
    pointer = c_void_p()
    assert c.aclrtMemAllocManaged(byref(pointer), SIZE, 2) == RT_PARAM_INVALID
    assert c.aclrtMemAllocManaged(byref(pointer), SIZE, 1) == 0
    ctypes.memset(pointer, 5, SIZE)
    assert contents(c, pointer) == b"\5" * SIZE
    attributes = (ctypes.c_uint32 * 7)()
    assert c.aclrtPointerGetAttributes(pointer, attributes) == 0
    assert attributes[1] == 3
    assert c.aclrtFreeHost(pointer) == RT_PARAM_INVALID
    assert c.aclrtFree(pointer) == 0


def test_address_range(c, memory):
    base, size = c_void_p(), c_size_t()
    inside = c_void_p(memory.value + 9)
    assert c.aclrtMemGetAddressRange(inside, byref(base), byref(size)) == 0
    assert (base.value, size.value) == (memory.value, SIZE)
    assert c.aclrtMemGetAddressRange(c_void_p(0x1234), byref(base), None) == RT_PARAM_INVALID


def test_fills_with_words(c, memory, queue):
    assert c.aclrtMemsetD32(memory, SIZE, 0x01020304, 3) == 0
    assert c.aclrtMemsetD32Async(c_void_p(memory.value + 12), SIZE - 12, 7, 1, queue) == 0
    assert c.aclrtSynchronizeStream(queue) == 0
    assert struct.unpack("<5I", contents(c, memory)[:20]) == (*(0x01020304,) * 3, 7, 0)
    assert c.aclrtMemsetD32(memory, 11, 1, 3) == RT_PARAM_INVALID
    assert c.aclrtMemsetD32(memory, SIZE, 1, 2**62) == RT_PARAM_INVALID
    assert c.aclrtMemsetD32(c_void_p(memory.value + 1), SIZE, 1, 1) == RT_PARAM_INVALID


def arguments(pairs, attrs, indexes):
    """Copies of four bytes each."""
    count = len(pairs)
    targets = (c_void_p * count)(*(target for target, _ in pairs))
    sources = (c_void_p * count)(*(source for _, source in pairs))
    sizes = (c_size_t * count)(*[4] * count)
    described = (BatchAttr * len(attrs))(
        *(BatchAttr(target=target, source=source) for target, source in attrs)
    )
    starts = (c_size_t * len(indexes))(*indexes)
    return targets, sizes, sources, sizes, count, described, starts, len(attrs)


def test_batches(c, memory, queue):
    host = ctypes.create_string_buffer(b"abcdefgh----")
    start = ctypes.addressof(host)
    forth = [(memory.value, start), (memory.value + 8, start + 4)]
    back = (start + 8, memory.value + 8)
    batch = arguments([*forth, back], [(DEVICE, HOST), (HOST, DEVICE)], [0, 2])
    failed = c_size_t()
    for call in (
        lambda: c.aclrtMemcpyBatch(*batch, byref(failed)),
        lambda: c.aclrtMemcpyBatchV2(*batch),
        lambda: c.aclrtMemcpyBatchAsync(*batch, byref(failed), queue),
        lambda: c.aclrtMemcpyBatchAsyncV2(*batch, queue),
    ):
        assert c.aclrtMemset(memory, SIZE, 0, SIZE) == 0
        host[8:12] = b"----"
        assert call() == c.aclrtSynchronizeStream(queue) == 0
        assert contents(c, memory)[:12] == b"abcd\0\0\0\0efgh"
        assert host.raw[8:12] == b"efgh"


def test_wrong_batches(c, memory):
    host = ctypes.create_string_buffer(8)
    start, failed = ctypes.addressof(host), c_size_t()
    pairs = [(memory.value, start), (0x1234, start)]
    forth = (DEVICE, HOST)
    cases = {
        "second": (arguments(pairs, [forth], [0]), RT_PARAM_INVALID, 1),
        "first index": (arguments(pairs, [forth], [1]), RT_PARAM_INVALID, 2**64 - 1),
        "same": (arguments(pairs, [forth, forth], [0, 0]), RT_PARAM_INVALID, 2**64 - 1),
        "side": (arguments(pairs, [(HOST, HOST)], [0]), RT_FEATURE_NOT_SUPPORT, 0),
    }
    for name, (batch, code, index) in cases.items():
        assert c.aclrtMemcpyBatch(*batch, byref(failed)) == code, name
        assert failed.value == index, name
    assert c.aclrtMemcpyBatch(*cases["second"][0], None) == INVALID_PARAM
