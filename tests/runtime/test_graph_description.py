# SPDX-License-Identifier: Apache-2.0
"""Names, numbers and streams of a graph, its JSON, and functions for its end."""

import ctypes
import json
from ctypes import byref, c_uint32, c_void_p

from c_library import RT_PARAM_INVALID
from capturing import Increment, append, begin, end, fork_and_join


def test_names_numbers_and_streams(lib, stream, other, event):
    fork_and_join(lib, stream, other, event, lambda: None)
    graph = end(lib, stream)
    name, ids = ctypes.create_string_buffer(8), [c_uint32(), c_uint32()]
    assert lib.aclmdlRIGetName(graph, 8, name) == 0
    assert name.value == b""
    assert lib.aclmdlRISetName(graph, b"prefill step") == 0
    assert lib.aclmdlRIGetName(graph, 8, name) == 0
    assert name.value == b"prefill"
    assert lib.aclmdlRIGetName(graph, 0, name) == RT_PARAM_INVALID
    begin(lib, stream)
    second = end(lib, stream)
    for each, number in zip((graph, second), ids, strict=True):
        assert lib.aclmdlRIGetId(each, byref(number)) == 0
    assert ids[0].value != ids[1].value
    count, streams = c_uint32(2), (c_void_p * 2)()
    assert lib.aclmdlRIGetStreams(graph, streams, byref(count)) == 0
    assert (count.value, list(streams)) == (2, [stream.value, other.value])
    for each in (graph, second):
        assert lib.aclmdlRIDestroy(each) == 0


def test_functions_for_the_end_of_a_graph(lib, stream):
    seen = []
    kept, dropped = append(seen, "kept"), append(seen, "dropped")
    begin(lib, stream)
    graph = end(lib, stream)
    assert lib.aclmdlRIDestroyRegisterCallback(graph, kept, None) == 0
    assert lib.aclmdlRIDestroyRegisterCallback(graph, dropped, None) == 0
    assert lib.aclmdlRIDestroyUnregisterCallback(graph, dropped) == 0
    assert lib.aclmdlRIDestroyUnregisterCallback(graph, dropped) == RT_PARAM_INVALID
    assert lib.aclmdlRIDestroy(graph) == 0
    assert seen == ["kept"]


def test_a_graph_is_written_as_json(lib, stream, other, event, memory, tmp_path):
    x = memory()
    fork_and_join(lib, stream, other, event, lambda: Increment(x).launch(other))
    graph = end(lib, stream)
    assert lib.aclmdlRISetName(graph, b'a "graph"\n') == 0
    path = tmp_path / "graph.json"
    assert lib.aclmdlRIDebugPrint(graph) == 0
    assert lib.aclmdlRIDebugJsonPrint(graph, str(path).encode(), 1) == 0
    head, *tasks = json.loads(path.read_text())["traceEvents"]
    assert head["args"]["name"] == 'graph a "graph"\n'
    assert [task["name"] for task in tasks] == [
        "aclrtRecordEvent", "aclrtStreamWaitEvent", "aclnnInplaceAdds", "aclrtRecordEvent",
        "aclrtStreamWaitEvent",
    ]  # fmt: skip
    assert "FLOAT" in tasks[2]["args"]["ExtendInfo"]
    assert tasks[2]["args"]["Task Type"] == "KERNEL"
    assert len({task["tid"] for task in tasks}) == 2
    assert lib.aclmdlRIDebugJsonPrint(graph, str(tmp_path / "no" / "x").encode(), 0) == 107009
    assert lib.aclmdlRIDestroy(graph) == 0
