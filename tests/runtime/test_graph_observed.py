# SPDX-License-Identifier: Apache-2.0
"""What the timeline and strict mode see of a graph: each run, whole."""

import json
from pathlib import Path

from support.interpreter import ended

from aclhost.building import toolkit

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from c_library import *
lib = load(sys.argv[2])
lib.aclInit(None)
lib.aclrtSetDevice(0)
stream, other, a, b, graph = (c_void_p() for _ in range(5))
for each in (stream, other):
    lib.aclrtCreateStream(each)
for each in (a, b):
    lib.aclrtMalloc(each, 64, 0)
assert lib.aclmdlRICaptureBegin(stream, 2) == 0
assert lib.aclrtMemsetAsync(a, 64, 1, 64, stream) == 0
assert lib.aclrtMemcpyAsync(b, 64, a, 64, 3, stream) == 0
assert lib.aclmdlRICaptureEnd(stream, ctypes.byref(graph)) == 0
for _ in range(2):
    assert lib.aclrtSynchronizeStream(stream) == 0
    assert lib.aclmdlRIExecuteAsync(graph, stream) == 0
if sys.argv[3] == "race":
    lib.aclrtMemsetAsync(a, 64, 2, 64, other)
for each in (stream, other):
    lib.aclrtSynchronizeStream(each)
lib.aclmdlRIDestroy(graph)
for each in (a, b):
    lib.aclrtFree(each)
for each in (stream, other):
    lib.aclrtDestroyStream(each)
lib.aclrtResetDevice(0)
lib.aclFinalize()
"""


def run(kind, **environment):
    here, library = str(Path(__file__).parent), str(toolkit.library())
    done = ended(PROGRAM, here, library, kind, **environment)
    return done.returncode, done.stderr


def test_the_timeline_shows_a_run_as_one_group(tmp_path):
    path = tmp_path / "trace.json"
    assert run("correct", ACLHOST_TRACE=str(path))[0] == 0
    events = json.loads(path.read_text())["traceEvents"]
    streams = [(e["ph"], e["name"]) for e in events if e["tid"] >= 1000 and e["ph"] in "BE"]
    group = "aclmdlRIExecuteAsync"
    inside = [(p, name) for name in ("aclrtMemsetAsync", "aclrtMemcpyAsync") for p in "BE"]
    one = [("B", group), *inside, ("E", group)]
    assert [event for event in streams if event[1] != "aclrtRecordEvent"] == one * 2


def test_strict_mode_checks_every_run():
    assert run("correct", ACLHOST_STRICT="1")[0] == 0
    code, text = run("race", ACLHOST_STRICT="1")
    assert code != 0
    assert "race: aclrtMemsetAsync" in text
