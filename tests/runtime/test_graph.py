# SPDX-License-Identifier: Apache-2.0
"""Graphs: what streams are given while they are captured runs later, as often as one likes."""

import ctypes
from ctypes import byref, c_void_p

from c_library import (
    RT_AICORE_EXCEPTION,
    RT_CAPTURE_MODE_BLOCK_ASYNC,
    RT_INVALID_HANDLE,
    RT_PARAM_INVALID,
)
from capturing import (
    GLOBAL,
    HOST_TO_DEVICE,
    SIZE,
    Increment,
    append,
    begin,
    copy,
    end,
    first_byte,
    run,
    set_byte,
)


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
