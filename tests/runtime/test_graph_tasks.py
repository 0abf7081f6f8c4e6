# SPDX-License-Identifier: Apache-2.0
"""Tasks of a graph: looked at, left out, and exchanged in groups."""

from ctypes import byref, c_int, c_uint32, c_uint64, c_void_p

from c_library import (
    RT_INSUFFICIENT_INPUT_ARRAY,
    RT_INVALID_HANDLE,
    RT_PARAM_INVALID,
    RT_STREAM_NOT_CAPTURED,
    STREAM_TASK_GROUP_STATUS,
)
from capturing import EXTERNAL, Increment, begin, end, first_byte, run


def test_tasks_are_exchanged(lib, stream, other, memory):
    x = memory()
    increment, group, graph = Increment(x), c_void_p(), c_void_p()
    begin(lib, stream)
    increment.launch(stream, 100.0)
    assert lib.aclmdlRICaptureTaskGrpBegin(stream) == 0
    assert lib.aclmdlRICaptureTaskGrpBegin(stream) == STREAM_TASK_GROUP_STATUS
    increment.launch(stream, 1.0)
    assert lib.aclmdlRICaptureTaskGrpEnd(stream, byref(group)) == 0
    assert lib.aclmdlRICaptureTaskGrpEnd(stream, byref(group)) == STREAM_TASK_GROUP_STATUS
    graph = end(lib, stream)
    run(lib, graph, stream)
    assert increment.value() == 101

    assert lib.aclmdlRICaptureTaskUpdateBegin(other, group) == 0
    increment.launch(other, 20.0)
    assert lib.aclmdlRICaptureTaskUpdateEnd(other) == 0
    assert lib.aclrtSynchronizeStream(other) == 0
    assert increment.value() == 101
    run(lib, graph, stream)
    assert increment.value() == 221

    assert lib.aclmdlRICaptureTaskUpdateBegin(other, group) == 0
    assert lib.aclmdlRICaptureTaskUpdateEnd(other) == STREAM_TASK_GROUP_STATUS
    assert lib.aclmdlRIDestroy(graph) == 0
    assert lib.aclmdlRICaptureTaskUpdateBegin(other, group) == RT_INVALID_HANDLE


def test_groups_need_a_capture_and_an_end(lib, stream):
    group, graph = c_void_p(), c_void_p()
    assert lib.aclmdlRICaptureTaskGrpBegin(stream) == RT_STREAM_NOT_CAPTURED
    assert lib.aclmdlRICaptureTaskGrpEnd(stream, byref(group)) == RT_STREAM_NOT_CAPTURED
    assert lib.aclmdlRICaptureTaskUpdateEnd(stream) == STREAM_TASK_GROUP_STATUS
    begin(lib, stream)
    assert lib.aclmdlRICaptureTaskGrpBegin(stream) == 0
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == STREAM_TASK_GROUP_STATUS


def test_an_update_and_a_run_at_the_same_time(lib, stream, other, event, memory):
    """The graph waits, by an event from outside, for the update of a task."""
    x = memory()
    increment, group = Increment(x), c_void_p()
    updated = event(EXTERNAL, "aclrtCreateEventWithFlag")
    begin(lib, stream)
    assert lib.aclrtStreamWaitEvent(stream, updated) == 0
    assert lib.aclrtResetEvent(updated, stream) == 0
    assert lib.aclmdlRICaptureTaskGrpBegin(stream) == 0
    increment.launch(stream, 1.0)
    assert lib.aclmdlRICaptureTaskGrpEnd(stream, byref(group)) == 0
    graph = end(lib, stream)
    expected = 0
    for step in (2.0, 30.0):
        assert lib.aclmdlRIExecuteAsync(graph, stream) == 0
        assert lib.aclrtSynchronizeStreamWithTimeout(stream, 20) != 0
        assert lib.aclmdlRICaptureTaskUpdateBegin(other, group) == 0
        increment.launch(other, step)
        assert lib.aclmdlRICaptureTaskUpdateEnd(other) == 0
        assert lib.aclrtRecordEvent(updated, other) == 0
        assert lib.aclrtSynchronizeStream(stream) == 0
        expected += step
        assert increment.value() == expected
    assert lib.aclmdlRIDestroy(graph) == 0


def tasks_of(lib, stream):
    count = c_uint32()
    assert lib.aclmdlRIGetTasksByStream(stream, None, byref(count)) == 0
    tasks = (c_void_p * count.value)()
    assert lib.aclmdlRIGetTasksByStream(stream, tasks, byref(count)) == 0
    return [c_void_p(task) for task in tasks]


def test_tasks_can_be_looked_at_and_left_out(lib, stream, memory):
    x, flag = memory(), memory()
    increment = Increment(x)
    begin(lib, stream)
    increment.launch(stream, 1.0)
    increment.launch(stream, 10.0)
    assert lib.aclrtValueWrite(flag, 77, 0, stream) == 0
    graph = end(lib, stream)
    tasks = tasks_of(lib, stream)
    number, kind = c_uint32(), c_int()
    seen = []
    for task in tasks:
        assert lib.aclmdlRITaskGetSeqId(task, byref(number)) == 0
        assert lib.aclmdlRITaskGetType(task, byref(kind)) == 0
        seen.append((number.value, kind.value))
    assert seen == [(0, 1), (1, 1), (2, 5)]
    short = c_uint32(1)
    code = lib.aclmdlRIGetTasksByStream(stream, (c_void_p * 1)(), byref(short))
    assert (code, short.value) == (RT_INSUFFICIENT_INPUT_ARRAY, 3)

    params = (c_uint64 * 64)()
    assert lib.aclmdlRITaskGetParams(tasks[2], params) == 0
    at = 9  # words before the union: type, three reserved, group, operator's shapes, reserved
    assert params[0] & 0xFFFFFFFF == 5
    assert list(params[at : at + 2]) == [flag.value, 77]
    params[at + 1] = 78
    assert lib.aclmdlRITaskSetParams(tasks[2], params) == 0
    assert lib.aclmdlRITaskSetParams(tasks[0], params) == RT_PARAM_INVALID
    assert lib.aclmdlRITaskDisable(tasks[0]) == 0
    assert lib.aclmdlRIUpdate(graph) == 0
    run(lib, graph, stream)
    assert increment.value() == 10
    assert first_byte(lib, flag) == 78
    assert lib.aclmdlRIDestroy(graph) == 0
    assert lib.aclmdlRITaskDisable(tasks[1]) == RT_INVALID_HANDLE
