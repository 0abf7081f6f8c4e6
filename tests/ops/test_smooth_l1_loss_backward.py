# SPDX-License-Identifier: Apache-2.0
"""aclnnSmoothL1LossBackward: what its declaration cannot say."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch

import aclhost
from aclhost.calls.values import ULPS, ulp_distance

INF, NAN = float("inf"), float("nan")
DTYPES = ["float32", "float16", "bfloat16"]


def array(values: object, dtype: str = "float32") -> np.ndarray:
    return np.array(values, dtype=np.float64).astype(getattr(ml_dtypes, dtype, dtype))


def slope(d: np.ndarray, beta: float) -> np.ndarray:
    result: np.ndarray = aclhost.smooth_l1_loss_backward(
        np.ones_like(d), d, np.zeros_like(d), "none", beta
    )
    return result.astype(np.float64)


def test_the_document_s_example() -> None:
    x, one = np.arange(8, dtype=np.float32).reshape(4, 2), np.ones((4, 2), np.float32)
    result = aclhost.smooth_l1_loss_backward(one, x, one, 0)
    assert np.array_equal(result.ravel(), [-1, 0, 1, 1, 1, 1, 1, 1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("beta", "d", "wanted"),
    [
        (1.0, [-2, -1, -0.5, 0, 0.25, 1, 2], [-1, -1, -0.5, 0, 0.25, 1, 1]),
        (0.5, [0.25, 0.5], [0.5, 1]),
        (0.0, [0.25, -0.25, 0], [1, -1, 0]),
    ],
)
def test_documented_values(dtype: str, beta: float, d: list[float], wanted: list[float]) -> None:
    assert np.array_equal(slope(array(d, dtype), beta), wanted)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("beta", [0.0, -0.0, 1e-42, 0.3, 1.0, 1e30, INF])
def test_special_values(dtype: str, beta: float) -> None:
    d = array([NAN, INF, -INF, 0.0, -0.0], dtype)
    assert np.array_equal(slope(d, beta), [NAN, 1, -1, 0, 0], equal_nan=True)
    x = array([INF, -INF], dtype)
    result = aclhost.smooth_l1_loss_backward(np.ones_like(x), x, x, "sum", beta)
    assert np.isnan(result.astype(float)).all()


@pytest.mark.parametrize("beta", [0.1, 0.3, 1.0, 7.7])
def test_exactly_one_from_beta_on(beta: float) -> None:
    edge = np.float32(beta)
    d = np.array([edge, np.nextafter(edge, np.float32(9)), -edge], np.float32)
    assert np.array_equal(slope(d, beta), [1, 1, -1])
    assert np.array_equal(slope(np.nextafter(d, np.float32(0))[:1], beta) <= 1, [True])


def test_infinite_gradients() -> None:
    grad, x = array([INF, INF, -INF]), array([0, 2, 0.5])
    result = aclhost.smooth_l1_loss_backward(grad, x, array([0.0]), "none")
    assert np.array_equal(result, [NAN, INF, -INF], equal_nan=True)


def test_mean_counts_the_broadcast_of_self_and_target() -> None:
    x, y, grad = np.zeros((4, 1), np.float32), np.full((4, 2), 2, np.float32), array([8.0])
    assert np.array_equal(aclhost.smooth_l1_loss_backward(grad, x, y), np.full((4, 2), -1))
    assert np.array_equal(aclhost.smooth_l1_loss_backward(grad, x, y, "sum"), np.full((4, 2), -8))
    # gradOut does not count.
    wide = aclhost.smooth_l1_loss_backward(np.full((3, 1, 1), 8, np.float32), x, y)
    assert np.array_equal(wide, np.full((3, 4, 2), -1))


def test_the_factor_of_mean_is_rounded_to_float() -> None:
    x = np.full(3, 2, np.float32)
    result = aclhost.smooth_l1_loss_backward(array([7.0]), x, np.zeros(3, np.float32))
    assert np.array_equal(result, np.full(3, np.float32(7) * np.float32(1 / 3)))


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_agrees_with_torch(dtype: str, reduction: str, beta: float) -> None:
    torch.manual_seed(1)
    x, y, grad = (torch.randn(3, 1000).to(getattr(torch, dtype)) for _ in range(3))
    x[x == y] += 1  # there, torch has -1 for beta 0
    if reduction != "none":
        grad = grad[0, 0]
    ours = aclhost.smooth_l1_loss_backward(grad, x, y, reduction, beta)
    number = ("none", "mean", "sum").index(reduction)
    theirs = torch.ops.aten.smooth_l1_loss_backward(
        grad.double(), x.double(), y.double(), number, beta
    )
    assert isinstance(ours, torch.Tensor)
    assert ours.dtype == x.dtype
    numpy_dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    assert ulp_distance(ours.double().numpy(), theirs.numpy(), numpy_dtype) <= ULPS[dtype]


@pytest.mark.parametrize("dtype", DTYPES)
def test_views_give_the_same_bits_as_copies(dtype: str) -> None:
    rng = np.random.default_rng(0)
    x = array(rng.normal(size=(70, 90)), dtype).T[::-2, ::3]
    y = np.broadcast_to(array(rng.normal(size=(1, x.shape[1])), dtype), x.shape)
    grad = array(rng.normal(size=(x.shape[0] + 3, 2)), dtype)[3:, :1]
    wanted = aclhost.smooth_l1_loss_backward(
        np.broadcast_to(grad, x.shape).copy(), x.copy(), y.copy(), "mean", 0.7
    )
    out = np.zeros((x.shape[1], 2 * x.shape[0]), x.dtype).T[::-2]
    aclhost.smooth_l1_loss_backward(grad, x, y[:1], "mean", 0.7, out=out)
    assert out.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("out_dtype", DTYPES)
def test_mixed_dtypes_compute_in_float(out_dtype: str) -> None:
    rng = np.random.default_rng(0)
    inputs = [array(rng.normal(size=(4, 5)), dtype) for dtype in ("bfloat16", "float16", "float16")]
    wide = aclhost.smooth_l1_loss_backward(*(each.astype(np.float32) for each in inputs), "none")
    assert aclhost.smooth_l1_loss_backward(*inputs, "none").tobytes() == wide.tobytes()
    out = array(np.zeros((4, 5)), out_dtype)
    aclhost.smooth_l1_loss_backward(*inputs, "none", out=out)
    assert np.array_equal(out, wide.astype(out.dtype))


def test_result_is_rounded_before_the_cast() -> None:
    rng = np.random.default_rng(0)
    inputs = [array(rng.normal(size=(4, 5)), "float16") for _ in range(3)]
    out = np.zeros((4, 5), np.float32)
    aclhost.smooth_l1_loss_backward(*inputs, "none", 1.7, out=out)
    narrow = aclhost.smooth_l1_loss_backward(*inputs, "none", 1.7)
    assert narrow.dtype == np.float16
    assert np.array_equal(out, narrow.astype(np.float32))


@pytest.mark.parametrize("rank", range(9))
def test_ranks(rank: int) -> None:
    x = np.random.default_rng(rank).normal(size=(2,) * rank).astype(np.float32)
    result = aclhost.smooth_l1_loss_backward(np.float32(2).reshape(()), x, x * 0, "sum")
    assert np.array_equal(result, 2 * np.clip(x, -1, 1))


def test_result_may_be_an_input() -> None:
    x, y = array([1, 2, 3]), array([1, 1.5, 1])
    wanted = aclhost.smooth_l1_loss_backward(x, x, y, "none")
    assert np.array_equal(aclhost.smooth_l1_loss_backward(x, x, y, "none", out=x), wanted)


def test_empty_inputs_leave_the_result_alone() -> None:
    x, grad = np.zeros((2, 0), np.float32), np.ones(1, np.float32)
    assert aclhost.smooth_l1_loss_backward(grad, x, x).shape == (2, 0)
