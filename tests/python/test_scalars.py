# SPDX-License-Identifier: Apache-2.0
"""Numbers and flags as arguments, and how arguments may be passed."""

from __future__ import annotations

import ctypes
import enum
from decimal import Decimal
from fractions import Fraction
from typing import Any

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import torch

import aclhost

X = np.array([-1.0, 2.0], np.float32)
REAL = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
    "float32", "float64", "bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e8m0fnu",
)  # fmt: skip


class Two(enum.IntEnum):
    VALUE = 2


class MyFloat(float):
    pass


def scaled(scale: Any) -> float:
    """What the operator takes the scalar for; exact up to float32."""
    return float(aclhost.elu(X, 1.0, scale)[1]) / 2


@pytest.mark.parametrize(
    ("number", "value"),
    [
        (True, 1),
        (False, 0),
        (2, 2),
        (-(2**63), -(2.0**63)),
        (2**63, 2.0**63),
        (2**64 - 1, 2.0**64),
        (1.5, 1.5),
        (-0.0, 0),
        (Two.VALUE, 2),
        (MyFloat(1.5), 1.5),
        (ctypes.c_float(1.5), 1.5),
        (memoryview(np.array(1.5)), 1.5),
    ],
    ids=lambda value: type(value).__name__,
)
def test_python_numbers(number: Any, value: float) -> None:
    assert scaled(number) == value


@pytest.mark.parametrize("name", REAL)
def test_numpy_scalars_and_0d_arrays(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    scalar = np.ones((), dtype)[()]
    assert scaled(scalar) == 1
    assert scaled(np.array(scalar)) == 1
    assert scaled(np.array([[scalar]])[0, 0, ...]) == 1


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int64, torch.bool])
def test_torch_scalars(dtype: torch.dtype) -> None:
    assert scaled(torch.tensor(1, dtype=dtype)) == 1


def test_jax_scalars() -> None:
    assert scaled(jnp.bfloat16(1.5)) == 1.5
    assert scaled(jnp.array(3)) == 3


def test_values_keep_their_own_type_until_they_become_float() -> None:
    """2**24 + 1 is no float32, so each type rounds where its value says."""
    assert scaled(2**24 + 1) == 2**24
    assert scaled(np.float64(2**24 + 3)) == 2**24 + 4
    assert scaled(np.float16(0.1)) == float(np.float16(0.1))
    assert scaled(ml_dtypes.bfloat16(0.1)) == float(ml_dtypes.bfloat16(0.1))


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_infinite_scalars(value: float) -> None:
    assert scaled(value) == value
    assert np.isnan(scaled(float("nan")))


@pytest.mark.parametrize(
    "value", [1 + 0j, np.complex64(1), np.complex128(1), torch.tensor(1j), np.array(1j)], ids=repr
)
@pytest.mark.parametrize("name", ["alpha", "scale", "input_scale"])
def test_complex_numbers_are_refused_by_the_operator(name: str, value: Any) -> None:
    with pytest.raises(aclhost.AclnnError, match="got COMPLEX") as caught:
        aclhost.elu(X, **{name: value})
    assert caught.value.status == 161002
    assert caught.value.parameter == {"input_scale": "inputScale"}.get(name, name)


@pytest.mark.parametrize("name", ["alpha", "scale", "input_scale"])
def test_none_is_a_null_pointer(name: str) -> None:
    with pytest.raises(aclhost.AclnnError, match="must not be null") as caught:
        aclhost.elu(X, **{name: None})
    assert (caught.value.status, caught.value.rule) == (161001, "not_null")


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_integers_beyond_64_bits(value: int) -> None:
    with pytest.raises(OverflowError, match=f"^alpha: {value} fits no 64-bit integer"):
        aclhost.elu(X, value)


@pytest.mark.parametrize("value", ["1", [1.0], (1.0,), {}, object(), Decimal(1), Fraction(1)])
def test_what_is_no_number(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^input_scale: expected a number, got [\w.]+$"):
        aclhost.elu(X, input_scale=value)


@pytest.mark.parametrize(
    "value", [np.ones(1), torch.ones(1, 1), jnp.ones(2), memoryview(b"a"), b"a"]
)
def test_arrays_with_dimensions_are_no_numbers(value: Any) -> None:
    with pytest.raises(ValueError, match="^alpha: expected a number, got an array of [12] dim"):
        aclhost.elu(X, value)


@pytest.mark.parametrize(
    "value", [np.longdouble(1), np.datetime64("2026-01-01"), np.str_("a"), ml_dtypes.int4(1)]
)
def test_numbers_of_unknown_types(value: Any) -> None:
    with pytest.raises(TypeError, match="^alpha: the operators know no type like dtype"):
        aclhost.elu(X, value)


def test_0d_arrays_obey_the_rules_for_arrays() -> None:
    with pytest.raises(ValueError, match="^alpha: .* native byte order"):
        aclhost.elu(X, np.array(1, ">f4"))
    with pytest.raises(ValueError, match="^alpha: .* requires grad"):
        aclhost.elu(X, torch.tensor(1.0, requires_grad=True))


@pytest.mark.parametrize("value", ["yes", 1.0, None, [True]])
def test_flags_are_bools(value: Any) -> None:
    with pytest.raises(TypeError, match="^is_result: expected a bool"):
        aclhost.elu_backward(X, X, is_result=value)


def test_numpy_bools_are_flags() -> None:
    wanted = aclhost.elu_backward(X, X, is_result=True)
    assert np.array_equal(aclhost.elu_backward(X, X, is_result=np.True_), wanted)


def test_everything_can_be_passed_by_keyword() -> None:
    out = np.zeros(2, np.float32)
    x = X.copy()
    forward = aclhost.elu(input_scale=0.5, scale=3.0, alpha=2.0, self=X, out=out)
    assert forward is out
    assert aclhost.inplace_elu(input_scale=0.5, scale=3.0, alpha=2.0, self_ref=x) is x
    assert np.array_equal(x, out)
    gradient = aclhost.elu_backward(
        is_result=True, input_scale=0.5, scale=3.0, alpha=2.0, self_or_result=forward,
        grad_output=np.ones_like(X), out=None,
    )  # fmt: skip
    positional = aclhost.elu_backward(np.ones_like(X), forward, 2.0, 3.0, 0.5, True)
    assert np.array_equal(gradient, positional)
    assert gradient == pytest.approx([3 * np.exp(-0.5), 3.0])


def test_defaults() -> None:
    assert np.array_equal(aclhost.elu(X), aclhost.elu(X, 1.0, 1.0, 1.0))
    plain = aclhost.elu_backward(X, X)
    assert np.array_equal(plain, aclhost.elu_backward(X, X, 1.0, 1.0, 1.0, False, out=None))


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        ((), {}),
        ((X, 1.0, 1.0, 1.0, X), {}),
        ((X,), {"self": X}),
        ((X,), {"inputScale": 1.0}),
    ],
    ids=["missing", "out by position", "twice", "upstream's spelling"],
)
def test_calls_that_do_not_match(arguments: Any, keywords: Any) -> None:
    with pytest.raises(TypeError, match=r"elu\("):
        aclhost.elu(*arguments, **keywords)
