# SPDX-License-Identifier: Apache-2.0
"""16-bit floats, whose loops convert on the way and have shorter functions; BOOL as any byte."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from support.interpreter import said

import aclhost

Array = npt.NDArray[Any]
HALVES = (np.float16, ml_dtypes.bfloat16)


def gelu(x: Array) -> Array:
    return np.array([v * 0.5 * math.erfc(-v / math.sqrt(2)) for v in x])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "log2": np.log2,
    "log10": np.log10,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
    "gelu_v2": gelu,
    "exp": np.exp,
    "tanh": np.tanh,
    "sqrt": np.sqrt,
    "reciprocal": lambda x: 1 / x,
    "round": np.rint,
}

PROGRAM = """
import hashlib, json
import ml_dtypes, numpy as np
import aclhost

bits = np.arange(1 << 16, dtype=np.uint16)
found = {}
for dtype in (np.float16, ml_dtypes.bfloat16):
    x = bits.view(dtype)
    x = x[~np.isnan(x)]
    for name in %s:
        y = getattr(aclhost, name)(x)
        y[np.isnan(y)] = 0
        found[f"{name} {np.dtype(dtype)}"] = hashlib.sha256(y.tobytes()).hexdigest()
print(json.dumps(found))
"""


def all_numbers(dtype: Any) -> Array:
    return np.arange(1 << 16, dtype=np.uint16).view(dtype)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_number(name: str, dtype: Any) -> None:
    x = all_numbers(dtype)
    wanted = FUNCTIONS[name](x.astype(np.float64))
    arguments = {"approximate": 0} if name == "gelu_v2" else {}
    got = getattr(aclhost, name)(x, **arguments)
    rounded = wanted.astype(dtype)
    exact = ~np.isfinite(rounded) | (wanted == 0)
    np.testing.assert_array_equal(got[exact].astype(float), rounded[exact].astype(float))
    assert np.array_equal(np.signbit(got[wanted == 0]), np.signbit(wanted[wanted == 0]))
    got, wanted, rounded = got[~exact], wanted[~exact], rounded[~exact]
    ulp = np.spacing(np.abs(rounded)).astype(np.float64)
    assert (np.abs(got.astype(np.float64) - wanted) / ulp).max() < 0.53


@pytest.mark.parametrize("isa", ["avx2", "baseline"])
def test_instruction_sets(isa: str) -> None:
    program = PROGRAM % (tuple(FUNCTIONS),)
    ours = json.loads(said(program, ACLHOST_NUM_THREADS="2"))
    assert json.loads(said(program, ACLHOST_ISA=isa)) == ours


@pytest.mark.parametrize("dtype", HALVES)
def test_ends_and_layouts(dtype: Any) -> None:
    rng = np.random.default_rng(1)
    x, y = (rng.normal(size=(70, 70)).astype(dtype) for _ in range(2))
    whole = aclhost.mul(x, y)
    exact = x.astype(np.float32) * y.astype(np.float32)
    np.testing.assert_array_equal(whole, exact.astype(dtype))
    for length in range(1, 70):
        np.testing.assert_array_equal(aclhost.mul(x[0, :length], y[0, :length]), whole[0, :length])
    np.testing.assert_array_equal(aclhost.mul(x.T, y.T), whole.T)
    np.testing.assert_array_equal(aclhost.mul(x, y[:1]), aclhost.mul(x, np.repeat(y[:1], 70, 0)))
    np.testing.assert_array_equal(aclhost.inplace_mul(x, y), whole)


def test_nan_of_a_client() -> None:
    nan = np.array(0x7FFFFFFF, np.uint32).view(np.float32)[()]
    x = np.ones(50, ml_dtypes.bfloat16)
    assert np.isnan(aclhost.muls(x, nan)).all()


def test_bool_as_any_byte() -> None:
    bytes_ = np.array([0, 1, 2, 255] * 300, np.uint8)
    x, y = bytes_.view(np.bool_), np.sort(bytes_).view(np.bool_)
    plain_x, plain_y = bytes_ != 0, np.sort(bytes_) != 0
    for name in ("logical_and", "logical_xor", "eq_tensor", "bitwise_or_tensor", "maximum", "mul"):
        function = getattr(aclhost, name)
        for a, b in ((x, y), (x[::2], y[::2])):
            got = function(a, b).view(np.uint8)
            plain = (plain_x, plain_y) if a is x else (plain_x[::2], plain_y[::2])
            np.testing.assert_array_equal(got, function(*plain).view(np.uint8), name)
    np.testing.assert_array_equal(aclhost.logical_not(x).view(np.uint8), ~plain_x)
    assert aclhost.equal(x, plain_x)


@pytest.mark.parametrize("dtype", HALVES)
def test_equal(dtype: Any) -> None:
    zeros, numbers = np.zeros(3000, dtype), np.arange(-1500, 1500).astype(dtype)
    assert aclhost.equal(zeros, -zeros)
    assert aclhost.equal(numbers, numbers.copy())
    for place in (0, 1234, 2999):
        other = numbers.copy()
        other[place] = np.nextafter(other[place], dtype(7))
        assert not aclhost.equal(numbers, other)
        other[place] = np.nan
        assert not aclhost.equal(other, other.copy())
