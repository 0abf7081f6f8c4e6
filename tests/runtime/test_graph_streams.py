# SPDX-License-Identifier: Apache-2.0
"""Graphs of several streams, which join and return by events."""

import threading
from ctypes import byref, c_int, c_void_p

from c_library import (
    RT_AICORE_EXCEPTION,
    RT_PARAM_INVALID,
    RT_STREAM_CAPTURE_INVALIDATED,
    RT_STREAM_CAPTURE_UNMATCHED,
    RT_STREAM_NOT_CAPTURED,
    RT_STREAM_UNJOINED,
    STREAM_CAPTURE_CONFLICT,
)
from capturing import (
    ACTIVE,
    FUNCTION,
    INVALIDATED,
    NONE,
    SIZE,
    begin,
    copy,
    end,
    first_byte,
    fork_and_join,
    run,
    set_byte,
)


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
