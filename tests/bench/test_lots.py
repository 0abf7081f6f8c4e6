# SPDX-License-Identifier: Apache-2.0
"""What other processes did meanwhile, and what is measured again because of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aclhost.bench import cases, contention, runner
from aclhost.bench.results import Result
from aclhost.bench.rounds import Pace

HASTE = runner.Effort(Pace(0.001, 2, pause=0, warm_up=0), ())


@pytest.fixture
def lot(monkeypatch):
    """How a lot of two cases is measured, with others as busy as given: results and attempts."""
    made = []

    def measure(case, effort, with_torch):
        made.append(case)
        return made_result(case, len(made))

    def run(busy, attempts=3, length=0.0):
        left = iter(busy)
        monkeypatch.setattr(runner, "_LOT", length)
        monkeypatch.setattr(runner, "measure", measure)
        monkeypatch.setattr(contention.Others, "cores", lambda self: next(left))
        results = ["earlier"]
        found = runner.Lot(results, replace(HASTE, attempts=attempts), with_torch=False)
        first, second = list(cases.full("elu"))[:2]
        found.add(first)
        found.add(second)
        found.end()
        assert results.pop(0) == "earlier"
        assert [result.case for result in results] == [first, second]
        return [(result.seconds, result.foreign_cores) for result in results]

    return run


def made_result(case, seconds, c_seconds=None):
    return Result(
        case, rounds=3, seconds=seconds, c_seconds=c_seconds or seconds, torch_seconds=None,
        ratio=None, c_ratio=None, c_over_python=2.0, numpy_seconds=None, numpy_ratio=None,
        streaming_fraction=None, bytes_moved=100, operations=None, foreign_cores=0.0,
        streaming_bytes_per_second=None, peak_extra_bytes=0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("busy", "kept"),
    [
        ([0.1, 0.0], [(1, 0.1), (2, 0.0)]),
        ([0.9, 0.1, 0.0], [(2, 0.1), (3, 0.0)]),
        ([0.9, 0.7, 0.8, 0.0], [(2, 0.7), (4, 0.0)]),
    ],
)
def test_disturbed_cases_are_measured_again(lot, busy, kept):
    """Lots of one case: the attempt that was disturbed least is kept."""
    assert lot(busy) == kept


def test_short_cases_are_looked_at_together(lot):
    assert lot([0.9, 0.1], length=0.01) == [(3, 0.1), (4, 0.1)]
    assert lot([0.9], attempts=1, length=0.01) == [(5, 0.9), (6, 0.9)]


@pytest.mark.parametrize(
    ("times", "kept", "measured"),
    [
        ([(10e-6, 12e-6)], 0, 1),
        ([(0.2e-6, 0.6e-6)], 0, 1),  # launching costs as much
        ([(10e-6, 20e-6), (11e-6, 11e-6)], 1, 2),
        ([(20e-6, 10e-6), (30e-6, 11e-6), (30e-6, 16e-6)], 2, 3),
        ([(20e-6, 10e-6), (30e-6, 11e-6), (40e-6, 10e-6)], 0, 3),
    ],
)
def test_cases_whose_doors_disagree_are_measured_again(monkeypatch, times, kept, measured):
    """The attempt in which they agree best is kept."""
    left = iter(times)
    monkeypatch.setattr(runner, "measure", lambda case, *others: made_result(case, *next(left)))
    case = next(cases.full("elu"))
    result = runner.settled(case, replace(HASTE, attempts=3), with_torch=False)
    assert (result.seconds, result.c_seconds) == times[kept]
    assert len(list(left)) == len(times) - measured


@pytest.mark.parametrize(
    ("ratios", "kept"),
    [
        ([(1.2, 1.3)], 0),
        ([(0.5, 0.6), (1.4, 1.5), (1.3, 1.2)], 2),
        ([(1.3, 1.0), (0.8, 0.8), (0.9, 0.7)], 1),
        ([(1.05, 1.2), (1.06, 1.01), (1.04, 1.03)], 2),
    ],
)
def test_of_slow_cases_the_median_of_three_counts(monkeypatch, ratios, kept):
    """By the lower ratio of both doors."""
    left = [
        replace(made_result(next(cases.full("elu")), 1e-6), ratio=ratio, c_ratio=c_ratio)
        for ratio, c_ratio in ratios
    ]
    made = iter(left)
    monkeypatch.setattr(runner, "measure", lambda *others: next(made))
    result = runner.settled(left[0].case, replace(HASTE, attempts=3), with_torch=True)
    assert result is left[kept]
    assert not list(made)


def test_results_are_there_when_it_is_known_who_disturbed_them(monkeypatch):
    """Whatever is saved before that is complete."""
    monkeypatch.setattr(contention.Others, "cores", lambda self: 0.9)
    monkeypatch.setattr(runner, "measure", lambda case, *others: made_result(case, 1))
    results = []
    lot = runner.Lot(results, HASTE, with_torch=False)
    lot.add(next(cases.full("elu")))
    assert results == []
    lot.end()
    assert [result.foreign_cores for result in results] == [0.9]


def test_a_run_that_is_broken_off_keeps_what_there_is(monkeypatch):
    monkeypatch.setattr(contention.Others, "cores", lambda self: 0.9)
    results = []
    lot = runner.Lot(results, replace(HASTE, attempts=3), with_torch=False)
    lot.add(next(cases.full("elu")))
    monkeypatch.setattr(runner, "measure", None)
    lot.break_off()
    assert [result.foreign_cores for result in results] == [0.9]


def test_own_time_is_not_that_of_others(monkeypatch):
    clocks = {"wall": 0.0, "own": 0.0, "all": 100.0}
    monkeypatch.setattr(contention, "perf_counter", lambda: clocks["wall"])
    monkeypatch.setattr(contention, "process_time", lambda: clocks["own"])
    monkeypatch.setattr(contention, "_busy_seconds", lambda: clocks["all"])
    others = contention.Others()
    clocks.update({"wall": 2.0, "own": 3.0, "all": 104.0})
    assert others.cores() == 0.5


def test_busy_time_is_read_from_the_kernel(monkeypatch, tmp_path):
    stat = tmp_path / "stat"
    stat.write_text("cpu  100 20 30 9000 800 4 5 6 50 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n")
    monkeypatch.setattr(contention, "_STAT", stat)
    monkeypatch.setattr(contention.os, "sysconf", {"SC_CLK_TCK": 100}.get)
    assert contention._busy_seconds() == 1.65
