# SPDX-License-Identifier: Apache-2.0
"""Advice for managed memory is kept by ranges of 2 MiB and given back."""

import ctypes
from ctypes import byref, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

import pytest
from c_library import (
    INVALID_PARAM,
    RT_INVALID_DEVICEID,
    RT_INVALID_HANDLE,
    RT_PARAM_INVALID,
)

UNIT = 2 << 20
SET_READ, UNSET_READ, SET_PREFERRED, UNSET_PREFERRED, SET_ACCESSED, UNSET_ACCESSED = range(6)
READ, PREFERRED, ACCESSED, PREFERRED_TYPE, PREFERRED_ID, LAST, LAST_TYPE, LAST_ID = range(1, 9)
NOWHERE, DEVICE, HOST, NUMA, CURRENT = range(5)


class Location(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int), ("id", c_int32))


class Memory:
    """Managed memory of some units."""

    def __init__(self, lib, units):
        self.lib, self.place = lib, c_void_p()
        advise, prefetch = lib.aclrtMemManagedAdvise, lib.aclrtMemManagedPrefetchAsync
        advise.argtypes = [c_void_p, c_uint64, ctypes.c_int, Location]
        prefetch.argtypes = [c_void_p, c_size_t, Location, c_uint32, c_void_p]
        assert lib.aclrtMemAllocManaged(byref(self.place), units * UNIT, 1) == 0

    def at(self, unit):
        return c_void_p(self.place.value + unit * UNIT)

    def advise(self, unit, units, advice, place=(NOWHERE, 0)):
        call = self.lib.aclrtMemManagedAdvise
        return call(self.at(unit), units * UNIT, advice, Location(*place))

    def get(self, attribute, unit=0, units=1, count=1):
        answer = (c_int32 * count)()
        call = self.lib.aclrtMemManagedGetAttr
        assert call(attribute, self.at(unit), units * UNIT, answer, 4 * count) == 0
        return answer[0] if count == 1 else list(answer)

    def prefetch(self, unit, units, place, stream):
        call = self.lib.aclrtMemManagedPrefetchAsync
        return call(self.at(unit), units * UNIT, Location(*place), 0, stream)


@pytest.fixture
def memory(lib, device):
    made = Memory(lib, 4)
    yield made
    assert lib.aclrtFree(made.place) == 0


def test_reading_mostly(memory):
    assert memory.get(READ) == 0
    assert memory.advise(1, 2, SET_READ) == 0
    assert [memory.get(READ, unit) for unit in range(4)] == [0, 1, 1, 0]
    assert (memory.get(READ, 1, 2), memory.get(READ, 0, 2)) == (1, 0)
    assert memory.advise(0, 4, UNSET_READ) == 0
    assert memory.get(READ, 1, 2) == 0


@pytest.mark.parametrize(
    ("place", "kind", "number"),
    [((DEVICE, 0), DEVICE, 0), ((HOST, 5), HOST, -1), ((NUMA, 3), NUMA, 3)],
)
def test_a_preferred_place(memory, place, kind, number):
    assert memory.get(PREFERRED) == -2
    assert memory.advise(0, 2, SET_PREFERRED, place) == 0
    assert memory.get(PREFERRED, 0, 2) == number
    assert memory.get(PREFERRED_TYPE, 0, 2) == kind
    assert memory.get(PREFERRED_ID, 0, 2) == number
    assert (memory.get(PREFERRED, 0, 3), memory.get(PREFERRED_TYPE, 0, 3)) == (-2, NOWHERE)
    assert memory.advise(0, 2, UNSET_PREFERRED) == 0
    assert memory.get(PREFERRED) == -2


def test_the_node_of_the_thread(memory):
    assert memory.advise(0, 1, SET_PREFERRED, (CURRENT, 99)) == 0
    assert memory.get(PREFERRED_TYPE) == NUMA
    assert 0 <= memory.get(PREFERRED) < 99


def test_who_accesses(memory):
    assert memory.get(ACCESSED, count=3) == [-2, -2, -2]
    assert memory.advise(0, 2, SET_ACCESSED, (DEVICE, 0)) == 0
    assert memory.advise(0, 1, SET_ACCESSED, (HOST, 0)) == 0
    assert memory.get(ACCESSED, count=3) == [-1, 0, -2]
    assert memory.get(ACCESSED, 0, 2, count=2) == [0, -2]
    assert memory.get(ACCESSED) == -1  # no room for more
    assert memory.advise(0, 2, UNSET_ACCESSED, (DEVICE, 0)) == 0
    assert memory.get(ACCESSED, count=2) == [-1, -2]


def test_where_it_was_wanted_last(lib, memory, stream):
    assert (memory.get(LAST), memory.get(LAST_TYPE)) == (-2, NOWHERE)
    assert memory.prefetch(0, 2, (DEVICE, 0), stream) == 0
    assert (memory.get(LAST, 0, 2), memory.get(LAST_TYPE), memory.get(LAST_ID)) == (0, DEVICE, 0)
    assert memory.prefetch(1, 1, (HOST, 0), stream) == 0
    assert (memory.get(LAST, 1), memory.get(LAST, 0, 2)) == (-1, -2)
    assert lib.aclrtSynchronizeStream(stream) == 0


def test_several_ranges_and_places(lib, memory, stream):
    call = lib.aclrtMemManagedPrefetchBatchAsync
    places = (c_void_p * 3)(*(memory.at(unit).value for unit in range(3)))
    sizes = (c_size_t * 3)(UNIT, UNIT, UNIT)
    locations = (Location * 2)(Location(HOST, 0), Location(DEVICE, 0))
    indices = (c_size_t * 2)(0, 2)
    assert call(places, sizes, 3, locations, indices, 2, 0, stream) == 0
    assert [memory.get(LAST, unit) for unit in range(4)] == [-1, -1, 0, -2]
    for wrong in ((1, 2), (0, 3), (0, 0)):
        array = (c_size_t * 2)(*wrong)
        assert call(places, sizes, 3, locations, array, 2, 0, stream) == RT_PARAM_INVALID
    assert call(places, sizes, 1, locations, indices, 2, 0, stream) == INVALID_PARAM
    assert call(places, sizes, 0, locations, indices, 2, 0, stream) == INVALID_PARAM
    assert call(places, sizes, 3, locations, indices, 2, 1, stream) == INVALID_PARAM
    assert call(None, sizes, 3, locations, indices, 2, 0, stream) == INVALID_PARAM


def test_several_questions(lib, memory):
    assert memory.advise(0, 1, SET_READ) == 0
    attributes = (ctypes.c_int * 2)(READ, PREFERRED)
    answers = [c_int32(9), c_int32(9)]
    data = (c_void_p * 2)(*(ctypes.addressof(each) for each in answers))
    sizes = (c_size_t * 2)(4, 4)
    call = lib.aclrtMemManagedGetAttrs
    assert call(attributes, 2, memory.place, UNIT, data, sizes) == 0
    assert [each.value for each in answers] == [1, -2]
    assert call(None, 2, memory.place, UNIT, data, sizes) == INVALID_PARAM
    assert call(attributes, 2, memory.place, UNIT, data, None) == INVALID_PARAM


def test_advice_goes_with_the_memory(lib, memory):
    other = Memory(lib, 1)
    assert other.advise(0, 1, SET_READ) == 0
    assert lib.aclrtFree(other.place) == 0
    assert other.advise(0, 1, SET_READ) == RT_PARAM_INVALID


def test_bad_arguments(lib, memory, stream):
    get, answer = lib.aclrtMemManagedGetAttr, c_int32()
    assert get(READ, None, UNIT, byref(answer), 4) == INVALID_PARAM
    assert get(READ, memory.place, 0, byref(answer), 4) == INVALID_PARAM
    assert get(READ, memory.place, UNIT, None, 4) == INVALID_PARAM
    assert get(READ, memory.place, UNIT, byref(answer), 8) == RT_PARAM_INVALID
    assert get(ACCESSED, memory.place, UNIT, byref(answer), 6) == RT_PARAM_INVALID
    assert get(0, memory.place, UNIT, byref(answer), 4) == RT_PARAM_INVALID
    assert get(9, memory.place, UNIT, byref(answer), 4) == RT_PARAM_INVALID
    assert get(READ, c_void_p(4096), UNIT, byref(answer), 4) == RT_PARAM_INVALID
    assert memory.advise(0, 5, SET_READ) == RT_PARAM_INVALID
    assert memory.advise(0, 1, 6) == RT_PARAM_INVALID
    assert memory.advise(0, 1, SET_PREFERRED, (NOWHERE, 0)) == RT_PARAM_INVALID
    assert memory.advise(0, 1, SET_PREFERRED, (NUMA, -1)) == RT_PARAM_INVALID
    assert memory.advise(0, 1, SET_ACCESSED, (DEVICE, 9)) == RT_INVALID_DEVICEID
    advise, place = lib.aclrtMemManagedAdvise, Location(HOST, 0)
    assert advise(memory.place, UNIT + 1, SET_READ, place) == RT_PARAM_INVALID
    assert memory.prefetch(0, 1, (HOST, 0), c_void_p(77)) == RT_INVALID_HANDLE
    prefetch = lib.aclrtMemManagedPrefetchAsync
    assert prefetch(memory.place, UNIT, place, 1, stream) == INVALID_PARAM


def test_other_memory_takes_no_advice(lib, device, memory):
    place = c_void_p()
    assert lib.aclrtMalloc(place, UNIT, 0) == 0
    assert lib.aclrtMemManagedAdvise(place, UNIT, SET_READ, Location(HOST, 0)) == RT_PARAM_INVALID
    assert lib.aclrtFree(place) == 0
