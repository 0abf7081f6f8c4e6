# SPDX-License-Identifier: Apache-2.0
"""Scans of every type and layout against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import aclhost


@pytest.mark.parametrize("dtype", ["i1", "u1", "?", "i2", "i4", "i8", "f4", "f8"])
@pytest.mark.parametrize("length", [5, 16, 100, 2500])
def test_extremes_so_far(dtype: str, length: int) -> None:
    """The last of equal ones counts. Long rows take several blocks."""
    x = np.random.default_rng(length).integers(-60, 60, (7, length)).astype(dtype)
    for function, best in ((aclhost.cummax, np.maximum), (aclhost.cummin, np.minimum)):
        wanted = best.accumulate(x, axis=1)
        places = np.maximum.accumulate(np.where(x == wanted, np.arange(length), 0), axis=1)
        for view in (x, x.T.copy().T):
            values, indices = function(view, 1)
            np.testing.assert_array_equal(values, wanted)
            np.testing.assert_array_equal(indices, places)


@pytest.mark.parametrize("place", [0, 3, 40])
def test_nan_stays_the_extreme(place: int) -> None:
    x = np.linspace(0, 1, 100, dtype=np.float32)
    x[place] = np.nan
    values, indices = aclhost.cummin(x, 0)
    assert np.isnan(values[place:]).all()
    assert (indices[place:] == place).all()
    assert not np.isnan(values[:place]).any()


@pytest.mark.parametrize("dtype", ["f4", "f2", "f8", "i8", "u1"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_products_in_place_do_not_depend_on_the_layout(dtype: str, axis: int) -> None:
    x = np.random.default_rng(axis).integers(1, 5, (9, 31, 40)).astype(dtype)
    wanted = aclhost.inplace_cumprod(x.copy(), axis)
    for order in ((2, 1, 0), (1, 2, 0), (0, 2, 1)):
        back = np.argsort(order)
        turned = x.transpose(order).copy().transpose(back)
        found = aclhost.inplace_cumprod(turned, axis)
        assert found.tobytes() == wanted.tobytes()
    strided = np.repeat(x, 2, axis=2)[:, :, ::2]
    assert aclhost.inplace_cumprod(strided, axis).tobytes() == wanted.tobytes()
