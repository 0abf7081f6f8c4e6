# SPDX-License-Identifier: Apache-2.0
"""What all ratios of a run come to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from statistics import geometric_mean
from typing import TypeAlias

from aclhost.bench.results import Result

Ratio: TypeAlias = Callable[[Result], float | None]

DOORS: dict[str, Ratio] = {
    "Python": lambda result: result.ratio,
    "C": lambda result: result.c_ratio,
}
AGAINST_NUMPY: Ratio = lambda result: None if result.ratio else result.numpy_ratio  # noqa: E731
WANTED_MEAN, WANTED_LEAST, WANTED_SHARE = 2.0, 0.9, 0.95


@dataclass(frozen=True)
class Headline:
    """Of some cells: how many, the geometric mean, the least, and shares of them."""

    cells: int
    mean: float
    least: float
    worst: str  # the cell with the least
    ahead: float  # share at 1 or above
    near: float  # share at 0.9 or above


def headline(results: Iterable[Result], ratio: Ratio) -> Headline | None:
    """None if nothing was compared. Disturbed cells do not count."""
    found = [
        (value, result.case.name)
        for result in results
        if not result.disturbed and (value := ratio(result)) is not None
    ]
    if not found:
        return None
    values = [value for value, _ in found]
    least, worst = min(found)
    return Headline(
        len(values), geometric_mean(values), least, worst,
        sum(value >= 1 for value in values) / len(values),
        sum(value >= WANTED_LEAST for value in values) / len(values),
    )  # fmt: skip


def worst_cells(results: Iterable[Result], count: int) -> Sequence[Result]:
    """Those with the least ratio to torch through either door, the least first."""
    compared = [result for result in results if not result.disturbed and result.ratio is not None]
    return sorted(compared, key=least_ratio)[:count]


def least_ratio(result: Result) -> float:
    """Through either door, or to NumPy where there is no torch; infinite without both."""
    ratios = (*DOORS.values(), AGAINST_NUMPY)
    return min((value for ratio in ratios if (value := ratio(result)) is not None), default=inf)
