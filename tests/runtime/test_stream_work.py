# SPDX-License-Identifier: Apache-2.0
"""Streams with work in them: configuration, queries, timeouts, forced ends."""

from ctypes import c_int32, c_uint32, c_void_p

import pytest
from c_library import (
    INVALID_PARAM,
    RT_CONTEXT_NULL,
    RT_INVALID_HANDLE,
    RT_PARAM_INVALID,
    RT_STREAM_CONTEXT,
    RT_STREAM_SYNC_TIMEOUT,
    text,
)

COMPLETE, NOT_READY = 0, 1


def status_of(lib, stream):
    status = c_int32(-1)
    assert lib.aclrtStreamQuery(stream, status) == 0
    return status.value


@pytest.mark.parametrize(("given", "kept"), [(0, 0), (7, 7), (8, 7), (2**32 - 1, 7)])
def test_priorities_are_clamped(lib, device, given, kept):
    stream, priority = c_void_p(), c_uint32()
    assert lib.aclrtCreateStreamWithConfig(stream, given, 0) == 0
    assert lib.aclrtStreamGetPriority(stream, priority) == 0
    assert priority.value == kept
    assert lib.aclrtDestroyStream(stream) == 0


@pytest.mark.parametrize("flag", [0, 1, 2, 3, 4, 8, 0x10, 0x20, 0x2B])
def test_flags(lib, device, flag):
    stream, flags = c_void_p(), c_uint32(99)
    assert lib.aclrtCreateStreamWithConfig(stream, 0, flag) == 0
    assert lib.aclrtStreamGetFlags(stream, flags) == 0
    assert flags.value == flag
    assert lib.aclrtDestroyStream(stream) == 0


@pytest.mark.parametrize("flag", [0x40, 0x14, 0x24, 0x30, 2**31])
def test_flags_that_do_not_go_together(lib, device, flag):
    assert lib.aclrtCreateStreamWithConfig(c_void_p(), 0, flag) == RT_PARAM_INVALID
    assert "flag" in text(lib)


def test_config_arguments(lib, device, in_thread):
    assert lib.aclrtCreateStreamWithConfig(None, 0, 0) == INVALID_PARAM
    create = lib.aclrtCreateStreamWithConfig
    assert in_thread(lambda: create(c_void_p(), 0, 0)) == RT_CONTEXT_NULL


def test_query(lib, stream, gate):
    assert status_of(lib, stream) == NOT_READY
    gate.open()
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert status_of(lib, stream) == COMPLETE
    assert status_of(lib, None) == COMPLETE


def test_query_arguments(lib, stream, in_thread):
    assert lib.aclrtStreamQuery(stream, None) == INVALID_PARAM
    assert lib.aclrtStreamQuery(12345, c_int32()) == RT_INVALID_HANDLE
    assert in_thread(lambda: lib.aclrtStreamQuery(stream, c_int32())) == RT_CONTEXT_NULL


def test_ids_differ(lib, stream):
    first, second = c_int32(), c_int32()
    assert lib.aclrtStreamGetId(stream, first) == 0
    assert lib.aclrtStreamGetId(None, second) == 0
    assert first.value != second.value
    assert lib.aclrtStreamGetId(stream, None) == INVALID_PARAM


def test_timeout(lib, stream, gate):
    assert lib.aclrtSynchronizeStreamWithTimeout(stream, 1) == RT_STREAM_SYNC_TIMEOUT
    assert lib.aclrtSynchronizeDeviceWithTimeout(1) == RT_STREAM_SYNC_TIMEOUT
    gate.open()
    assert lib.aclrtSynchronizeStreamWithTimeout(stream, 60000) == 0
    assert lib.aclrtSynchronizeStreamWithTimeout(stream, -1) == 0
    assert lib.aclrtSynchronizeDeviceWithTimeout(60000) == 0
    assert lib.aclrtSynchronizeDeviceWithTimeout(-1) == 0


@pytest.mark.parametrize("timeout", [0, -2, -(2**31)])
def test_timeouts_that_are_none(lib, stream, timeout):
    assert lib.aclrtSynchronizeStreamWithTimeout(stream, timeout) == RT_PARAM_INVALID
    assert lib.aclrtSynchronizeDeviceWithTimeout(timeout) == RT_PARAM_INVALID


def test_timeout_arguments(lib, stream, in_thread):
    wait = lib.aclrtSynchronizeStreamWithTimeout
    assert wait(12345, 5) == RT_INVALID_HANDLE
    assert in_thread(lambda: wait(stream, 5)) == RT_CONTEXT_NULL
    assert in_thread(lambda: lib.aclrtSynchronizeDeviceWithTimeout(5)) == RT_CONTEXT_NULL


@pytest.mark.parametrize("flag", [0x4, 0x10, 0x20])
def test_some_streams_are_not_awaited(lib, device, flag):
    stream, event = c_void_p(), c_void_p()
    assert lib.aclrtCreateStreamWithConfig(stream, 0, flag) == 0
    assert lib.aclrtCreateEventWithFlag(event, 1) == 0
    assert lib.aclrtStreamWaitEvent(stream, event) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert lib.aclrtSynchronizeDevice() == 0
    assert lib.aclrtRecordEvent(event, None) == 0
    assert lib.aclrtDestroyStream(stream) == 0
    assert lib.aclrtDestroyEvent(event) == 0


def test_a_forced_end_does_not_wait(lib, device):
    stream, event = c_void_p(), c_void_p()
    assert lib.aclrtCreateStream(stream) == 0
    assert lib.aclrtCreateEventWithFlag(event, 1) == 0
    assert lib.aclrtStreamWaitEvent(stream, event) == 0
    assert lib.aclrtDestroyStreamForce(stream) == 0
    assert lib.aclrtDestroyStreamForce(stream) == RT_INVALID_HANDLE
    assert lib.aclrtRecordEvent(event, None) == 0
    assert lib.aclrtDestroyEvent(event) == 0


def test_forced_end_arguments(lib, stream):
    context = c_void_p()
    assert lib.aclrtDestroyStreamForce(None) == INVALID_PARAM
    assert lib.aclrtCreateContext(context, 0) == 0
    assert lib.aclrtDestroyStreamForce(stream) == RT_STREAM_CONTEXT
    assert lib.aclrtDestroyContext(context) == 0


def test_failure_mode_arguments(lib, stream):
    assert lib.aclrtSetStreamFailureMode(stream, 0) == 0
    assert lib.aclrtSetStreamFailureMode(stream, 1) == 0
    assert lib.aclrtSetStreamFailureMode(stream, 2) == RT_PARAM_INVALID
    assert lib.aclrtSetStreamFailureMode(None, 1) == INVALID_PARAM
    assert lib.aclrtSetStreamFailureMode(12345, 1) == RT_INVALID_HANDLE
