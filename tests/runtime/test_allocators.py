# SPDX-License-Identifier: Apache-2.0
"""Launches take their scratch memory from the allocator that their stream has."""

import ctypes
import threading
from ctypes import CFUNCTYPE, byref, c_float, c_size_t, c_uint64, c_void_p

import pytest
from c_library import dims
from capturing import DEVICE_TO_HOST, HOST_TO_DEVICE, begin, end, run

from aclhost.acl import _capi

ALLOCATE = CFUNCTYPE(c_void_p, c_void_p, c_size_t)
FREE = CFUNCTYPE(None, c_void_p, c_void_p)
ADVISE = CFUNCTYPE(c_void_p, c_void_p, c_size_t, c_void_p)
ADDRESS = CFUNCTYPE(c_void_p, c_void_p)
INNER = 561000
OBJECT = 0x50


class Allocator:
    """Blocks are numbers; what they are asked for is counted."""

    def __init__(self, lib, advises=False):
        self.lib, self.live, self.calls = lib, {}, []
        self.refuses, self.has_no_place, self.before = False, False, lambda: None
        self.functions = ALLOCATE(self.allocate), FREE(self.free), ADDRESS(self.address)
        self.advise_function = ADVISE(self.advise)
        self.description = lib.aclrtAllocatorCreateDesc()
        allocate, free, address = self.functions
        assert lib.aclrtAllocatorSetObjToDesc(self.description, c_void_p(OBJECT)) == 0
        assert lib.aclrtAllocatorSetAllocFuncToDesc(self.description, allocate) == 0
        assert lib.aclrtAllocatorSetFreeFuncToDesc(self.description, free) == 0
        assert lib.aclrtAllocatorSetGetAddrFromBlockFuncToDesc(self.description, address) == 0
        if advises:
            function = self.advise_function
            assert lib.aclrtAllocatorSetAllocAdviseFuncToDesc(self.description, function) == 0

    def register(self, stream):
        assert self.lib.aclrtAllocatorRegister(stream, self.description) == 0
        return self

    def allocate(self, allocator, size):
        self.before()
        self.calls.append(("allocate", allocator, size))
        if self.refuses:
            return None
        memory = c_void_p()
        # Where the thread had no context, this would be 107002.
        assert self.lib.aclrtMalloc(memory, size, 0) == 0
        block = 1000 + len(self.calls)
        self.live[block] = memory
        return block

    def advise(self, allocator, size, place):
        self.calls.append(("advise", allocator, place))

    def address(self, block):
        return None if self.has_no_place else self.live[block].value

    def free(self, allocator, block):
        self.calls.append(("free", allocator, block))
        assert self.lib.aclrtFree(self.live.pop(block)) == 0

    def count(self, name):
        return sum(call[0] == name for call in self.calls)


class Shifted:
    """x[1:] = x[:-1] + 0: the input shares memory with the output, so that it is copied."""

    def __init__(self, lib, count=4):
        self.lib, self.count, self.x = lib, count, c_void_p()
        assert lib.aclrtMalloc(self.x, 4 * count, 0) == 0
        self.fill()

    def fill(self):
        self.expected = [float(i) for i in range(self.count)]
        values = (c_float * self.count)(*self.expected)
        size = ctypes.sizeof(values)
        assert self.lib.aclrtMemcpy(self.x, size, values, size, HOST_TO_DEVICE) == 0

    def launch(self, stream):
        c, count = _capi.library(), self.count - 1
        places = self.x.value, self.x.value + 4
        x, y = (
            c.aclCreateTensor(dims(count), 1, 0, None, 0, 2, dims(count), 1, c_void_p(place))
            for place in places
        )
        scalars = [c.aclCreateScalar(byref(c_float(value)), 0) for value in (0, 1)]
        size, executor = c_uint64(), c_void_p()
        code = c.aclnnAddsGetWorkspaceSize(x, *scalars, y, byref(size), byref(executor))
        assert code == 0
        assert c.aclnnAdds(None, 0, executor, stream) == 0
        for scalar in scalars:
            assert c.aclDestroyScalar(scalar) == 0
        assert c.aclDestroyTensor(x) == c.aclDestroyTensor(y) == 0
        self.expected = [self.expected[0], *self.expected[:-1]]

    def is_right(self):
        values = (c_float * self.count)()
        size = ctypes.sizeof(values)
        assert self.lib.aclrtMemcpy(values, size, self.x, size, DEVICE_TO_HOST) == 0
        return list(values) == self.expected


@pytest.fixture
def shifted(lib, device):
    made = []

    def make(count=4):
        made.append(Shifted(lib, count))
        return made[-1]

    yield make
    for each in made:
        assert lib.aclrtFree(each.x) == 0


@pytest.mark.parametrize("count", [4, 100_000])
def test_a_launch_takes_its_memory_there(lib, stream, shifted, count):
    allocator, work = Allocator(lib).register(stream), shifted(count)
    for launches in (1, 2):
        work.launch(stream)
        assert lib.aclrtSynchronizeStream(stream) == 0
        assert work.is_right()
        assert allocator.count("allocate") == allocator.count("free") == launches
        assert not allocator.live
    assert all(call[1] == OBJECT for call in allocator.calls)
    assert min(call[2] for call in allocator.calls if call[0] == "allocate") >= 4 * (count - 1)


def sort(lib, stream, memory):
    """Sorts a long row, which takes copies of it."""
    c, count = _capi.library(), 100_000
    values = (c_float * count)(*range(count, 0, -1))
    x, y, places = memory(4 * count), memory(4 * count), memory(8 * count)
    assert lib.aclrtMemcpy(x, 4 * count, values, 4 * count, HOST_TO_DEVICE) == 0
    shape = dims(count)
    tensors = [
        c.aclCreateTensor(shape, 1, dtype, None, 0, 2, shape, 1, address)
        for address, dtype in ((x, 0), (y, 0), (places, 9))
    ]
    size, executor = c_uint64(), c_void_p()
    code = c.aclnnSortGetWorkspaceSize(
        tensors[0], False, 0, False, tensors[1], tensors[2], byref(size), byref(executor)
    )
    assert code == 0
    workspace = memory(max(size.value, 1))
    assert c.aclnnSort(workspace, size.value, executor, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert lib.aclrtMemcpy(values, 4 * count, y, 4 * count, DEVICE_TO_HOST) == 0
    assert values[:3] == [1, 2, 3]
    for tensor in tensors:
        assert c.aclDestroyTensor(tensor) == 0


def test_kernels_take_theirs_there(lib, stream, memory):
    allocator = Allocator(lib).register(stream)
    sort(lib, stream, memory)
    assert allocator.count("allocate") == allocator.count("free") > 0


@pytest.mark.parametrize("side", [8, 600])
def test_products_that_need_none_ask_for_none(lib, stream, memory, side):
    allocator, c = Allocator(lib).register(stream), _capi.library()
    allocator.refuses = True
    sizes = ((side, side), (side, 100), (100, side))
    out, x, y = tensors = [
        c.aclCreateTensor(
            dims(*each), 2, 0, None, 0, 2, dims(*each), 2, memory(4 * each[0] * each[1])
        )
        for each in sizes
    ]
    one, size, executor = c.aclCreateScalar(byref(c_float(1)), 0), c_uint64(), c_void_p()
    workspace = memory(1 << 20)
    for name, inputs in (("Mm", (x, y, out)), ("InplaceAddmm", (out, x, y, one, one))):
        prepare, launch = getattr(c, f"aclnn{name}GetWorkspaceSize"), getattr(c, f"aclnn{name}")
        assert prepare(*inputs, 0, byref(size), byref(executor)) == 0
        assert size.value <= 1 << 20
        assert launch(workspace, size.value, executor, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert allocator.calls == []
    assert c.aclDestroyScalar(one) == 0
    for tensor in tensors:
        assert c.aclDestroyTensor(tensor) == 0


def test_other_streams_do_not(lib, stream, other, shifted):
    allocator, work = Allocator(lib).register(stream), shifted()
    work.launch(other)
    assert lib.aclrtSynchronizeStream(other) == 0
    assert work.is_right()
    assert allocator.calls == []


def test_advice_is_where_the_block_before_was(lib, stream, shifted):
    allocator, work = Allocator(lib, advises=True).register(stream), shifted()
    places = []
    allocator.address = lambda block: places.append(allocator.live[block].value) or places[-1]
    allocator.functions = (*allocator.functions[:2], ADDRESS(allocator.address))
    function = allocator.functions[2]
    assert lib.aclrtAllocatorSetGetAddrFromBlockFuncToDesc(allocator.description, function) == 0
    allocator.register(stream)
    for _ in range(2):
        work.launch(stream)
        assert lib.aclrtSynchronizeStream(stream) == 0
    # No block came of it, so that the other function was asked.
    assert ("advise", OBJECT, places[0]) in allocator.calls
    assert allocator.count("advise") == 1
    assert allocator.count("allocate") == 2


@pytest.mark.parametrize("lack", ["refuses", "has_no_place"])
def test_no_block_and_no_address_are_lack_of_memory(lib, shifted, device, lack):
    stream = c_void_p()
    assert lib.aclrtCreateStream(stream) == 0
    allocator, work = Allocator(lib).register(stream), shifted()
    setattr(allocator, lack, True)
    work.launch(stream)
    assert lib.aclrtSynchronizeStream(stream) == INNER
    assert b"not enough memory" in lib.aclGetRecentErrMsg()
    assert not allocator.live
    assert lib.aclrtDestroyStream(stream) == 0


def test_an_address_that_is_no_memory_is_lack_of_it(lib, shifted, device):
    stream = c_void_p()
    assert lib.aclrtCreateStream(stream) == 0
    allocator, work = Allocator(lib), shifted()
    nowhere = ADDRESS(lambda _: 64)
    assert lib.aclrtAllocatorSetGetAddrFromBlockFuncToDesc(allocator.description, nowhere) == 0
    allocator.register(stream)
    work.launch(stream)
    assert lib.aclrtSynchronizeStream(stream) == INNER
    assert not allocator.live
    assert lib.aclrtDestroyStream(stream) == 0


def test_the_description_may_go_and_the_allocator_stays(lib, stream, shifted):
    allocator, work = Allocator(lib).register(stream), shifted()
    assert lib.aclrtAllocatorDestroyDesc(allocator.description) == 0
    work.launch(stream)
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert allocator.count("allocate") == 1
    assert lib.aclrtAllocatorUnregister(stream) == 0
    work.launch(stream)
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert work.is_right()
    assert allocator.count("allocate") == 1


def test_what_is_queued_when_it_goes_does_without(lib, stream, gate, shifted):
    allocator, work = Allocator(lib).register(stream), shifted()
    work.launch(stream)
    assert lib.aclrtAllocatorUnregister(stream) == 0
    gate.open()
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert work.is_right()
    assert allocator.calls == []


def test_who_takes_it_away_waits_for_the_launch(lib, stream, gate, shifted):
    allocator, work = Allocator(lib).register(stream), shifted()
    inside, go_on = threading.Event(), threading.Event()
    allocator.before = lambda: inside.set() or go_on.wait(60)
    work.launch(stream)
    gate.open()
    assert inside.wait(60)  # the stream's thread is in the function
    over = []

    def take_away():
        assert lib.aclrtAllocatorUnregister(stream) == 0
        over.append(allocator.count("free"))

    thread = threading.Thread(target=take_away)
    thread.start()
    thread.join(0.1)
    assert over == []
    go_on.set()
    thread.join(60)
    assert over == [1]
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert work.is_right()


def test_a_function_may_take_its_own_allocator_away(lib, stream, shifted):
    allocator, work = Allocator(lib).register(stream), shifted()
    allocator.before = lambda: lib.aclrtAllocatorUnregister(stream)
    for _ in range(2):
        work.launch(stream)
        assert lib.aclrtSynchronizeStream(stream) == 0
    assert work.is_right()
    assert allocator.count("allocate") == allocator.count("free") == 1


def test_a_function_may_launch(lib, stream, other, shifted):
    allocator, outer, inner = Allocator(lib).register(stream), shifted(), shifted()

    def launch():
        inner.launch(other)
        assert lib.aclrtSynchronizeStream(other) == 0

    allocator.before = launch
    outer.launch(stream)
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert outer.is_right()
    assert inner.is_right()
    assert allocator.count("allocate") == 1


def test_a_run_of_a_graph_asks_the_stream_that_runs_it(lib, stream, other, shifted):
    captured, runs, work = Allocator(lib), Allocator(lib), shifted()
    captured.register(stream)
    begin(lib, stream)
    work.launch(stream)
    graph = end(lib, stream)
    assert captured.calls == []
    runs.register(other)
    run(lib, graph, other)
    assert runs.count("allocate") == runs.count("free") == 1
    assert captured.calls == []
    run(lib, graph, stream)
    assert captured.count("allocate") == 1
    assert lib.aclrtAllocatorUnregister(other) == lib.aclrtAllocatorUnregister(stream) == 0
    run(lib, graph, other)
    assert runs.count("allocate") == captured.count("allocate") == 1
    assert lib.aclmdlRIDestroy(graph) == 0


def test_streams_of_several_threads(lib, device, shifted):
    """Each with an allocator of its own, which others keep registering and taking away."""
    streams = [c_void_p() for _ in range(4)]
    allocators = [Allocator(lib) for _ in streams]
    failures, is_over = [], threading.Event()

    def work(stream, shift):
        for _ in range(50):
            shift.launch(stream)
        if lib.aclrtSynchronizeStream(stream) != 0 or not shift.is_right():
            failures.append(stream)

    def change():
        while not is_over.is_set():
            for stream, allocator in zip(streams, allocators, strict=True):
                allocator.register(stream)
                assert lib.aclrtAllocatorUnregister(stream) == 0

    shifts = []
    for stream, allocator in zip(streams, allocators, strict=True):
        assert lib.aclrtCreateStream(stream) == 0
        allocator.register(stream)
        shifts.append(shifted(20_000))
    threads = [
        threading.Thread(target=lambda s=stream, w=shift: (lib.aclrtSetDevice(0), work(s, w)))
        for stream, shift in zip(streams, shifts, strict=True)
    ]
    changing = threading.Thread(target=change)
    changing.start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    is_over.set()
    changing.join(60)
    assert failures == []
    for stream, allocator in zip(streams, allocators, strict=True):
        assert lib.aclrtDestroyStream(stream) == 0
        assert not allocator.live
        assert allocator.count("allocate") == allocator.count("free")


def test_strict_mode_finds_nothing(in_process):
    """There, addresses that the program knows are not those of pages."""
    in_process(
        """
import test_allocators as t
assert lib.aclrtSetDevice(0) == 0
stream, made = c_void_p(), []
assert lib.aclrtCreateStream(stream) == 0
def memory(size):
    made.append(c_void_p())
    assert lib.aclrtMalloc(made[-1], size, 0) == 0
    return made[-1]
allocator = t.Allocator(lib).register(stream)
t.sort(lib, stream, memory)
assert allocator.count("allocate") == allocator.count("free") > 0
for each in made:
    assert lib.aclrtFree(each) == 0
assert lib.aclrtDestroyStream(stream) == 0
""",
        ACLHOST_STRICT="1",
    )
