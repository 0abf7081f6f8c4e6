# SPDX-License-Identifier: Apache-2.0
"""What ends the work of streams early: abort, stop, and the abort of a device's tasks."""

import ctypes
import threading
import time
from ctypes import byref, c_int32, c_uint32, c_uint64, c_void_p

import pytest
from building import Building
from c_library import (
    RT_CONTEXT_NULL,
    RT_DEVICE_TASK_ABORT,
    RT_INTERNAL_ERROR,
    RT_INVALID_DEVICEID,
    RT_INVALID_HANDLE,
    RT_PARAM_INVALID,
    RT_STREAM_ABORT,
    RT_STREAM_CAPTURED,
    RT_STREAM_CONTEXT,
    RT_WAIT_TIMEOUT,
)

FUNCTION = ctypes.CFUNCTYPE(None, c_void_p)
TOLD = ctypes.CFUNCTYPE(c_int32, c_int32, ctypes.c_int, c_uint32, c_void_p)


@pytest.fixture
def memory(lib, device):
    place = c_void_p()
    assert lib.aclrtMalloc(place, 64, 0) == 0
    yield place
    assert lib.aclrtFree(place) == 0


def first_byte(lib, memory):
    seen = (ctypes.c_uint8 * 1)()
    assert lib.aclrtMemcpy(seen, 1, memory, 1, 2) == 0
    return seen[0]


def test_abort_drops_what_has_not_begun(lib, stream, memory, gate):
    never = FUNCTION(lambda _: pytest.fail("was dropped"))
    assert lib.aclrtMemsetAsync(memory, 64, 1, 64, stream) == 0
    assert lib.aclrtLaunchHostFunc(stream, never, None) == 0
    assert lib.aclrtStreamAbort(stream) == 0
    status = c_int32()
    assert lib.aclrtStreamQuery(stream, status) == 0
    assert status.value == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert first_byte(lib, memory) == 0
    assert lib.aclrtMemsetAsync(memory, 64, 2, 64, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert first_byte(lib, memory) == 2


def test_abort_lets_end_what_runs(lib, stream, memory):
    begun, may_end, ended = threading.Event(), threading.Event(), []

    def run(_):
        begun.set()
        may_end.wait(30)
        ended.append(True)

    function = FUNCTION(run)
    assert lib.aclrtLaunchHostFunc(stream, function, None) == 0
    assert lib.aclrtMemsetAsync(memory, 64, 1, 64, stream) == 0
    assert begun.wait(30)
    threading.Timer(0.1, may_end.set).start()
    assert lib.aclrtStreamAbort(stream) == 0
    assert ended == [True]
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert first_byte(lib, memory) == 0


@pytest.mark.parametrize("kind", ["stream", "timeout", "device"])
def test_who_waits_is_told(lib, stream, gate, in_thread, kind):
    calls = {
        "stream": lambda: lib.aclrtSynchronizeStream(stream),
        "timeout": lambda: lib.aclrtSynchronizeStreamWithTimeout(stream, 30000),
        "device": lib.aclrtSynchronizeDevice,
    }

    def wait():
        assert lib.aclrtSetDevice(0) == 0
        code = calls[kind]()
        lib.aclrtResetDevice(0)
        return code

    codes = []
    waiting = threading.Thread(target=lambda: codes.append(wait()))
    waiting.start()
    time.sleep(0.2)
    assert lib.aclrtStreamAbort(stream) == 0
    waiting.join(30)
    assert codes == [RT_STREAM_ABORT]
    assert lib.aclrtSynchronizeStream(stream) == 0


def test_events_in_a_dropped_stream(lib, stream, gate):
    """Others do not wait for ever; who synchronizes is told."""
    event, other, seen = c_void_p(), c_void_p(), []
    note = FUNCTION(lambda _: seen.append(True))
    assert lib.aclrtCreateEventExWithFlag(event, 1) == lib.aclrtCreateStream(other) == 0
    assert lib.aclrtRecordEvent(event, stream) == 0
    assert lib.aclrtStreamWaitEvent(other, event) == 0
    assert lib.aclrtLaunchHostFunc(other, note, None) == 0
    assert lib.aclrtStreamAbort(stream) == 0
    assert lib.aclrtSynchronizeStream(other) == 0
    assert seen == [True]
    assert lib.aclrtSynchronizeEvent(event) == RT_STREAM_ABORT
    assert lib.aclrtRecordEvent(event, stream) == 0
    assert lib.aclrtSynchronizeEvent(event) == 0
    assert lib.aclrtDestroyEvent(event) == lib.aclrtDestroyStream(other) == 0


@pytest.mark.parametrize("kind", ["event", "value", "notify"])
@pytest.mark.parametrize("end", ["aclrtStreamAbort", "aclrtStreamStop"])
def test_a_wait_under_way_ends(lib, stream, memory, kind, end):
    """Stopped, the stream goes on with its next task; aborted, it does not."""
    event, notify, seen = c_void_p(), c_void_p(), []
    note = FUNCTION(lambda _: seen.append(True))
    begun = threading.Event()
    begin = FUNCTION(lambda _: begun.set())
    assert lib.aclrtCreateEventWithFlag(event, 1) == 0
    assert lib.aclrtCreateNotify(byref(notify), c_uint64(0)) == 0
    assert lib.aclrtLaunchHostFunc(stream, begin, None) == 0
    if kind == "event":
        assert lib.aclrtStreamWaitEvent(stream, event) == 0
    elif kind == "value":
        assert lib.aclrtValueWait(memory, 1, 1, stream) == 0
    else:
        assert lib.aclrtWaitAndResetNotify(notify, stream, 0) == 0
    assert lib.aclrtLaunchHostFunc(stream, note, None) == 0
    assert begun.wait(30)
    time.sleep(0.1)
    assert getattr(lib, end)(stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert seen == ([] if end == "aclrtStreamAbort" else [True])
    assert lib.aclrtDestroyEvent(event) == lib.aclrtDestroyNotify(notify) == 0


def test_stop_of_an_idle_stream(lib, stream, memory):
    assert lib.aclrtStreamStop(stream) == 0
    assert lib.aclrtMemsetAsync(memory, 64, 3, 64, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert first_byte(lib, memory) == 3


def test_the_stream_that_runs_a_model(lib, stream):
    build = Building(lib)
    bound, begun = build.stream(), threading.Event()
    event = c_void_p()
    assert lib.aclrtCreateEventWithFlag(event, 1) == 0
    build.note(bound, 1, begun.set)
    assert lib.aclrtStreamWaitEvent(bound, event) == 0
    build.note(bound, "never")
    build.end(bound)
    assert lib.aclrtStreamAbort(bound) == lib.aclrtStreamStop(bound) == RT_INTERNAL_ERROR
    assert lib.aclmdlRIExecuteAsync(build.model, stream) == 0
    assert begun.wait(30)
    assert lib.aclrtStreamAbort(stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert build.seen == [1]
    build.close()
    assert lib.aclrtDestroyEvent(event) == 0


def test_a_device_drops_the_tasks_of_all_streams(lib, stream, memory, gate):
    other, stages = c_void_p(), []

    def told(device, stage, timeout, data):
        stages.append((device, stage, timeout <= 30000, data))
        return 0

    function = TOLD(told)
    assert lib.aclrtSetDeviceTaskAbortCallback(b"test", function, c_void_p(7)) == 0
    assert lib.aclrtCreateStream(other) == 0
    for each in (stream, other):
        assert lib.aclrtStreamWaitEvent(each, gate.event) == 0
        assert lib.aclrtMemsetAsync(memory, 64, 1, 64, each) == 0
    codes = []

    def wait():
        assert lib.aclrtSetDevice(0) == 0
        codes.append(lib.aclrtSynchronizeStream(other))
        lib.aclrtResetDevice(0)

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.2)
    assert lib.aclrtDeviceTaskAbort(0, 30000) == 0
    waiting.join(30)
    assert codes == [RT_DEVICE_TASK_ABORT]
    assert stages == [(0, 0, True, 7), (0, 1, True, 7)]
    assert lib.aclrtSynchronizeDevice() == 0
    assert first_byte(lib, memory) == 0
    assert lib.aclrtSetDeviceTaskAbortCallback(b"test", TOLD(0), None) == 0
    assert lib.aclrtDestroyStream(other) == 0


def test_a_device_forgets_failures(lib, stream, memory):
    place = c_void_p()
    assert lib.aclrtMalloc(place, 64, 0) == 0
    assert lib.aclmdlRICaptureBegin(stream, 2) == 0
    assert lib.aclrtMemsetAsync(place, 64, 1, 64, stream) == 0
    graph = c_void_p()
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == 0
    assert lib.aclrtFree(place) == 0
    assert lib.aclmdlRIExecuteAsync(graph, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 507015
    assert lib.aclrtStreamAbort(stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 507015
    assert lib.aclrtDeviceTaskAbort(0, 0) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert lib.aclmdlRIDestroy(graph) == 0


def test_the_abort_of_a_device_fails(lib, stream):
    failing = TOLD(lambda *_: 4711)
    assert lib.aclrtSetDeviceTaskAbortCallback(b"test", failing, None) == 0
    assert lib.aclrtDeviceTaskAbort(0, 0) == 4711
    assert lib.aclrtSetDeviceTaskAbortCallback(b"test", TOLD(0), None) == 0
    may_end = threading.Event()
    function = FUNCTION(lambda _: may_end.wait(30))
    assert lib.aclrtLaunchHostFunc(stream, function, None) == 0
    time.sleep(0.1)
    assert lib.aclrtDeviceTaskAbort(0, 100) == RT_WAIT_TIMEOUT
    may_end.set()
    assert lib.aclrtDeviceTaskAbort(1, 0) == RT_INVALID_DEVICEID
    assert lib.aclrtDeviceTaskAbort(0, 36 * 60 * 1000 + 1) == RT_PARAM_INVALID


def test_streams_that_cannot_be_aborted(lib, stream, in_thread):
    assert lib.aclrtStreamAbort(None) == 0
    assert lib.aclrtStreamStop(None) == RT_PARAM_INVALID
    for call in (lib.aclrtStreamAbort, lib.aclrtStreamStop):
        assert call(c_void_p(77)) == RT_INVALID_HANDLE
        assert in_thread(lambda c=call: c(stream)) == RT_CONTEXT_NULL
        assert lib.aclmdlRICaptureBegin(stream, 2) == 0
        assert call(stream) == RT_STREAM_CAPTURED
        graph = c_void_p()
        assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == lib.aclmdlRIDestroy(graph) == 0
    own, other = c_void_p(), c_void_p()
    assert lib.aclrtGetCurrentContext(own) == lib.aclrtCreateContext(other, 0) == 0
    assert lib.aclrtStreamAbort(stream) == RT_STREAM_CONTEXT
    assert lib.aclrtSetCurrentContext(own) == lib.aclrtDestroyContext(other) == 0
