# SPDX-License-Identifier: Apache-2.0
"""From cases to tables, JSON and plots. What the clock says is not tested."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from aclhost.bench import cases, memory, operations, plots, report, runner
from aclhost.bench.machine import this_machine
from aclhost.bench.results import Run
from aclhost.bench.rounds import Pace

HASTE = runner.Effort(Pace(0.001, 2, pause=0, warm_up=0), (10**5, 3 * 10**5))


@pytest.fixture(scope="module")
def run():
    """Every written-out operator once, on the tiny size."""
    tiny = [
        next(case for case in cases.full(operator) if case.size == "tiny")
        for operator in cases.BY_HAND
    ]
    with_torch = runner.use_torch()
    found = Run(this_machine(with_torch), runner.peak(), skipped=["something: skipped"])
    found.results.extend(runner.measure(case, HASTE, with_torch) for case in tiny)
    found.growth.extend(runner.growth(operator, HASTE) for operator in cases.BY_HAND)
    return found


@pytest.fixture
def no_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)


@pytest.fixture
def no_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)


def is_png(path):
    return path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def printed(run):
    return "".join(f"{line}\n" for line in report.lines(run))


def test_results_are_complete(run):
    assert [result.case.operator for result in run.results] == list(cases.BY_HAND)
    for result in run.results:
        assert result.rounds >= HASTE.pace.fewest
        assert min(result.seconds, result.bytes_moved) > 0
        assert result.peak_extra_bytes >= 0
        assert result.streaming_bytes_per_second is None  # tiny
        assert result.streaming_fraction is None
        assert result.operations is None
        assert (result.ratio is None) == (result.torch_seconds is None)
        assert min(result.c_seconds, result.c_over_python) > 0
        assert (result.c_ratio is None) == (result.ratio is None)
        assert (result.numpy_ratio is None) == (result.case.operator in cases.ON_VOLUMES)
    assert "torch" not in run.machine.versions or all(result.ratio for result in run.results)


@pytest.mark.parametrize("name", cases.BY_HAND)
def test_arithmetic_is_counted(name):
    case = next(case for case in cases.full(name) if case.size == "tiny")
    assert operations.count(case.prepare(), None) >= case.elements


def test_growth_is_that_of_all_operators(run):
    assert [one.operator for one in run.growth] == list(cases.BY_HAND)
    for one in run.growth:
        assert list(one.seconds_per_element) == list(HASTE.growth_sizes)
        assert min(one.seconds_per_element.values()) > 0


def test_json_round_trip(run):
    assert Run.from_json(run.to_json()) == run


def test_json_of_another_format_is_refused(run):
    other = run.to_json().replace('"format": 3', '"format": 1')
    with pytest.raises(ValueError, match="format 1 of results is not 3"):
        Run.from_json(other)


def test_table_has_every_case_and_number(run):
    text = printed(run)
    assert run.machine.cpu in text
    assert "something: skipped" in text
    assert "\u2026" not in text  # where a cell was cut
    for result in run.results:
        line = next(
            line for line in text.splitlines() if line.split()[:1] == [result.case.operator]
        )
        assert report.duration(result.seconds) in line


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1.234e-6, "1.23 us"), (0.0004, "400 us"), (0.05, "50 ms"), (12.3, "12.3 s"), (None, "-")],
)
def test_durations(seconds, text):
    assert report.duration(seconds) == text


def medium(results):
    """As if the arithmetic of these calls were worth counting."""
    changes = {"operations": 1000, "streaming_bytes_per_second": 1e9}
    return [
        replace(result, case=replace(result.case, size="medium"), **changes) for result in results
    ]


def test_plots_are_png(run, tmp_path):
    pytest.importorskip("matplotlib")
    found = replace(run, results=medium(run.results))
    written = plots.write_plots(found, tmp_path / "new" / "directory")
    assert {path.name for path in written} >= {"roofline.png", "growth.png"}
    assert all(is_png(path) for path in written)


def test_no_ratio_plot_without_ratios(run, tmp_path):
    pytest.importorskip("matplotlib")
    results = [replace(result, ratio=None) for result in medium(run.results)]
    written = plots.write_plots(replace(run, results=results, growth=[]), tmp_path)
    assert [path.name for path in written] == ["roofline.png"]


def test_tiny_calls_have_no_roofline(run, tmp_path):
    pytest.importorskip("matplotlib")
    assert "roofline.png" not in {path.name for path in plots.write_plots(run, tmp_path)}


def test_without_torch_there_is_the_streaming_limit(no_torch):
    assert not runner.use_torch()
    case = replace(next(cases.quick("elu")), size="medium")
    result = runner.measure(case, HASTE, with_torch=False)
    assert (result.ratio, result.torch_seconds, result.note) == (None, None, "")
    assert min(result.streaming_fraction, result.operations) > 0


@pytest.mark.parametrize(
    ("name", "short"),
    [("float32", "f32"), ("bfloat16", "bf16"), ("bool", "bool"), ("float8_e5m2", "float8_e5m2")],
)
def test_dtypes_are_shortened(name, short):
    assert report.short_dtype(name) == short


def test_columns_are_as_wide_as_what_is_in_them():
    found = list(report.aligned(("name", "n"), [("a", "1"), ("longer", "22")], left=1))
    assert found == ["name     n", "----------", "a        1", "longer  22"]


@pytest.mark.parametrize(
    ("dtype", "size", "layout", "takes_part"),
    [
        ("bfloat16", "medium", "contiguous", True),
        ("float32", "large", "contiguous", True),
        ("float16", "large", "contiguous", False),
        ("float32", "medium", "transposed", False),
    ],
)
def test_numpy_takes_part_where_it_does_not_take_ages(dtype, size, layout, takes_part):
    case = cases.Case("elu", "", dtype, size, (1000,), layout)
    call, note = runner._numpys(case, case.prepare(), None)
    assert (call is not None, note) == (takes_part, "")


def test_where_torch_has_none_numpy_is_the_peer():
    pytest.importorskip("torch")
    case = replace(next(cases.full("sign_bits_pack")), size="tiny", shape=(1024,))
    result = runner.measure(case, HASTE, with_torch=True)
    assert (result.ratio, result.note) == (None, "torch: it has no such function")
    assert result.numpy_ratio > 0


def test_a_peer_that_takes_seconds_takes_no_part(monkeypatch):
    monkeypatch.setattr(runner, "_TOO_LONG", 0.0)
    workload = replace(next(cases.full("sign_bits_pack")), shape=(1024,)).prepare()
    case = next(cases.full("sign_bits_pack"))
    assert runner._numpys(case, workload, None) == (None, "NumPy: takes seconds")


def test_save_replaces_the_file(run, tmp_path):
    path = tmp_path / "results.json"
    Run(run.machine).save(path)
    run.save(path)
    assert Run.from_json(path.read_text()) == run
    assert list(tmp_path.iterdir()) == [path]


def test_what_torch_lacks_is_noted():
    pytest.importorskip("torch")
    case = cases.Case("max_unpool3d", "local", "int8", "tiny", cases.VOLUMES["tiny"])
    result = runner.measure(case, HASTE, with_torch=True)
    assert result.ratio is None
    assert result.note.startswith("torch: ")


def test_other_processes_are_noticed(run):
    quiet = replace(run, results=[replace(result, foreign_cores=0.0) for result in run.results])
    assert quiet.disturbance == ""
    assert "?" not in printed(quiet)
    busy = replace(run, results=[replace(result, foreign_cores=1.0) for result in run.results])
    assert busy.disturbance.startswith("11 of 11 cases ran while other processes were busy")
    text = printed(busy)
    assert busy.disturbance in " ".join(text.split())
    assert all(f" {result.ratio:.2f}? " in text for result in busy.results if result.ratio)
    assert "-?" not in text


def test_peak_memory_sees_a_temporary():
    extra = memory.peak_extra(lambda: np.ones(8 << 20).sum())
    assert extra >= 60 << 20
    assert memory.peak_extra(lambda: None) < 8 << 20


def test_cases_too_large_for_memory(monkeypatch):
    case = next(cases.quick("elu"))
    assert not runner.too_large(case)
    monkeypatch.setattr(memory, "available", lambda: 1000)
    assert runner.too_large(case)
