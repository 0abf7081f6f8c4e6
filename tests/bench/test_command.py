# SPDX-License-Identifier: Apache-2.0
"""`aclhost bench` as a user types it."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from click.testing import CliRunner

from aclhost.bench import cases, runner
from aclhost.bench.results import Run
from aclhost.bench.rounds import Pace
from aclhost.cli import main

HASTE = runner.Effort(Pace(0.001, 2, pause=0, warm_up=0), (10**5,))


def tiny_cases(name):
    """Contiguous, of the first variant."""
    found = [case for case in cases.full(name) if case.size == "tiny"]
    return [case for case in found if case.layout == "contiguous"]


@pytest.fixture
def bench(monkeypatch):
    """The command, on tiny cases."""
    monkeypatch.setattr(cases, "quick", tiny_cases)
    monkeypatch.setattr(runner, "QUICK", HASTE)
    monkeypatch.setattr(runner, "torchs_pause", lambda: 0.0)
    monkeypatch.setattr(runner, "_LOT", 0.0)
    return lambda *options: CliRunner().invoke(main, ["bench", "--quick", *options])


@pytest.fixture
def interrupted(monkeypatch):
    """Ctrl-C in the second case."""
    measure, left = runner.measure, iter([True, False])

    def once(*arguments):
        if not next(left):
            raise KeyboardInterrupt
        return measure(*arguments)

    monkeypatch.setattr(runner, "measure", once)


def results(directory):
    return Run.from_json((directory / "results.json").read_text())


def test_table_json_and_plots(bench, tmp_path):
    pytest.importorskip("matplotlib")
    directory = tmp_path / "new" / "bench"
    done = bench("--operator", "aclnnElu", "--output", str(directory))
    assert done.exit_code == 0, done.output
    assert "\nelu " in done.stdout
    run = results(directory)
    assert {result.case.dtype for result in run.results} == set(cases.ELEMENTWISE["elu"].dtypes)
    assert [growth.operator for growth in run.growth] == ["elu"]
    assert (directory / "table.txt").read_text().splitlines()[0] == done.stdout.splitlines()[0]
    for name in ("results.json", "table.txt", "report.md", "growth.png"):
        assert f"wrote {directory / name}" in done.stderr
        assert (directory / name).is_file()


def test_without_torch(bench, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    done = bench("--operator", "elu")
    assert done.exit_code == 0, done.output
    assert "torch is not installed" in done.stderr
    assert "torch" not in done.stdout.splitlines()[0]


def test_without_matplotlib_there_is_the_rest(bench, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = bench("--operator", "elu", "--output", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines()[-1] == "aclhost: plots need matplotlib; pip install matplotlib"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "report.md", "results.json", "table.txt",
    ]  # fmt: skip
    assert "![" not in (tmp_path / "report.md").read_text()


def test_unknown_operator(bench):
    done = bench("--operator", "elu_forward")
    assert done.exit_code == 1
    assert done.stderr.startswith("aclhost: no operator 'elu_forward'; ")


def test_sizes_restrict_a_run(monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "FULL", HASTE)
    monkeypatch.setattr(runner, "torchs_pause", lambda: 0.0)
    monkeypatch.setattr(runner, "_LOT", 0.0)
    options = ("--operator", "adds", "--size", "tiny", "--size", "medium")
    done = CliRunner().invoke(main, ["bench", *options, "--output", str(tmp_path)])
    assert done.exit_code == 0, done.output
    wanted = [case for case in cases.full("adds") if case.size != "large"]
    run = results(tmp_path)
    assert [result.case for result in run.results] == wanted
    assert run.growth == []
    assert CliRunner().invoke(main, ["bench", "--size", "huge"]).exit_code == 2


def test_growth_belongs_to_large_sizes(bench, tmp_path):
    options = ("--operator", "elu", "--size", "tiny", "--size", "large")
    done = bench(*options, "--output", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert [growth.operator for growth in results(tmp_path).growth] == ["elu"]


def test_a_run_without_cases_says_so():
    done = CliRunner().invoke(main, ["bench", "--quick", "--size", "tiny"])
    assert done.exit_code == 1
    assert done.stderr == "aclhost: --quick has one case of each operator, and none is tiny\n"


def test_operator_without_a_case(bench):
    done = bench("--operator", "aclnnTransMatmulWeight")
    assert done.exit_code == 1
    assert done.stderr.startswith("aclhost: trans_matmul_weight is not measured: the first call")


def test_directory_that_cannot_be_written(bench, tmp_path):
    (tmp_path / "results.json").mkdir()
    done = bench("--operator", "elu", "--output", str(tmp_path))
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1].endswith("results.json: Is a directory")


def test_interruption_shows_what_there_is(bench, interrupted):
    done = bench("--operator", "elu")
    assert done.exit_code == 130
    assert " f32 " in done.stdout
    assert " f16 " not in done.stdout


def test_a_killed_run_leaves_its_cases(bench, monkeypatch, tmp_path):
    """Nothing is written at the end only."""
    measure = runner.measure

    def killed(case, *arguments):
        if case.dtype == "float16":
            raise MemoryError
        return measure(case, *arguments)

    monkeypatch.setattr(runner, "measure", killed)
    assert isinstance(bench("--operator", "elu", "--output", str(tmp_path)).exception, MemoryError)
    assert [result.case.dtype for result in results(tmp_path).results] == ["float32"]


def test_resumed_runs_measure_the_rest(bench, interrupted, monkeypatch, tmp_path):
    options = ("--operator", "elu", "--output", str(tmp_path))
    assert bench(*options).exit_code == 130
    first = results(tmp_path).results
    assert len(first) == 1
    monkeypatch.undo()
    measured, measure = [], runner.measure

    monkeypatch.setattr(runner, "_LOT", 0.0)

    def record(case, effort, with_torch):
        measured.append(case)
        return measure(case, effort, with_torch)

    tiny = tiny_cases("elu")
    monkeypatch.setattr(cases, "quick", lambda name: tiny)
    monkeypatch.setattr(runner, "measure", record)
    monkeypatch.setattr(runner, "QUICK", HASTE)
    done = CliRunner().invoke(main, ["bench", "--quick", "--resume", *options])
    assert done.exit_code == 0, done.output
    assert measured == tiny[1:]
    run = results(tmp_path)
    assert run.results[:1] == first
    assert [result.case for result in run.results] == tiny


def test_without_resume_a_run_starts_anew(bench, tmp_path):
    options = ("--operator", "elu", "--output", str(tmp_path))
    bench(*options)
    bench(*options)
    assert len(results(tmp_path).results) == len(cases.ELEMENTWISE["elu"].dtypes)


def test_results_from_elsewhere_are_not_resumed(bench, tmp_path):
    options = ("--operator", "elu", "--output", str(tmp_path))
    bench(*options)
    run = results(tmp_path)
    replace(run, machine=replace(run.machine, threads=99)).save(tmp_path / "results.json")
    done = bench("--resume", *options)
    assert done.exit_code == 1
    assert "is from elsewhere and cannot be resumed" in done.stderr
    (tmp_path / "results.json").write_text("[")
    assert "cannot be resumed" in bench("--resume", *options).stderr


def test_resume_needs_a_directory(bench):
    done = bench("--resume")
    assert done.exit_code == 1
    assert done.stderr == (
        "aclhost: --resume needs the --output directory of the run to go on with\n"
    )


def test_a_run_of_some_minutes_ends_in_time(bench, tmp_path):
    done = bench("--operator", "elu", "--output", str(tmp_path), "--minutes", "1e-9")
    assert done.exit_code == 0, done.output
    assert results(tmp_path).results == []
    assert "the time is up" in done.stdout
    assert bench("--operator", "elu", "--output", str(tmp_path), "--resume").exit_code == 0
    run = results(tmp_path)
    assert [result.case for result in run.results] == tiny_cases("elu")
    assert run.skipped == []
