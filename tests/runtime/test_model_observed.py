# SPDX-License-Identifier: Apache-2.0
"""What the timeline, strict mode and stress see of a model: the tasks that ran, in their order."""

import json
from pathlib import Path

import pytest
from support.interpreter import ended

from aclhost.building import toolkit

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from c_library import *
lib, kind = load(sys.argv[2]), sys.argv[3]
lib.aclInit(None)
lib.aclrtSetDevice(0)
runner, other, first, second, third, a, b, c, one, model = (c_void_p() for _ in range(10))
for each in (runner, other):
    lib.aclrtCreateStream(each)
for each in (first, second, third):
    lib.aclrtCreateStreamWithConfig(each, 0, 4)
for each in (a, b, c, one):
    lib.aclrtMalloc(each, 64, 0)
    assert lib.aclrtMemset(each, 64, 1, 64) == 0
lib.aclmdlRIBuildBegin(ctypes.byref(model), 0)
for each, flag in ((first, 0), (second, 0x7FFFFFFF), (third, 0x7FFFFFFF)):
    assert lib.aclmdlRIBindStream(model, each, flag) == 0
assert lib.aclrtMemsetAsync(a, 64, 2, 64, first) == 0
assert lib.aclrtSwitchStream(one, 0, one, 0, second, None, first) == 0
assert lib.aclrtMemcpyAsync(c, 64, a, 64, 3, first) == 0  # never runs
assert lib.aclrtActiveStream(third, second) == 0
assert lib.aclrtMemcpyAsync(b, 64, a, 64, 3, second) == 0
if kind == "inner race":
    assert lib.aclrtMemsetAsync(b, 64, 3, 64, third) == 0
assert lib.aclmdlRIEndTask(model, third) == 0
assert lib.aclmdlRIBuildEnd(model, None) == 0
for _ in range(3):
    assert lib.aclmdlRIExecuteAsync(model, runner) == 0
assert lib.aclrtMemsetAsync(b, 64, 4, 64, runner) == 0
if kind == "outer race":
    lib.aclrtMemsetAsync(b, 64, 5, 64, other)
for each in (runner, other):
    lib.aclrtSynchronizeStream(each)
lib.aclmdlRIDestroy(model)
for each in (a, b, c, one):
    assert lib.aclrtFree(each) == 0
for each in (runner, other, first, second, third):
    assert lib.aclrtDestroyStream(each) == 0
lib.aclrtResetDevice(0)
lib.aclFinalize()
"""


def run(kind, **environment):
    here, library = str(Path(__file__).parent), str(toolkit.library())
    done = ended(PROGRAM, here, library, kind, **environment)
    return done.returncode, done.stderr


def test_the_timeline_shows_the_tasks_that_ran(tmp_path):
    path = tmp_path / "trace.json"
    assert run("correct", ACLHOST_TRACE=str(path))[0] == 0
    events = json.loads(path.read_text())["traceEvents"]
    names = [e["name"] for e in events if e["tid"] >= 1000 and e["ph"] == "B"]
    assert names.count("aclmdlRIExecuteAsync") == 3
    assert names.count("aclrtMemcpyAsync") == 3
    assert names.count("aclrtMemsetAsync") == 3 + 1


@pytest.mark.parametrize("stress", ["", "1", "2"])
def test_strict_mode_knows_the_order_that_switches_make(stress):
    assert run("correct", ACLHOST_STRICT="1", ACLHOST_STRESS=stress) == (
        0,
        "aclhost strict: 0 findings\n",
    )


@pytest.mark.parametrize("kind", ["inner race", "outer race"])
def test_strict_mode_finds_races(kind):
    code, text = run(kind, ACLHOST_STRICT="1")
    assert code != 0
    assert "race: aclrtMem" in text


@pytest.mark.parametrize("variable", ["ACLHOST_STRESS", "ACLHOST_LAUNCH_BLOCKING"])
def test_other_schedules(variable):
    assert run("correct", **{variable: "1"})[0] == 0
