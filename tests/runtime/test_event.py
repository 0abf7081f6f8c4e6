# SPDX-License-Identifier: Apache-2.0
"""The three kinds of events: what they are before a record, and what waits for them."""

from ctypes import c_float, c_int32, c_uint64, c_void_p

import pytest
from c_library import (
    INVALID_PARAM,
    RT_CONTEXT_NULL,
    RT_EVENT_SYNC_TIMEOUT,
    RT_EVENT_TIMESTAMP_INVALID,
    RT_FEATURE_NOT_SUPPORT,
    RT_INTERNAL_ERROR,
    RT_INVALID_HANDLE,
    RT_PARAM_INVALID,
    text,
)

SYNC, TIME_LINE = 1, 8
KINDS = {
    "plain": lambda lib, event: lib.aclrtCreateEvent(event),
    "sync": lambda lib, event: lib.aclrtCreateEventWithFlag(event, SYNC),
    "time": lambda lib, event: lib.aclrtCreateEventWithFlag(event, TIME_LINE),
    "ex": lambda lib, event: lib.aclrtCreateEventExWithFlag(event, TIME_LINE),
}


@pytest.fixture
def make(lib, device):
    made = []

    def create(kind):
        event = c_void_p()
        assert KINDS[kind](lib, event) == 0
        made.append(event)
        return event

    yield create
    for event in made:
        lib.aclrtDestroyEvent(event)


def old_status(lib, event):
    status = c_int32(-1)
    assert lib.aclrtQueryEvent(event, status) == 0
    return {0: "complete", 1: "not ready"}[status.value]


def new_status(lib, event):
    status = c_int32(-1)
    assert lib.aclrtQueryEventStatus(event, status) == 0
    return {0: "not ready", 1: "complete"}[status.value]


@pytest.mark.parametrize("kind", KINDS)
def test_never_recorded(lib, make, kind):
    event = make(kind)
    assert lib.aclrtSynchronizeEvent(event) == 0
    assert lib.aclrtSynchronizeEventWithTimeout(event, 5) == 0
    assert new_status(lib, event) == ("complete" if kind == "ex" else "not ready")
    if kind == "ex":
        assert lib.aclrtQueryEvent(event, c_int32()) == RT_FEATURE_NOT_SUPPORT
    else:
        assert old_status(lib, event) == "complete"


@pytest.mark.parametrize(
    ("kind", "code"), [("plain", RT_PARAM_INVALID), ("time", RT_PARAM_INVALID), ("ex", 0)]
)
def test_waiting_for_what_was_never_recorded(lib, make, stream, kind, code):
    assert lib.aclrtStreamWaitEvent(stream, make(kind)) == code
    assert lib.aclrtSynchronizeStreamWithTimeout(stream, 60000) == 0


def test_a_sync_event_holds_a_stream_until_it_is_recorded(lib, make, stream):
    event, status = make("sync"), c_int32(-1)
    assert lib.aclrtStreamWaitEvent(stream, event) == 0
    assert lib.aclrtStreamQuery(stream, status) == 0
    assert status.value == 1
    assert lib.aclrtRecordEvent(event, None) == 0
    assert lib.aclrtSynchronizeStreamWithTimeout(stream, 60000) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_marks_the_work_before_it(lib, make, stream, gate, kind):
    event = make(kind)
    assert lib.aclrtRecordEvent(event, stream) == 0
    assert new_status(lib, event) == "not ready"
    if kind != "ex":
        assert old_status(lib, event) == "not ready"
    assert lib.aclrtSynchronizeEventWithTimeout(event, 1) == RT_EVENT_SYNC_TIMEOUT
    gate.open()
    assert lib.aclrtSynchronizeEvent(event) == 0
    assert new_status(lib, event) == "complete"


@pytest.mark.parametrize("kind", KINDS)
def test_streams_wait(lib, make, stream, gate, kind):
    event, later, other, status = make(kind), make("plain"), c_void_p(), c_int32(-1)
    assert lib.aclrtCreateStream(other) == 0
    assert lib.aclrtRecordEvent(event, stream) == 0
    assert lib.aclrtStreamWaitEvent(other, event) == 0
    assert lib.aclrtRecordEvent(later, other) == 0
    assert lib.aclrtQueryEventWaitStatus(event, status) == 0
    assert status.value == 1
    assert lib.aclrtSynchronizeEventWithTimeout(later, 1) == RT_EVENT_SYNC_TIMEOUT
    gate.open()
    assert lib.aclrtSynchronizeEventWithTimeout(later, 60000) == 0
    assert lib.aclrtQueryEventWaitStatus(event, status) == 0
    assert status.value == 0
    assert lib.aclrtDestroyStream(other) == 0


def test_a_wait_is_for_the_record_before_it(lib, make, stream, gate):
    event = make("plain")
    assert lib.aclrtRecordEvent(event, None) == 0
    assert lib.aclrtStreamWaitEvent(None, event) == 0
    assert lib.aclrtRecordEvent(event, stream) == 0
    assert lib.aclrtSynchronizeStreamWithTimeout(None, 60000) == 0
    assert new_status(lib, event) == "not ready"


def test_a_pending_event_may_be_destroyed(lib, make, stream, gate):
    event = make("plain")
    assert lib.aclrtRecordEvent(event, stream) == 0
    assert lib.aclrtStreamWaitEvent(None, event) == 0
    assert lib.aclrtDestroyEvent(event) == 0
    assert lib.aclrtDestroyEvent(event) == RT_INVALID_HANDLE
    gate.open()
    assert lib.aclrtSynchronizeStreamWithTimeout(None, 60000) == 0


def test_reset(lib, make, stream):
    event, status = make("sync"), c_int32(-1)
    assert lib.aclrtRecordEvent(event, stream) == 0
    assert lib.aclrtStreamWaitEvent(stream, event) == 0
    assert lib.aclrtResetEvent(event, stream) == 0
    assert lib.aclrtSynchronizeStreamWithTimeout(stream, 60000) == 0
    assert new_status(lib, event) == "not ready"
    assert lib.aclrtStreamWaitEvent(stream, event) == 0
    assert lib.aclrtStreamQuery(stream, status) == 0
    assert status.value == 1
    assert lib.aclrtRecordEvent(event, None) == 0
    assert lib.aclrtSynchronizeStreamWithTimeout(stream, 60000) == 0


@pytest.mark.parametrize("kind", ["plain", "time", "ex"])
def test_only_sync_events_reset(lib, make, stream, kind):
    assert lib.aclrtResetEvent(make(kind), stream) == RT_FEATURE_NOT_SUPPORT


@pytest.mark.parametrize("kind", ["plain", "time", "ex"])
def test_elapsed_time(lib, make, stream, kind):
    start, end, ms = make(kind), make(kind), c_float(-1)
    assert lib.aclrtRecordEvent(start, stream) == 0
    assert lib.aclrtRecordEvent(end, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert lib.aclrtEventElapsedTime(ms, start, end) == 0
    assert ms.value >= 0
    stamps = c_uint64(), c_uint64()
    assert lib.aclrtEventGetTimestamp(start, stamps[0]) == 0
    assert lib.aclrtEventGetTimestamp(end, stamps[1]) == 0
    assert stamps[0].value <= stamps[1].value


def test_elapsed_time_of_what_has_none(lib, make, stream, gate):
    plain, sync, ms = make("plain"), make("sync"), c_float()
    elapsed = lib.aclrtEventElapsedTime
    assert elapsed(ms, plain, plain) == RT_INTERNAL_ERROR
    assert lib.aclrtRecordEvent(sync, None) == 0
    assert elapsed(ms, sync, sync) == RT_EVENT_TIMESTAMP_INVALID
    assert lib.aclrtRecordEvent(plain, stream) == 0
    assert elapsed(ms, plain, plain) == RT_EVENT_TIMESTAMP_INVALID
    assert "not happened" in text(lib)
    assert elapsed(None, plain, plain) == INVALID_PARAM
    assert elapsed(ms, None, plain) == INVALID_PARAM
    assert elapsed(ms, plain, None) == INVALID_PARAM
    assert elapsed(ms, plain, 12345) in (RT_INVALID_HANDLE, RT_EVENT_TIMESTAMP_INVALID)
    assert lib.aclrtEventGetTimestamp(plain, None) == INVALID_PARAM
    assert lib.aclrtEventGetTimestamp(None, c_uint64()) == INVALID_PARAM


@pytest.mark.parametrize("flag", [1, 2, 4, 8, 0xF, 0x10, 0x20])
def test_flags(lib, device, flag):
    event = c_void_p()
    assert lib.aclrtCreateEventWithFlag(event, flag) == 0
    assert lib.aclrtDestroyEvent(event) == 0


@pytest.mark.parametrize("flag", [0, 0x11, 0x22, 0x30, 0x40, 0x80, 2**31])
def test_bad_flags(lib, device, flag):
    assert lib.aclrtCreateEventWithFlag(c_void_p(), flag) == RT_PARAM_INVALID


@pytest.mark.parametrize(
    ("flag", "code"),
    [(0, 0), (1, 0), (9, 0), (0x40, 0), (0x41, RT_PARAM_INVALID), (0x10, RT_PARAM_INVALID)],
)
def test_ex_flags(lib, device, flag, code):
    event = c_void_p()
    assert lib.aclrtCreateEventExWithFlag(event, flag) == code
    if code == 0:
        assert lib.aclrtDestroyEvent(event) == 0


def test_bad_handles(lib, stream):
    for bad, code in ((None, INVALID_PARAM), (12345, RT_INVALID_HANDLE), (stream, 107017)):
        assert lib.aclrtDestroyEvent(bad) == code
        assert lib.aclrtRecordEvent(bad, stream) == code
        assert lib.aclrtResetEvent(bad, stream) == code
        assert lib.aclrtStreamWaitEvent(stream, bad) == code
        assert lib.aclrtSynchronizeEvent(bad) == code
        assert lib.aclrtSynchronizeEventWithTimeout(bad, 5) == code
        assert lib.aclrtQueryEvent(bad, c_int32()) == code
        assert lib.aclrtQueryEventStatus(bad, c_int32()) == code
        assert lib.aclrtQueryEventWaitStatus(bad, c_int32()) == code


def test_bad_arguments(lib, make, in_thread):
    event = make("plain")
    assert lib.aclrtRecordEvent(event, 12345) == RT_INVALID_HANDLE
    assert lib.aclrtStreamWaitEvent(12345, event) == RT_INVALID_HANDLE
    assert lib.aclrtQueryEvent(event, None) == INVALID_PARAM
    assert lib.aclrtQueryEventStatus(event, None) == INVALID_PARAM
    assert lib.aclrtQueryEventWaitStatus(event, None) == INVALID_PARAM
    for timeout in (0, -2):
        assert lib.aclrtSynchronizeEventWithTimeout(event, timeout) == RT_PARAM_INVALID
    assert lib.aclrtCreateEvent(None) == INVALID_PARAM
    assert lib.aclrtCreateEventWithFlag(None, 1) == INVALID_PARAM
    assert lib.aclrtCreateEventExWithFlag(None, 1) == INVALID_PARAM
    assert in_thread(lambda: lib.aclrtCreateEvent(c_void_p())) == RT_CONTEXT_NULL
    assert in_thread(lambda: lib.aclrtRecordEvent(event, None)) == RT_CONTEXT_NULL
