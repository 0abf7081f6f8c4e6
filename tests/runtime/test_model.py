# SPDX-License-Identifier: Apache-2.0
"""Models from bound streams: which streams run, and when, is decided while they run."""

import threading
from ctypes import byref, c_int64, c_uint32, c_void_p

import pytest
from building import DEFAULT, HEAD, PERSISTENT, Building
from c_library import (
    INVALID_PARAM,
    RT_CONTEXT_NULL,
    RT_FEATURE_NOT_SUPPORT,
    RT_INTERNAL_ERROR,
    RT_INVALID_HANDLE,
    RT_MODEL_ABORT_NORMAL,
    RT_MODEL_CAPTURED,
    RT_MODEL_CONTEXT,
    RT_MODEL_EXECUTE,
    RT_PARAM_INVALID,
    RT_STREAM_CAPTURED,
    RT_STREAM_MODEL,
    text,
)

EQUAL, NOT_EQUAL, GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL = range(6)
INT32, INT64 = 0, 1
RELAXED = 2


@pytest.fixture
def build(lib, device):
    made = Building(lib)
    yield made
    made.close()


def test_tasks_wait_for_the_run(lib, build):
    stream = build.stream()
    build.note(stream, "first")
    build.note(stream, "second")
    build.end(stream)
    assert build.seen == []
    assert build.run() == ["first", "second"]
    assert build.run() == ["first", "second"]
    assert lib.aclmdlRIExecute(build.model, -1) == 0
    assert build.seen == ["first", "second"] * 2


def test_copies_and_operators_of_pageable_memory(lib, build):
    """As upstream's sample does; the memory has to stay."""
    stream, place = build.stream(), build.number(0)
    source = (c_uint32 * 1)(7)
    assert lib.aclrtMemcpyAsync(place, 4, source, 4, 1, stream) == 0
    build.end(stream)
    source[0] = 9
    assert build.run() == []
    seen = (c_uint32 * 1)()
    assert lib.aclrtMemcpy(seen, 4, place, 4, 2) == 0
    assert seen[0] == 9


def test_a_stream_begins_when_another_says_so(lib, build):
    """The sample of upstream's documents, with both ways through it."""
    first, second, third, fourth = (build.stream(f) for f in (HEAD, DEFAULT, DEFAULT, DEFAULT))
    last = build.stream(DEFAULT)
    value, one, two = build.number(1), build.number(1), build.number(2)
    build.note(first, 1)
    build.note(second, 2)
    assert lib.aclrtActiveStream(last, second) == 0
    build.note(third, 3)
    assert lib.aclrtActiveStream(last, third) == 0
    assert lib.aclrtSwitchStream(value, EQUAL, one, INT32, third, None, first) == 0
    assert lib.aclrtSwitchStream(value, EQUAL, two, INT32, fourth, None, first) == 0
    build.note(first, "not taken")
    assert lib.aclrtActiveStream(second, fourth) == 0
    build.note(last, "last")
    build.end(last)
    assert build.run() == [1, 3, "last"]
    build.store(value, 2)
    assert build.run() == [1, 2, "last"]


def test_a_run_without_an_end_says_so(lib, build):
    stream, other = build.stream(), build.stream(DEFAULT)
    build.note(stream, 1)
    build.end(other)
    assert build.run() == RT_MODEL_EXECUTE
    assert "aclmdlRIEndTask" in text(lib)
    assert build.seen == [1]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (EQUAL, [0, 1, 0]),
        (NOT_EQUAL, [1, 0, 1]),
        (GREATER, [0, 0, 1]),
        (GREATER_OR_EQUAL, [0, 1, 1]),
        (LESS, [1, 0, 0]),
        (LESS_OR_EQUAL, [1, 1, 0]),
    ],
)
@pytest.mark.parametrize("kind", [INT32, INT64])
def test_conditions(lib, build, condition, expected, kind):
    stream, other = build.stream(), build.stream(DEFAULT)
    left, right = build.number(0, c_int64), build.number(-(2**31) + 1, c_int64)
    assert lib.aclrtSwitchStream(left, condition, right, kind, other, None, stream) == 0
    assert lib.aclrtActiveStream(other, stream) == 0
    build.note(stream, 0)
    build.end(other)
    values = [-(2**31), -(2**31) + 1, 5]
    for value, is_true in zip(values, expected, strict=True):
        build.store(left, value, c_int64)
        assert build.run() == ([] if is_true else [0])


def test_64_bits_count(lib, build):
    stream, other = build.stream(), build.stream(DEFAULT)
    left, right = build.number(2**32, c_int64), build.number(0, c_int64)
    assert lib.aclrtSwitchStream(left, EQUAL, right, INT64, other, None, stream) == 0
    build.note(stream, "differ")
    assert lib.aclrtSwitchStream(left, EQUAL, right, INT32, other, None, stream) == 0
    build.end(other)
    assert build.run() == ["differ"]


def test_streams_repeat_each_other(lib, build):
    """A loop of two streams: each begins from its start again."""
    body, again, last = build.stream(), build.stream(DEFAULT), build.stream(DEFAULT)
    count, limit = build.number(0), build.number(3)

    def increase():
        build.store(count, len([each for each in build.seen if each == "body"]))

    build.note(body, "body", increase)
    assert lib.aclrtSwitchStream(count, LESS, limit, INT32, again, None, body) == 0
    assert lib.aclrtActiveStream(last, body) == 0
    build.note(again, "again")
    assert lib.aclrtActiveStream(body, again) == 0
    build.end(last)
    assert build.run() == ["body", "again", "body", "again", "body"]


def test_a_stream_that_runs_cannot_begin(lib, build):
    stream = build.stream()
    assert lib.aclrtActiveStream(stream, stream) == 0
    build.end(stream)
    assert build.run() == RT_MODEL_EXECUTE
    assert "has not stopped" in text(lib)


def test_heads_run_beside_each_other(lib, build):
    """Each waits for the other, by means that nobody sees."""
    one, two = build.stream(), build.stream()
    meeting = threading.Barrier(2, timeout=30)
    build.note(one, 1, meeting.wait)
    build.note(two, 2, meeting.wait)
    build.end(one)
    assert sorted(build.run()) == [1, 2]


def test_events_order_streams_of_a_model(lib, build):
    one, two = build.stream(), build.stream()
    event = c_void_p()
    assert lib.aclrtCreateEventWithFlag(event, 1) == 0
    assert lib.aclrtStreamWaitEvent(two, event) == 0
    assert lib.aclrtResetEvent(event, two) == 0
    build.note(two, "second")
    build.note(one, "first")
    assert lib.aclrtRecordEvent(event, one) == 0
    build.end(two)
    for _ in range(20):
        assert build.run() == ["first", "second"]
    assert lib.aclrtDestroyEvent(event) == 0


def test_a_failure_is_the_running_streams(lib, build):
    stream, place = build.stream(), c_void_p()
    assert lib.aclrtMalloc(place, 64, 0) == 0
    assert lib.aclrtMemsetAsync(place, 64, 0, 64, stream) == 0
    build.note(stream, "goes on")
    build.end(stream)
    assert lib.aclrtFree(place) == 0
    assert build.run() == 507015
    assert build.seen == ["goes on"]


def test_abort_ends_the_run(lib, build):
    stream, event = build.stream(), c_void_p()
    assert lib.aclrtCreateEventWithFlag(event, 1) == 0
    begun = threading.Event()
    build.note(stream, 1, begun.set)
    assert lib.aclrtStreamWaitEvent(stream, event) == 0
    build.note(stream, "never")
    build.end(stream)
    assert lib.aclmdlRIAbort(build.model) == 0  # nothing runs
    assert lib.aclmdlRIExecuteAsync(build.model, build.runner) == 0
    assert begun.wait(30)
    assert lib.aclmdlRIAbort(build.model) == 0
    assert lib.aclrtSynchronizeStream(build.runner) == RT_MODEL_ABORT_NORMAL
    assert build.seen == [1]
    other = c_void_p()
    assert lib.aclrtCreateStream(other) == 0
    assert lib.aclrtRecordEvent(event, other) == 0
    build.seen.clear()
    assert lib.aclmdlRIExecuteAsync(build.model, other) == 0
    assert lib.aclrtSynchronizeStream(other) == 0
    assert build.seen == [1, "never"]
    assert lib.aclrtDestroyStream(other) == lib.aclrtDestroyEvent(event) == 0


def test_tasks_can_be_asked_and_left_out(lib, build):
    stream = build.stream()
    build.note(stream, 1)
    build.note(stream, 2)
    build.end(stream)
    tasks, count = (c_void_p * 8)(), c_uint32(8)
    assert lib.aclmdlRIGetTasksByStream(stream, tasks, byref(count)) == 0
    assert count.value == 3
    assert lib.aclmdlRITaskDisable(c_void_p(tasks[0])) == 0
    assert build.run() == [2]
    streams, number = (c_void_p * 2)(), c_uint32(2)
    assert lib.aclmdlRIGetStreams(build.model, streams, byref(number)) == 0
    assert (number.value, streams[0]) == (1, stream.value)


def test_what_a_model_may_lack(lib, build):
    stream = build.stream(DEFAULT)
    assert lib.aclmdlRIExecuteAsync(build.model, build.runner) == RT_MODEL_CAPTURED
    assert lib.aclmdlRIBuildEnd(build.model, None) == RT_STREAM_MODEL
    assert lib.aclmdlRIBuildEnd(build.model, stream) == INVALID_PARAM
    assert lib.aclmdlRIUnbindStream(build.model, stream) == 0
    assert lib.aclmdlRIUnbindStream(build.model, stream) == RT_STREAM_MODEL
    assert lib.aclmdlRIBindStream(build.model, stream, HEAD) == 0
    assert lib.aclmdlRIEndTask(build.model, stream) == 0
    assert lib.aclmdlRIEndTask(build.model, stream) == RT_INTERNAL_ERROR
    assert lib.aclmdlRIBuildEnd(build.model, None) == 0
    assert lib.aclmdlRIBuildEnd(build.model, None) == RT_PARAM_INVALID
    assert lib.aclmdlRIExecuteAsync(build.model, stream) == RT_STREAM_MODEL
    build.note(stream, "too late")
    assert lib.aclmdlRIExecuteAsync(build.model, build.runner) == RT_MODEL_EXECUTE
    assert "after aclmdlRIBuildEnd" in text(lib)
    assert lib.aclmdlRIUnbindStream(build.model, stream) == 0
    assert lib.aclmdlRIExecuteAsync(build.model, build.runner) == RT_STREAM_MODEL


def test_which_streams_can_be_bound(lib, build, stream):
    bind = lib.aclmdlRIBindStream
    assert bind(None, stream, HEAD) == INVALID_PARAM
    assert bind(c_void_p(77), stream, HEAD) == RT_INVALID_HANDLE
    assert bind(build.model, None, HEAD) == RT_PARAM_INVALID
    assert bind(build.model, c_void_p(77), HEAD) == RT_INVALID_HANDLE
    assert bind(build.model, stream, HEAD) == RT_PARAM_INVALID  # not persistent
    bound, free = build.stream(), build.stream(bound=False)
    assert bind(build.model, free, 1) == RT_PARAM_INVALID
    assert bind(build.model, bound, HEAD) == RT_STREAM_MODEL
    assert lib.aclmdlRIEndTask(build.model, free) == RT_INTERNAL_ERROR
    assert lib.aclrtDestroyStream(bound) == RT_STREAM_MODEL
    quick = c_void_p()
    assert lib.aclrtCreateStreamWithConfig(quick, 0, PERSISTENT | 1) == 0
    assert bind(build.model, quick, HEAD) == RT_FEATURE_NOT_SUPPORT
    assert lib.aclrtDestroyStream(quick) == 0
    assert lib.aclrtSetStreamFailureMode(free, 1) == 0
    assert bind(build.model, free, HEAD) == RT_FEATURE_NOT_SUPPORT
    assert lib.aclmdlRIBuildBegin(byref(c_void_p()), 1) == RT_PARAM_INVALID
    assert lib.aclmdlRIBuildBegin(None, 0) == INVALID_PARAM


def test_captured_graphs_are_no_models(lib, build, stream):
    assert lib.aclmdlRICaptureBegin(stream, RELAXED) == 0
    assert lib.aclmdlRIBindStream(build.model, stream, HEAD) == RT_STREAM_CAPTURED
    graph = c_void_p()
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == 0
    assert lib.aclmdlRIAbort(graph) == RT_PARAM_INVALID
    assert lib.aclmdlRIBuildEnd(graph, None) == RT_PARAM_INVALID
    assert lib.aclmdlRIDestroy(graph) == 0


def test_contexts(lib, build, in_thread):
    begin = lambda: lib.aclmdlRIBuildBegin(byref(c_void_p()), 0)  # noqa: E731
    assert in_thread(begin) == RT_CONTEXT_NULL
    own, other = c_void_p(), c_void_p()
    assert lib.aclrtGetCurrentContext(own) == 0
    assert lib.aclrtCreateContext(other, 0) == 0
    assert lib.aclmdlRIAbort(build.model) == RT_MODEL_CONTEXT
    assert lib.aclrtSetCurrentContext(own) == 0
    assert lib.aclrtDestroyContext(other) == 0


def test_jumps_want_streams_of_one_model(lib, build, stream):
    one, free, value = build.stream(), build.stream(bound=False), build.number(0)
    switch, active = lib.aclrtSwitchStream, lib.aclrtActiveStream
    assert active(None, one) == active(one, None) == INVALID_PARAM
    assert active(c_void_p(77), one) == active(one, c_void_p(77)) == RT_INVALID_HANDLE
    assert active(free, one) == active(one, free) == RT_STREAM_MODEL
    assert switch(None, 0, value, 0, one, None, one) == INVALID_PARAM
    assert switch(value, 0, value, 0, one, one, one) == INVALID_PARAM
    assert switch(value, 6, value, 0, one, None, one) == RT_PARAM_INVALID
    assert switch(value, 0, value, 2, one, None, one) == RT_PARAM_INVALID
    assert switch(c_void_p(64), 0, value, 0, one, None, one) == RT_PARAM_INVALID
    assert switch(value, 0, value, 0, free, None, one) == RT_STREAM_MODEL
    other = Building(lib)
    foreign = other.stream()
    assert active(foreign, one) == RT_STREAM_MODEL
    other.close()


def test_a_model_goes_with_its_runs_queued(lib, build):
    """Streams, labels and memory may be asked for while the last run goes on."""
    stream = build.stream()
    for number in range(50):
        build.note(stream, number)
    build.end(stream)
    for _ in range(10):
        assert lib.aclmdlRIExecuteAsync(build.model, build.runner) == 0
    assert lib.aclmdlRIDestroy(build.model) == 0
    assert lib.aclrtSynchronizeStream(build.runner) == 0
    assert build.seen == list(range(50)) * 10
