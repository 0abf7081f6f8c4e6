# SPDX-License-Identifier: Apache-2.0
"""Functions of one tensor: what the walk over point-wise operators does not see."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from functools import reduce

import ml_dtypes
import numpy as np
import pytest
import torch

import aclhost
from aclhost import acl, ops
from aclhost.calls import abi
from aclhost.calls.values import ulp_distance
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import COMPLEX32, FLOAT, FLOAT16
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn
from aclhost.spec.products import A2, A950

INF, NAN = float("inf"), float("nan")
SPECIAL = (0.0, -0.0, 0.4, -0.4, 0.5, -0.5, 1.0, -1.0, 1.5, -2.5, 1e-40, -1e-40, INF, -INF, NAN)
NAMED = [
    op
    for op in ops.ALL
    if isinstance(op.reference, str)
    and [type(param) for param in op.params[:-1]] == [TensorIn]
    and FLOAT in op.kernel.dtypes
    and A2 in op.products
]


@pytest.mark.parametrize("op", NAMED, ids=lambda op: op.name)
def test_special_values_with_their_signs(op: Operator) -> None:
    x = np.array(SPECIAL, np.float32)
    got = getattr(aclhost, op.snake_name)(x)
    wanted = reduce(getattr, op.reference.split("."), torch)(torch.from_numpy(x).double()).numpy()
    with np.errstate(over="ignore"):
        wanted = wanted.astype(got.dtype)
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-16)
    numbers = (np.abs(wanted) > 1e-16) | (wanted == 0)
    assert np.array_equal(np.signbit(got[numbers]), np.signbit(wanted[numbers]))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("name", ["neg", "abs", "is_finite", "is_inf", "logical_not"])
def test_every_number_of_16_bits(name: str, dtype: type) -> None:
    x = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    wide = getattr(aclhost, name)(x.astype(np.float32))
    with np.errstate(invalid="ignore"):
        wanted = wide.astype(dtype) if wide.dtype == np.float32 else wide
    got = getattr(aclhost, name)(x)
    numbers = ~np.isnan(x.astype(np.float32))
    assert got.dtype == wanted.dtype
    assert got[numbers].tobytes() == wanted[numbers].tobytes()
    np.testing.assert_array_equal(
        got[~numbers].astype(np.float32), wanted[~numbers].astype(np.float32)
    )


def test_16_bits_to_16_other_bits() -> None:
    x = np.array([-1.5, 2.0, -0.0], np.float16)
    out = np.empty(3, ml_dtypes.bfloat16)
    aclhost.neg(x, out=out)
    np.testing.assert_array_equal(out.astype(np.float32), [1.5, -2.0, 0.0])


@pytest.mark.parametrize("name", ["rsqrt", "log1p", "sinh"])
def test_integers_are_computed_in_the_dtype_of_the_result(name: str) -> None:
    x = np.arange(1, 30, dtype=np.int32)
    out = np.empty(x.shape)
    getattr(aclhost, name)(x, out=out)
    assert ulp_distance(out, getattr(torch, name)(torch.arange(1.0, 30.0).double()).numpy(),
                        out.dtype) <= 2  # fmt: skip


def test_a_real_result_of_complex_numbers_is_their_real_part() -> None:
    x = np.array([1 + 2j, -0.5 - 1j], np.complex64)
    out = np.empty(2, np.float32)
    aclhost.sin(x, out=out)
    np.testing.assert_allclose(out, np.sin(x).real, rtol=1e-6)


@pytest.mark.parametrize("decimals", [-40, -3, -1, 0, 1, 2, 5, 40])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_round_decimals_of_floats(dtype: str, decimals: int) -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 300, 500), np.arange(-50, 50) / 8]).astype(dtype)
    wanted = torch.round(torch.from_numpy(x), decimals=decimals).numpy()
    assert np.array_equal(aclhost.round_decimals(x, decimals), wanted, equal_nan=True)


@pytest.mark.parametrize("decimals", [-30, -18, -9, -2, -1, 0, 3, -(2**63)])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_round_decimals_of_integers(dtype: str, decimals: int) -> None:
    limits = np.iinfo(dtype)
    values = [*range(-260, 260, 5), limits.max, limits.min, 499_999_999, 1_500_000_000]
    x = np.array(values, dtype)
    exact = [_nearest(value, decimals) for value in values]
    wanted = np.array([value % 2**64 for value in exact], np.uint64).astype(dtype)
    assert np.array_equal(aclhost.round_decimals(x, decimals), wanted)


def _nearest(value: int, decimals: int) -> int:
    if decimals >= 0:
        return value
    if decimals < -18:
        return 0
    unit = 10**-decimals
    return int((Decimal(value) / unit).quantize(Decimal(1), ROUND_HALF_EVEN)) * unit


def test_nan_to_num_rounds_what_it_puts_in() -> None:
    x = np.array([NAN, INF, -INF, 3.0], np.float16)
    assert aclhost.nan_to_num(x, INF, 0.1, -1e9).tolist() == [INF, np.float16(0.1), -INF, 3.0]


@pytest.mark.parametrize(("product", "wanted"), [(A2, [0, 1, 0, 0]), (A950, [1, 1, 0, 1])])
def test_signbit_of_negative_zero_depends_on_the_product(product, wanted) -> None:
    x = np.array([-0.0, -1.0, 0.0, -NAN], np.float32)
    with aclhost.soc(product.default_soc):
        assert aclhost.signbit(x).tolist() == wanted


def test_reciprocals_of_complex_numbers_of_any_size() -> None:
    """Parts far apart, too, whose squares are no floats."""
    rng = np.random.default_rng(4)
    parts = rng.normal(size=(30_007, 2)) * np.exp2(rng.integers(-149, 127, (30_007, 2)))
    z = parts.astype(np.float32).view(np.complex64)[:, 0]
    x, y = (part.astype(np.longdouble) for part in (z.real, z.imag))
    finite = np.isfinite(z) & (z != 0)
    got, size = aclhost.reciprocal(z)[finite], (x * x + y * y)[finite]
    for part, exact in ((got.real, x[finite] / size), (got.imag, -y[finite] / size)):
        with np.errstate(over="ignore"):
            wanted = exact.astype(np.float32)
        inside = np.isfinite(wanted)
        errors = abs(part[inside] - exact[inside]) / np.spacing(abs(wanted[inside]))
        assert errors.max() < 1.5
        assert np.array_equal(part[~inside], wanted[~inside])


def test_reciprocals_of_special_complex_numbers() -> None:
    inf, nan = np.inf, np.nan
    z = np.array([0, complex(inf, 1), complex(-inf, -2), complex(3, -inf), complex(nan, 1)], "c8")
    got = aclhost.reciprocal(z)
    wanted = np.array([complex(inf, nan), 0, 0, 0, complex(nan, nan)], "c8")
    assert np.array_equal(got.real, wanted.real, equal_nan=True)
    assert np.array_equal(got.imag, wanted.imag, equal_nan=True)
    assert np.signbit(got[1:4].real).tolist() == [False, True, False]
    assert np.signbit(got[1:4].imag).tolist() == [True, False, False]


@pytest.mark.parametrize("name", ["exp", "sin", "cos", "sinh", "cosh"])
def test_tiny_angles_of_complex_numbers(name: str) -> None:
    """Results are slopes times angles, whose last bits go where doubles end."""
    x = np.array([a for a in (-2.5, 0.5, 3.0) for _ in range(6)])
    angles = np.array([5e-324, -5e-324, 1e-310, -3e-308, 2.0**-600, -(2.0**-400)] * 3)
    z = np.empty(x.shape, np.complex128)
    z.real, z.imag = (angles, x) if name in ("sin", "cos") else (x, angles)
    got = getattr(aclhost, name)(z)
    slope = {"sin": np.cosh, "cos": np.sinh, "sinh": np.cosh, "cosh": np.sinh, "exp": np.exp}[name]
    small = {"sin": got.real, "cos": -got.imag}.get(name, got.imag)
    wanted = slope(x) * angles
    assert np.all(np.abs(small - wanted) <= 2 * np.spacing(np.abs(wanted)))
    assert np.array_equal(np.signbit(small), np.signbit(wanted))


def test_angles_ignore_the_sign_of_zero() -> None:
    parts = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN]
    x = np.array([complex(a, b) for a in parts for b in parts], np.complex64)
    unsigned = np.array([complex(a or 0.0, b or 0.0) for a in parts for b in parts], np.complex64)
    wanted = torch.angle(torch.from_numpy(unsigned)).numpy()
    np.testing.assert_allclose(aclhost.angle_v2(x), wanted, rtol=1e-6)


def _run(name: str, product, stream: int, **tensors: tuple[np.ndarray, object]) -> np.ndarray:
    """Through the C ABI, with arrays that stand for dtypes NumPy does not have."""
    op = ops.BY_NAME[name]
    call = Call({n: TensorArg((3,), dtype) for n, (_, dtype) in tensors.items()}, product)
    with abi.prepared_call(op, call) as prepared:
        for tensor, (values, _) in tensors.items():
            address, size = prepared.addresses[tensor], values.nbytes
            abi.ok(acl.rt.memcpy(address, size, values.ctypes.data, size, abi.HOST_TO_DEVICE))
        abi.run(op, prepared, stream)
        return prepared.fetch(op.outputs[0].name).copy()


def _halves(*numbers: complex) -> np.ndarray:
    return np.array([(z.real, z.imag) for z in numbers], np.float16)


def test_known_complex32(stream: int) -> None:
    z = _halves(3 + 4j, -1j, 6 - 8j)
    zeros = np.zeros(3, np.float16)
    for name, product, wanted in (("aclnnAbs", A950, [5, 1, 10]), ("aclnnReal", A2, [3, 0, 6])):
        got = _run(name, product, stream, self=(z, COMPLEX32), out=(zeros, FLOAT16))
        assert got.tolist() == wanted
    real, imag = (np.ascontiguousarray(part) for part in z.T)
    made = _run("aclnnComplex", A2, stream, real=(real, FLOAT16), imag=(imag, FLOAT16),
                out=(z * 0, COMPLEX32))  # fmt: skip
    assert made.tobytes() == z.tobytes()


def test_digamma_beside_its_poles() -> None:
    """Where it is the reciprocal of the distance and little else."""
    poles = -np.arange(1.0, 60)
    for beside in (np.nextafter(poles, 0), np.nextafter(poles, -100), poles + 1e-9):
        reciprocal = -1 / (beside - poles)
        np.testing.assert_allclose(aclhost.digamma(beside), reciprocal, rtol=1e-8)
