# SPDX-License-Identifier: Apache-2.0
"""aclnnEluBackward: what its declaration cannot say."""

from __future__ import annotations

import struct

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


def test_the_document_s_example() -> None:
    x = array([[-2, -1], [0, 1]])
    result = aclhost.elu_backward(x, x, is_result=True)
    assert np.array_equal(result, [[2, 0], [0, 1]])
    assert np.array_equal(np.signbit(result), [[False, True], [False, False]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("is_result", "at_minus_one"), [(True, 2.5), (False, 3 * np.exp(-0.5))])
def test_documented_values(dtype: str, is_result: bool, at_minus_one: float) -> None:
    x = array([-1, 0, 1, NAN], dtype)
    result = aclhost.elu_backward(np.ones_like(x), x, 2.0, 3.0, 0.5, is_result)
    wanted = np.array([at_minus_one, 3, 3, 3])
    assert ulp_distance(result, wanted, result.dtype) <= 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values(dtype: str) -> None:
    x = array([NAN, INF, -INF, 0.0, -0.0], dtype)
    g = array([2, 2, 2, 2, 2], dtype)
    by_input = aclhost.elu_backward(g, x, 2.0, 3.0).astype(np.float64)
    assert np.array_equal(by_input, [6, 6, 0, 12, 12])
    by_result = aclhost.elu_backward(g, x, 2.0, 3.0, is_result=True).astype(np.float64)
    assert np.array_equal(by_result, [6, 6, -INF, 12, 12])
    infinite = aclhost.elu_backward(array([INF], dtype), array([-INF], dtype))
    assert np.isnan(infinite.astype(np.float64)).all()


def test_scalars_propagate_by_arithmetic() -> None:
    x, g = array([-1, 1]), array([1, 1])
    assert np.array_equal(aclhost.elu_backward(g, x, INF), [INF, 1])
    assert np.array_equal(aclhost.elu_backward(g, x, NAN), [NAN, 1], equal_nan=True)
    assert np.array_equal(aclhost.elu_backward(g, x, 1.0, 1.0, INF), [NAN, 1], equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_nan_scalars_may_have_any_bits(dtype: str) -> None:
    all_bits = struct.unpack("<d", b"\xff" * 7 + b"\x7f")[0]
    x = array([-1, 1], dtype)
    result = aclhost.elu_backward(x, x, 1.0, all_bits).astype(np.float64)
    assert np.isnan(result).all()


@pytest.mark.parametrize("count", [1, 63, 64, 65, 127, 1000, 20_000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_an_output_may_be_an_input(dtype: str, count: int) -> None:
    rng = np.random.default_rng(count)
    grad, x = (array(rng.normal(size=count), dtype) for _ in range(2))
    wanted = aclhost.elu_backward(grad, x)
    for out in (grad.copy(), x.copy()):
        inputs = (out, x) if np.array_equal(out, grad) else (grad, out)
        aclhost.elu_backward(*inputs, out=out)
        assert out.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("alpha", [-0.0, NAN])
def test_alphas_that_are_not_below_zero(alpha: float) -> None:
    x = array([1.0])
    assert np.array_equal(aclhost.elu_backward(x, x, alpha, is_result=True), [1.0])


def test_negative_alpha_needs_the_input() -> None:
    x = array([-1.0, 1.0])
    assert np.all(np.isfinite(aclhost.elu_backward(x, x, -1.0)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("is_result", [True, False])
def test_agrees_with_torch(dtype: str, is_result: bool) -> None:
    torch.manual_seed(1)
    g, x = (torch.randn(3, 1000).to(getattr(torch, dtype)) for _ in range(2))
    ours = aclhost.elu_backward(g, x, 1.5, 1.25, 0.75, is_result)
    theirs = torch.ops.aten.elu_backward(g.double(), 1.5, 1.25, 0.75, is_result, x.double())
    assert isinstance(ours, torch.Tensor)
    numpy_dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    assert ulp_distance(ours.double().numpy(), theirs.numpy(), numpy_dtype) <= ULPS[dtype]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("is_result", [True, False])
def test_views_give_the_same_bits_as_copies(dtype: str, is_result: bool) -> None:
    rng = np.random.default_rng(0)
    g = array(rng.normal(size=(70, 90)), dtype).T[::-2, ::3]
    x = np.broadcast_to(array(rng.normal(size=(1, g.shape[1])), dtype), g.shape)
    wanted = aclhost.elu_backward(g.copy(), x.copy(), 2.0, 1.0, 0.5, is_result)
    assert aclhost.elu_backward(g, x, 2.0, 1.0, 0.5, is_result).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("rank", range(9))
def test_ranks(rank: int) -> None:
    x = np.random.default_rng(rank).normal(size=(2,) * rank).astype(np.float32)
    assert np.array_equal(
        aclhost.elu_backward(x, x).ravel(), aclhost.elu_backward(x.ravel(), x.ravel())
    )


def test_empty() -> None:
    x = np.zeros((2, 0), np.float32)
    out = np.zeros((2, 0), np.float64)
    assert aclhost.elu_backward(x, x, out=out) is out
