# SPDX-License-Identifier: Apache-2.0
"""Activations: what happens at kinks, to NaN, to integers and to what is left out."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import aclhost

INF, NAN = np.float32(np.inf), np.float32(np.nan)
KINKS = np.array([-4, -3, 0, 3, 4, NAN, -INF, INF], np.float32)
ONES = np.ones(8, np.float32)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("hardswish_backward", [0, -0.5, 0.5, 1.5, 1, 1, 0, 1]),
        ("hardswish_backward_v2", [0, 0, 0.5, 1, 1, 1, 0, 1]),
        ("hardsigmoid_backward", [0, 0, 1 / 6, 0, 0, 0, 0, 0]),
        ("hardshrink_backward", [1, 1, 0, 1, 1, 1, 1, 1]),
        ("softshrink_backward", [1, 1, 0, 1, 1, 1, 1, 1]),
        ("threshold_backward", [0, 0, 0, 1, 1, 1, 0, 1]),
        ("hardtanh_backward", [0, 0, 1, 0, 0, 1, 0, 0]),
    ],
)
def test_slopes_at_kinks(name: str, wanted: list[float]) -> None:
    got = getattr(aclhost, name)(ONES, KINKS)
    np.testing.assert_allclose(got, np.array(wanted, np.float32), rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("hardswish", (), [0, 0, 0, 3, 4, NAN, 0, INF]),
        ("hardshrink", (3.0,), [-4, 0, 0, 0, 4, NAN, -INF, INF]),
        ("hardshrink", (-1.0,), [-4, -3, 0, 3, 4, NAN, -INF, INF]),
        ("softshrink", (3.0,), [-1, 0, 0, 0, 1, 0, -INF, INF]),
        ("shrink", (3.0, 0.5), [-3.5, 0, 0, 0, 3.5, 0, -INF, INF]),
        ("threshold", (3.0, 7.0), [7, 7, 7, 7, 4, 7, 7, INF]),
        ("hardtanh", (-3.0, 3.0), [-3, -3, 0, 3, 3, NAN, -3, 3]),
    ],
)
def test_values_at_kinks(name: str, arguments: tuple[float, ...], wanted: list[float]) -> None:
    got = getattr(aclhost, name)(KINKS, *arguments)
    np.testing.assert_array_equal(got, np.array(wanted, np.float32))


def test_hard_tanh_passes_gradients_between_its_bounds_only() -> None:
    x = np.array([-1, -0.5, 1], np.float32)
    np.testing.assert_array_equal(aclhost.hardtanh_backward(ONES[:3], x, -1.0, 1.0), [0, 1, 0])


def test_thresholds_next_to_0_are_0() -> None:
    x = np.array([-1e-7, 1e-8, 1.0], np.float32)
    for limit in (1e-7, -1e-7, 0.0):
        np.testing.assert_array_equal(aclhost.threshold_backward(ONES[:3], x, limit), [0, 1, 1])
    np.testing.assert_array_equal(aclhost.threshold_backward(ONES[:3], x, 0.5), [0, 0, 1])


def test_integers_of_smooth_functions() -> None:
    x = np.array([-5, -1, 0, 2, 3, 59, 127], np.int32)
    exact = np.array([-1.746, -1.111, 0, 2.101, 3.152, 61.99, 133.44])
    np.testing.assert_array_equal(aclhost.selu(x), np.trunc(exact))
    np.testing.assert_array_equal(aclhost.selu(x.astype(np.int8))[-1], 133 - 256)
    np.testing.assert_array_equal(aclhost.hardsigmoid(x), [0, 0, 0, 0, 1, 1, 1])
    gradient = np.array([2, 3], np.int32)
    # 2 * 1.0507 above 0; 3 * (1.7581 - 1) below.
    result = np.array([5, -1], np.int32)
    np.testing.assert_array_equal(aclhost.selu_backward(gradient, result), [2, 2])


def test_steps_take_the_shape_of_the_input_beside_one_value() -> None:
    x = np.array([-1, 0, 2, NAN], np.float32)
    half = np.array([[0.5]], np.float32)
    np.testing.assert_array_equal(aclhost.heaviside(x, half), [0, 0.5, 1, 0])
    with pytest.raises(aclhost.AclnnError, match="of input where values is one element"):
        aclhost.heaviside(x, half, out=np.empty((1, 4), np.float32))


def test_what_is_left_out() -> None:
    x = np.array([-1, 0.5, 3], np.float32)
    np.testing.assert_array_equal(aclhost.swish(x), aclhost.silu(x))
    np.testing.assert_allclose(
        aclhost.swish(x, beta_optional=2.0), x / (1 + np.exp(-2 * x)), rtol=1e-6
    )
    buffer = np.full(3, 7, np.float32)
    np.testing.assert_array_equal(
        aclhost.log_sigmoid_forward(x, buffer=buffer), aclhost.log_sigmoid(x)
    )
    assert set(buffer) == {7}


@pytest.mark.parametrize(("number", "word"), [(0, "none"), (1, "tanh"), (2, "none")])
def test_forms_of_gelu(number: int, word: str) -> None:
    x = torch.linspace(-6, 6, 101)
    wanted = torch.nn.functional.gelu(x.double(), approximate=word)
    got = aclhost.gelu_v2(x, approximate=number)
    torch.testing.assert_close(got.double(), wanted, rtol=1e-6, atol=1e-6)
    slopes = aclhost.gelu_backward_v2(torch.ones_like(x), x, approximate=word)
    wanted = torch.ops.aten.gelu_backward(torch.ones_like(wanted), x.double(), approximate=word)
    torch.testing.assert_close(slopes.double(), wanted, rtol=1e-6, atol=2e-6)


def test_the_slope_of_gelu_by_tanh_is_0_or_1_far_out() -> None:
    x = np.array([-INF, -1e30, -1e4, 1e4, 1e30, INF], np.float32)
    np.testing.assert_array_equal(aclhost.gelu_backward(np.ones_like(x), x), [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize(("low", "high"), [(1.5, 1.0), (2, 1.9)])
def test_bounds_of_hard_tanh_do_not_cross(low: float, high: float) -> None:
    """Integers are compared as integers: 2 exceeds 1.9, which counts as 1."""
    with pytest.raises(aclhost.AclnnError, match="clipValueMin must not exceed clipValueMax"):
        aclhost.hardtanh(ONES, low, high)


def test_integer_bounds_ignore_fractions() -> None:
    x = np.arange(5, dtype=np.int32)
    np.testing.assert_array_equal(aclhost.hardtanh(x, 2, 2.9), [2, 2, 2, 2, 2])


def test_exact_gelu_far_below_zero() -> None:
    """What is left there has its digits."""
    x = np.linspace(-13, 6, 100_001).astype(np.float32)
    wanted = torch.nn.functional.gelu(torch.from_numpy(x).double()).numpy()
    tail = x < -5
    wide = torch.from_numpy(x[tail]).double()
    wanted[tail] = (wide * 0.5 * torch.special.erfc(-wide / 2**0.5)).numpy()
    off = np.abs(aclhost.gelu_v2(x) - wanted) / np.spacing(np.abs(wanted).astype(np.float32))
    assert np.max(off) < 8
