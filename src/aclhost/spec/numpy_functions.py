# SPDX-License-Identifier: Apache-2.0
"""What operations do with NumPy arrays: the functions NumPy lacks or has otherwise.

Integer division and shifts are defined for all operands, as in native/engines/loops.h.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import DTypeLike

from aclhost.spec.expression import Element
from aclhost.spec.golden import Array


def call(name: str, *values: Element) -> Array:
    """The function that an operation names, here or in NumPy, of arrays."""
    function = globals().get(name) or getattr(np, name)
    return np.asarray(function(*(np.asarray(value) for value in values)))


def _each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    return np.vectorize(function, otypes=[np.float64])


erf, erfc = _each(math.erf), _each(math.erfc)


def _lgamma(x: float) -> float:
    if x == -math.inf or (x <= 0 and x == math.floor(x)):
        return math.inf
    return math.lgamma(x)


# Bernoulli numbers over their even indices, the highest first.
_DIGAMMA = (1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12)


def _digamma(x: float) -> float:
    """Infinite at 0, with the opposite sign, and NaN at negative whole numbers."""
    if math.isnan(x) or x == -math.inf or (x < 0 and x == math.floor(x)):
        return math.nan
    if x == 0:
        return math.copysign(math.inf, -x)
    if x < 0:
        return _digamma(1 - x) - math.pi / math.tan(math.pi * math.remainder(x, 1))
    total = 0.0
    while x < 12:
        total -= 1 / x
        x += 1
    if math.isinf(x):
        return x
    square = 1 / (x * x)
    series = 0.0
    for coefficient in _DIGAMMA:
        series = (series + coefficient) * square
    return total + math.log(x) - 0.5 / x - series


def _erfinv(x: float) -> float:
    """Newton's steps from Winitzki's estimate."""
    if not -1 < x < 1:
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    if x == 0:
        return x
    log = math.log1p(-x * x)
    first = 2 / (math.pi * 0.147) + log / 2
    y = math.sqrt(math.sqrt(first * first - log / 0.147) - first)
    size = abs(x)
    for _ in range(4):
        error = math.erf(y) - size if size < 0.5 else (1 - size) - math.erfc(y)
        slope = 2 / math.sqrt(math.pi) * math.exp(-y * y)
        y -= error / (slope + y * error) if slope else 0.0
    return math.copysign(y, x)


lgamma, digamma, erfinv = _each(_lgamma), _each(_digamma), _each(_erfinv)


def normal_cdf(x: Array) -> Array:
    """What a standard normal distribution has below x."""
    return 0.5 * erfc(x * -math.sqrt(0.5))


def log1p_exp(x: Array) -> Array:
    """log(1 + e^x), which is x where e^x is past a double."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x)."""
    return 1 / (1 + np.exp(-x))


def rsqrt(x: Array) -> Array:
    """1 / sqrt(x)."""
    return 1 / np.sqrt(x)


def reciprocal(x: Array) -> Array:
    """1 / x."""
    return 1 / x


def sinc(x: Array) -> Array:
    """sin(pi x) / (pi x), exactly 0 at whole numbers but 1 at 0."""
    nearest = np.rint(x)
    sine = np.sin(np.pi * (x - nearest)) * np.where(np.remainder(nearest, 2) == 0, 1, -1)
    return np.where(x == 0, 1, sine / (np.pi * x))


def make_complex(real: Array, imaginary: Array) -> Array:
    """Not `real + 1j * imaginary`, which is NaN for infinite parts."""
    real, imaginary = np.broadcast_arrays(real, imaginary)
    result = np.empty(real.shape, np.complex128)
    result.real, result.imag = real, imaginary
    return result


def sign(x: Array) -> Array:
    """-1, 0 or 1, for NaN 0; x / |x| of complex numbers."""
    if x.dtype.kind == "c":
        size = np.abs(x)
        return np.where(size == 0, 0, x / np.where(size == 0, 1, size))
    return np.where(x > 0, 1, np.where(x < 0, -1, 0)).astype(x.dtype)


def _is_integer(*values: Array) -> bool:
    return all(value.dtype.kind in "iu" for value in values)


def _divided(x: Array, y: Array, quotient: Callable[[Array, Array], Array]) -> Array:
    """Integers: -1, or all ones, where the divisor is 0; the least number by -1 wraps."""
    safe = np.where(y == 0, 1, y).astype(y.dtype)
    if x.dtype.kind == "i":
        negated = y == -1
        safe = np.where(negated, 1, safe).astype(y.dtype)
        result = np.where(negated, np.negative(x), quotient(x, safe))
        return np.where(y == 0, -1, result).astype(x.dtype)
    return np.where(y == 0, np.iinfo(x.dtype).max, quotient(x, safe)).astype(x.dtype)


def floor_divide(x: Array, y: Array) -> Array:
    """The quotient rounded down; of reals simply that."""
    return _divided(x, y, np.floor_divide) if _is_integer(x, y) else np.floor(x / y)


def trunc_divide(x: Array, y: Array) -> Array:
    """The quotient rounded towards zero."""
    if not _is_integer(x, y):
        return np.trunc(x / y)
    return _divided(x, y, lambda a, b: (a - np.fmod(a, b)) // b)


def fmod(x: Array, y: Array) -> Array:
    """The remainder with the dividend's sign; of integers by 0 the dividend."""
    return _remainder(x, y, np.fmod)


def remainder(x: Array, y: Array) -> Array:
    """The remainder with the divisor's sign; of integers by 0 the dividend."""
    if _is_integer(x, y):
        return _remainder(x, y, np.remainder)
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


def _remainder(x: Array, y: Array, function: Callable[[Array, Array], Array]) -> Array:
    if not _is_integer(x, y):
        return function(x, y)
    safe = np.where(y == 0, 1, y).astype(y.dtype)
    if y.dtype.kind == "i":
        safe = np.where(y == -1, 1, safe).astype(y.dtype)
    return np.where(y == 0, x, function(x, safe)).astype(x.dtype)


def power(x: Array, y: Array) -> Array:
    """Integers wrap; a negative exponent leaves 1 and -1 and makes all others 0."""
    if not _is_integer(x, y):
        with np.errstate(all="ignore"):
            return np.power(x, y)
    x, y = np.broadcast_arrays(x, y)
    base, left = x.copy(), np.where(y < 0, 0, y)
    result = np.ones_like(x)
    while left.any():
        result = np.where(left & 1, result * base, result).astype(x.dtype)
        base, left = base * base, left >> 1
    of_negative = np.where(x == 1, 1, np.where(x == -1, np.where(y & 1, -1, 1), 0))
    return np.where(y < 0, of_negative.astype(x.dtype), result)


def shift_left(x: Array, y: Array) -> Array:
    """0 for counts that are negative or reach the width."""
    inside = (y >= 0) & (y < x.dtype.itemsize * 8)
    return np.where(inside, x << np.where(inside, y, 0), 0).astype(x.dtype)


def shift_right(x: Array, y: Array) -> Array:
    """Only the sign is left for such counts."""
    inside = (y >= 0) & (y < x.dtype.itemsize * 8)
    rest = np.where(x < 0, -1, 0).astype(x.dtype)
    return np.where(inside, x >> np.where(inside, y, 0), rest)


def to_integer(x: Array, dtype: DTypeLike) -> Array:
    """Towards zero, NaN to 0; what does not fit as Note [Casts] in native/engines/cast.h says."""
    x = np.real(x)
    dtype = np.dtype(dtype)
    if x.dtype.kind != "f":
        return x.astype(dtype)
    whole = np.trunc(np.where(np.isnan(x), 0, x))
    signed = _nearest(whole, np.int64 if dtype.itemsize == 8 or dtype == np.uint32 else np.int32)
    if dtype == np.uint64:
        return np.where(whole < 0, signed.astype(dtype), _nearest(whole, np.uint64))
    return signed.astype(dtype)


def _nearest(whole: Array, dtype: DTypeLike) -> Array:
    """Of the type's integers; its limits as floats are one above the largest, and the least."""
    limits = np.iinfo(np.dtype(dtype))
    large, small = whole >= float(limits.max // 2 + 1) * 2, whole < limits.min
    inside = np.where(large | small, 0, whole).astype(dtype)
    inside[large], inside[small] = limits.max, limits.min
    return inside


_CASTS = {"int32": np.int32, "int64": np.int64, "real": np.float64, "complex": np.complex128}


def cast(x: Array, to: str) -> Array:
    """As a word of aclhost.spec.math says."""
    if to == "bool":
        return np.not_equal(x, 0)
    if to.startswith("int"):
        return to_integer(x, _CASTS[to])
    return (np.real(x) if to == "real" else x).astype(_CASTS[to])
