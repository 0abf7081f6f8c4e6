# SPDX-License-Identifier: Apache-2.0
"""Two results side by side: how far apart they are, where, and whether that is good enough.

comparison = compare(actual, expected)
if not comparison.passed:
    print(comparison.failures, comparison.worst)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import ml_dtypes
import numpy as np

from aclhost.arrays import NDArray, as_array, finfo
from aclhost.compare import sums

__all__ = ["STANDARDS", "Comparison", "Element", "HeatMap", "Standard", "compare", "standard_for"]


@dataclass(frozen=True)
class Standard:
    """When two results count as equal.

    An element is good if |actual - expected| <= atol + rtol * |expected|; a NaN is good where a
    NaN is expected, an infinity where the same infinity is.

    Attributes:
        rtol: Relative tolerance.
        atol: Absolute tolerance.
        outliers: The fraction of elements that may be bad.
        max_ulp: No element may be farther away, in units in the last place of the dtype.
        cosine: The least cosine similarity of the whole.

    """

    rtol: float
    atol: float
    outliers: float = 0.0
    max_ulp: float = math.inf
    cosine: float = -1.0

    def is_bad(self, expected: float, actual: float) -> bool:
        """Whether two finite numbers are farther apart than allowed."""
        return abs(actual - expected) > self.atol + self.rtol * abs(expected)


# Sixteen-bit results may differ by two ulps of the dtype, float32 by 64, float64 by 2**10.
# Integers are equal or they are not.
STANDARDS: Mapping[str, Standard] = {
    "float16": Standard(2**-9, 1e-5),
    "bfloat16": Standard(2**-6, 1e-5),
    "float32": Standard(2**-17, 1e-6),
    "float64": Standard(2**-42, 1e-12),
}
_EXACT = Standard(0.0, 0.0)
_WIDEST = 8  # bytes; ulps are counted in integers of the same size
_COARSE = Standard(0.25, 1e-3)  # eight bits and less


def standard_for(dtype: np.dtype[Any]) -> Standard:
    """The standard of a dtype, where the user sets none."""
    if dtype.name in STANDARDS:
        return STANDARDS[dtype.name]
    return _EXACT if dtype.kind in "?biu" else _COARSE


@dataclass(frozen=True)
class Element:
    """One position of both results."""

    index: tuple[int, ...]
    actual: float
    expected: float
    absolute: float
    relative: float
    ulps: float


@dataclass(frozen=True)
class HeatMap:
    """The largest absolute error of each cell; rows are all axes but the last."""

    cells: tuple[tuple[float, ...], ...]
    rows: int  # of the array; a cell can stand for several
    columns: int


@dataclass(frozen=True)
class Comparison:
    """What `compare` found. Errors of NaN and infinity are counted, not averaged.

    Attributes:
        dtype: The coarser dtype of the two, whose ulps are counted.
        ulps: How many elements lie how far apart, by ranges of ulps.
        decades: How many elements have which absolute error, by powers of ten; "0" is equality.
        worst: The worst elements, worst first.
        points: (expected, actual) of a sample of elements.
        failures: Why the comparison fails; empty if it passes.

    """

    shape: tuple[int, ...]
    dtype: str
    count: int
    equal: int
    max_absolute: float
    mean_absolute: float
    max_relative: float
    mean_relative: float
    max_ulp: float
    cosine: float
    nan_mismatches: int
    inf_mismatches: int
    outliers: int
    standard: Standard
    failures: tuple[str, ...] = ()
    ulps: Mapping[str, int] = field(default_factory=dict)
    decades: Mapping[str, int] = field(default_factory=dict)
    worst: tuple[Element, ...] = ()
    points: tuple[tuple[float, float], ...] = field(default=(), repr=False)
    heat_map: HeatMap | None = field(default=None, repr=False)

    @property
    def passed(self) -> bool:
        return not self.failures

    def _repr_html_(self) -> str:
        """What a notebook shows: the report, in a frame, so that neither styles the other."""
        from html import escape

        from aclhost.compare.report import Entry, html_report

        report = html_report([Entry("comparison", self)], "actual", "expected")
        style = "width: 100%; height: 640px; border: 0"
        return f'<iframe style="{style}" srcdoc="{escape(report)}"></iframe>'


def compare(
    actual: NDArray,
    expected: NDArray,
    *,
    standard: Standard | None = None,
    dtype: np.dtype[Any] | None = None,
    worst: int = 5,
    progress: sums.Progress | None = None,
) -> Comparison:
    """Compares two arrays of equal shape.

    Args:
        actual: The result in question, for example from a device.
        expected: What it should be; may have a finer dtype.
        standard: What is good enough; by default that of the dtype.
        dtype: The dtype whose ulps are counted; by default the coarser of the two.
        worst: How many of the worst elements to name.
        progress: Is called again and again: with the elements that are done, and with all.

    Raises:
        ValueError: the shapes differ, or the arrays hold no numbers.

    """
    actual, expected = as_array(actual), as_array(expected)
    if actual.shape != expected.shape:
        raise ValueError(f"shapes differ: {_shape(actual.shape)} and {_shape(expected.shape)}")
    if "c" in (actual.dtype.kind, expected.dtype.kind):  # a real side has imaginary parts of 0
        actual, expected = (_complex(each) for each in (actual, expected))
    actual, expected = _real(actual), _real(expected)
    kind = part(np.dtype(dtype)) if dtype is not None else coarser(actual.dtype, expected.dtype)
    if kind.itemsize > _WIDEST:
        raise ValueError(f"dtype {kind} is wider than float64; convert one side to float64 or less")
    chosen = standard_for(kind) if standard is None else standard
    totals = sums.accumulate(actual, expected, kind, chosen.rtol, chosen.atol, worst, progress)
    found = _result(totals, actual.shape, kind, chosen)
    return replace(found, failures=tuple(_failures(found)))


def part(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the two numbers that a complex one consists of; any other dtype itself."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def coarser(first: np.dtype[Any], second: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype with fewer digits; a floating one beats integers."""
    floats = [part(dtype) for dtype in (first, second) if dtype.kind not in "?biu"]
    if not floats:
        return first
    return min(floats, key=_digits)


def _digits(dtype: np.dtype[Any]) -> int:
    return int(finfo(dtype).nmant)


def _shape(shape: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _complex(array: NDArray) -> NDArray:
    return array.astype(np.complex128) if array.dtype.kind in "?biufV" else array


def _real(array: NDArray) -> NDArray:
    """Complex numbers as pairs along a new last axis."""
    if array.dtype.kind == "c":
        line = np.ascontiguousarray(array).reshape(-1)
        return line.view(part(array.dtype)).reshape(*array.shape, 2)
    if array.dtype.kind in "?biuf" or hasattr(ml_dtypes, array.dtype.name):
        return array
    raise ValueError(f"dtype {array.dtype} holds no numbers")


def _result(
    totals: sums.Totals, shape: tuple[int, ...], dtype: np.dtype[Any], standard: Standard
) -> Comparison:
    return Comparison(
        shape=shape,
        dtype=dtype.name,
        count=totals.count,
        equal=totals.equal,
        max_absolute=totals.max_absolute,
        mean_absolute=totals.sum_absolute / max(totals.finite, 1),
        max_relative=totals.max_relative,
        mean_relative=totals.sum_relative / max(totals.nonzero, 1),
        max_ulp=totals.max_ulp,
        cosine=totals.cosine(),
        nan_mismatches=totals.nan_mismatches,
        inf_mismatches=totals.inf_mismatches,
        outliers=totals.outliers,
        standard=standard,
        ulps=dict(zip(sums.ULP_LABELS, totals.ulps, strict=True)),
        decades=totals.decades(),
        worst=tuple(
            Element(tuple(int(i) for i in np.unravel_index(row.position, shape)), *row.values)
            for row in totals.worst
        ),
        points=totals.points(),
        heat_map=HeatMap(*totals.heat_map()) if totals.count else None,
    )


def _failures(found: Comparison) -> list[str]:
    standard, reasons = found.standard, []
    if found.nan_mismatches:
        reasons.append(f"{found.nan_mismatches} NaN on one side only")
    if found.inf_mismatches:
        reasons.append(f"{found.inf_mismatches} infinities on one side only, or of other sign")
    if found.outliers > standard.outliers * found.count:
        share = found.outliers / found.count
        reasons.append(
            f"{found.outliers} elements ({share:.3%}) beyond rtol {standard.rtol:.3g} and atol "
            f"{standard.atol:.3g}; allowed are {standard.outliers:.3%}"
        )
    if found.max_ulp > standard.max_ulp:
        reasons.append(f"{found.max_ulp:g} ulp apart; allowed are {standard.max_ulp:g}")
    if found.cosine < standard.cosine:
        reasons.append(f"cosine similarity {found.cosine:.6f}, less than {standard.cosine:g}")
    return reasons
