# SPDX-License-Identifier: Apache-2.0
"""Graphs inside of graphs, chosen or repeated by a number in device memory."""

from ctypes import POINTER, Structure, byref, c_int, c_uint32, c_uint64, c_void_p

import pytest
from c_library import (
    INVALID_PARAM,
    RT_INVALID_HANDLE,
    RT_MODEL_CAPTURED,
    RT_PARAM_INVALID,
    RT_STREAM_NOT_CAPTURED,
)
from capturing import FUNCTION, RELAXED, begin, end, run

IF, WHILE, SWITCH = range(3)


class Params(Structure):
    _fields_ = (
        ("handle", c_void_p),
        ("type", c_int),
        ("size", c_uint32),
        ("graphs", POINTER(c_void_p)),
    )


class Program:
    """Captures one conditional task whose graphs note their numbers."""

    def __init__(self, lib, stream, other, kind, count, first=0, resets=1):
        self.lib, self.stream, self.seen, self.kept = lib, stream, [], []
        self.graph, self.handle, self.value = c_void_p(), c_void_p(), POINTER(c_uint64)()
        lib.aclmdlRIAddCondTask.argtypes = [Params, c_void_p, c_uint32]
        begin(lib, stream)
        assert lib.aclmdlRICaptureGetInfo(stream, None, byref(self.graph)) == 0
        create = lib.aclmdlRICondHandleCreate
        assert create(self.graph, first, resets, byref(self.handle)) == 0
        assert lib.aclmdlRICondHandleGetCondPtr(self.handle, byref(self.value)) == 0
        self.inner = (c_void_p * count)()
        params = Params(self.handle, kind, count, self.inner)
        assert lib.aclmdlRIAddCondTask(params, stream, 0) == 0
        for number in range(count):
            self.capture(other, number)
        self.graph = end(lib, stream)

    def capture(self, stream, number):
        lib, inner = self.lib, c_void_p(self.inner[number])
        self.kept.append(FUNCTION(lambda _: self.note(number)))
        assert lib.aclmdlRICaptureToModelRIBegin(stream, inner, RELAXED) == 0
        assert lib.aclrtLaunchHostFunc(stream, self.kept[-1], None) == 0
        assert end(lib, stream).value == inner.value
        code = lib.aclmdlRICaptureToModelRIBegin(stream, inner, RELAXED)
        assert code == RT_MODEL_CAPTURED

    def note(self, number):
        self.seen.append(number)

    def run(self):
        self.seen.clear()
        run(self.lib, self.graph, self.stream)
        return list(self.seen)

    def close(self):
        assert self.lib.aclmdlRIDestroy(self.graph) == 0


@pytest.mark.parametrize(
    ("kind", "count", "first", "expected"),
    [
        (IF, 1, 1, [0]),
        (IF, 1, 0, []),
        (IF, 2, 7, [0]),
        (IF, 2, 0, [1]),
        (SWITCH, 3, 2, [2]),
        (SWITCH, 3, 3, []),
        (WHILE, 1, 0, []),
    ],
)
def test_a_number_decides(lib, stream, other, kind, count, first, expected):
    program = Program(lib, stream, other, kind, count, first)
    assert program.run() == expected
    assert program.run() == expected
    program.close()


def test_a_loop_ends_when_the_number_is_zero(lib, stream, other):
    class Counting(Program):
        def note(self, number):
            super().note(number)
            self.value[0] -= 1

    program = Counting(lib, stream, other, WHILE, 1, 3)
    assert program.run() == [0, 0, 0]
    assert program.run() == [0, 0, 0]  # it starts anew
    program.close()


def test_the_program_may_keep_the_number(lib, stream, other):
    program = Program(lib, stream, other, SWITCH, 2, 0, resets=0)
    assert program.run() == [0]
    program.value[0] = 1
    assert program.run() == [1]
    program.close()


def test_wrong_conditions(lib, stream, other):
    program = Program(lib, stream, other, IF, 1)
    handle = c_void_p()
    inner = (c_void_p * 3)()
    assert lib.aclmdlRIDestroy(c_void_p(program.inner[0])) == RT_PARAM_INVALID
    assert lib.aclmdlRIExecuteAsync(c_void_p(program.inner[0]), stream) == RT_PARAM_INVALID
    params = Params(program.handle, IF, 1, inner)
    assert lib.aclmdlRIAddCondTask(params, stream, 0) == RT_STREAM_NOT_CAPTURED
    assert lib.aclmdlRICondHandleCreate(program.graph, 0, 2, byref(handle)) == RT_PARAM_INVALID
    assert lib.aclmdlRICondHandleCreate(c_void_p(1), 0, 0, byref(handle)) == RT_INVALID_HANDLE
    begin(lib, stream)
    assert lib.aclmdlRIAddCondTask(params, stream, 0) == RT_INVALID_HANDLE  # of another graph
    assert lib.aclmdlRIAddCondTask(params, stream, 1) == RT_PARAM_INVALID
    for kind, count in ((IF, 3), (WHILE, 2), (SWITCH, 0), (3, 1)):
        wrong = Params(program.handle, kind, count, inner)
        assert lib.aclmdlRIAddCondTask(wrong, stream, 0) == RT_PARAM_INVALID
    assert lib.aclmdlRIAddCondTask(Params(None, IF, 1, inner), stream, 0) == INVALID_PARAM
    graph = end(lib, stream)
    assert lib.aclmdlRIDestroy(graph) == 0
    program.close()
    assert lib.aclmdlRIExecuteAsync(c_void_p(program.inner[0]), stream) == RT_INVALID_HANDLE
    assert lib.aclmdlRICondHandleGetCondPtr(program.handle, byref(handle)) == RT_INVALID_HANDLE
