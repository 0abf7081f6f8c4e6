# SPDX-License-Identifier: Apache-2.0
"""Reserved addresses, physical memory, and the one mapped into the other."""

import ctypes
from ctypes import byref, c_size_t, c_uint64, c_void_p

import pytest
from c_library import INVALID_PARAM, RT_INVALID_DEVICEID, RT_PARAM_INVALID

from aclhost import acl, aclnn
from aclhost.acl import _capi

UNIT = 2 << 20
INT8, ND = 2, 2


class Location(ctypes.Structure):
    _fields_ = (("id", ctypes.c_uint32), ("type", ctypes.c_int))


class Prop(ctypes.Structure):
    _fields_ = (
        ("handle_type", ctypes.c_int),
        ("allocation_type", ctypes.c_int),
        ("attr", ctypes.c_int),
        ("location", Location),
        ("reserve", c_uint64),
    )


class Access(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_int), ("location", Location), ("rsv", ctypes.c_uint8 * 12))


@pytest.fixture
def c(device):
    return _capi.library()


def prop(device=0):
    return Prop(location=Location(device, 1))


def reserve(c, size):
    address = c_void_p()
    assert c.aclrtReserveMemAddress(byref(address), size, 0, None, 1) == 0
    assert address.value % UNIT == 0
    return address


def physical(c, size):
    handle = c_void_p()
    assert c.aclrtMallocPhysical(byref(handle), size, byref(prop()), 0) == 0
    return handle


def free_memory(c):
    free, total = c_size_t(), c_size_t()
    assert c.aclrtGetMemInfo(1, byref(free), byref(total)) == 0
    return free.value


@pytest.fixture
def mapped(c):
    """Two units at the start of a range of four."""
    address, handle = reserve(c, 4 * UNIT), physical(c, 2 * UNIT)
    assert c.aclrtMapMem(address, 2 * UNIT, 0, handle, 0) == 0
    yield address, handle
    c.aclrtUnmapMem(address)
    c.aclrtFreePhysical(handle)
    c.aclrtReleaseMemAddress(address)


def test_granularity(c):
    size = c_size_t()
    for option in (0, 1):
        assert c.aclrtMemGetAllocationGranularity(byref(prop()), option, byref(size)) == 0
        assert size.value == UNIT
    assert c.aclrtMemGetAllocationGranularity(byref(prop()), 2, byref(size)) == RT_PARAM_INVALID
    assert c.aclrtMemGetAllocationGranularity(None, 0, byref(size)) == INVALID_PARAM


def test_mapped_memory_is_device_memory(c, mapped):
    address, _ = mapped
    data = bytes(range(256)) * 64
    assert c.aclrtMemcpy(address, len(data), data, len(data), 1) == 0
    back = ctypes.create_string_buffer(len(data))
    assert c.aclrtMemcpy(back, len(data), address, len(data), 2) == 0
    assert back.raw == data
    end = c_void_p(address.value + 2 * UNIT)
    assert c.aclrtMemset(end, 1, 0, 1) == RT_PARAM_INVALID  # reserved only
    assert c.aclrtFree(address) == RT_PARAM_INVALID


def test_pieces_side_by_side_are_one_stretch(c, mapped):
    """As pools do that grow: tensors reach over the pieces."""
    address, _ = mapped
    more = physical(c, UNIT)
    second, end = (c_void_p(address.value + units * UNIT) for units in (2, 3))
    assert c.aclrtMapMem(second, UNIT, 0, more, 0) == 0
    assert negate(second.value, UNIT) == 0
    assert c.aclrtMemset(address, 3 * UNIT, 7, 3 * UNIT) == 0
    assert negate(address.value, 3 * UNIT) == 0
    back = ctypes.create_string_buffer(2)
    assert c.aclrtMemcpy(back, 2, c_void_p(second.value - 1), 2, 2) == 0
    assert back.raw == b"\xf9\xf9"
    assert c.aclrtMemset(c_void_p(end.value - 1), 2, 0, 2) == RT_PARAM_INVALID
    assert c.aclrtUnmapMem(second) == 0
    assert c.aclrtMemset(address, 3 * UNIT, 7, 3 * UNIT) == RT_PARAM_INVALID
    assert negate(address.value, 3 * UNIT) != 0
    assert negate(second.value, UNIT) != 0
    assert negate(address.value, 2 * UNIT) == 0
    assert c.aclrtFreePhysical(more) == 0


def negate(address, size):
    """Every byte, in place."""
    shape = (size,)
    x = aclnn.aclCreateTensor(shape, 1, INT8, None, 0, ND, shape, 1, address)
    _, executor, status = aclnn.aclnnNegGetWorkspaceSize(x, x)
    assert status == 0
    stream, status = acl.rt.create_stream()  # whose failure outlives no test
    assert status == 0
    assert aclnn.aclnnNeg(0, 0, executor, stream) == 0
    aclnn.aclDestroyTensor(x)
    status = acl.rt.synchronize_stream(stream)
    assert acl.rt.destroy_stream(stream) == 0
    return status


def test_memory_counts_while_it_lives(c):
    before = free_memory(c)
    address, handle = reserve(c, UNIT), physical(c, UNIT)
    assert free_memory(c) == before - UNIT
    assert c.aclrtMapMem(address, UNIT, 0, handle, 0) == 0
    assert c.aclrtFreePhysical(handle) == 0
    assert free_memory(c) == before - UNIT  # mapped
    assert c.aclrtMemset(address, UNIT, 1, UNIT) == 0
    assert c.aclrtUnmapMem(address) == 0
    assert free_memory(c) == before
    assert c.aclrtReleaseMemAddress(address) == 0


def test_two_mappings_show_the_same_memory(c, mapped):
    address, handle = mapped
    second = c_void_p(address.value + 2 * UNIT)
    assert c.aclrtMapMem(second, UNIT, UNIT, handle, 0) == 0
    assert c.aclrtMemset(second, UNIT, 7, UNIT) == 0
    back = ctypes.create_string_buffer(2)
    assert c.aclrtMemcpy(back, 2, c_void_p(address.value + UNIT - 1), 2, 2) == 0
    assert back.raw == b"\0\7"
    assert c.aclrtUnmapMem(second) == 0


def test_unmapping_waits_for_queued_work(c, mapped):
    address, _ = mapped
    stream = c_void_p()
    assert c.aclrtCreateStream(byref(stream)) == 0
    for _ in range(20):
        assert c.aclrtMemsetAsync(address, 2 * UNIT, 1, 2 * UNIT, stream) == 0
    assert c.aclrtUnmapMem(address) == 0
    assert c.aclrtSynchronizeStream(stream) == 0
    assert c.aclrtDestroyStream(stream) == 0


def test_handles_of_mapped_memory(c, mapped):
    address, handle = mapped
    other, found = c_void_p(), Prop()
    inside = c_void_p(address.value + 5)
    assert c.aclrtMemRetainAllocationHandle(inside, byref(other)) == 0
    assert other.value != handle.value
    assert c.aclrtMemGetAllocationPropertiesFromHandle(other, byref(found)) == 0
    assert found.location.type == 1
    assert c.aclrtFreePhysical(other) == 0
    assert c.aclrtFreePhysical(other) == RT_PARAM_INVALID
    base, size = c_void_p(), c_size_t()
    assert c.aclrtMemGetAddressRange(inside, byref(base), byref(size)) == 0
    assert (base.value, size.value) == (address.value, 2 * UNIT)


def test_access_is_kept(c, mapped):
    address, _ = mapped
    flag, location = c_uint64(), Location(0, 1)
    assert c.aclrtMemGetAccess(address, byref(location), byref(flag)) == 0
    assert flag.value == 3
    assert c.aclrtMemSetAccess(address, UNIT, byref(Access(flags=1)), 1) == 0
    assert c.aclrtMemGetAccess(address, byref(location), byref(flag)) == 0
    assert flag.value == 1


def test_wrong_calls(c, mapped):
    address, handle = mapped
    far = c_void_p(address.value + 3 * UNIT)
    assert c.aclrtMapMem(address, UNIT, 0, handle, 0) == RT_PARAM_INVALID  # mapped
    assert c.aclrtMapMem(far, 2 * UNIT, 0, handle, 0) == RT_PARAM_INVALID  # leaves the range
    assert c.aclrtMapMem(far, UNIT, 2 * UNIT, handle, 0) == RT_PARAM_INVALID  # leaves the memory
    assert c.aclrtMapMem(far, UNIT, 0, c_void_p(0x1234), 0) == RT_PARAM_INVALID
    assert c.aclrtUnmapMem(far) == RT_PARAM_INVALID
    assert c.aclrtReleaseMemAddress(address) == RT_PARAM_INVALID  # mapped
    assert c.aclrtReleaseMemAddress(far) == RT_PARAM_INVALID
    other = c_void_p()
    wrong = prop(device=63)
    assert c.aclrtMallocPhysical(byref(other), UNIT, byref(wrong), 0) == RT_INVALID_DEVICEID
    assert c.aclrtMallocPhysical(byref(other), 0, byref(prop()), 0) == INVALID_PARAM
    assert c.aclrtReserveMemAddress(byref(other), UNIT, 3, None, 0) == RT_PARAM_INVALID
    assert c.aclrtReserveMemAddressNoUCMemory(byref(other), 0, 0, None, 0) == INVALID_PARAM


def test_memory_out_of_reach(c, stream):
    """Until somebody gets access, tasks and copies are refused rather than fault."""
    address, handle = reserve(c, UNIT), c_void_p()
    assert c.aclrtMallocPhysical(byref(handle), UNIT, byref(prop()), 0) == 0
    assert c.aclrtMemMapNoAccess(address, UNIT, 0, handle, 1) == INVALID_PARAM
    assert c.aclrtMemMapNoAccess(address, UNIT, 0, handle, 0) == 0
    assert c.aclrtMapMem(address, UNIT, 0, handle, 0) == RT_PARAM_INVALID
    assert c.aclrtMemset(address, UNIT, 1, UNIT) == RT_PARAM_INVALID
    assert c.aclrtUnmapMem(address) == 0
    assert c.aclrtMemMapNoAccess(address, UNIT, 0, handle, 0) == 0
    access = Access(3, Location(0, 1))
    assert c.aclrtMemSetAccess(address, UNIT, byref(access), 1) == 0
    assert c.aclrtMemset(address, UNIT, 1, UNIT) == 0
    assert ctypes.string_at(address.value + UNIT - 1, 1) == b"\x01"
    assert c.aclrtUnmapMem(address) == c.aclrtReleaseMemAddress(address) == 0
    assert c.aclrtFreePhysical(handle) == 0
