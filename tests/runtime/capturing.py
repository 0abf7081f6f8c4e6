# SPDX-License-Identifier: Apache-2.0
"""What tests of graphs share: captures, runs, and what is captured."""

import ctypes
from ctypes import byref, c_float, c_uint64, c_void_p

from c_library import dims

from aclhost.acl import _capi

FUNCTION = ctypes.CFUNCTYPE(None, c_void_p)
GLOBAL, THREAD_LOCAL, RELAXED = range(3)
NONE, ACTIVE, INVALIDATED = range(3)
DEVICE_TO_DEVICE, HOST_TO_DEVICE, DEVICE_TO_HOST = 3, 1, 2
SIZE = 64
EXTERNAL, SYNC = 0x20, 1


def first_byte(lib, memory):
    value = (ctypes.c_uint8 * SIZE)()
    assert lib.aclrtMemcpy(value, SIZE, memory, SIZE, DEVICE_TO_HOST) == 0
    return value[0]


def begin(lib, stream, mode=RELAXED):
    assert lib.aclmdlRICaptureBegin(stream, mode) == 0


def end(lib, stream):
    graph = c_void_p()
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == 0
    return graph


def run(lib, graph, stream):
    assert lib.aclmdlRIExecuteAsync(graph, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0


def set_byte(lib, memory, value, stream):
    assert lib.aclrtMemsetAsync(memory, SIZE, value, SIZE, stream) == 0


def copy(lib, target, source, stream):
    code = lib.aclrtMemcpyAsync(target, SIZE, source, SIZE, DEVICE_TO_DEVICE, stream)
    assert code == 0


def append(seen, value):
    return FUNCTION(lambda _: seen.append(value))


def fork_and_join(lib, stream, other, event, body):
    """Captures body() on the other stream, between two events."""
    fork, join = event(), event()
    begin(lib, stream)
    assert lib.aclrtRecordEvent(fork, stream) == 0
    assert lib.aclrtStreamWaitEvent(other, fork) == 0
    body()
    assert lib.aclrtRecordEvent(join, other) == 0
    assert lib.aclrtStreamWaitEvent(stream, join) == 0
    return fork, join


class Increment:
    """x += step, as an operator."""

    def __init__(self, x, count=4):
        self.c = _capi.library()
        self.x, self.count = x, count

    def launch(self, stream, step=1.0):
        c = self.c
        tensor = c.aclCreateTensor(dims(self.count), 1, 0, None, 0, 2, dims(self.count), 1, self.x)
        scalars = [c.aclCreateScalar(byref(c_float(value)), 0) for value in (step, 1.0)]
        size, executor = c_uint64(), c_void_p()
        code = c.aclnnInplaceAddsGetWorkspaceSize(tensor, *scalars, byref(size), byref(executor))
        assert code == 0
        assert c.aclnnInplaceAdds(None, 0, executor, stream) == 0
        assert c.aclDestroyTensor(tensor) == 0
        for scalar in scalars:
            assert c.aclDestroyScalar(scalar) == 0

    def value(self):
        values = (c_float * self.count)()
        size = ctypes.sizeof(values)
        assert self.c.aclrtMemcpy(values, size, self.x, size, DEVICE_TO_HOST) == 0
        assert len(set(values)) == 1
        return values[0]
