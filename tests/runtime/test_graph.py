# SPDX-License-Identifier: Apache-2.0
"""Graphs: what streams are given while they are captured runs later, as often as one likes."""

import ctypes
import json
import threading
from ctypes import byref, c_float, c_int, c_uint32, c_uint64, c_void_p

import pytest
from c_library import (
    ACLNN_RUNTIME_ERROR,
    INVALID_PARAM,
    RT_AICORE_EXCEPTION,
    RT_CAPTURE_DEPENDENCY,
    RT_CAPTURE_MODE_BLOCK_ASYNC,
    RT_CAPTURE_MODE_NOT_SUPPORT,
    RT_EVENT_CAPTURED,
    RT_FEATURE_NOT_SUPPORT,
    RT_INSUFFICIENT_INPUT_ARRAY,
    RT_INVALID_HANDLE,
    RT_MODEL_CAPTURED,
    RT_PARAM_INVALID,
    RT_STREAM_CAPTURE_IMPLICIT,
    RT_STREAM_CAPTURE_INVALIDATED,
    RT_STREAM_CAPTURE_UNMATCHED,
    RT_STREAM_CAPTURE_WRONG_THREAD,
    RT_STREAM_CAPTURED,
    RT_STREAM_NOT_CAPTURED,
    RT_STREAM_UNJOINED,
    STREAM_CAPTURE_CONFLICT,
    STREAM_TASK_GROUP_STATUS,
    dims,
)

from aclhost.acl import _capi

FUNCTION = ctypes.CFUNCTYPE(None, c_void_p)
GLOBAL, THREAD_LOCAL, RELAXED = range(3)
NONE, ACTIVE, INVALIDATED = range(3)
EXTERNAL, SYNC = 0x20, 1
DEVICE_TO_DEVICE, HOST_TO_DEVICE, DEVICE_TO_HOST = 3, 1, 2
SIZE = 64


@pytest.fixture
def other(lib, device):
    handle = c_void_p()
    assert lib.aclrtCreateStream(handle) == 0
    yield handle
    lib.aclrtDestroyStream(handle)


@pytest.fixture
def memory(lib, device):
    """Makes device memory that goes with the test."""
    made = []

    def make(size=SIZE):
        made.append(c_void_p())
        assert lib.aclrtMalloc(made[-1], size, 0) == 0
        return made[-1]

    yield make
    for each in made:
        lib.aclrtFree(each)


@pytest.fixture
def event(lib, device):
    """Makes events that go with captures."""
    made = []

    def make(flag=SYNC, create="aclrtCreateEventExWithFlag"):
        made.append(c_void_p())
        assert getattr(lib, create)(made[-1], flag) == 0
        return made[-1]

    yield make
    for each in made:
        lib.aclrtDestroyEvent(each)


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


def test_captured_tasks_run_with_the_graph_only(lib, stream, memory):
    seen, a, b = [], memory(), memory()
    first, second = append(seen, 1), append(seen, 2)
    begin(lib, stream)
    assert lib.aclrtLaunchHostFunc(stream, first, None) == 0
    set_byte(lib, a, 7, stream)
    copy(lib, b, a, stream)
    assert lib.aclrtLaunchHostFunc(stream, second, None) == 0
    graph = end(lib, stream)
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert (seen, first_byte(lib, b)) == ([], 0)
    run(lib, graph, stream)
    assert (seen, first_byte(lib, b)) == ([1, 2], 7)
    assert lib.aclrtMemset(b, SIZE, 0, SIZE) == 0
    run(lib, graph, stream)
    assert (seen, first_byte(lib, b)) == ([1, 2, 1, 2], 7)
    assert lib.aclmdlRIDestroy(graph) == 0
    assert lib.aclmdlRIDestroy(graph) == RT_INVALID_HANDLE


def test_operators_keep_what_they_need(lib, stream, memory):
    x = memory()
    increment = Increment(x)
    begin(lib, stream)
    increment.launch(stream)
    increment.launch(stream, 10.0)
    graph = end(lib, stream)
    assert increment.value() == 0
    for _ in range(3):
        assert lib.aclmdlRIExecuteAsync(graph, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert increment.value() == 33
    assert lib.aclmdlRIDestroy(graph) == 0


def test_work_before_and_behind_a_graph_is_ordered(lib, stream, memory):
    x = memory()
    increment = Increment(x)
    begin(lib, stream)
    increment.launch(stream)
    graph = end(lib, stream)
    set_byte(lib, x, 0, stream)
    assert lib.aclmdlRIExecuteAsync(graph, stream) == 0
    increment.launch(stream, 5.0)
    assert lib.aclmdlRIExecuteAsync(graph, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert increment.value() == 7
    assert lib.aclmdlRIDestroy(graph) == 0


def test_a_graph_may_be_destroyed_while_it_runs(lib, stream, gate, memory):
    x = memory()
    begin(lib, stream)
    set_byte(lib, x, 9, stream)
    graph = end(lib, stream)
    assert lib.aclmdlRIExecuteAsync(graph, stream) == 0
    assert lib.aclmdlRIDestroy(graph) == 0
    gate.open()
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert first_byte(lib, x) == 9


def test_runs_on_two_streams_come_one_after_the_other(lib, stream, other, gate, memory):
    x = memory()
    increment = Increment(x)
    begin(lib, stream)
    increment.launch(stream)
    graph = end(lib, stream)
    assert lib.aclmdlRIExecuteAsync(graph, stream) == 0
    assert lib.aclmdlRIExecuteAsync(graph, other) == 0
    assert lib.aclrtSynchronizeStreamWithTimeout(other, 20) != 0
    gate.open()
    assert lib.aclrtSynchronizeStream(other) == 0
    assert increment.value() == 2
    assert lib.aclmdlRIDestroy(graph) == 0


def test_execute_waits(lib, stream, memory):
    x = memory()
    begin(lib, stream)
    set_byte(lib, x, 3, stream)
    graph = end(lib, stream)
    assert lib.aclmdlRIExecute(graph, 60000) == 0
    assert first_byte(lib, x) == 3
    assert lib.aclmdlRIExecute(graph, 0) == RT_PARAM_INVALID
    assert lib.aclmdlRIDestroy(graph) == 0


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


def test_streams_join_a_capture_by_events(lib, stream, other, event, memory):
    a, b = memory(), memory()
    fork, _ = fork_and_join(lib, stream, other, event, lambda: set_byte(lib, a, 5, other))
    status, graph = c_int(), c_void_p()
    assert lib.aclmdlRICaptureGetInfo(other, byref(status), byref(graph)) == 0
    assert status.value == ACTIVE
    copy(lib, b, a, stream)
    assert end(lib, stream).value == graph.value
    assert lib.aclmdlRICaptureGetInfo(other, byref(status), None) == 0
    assert status.value == NONE
    assert lib.aclrtSynchronizeEvent(fork) == 0
    run(lib, graph, stream)
    assert first_byte(lib, b) == 5
    # The stream itself is as free as before.
    set_byte(lib, a, 6, other)
    assert lib.aclrtSynchronizeStream(other) == 0
    assert first_byte(lib, a) == 6
    run(lib, graph, other)
    assert first_byte(lib, b) == 5
    assert lib.aclmdlRIDestroy(graph) == 0


def test_branches_run_at_the_same_time(lib, stream, other, event):
    met = threading.Barrier(2)
    meet = FUNCTION(lambda _: met.wait(60))
    fork, join = event(), event()
    begin(lib, stream)
    assert lib.aclrtRecordEvent(fork, stream) == 0
    assert lib.aclrtStreamWaitEvent(other, fork) == 0
    assert lib.aclrtLaunchHostFunc(other, meet, None) == 0
    assert lib.aclrtLaunchHostFunc(stream, meet, None) == 0
    assert lib.aclrtRecordEvent(join, other) == 0
    assert lib.aclrtStreamWaitEvent(stream, join) == 0
    graph = end(lib, stream)
    run(lib, graph, stream)
    assert not met.broken
    assert lib.aclmdlRIDestroy(graph) == 0


def test_failures_of_branches_are_those_of_the_run(lib, stream, other, event, memory):
    gone = c_void_p()
    assert lib.aclrtMalloc(gone, SIZE, 0) == 0
    fork_and_join(lib, stream, other, event, lambda: set_byte(lib, gone, 5, other))
    graph = end(lib, stream)
    assert lib.aclrtFree(gone) == 0
    assert lib.aclmdlRIExecuteAsync(graph, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == RT_AICORE_EXCEPTION
    assert lib.aclrtSynchronizeStream(other) == 0
    assert lib.aclmdlRIDestroy(graph) == 0


def test_memory_that_was_freed_between_runs_is_noticed(lib, stream):
    x = c_void_p()
    assert lib.aclrtMalloc(x, SIZE, 0) == 0
    begin(lib, stream)
    Increment(x).launch(stream)
    graph = end(lib, stream)
    run(lib, graph, stream)
    assert lib.aclrtFree(x) == 0
    assert lib.aclmdlRIExecuteAsync(graph, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == RT_AICORE_EXCEPTION
    assert lib.aclmdlRIDestroy(graph) == 0


def test_streams_must_return(lib, stream, other, event, memory):
    fork = event()
    begin(lib, stream)
    assert lib.aclrtRecordEvent(fork, stream) == 0
    assert lib.aclrtStreamWaitEvent(other, fork) == 0
    graph = c_void_p()
    assert lib.aclmdlRICaptureEnd(other, byref(graph)) == RT_STREAM_CAPTURE_UNMATCHED
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == RT_STREAM_UNJOINED
    assert graph.value is None
    # A task behind the event that the first stream awaits.
    fork_and_join(lib, stream, other, event, lambda: None)
    set_byte(lib, memory(), 1, other)
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == RT_STREAM_UNJOINED
    assert lib.aclrtSynchronizeStream(other) == 0


def test_streams_may_return_through_others(lib, device, stream, other, event):
    third = c_void_p()
    assert lib.aclrtCreateStream(third) == 0
    events = [event() for _ in range(4)]
    begin(lib, stream)
    chain = [(stream, other), (other, third), (third, other), (other, stream)]
    for each, (source, target) in zip(events, chain, strict=True):
        assert lib.aclrtRecordEvent(each, source) == 0
        assert lib.aclrtStreamWaitEvent(target, each) == 0
    graph = end(lib, stream)
    run(lib, graph, stream)
    assert lib.aclmdlRIDestroy(graph) == 0
    assert lib.aclrtDestroyStream(third) == 0


def test_what_a_captured_stream_refuses(lib, stream, other, event):
    status = c_int()
    mark, captured = event(), event()
    begin(lib, stream)
    assert lib.aclrtRecordEvent(captured, stream) == 0
    assert lib.aclmdlRICaptureBegin(stream, RELAXED) == RT_STREAM_CAPTURED
    assert lib.aclrtSynchronizeStream(stream) == RT_STREAM_CAPTURED
    assert lib.aclrtSynchronizeStreamWithTimeout(stream, 5) == RT_STREAM_CAPTURED
    assert lib.aclrtSynchronizeDevice() == RT_STREAM_CAPTURED
    assert lib.aclrtStreamQuery(stream, status) == RT_STREAM_CAPTURED
    assert lib.aclrtDestroyStream(stream) == RT_STREAM_CAPTURED
    assert lib.aclrtDestroyStreamForce(stream) == RT_STREAM_CAPTURED
    assert lib.aclrtQueryEventStatus(captured, status) == RT_EVENT_CAPTURED
    assert lib.aclrtQueryEventWaitStatus(captured, status) == RT_EVENT_CAPTURED
    assert lib.aclrtSynchronizeEvent(captured) == RT_EVENT_CAPTURED
    assert lib.aclrtEventElapsedTime(c_float(), captured, captured) == RT_EVENT_CAPTURED
    assert lib.aclrtStreamWaitEvent(None, captured) == RT_STREAM_CAPTURE_IMPLICIT
    plain = event(SYNC, "aclrtCreateEventWithFlag")
    assert lib.aclrtRecordEvent(plain, stream) == RT_FEATURE_NOT_SUPPORT
    assert lib.aclrtStreamWaitEvent(stream, plain) == RT_FEATURE_NOT_SUPPORT
    assert lib.aclrtStreamWaitEvent(stream, mark) == 0  # never recorded
    assert lib.aclrtRecordEvent(mark, other) == 0
    assert lib.aclrtStreamWaitEvent(stream, mark) == RT_CAPTURE_DEPENDENCY
    graph = end(lib, stream)
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert lib.aclrtSynchronizeDevice() == 0
    assert lib.aclrtQueryEventStatus(captured, status) == 0
    assert lib.aclmdlRIDestroy(graph) == 0


def test_what_a_graph_refuses(lib, stream, other):
    begin(lib, stream)
    graph, status = c_void_p(), c_int()
    assert lib.aclmdlRICaptureGetInfo(stream, byref(status), byref(graph)) == 0
    assert lib.aclmdlRIDestroy(graph) == RT_MODEL_CAPTURED
    assert lib.aclmdlRIExecuteAsync(graph, other) == RT_MODEL_CAPTURED
    assert end(lib, stream).value == graph.value
    begin(lib, other)
    assert lib.aclmdlRIExecuteAsync(graph, other) == RT_STREAM_CAPTURED
    assert lib.aclmdlRICaptureToModelRIBegin(stream, graph, RELAXED) == RT_PARAM_INVALID
    inner = end(lib, other)
    for each in (graph, inner):
        assert lib.aclmdlRIDestroy(each) == 0


def test_wrong_arguments(lib, stream, device):
    default, graph = c_void_p(), c_void_p()
    assert lib.aclrtCtxGetCurrentDefaultStream(byref(default)) == 0
    assert lib.aclmdlRICaptureBegin(None, GLOBAL) == INVALID_PARAM
    assert lib.aclmdlRICaptureBegin(default, GLOBAL) == RT_STREAM_CAPTURE_IMPLICIT
    assert lib.aclmdlRICaptureBegin(stream, 3) == RT_PARAM_INVALID
    assert lib.aclmdlRICaptureBegin(c_void_p(1), GLOBAL) == RT_INVALID_HANDLE
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == RT_STREAM_NOT_CAPTURED
    assert lib.aclmdlRICaptureGetInfo(stream, None, None) == INVALID_PARAM
    assert lib.aclmdlRICaptureThreadExchangeMode(byref(c_int(3))) == RT_PARAM_INVALID
    assert lib.aclmdlRIExecuteAsync(None, stream) == INVALID_PARAM
    for bad in (c_void_p(1), stream):
        assert lib.aclmdlRIExecuteAsync(bad, stream) == RT_INVALID_HANDLE
        assert lib.aclmdlRIExecute(bad, 5) == RT_INVALID_HANDLE
        assert lib.aclmdlRIDestroy(bad) == RT_INVALID_HANDLE
        assert lib.aclmdlRISetName(bad, b"") == RT_INVALID_HANDLE
        assert lib.aclmdlRITaskDisable(bad) == RT_INVALID_HANDLE
        assert lib.aclmdlRICaptureTaskUpdateBegin(stream, bad) == RT_INVALID_HANDLE


def test_two_captures_do_not_mix(lib, stream, other, event):
    mark = event()
    begin(lib, stream)
    begin(lib, other)
    assert lib.aclrtRecordEvent(mark, stream) == 0
    assert lib.aclrtStreamWaitEvent(other, mark) == STREAM_CAPTURE_CONFLICT
    status, graph = c_int(), c_void_p()
    assert lib.aclmdlRICaptureGetInfo(stream, byref(status), None) == 0
    assert status.value == INVALIDATED
    for each in (stream, other):
        assert lib.aclmdlRICaptureEnd(each, byref(graph)) == RT_STREAM_CAPTURE_INVALIDATED
        assert lib.aclrtSynchronizeStream(each) == 0


def exchange(lib, mode):
    cell = c_int(mode)
    assert lib.aclmdlRICaptureThreadExchangeMode(byref(cell)) == 0
    return cell.value


@pytest.mark.parametrize(
    ("mode", "here", "elsewhere"),
    [(GLOBAL, False, False), (THREAD_LOCAL, False, True), (RELAXED, True, True)],
)
def test_modes_forbid_what_waits_for_no_stream(
    lib, stream, memory, in_thread, mode, here, elsewhere
):
    a, b = memory(), memory()

    def codes():
        assert lib.aclrtSetDevice(0) == 0
        return {
            lib.aclrtMemset(a, SIZE, 1, SIZE),
            lib.aclrtMemcpy(b, SIZE, a, SIZE, DEVICE_TO_DEVICE),
            lib.aclrtMemcpy2d(b, SIZE, a, SIZE, SIZE, 1, DEVICE_TO_DEVICE),
        }

    def relaxed():
        assert lib.aclrtSetDevice(0) == 0
        before = exchange(lib, RELAXED)
        code = lib.aclrtMemset(a, SIZE, 1, SIZE)
        return before, code, exchange(lib, before)

    begin(lib, stream, mode)
    assert codes() == ({0} if here else {RT_CAPTURE_MODE_NOT_SUPPORT})
    assert in_thread(codes) == ({0} if elsewhere else {RT_CAPTURE_MODE_NOT_SUPPORT})
    assert relaxed() == (GLOBAL, 0, RELAXED)
    assert in_thread(relaxed) == (GLOBAL, 0, RELAXED)
    graph = end(lib, stream)
    assert codes() == {0}
    assert lib.aclmdlRIDestroy(graph) == 0


def test_only_pinned_memory_is_copied_in_captures(lib, stream, other, memory):
    x, pinned, pageable = memory(), c_void_p(), (ctypes.c_uint8 * SIZE)()
    assert lib.aclrtMallocHost(pinned, SIZE) == 0
    ctypes.memset(pinned.value, 4, SIZE)
    begin(lib, stream, GLOBAL)
    to_device = lib.aclrtMemcpyAsync
    assert to_device(x, SIZE, pageable, SIZE, HOST_TO_DEVICE, stream) == RT_PARAM_INVALID
    code = to_device(x, SIZE, pageable, SIZE, HOST_TO_DEVICE, other)
    assert code == RT_CAPTURE_MODE_BLOCK_ASYNC
    assert to_device(x, SIZE, pinned, SIZE, HOST_TO_DEVICE, stream) == 0
    graph = end(lib, stream)
    run(lib, graph, stream)
    assert first_byte(lib, x) == 4
    ctypes.memset(pinned.value, 8, SIZE)
    run(lib, graph, stream)
    assert first_byte(lib, x) == 8
    assert lib.aclmdlRIDestroy(graph) == 0
    assert lib.aclrtFreeHost(pinned) == 0


def test_the_thread_that_began_a_capture_ends_it(lib, stream, in_thread):
    graph = c_void_p()
    begin(lib, stream, GLOBAL)
    code = in_thread(lambda: lib.aclmdlRICaptureEnd(stream, byref(graph)))
    assert code == RT_STREAM_CAPTURE_WRONG_THREAD
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == RT_STREAM_NOT_CAPTURED
    begin(lib, stream, RELAXED)
    assert in_thread(lambda: lib.aclmdlRICaptureEnd(stream, byref(graph))) == 0
    assert lib.aclmdlRIDestroy(graph) == 0


def test_operators_whose_results_depend_on_data_are_refused(lib, stream, memory):
    c, x, out = _capi.library(), memory(), memory()
    source = c.aclCreateTensor(dims(4), 1, 0, None, 0, 2, dims(4), 1, x)
    target = c.aclCreateTensor(dims(4, 1), 2, 9, None, 0, 2, dims(4, 1), 2, out)
    size, executor, graph = c_uint64(), c_void_p(), c_void_p()
    assert c.aclnnNonzeroGetWorkspaceSize(source, target, byref(size), byref(executor)) == 0
    begin(lib, stream)
    assert c.aclnnNonzero(None, 0, executor, stream) == ACLNN_RUNTIME_ERROR
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == 0
    assert lib.aclmdlRIDestroy(graph) == 0
    for tensor in (source, target):
        assert c.aclDestroyTensor(tensor) == 0


def test_tasks_are_exchanged(lib, stream, other, memory):
    x = memory()
    increment, group, graph = Increment(x), c_void_p(), c_void_p()
    begin(lib, stream)
    increment.launch(stream, 100.0)
    assert lib.aclmdlRICaptureTaskGrpBegin(stream) == 0
    assert lib.aclmdlRICaptureTaskGrpBegin(stream) == STREAM_TASK_GROUP_STATUS
    increment.launch(stream, 1.0)
    assert lib.aclmdlRICaptureTaskGrpEnd(stream, byref(group)) == 0
    assert lib.aclmdlRICaptureTaskGrpEnd(stream, byref(group)) == STREAM_TASK_GROUP_STATUS
    graph = end(lib, stream)
    run(lib, graph, stream)
    assert increment.value() == 101

    assert lib.aclmdlRICaptureTaskUpdateBegin(other, group) == 0
    increment.launch(other, 20.0)
    assert lib.aclmdlRICaptureTaskUpdateEnd(other) == 0
    assert lib.aclrtSynchronizeStream(other) == 0
    assert increment.value() == 101
    run(lib, graph, stream)
    assert increment.value() == 221

    assert lib.aclmdlRICaptureTaskUpdateBegin(other, group) == 0
    assert lib.aclmdlRICaptureTaskUpdateEnd(other) == STREAM_TASK_GROUP_STATUS
    assert lib.aclmdlRIDestroy(graph) == 0
    assert lib.aclmdlRICaptureTaskUpdateBegin(other, group) == RT_INVALID_HANDLE


def test_groups_need_a_capture_and_an_end(lib, stream):
    group, graph = c_void_p(), c_void_p()
    assert lib.aclmdlRICaptureTaskGrpBegin(stream) == RT_STREAM_NOT_CAPTURED
    assert lib.aclmdlRICaptureTaskGrpEnd(stream, byref(group)) == RT_STREAM_NOT_CAPTURED
    assert lib.aclmdlRICaptureTaskUpdateEnd(stream) == STREAM_TASK_GROUP_STATUS
    begin(lib, stream)
    assert lib.aclmdlRICaptureTaskGrpBegin(stream) == 0
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == STREAM_TASK_GROUP_STATUS


def test_an_update_and_a_run_at_the_same_time(lib, stream, other, event, memory):
    """The graph waits, by an event from outside, for the update of a task."""
    x = memory()
    increment, group = Increment(x), c_void_p()
    updated = event(EXTERNAL, "aclrtCreateEventWithFlag")
    begin(lib, stream)
    assert lib.aclrtStreamWaitEvent(stream, updated) == 0
    assert lib.aclrtResetEvent(updated, stream) == 0
    assert lib.aclmdlRICaptureTaskGrpBegin(stream) == 0
    increment.launch(stream, 1.0)
    assert lib.aclmdlRICaptureTaskGrpEnd(stream, byref(group)) == 0
    graph = end(lib, stream)
    expected = 0
    for step in (2.0, 30.0):
        assert lib.aclmdlRIExecuteAsync(graph, stream) == 0
        assert lib.aclrtSynchronizeStreamWithTimeout(stream, 20) != 0
        assert lib.aclmdlRICaptureTaskUpdateBegin(other, group) == 0
        increment.launch(other, step)
        assert lib.aclmdlRICaptureTaskUpdateEnd(other) == 0
        assert lib.aclrtRecordEvent(updated, other) == 0
        assert lib.aclrtSynchronizeStream(stream) == 0
        expected += step
        assert increment.value() == expected
    assert lib.aclmdlRIDestroy(graph) == 0


def test_events_for_streams_outside(lib, stream, other, event, memory):
    x, y, mark = memory(), memory(), event()
    assert lib.aclrtRecordEventWithFlag(mark, stream, 1) == RT_STREAM_NOT_CAPTURED
    assert lib.aclrtRecordEventWithFlag(mark, stream, 2) == RT_PARAM_INVALID
    assert lib.aclrtStreamWaitEventWithFlag(stream, mark, 0, 1) == RT_STREAM_NOT_CAPTURED
    begin(lib, stream)
    set_byte(lib, x, 6, stream)
    assert lib.aclrtRecordEventWithFlag(mark, stream, 1) == 0
    graph = end(lib, stream)
    begin(lib, other)
    assert lib.aclrtStreamWaitEventWithFlag(other, mark, 0, 1) == 0
    copy(lib, y, x, other)
    reader = end(lib, other)
    run(lib, graph, stream)
    run(lib, reader, other)
    assert first_byte(lib, y) == 6
    for each in (graph, reader):
        assert lib.aclmdlRIDestroy(each) == 0


def tasks_of(lib, stream):
    count = c_uint32()
    assert lib.aclmdlRIGetTasksByStream(stream, None, byref(count)) == 0
    tasks = (c_void_p * count.value)()
    assert lib.aclmdlRIGetTasksByStream(stream, tasks, byref(count)) == 0
    return [c_void_p(task) for task in tasks]


def test_tasks_can_be_looked_at_and_left_out(lib, stream, memory):
    x, flag = memory(), memory()
    increment = Increment(x)
    begin(lib, stream)
    increment.launch(stream, 1.0)
    increment.launch(stream, 10.0)
    assert lib.aclrtValueWrite(flag, 77, 0, stream) == 0
    graph = end(lib, stream)
    tasks = tasks_of(lib, stream)
    number, kind = c_uint32(), c_int()
    seen = []
    for task in tasks:
        assert lib.aclmdlRITaskGetSeqId(task, byref(number)) == 0
        assert lib.aclmdlRITaskGetType(task, byref(kind)) == 0
        seen.append((number.value, kind.value))
    assert seen == [(0, 1), (1, 1), (2, 5)]
    short = c_uint32(1)
    code = lib.aclmdlRIGetTasksByStream(stream, (c_void_p * 1)(), byref(short))
    assert (code, short.value) == (RT_INSUFFICIENT_INPUT_ARRAY, 3)

    params = (c_uint64 * 64)()
    assert lib.aclmdlRITaskGetParams(tasks[2], params) == 0
    at = 9  # words before the union: type, three reserved, group, operator's shapes, reserved
    assert params[0] & 0xFFFFFFFF == 5
    assert list(params[at : at + 2]) == [flag.value, 77]
    params[at + 1] = 78
    assert lib.aclmdlRITaskSetParams(tasks[2], params) == 0
    assert lib.aclmdlRITaskSetParams(tasks[0], params) == RT_PARAM_INVALID
    assert lib.aclmdlRITaskDisable(tasks[0]) == 0
    assert lib.aclmdlRIUpdate(graph) == 0
    run(lib, graph, stream)
    assert increment.value() == 10
    assert first_byte(lib, flag) == 78
    assert lib.aclmdlRIDestroy(graph) == 0
    assert lib.aclmdlRITaskDisable(tasks[1]) == RT_INVALID_HANDLE


def test_names_numbers_and_streams(lib, stream, other, event):
    fork_and_join(lib, stream, other, event, lambda: None)
    graph = end(lib, stream)
    name, ids = ctypes.create_string_buffer(8), [c_uint32(), c_uint32()]
    assert lib.aclmdlRIGetName(graph, 8, name) == 0
    assert name.value == b""
    assert lib.aclmdlRISetName(graph, b"prefill step") == 0
    assert lib.aclmdlRIGetName(graph, 8, name) == 0
    assert name.value == b"prefill"
    assert lib.aclmdlRIGetName(graph, 0, name) == RT_PARAM_INVALID
    begin(lib, stream)
    second = end(lib, stream)
    for each, number in zip((graph, second), ids, strict=True):
        assert lib.aclmdlRIGetId(each, byref(number)) == 0
    assert ids[0].value != ids[1].value
    count, streams = c_uint32(2), (c_void_p * 2)()
    assert lib.aclmdlRIGetStreams(graph, streams, byref(count)) == 0
    assert (count.value, list(streams)) == (2, [stream.value, other.value])
    for each in (graph, second):
        assert lib.aclmdlRIDestroy(each) == 0


def test_functions_for_the_end_of_a_graph(lib, stream):
    seen = []
    kept, dropped = append(seen, "kept"), append(seen, "dropped")
    begin(lib, stream)
    graph = end(lib, stream)
    assert lib.aclmdlRIDestroyRegisterCallback(graph, kept, None) == 0
    assert lib.aclmdlRIDestroyRegisterCallback(graph, dropped, None) == 0
    assert lib.aclmdlRIDestroyUnregisterCallback(graph, dropped) == 0
    assert lib.aclmdlRIDestroyUnregisterCallback(graph, dropped) == RT_PARAM_INVALID
    assert lib.aclmdlRIDestroy(graph) == 0
    assert seen == ["kept"]


def test_a_graph_is_written_as_json(lib, stream, other, event, memory, tmp_path):
    x = memory()
    fork_and_join(lib, stream, other, event, lambda: Increment(x).launch(other))
    graph = end(lib, stream)
    assert lib.aclmdlRISetName(graph, b'a "graph"\n') == 0
    path = tmp_path / "graph.json"
    assert lib.aclmdlRIDebugPrint(graph) == 0
    assert lib.aclmdlRIDebugJsonPrint(graph, str(path).encode(), 1) == 0
    head, *tasks = json.loads(path.read_text())["traceEvents"]
    assert head["args"]["name"] == 'graph a "graph"\n'
    assert [task["name"] for task in tasks] == [
        "aclrtRecordEvent", "aclrtStreamWaitEvent", "aclnnInplaceAdds", "aclrtRecordEvent",
        "aclrtStreamWaitEvent",
    ]  # fmt: skip
    assert "FLOAT" in tasks[2]["args"]["ExtendInfo"]
    assert tasks[2]["args"]["Task Type"] == "KERNEL"
    assert len({task["tid"] for task in tasks}) == 2
    assert lib.aclmdlRIDebugJsonPrint(graph, str(tmp_path / "no" / "x").encode(), 0) == 107009
    assert lib.aclmdlRIDestroy(graph) == 0


def test_a_context_that_ends_takes_its_captures_along(lib, device):
    context, stream, graph = c_void_p(), c_void_p(), c_void_p()
    assert lib.aclrtCreateContext(context, 0) == 0
    assert lib.aclrtCreateStream(stream) == 0
    begin(lib, stream)
    assert lib.aclmdlRICaptureGetInfo(stream, None, byref(graph)) == 0
    assert lib.aclrtDestroyContext(context) == 0
    assert lib.aclmdlRIDestroy(graph) == RT_INVALID_HANDLE
    assert lib.aclrtSetDevice(0) == 0
    assert lib.aclrtSynchronizeDevice() == 0
    assert lib.aclrtResetDevice(0) == 0
