# SPDX-License-Identifier: Apache-2.0
"""Doubles and complex numbers in loops of vectors: rare operands among many, parts that cancel."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

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


INVERSE = ("asinh", "acosh", "atanh")
FUNCTIONS = ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", *INVERSE)
FAR = (400, 1e300, 1e-300, 1e16j, -1e6 + 1e6j, complex(INF, NAN), complex(-INF, 2), complex(0, INF))


def _numpy(name: str) -> Any:
    return getattr(np, f"arc{name[1:]}" if name in INVERSE else name)


@pytest.mark.parametrize("name", INVERSE)
def test_complex_inverses_on_cuts_and_next_to_branch_points(name: str) -> None:
    """Each part is within some ulp of its own, and zeros have the signs that C gives them."""
    edges = np.array([0, 1e-150, 1e-20, 0.5, 1 - 2**-53, 1, 1 + 2**-52, 1 + 1e-9, 2, 300])
    grid = np.meshgrid(*[np.concatenate([edges, -edges])] * 2)
    x = (grid[0].astype(np.complex128)).ravel()
    x.imag = grid[1].ravel()
    angle = np.random.default_rng(6).uniform(-4, 4, 3000)
    x = np.concatenate([x, np.cos(angle) + 1j * np.sin(angle) * (1 + 1e-7 * angle)])
    got = getattr(aclhost, name)(x)
    with np.errstate(all="ignore"):
        wanted = _numpy(name)(x.astype(np.clongdouble))
        for ours, exact in ((got.real, wanted.real), (got.imag, wanted.imag)):
            assert np.array_equal(np.signbit(ours), np.signbit(exact))
            np.testing.assert_array_max_ulp(ours, exact.astype(float), 6)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_complex_numbers_of_any_size_among_others(name: str, dtype: type) -> None:
    """They make their chunk slow and change no bit of the rest."""
    rng = np.random.default_rng(3)
    x = (rng.normal(0, 2, 3000) + 1j * rng.normal(0, 2, 3000)).astype(dtype)
    alone = getattr(aclhost, name)(x)
    with np.errstate(over="ignore"):
        x[1100 : 1100 + len(FAR)] = np.array(FAR).astype(dtype)
    got = getattr(aclhost, name)(x)
    others = np.r_[0:1100, 1100 + len(FAR) : 3000]
    assert got[others].tobytes() == alone[others].tobytes()
    with np.errstate(all="ignore"):
        wanted = _numpy(name)(x[others].astype(np.complex128))
    error = np.abs(got[others] - wanted) / np.abs(wanted)
    assert error.max() <= 8 * np.finfo(dtype).eps


@pytest.mark.parametrize("name", ["exp", "sin", "cos", "sinh", "cosh"])
def test_complex_infinities_and_nan(name: str) -> None:
    """As C has it. The signs of zeros and infinities without an angle are nobody's."""
    parts = [0.0, -0.0, 1.0, -2.0, INF, -INF, NAN]
    x = np.array([complex(a, b) for a in parts for b in parts])
    got = getattr(aclhost, name)(x)
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(x)
    known = np.isfinite(x.real) & np.isfinite(x.imag)
    for ours, theirs in ((got.real, wanted.real), (got.imag, wanted.imag)):
        np.testing.assert_allclose(np.abs(ours), np.abs(theirs), rtol=4e-16)
        assert np.array_equal(np.signbit(ours[known]), np.signbit(theirs[known]))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_powers(dtype: type) -> None:
    rng = np.random.default_rng(4)
    x, y = (rng.normal(0, 2, (2, 3000)) + 1j * rng.normal(0, 2, (2, 3000))).astype(dtype)
    alone = aclhost.pow_tensor_tensor(x, y)
    x[1100:1104], y[1100:1104] = (0, 0, 1e20, 2), (0, 2, 3, 0)
    x[1104:1106], y[1104:1106] = NAN, (0, 2)
    got = aclhost.pow_tensor_tensor(x, y)
    assert got[1104] == 1
    assert np.isnan(got[1105].real)
    assert np.isnan(got[1105].imag)
    assert np.allclose(got[1100:1104], np.array([1, 0, INF if dtype is np.complex64 else 1e60, 1]))
    others = np.r_[0:1100, 1106:3000]
    assert got[others].tobytes() == alone[others].tobytes()
    wanted = x[others].astype(np.complex128) ** y[others].astype(np.complex128)
    assert (np.abs(got[others] - wanted) / np.abs(wanted)).max() <= 64 * np.finfo(dtype).eps


def test_powers_of_doubles() -> None:
    """As C has them, and the same bits of arrays, numbers, rows and in place."""
    edges = np.array([0, 5e-324, 1e-310, 0.5, 1, 1 + 2**-52, 2, 3, 2.5, 2.0**53, 1e300, INF, NAN])
    grid = [each.ravel() for each in np.meshgrid(*[np.concatenate([edges, -edges])] * 2)]
    rng = np.random.default_rng(9)
    x, y = (np.concatenate([rng.normal(0, 4, 777), each]) for each in grid)
    x[:5], y[:5] = -3, (1, 2, 1e-320, 2.0**53 - 1, -1.0)
    got = aclhost.pow_tensor_tensor(x, y)
    with np.errstate(all="ignore"):
        np.testing.assert_array_max_ulp(got, x**y, 2)
        assert np.array_equal(np.signbit(got)[got == got], np.signbit(x**y)[got == got])
    changed = x.copy()
    aclhost.inplace_pow_tensor_tensor(changed, y)
    assert np.array_equal(changed, got, equal_nan=True)
    apart = np.stack([x, y], 1)[::-1]
    of_apart = aclhost.pow_tensor_tensor(apart[:, 0], apart[:, 1])
    assert np.array_equal(of_apart, got[::-1], equal_nan=True)
    for at in (0, 3, *range(777, 803)):
        powers, of_number = aclhost.pow_tensor_scalar(x, y[at]), aclhost.pow_scalar_tensor(x[at], y)
        assert np.array_equal(powers[at], got[at], equal_nan=True)
        assert np.array_equal(of_number[at], got[at], equal_nan=True)
        in_row = aclhost.pow_tensor_tensor(np.full((2, 1), x[at]), np.stack([y, y]))
        assert np.array_equal(in_row[1], of_number, equal_nan=True)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
def test_integer_powers_wrap(dtype: str) -> None:
    """Also where a large or a negative exponent makes a chunk slow."""
    rng = np.random.default_rng(5)
    most = np.iinfo(dtype).max
    x = rng.integers(np.iinfo(dtype).min, most, 3000, endpoint=True).astype(dtype)
    y = rng.integers(0, 127, 3000, endpoint=True).astype(dtype)
    y[1500:1503] = most
    if dtype != "uint8":
        x[2000:2004], y[2000:2004] = (1, -1, -1, 2), (-3, -3, -2, -1)
    modulus = 1 << 8 * x.itemsize

    def power(base: int, exponent: int) -> int:
        if exponent < 0:
            return base**-exponent if base in (1, -1) else 0
        return pow(base, exponent, modulus)

    wanted = [power(a, b) % modulus for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    got = aclhost.pow_tensor_tensor(x, y)
    assert (got.astype(object) % modulus).tolist() == wanted
