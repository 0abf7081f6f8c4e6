# SPDX-License-Identifier: Apache-2.0
"""The scripts of benchmarks/, with as little work as they can have."""

from __future__ import annotations

import os
import shutil
import sys
from time import sleep

import pytest

from aclhost.bench import runner
from aclhost.bench.rounds import Pace
from benchmarks import cold, figures, floors, fresh, imports, launch, overhead, pools, targets
from benchmarks.figures import Figure

HASTE = runner.Effort(Pace(0.001, 2, pause=0, warm_up=0), ())


def names(found):
    found = list(found)
    assert all(figure.value == figure.value for figure in found)
    return {figure.name for figure in found}


@pytest.fixture(scope="module")
def measured():
    """Everything that the scripts can tell on this machine."""
    pytest.importorskip("torch")
    found = names(cold.measure(calls=3))
    found |= names(fresh.measure(elements=1000, rounds=2))
    found |= names(imports.measure(processes=1))
    if shutil.which("g++"):
        found |= names(overhead.measure(calls=10))
        found |= names(launch.measure(rounds=0, effort=HASTE))  # makes one
    return found


def test_targets_speak_of_what_is_measured(measured):
    expected = set(targets.FIGURES)
    if not shutil.which("g++"):
        expected = {name for name in expected if not name.startswith(("call,", "launch,"))}
    assert expected <= measured


def test_a_busy_machine_is_left_idle():
    """One process for each core, as long as it lasts."""
    with launch.busy() as spinning:
        assert len(spinning) == len(os.sched_getaffinity(0))
        sleep(0.1)  # time to fail
        assert [process.poll() for process in spinning] == [None] * len(spinning)
    assert None not in [process.poll() for process in spinning]


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_floors_are_fractions_and_times():
    found = list(floors.measure(rounds=1))
    assert {figure.unit for figure in found} == {"of it", "ns"}
    assert len({figure.name for figure in found}) == len(found)
    assert all(figure.value > 0 for figure in found)


def test_without_torch_there_are_no_ratios(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert names(cold.measure(calls=3)) == {
        "cold call, aclhost, median",
        "cold call, aclhost, p90",
    }
    assert not any("torch" in name for name in names(fresh.measure(elements=1000, rounds=2)))


def test_pools_say_what_they_need(monkeypatch, tmp_path):
    monkeypatch.setattr(pools, "_PREFIX", tmp_path)
    assert "pip install tbb-devel" in pools.missing()
    header = tmp_path / "include" / "tbb" / "parallel_for.h"
    header.parent.mkdir(parents=True)
    header.touch()
    assert pools.missing() is None


def test_pools_are_compared_by_medians(monkeypatch):
    answers = iter([[("hot", 1.0)], [("hot", 5.0)], [("hot", 9.0)], [("hot", 6.0)],
                    [("hot", 2.0)], [("hot", 7.0)]])  # fmt: skip
    monkeypatch.setattr(pools.native, "run", lambda *arguments, flags: next(answers))
    assert list(pools.measure(runs=3)) == [
        Figure("pool, own, hot", 2.0, "us"),
        Figure("pool, tbb, hot", 6.0, "us"),
    ]


def test_figures_of_one_name_are_replaced(tmp_path):
    figures.add(tmp_path, [Figure("a", 1.0, "us"), Figure("b", 2.0, "us")])
    figures.add(tmp_path, [Figure("b", 3.0, "us")])
    assert figures.load(tmp_path) == [Figure("a", 1.0, "us"), Figure("b", 3.0, "us")]


def test_a_script_prints_and_keeps(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sys, "argv", ["script", str(tmp_path)])
    figures.report(lambda: [Figure("a", 1.5, "us")])
    assert capsys.readouterr().out.split() == ["a", "1.5", "us"]
    assert figures.load(tmp_path) == [Figure("a", 1.5, "us")]


def test_ninetieth():
    assert figures.ninetieth([float(n) for n in range(1, 100)]) == 90.0
