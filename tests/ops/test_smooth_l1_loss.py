# SPDX-License-Identifier: Apache-2.0
"""aclnnSmoothL1Loss: what its declaration cannot say."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
import torch

import aclhost
from aclhost.calls.values import ULPS, ulp_distance

INF, NAN = float("inf"), float("nan")
DTYPES = ["float32", "float16", "bfloat16"]
REDUCTIONS = ["none", "mean", "sum"]


def array(values: object, dtype: str = "float32") -> np.ndarray:
    return np.array(values, dtype=np.float64).astype(getattr(ml_dtypes, dtype, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_documented_values(dtype: str) -> None:
    d = array([0.5, 1, -3], dtype)
    result = aclhost.smooth_l1_loss(d, np.zeros_like(d), "none")
    assert np.array_equal(result.astype(float), [0.125, 0.5, 2.5])
    result = aclhost.smooth_l1_loss(np.zeros_like(d), d, 0, 0.0)
    assert np.array_equal(result.astype(float), [0.5, 1, 3])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("beta", [0.0, 1.0, 1e-42, 1e30])
def test_special_values(dtype: str, beta: float) -> None:
    x, y = array([NAN, INF, -INF, INF, 0], dtype), array([1, 1, 1, INF, -0.0], dtype)
    result = aclhost.smooth_l1_loss(x, y, "none", beta).astype(float)
    assert np.array_equal(result, [NAN, INF, INF, NAN, 0], equal_nan=True)


def test_tiny_and_infinite_beta() -> None:
    x, zero = array([1e-42, 0.0, 1.0, -2e30]), array([0.0])
    tiny = aclhost.smooth_l1_loss(x, zero, "none", 2e-42)  # 1 / beta is infinite
    assert np.allclose(tiny, [0, 0, 1, 2e30], rtol=1e-6, atol=1e-42)
    assert np.array_equal(aclhost.smooth_l1_loss(x, zero, "none", INF), [0, 0, 0, 0])
    large = aclhost.smooth_l1_loss(array([1e25]), zero, "none", 1e26)
    assert np.allclose(large, 5e23)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_agrees_with_torch(dtype: str, reduction: str, beta: float) -> None:
    torch.manual_seed(1)
    x, y = (torch.randn(3, 1000).to(getattr(torch, dtype)) for _ in range(2))
    ours = aclhost.smooth_l1_loss(x, y, reduction, beta)
    theirs = torch.nn.functional.smooth_l1_loss(
        x.double(), y.double(), reduction=reduction, beta=beta
    )
    assert isinstance(ours, torch.Tensor)
    assert (ours.dtype, ours.shape) == (x.dtype, theirs.shape)
    numpy_dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    assert ulp_distance(ours.double().numpy(), theirs.numpy(), numpy_dtype) <= ULPS[dtype]


@pytest.mark.parametrize("count", [1, 31, 32, 33, 127, 129, 1025, 4127, 4128, 8225, 300_000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_are_accurate(dtype: str, count: int) -> None:
    x = array(np.random.default_rng(count).normal(size=count) / 8, dtype)
    zero = np.zeros(1, x.dtype)
    wanted = math.fsum(np.abs(x.astype(np.float64)).tolist())
    for y in (zero, np.zeros_like(x)):
        assert aclhost.smooth_l1_loss(x, y, "sum", 0.0) == array(wanted, dtype)
        assert aclhost.smooth_l1_loss(x, y, "mean", 0.0) == array(wanted / count, dtype)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_views_give_the_same_bits_as_copies(dtype: str, reduction: str) -> None:
    rng = np.random.default_rng(0)
    whole = array(rng.normal(size=(70, 90)), dtype)
    other = array(rng.normal(size=(90, 1)), dtype)
    for x in (whole.T, whole.T[::-1, ::-2], whole[:1].T[:, [0] * 70], whole[3:, 5:].T[:, ::3]):
        y = np.broadcast_to(other[-x.shape[0] :], x.shape)
        wanted = aclhost.smooth_l1_loss(x.copy(), y.copy(), reduction)
        assert aclhost.smooth_l1_loss(x, y, reduction).tobytes() == wanted.tobytes()
        assert aclhost.smooth_l1_loss(x, y[:, :1], reduction).tobytes() == wanted.tobytes()
        memory = np.zeros((2, *wanted.shape[::-1]), wanted.dtype)
        out = memory[1, ...].T
        assert aclhost.smooth_l1_loss(x, y, reduction, out=out) is out
        assert np.array_equal(out, wanted)
        assert not memory[0].any()


def assert_sums_of_views_equal_those_of_copies(x: np.ndarray, y: np.ndarray) -> None:
    flat_x, flat_y = x.copy(), y.copy()
    wanted = aclhost.smooth_l1_loss(flat_x, flat_y, "sum")
    exact = aclhost.smooth_l1_loss(x.astype(np.float32), y.astype(np.float32), "none")
    total = np.array(math.fsum(exact.ravel().tolist()))
    assert ulp_distance(wanted, total, wanted.dtype) <= 1
    for views in ((x, y), (flat_x, y), (x, flat_y)):
        assert aclhost.smooth_l1_loss(*views, "sum").tobytes() == wanted.tobytes()


MATRICES = [
    (131, 137),
    (300, 333),
    (40, 3001),
    (3, 2001),
    (3001, 129),
    (64, 31),
    (97, 33),
    (4127, 40),
]


@pytest.mark.parametrize("shape", [*MATRICES, (4128, 65), (9000, 7)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_of_transposed_matrices_have_the_same_bits(dtype: str, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    x, y = (array(rng.normal(size=shape), dtype).T for _ in range(2))
    assert_sums_of_views_equal_those_of_copies(x, y)
    assert_sums_of_views_equal_those_of_copies(x[3:, 1:], y[3:, 1:])


@pytest.mark.parametrize("channels", [31, 32, 50, 96])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_of_channels_last_have_the_same_bits(dtype: str, channels: int) -> None:
    rng = np.random.default_rng(1)
    images = (array(rng.normal(size=(5, 10, 9, channels)), dtype) for _ in range(2))
    x, y = (image.transpose(0, 3, 1, 2) for image in images)
    assert_sums_of_views_equal_those_of_copies(x, y)


def test_mean_counts_the_broadcast_elements() -> None:
    x, y = np.zeros((4, 1), np.float32), np.full((4, 2), 2, np.float32)
    assert aclhost.smooth_l1_loss(x, y) == 1.5
    assert aclhost.smooth_l1_loss(x, y, "sum") == 12
    assert aclhost.smooth_l1_loss(x, y, "none").shape == (4, 2)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_mixed_dtypes_compute_in_float(reduction: str) -> None:
    rng = np.random.default_rng(0)
    x, y = array(rng.normal(size=(5, 7)), "float16"), array(rng.normal(size=7), "bfloat16")
    result = aclhost.smooth_l1_loss(x, y, reduction)
    wide = aclhost.smooth_l1_loss(x.astype(np.float32), y.astype(np.float32), reduction)
    assert result.dtype == np.float32
    assert result.tobytes() == wide.tobytes()


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("out_dtype", ["float32", "bfloat16", "float64", "complex64", "complex128"])
def test_result_is_rounded_before_the_cast(reduction: str, out_dtype: str) -> None:
    rng = np.random.default_rng(0)
    x, y = (array(rng.normal(size=(3, 5)), "float16") for _ in range(2))
    rounded = aclhost.smooth_l1_loss(x, y, reduction)
    out = np.zeros(rounded.shape, getattr(ml_dtypes, out_dtype, out_dtype))
    aclhost.smooth_l1_loss(x, y, reduction, out=out)
    assert np.array_equal(out, rounded.astype(out.dtype))


def test_sums_overflow_in_the_result_only() -> None:
    x, y = array([65504, 65504, -65504, 0], "float16"), array([0, 0, 0, 0], "float16")
    assert aclhost.smooth_l1_loss(x, y, "sum") == INF
    assert aclhost.smooth_l1_loss(x, y, "mean") == np.float16(49127.625)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_means_of_large_values_are_finite(dtype: str) -> None:
    big = array(np.full((70, 200), 3e38), dtype)
    for view in (big[:1, :2], big, big.T):
        assert aclhost.smooth_l1_loss(view, np.zeros_like(view), "mean") == big[0, 0]
    big[3, 4] = INF
    assert aclhost.smooth_l1_loss(big, np.zeros_like(big), "mean") == INF


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
def test_reduced_results_have_any_rank(shape: tuple[int, ...]) -> None:
    out = np.zeros(shape, np.float32)
    aclhost.smooth_l1_loss(array([3.0]), array([1.0]), "sum", out=out)
    assert out.item() == 1.5


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0)])
def test_empty(dtype: str, shape: tuple[int, ...]) -> None:
    x, y = array(np.zeros((0, 3)), dtype), array(np.zeros((1, 3)), dtype)
    assert aclhost.smooth_l1_loss(x, y, "none").shape == (0, 3)
    for reduction, wanted in (("mean", NAN), ("sum", 0.0)):
        for result in (
            aclhost.smooth_l1_loss(x, y, reduction),
            aclhost.smooth_l1_loss(x, y, reduction, out=array(np.ones(shape), dtype)),
        ):
            assert np.array_equal(
                result.astype(float), np.full(result.shape, wanted), equal_nan=True
            )
