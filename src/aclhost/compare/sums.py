# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of a comparison, in pieces, so that large results need little memory."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from aclhost.arrays import NDArray

_PIECE = 1 << 18
_POINTS = 1500
_GRID = (48, 96)  # cells of a heat map at most
_LOWEST, _HIGHEST = -16, 16  # decades that are told apart

ULP_LABELS = ("0", "1", "2", "3-4", "5-16", "17-64", "65-256", "257-1024", "> 1024")
_ULP_EDGES = np.array([0, 1, 2, 4, 16, 64, 256, 1024], np.float64)

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Worst:
    """A candidate for the list of worst elements."""

    score: float
    position: int
    values: tuple[float, float, float, float, float]  # as in Element, after the index

    @property
    def rank(self) -> tuple[float, int]:
        return self.score, -self.position


@dataclass
class Totals:
    """What has been seen so far."""

    shape: tuple[int, int]  # as a matrix
    keep: int
    count: int = 0
    equal: int = 0
    finite: int = 0
    nonzero: int = 0
    max_absolute: float = 0.0
    sum_absolute: float = 0.0
    max_relative: float = 0.0
    sum_relative: float = 0.0
    max_ulp: float = 0.0
    nan_mismatches: int = 0
    inf_mismatches: int = 0
    outliers: int = 0
    products: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    ulps: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(ULP_LABELS), np.int64))
    decade_counts: dict[int, int] = field(default_factory=dict)
    candidates: list[Worst] = field(default_factory=list)
    sample: list[tuple[float, float]] = field(default_factory=list)
    grid: Floats = field(default_factory=lambda: np.zeros((1, 1)))

    @property
    def worst(self) -> list[Worst]:
        return sorted(self.candidates, key=lambda row: row.rank, reverse=True)

    def cosine(self) -> float:
        dot, first, second = self.products
        if first == 0 or second == 0:
            return 1.0 if first == second else 0.0
        return dot / (math.sqrt(first) * math.sqrt(second))

    def decades(self) -> dict[str, int]:
        """Counts from the smallest error to the largest, without holes."""
        result = {"0": self.equal}
        if self.decade_counts:
            for power in range(min(self.decade_counts), max(self.decade_counts) + 1):
                result[f"1e{power:+03d}"] = self.decade_counts.get(power, 0)
        return result

    def points(self) -> tuple[tuple[float, float], ...]:
        return tuple(self.sample)

    def heat_map(self) -> tuple[tuple[tuple[float, ...], ...], int, int]:
        return tuple(tuple(row) for row in self.grid.tolist()), *self.shape


def _matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of the heat map; long vectors are folded."""
    if len(shape) > 1:
        return math.prod(shape[:-1]), shape[-1]
    length = math.prod(shape)
    columns = length if length <= _GRID[1] else math.isqrt(length * 2)
    return -(-length // max(columns, 1)), columns


def accumulate(
    actual: NDArray, expected: NDArray, dtype: np.dtype[Any], rtol: float, atol: float, keep: int
) -> Totals:
    """All sums over two arrays of equal shape."""
    shape = _matrix(actual.shape)
    totals = Totals(shape, keep)
    totals.grid = np.zeros((min(shape[0], _GRID[0]) or 1, min(shape[1], _GRID[1]) or 1))
    flat_actual, flat_expected = actual.reshape(-1), expected.reshape(-1)
    with np.errstate(all="ignore"):
        for start in range(0, flat_actual.size, _PIECE):
            here = slice(start, start + _PIECE)
            piece = _measure(flat_actual[here], flat_expected[here], dtype)
            _add(totals, start, piece, rtol, atol)
    step = max(1, flat_actual.size // _POINTS)
    pairs = (flat_expected[::step].astype(np.float64), flat_actual[::step].astype(np.float64))
    totals.sample = list(zip(pairs[0].tolist(), pairs[1].tolist(), strict=True))
    totals.sample += [(row.values[1], row.values[0]) for row in totals.worst]
    return totals


@dataclass(frozen=True)
class _Piece:
    """A piece of both results, and what is wrong with each element."""

    got: Floats
    wanted: Floats
    equal: Bools
    finite: Bools  # on both sides
    absolute: Floats  # 0 where not finite, as the following
    relative: Floats  # 0 where the expected value is 0
    ulps: Floats
    nan_mismatch: Bools
    inf_mismatch: Bools


def _measure(actual: NDArray, expected: NDArray, dtype: np.dtype[Any]) -> _Piece:
    got, wanted = actual.astype(np.float64), expected.astype(np.float64)
    equal = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    if actual.dtype.kind in "biu" and expected.dtype.kind in "biu":
        equal = actual == expected  # float64 has too few digits for 64-bit integers
    finite = np.isfinite(got) & np.isfinite(wanted)
    absolute = np.where(finite, np.abs(got - wanted), 0.0)
    absolute = np.where(finite & ~equal & (absolute == 0), 1.0, absolute)
    relative = np.where(finite & (wanted != 0), absolute / np.abs(wanted), 0.0)
    ulps = np.where(finite, ulp_distance(actual, expected, dtype), 0.0)
    nan_mismatch = np.isnan(got) != np.isnan(wanted)
    inf_mismatch = ~finite & ~equal & ~nan_mismatch
    return _Piece(got, wanted, equal, finite, absolute, relative, ulps, nan_mismatch, inf_mismatch)


def _add(totals: Totals, start: int, piece: _Piece, rtol: float, atol: float) -> None:
    finite, absolute = piece.finite, piece.absolute
    broken = piece.nan_mismatch | piece.inf_mismatch
    allowed = atol + rtol * np.abs(piece.wanted)
    totals.count += piece.got.size
    totals.equal += int(piece.equal.sum())
    totals.finite += int(finite.sum())
    totals.nonzero += int((finite & (piece.wanted != 0)).sum())
    totals.max_absolute = max(totals.max_absolute, float(absolute.max()))
    totals.sum_absolute += float(absolute.sum())
    totals.max_relative = max(totals.max_relative, float(piece.relative.max()))
    totals.sum_relative += float(piece.relative.sum())
    totals.max_ulp = max(totals.max_ulp, float(piece.ulps.max()))
    totals.nan_mismatches += int(piece.nan_mismatch.sum())
    totals.inf_mismatches += int(piece.inf_mismatch.sum())
    totals.outliers += int((broken | (finite & (absolute > allowed))).sum())
    totals.ulps += np.bincount(
        np.searchsorted(_ULP_EDGES, piece.ulps[finite], side="left"), minlength=len(ULP_LABELS)
    )
    _add_products(totals, piece.got[finite], piece.wanted[finite])
    _count_decades(totals, absolute[finite & ~piece.equal])
    _keep_worst(totals, start, piece, allowed, broken)
    _paint(totals, start, np.where(broken, np.inf, absolute))


def _add_products(totals: Totals, got: Floats, wanted: Floats) -> None:
    """For the cosine."""
    for number, pair in enumerate(((got, wanted), (got, got), (wanted, wanted))):
        totals.products[number] += float(np.dot(*pair))


def _count_decades(totals: Totals, errors: Floats) -> None:
    powers = np.clip(np.floor(np.log10(errors)), _LOWEST, _HIGHEST).astype(np.int64)
    for power, count in zip(*np.unique(powers, return_counts=True), strict=True):
        totals.decade_counts[int(power)] = totals.decade_counts.get(int(power), 0) + int(count)


def _keep_worst(totals: Totals, start: int, piece: _Piece, allowed: Floats, broken: Bools) -> None:
    values = np.stack([piece.got, piece.wanted, piece.absolute, piece.relative, piece.ulps])
    values[2:, broken] = np.nan  # there is no distance between a number and a NaN
    # Where nothing is allowed, the error itself orders, in front of all that is allowed something.
    score = np.where(allowed > 0, piece.absolute / allowed, piece.absolute * 1e300)
    score = np.where(broken, np.inf, np.nan_to_num(score))
    best = np.argsort(-score, kind="stable")[: totals.keep]
    rows = [
        Worst(float(score[i]), start + int(i), tuple(values[:, i].tolist()))
        for i in best
        if score[i] > 0
    ]
    totals.candidates = heapq.nlargest(
        totals.keep, [*totals.candidates, *rows], key=lambda row: row.rank
    )


def _paint(totals: Totals, start: int, errors: Floats) -> None:
    rows, columns = totals.shape
    height, width = totals.grid.shape
    position = np.arange(start, start + errors.size)
    cells = (position // columns * height // rows) * width + position % columns * width // columns
    np.maximum.at(totals.grid.reshape(-1), cells, errors)


def ulp_distance(actual: NDArray, expected: NDArray, dtype: np.dtype[Any]) -> Floats:
    """How many values of the dtype lie between; both are rounded to it first."""
    if dtype.kind in "?biu":
        return np.abs(actual.astype(np.float64) - expected.astype(np.float64))
    bits = np.dtype(f"u{dtype.itemsize}")
    sign = 8 * dtype.itemsize - 1
    first, second = actual.astype(dtype).view(bits), expected.astype(dtype).view(bits)
    # In magnitude order, floats of one sign are integers; the other sign counts through zero.
    low = bits.type((1 << sign) - 1)
    one, two = first & low, second & low
    apart = np.where(one > two, one - two, two - one).astype(np.float64)
    through_zero = one.astype(np.float64) + two.astype(np.float64)
    one_sign = first >> bits.type(sign) == second >> bits.type(sign)
    distance: Floats = np.where(one_sign, apart, through_zero)
    return distance
