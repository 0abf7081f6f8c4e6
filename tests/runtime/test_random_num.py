# SPDX-License-Identifier: Apache-2.0
"""Random numbers as a task of a stream."""

import ctypes
import struct
from ctypes import byref, c_uint8, c_uint64, c_void_p

import ml_dtypes
import numpy as np
import pytest
from c_library import INVALID_PARAM, RT_AICORE_EXCEPTION, RT_INVALID_HANDLE, RT_PARAM_INVALID

MASK, UNIFORM, NORMAL, TRUNCATED = range(4)
TYPES = {
    0: np.float32, 1: np.float16, 3: np.int32, 8: np.uint32, 9: np.int64, 10: np.uint64,
    27: ml_dtypes.bfloat16,
}  # fmt: skip
FLOATS = (0, 1, 27)
COUNT = 20000


class Parameter(ctypes.Structure):
    _fields_ = (
        ("is_address", c_uint8),
        ("value", c_uint8 * 8),
        ("size", c_uint8),
        ("rest", c_uint8 * 6),
    )


class Task(ctypes.Structure):
    _fields_ = (
        ("dtype", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("first", Parameter),
        ("second", Parameter),
        ("parameters", c_void_p),
        ("result", c_void_p),
        ("counter", c_void_p),
        ("seed", Parameter),
        ("count", Parameter),
        ("rest", c_uint8 * 8),
    )


def value(data):
    raw = np.asarray(data).tobytes()
    return Parameter(0, (c_uint8 * 8)(*raw), len(raw))


def address(place):
    return Parameter(1, (c_uint8 * 8)(*struct.pack("<Q", place)), 8)


class Drawing:
    """Memory for numbers and for the counter, and the tasks that draw."""

    def __init__(self, lib, stream):
        self.lib, self.stream, self.result, self.counter = lib, stream, c_void_p(), c_void_p()
        assert lib.aclrtMalloc(self.result, 8 * COUNT, 0) == 0
        assert lib.aclrtMalloc(self.counter, 16, 0) == 0

    def task(self, dtype, kind, first, second=None, seed=1, count=COUNT):
        kind_of = TYPES[dtype]
        first = value(kind_of(first))
        second = first if second is None else value(kind_of(second))
        seed, count = value(np.uint64(seed)), value(np.uint64(count))
        places = (None, self.result, self.counter)
        return Task(dtype, kind, first, second, *places, seed, count)

    def run(self, task):
        assert self.lib.aclrtRandomNumAsync(byref(task), self.stream, None) == 0
        return self.lib.aclrtSynchronizeStream(self.stream)

    def draw(self, dtype, kind, *parameters, **more):
        assert self.run(self.task(dtype, kind, *parameters, **more)) == 0
        size = COUNT * np.dtype(TYPES[dtype]).itemsize
        return np.frombuffer(self.read(self.result, size), TYPES[dtype])

    def read(self, place, size):
        bytes_ = (c_uint8 * size)()
        assert self.lib.aclrtMemcpy(bytes_, size, place, size, 2) == 0
        return bytes(bytes_)

    def restart(self, low=0, high=0):
        words = (c_uint64 * 2)(low, high)
        assert self.lib.aclrtMemcpy(self.counter, 16, words, 16, 1) == 0


@pytest.fixture
def drawing(lib, stream):
    made = Drawing(lib, stream)
    yield made
    assert lib.aclrtFree(made.result) == lib.aclrtFree(made.counter) == 0


@pytest.mark.parametrize("dtype", TYPES)
def test_uniform(drawing, dtype):
    low, high = (2, 6) if dtype in (8, 10) else (-2, 4)
    numbers = drawing.draw(dtype, UNIFORM, low, high).astype(np.float64)
    top = high if dtype in FLOATS else high - 1
    assert low <= numbers.min()
    assert numbers.max() <= top
    # Of 20,000 numbers the mean is within 5 deviations.
    spread = (high - low) / 12**0.5
    assert abs(numbers.mean() - (low + top) / 2) < 5 * spread / COUNT**0.5 + 0.02 * (dtype == 27)
    if dtype not in FLOATS:
        assert set(numbers) == set(range(low, high))


def test_64_bits_are_used(drawing):
    numbers = drawing.draw(10, UNIFORM, 0, 2**64 - 1)
    assert numbers.max() > 2**63
    assert len(np.unique(numbers)) == COUNT


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", [NORMAL, TRUNCATED])
def test_normal(drawing, dtype, kind):
    numbers = drawing.draw(dtype, kind, 3, 2).astype(np.float64)
    deviation = 2 if kind == NORMAL else 2 * 0.87963  # of a standard one that ends at 2
    assert abs(numbers.mean() - 3) < 0.08
    assert abs(numbers.std() - deviation) < 0.06
    far = np.abs(numbers - 3).max()
    assert far <= 4 if kind == TRUNCATED else far > 6


def test_a_mask(drawing):
    """A bit for each element, and as many set as are kept."""
    assert drawing.run(drawing.task(0, MASK, 0.25)) == 0
    bits = np.unpackbits(np.frombuffer(drawing.read(drawing.result, COUNT // 8), np.uint8))
    assert abs(bits.mean() - 0.75) < 5 * (0.1875 / COUNT) ** 0.5
    behind = drawing.read(c_void_p(drawing.result.value + COUNT // 8), 8)
    assert behind == bytes(8)


def test_seed_and_counter_decide(drawing):
    first = drawing.draw(0, UNIFORM, 0, 1)
    assert struct.unpack("<QQ", drawing.read(drawing.counter, 16)) == (COUNT, 0)
    second = drawing.draw(0, UNIFORM, 0, 1)
    assert not np.array_equal(first, second)
    drawing.restart()
    assert np.array_equal(first, drawing.draw(0, UNIFORM, 0, 1))
    drawing.restart()
    assert not np.array_equal(first, drawing.draw(0, UNIFORM, 0, 1, seed=2))
    drawing.restart(low=7)
    assert np.array_equal(drawing.draw(0, UNIFORM, 0, 1)[:-7], first[7:])
    drawing.restart(low=2**64 - 1, high=5)
    drawing.draw(0, UNIFORM, 0, 1)
    assert struct.unpack("<QQ", drawing.read(drawing.counter, 16)) == (COUNT - 1, 6)


def test_the_known_answer_of_philox(drawing):
    """Of the authors' test vectors: all bits of counter and key set."""
    drawing.restart(2**64 - 1, 2**64 - 1)
    task = drawing.task(10, UNIFORM, 0, 2**64 - 1, seed=2**64 - 1, count=1)
    assert drawing.run(task) == 0
    (word,) = struct.unpack("<Q", drawing.read(drawing.result, 8))
    assert word == 0x41C83B0E408F276D


def test_parameters_in_device_memory(lib, drawing):
    place = c_void_p()
    assert lib.aclrtMalloc(place, 32, 0) == 0
    data = struct.pack("<ffQQ", 5.0, 6.0, 9, 100)
    assert lib.aclrtMemcpy(place, 24, data, 24, 1) == 0
    task = drawing.task(0, UNIFORM, 0, 1)
    start = place.value
    task.first, task.second = address(start), address(start + 4)
    task.seed, task.count = address(start + 8), address(start + 16)
    assert lib.aclrtMemset(drawing.result, 1000, 0, 1000) == 0
    assert drawing.run(task) == 0
    numbers = np.frombuffer(drawing.read(drawing.result, 440), np.float32)
    assert numbers[:100].min() >= 5
    assert numbers[:100].max() <= 6
    assert not numbers[100:].any()
    assert lib.aclrtFree(place) == 0
    assert lib.aclrtRandomNumAsync(byref(task), drawing.stream, None) == RT_PARAM_INVALID


def test_results_that_do_not_fit(lib, drawing):
    assert drawing.run(drawing.task(0, UNIFORM, 0, 1, count=2**40)) == RT_AICORE_EXCEPTION


def test_in_a_graph(lib, drawing):
    graph, stream = c_void_p(), drawing.stream
    assert lib.aclmdlRICaptureBegin(stream, 2) == 0
    task = drawing.task(0, UNIFORM, 0, 1)
    assert lib.aclrtRandomNumAsync(byref(task), stream, None) == 0
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == 0
    seen = set()
    for _ in range(3):
        assert lib.aclmdlRIExecuteAsync(graph, stream) == lib.aclrtSynchronizeStream(stream) == 0
        seen.add(drawing.read(drawing.result, 64))
    assert len(seen) == 3
    assert lib.aclmdlRIDestroy(graph) == 0


def test_bad_arguments(lib, drawing):
    call, good = lib.aclrtRandomNumAsync, drawing.task(0, UNIFORM, 0, 1)
    assert call(None, drawing.stream, None) == INVALID_PARAM
    assert call(byref(good), c_void_p(77), None) == RT_INVALID_HANDLE
    assert call(byref(good), drawing.stream, drawing.stream) == RT_PARAM_INVALID

    def code(**changes):
        task = drawing.task(0, UNIFORM, 0, 1)
        for name, changed in changes.items():
            setattr(task, name, changed)
        return call(byref(task), drawing.stream, None)

    assert code(dtype=11) == code(result=None) == code(counter=None) == INVALID_PARAM
    assert code(dtype=3, kind=NORMAL) == code(kind=4) == code(kind=-1) == RT_PARAM_INVALID
    long, none = Parameter(0, (c_uint8 * 8)(), 5), Parameter(0, (c_uint8 * 8)(), 0)
    assert code(first=long) == code(second=none) == RT_PARAM_INVALID
    assert code(seed=Parameter(2, (c_uint8 * 8)(), 8)) == RT_PARAM_INVALID
    assert code(count=address(64)) == RT_PARAM_INVALID
