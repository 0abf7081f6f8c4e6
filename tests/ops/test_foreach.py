# SPDX-License-Identifier: Apache-2.0
"""Lists of tensors: answers worked out by hand, and values that drawn lists do not have."""

from __future__ import annotations

import numpy as np
import pytest

import aclhost

NAN, INF = float("nan"), float("inf")
HALVES = [-2.5, -1.5, -0.3, 0.5, 1.2, 2.0]
ROUNDED = {
    0: HALVES,
    1: [-2, -2, 0, 0, 1, 2],
    2: [-3, -2, -1, 0, 1, 2],
    3: [-2, -1, 0, 1, 2, 2],
    4: [-3, -2, 0, 1, 1, 2],
    5: [-2, -1, 0, 0, 1, 2],
    6: [-3, -1, -1, 1, 1, 2],
    7: [-0.5, -0.5, -0.3, 0.5, 0.2, 0],
    8: HALVES,
    -1: HALVES,
}


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize("mode", ROUNDED)
def test_rounding(mode: int) -> None:
    x, wanted = [floats(*HALVES), floats(*HALVES[::-1])], ROUNDED[mode]
    for results in (
        aclhost.foreach_round_off_number(x, np.array([mode], np.int8)),
        aclhost.foreach_round_off_number_v2(x, np.int8(mode)),
    ):
        np.testing.assert_allclose(results[0], wanted, atol=1e-6)
        np.testing.assert_allclose(results[1], wanted[::-1], atol=1e-6)


def test_nan_stays_nan_beside_a_number() -> None:
    x = [floats(NAN, -INF, 0.0, 3.0)]
    (greater,) = aclhost.foreach_maximum_scalar_v2(x, np.float32(1))
    (lesser,) = aclhost.foreach_minimum_scalar_v2(x, np.float32(1))
    np.testing.assert_array_equal(greater, [NAN, 1, 1, 3])
    np.testing.assert_array_equal(lesser, [NAN, -INF, 0, 1])


def test_the_number_is_read_when_the_kernel_runs() -> None:
    """Not from the first element of the memory, but of the view."""
    numbers = floats(5, 7, 9, 11)
    (sum_,) = aclhost.foreach_add_scalar([floats(1, 2)], numbers[2:3])
    assert sum_.tolist() == [10, 11]
    x = [floats(1), floats(1), floats(1)]
    results = aclhost.foreach_addcmul_scalar_list(x, x, x, numbers[:0:-1])
    assert [each.item() for each in results] == [12, 10, 8]


@pytest.mark.parametrize(("value", "found"), [(INF, 1), (-INF, 1), (NAN, 1), (3e38, 0.25)])
def test_only_what_is_no_number_is_found(value: float, found: float) -> None:
    """A product that overflows was a number before."""
    grads, flag = [floats(1, 2), floats(4, value)], floats(0.25)
    aclhost.foreach_non_finite_check_and_unscale(grads, flag, floats(4))
    assert flag.tolist() == [found]
    assert grads[0].tolist() == [4, 8]


def test_a_member_may_be_another_ones_result() -> None:
    x = [floats(1, 2), floats(3, 4)]
    aclhost.foreach_add_scalar_list(x, floats(10, 20), out=x[::-1])
    assert [each.tolist() for each in x] == [[23, 24], [11, 12]]
