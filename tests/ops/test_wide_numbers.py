# SPDX-License-Identifier: Apache-2.0
"""Doubles and complex numbers in loops of vectors: rare operands among many, parts that cancel."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import aclhost

INF, NAN = float("inf"), float("nan")
HUGE = (1e5, -12800.5, 1e16, -1e22, 1e300, INF, NAN)


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_huge_angles_among_others(name: str) -> None:
    """They make their chunk slow and change no bit of the rest."""
    x = np.random.default_rng(0).normal(0, 9, 3000)
    alone = getattr(aclhost, name)(x)
    x[1100 : 1100 + len(HUGE)] = HUGE
    got = getattr(aclhost, name)(x)
    others = np.r_[0:1100, 1100 + len(HUGE) : 3000]
    assert np.array_equal(got[others], alone[others])
    wanted = [getattr(math, name)(each) if math.isfinite(each) else NAN for each in x]
    assert np.allclose(got, wanted, rtol=1e-15, atol=0, equal_nan=True)


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e290])
def test_remainders_of_doubles_are_exact(scale: float) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(0, 100, 3000) * scale, rng.normal(0, 1, 3000) * scale
    x[:40] = y[:40] * np.arange(40)
    x[1500:1510], y[1500:1510] = 1e307, 1e280 * rng.normal(size=10)  # quotients beyond 2^53
    x[2000:2004], y[2000:2004] = (3.0, -3.0, INF, 1.0), (INF, -INF, 2.0, 0.0)
    with np.errstate(invalid="ignore"):
        wanted = np.fmod(x, y)
    assert np.array_equal(aclhost.fmod_tensor(x, y), wanted, equal_nan=True)


def test_parts_of_a_complex_product_that_cancel() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(500, 2)).astype(np.float32)
    y = (x[:, ::-1] * (1 + rng.normal(0, 1e-6, (500, 1)))).astype(np.float32)
    got = aclhost.mul(x.view(np.complex64), y.view(np.complex64)).view(np.float32)
    for left, right, parts in zip(x.tolist(), y.tolist(), got, strict=True):
        a, b, c, d = map(Fraction, (*left, *right))
        for part, exact in zip(parts, (a * c - b * d, a * d + b * c), strict=True):
            ulp = np.spacing(np.abs(np.float32(float(exact))))
            assert abs(Fraction(float(part)) - exact) <= 2 * Fraction(float(ulp))


def test_complex_products_that_overflow_are_infinite() -> None:
    x = np.array([1e30 + 1e-30j, 1e-30 + 1e30j, 1e30j], np.complex64)
    got = aclhost.mul(x, x)
    assert np.array_equal(got.real, np.array([INF, -INF, -INF], np.float32))
    assert np.allclose(got.imag, np.array([2, 2, 0]))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_quotients_of_any_divisor(dtype: type) -> None:
    most = 1e38 if dtype is np.complex64 else 5e307
    y = np.array([most + most * 1j, 1e-30 + 0j, 3j, -4, complex(INF, 1), 0], dtype)
    got = aclhost.div(np.full(6, 1 + 2j, dtype), y)
    wanted = [(1.5 / most) + (0.5 / most) * 1j, 1e30 + 2e30j, 2 / 3 - 1j / 3, -0.25 - 0.5j, 0]
    assert np.allclose(got[:5], np.array(wanted, dtype), rtol=1e-6, atol=0)
    assert np.isinf(got[5].real)
    assert np.isinf(got[5].imag)
    inverse = aclhost.reciprocal(y)
    assert np.allclose(inverse[:4] * y[:4], 1, rtol=1e-6)
    assert inverse[4] == 0
    assert np.isinf(inverse[5].real)
