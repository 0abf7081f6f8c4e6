# SPDX-License-Identifier: Apache-2.0
"""What captures and graphs refuse, in which mode and on which thread."""

from ctypes import byref, c_float, c_int, c_uint64, c_void_p

import pytest
from c_library import (
    ACLNN_RUNTIME_ERROR,
    INVALID_PARAM,
    RT_CAPTURE_DEPENDENCY,
    RT_CAPTURE_MODE_NOT_SUPPORT,
    RT_EVENT_CAPTURED,
    RT_FEATURE_NOT_SUPPORT,
    RT_INVALID_HANDLE,
    RT_MODEL_CAPTURED,
    RT_PARAM_INVALID,
    RT_STREAM_CAPTURE_IMPLICIT,
    RT_STREAM_CAPTURE_WRONG_THREAD,
    RT_STREAM_CAPTURED,
    RT_STREAM_NOT_CAPTURED,
    dims,
)
from capturing import DEVICE_TO_DEVICE, GLOBAL, RELAXED, SIZE, SYNC, THREAD_LOCAL, begin, end

from aclhost.acl import _capi


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
