# SPDX-License-Identifier: Apache-2.0
"""Callbacks on a thread that asks for them, and functions on the stream's own thread."""

import ctypes
import threading
from ctypes import c_void_p

import pytest
from c_library import (
    INVALID_PARAM,
    RT_INVALID_HANDLE,
    RT_PARAM_INVALID,
    RT_REPORT_TIMEOUT,
    RT_STREAM_NO_CB_REG,
    RT_STREAM_SUBSCRIBE,
    RT_THREAD_SUBSCRIBE,
)

FUNCTION = ctypes.CFUNCTYPE(None, c_void_p)
NO_BLOCK, BLOCK = 0, 1


@pytest.fixture
def subscribed(lib, stream):
    """This very thread runs the callbacks of the stream."""
    me = threading.get_ident()
    assert lib.aclrtSubscribeReport(me, stream) == 0
    yield me
    lib.aclrtUnSubscribeReport(me, stream)


def test_host_functions_run_in_order(lib, stream):
    seen = []
    first, second = FUNCTION(seen.append), FUNCTION(lambda n: seen.append(-n))
    assert lib.aclrtLaunchHostFunc(stream, first, 1) == 0
    assert lib.aclrtLaunchHostFunc(stream, second, 2) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert seen == [1, -2]


def test_a_host_function_may_call_the_runtime(lib, stream):
    codes = []
    function = FUNCTION(lambda _: codes.append(lib.aclrtSetDevice(0)))
    assert lib.aclrtLaunchHostFunc(stream, function, None) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert codes == [0]
    assert lib.aclrtResetDevice(0) == 0


def test_the_subscribed_thread_runs_callbacks(lib, stream, subscribed):
    seen = []
    function = FUNCTION(lambda n: seen.append((n, threading.get_ident())))
    assert lib.aclrtLaunchCallback(function, 1, NO_BLOCK, stream) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert seen == []
    assert lib.aclrtProcessReport(60000) == 0
    assert seen == [(1, subscribed)]
    assert lib.aclrtProcessReport(1) == RT_REPORT_TIMEOUT


def test_a_blocking_callback_holds_the_stream(lib, stream, subscribed):
    function = FUNCTION(lambda _: None)
    assert lib.aclrtLaunchCallback(function, None, BLOCK, stream) == 0
    assert lib.aclrtSynchronizeStreamWithTimeout(stream, 1) == 507046
    assert lib.aclrtProcessReport(-1) == 0
    assert lib.aclrtSynchronizeStreamWithTimeout(stream, 60000) == 0


def test_unsubscribing_frees_the_stream(lib, stream, subscribed):
    function = FUNCTION(lambda _: None)
    assert lib.aclrtLaunchCallback(function, None, BLOCK, stream) == 0
    assert lib.aclrtUnSubscribeReport(subscribed, stream) == 0
    assert lib.aclrtSynchronizeStreamWithTimeout(stream, 60000) == 0


def test_wrong_orders(lib, stream, subscribed, in_thread):
    function = FUNCTION(lambda _: None)
    assert lib.aclrtSubscribeReport(subscribed, stream) == RT_STREAM_SUBSCRIBE
    assert lib.aclrtUnSubscribeReport(subscribed + 1, stream) == RT_THREAD_SUBSCRIBE
    assert in_thread(lambda: lib.aclrtProcessReport(5)) == RT_THREAD_SUBSCRIBE
    assert lib.aclrtLaunchCallback(function, None, NO_BLOCK, None) == RT_STREAM_NO_CB_REG
    assert lib.aclrtUnSubscribeReport(subscribed, stream) == 0
    assert lib.aclrtUnSubscribeReport(subscribed, stream) == RT_STREAM_SUBSCRIBE
    assert lib.aclrtProcessReport(5) == RT_THREAD_SUBSCRIBE


def test_bad_arguments(lib, stream, subscribed):
    function = FUNCTION(lambda _: None)
    assert lib.aclrtLaunchCallback(None, None, NO_BLOCK, stream) == INVALID_PARAM
    assert lib.aclrtLaunchCallback(function, None, 2, stream) == RT_PARAM_INVALID
    assert lib.aclrtLaunchCallback(function, None, NO_BLOCK, 12345) == RT_INVALID_HANDLE
    assert lib.aclrtLaunchHostFunc(stream, None, None) == INVALID_PARAM
    assert lib.aclrtLaunchHostFunc(12345, function, None) == RT_INVALID_HANDLE
    assert lib.aclrtSubscribeReport(1, 12345) == RT_INVALID_HANDLE
    assert lib.aclrtUnSubscribeReport(1, 12345) == RT_INVALID_HANDLE
    for timeout in (0, -2):
        assert lib.aclrtProcessReport(timeout) == RT_PARAM_INVALID


def test_a_subscription_ends_with_its_stream(lib, device):
    stream = c_void_p()
    assert lib.aclrtCreateStream(ctypes.byref(stream)) == 0
    assert lib.aclrtSubscribeReport(threading.get_ident(), stream) == 0
    assert lib.aclrtDestroyStream(stream) == 0
    assert lib.aclrtProcessReport(1) == RT_THREAD_SUBSCRIBE
