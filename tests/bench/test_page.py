# SPDX-License-Identifier: Apache-2.0
"""The headline, the page and the pictures say what the results do."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from aclhost.bench import cases, headline, page, plots
from aclhost.bench.machine import this_machine
from aclhost.bench.results import Growth, Result, Run
from aclhost.bench.rounds import quotient
from benchmarks import publish
from benchmarks.figures import Figure, add

TIMES = {"aclhost": [1.0, 10.0, 1.0], "C": [2.0, 2.0, 2.0], "torch": [2.0, 20.0, 9.0]}


def result(operator, ratio, c_ratio, numpy_ratio=None, **changes):
    case = next(cases.full(operator))
    made = Result(
        case, rounds=3, seconds=1.0, c_seconds=2.0, torch_seconds=ratio, ratio=ratio,
        c_ratio=c_ratio, c_over_python=2.0, numpy_seconds=numpy_ratio, numpy_ratio=numpy_ratio,
        streaming_fraction=0.5, bytes_moved=100, operations=200, streaming_bytes_per_second=200.0,
        peak_extra_bytes=0, foreign_cores=0.0,
    )  # fmt: skip
    return replace(made, **changes)


@pytest.fixture
def run():
    results = [
        result("add", 4.0, 2.0),
        result("matmul", 1.0, 0.5, operations=10**6),
        result("sort", 0.25, 0.95),
        result("sign_bits_pack", None, None, numpy_ratio=30.0),
        result("exp", 1000.0, 1000.0, foreign_cores=1.0),
    ]
    growth = [Growth("add", "", {1000: 1e-9, 10000: 5e-10})]
    return Run(this_machine(with_torch=False), 1e11, results, growth)


def test_a_ratio_is_the_median_of_paired_rounds():
    assert quotient(TIMES, "torch", "aclhost") == 2.0  # not 9 / 1
    assert quotient(TIMES, "torch", "C") == 4.5


def test_headlines_leave_out_what_others_disturbed(run):
    python = headline.headline(run.results, headline.DOORS["Python"])
    assert (python.cells, python.mean, python.least) == (3, pytest.approx(1.0), 0.25)
    assert python.worst == "sort float32 medium"
    assert (python.ahead, python.near) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    c = headline.headline(run.results, headline.DOORS["C"])
    assert (c.least, c.worst, c.near) == (0.5, "matmul float32 medium", pytest.approx(2 / 3))
    numpys = headline.headline(run.results, headline.AGAINST_NUMPY)
    assert (numpys.cells, numpys.mean) == (1, pytest.approx(30.0))
    assert headline.headline([], headline.DOORS["C"]) is None


def test_the_slowest_come_first(run):
    found = headline.worst_cells(run.results, 2)
    assert [one.case.operator for one in found] == ["sort", "matmul"]


def test_the_page_has_it_all(run):
    text = page.page(run, ["pictures/ratio.png", "pictures/growth.png"])
    assert text.startswith("![Dots for ratios")
    assert "](pictures/growth.png)" in text
    assert "roofline.png" not in text
    lines = text.splitlines()
    assert any(
        line.startswith("| torch, through Python | 3 | **1.00** | 0.25 (sort") for line in lines
    )
    assert any(line.startswith("| torch, through C | 3 |") for line in lines)
    assert any(line.startswith("| NumPy, where torch has none | 1 | **30.00**") for line in lines)
    assert "the median over the rounds" in text
    assert "| matmul | 1 | 1.00 | 1.00 | 100.0% | 100.0% | 1 | 0.50 | 0.50 | 0.0% | 0.0% |" in lines
    assert "### By family" in lines
    assert "### By layout" not in lines  # there is one


def test_the_page_divides_by_what_differs(run):
    first, *others = run.results
    transposed = replace(first, case=replace(first.case, layout="transposed", size="tiny"))
    lines = page.page(replace(run, results=[transposed, *others]), []).splitlines()
    for name, group in {"layout": "transposed", "size": "tiny"}.items():
        table = lines[lines.index(f"### By {name}") :]
        line = (
            f"| {group} | 1 | 4.00 | 4.00 | 100.0% | 100.0% | 1 | 2.00 | 2.00 | 100.0% | 100.0% |"
        )
        assert line in table
    assert "### By dtype" not in lines


def test_the_slowest_are_at_the_end_of_the_page(run):
    text = page.page(run, [])
    lines = text.splitlines()
    assert "1 of 5 cases ran while other processes were busy" in text
    slowest = lines[lines.index("### The slowest cells") + 4 :]
    assert slowest[0].startswith("| sort float32 medium | 1 s | 2 s | 250 ms | 0.25 | 0.95 |")


def test_pictures_are_transparent_and_have_titles(run, tmp_path):
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    for figure in (plots._ratios(run), plots._roofline(run), plots._growth(run)):
        axes = figure.axes[0]
        assert axes.get_title()
        assert axes.get_xscale() == "log"
        assert len(figure.legends) == 1
        assert len(figure.legends[0].get_texts()) >= 1
    for path in plots.write_plots(run, tmp_path):
        assert imread(path)[0, 0, 3] == 0.0


def test_dots_and_the_roof_are_where_they_belong(run):
    pytest.importorskip("matplotlib")
    python, c = plots._ratios(run).axes[0].collections
    assert sorted(python.get_offsets()[:, 0]) == [0.25, 1.0, 4.0]
    assert sorted(c.get_offsets()[:, 0]) == [0.5, 0.95, 2.0]
    axes = plots._roofline(run).axes[0]
    assert [2.0, 0.2e-6] in [list(dot) for dots in axes.collections for dot in dots.get_offsets()]
    (roof,) = axes.lines
    for intensity, reached in roof.get_xydata():
        assert reached == pytest.approx(min(200.0 * intensity, 1e11) / 1e9)


def test_publishing_replaces_what_was_there(run, tmp_path):
    pytest.importorskip("matplotlib")
    source, root = tmp_path / "run", tmp_path / "root"
    for name in (publish.RESULTS, publish.PICTURES):
        (root / name).mkdir(parents=True)
        (root / name / "old.txt").touch()
    source.mkdir()
    run.save(source / "results.json")
    add(source, [Figure("a call", 1.5, "us")])
    before = f"# Title\n\n{publish.BEGIN}\nold\n{publish.END}\n\nafter\n"
    (root / publish.PAGE).write_text(before)
    publish.publish(source, root)
    publish.publish(source, root)  # the same again
    text = (root / publish.PAGE).read_text()
    assert text.startswith(f"# Title\n\n{publish.BEGIN}\n\n![Dots")
    assert text.endswith(f"{publish.END}\n\nafter\n")
    assert "| a call | 1.5 us |" in text
    assert "old" not in text
    assert "(benchmark/roofline.png)" in text
    pictures = sorted(path.name for path in (root / publish.PICTURES).iterdir())
    assert pictures == ["growth.png", "ratio.png", "roofline.png"]
    (kept,) = (root / publish.RESULTS).iterdir()
    found = json.loads(kept.read_text())
    assert found["figures"][0]["name"] == "a call"
    assert list(found["operators"]) == [one.case.operator for one in run.results]
    rows = {name: [found["kinds"][row[0]], *row[1:]] for name, (row,) in found["operators"].items()}
    assert len(found["columns"]) == len(rows["exp"])
    assert rows["add"] == ["float32 medium", 1000000, 2000000, 4000000, 4.0, 2.0]
    assert rows["sign_bits_pack"][3:] == [None, None, None, 30.0]
    assert rows["exp"][-2:] == [None, 1.0]


def test_what_is_published_stays_small():
    """Forty bytes for each cell: there are thousands."""
    everything = [result("add", 1.2345678, 9.87654321, case=case) for case in cases.full("add")]
    run = Run(this_machine(with_torch=False), 1e11, everything)
    empty = Run(this_machine(with_torch=False), 1e11)
    size = len(publish.compact(run, [])) - len(publish.compact(empty, []))
    assert size < 70 * len(everything)  # names of kinds included


def test_the_documentation_has_room_for_results():
    text = (publish.ROOT / publish.PAGE).read_text()
    assert text.index(publish.BEGIN) < text.index(publish.END)
