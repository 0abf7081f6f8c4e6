# SPDX-License-Identifier: Apache-2.0
"""Host functions that run on a thread of the program's choice."""

import ctypes
import threading
from ctypes import c_void_p

from c_library import (
    INVALID_PARAM,
    RT_INVALID_HANDLE,
    RT_PARAM_INVALID,
    RT_REPORT_TIMEOUT,
    RT_STREAM_SUBSCRIBE,
    RT_THREAD_SUBSCRIBE,
)

FUNCTION = ctypes.CFUNCTYPE(None, c_void_p)


def test_the_subscribed_thread_runs_them(lib, stream):
    seen, codes, ready = [], [], threading.Event()
    note = FUNCTION(lambda _: seen.append(threading.get_ident()))

    def serve():
        ready.wait(30)
        codes.extend(lib.aclrtProcessHostFunc(30000) for _ in range(2))

    thread = threading.Thread(target=serve)
    thread.start()
    assert lib.aclrtSubscribeHostFunc(thread.ident, stream) == 0
    assert lib.aclrtSubscribeHostFunc(thread.ident, stream) == RT_STREAM_SUBSCRIBE
    for _ in range(2):
        assert lib.aclrtLaunchHostFunc(stream, note, None) == 0
    ready.set()
    assert lib.aclrtSynchronizeStream(stream) == 0  # waits for the functions, too
    assert seen == [thread.ident] * 2
    thread.join(30)
    assert codes == [0, 0]
    assert lib.aclrtUnSubscribeHostFunc(1, stream) == RT_THREAD_SUBSCRIBE
    assert lib.aclrtUnSubscribeHostFunc(thread.ident, stream) == 0
    assert lib.aclrtUnSubscribeHostFunc(thread.ident, stream) == RT_STREAM_SUBSCRIBE
    assert lib.aclrtLaunchHostFunc(stream, note, None) == 0
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert len(seen) == 3
    assert seen[2] not in (thread.ident, threading.get_ident())


def test_callbacks_and_host_functions_have_their_own_threads(lib, stream):
    own = threading.get_ident()
    assert lib.aclrtSubscribeReport(own, stream) == 0
    assert lib.aclrtProcessHostFunc(10) == RT_THREAD_SUBSCRIBE
    assert lib.aclrtSubscribeHostFunc(own, stream) == 0
    assert lib.aclrtProcessHostFunc(10) == RT_REPORT_TIMEOUT
    assert lib.aclrtUnSubscribeReport(own, stream) == 0
    assert lib.aclrtProcessReport(10) == RT_THREAD_SUBSCRIBE
    assert lib.aclrtUnSubscribeHostFunc(own, stream) == 0


def test_a_stream_that_ends_lets_the_thread_go(lib, device):
    stream, codes = c_void_p(), []
    assert lib.aclrtCreateStream(stream) == 0
    begun = threading.Event()

    def serve():
        begun.set()
        codes.append(lib.aclrtProcessHostFunc(-1))

    thread = threading.Thread(target=serve)
    thread.start()
    assert lib.aclrtSubscribeHostFunc(thread.ident, stream) == 0
    assert begun.wait(30)
    assert lib.aclrtDestroyStream(stream) == 0
    thread.join(30)
    assert not thread.is_alive()
    assert codes in ([RT_REPORT_TIMEOUT], [RT_THREAD_SUBSCRIBE])


def test_bad_arguments(lib, device):
    for call in (lib.aclrtSubscribeHostFunc, lib.aclrtUnSubscribeHostFunc):
        assert call(1, None) == INVALID_PARAM
        assert call(1, c_void_p(77)) == RT_INVALID_HANDLE
    assert lib.aclrtProcessHostFunc(0) == RT_PARAM_INVALID
