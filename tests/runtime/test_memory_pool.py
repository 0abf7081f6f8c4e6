# SPDX-License-Identifier: Apache-2.0
"""Memory pools: streams take memory and give it back in the order of their tasks."""

import ctypes
from ctypes import byref, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

import pytest
from c_library import (
    INVALID_PARAM,
    RT_INTERNAL_ERROR,
    RT_INVALID_DEVICEID,
    RT_INVALID_HANDLE,
    RT_MEMORY_ALLOCATION,
    RT_PARAM_INVALID,
    RT_STREAM_CAPTURED,
    RT_STREAM_CONTEXT,
)

FOLLOW, OPPORTUNISTIC, INTERNAL, THRESHOLD = 1, 2, 3, 4
RESERVED, RESERVED_HIGH, USED, USED_HIGH = 5, 6, 7, 8
BLOCK = 2 << 20
DEVICE = 1


class Props(ctypes.Structure):
    _fields_ = (
        ("allocation", ctypes.c_int),
        ("handle", ctypes.c_int),
        ("id", c_uint32),
        ("type", ctypes.c_int),
        ("most", c_size_t),
        ("reserved", c_uint8 * 32),
    )


class Pool:
    def __init__(self, lib, most=0):
        self.lib, self.handle = lib, c_void_p()
        props = Props(0, 0, 0, DEVICE, most)
        assert lib.aclrtMemPoolCreate(byref(self.handle), byref(props)) == 0

    def take(self, stream, size=BLOCK):
        place = c_void_p()
        assert self.lib.aclrtMemPoolMallocAsync(byref(place), size, self.handle, stream) == 0
        return place

    def give(self, place, stream):
        return self.lib.aclrtMemPoolFreeAsync(place, stream)

    def get(self, attribute, kind=c_uint64):
        value = kind()
        assert self.lib.aclrtMemPoolGetAttr(self.handle, attribute, byref(value)) == 0
        return value.value

    def set(self, attribute, value, kind=c_uint32):
        return self.lib.aclrtMemPoolSetAttr(self.handle, attribute, byref(kind(value)))

    def amounts(self):
        return self.get(RESERVED) // BLOCK, self.get(USED) // BLOCK


@pytest.fixture
def pool(lib, device):
    made = Pool(lib)
    yield made
    assert lib.aclrtMemPoolDestroy(made.handle) == 0


@pytest.fixture
def other(lib, device):
    handle = c_void_p()
    assert lib.aclrtCreateStream(handle) == 0
    yield handle
    assert lib.aclrtDestroyStream(handle) == 0


def test_memory_is_used_again_in_its_stream(lib, pool, stream, gate):
    """Behind a gate, so that nothing of it has happened yet."""
    first = pool.take(stream)
    assert lib.aclrtMemsetAsync(first, 64, 1, 64, stream) == 0
    assert pool.give(first, stream) == 0
    second = pool.take(stream)
    assert second.value == first.value
    assert pool.amounts() == (1, 1)
    third = pool.take(stream)
    assert third.value != first.value
    for each in (second, third):
        assert pool.give(each, stream) == 0
    gate.open()
    assert lib.aclrtSynchronizeStream(stream) == 0


def test_the_smallest_block_that_fits(lib, pool, stream):
    large, small = pool.take(stream, 3 * BLOCK), pool.take(stream, 2 * BLOCK)
    assert pool.give(large, stream) == pool.give(small, stream) == 0
    place = pool.take(stream, BLOCK + 1)
    assert place.value == small.value
    assert pool.give(place, stream) == 0


def test_other_streams_get_other_memory(lib, pool, stream, other):
    """Even if the first one is through with it: reuse between streams is off."""
    first = pool.take(stream)
    assert pool.give(first, stream) == 0
    assert pool.set(THRESHOLD, 10 * BLOCK, c_uint64) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    second = pool.take(other)
    assert second.value != first.value
    assert pool.give(second, other) == 0


def test_reuse_by_chance(lib, pool, stream, other, gate):
    assert pool.set(OPPORTUNISTIC, 1) == pool.set(THRESHOLD, 10 * BLOCK, c_uint64) == 0
    first = pool.take(stream)
    assert pool.give(first, stream) == 0
    second = pool.take(other)
    assert second.value != first.value  # the gate is closed
    gate.open()
    assert lib.aclrtSynchronizeStream(stream) == 0
    third = pool.take(other)
    assert third.value == first.value
    assert pool.give(second, other) == pool.give(third, other) == 0


def test_reuse_by_waiting(lib, pool, stream, other, gate):
    """The second stream gets the memory at once, and its tasks wait for the first one."""
    assert pool.set(INTERNAL, 1) == 0
    first = pool.take(stream)
    assert lib.aclrtMemsetAsync(first, 64, 1, 64, stream) == 0
    assert pool.give(first, stream) == 0
    second = pool.take(other)
    assert second.value == first.value
    assert lib.aclrtMemsetAsync(second, 64, 2, 64, other) == 0
    gate.open()
    assert lib.aclrtSynchronizeStream(other) == 0
    seen = (c_uint8 * 1)()
    assert lib.aclrtMemcpy(seen, 1, second, 1, 2) == 0
    assert seen[0] == 2
    assert pool.give(second, other) == 0


@pytest.mark.parametrize("keep", [0, 1, 5])
def test_a_synchronization_gives_idle_memory_back(lib, pool, stream, keep):
    assert pool.set(THRESHOLD, keep * BLOCK, c_uint64) == 0
    places = [pool.take(stream) for _ in range(3)]
    assert pool.amounts() == (3, 3)
    for each in places[1:]:
        assert pool.give(each, stream) == 0
    assert pool.amounts() == (3, 1)
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert pool.amounts() == (min(3, 1 + keep), 1)
    assert pool.give(places[0], stream) == 0
    assert lib.aclrtSynchronizeDevice() == 0
    assert pool.get(RESERVED_HIGH) == pool.get(USED_HIGH) == 3 * BLOCK
    assert pool.set(USED_HIGH, 0, c_uint64) == 0
    assert pool.get(USED_HIGH) == 0


def test_trim(lib, pool, stream):
    assert pool.set(THRESHOLD, 10 * BLOCK, c_uint64) == 0
    places = [pool.take(stream) for _ in range(3)]
    for each in places:
        assert pool.give(each, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert pool.amounts() == (3, 0)
    assert lib.aclrtMemPoolTrimTo(pool.handle, 2 * BLOCK) == 0
    assert pool.amounts() == (2, 0)
    assert lib.aclrtMemPoolTrimTo(pool.handle, 0) == 0
    assert pool.amounts() == (0, 0)


def test_a_pool_has_an_end(lib, stream):
    pool, place = Pool(lib, 2 * BLOCK), c_void_p()
    take = lib.aclrtMemPoolMallocAsync
    first = pool.take(stream)
    assert take(byref(place), 2 * BLOCK, pool.handle, stream) == RT_MEMORY_ALLOCATION
    assert take(byref(place), 3 * BLOCK, pool.handle, stream) == RT_MEMORY_ALLOCATION
    assert pool.give(first, stream) == lib.aclrtSynchronizeStream(stream) == 0
    second = pool.take(stream, 2 * BLOCK)  # idle memory makes room
    assert lib.aclrtMemPoolDestroy(pool.handle) == RT_INTERNAL_ERROR
    assert pool.give(second, stream) == 0
    assert lib.aclrtMemPoolDestroy(pool.handle) == 0
    assert lib.aclrtMemPoolDestroy(pool.handle) == RT_PARAM_INVALID


def test_free_gives_back_at_once(lib, pool, stream):
    """As upstream's aclrtFree does with memory of a pool."""
    place = pool.take(stream)
    assert lib.aclrtFree(place) == 0
    assert pool.amounts()[1] == 0
    assert pool.give(place, stream) == RT_PARAM_INVALID
    assert pool.take(stream).value == place.value
    assert pool.give(place, stream) == 0


def test_nothing_is_asked_for(lib, pool, stream):
    place = c_void_p(7)
    assert lib.aclrtMemPoolMallocAsync(byref(place), 0, pool.handle, stream) == 0
    assert place.value == 7


def test_attributes(pool):
    for attribute in (FOLLOW, OPPORTUNISTIC, INTERNAL):
        assert pool.get(attribute, c_uint32) == 0
        assert pool.set(attribute, 1) == 0
        assert pool.get(attribute, c_uint32) == 1
        assert pool.set(attribute, 2) == RT_PARAM_INVALID
    assert pool.get(THRESHOLD) == 0
    assert pool.set(RESERVED, 0, c_uint64) == pool.set(USED, 0, c_uint64) == RT_PARAM_INVALID
    assert pool.set(USED_HIGH, 1, c_uint64) == RT_PARAM_INVALID
    assert pool.set(0, 0, c_uint64) == pool.set(9, 0, c_uint64) == RT_PARAM_INVALID


def test_bad_arguments(lib, pool, stream):
    unknown, place = c_void_p(77), c_void_p()
    create, value = lib.aclrtMemPoolCreate, c_uint64()
    good = Props(0, 0, 0, DEVICE, 0)
    assert create(None, byref(good)) == create(byref(c_void_p()), None) == INVALID_PARAM
    wrong = [Props(1, 0, 0, DEVICE, 0), Props(0, 0, 0, 0, 0), Props(0, 0, 0, DEVICE, 0, (1,))]
    assert [create(byref(c_void_p()), byref(each)) for each in wrong] == [INVALID_PARAM] * 3
    elsewhere, huge = Props(0, 0, 9, DEVICE, 0), Props(0, 0, 0, DEVICE, 2**63)
    assert create(byref(c_void_p()), byref(elsewhere)) == RT_INVALID_DEVICEID
    assert create(byref(c_void_p()), byref(huge)) == RT_PARAM_INVALID
    assert lib.aclrtMemPoolDestroy(None) == lib.aclrtMemPoolTrimTo(None, 0) == INVALID_PARAM
    assert lib.aclrtMemPoolTrimTo(unknown, 0) == RT_PARAM_INVALID
    for call in (lib.aclrtMemPoolSetAttr, lib.aclrtMemPoolGetAttr):
        assert call(None, 1, byref(value)) == call(pool.handle, 1, None) == INVALID_PARAM
        assert call(unknown, 1, byref(value)) == RT_PARAM_INVALID
    take, give = lib.aclrtMemPoolMallocAsync, lib.aclrtMemPoolFreeAsync
    assert take(None, 1, pool.handle, stream) == INVALID_PARAM
    assert take(byref(place), 1, pool.handle, None) == INVALID_PARAM
    assert take(byref(place), 1, unknown, stream) == RT_PARAM_INVALID
    assert take(byref(place), 1, pool.handle, unknown) == RT_INVALID_HANDLE
    assert give(None, stream) == INVALID_PARAM
    assert give(unknown, stream) == RT_PARAM_INVALID
    assert lib.aclrtMalloc(place, 64, 0) == 0
    assert give(place, stream) == RT_PARAM_INVALID
    assert lib.aclrtFree(place) == 0


def test_streams_that_are_captured_or_of_another_context(lib, pool, stream):
    graph, own, foreign, place = (c_void_p() for _ in range(4))
    take = lib.aclrtMemPoolMallocAsync
    assert lib.aclmdlRICaptureBegin(stream, 2) == 0
    assert take(byref(place), 1, pool.handle, stream) == RT_STREAM_CAPTURED
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == lib.aclmdlRIDestroy(graph) == 0
    assert lib.aclrtGetCurrentContext(own) == lib.aclrtCreateContext(foreign, 0) == 0
    assert take(byref(place), 1, pool.handle, stream) == RT_STREAM_CONTEXT
    assert lib.aclrtSetCurrentContext(own) == lib.aclrtDestroyContext(foreign) == 0


@pytest.mark.parametrize("most", [2**64 - 1, 2**64 - BLOCK, 2**64 - BLOCK + 1])
def test_a_most_that_no_number_of_blocks_reaches(in_process, most):
    in_process(
        """
from test_memory_pool import *
assert lib.aclrtSetDevice(0) == 0
pool, place, stream = Pool(lib), c_void_p(), c_void_p()
assert lib.aclrtCreateStream(byref(stream)) == 0
held = pool.take(stream)
for asked in (2**64 - BLOCK, 2**64 - 2 * BLOCK):
    code = lib.aclrtMemPoolMallocAsync(byref(place), asked, pool.handle, stream)
    assert code == RT_MEMORY_ALLOCATION
assert pool.amounts() == (1, 1)
assert pool.give(held, stream) == lib.aclrtMemPoolDestroy(pool.handle) == 0
""",
        ACLHOST_DEVICE_MEMORY=str(most),
    )


def test_the_most_is_a_whole_block(lib, device, stream):
    """A pool of less than one would have nothing to give."""
    small = Pool(lib, most=1000)
    place, second = small.take(stream, 1000), c_void_p()
    assert small.amounts() == (1, 1)
    code = lib.aclrtMemPoolMallocAsync(byref(second), 1, small.handle, stream)
    assert code == RT_MEMORY_ALLOCATION
    assert small.give(place, stream) == lib.aclrtMemPoolDestroy(small.handle) == 0
