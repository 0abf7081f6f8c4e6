# SPDX-License-Identifier: Apache-2.0
"""The timeline: valid, complete, and with the numbers that viewers can read."""

import json
import sys
import sysconfig
from collections import defaultdict
from pathlib import Path

import pytest
from support.programs import clean_environment, run

from aclhost.building import toolkit

ROOT = Path(__file__).parents[2]
ACLHOST = Path(sysconfig.get_path("scripts")) / "aclhost"

PROGRAM = r"""
#include "client.h"

int main() {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  aclrtStream first = nullptr, second = nullptr;
  aclrtEvent event = nullptr;
  OK(aclrtCreateStream(&first));
  OK(aclrtCreateStream(&second));
  OK(aclrtCreateEvent(&event));
  const int64_t count = 100000;
  void* x = device_floats(std::vector<float>(count, -1));
  void* y = device_floats(std::vector<float>(count, 0));
  float one = 1;
  aclScalar* scalar = aclCreateScalar(&one, ACL_FLOAT);
  aclTensor *source = tensor(count, x), *target = tensor(count, y);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  for (aclrtStream stream : {first, second}) {
    OK(aclnnEluGetWorkspaceSize(source, scalar, scalar, scalar, target, &size, &executor));
    OK(aclnnElu(nullptr, size, executor, stream));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtStreamWaitEvent(second, event));
  }
  OK(aclrtMemcpyAsync(x, 8, y, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, second));
  OK(aclrtSynchronizeStream(second));
  host_floats(y, count);
  std::puts("ok");
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    directory = tmp_path_factory.mktemp("trace")
    source = directory / "program.cpp"
    source.write_text(PROGRAM)
    flags = [f"-I{ROOT / 'tests/clients'}", *toolkit.cflags(), *toolkit.libs()]
    run(["g++", source, "-o", directory / "program", *flags])
    return directory / "program"


@pytest.fixture(params=[{}, {"ACLHOST_STRESS": "1"}, {"ACLHOST_STRICT": "1"}], ids=str)
def events(program, tmp_path, request):
    path = tmp_path / "trace.json"
    run([program], env=clean_environment(ACLHOST_TRACE=path, **request.param))
    return json.loads(path.read_text())["traceEvents"]


def rows(events):
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    by_row = defaultdict(list)
    for event in events:
        if event["ph"] not in "MC":
            by_row[names[event["tid"]]].append(event)
    return by_row


def test_numbers(events):
    times = [event["ts"] for event in events if event["ph"] != "M"]
    assert all(isinstance(time, float) for time in times)
    assert times == sorted(times)
    assert times[0] < 1000
    assert all(isinstance(e["tid"], int) and e["tid"] < 2**16 for e in events)
    assert len({e["pid"] for e in events}) == 1
    assert events[0]["pid"] > 1
    assert events[0]["args"]["name"] == "program"


def test_slices_nest(events):
    for row in rows(events).values():
        open_slices = []
        for event in row:
            if event["ph"] == "B":
                open_slices.append(event["name"])
            elif event["ph"] == "E":
                assert open_slices.pop() == event["name"]
        assert open_slices == []


def test_rows_and_their_work(events):
    by_row = rows(events)
    streams = [name for name in by_row if name.startswith("stream")]
    hosts = [name for name in by_row if name.startswith("host thread")]
    assert (len(streams), len(hosts)) == (2, 1)
    for stream in streams:
        (elu,) = [e for e in by_row[stream] if e["name"] == "aclnnElu" and e["ph"] == "B"]
        assert elu["args"]["what"] == "self FLOAT[100000], out FLOAT[100000]"
        assert elu["args"]["bytes"] == 800000
    host = {e["name"]: e.get("args") for e in by_row[hosts[0]] if e["ph"] == "B"}
    assert host["aclrtMemcpy"] == {"bytes": 400000}
    assert "aclnnEluGetWorkspaceSize" in host
    assert "aclrtSynchronizeStream" in host
    second = by_row[sorted(streams)[1]]
    queued = [e for e in second if e["name"] == "aclrtMemcpyAsync" and e["ph"] == "B"]
    assert [e["args"]["bytes"] for e in queued] == [8]


def test_arrows_lead_from_records_to_waits(events):
    arrows = [e for e in events if e.get("cat") == "event"]
    starts = {e["id"]: e for e in arrows if e["ph"] == "s"}
    ends = [e for e in arrows if e["ph"] == "f"]
    assert len(starts) == 2
    assert len(ends) == 2
    for end in ends:
        assert starts[end["id"]]["ts"] <= end["ts"]
        assert end["bp"] == "e"
    assert any(starts[end["id"]]["tid"] != end["tid"] for end in ends)


def test_command_line(tmp_path):
    path = tmp_path / "trace.json"
    run([ACLHOST, "run", "--trace", path, ROOT / "examples/elu_backward.cpp"])
    names = {event["name"] for event in json.loads(path.read_text())["traceEvents"]}
    assert {"aclnnEluBackward", "aclrtMemcpy", "aclrtSynchronizeStream"} <= names


def test_a_path_that_cannot_be_written(program):
    done = run([program], env=clean_environment(ACLHOST_TRACE="/no/such/directory/trace.json"))
    assert done.stdout == "ok\n"
    assert "cannot write" in done.stderr


def test_a_process_that_uses_nothing_leaves_the_file_alone(tmp_path):
    path = tmp_path / "trace.json"
    command = [sys.executable, "-c", "import aclhost"]
    run(command, env=clean_environment(ACLHOST_TRACE=path))
    assert not path.exists()


def test_arrows_lead_from_launches_to_their_work(events):
    arrows = [e for e in events if e.get("cat") == "launch"]
    starts = {e["id"]: e for e in arrows if e["ph"] == "s"}
    ends = {e["id"]: e for e in arrows if e["ph"] == "f"}
    assert len(starts) == 3  # two operators and a copy
    assert starts.keys() == ends.keys()
    for number, start in starts.items():
        assert start["ts"] <= ends[number]["ts"]
        assert start["tid"] < 1000 <= ends[number]["tid"]


def test_memory_is_counted(events):
    counts = [e["args"]["bytes"] for e in events if e["ph"] == "C"]
    assert max(counts) >= 800000
    assert all(e["name"] == "memory of device 0" for e in events if e["ph"] == "C")


def test_synchronising_a_device_is_shown(tmp_path):
    path = tmp_path / "trace.json"
    text = (
        "from aclhost import acl\nacl.init(); acl.rt.set_device(0)\nacl.rt.synchronize_device()\n"
    )
    run([sys.executable, "-c", text], env=clean_environment(ACLHOST_TRACE=path))
    names = [e["name"] for e in json.loads(path.read_text())["traceEvents"]]
    assert names.count("aclrtSynchronizeDevice") == 2


@pytest.mark.parametrize("strict", ["0", "1"])
def test_python_functions_are_shown(tmp_path, strict):
    path = tmp_path / "trace.json"
    text = "import aclhost, numpy\naclhost.elu(numpy.ones((2, 3), numpy.float32))\n"
    environment = clean_environment(ACLHOST_TRACE=path, ACLHOST_STRICT=strict)
    run([sys.executable, "-c", text], env=environment)
    events = json.loads(path.read_text())["traceEvents"]
    (elu,) = [e for e in events if e["ph"] == "B"]
    assert elu["name"] == "aclnnElu"
    assert elu["args"]["what"] == "self FLOAT[2, 3], out FLOAT[2, 3]"
