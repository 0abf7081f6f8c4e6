# SPDX-License-Identifier: Apache-2.0
"""aclnnElu: what its declaration cannot say."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch

import aclhost
from aclhost.calls.values import ULPS, ulp_distance

INF, NAN = float("inf"), float("nan")
DTYPES = ["float32", "float16", "bfloat16", "float64"]


def array(values: object, dtype: str) -> np.ndarray:
    return np.array(values, dtype=np.float64).astype(getattr(ml_dtypes, dtype, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_documented_values(dtype: str) -> None:
    result = aclhost.elu(array([-1, 0, 2], dtype), 2.0, 3.0, 0.5)
    wanted = np.array([6 * np.expm1(-0.5), 0, 6])
    assert ulp_distance(result, wanted, result.dtype) <= 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values(dtype: str) -> None:
    x = array([NAN, INF, -INF, 0.0, -0.0], dtype)
    result = aclhost.elu(x, 2.0, 3.0).astype(np.float64)
    assert np.array_equal(result, [NAN, INF, -6.0, 0.0, 0.0], equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("alpha", "input_scale", "wanted"),
    [
        (INF, 1.0, [-INF, -INF, 6.0, NAN]),
        (-INF, 1.0, [INF, INF, 6.0, NAN]),
        (2.0, NAN, [-6.0, -6.0, 6.0, NAN]),
        (2.0, -INF, [-6.0, -6.0, 6.0, NAN]),
        (NAN, 1.0, [NAN, NAN, 6.0, NAN]),
    ],
)
def test_infinite_and_nan_scalars_skip_the_exponential(
    dtype: str, alpha: float, input_scale: float, wanted: list[float]
) -> None:
    result = aclhost.elu(array([-1, 0, 2, NAN], dtype), alpha, 3.0, input_scale)
    assert np.array_equal(result.astype(np.float64), wanted, equal_nan=True)


def test_infinite_scale_is_plain_arithmetic() -> None:
    result = aclhost.elu(array([-1, 0, 2], "float32"), 1.0, INF)
    assert np.array_equal(result, [-INF, NAN, INF], equal_nan=True)


def test_small_arguments_keep_their_precision() -> None:
    x = -np.logspace(-30, -2, 200, dtype=np.float32)
    assert ulp_distance(aclhost.elu(x), np.expm1(x.astype(np.float64)), x.dtype) <= 2


@pytest.mark.parametrize("dtype", DTYPES)
def test_agrees_with_torch(dtype: str) -> None:
    torch.manual_seed(1)
    x = torch.randn(3, 1000).to(getattr(torch, dtype))
    ours = aclhost.elu(x, 1.5, 1.25, 0.75)
    theirs = torch.ops.aten.elu(x.double(), 1.5, 1.25, 0.75)
    assert isinstance(ours, torch.Tensor)
    assert ours.dtype == x.dtype
    numpy_dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    assert ulp_distance(ours.double().numpy(), theirs.numpy(), numpy_dtype) <= ULPS[dtype]


@pytest.mark.parametrize("rank", range(9))
def test_ranks(rank: int) -> None:
    x = np.random.default_rng(rank).normal(size=(2,) * rank).astype(np.float32)
    assert np.array_equal(aclhost.elu(x).ravel(), aclhost.elu(x.ravel()))


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[::2, ::3],
        lambda x: x[::-1, ::-2],
        lambda x: x.T,
        lambda x: np.broadcast_to(x[:1], x.shape),
        lambda x: x[3:, 5:],
    ],
    ids=["steps", "negative", "transposed", "stride-0", "offset"],
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_views_give_the_same_bits_as_copies(dtype: str, view: object) -> None:
    x = array(np.random.default_rng(0).normal(size=(70, 90)), dtype)
    strided = view(x)  # type: ignore[operator]
    wanted = aclhost.elu(np.ascontiguousarray(strided))
    assert aclhost.elu(strided).tobytes() == wanted.tobytes()
    out = np.zeros((2 * strided.shape[0], strided.shape[1]), x.dtype)[::-2]
    assert aclhost.elu(strided, out=out) is out
    assert np.array_equal(out, wanted)


def test_scalars_are_rounded_to_float_first() -> None:
    x = np.array([-1.0, 2.0])
    rounded = float(np.float32(0.1))
    assert np.array_equal(aclhost.elu(x, 0.1, 0.1), aclhost.elu(x, rounded, rounded))


@pytest.mark.parametrize("out_dtype", ["float32", "float64", "complex64", "complex128"])
def test_result_is_rounded_to_the_input_dtype_before_the_cast(out_dtype: str) -> None:
    x = array([-1.3, 0.7], "float16")
    out = np.zeros(2, out_dtype)
    aclhost.elu(x, out=out)
    assert np.array_equal(out, aclhost.elu(x).astype(out_dtype))


def test_output_may_be_the_input() -> None:
    x = array([-1, 0, 2], "float32")
    wanted = aclhost.elu(x)
    assert np.array_equal(aclhost.elu(x, out=x), wanted)


@pytest.mark.parametrize("shape", [(0,), (3, 0, 2)])
def test_empty(shape: tuple[int, ...]) -> None:
    assert aclhost.elu(np.zeros(shape, np.float32)).shape == shape
