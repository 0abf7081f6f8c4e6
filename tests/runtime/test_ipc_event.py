# SPDX-License-Identifier: Apache-2.0
"""Events that streams of several processes record and wait for."""

import ctypes
import subprocess
import sys
import threading
from ctypes import byref, c_int32, c_void_p
from pathlib import Path

import pytest
from building import Building
from c_library import (
    INVALID_PARAM,
    RT_CONTEXT_NULL,
    RT_EVENT_SYNC_TIMEOUT,
    RT_FEATURE_NOT_SUPPORT,
    RT_INVALID_HANDLE,
    RT_PARAM_INVALID,
    RT_WAIT_TIMEOUT,
)

from aclhost.building import toolkit

IPC, SYNC = 0x40, 1


class Handle(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_ubyte * 64),)


OTHER = """
import ctypes, sys
sys.path.insert(0, sys.argv[1])
from c_library import *
class Handle(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_ubyte * 64),)
lib = load(sys.argv[2])
lib.aclrtIpcOpenEventHandle.argtypes = [Handle, c_void_p]
assert lib.aclrtSetDevice(0) == 0
stream, event, status = c_void_p(), c_void_p(), c_int32()
assert lib.aclrtCreateStream(stream) == 0
handle = Handle.from_buffer_copy(bytes.fromhex(sys.argv[3]))
assert lib.aclrtIpcOpenEventHandle(handle, ctypes.byref(event)) == 0
assert lib.aclrtQueryEventStatus(event, status) == 0
print("before", status.value, flush=True)
assert lib.aclrtStreamWaitEvent(stream, event) == 0
assert lib.aclrtSynchronizeStream(stream) == 0
print("awaited", flush=True)
sys.stdin.readline()
assert lib.aclrtRecordEvent(event, stream) == lib.aclrtSynchronizeEvent(event) == 0
print("recorded", flush=True)
assert lib.aclrtDestroyEvent(event) == 0
"""


@pytest.fixture
def event(lib, device):
    made = c_void_p()
    lib.aclrtIpcOpenEventHandle.argtypes = [Handle, c_void_p]
    assert lib.aclrtCreateEventExWithFlag(made, IPC) == 0
    yield made
    assert lib.aclrtDestroyEvent(made) == 0


def handle_of(lib, event):
    handle = Handle()
    assert lib.aclrtIpcGetEventHandle(event, byref(handle)) == 0
    return handle


def status_of(lib, event):
    status = c_int32()
    assert lib.aclrtQueryEventStatus(event, status) == 0
    return status.value


def test_two_processes(lib, event, stream, gate):
    """One waits for what the other has queued and not done, and answers."""
    assert lib.aclrtRecordEvent(event, stream) == 0
    assert status_of(lib, event) == 0
    key = bytes(handle_of(lib, event)).hex()
    command = [sys.executable, "-c", OTHER, str(Path(__file__).parent), str(toolkit.library()), key]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as other:
        assert other.stdout.readline() == "before 0\n"
        gate.open()
        assert other.stdout.readline() == "awaited\n"
        assert status_of(lib, event) == 1
        other.stdin.write("go\n")
        other.stdin.flush()
        assert other.stdout.readline() == "recorded\n"
        assert lib.aclrtSynchronizeEventWithTimeout(event, 30000) == 0
        assert other.wait(30) == 0


def test_a_handle_of_a_process_that_has_ended(lib, event, stream):
    key = bytes(handle_of(lib, event))
    assert lib.aclrtDestroyEvent(event) == 0  # its word may be another event's now
    assert lib.aclrtCreateEventExWithFlag(event, IPC) == 0
    unknown = Handle.from_buffer_copy(key.replace(b"-", b"_"))
    assert lib.aclrtIpcOpenEventHandle(unknown, byref(c_void_p())) == RT_PARAM_INVALID
    assert lib.aclrtIpcOpenEventHandle(Handle(), byref(c_void_p())) == RT_PARAM_INVALID
    full = Handle.from_buffer_copy(b"a" * 64)
    assert lib.aclrtIpcOpenEventHandle(full, byref(c_void_p())) == RT_PARAM_INVALID


def test_records_and_waits_in_one_process(lib, event, stream, gate):
    """A second event of the same handle is the same."""
    again, other, waiting = c_void_p(), c_void_p(), c_int32()
    assert lib.aclrtIpcOpenEventHandle(handle_of(lib, event), byref(again)) == 0
    assert lib.aclrtCreateStream(other) == 0
    assert lib.aclrtStreamWaitEvent(other, again) == 0  # nothing is recorded
    assert lib.aclrtSynchronizeStream(other) == 0
    assert lib.aclrtRecordEvent(event, stream) == 0
    assert lib.aclrtStreamWaitEvent(other, again) == 0
    assert lib.aclrtQueryEventWaitStatus(again, waiting) == 0
    assert waiting.value == 1
    assert lib.aclrtSynchronizeEventWithTimeout(again, 20) == RT_EVENT_SYNC_TIMEOUT
    threading.Timer(0.1, gate.open).start()
    assert lib.aclrtSynchronizeStream(other) == 0
    assert (status_of(lib, event), status_of(lib, again)) == (1, 1)
    assert lib.aclrtSynchronizeEvent(again) == 0
    assert lib.aclrtDestroyEvent(again) == lib.aclrtDestroyStream(other) == 0


def test_many_records(lib, event, stream):
    """More than the counts of a shared word can tell apart."""
    for _ in range(70000):
        assert lib.aclrtRecordEvent(event, stream) == 0
    assert lib.aclrtSynchronizeEvent(event) == 0
    assert status_of(lib, event) == 1


def test_a_wait_with_a_limit(lib, event, stream, gate):
    other = c_void_p()
    assert lib.aclrtCreateStream(other) == 0
    assert lib.aclrtRecordEvent(event, stream) == 0
    assert lib.aclrtStreamWaitEventWithTimeout(other, event, 1) == 0
    assert lib.aclrtSynchronizeStream(other) == RT_WAIT_TIMEOUT
    assert lib.aclrtDestroyStream(other) == 0


def test_in_models_and_captures(lib, event, stream):
    build = Building(lib)
    bound = build.stream()
    build.note(bound, 1)
    assert lib.aclrtRecordEvent(event, bound) == 0
    assert lib.aclrtStreamWaitEvent(bound, event) == 0
    build.end(bound)
    assert build.run() == build.run() == [1]
    build.close()
    assert lib.aclmdlRICaptureBegin(stream, 2) == 0
    assert lib.aclrtRecordEvent(event, stream) == RT_FEATURE_NOT_SUPPORT
    assert lib.aclrtStreamWaitEvent(stream, event) == RT_FEATURE_NOT_SUPPORT
    graph = c_void_p()
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == lib.aclmdlRIDestroy(graph) == 0


def test_bad_arguments(lib, event, in_thread):
    get, handle, plain = lib.aclrtIpcGetEventHandle, Handle(), c_void_p()
    assert get(None, byref(handle)) == get(event, None) == INVALID_PARAM
    assert get(c_void_p(77), byref(handle)) == RT_INVALID_HANDLE
    assert lib.aclrtCreateEventExWithFlag(plain, SYNC) == 0
    assert get(plain, byref(handle)) == RT_PARAM_INVALID
    assert lib.aclrtDestroyEvent(plain) == 0
    assert get(event, byref(handle)) == 0
    assert lib.aclrtIpcOpenEventHandle(handle, None) == INVALID_PARAM
    assert in_thread(lambda: lib.aclrtIpcOpenEventHandle(handle, byref(plain))) == RT_CONTEXT_NULL
