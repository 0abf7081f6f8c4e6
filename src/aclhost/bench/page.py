# SPDX-License-Identifier: Apache-2.0
"""A run as one page of Markdown: headline, pictures, groups of cells, and the slowest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from aclhost.bench.cases import Case
from aclhost.bench.headline import (
    AGAINST_NUMPY,
    DOORS,
    WANTED_LEAST,
    WANTED_MEAN,
    WANTED_SHARE,
    Headline,
    headline,
    worst_cells,
)
from aclhost.bench.report import duration, number
from aclhost.bench.results import Result, Run

PICTURES = {
    "ratio.png": "Dots for ratios to torch by family and door, on a logarithmic axis around 1",
    "roofline.png": "Operations per second by operations per byte, under the limits of the machine",
    "growth.png": "Time per element by number of elements",
}
_WORST = 20
_DIVISIONS: dict[str, Callable[[Case], str]] = {
    "family": lambda case: case.family,
    "size": lambda case: case.size,
    "layout": lambda case: case.layout,
    "dtype": lambda case: case.dtype,
}
_RATIO = (
    "A ratio is torch's time over aclhost's within one round; shown is the median over the rounds. "
    "So it need not be the quotient of the median times beside it. Above 1, aclhost is faster. "
    "**Python** is the Python function with NumPy arrays; **C** is both phases and a "
    "synchronisation in a compiled loop, on device memory; torch's call is made from Python."
)


def page(run: Run, pictures: Iterable[str]) -> str:
    """With the pictures that there are, by their paths from the page; it has no title."""
    shown = {path.rpartition("/")[2]: path for path in pictures}
    parts = [
        *_picture("ratio.png", shown),
        *_headlines(run),
        _RATIO,
        f"Measured on: {run.machine.line}.",
        *([f"{run.disturbance}."] if run.disturbance else []),
        *_uncompared(run),
        *_picture("roofline.png", shown),
        *_picture("growth.png", shown),
        *_divided(run.results),
        "### The slowest cells",
        _slowest(worst_cells(run.results, _WORST)),
    ]
    return "\n\n".join(parts) + "\n"


def _picture(name: str, shown: dict[str, str]) -> list[str]:
    return [f"![{PICTURES[name]}]({shown[name]})"] if name in shown else []


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _headlines(run: Run) -> Iterator[str]:
    heads = ("compared with", "cells", "geometric mean", "minimum", "at 1 or above",
             f"at {WANTED_LEAST} or above")  # fmt: skip
    lines = {
        **{f"torch, through {door}": headline(run.results, ratio) for door, ratio in DOORS.items()},
        "NumPy, where torch has none": headline(run.results, AGAINST_NUMPY),
    }
    wanted = f"{WANTED_MEAN:g}", f"{WANTED_LEAST:g}", f"{WANTED_SHARE:.0%}", "100%"
    rows = [[name, *_cells(found)] for name, found in lines.items() if found is not None]
    yield _table(heads, [*rows, ["wanted of torch", "", *wanted]])


def _cells(found: Headline) -> tuple[str, ...]:
    return (
        f"{found.cells}", f"**{found.mean:.2f}**", f"{found.least:.2f} ({found.worst})",
        f"{found.ahead:.1%}", f"{found.near:.1%}",
    )  # fmt: skip


def _uncompared(run: Run) -> Iterator[str]:
    """How many have nobody to be compared with."""
    alone = [result for result in run.results if not result.ratio and not result.numpy_ratio]
    operators = {result.case.operator for result in run.results}
    yield (
        f"{len(run.results)} cells of {len(operators)} operators were measured; {len(alone)} have "
        "nobody to be compared with: torch lacks the operator or the dtype, and NumPy's definition "
        "takes seconds."
    )


def _divided(results: Sequence[Result]) -> Iterator[str]:
    """By family, and by whatever else differs between them."""
    for name, of in _DIVISIONS.items():
        groups: dict[str, list[Result]] = {}
        for result in results:
            groups.setdefault(of(result.case), []).append(result)
        if name == "family" or len(groups) > 1:
            yield f"### By {name}"
            yield _groups(name, groups)


def _groups(name: str, groups: dict[str, list[Result]]) -> str:
    rows = []
    for group, members in sorted(groups.items()):
        found = [headline(members, ratio) for ratio in DOORS.values()]
        if any(found):
            rows.append([group, *(text for one in found for text in _short(one))])
    heads = ("cells", "mean", "minimum", "at 1 or above", f"at {WANTED_LEAST} or above")
    doors = (f"{head}, {door}" if head == "mean" else head for door in DOORS for head in heads)
    return _table((name, *doors), rows)


def _short(found: Headline | None) -> tuple[str, ...]:
    if found is None:
        return "0", "-", "-", "-", "-"
    return (
        f"{found.cells}", f"{found.mean:.2f}", f"{found.least:.2f}",
        f"{found.ahead:.1%}", f"{found.near:.1%}",
    )  # fmt: skip


def _slowest(results: Sequence[Result]) -> str:
    heads = ("cell", "Python", "C", "torch", "ratio, Python", "ratio, C")
    rows = [
        [
            result.case.name, duration(result.seconds), duration(result.c_seconds),
            duration(result.torch_seconds), number(result.ratio), number(result.c_ratio),
        ]
        for result in results
    ]  # fmt: skip
    return _table(heads, rows)
