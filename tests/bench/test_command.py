# SPDX-License-Identifier: Apache-2.0
"""`aclhost bench` as a user types it."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from aclhost.bench import cases, runner
from aclhost.bench.results import Run
from aclhost.cli import main


@pytest.fixture
def bench(monkeypatch):
    """The command, on tiny cases."""
    monkeypatch.setattr(
        cases, "quick", lambda name: (case for case in cases.full(name) if case.size == "tiny")
    )
    monkeypatch.setattr(runner, "QUICK", runner.Effort(0.001, 2, (10,)))
    return lambda *options: CliRunner().invoke(main, ["bench", "--quick", *options])


def test_table_json_and_plots(bench, tmp_path):
    pytest.importorskip("matplotlib")
    results, plots = tmp_path / "results.json", tmp_path / "plots"
    done = bench("--operator", "aclnnElu", "--json", str(results), "--plots", str(plots))
    assert done.exit_code == 0, done.output
    assert " elu " in done.stdout
    run = Run.from_json(results.read_text())
    assert {result.case.dtype for result in run.results} == set(cases.ELEMENTWISE["elu"].dtypes)
    assert f"wrote {plots / 'roofline.png'}" in done.stderr
    assert (plots / "roofline.png").is_file()


def test_without_torch(bench, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    done = bench("--operator", "elu")
    assert done.exit_code == 0, done.output
    assert "torch is not installed" in done.stderr
    assert "torch" not in done.stdout.splitlines()[0]


def test_plots_without_matplotlib(bench, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = bench("--plots", str(tmp_path / "plots"))
    assert done.exit_code == 1
    assert done.stderr == "aclhost: plots need matplotlib; pip install matplotlib\n"
    assert done.stdout == ""
    assert not (tmp_path / "plots").exists()


def test_unknown_operator(bench):
    done = bench("--operator", "elu_forward")
    assert done.exit_code == 1
    assert done.stderr.startswith("aclhost: no operator 'elu_forward'; ")


def test_file_that_cannot_be_written(bench, tmp_path):
    done = bench("--operator", "elu", "--json", str(tmp_path))
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1] == f"aclhost: {tmp_path}: Is a directory"


def test_interruption_shows_what_there_is(bench, monkeypatch):
    measure, left = runner.measure, iter([True, False])

    def interrupted(*arguments):
        if not next(left):
            raise KeyboardInterrupt
        return measure(*arguments)

    monkeypatch.setattr(runner, "measure", interrupted)
    done = bench("--operator", "elu")
    assert done.exit_code == 130
    assert " f32 " in done.stdout
    assert " f16 " not in done.stdout
