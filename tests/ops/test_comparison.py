# SPDX-License-Identifier: Apache-2.0
"""What the walk over all point-wise operators cannot see of comparisons and bits."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

import aclhost
from aclhost.spec import dtypes
from aclhost.spec.call import ScalarArg

TENTH = np.array([0.1, 0.5, np.nan], np.float16)  # the nearest FLOAT16 to 0.1 is below it
FLOATS = {
    dtypes.FLOAT: np.float32,
    dtypes.FLOAT16: np.float16,
    dtypes.BF16: ml_dtypes.bfloat16,
}


@pytest.mark.parametrize(("dtype", "kind"), FLOATS.items(), ids=str)
def test_scalars_round_to_nearest(dtype: dtypes.DataType, kind: type) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(0, 1, 500) * np.exp2(rng.integers(-160, 140, 500))
    with np.errstate(all="ignore"):
        single = kind is not np.float32
        exact = values.astype(np.float32).astype(np.float64) if single else values
        wanted = exact.astype(kind).astype(np.float64)
    got = [ScalarArg(float(value), dtypes.DOUBLE).rounded_to(dtype) for value in exact]
    assert np.array_equal(got, wanted)


@pytest.mark.parametrize("name", ["ge_scalar", "gt_scalar"])
def test_double_scalar_widens_what_does_not_hold_it(name: str) -> None:
    function = getattr(aclhost, name)
    with aclhost.soc("Ascend910B1"):
        assert function(TENTH, 0.1).tolist() == [False, True, False]
    with aclhost.soc("Ascend950PR_9599"):
        assert function(TENTH, 0.1).tolist() == [name == "ge_scalar", True, False]
    with aclhost.soc("Ascend910B1"):
        assert function(TENTH, 0.5).tolist() == [False, name == "ge_scalar", False]


def test_infinite_double_scalar() -> None:
    assert aclhost.gt_scalar(TENTH, -math.inf).tolist() == [True, True, False]


@pytest.mark.parametrize("name", ["eq_scalar", "le_scalar"])
def test_other_comparisons_round_the_scalar(name: str) -> None:
    assert getattr(aclhost, name)(TENTH, 0.1).tolist() == [True, False, False]


def test_integer_scalars_wrap() -> None:
    """300 is 44 in INT8."""
    assert aclhost.eq_scalar(np.array([44, 45], np.int8), 300).tolist() == [True, False]


def test_complex_scalar_counts_as_0() -> None:
    x = np.array([-1, 0, 1], np.float32)
    assert aclhost.lt_scalar(x, 1 + 1j).tolist() == [True, False, False]


def test_tensors_of_rank_0_are_scalars_on_950() -> None:
    other = np.array(0.1)
    with aclhost.soc("Ascend910B1"):
        assert aclhost.eq_tensor(TENTH, other).tolist() == [False, False, False]
    with aclhost.soc("Ascend950PR_9599"):
        assert aclhost.eq_tensor(TENTH, other).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("kind", "x", "count", "wanted"),
    [
        (np.uint8, 200, 9, 1),
        (np.uint8, 100, 8, 0),
        (np.uint8, 200, 3, 25),
        (np.int8, -5, 9, -1),
        (np.int8, -5, -1, -5),
        (np.int64, 5, -3, 5),
        (np.uint64, 2**63, 64, 1),
    ],
)
def test_right_shift_leaves_one_place(kind: type, x: int, count: int, wanted: int) -> None:
    got = aclhost.right_shift(np.array([x], kind), np.array([count], kind))
    assert got.tolist() == [wanted]


def test_left_shift_in_the_common_dtype() -> None:
    """UINT8 and INT8 meet in INT16, so that 9 places are not past the width."""
    out = np.zeros(1, np.int32)
    aclhost.left_shift(np.array([3], np.uint8), np.array([9], np.int8), out=out)
    assert out.tolist() == [1536]


def test_is_close_is_exact_for_long_integers() -> None:
    x = np.array([2**60 + 1], np.int64)
    assert aclhost.is_close(x, x - 1, 0.0, 0.0).tolist() == [False]
    assert aclhost.is_close(x, x - 1, 0.0, 1.0).tolist() == [True]


def test_is_close_and_infinite_differences() -> None:
    x, y = np.array([np.inf, np.inf, 1.0, np.nan]), np.array([np.inf, 1.0, np.inf, np.nan])
    assert aclhost.is_close(x, y).tolist() == [True, False, False, False]
    assert aclhost.is_close(x, y, equal_nan=True).tolist() == [True, False, False, True]
