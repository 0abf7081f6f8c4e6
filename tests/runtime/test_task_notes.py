# SPDX-License-Identifier: Apache-2.0
"""What threads know of and say about the tasks that they gave last."""

import json
from ctypes import byref, c_uint32, c_void_p

from c_library import INVALID_PARAM, RT_PARAM_INVALID
from support.interpreter import said


def last(lib):
    number = c_uint32()
    assert lib.aclrtGetThreadLastTaskId(byref(number)) == 0
    return number.value


def test_tasks_of_a_thread_are_counted(lib, stream, memory, in_thread):
    place, before = memory(), last(lib)
    for _ in range(3):
        assert lib.aclrtMemsetAsync(place, 64, 0, 64, stream) == 0
    assert last(lib) == before + 3
    assert in_thread(lambda: last(lib)) == 0
    assert lib.aclrtGetThreadLastTaskId(None) == INVALID_PARAM


def test_notes_of_captured_tasks(lib, stream, memory, tmp_path):
    place, graph, note = memory(), c_void_p(), b'{"step":1}'
    assert lib.aclmdlRICaptureBegin(stream, 2) == 0
    for i in range(2):
        assert lib.aclrtMemsetAsync(place, 64, i, 64, stream) == 0
        assert last(lib) == i
    assert lib.aclrtCacheLastTaskExtendInfo(note, len(note)) == 0
    assert lib.aclmdlRICaptureEnd(stream, byref(graph)) == 0
    path = tmp_path / "graph.json"
    assert lib.aclmdlRIDebugJsonPrint(graph, str(path).encode(), 0) == 0
    events = json.loads(path.read_text())["traceEvents"][1:]
    assert [event["args"].get("ExtendInfo") for event in events] == [None, note.decode()]
    assert lib.aclmdlRIDestroy(graph) == 0
    assert lib.aclrtCacheLastTaskExtendInfo(note, len(note)) == RT_PARAM_INVALID
    assert lib.aclrtCacheLastTaskExtendInfo(None, 1) == INVALID_PARAM


def test_marks_are_checked(lib, stream):
    assert lib.aclrtProfTrace(b"x" * 18, 18, stream) == 0
    assert lib.aclrtProfTrace(b"x" * 19, 19, stream) == RT_PARAM_INVALID
    assert lib.aclrtProfTrace(None, 1, stream) == INVALID_PARAM
    assert lib.aclrtSynchronizeStream(stream) == 0


MARKS = """
import ctypes
from aclhost.acl import _capi
lib, stream = _capi.library(), ctypes.c_void_p()
assert lib.aclrtSetDevice(0) == lib.aclrtCreateStream(ctypes.byref(stream)) == 0
for mark in (b"step 7", bytes([1, 255])):
    assert lib.aclrtProfTrace(mark, len(mark), stream) == 0
assert lib.aclrtDestroyStream(stream) == lib.aclrtResetDevice(0) == 0
"""


def test_marks_are_in_the_timeline(tmp_path):
    path = tmp_path / "trace.json"
    said(MARKS, ACLHOST_TRACE=str(path))
    text = path.read_text()
    assert text.count("aclrtProfTrace") >= 2
    assert "step 7" in text
    assert "0x01ff" in text
