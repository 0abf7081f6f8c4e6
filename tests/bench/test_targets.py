# SPDX-License-Identifier: Apache-2.0
"""The targets reach the cases they speak of."""

from __future__ import annotations

import pytest

from aclhost.bench.cases import BY_HAND, full
from aclhost.bench.machine import this_machine
from aclhost.bench.results import Result, Run
from benchmarks import launch, targets
from benchmarks.figures import Figure, add

CASES = {case.name: case for operator in BY_HAND for case in full(operator)}


def result(name, ratio=100.0, fraction=1.0, mib=0.0, foreign=0.0):
    return Result(
        CASES[name], rounds=1, seconds=1.0, torch_seconds=ratio, ratio=ratio, numpy_seconds=None,
        numpy_ratio=None, streaming_fraction=fraction, bytes_moved=1, operations=1,
        c_seconds=1.0, c_ratio=ratio, c_over_python=1.0,
        streaming_bytes_per_second=1.0, peak_extra_bytes=int(mib * 2**20), foreign_cores=foreign,
    )  # fmt: skip


def run(*results):
    return Run(this_machine(with_torch=False), results=list(results))


def wanted(name):
    return {check.quantity: check.wanted for check in targets.checks(run(result(name)), [])}


@pytest.mark.parametrize(
    ("name", "ratio", "fraction"),
    [
        ("elu_backward exp float32 tiny", 8, None),
        ("elu_backward exp bfloat16 medium", 3.8, None),
        ("elu_backward exp float16 large", 3.3, 0.74),
        ("elu_backward result bfloat16 large", 1.6, 0.95),
        ("smooth_l1_loss_backward sum float32 medium", 1.9, None),
        ("upsample_nearest3d_backward x2 float64 medium", 5, None),
        ("upsample_nearest3d_backward x1.5 float64 N4C64", 2.5, None),
        ("max_pool3d_with_argmax_backward 2/2 bfloat16 wide", 2.5, None),
        ("max_pool3d_with_argmax_backward 2/2 float32 N*C=1", 2.3, None),
        ("max_pool3d_with_argmax_backward 2/2 float32 N4C64", 2.3, 0.75),
        ("max_pool3d_with_argmax_backward 3/2/1 float32 N*C=1", 0.9, None),
        ("max_pool3d_with_argmax_backward 3/1/1 float32 N4C64", 0.9, None),
        ("max_unpool3d_backward random int64 N4C64", 1.45, 0.40),
        ("max_unpool3d_backward random float32 tiny", 0.9, None),
        ("elu float64 large", 1.15, 0.80),
        ("upsample_nearest3d x1.5 float16 medium", 1.5, None),
        ("elu_backward exp float32 large transposed", 0.9, None),
        ("max_unpool3d local float32 N2C32", 0.9, None),
    ],
)
def test_each_case_finds_its_row(name, ratio, fraction):
    found = wanted(name)
    assert found["ratio"] == ratio
    assert found.get("of limit") == fraction


def test_every_row_speaks_of_cases():
    used = [targets._goal(case) for case in CASES.values()]
    assert all(goal in used for goal in targets.GOALS)


def test_every_case_is_checked():
    checked = {check.what for check in targets.checks(run(*map(result, CASES)), [])}
    assert checked == set(CASES)


@pytest.mark.parametrize(
    ("bound", "measured", "verdict"),
    [
        ("at least", 2.0, "met"), ("at least", 1.81, "close"), ("at least", 1.79, "missed"),
        ("at most", 2.0, "met"), ("at most", 2.19, "close"), ("at most", 2.21, "missed"),
    ],
)  # fmt: skip
def test_verdicts(bound, measured, verdict):
    assert targets.Check("it", "x", bound, 2.0, measured).verdict == verdict


def test_what_others_disturbed_is_not_met():
    """Torch suffers most, so its ratios look too good."""
    found = run(result("elu float32 large", ratio=300.0, foreign=1.0))
    verdicts = {check.quantity: check.verdict for check in targets.checks(found, [])}
    assert verdicts == {
        "ratio": "doubtful", "C ratio": "doubtful", "of limit": "doubtful", "MiB": "met",
    }  # fmt: skip


def test_memory_is_checked_by_threads():
    found = run(result("elu float32 large", mib=9.0))
    check = next(check for check in targets.checks(found, []) if check.quantity == "MiB")
    assert check.wanted == targets.MEMORY_PER_THREAD * found.machine.threads


def test_figures_are_checked():
    figures = [Figure("cold call, aclhost, p90", 450.0, "us"), Figure("something", 1.0, "us")]
    (check,) = targets.checks(run(), figures)
    assert (check.what, check.wanted, check.verdict) == (figures[0].name, 300.0, "missed")


@pytest.mark.parametrize("name", ["16 elements, over the", "chain of 100 x 16, each over the"])
def test_a_launch_that_takes_less_than_no_time_is_doubtful(name):
    figures = [Figure(f"launch, {name} kernel", value, "us") for value in (0.3, -0.1)]
    assert [check.verdict for check in targets.checks(run(), figures)] == ["met", "doubtful"]


def test_long_launches_have_no_target():
    figures = [Figure(f"launch, {n} elements, over the kernel", 9.0, "us") for n in launch.SIZES]
    checked = {check.what for check in targets.checks(run(), figures)}
    assert checked == {figure.name for figure in figures[:4]}  # up to 32768


def test_what_was_not_measured_is_told():
    absent = targets.unmeasured(run(result("elu float32 large")), [])
    assert set(absent) == {*CASES, *targets.FIGURES} - {"elu float32 large"}


def test_command_prints_what_was_missed_and_writes_all(tmp_path, capsys):
    missed = result("elu float32 tiny", ratio=2.0, foreign=1.0)
    run(result("elu float32 large"), missed).save(tmp_path / "results.json")
    add(tmp_path, [Figure("import, aclhost after numpy", 1.5, "ms")])
    targets.main(tmp_path)
    printed, written = capsys.readouterr().out, (tmp_path / "targets.txt").read_text()
    assert "elu float32 tiny" in printed
    assert " 2? " in printed
    assert "elu float32 large" not in printed
    for text in (printed, written):
        assert "0 missed, 2 doubtful" in text
    assert "elu float32 large" in written
    assert "import, aclhost after numpy" in written
    assert "not measured: elu float16 tiny" in written
