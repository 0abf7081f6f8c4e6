# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of a comparison: native, in pieces, so that somebody can watch it go on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from aclhost._native import compare_lines
from aclhost.arrays import NDArray
from aclhost.spec.dtypes import BY_NUMPY, INT64

_PIECE = 1 << 23
_CONVERTED = 1 << 18  # elements of a piece that NumPy must convert first
_POINTS = 400
_GRID = (24, 48)  # cells of a heat map at most
_LOWEST = -16  # the first decade that the native sums tell apart

ULP_LABELS = ("0", "1", "2", "3-4", "5-16", "17-64", "65-256", "257-1024", "> 1024")
_NATIVE = frozenset(
    ("bool", "float16", "bfloat16", "float32", "float64",
     *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
)  # fmt: skip

Floats = npt.NDArray[np.float64]
Progress = Callable[[int, int], None]  # told how many elements are done, of how many


@dataclass(frozen=True)
class Worst:
    """A candidate for the list of worst elements."""

    score: float
    position: int
    values: tuple[float, float, float, float, float]  # as in Element, after the index

    @property
    def rank(self) -> tuple[float, int]:
        return -self.score, self.position


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
    ulps: list[int] = field(default_factory=lambda: [0] * len(ULP_LABELS))
    decade_counts: list[int] = field(default_factory=list)
    worst: list[Worst] = field(default_factory=list)
    sample: list[tuple[float, float]] = field(default_factory=list)
    grid: Floats = field(default_factory=lambda: np.zeros((1, 1)))

    def cosine(self) -> float:
        dot, first, second = self.products
        if first == 0 or second == 0:
            return 1.0 if first == second else 0.0
        return dot / (math.sqrt(first) * math.sqrt(second))

    def decades(self) -> dict[str, int]:
        """Counts from the smallest error to the largest, without holes."""
        result = {"0": self.equal}
        seen = [number for number, count in enumerate(self.decade_counts) if count]
        if seen:
            for number in range(seen[0], seen[-1] + 1):
                result[f"1e{number + _LOWEST:+03d}"] = self.decade_counts[number]
        return result

    def points(self) -> tuple[tuple[float, float], ...]:
        return tuple(self.sample)

    def heat_map(self) -> tuple[tuple[tuple[float, ...], ...], int, int]:
        return tuple(tuple(row) for row in self.grid.tolist()), *self.shape

    def add(self, count: int, part: dict[str, Any]) -> None:
        """What `compare_lines` found in the next elements."""
        self.count += count
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + part[name])
        for name in ("max_absolute", "max_relative", "max_ulp"):
            setattr(self, name, max(getattr(self, name), part[name]))
        self.products = [a + b for a, b in zip(self.products, part["products"], strict=True)]
        self.ulps = [a + b for a, b in zip(self.ulps, part["ulps"], strict=True)]
        before = self.decade_counts or [0] * len(part["decades"])
        self.decade_counts = [a + b for a, b in zip(before, part["decades"], strict=True)]
        rows = [Worst(row[0], row[1], tuple(row[2:])) for row in part["worst"]]
        self.worst = sorted([*self.worst, *rows], key=lambda row: row.rank)[: self.keep]


_SUMS = (
    "equal", "finite", "nonzero", "nan_mismatches", "inf_mismatches", "outliers",
    "sum_absolute", "sum_relative",
)  # fmt: skip


def _matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of the heat map; long vectors are folded."""
    if len(shape) > 1:
        return math.prod(shape[:-1]), shape[-1]
    length = math.prod(shape)
    columns = length if length <= _GRID[1] else math.isqrt(length * 2)
    return -(-length // max(columns, 1)), columns


def accumulate(
    actual: NDArray,
    expected: NDArray,
    dtype: np.dtype[Any],
    rtol: float,
    atol: float,
    keep: int,
    progress: Progress | None = None,
) -> Totals:
    """All sums over two arrays of equal shape; the progress is told after each piece."""
    shape = _matrix(actual.shape)
    totals = Totals(shape, keep)
    totals.grid = np.zeros((min(shape[0], _GRID[0]) or 1, min(shape[1], _GRID[1]) or 1))
    first, second = actual.reshape(-1), expected.reshape(-1)
    native = _is_native(first.dtype) and _is_native(second.dtype)
    ulps = _ulps_of(dtype)
    step = _PIECE if native and ulps is not None else _CONVERTED
    for start in range(0, first.size, step):
        here = slice(start, start + step)
        one, two = np.ascontiguousarray(first[here]), np.ascontiguousarray(second[here])
        rounded: tuple[NDArray | None, NDArray | None] = (None, None)
        if ulps is None or not native:
            one, two, rounded = _converted(one, two, dtype)
        kind = INT64.value if ulps is None else ulps
        part = compare_lines(
            one, two, *rounded, kind, rtol, atol, keep, start,
            totals.grid.reshape(-1), len(totals.grid), *shape,
        )  # fmt: skip
        totals.add(one.size, part)
        if progress is not None:
            progress(totals.count, first.size)
    totals.sample = _sample(first, second)
    totals.sample += [(row.values[1], row.values[0]) for row in totals.worst]
    return totals


def _sample(actual: NDArray, expected: NDArray) -> list[tuple[float, float]]:
    step = max(1, -(-actual.size // _POINTS))
    with np.errstate(all="ignore"):  # NaN of types that NumPy does not know
        pairs = (expected[::step].astype(np.float64), actual[::step].astype(np.float64))
    return list(zip(pairs[0].tolist(), pairs[1].tolist(), strict=True))


def _is_native(dtype: np.dtype[Any]) -> bool:
    return dtype.name in _NATIVE and dtype.isnative


def _ulps_of(dtype: np.dtype[Any]) -> int | None:
    """The number of the dtype whose ulps count; None if its values are rounded here."""
    return BY_NUMPY[dtype.name].value if dtype.name in _NATIVE else None


def _converted(
    actual: NDArray, expected: NDArray, dtype: np.dtype[Any]
) -> tuple[NDArray, NDArray, tuple[NDArray | None, NDArray | None]]:
    """Both sides in dtypes that the native sums know, and their bits in the dtype of the ulps."""
    with np.errstate(all="ignore"):
        one, two = (_known(side) for side in (actual, expected))
        if dtype.kind in "?biu":
            return one, two, (None, None)
        return one, two, (_bits(actual, dtype), _bits(expected, dtype))


def _bits(array: NDArray, dtype: np.dtype[Any]) -> NDArray:
    if array.dtype.itemsize == 1 and array.dtype.kind in "fV":  # not all can become each other
        array = array.astype(np.float64)
    bits = array.astype(dtype.newbyteorder("=")).view(f"u{dtype.itemsize}")
    if dtype.name.startswith("float4"):  # the sign goes where a whole byte has it
        return (bits & 8) << 4 | bits & 7
    return bits


def _known(array: NDArray) -> NDArray:
    if array.dtype.name in _NATIVE:
        return array.astype(array.dtype.newbyteorder("="))
    return array.astype(np.float64)
