# SPDX-License-Identifier: Apache-2.0
"""What the walk over point-wise operators does not see: modes, scalars, products, odd results."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch

import aclhost

X = np.array([7, -7, 8, -8, 1], np.float32)
Y = np.array([2, 2, -3, 0, 0.3], np.float32)


@pytest.mark.parametrize("mode", ["trunc", "floor"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int32", "int64"])
def test_rounded_quotients(mode: str, dtype: str) -> None:
    x, y = X.astype(dtype), np.where(np.abs(Y) < 1, 3, Y).astype(dtype)
    wanted = torch.div(torch.from_numpy(x), torch.from_numpy(y), rounding_mode=mode).numpy()
    np.testing.assert_array_equal(aclhost.div_mod(x, y, mode), wanted)
    np.testing.assert_array_equal(aclhost.div_mods(x, 3, mode), aclhost.div_mod(x, x * 0 + 3, mode))


def _pairs(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Limits of the type and of what floating-point numbers hold, beside multiples of divisors."""
    info, rng = np.iinfo(dtype), np.random.default_rng(0)
    edges = {info.min, info.max, 1, 2, 3, 7, 100, *(2**n for n in (23, 24, 30, 50, 51, 52, 53))}
    edges |= {-value for value in edges} | {value + by for value in edges for by in (-1, 1)}
    values = [value for value in edges if info.min <= value <= info.max and value != 0]
    x, y = (grid.ravel().astype(dtype) for grid in np.meshgrid(values, values))
    shift = np.array(min(info.bits - 2, 49), dtype)
    near = [rng.integers(1, 2 ** int(rng.integers(1, shift)), 5001).astype(dtype) for _ in "xy"]
    near[0][::2] = (near[0] // near[1] * near[1] - 1)[::2]
    return np.concatenate([near[0], x]), np.concatenate([near[1], y])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_remainders_and_quotients_of_integers_are_exact(dtype: str) -> None:
    x, y = _pairs(dtype)
    wide = [(int(a), int(b)) for a, b in zip(x, y, strict=True)]
    rests = [a % b for a, b in wide]
    floors = np.array([a // b for a, b in wide], object)
    truncated = [
        r if r == 0 or (a < 0) == (b < 0) else r - b for r, (a, b) in zip(rests, wide, strict=True)
    ]
    np.testing.assert_array_equal(aclhost.fmod_tensor(x, y), np.array(truncated, dtype))
    if dtype.startswith("int") and dtype != "int8":
        np.testing.assert_array_equal(aclhost.remainder_tensor_tensor(x, y), np.array(rests, dtype))
    fits = floors <= np.iinfo(dtype).max  # the least number by -1 does not
    np.testing.assert_array_equal(aclhost.floor_divide(x, y)[fits], floors[fits].astype(dtype))
    for number in (7, -7) if dtype.startswith("int") else (7,):
        divisors = np.full_like(x, number)
        np.testing.assert_array_equal(
            aclhost.fmod_scalar(x, number), aclhost.fmod_tensor(x, divisors)
        )


def test_integers_divided_by_zero() -> None:
    x, zero = np.array([5, -5, 0], np.int32), np.zeros(3, np.int32)
    assert aclhost.div_mod(x, zero, "trunc").tolist() == [-1, -1, -1]
    assert aclhost.floor_divide(x, zero).tolist() == [-1, -1, -1]
    assert aclhost.fmod_tensor(x, zero).tolist() == [-1, -1, -1]
    assert aclhost.fmod_tensor(x.astype(np.uint8), zero.astype(np.uint8)).tolist() == [255] * 3
    assert aclhost.remainder_tensor_tensor(x, zero).tolist() == [5, -5, 0]
    assert aclhost.div(x, zero).tolist()[:2] == [np.inf, -np.inf]


def test_a_quotient_is_cut_off_for_an_integer_result() -> None:
    x = np.array([7, -7, 0], np.int32)
    out = np.empty(3, np.int32)
    assert aclhost.div(x, np.array([2, 2, 0], np.int32), out=out).tolist() == [3, -3, 0]


@pytest.mark.parametrize("exponent", [2.0, 3.0, 0.5, -0.5, -1.0, -2.0, 1.0, 0.0, 1.7])
def test_powers_as_torch_has_them(exponent: float) -> None:
    x = np.array([0.0, -0.0, 1.5, -1.5, 4.0, np.inf, -np.inf, np.nan, 0.1], np.float32)
    wanted = torch.pow(torch.from_numpy(x), exponent).numpy()
    got = aclhost.pow_tensor_scalar(x, exponent)
    np.testing.assert_allclose(got, wanted, rtol=3e-7)
    assert np.array_equal(np.signbit(got[:2]), np.signbit(wanted[:2]))


def test_squares_of_narrow_integers_are_wide() -> None:
    x, out = np.array([100, -100], np.int8), np.empty(2, np.int32)
    assert aclhost.pow_tensor_scalar(x, 2, out=out).tolist() == [10000, 10000]
    assert aclhost.pow_tensor_scalar(x, 2).tolist() == [16, 16]
    with aclhost.soc("Ascend950PR_9599"):
        assert aclhost.pow_tensor_scalar(x, 2, out=out).tolist() == [16, 16]
        with pytest.raises(aclhost.AclnnError, match="exponent must not be negative"):
            aclhost.pow_tensor_scalar(x, -2)


def test_bounds_are_converted_to_the_result() -> None:
    x = np.array([-5, 1, 9], np.int32)
    assert aclhost.clamp(x, -2.9, 2.9).tolist() == [-2, 1, 2]
    assert aclhost.clamp(x, clip_value_max=2).tolist() == [-5, 1, 2]
    assert aclhost.clamp(x, 4, 2).tolist() == [2, 2, 2]
    with aclhost.soc("Ascend950PR_9599"):
        out = np.empty(3, np.float32)
        wanted = np.array([-2.9, 1, 2.9], np.float32)
        assert aclhost.clamp(x, -2.9, 2.9, out=out).tolist() == wanted.tolist()


def test_one_of_two_bounding_tensors() -> None:
    x, bound = np.array([[1.0, 5.0], [3.0, np.nan]], np.float32), np.array([2, 4], np.float32)
    low = aclhost.clamp_tensor(x, bound, None)
    high = aclhost.clamp_tensor(x, None, bound)
    np.testing.assert_array_equal(low, np.maximum(x, bound))
    np.testing.assert_array_equal(high, np.minimum(x, bound))


def test_a_scalar_that_sixteen_bits_would_change_is_kept() -> None:
    """Ascend 950 computes in FLOAT then, which a FLOAT result shows."""
    x, out = np.array([1.0], np.float16), np.empty(1, np.float32)
    with aclhost.soc("Ascend950PR_9599"):
        assert aclhost.adds(x, 0.1, out=out)[0] == np.float32(1.0) + np.float32(0.1)
        assert aclhost.adds(x, 2**-11, out=out)[0] == 1.0
    assert aclhost.adds(x, 0.1, out=out)[0] == np.float16(1.1)


def test_complex_scalars_beside_real_tensors() -> None:
    x = np.array([1.0, 2.0], np.float32)
    assert aclhost.adds(x, 2j).tolist() == [1 + 2j, 2 + 2j]
    assert aclhost.rsubs(x, 2j).tolist() == [-1.0, -2.0]


def test_bf16_times_a_scalar_is_not_rounded_for_a_float_result() -> None:
    x, out = np.array([3.0], ml_dtypes.bfloat16), np.empty(1, np.float32)
    factor = np.float32(0.1)
    assert aclhost.muls(x, factor, out=out)[0] == np.float32(3) * factor
    assert aclhost.muls(x, 0.1, out=out)[0] == np.float32(ml_dtypes.bfloat16(0.3))


def test_equal_operands_of_maximum_become_the_result_first_on_950() -> None:
    x, y = np.array([300], np.int32), np.array([5], np.int32)
    out = np.empty(1, np.int8)
    assert aclhost.maximum(x, y, out=out)[0] == 44
    with aclhost.soc("Ascend950PR_9599"):
        assert aclhost.maximum(x, y, out=out)[0] == 44
        assert aclhost.maximum(np.array([200], np.int32), y, out=out)[0] == 5


def test_one_element_of_rank_0_and_1_are_the_same_to_remainder() -> None:
    out = np.empty((), np.float32)
    x = np.array([5.0], np.float32)
    assert aclhost.remainder_tensor_tensor(x, x - 2, out=out) == 2.0


def test_both_infinities_added_as_logarithms() -> None:
    x = np.array([np.inf, -np.inf, np.inf, 1000.0], np.float32)
    y = np.array([np.inf, -np.inf, -np.inf, 1000.0], np.float32)
    wanted = torch.logaddexp(torch.from_numpy(x), torch.from_numpy(y)).numpy()
    np.testing.assert_array_equal(aclhost.log_add_exp(x, y), wanted)
    base_2 = torch.logaddexp2(torch.from_numpy(x), torch.from_numpy(y)).numpy()
    np.testing.assert_array_equal(aclhost.log_add_exp2(x, y), base_2)


@pytest.mark.parametrize("name", ["and", "or", "xor"])
@pytest.mark.parametrize("scalar", [0x1F3, -0x1F3, 2**62 + 5])
def test_bits_of_a_scalar_for_which_the_tensor_has_no_place(name: str, scalar: int) -> None:
    x = np.arange(-128, 128).astype(np.int8)
    wide = getattr(np, f"bitwise_{name}")(x.astype(np.int64), scalar)
    compute = getattr(aclhost, f"bitwise_{name}_scalar")
    np.testing.assert_array_equal(compute(x, scalar, out=np.empty_like(x)), wide.astype(np.int8))
    np.testing.assert_array_equal(compute(x, scalar, out=np.empty(256, np.int64)), wide)


@pytest.mark.parametrize("dtype", ["float32", "int64", "int16", "int8", "complex128"])
@pytest.mark.parametrize("rows", [2, 3, 4, 5, 64, 65, 129, 256, 257, 513])
def test_rows_that_repeat_into_columns(dtype: str, rows: int) -> None:
    """Whatever is left beside tiles of rows, a single one above all."""
    draw = np.random.default_rng(rows)
    x, y = (draw.integers(-5, 6, shape).astype(dtype) for shape in ((rows, 511), (1, 511)))
    for order in "CF":
        out = np.zeros((rows, 511), dtype, order=order)
        np.testing.assert_array_equal(aclhost.mul(x, y, out=out), x * y)
        out = np.zeros((511, rows), dtype, order=order)
        np.testing.assert_array_equal(aclhost.mul(x.T, y.T, out=out), (x * y).T)
