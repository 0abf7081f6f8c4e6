# SPDX-License-Identifier: Apache-2.0
"""The sums of `aclhost.compare` in plain NumPy, all at once: slow, and easy to read."""

from __future__ import annotations

from typing import Any

import numpy as np

_ULP_EDGES = np.array([0, 1, 2, 4, 16, 64, 256, 1024], np.float64)
_POWERS = np.array([float(f"1e{power}") for power in range(-15, 17)])


def ulp_distance(actual, expected, dtype):
    """How many values of the dtype lie between; both are rounded to it first."""
    if dtype.kind in "?biu":
        return np.abs(actual.astype(np.float64) - expected.astype(np.float64))
    bits, dtype = np.dtype(f"u{dtype.itemsize}"), dtype.newbyteorder("=")
    sign = (4 if dtype.name.startswith("float4") else 8 * dtype.itemsize) - 1
    first, second = (
        (side.astype(np.float64) if side.dtype.itemsize == 1 else side).astype(dtype).view(bits)
        for side in (actual, expected)
    )
    low = bits.type((1 << sign) - 1)
    one, two = first & low, second & low
    apart = np.where(one > two, one - two, two - one).astype(np.float64)
    through_zero = one.astype(np.float64) + two.astype(np.float64)
    return np.where(first >> bits.type(sign) == second >> bits.type(sign), apart, through_zero)


def reference(actual, expected, dtype, rtol, atol, keep) -> dict[str, Any]:
    """What `compare` must tell about two flat arrays."""
    with np.errstate(all="ignore"):
        return _reference(actual, expected, dtype, rtol, atol, keep)


def _reference(actual, expected, dtype, rtol, atol, keep):
    got, wanted = actual.astype(np.float64), expected.astype(np.float64)
    equal = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    if actual.dtype.kind in "biu" and expected.dtype.kind in "biu":
        equal = actual == expected
    finite = np.isfinite(got) & np.isfinite(wanted)
    absolute = np.where(finite, np.abs(got - wanted), 0.0)
    absolute = np.where(finite & ~equal & (absolute == 0), 1.0, absolute)
    relative = np.where(finite & (wanted != 0), absolute / np.abs(wanted), 0.0)
    ulps = np.where(finite, ulp_distance(actual, expected, dtype), 0.0)
    nan = np.isnan(got) != np.isnan(wanted)
    inf = ~finite & ~equal & ~nan
    broken = nan | inf
    allowed = atol + rtol * np.abs(wanted)
    score = np.where(allowed > 0, absolute / allowed, absolute * 1e300)
    score = np.where(broken, np.inf, np.nan_to_num(score))
    order = [int(i) for i in np.argsort(-score, kind="stable")[:keep] if score[i] > 0]
    decades = np.searchsorted(_POWERS, absolute[finite & ~equal], side="right")
    good = (got[finite], wanted[finite])
    return {
        "equal": int(equal.sum()),
        "finite": int(finite.sum()),
        "nonzero": int((finite & (wanted != 0)).sum()),
        "nan_mismatches": int(nan.sum()),
        "inf_mismatches": int(inf.sum()),
        "outliers": int((broken | (finite & (absolute > allowed))).sum()),
        "max_absolute": float(absolute.max(initial=0)),
        "sum_absolute": float(absolute.sum()),
        "max_relative": float(relative.max(initial=0)),
        "sum_relative": float(relative.sum()),
        "max_ulp": float(ulps.max(initial=0)),
        "products": [float(np.dot(*pair)) for pair in (good, good[:1] * 2, good[1:] * 2)],
        "ulps": np.bincount(
            np.searchsorted(_ULP_EDGES, ulps[finite], side="left"), minlength=9
        ).tolist(),
        "decades": np.bincount(decades, minlength=33).tolist(),
        "worst": order,
        "errors": np.where(broken, np.inf, absolute),
    }


def heat_map(errors, rows, columns, height, width):
    """The largest error of each cell."""
    cells = np.zeros((height, width))
    for position, error in enumerate(errors):
        row, column = divmod(position, columns)
        cell = row * height // rows, column * width // columns
        cells[cell] = max(cells[cell], error)
    return cells
