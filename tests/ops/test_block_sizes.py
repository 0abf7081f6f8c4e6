# SPDX-License-Identifier: Apache-2.0
"""Sizes beside those of blocks, and numbers that leave a block's fast way."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import aclhost
from aclhost.spec.numpy_functions import digamma

Array = npt.NDArray[Any]
LIBM = ctypes.CDLL("libm.so.6")
LIBM.lgammal_r.restype = ctypes.c_longdouble
LIBM.lgammal_r.argtypes = [ctypes.c_longdouble, ctypes.POINTER(ctypes.c_int)]
ULPS_OF_LGAMMA = 7.0
# Results are turned in blocks of runs that make lines of 64 bytes; runs have at most 512 elements.
SHAPES = [
    (1, 300), (255, 7), (256, 64), (257, 65), (511, 5), (513, 17), (16, 1030), (3, 258),
    (512, 65), (512, 33), (31, 700), (317, 316), (1030, 65),
]  # fmt: skip


def numbers(shape: tuple[int, ...], dtype: str) -> Array:
    return np.random.default_rng(7).integers(1, 100, shape).astype(dtype)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(
    "dtype", ["int8", "float16", "int32", "float64", "complex64", "complex128"]
)
def test_results_across_their_input(shape: tuple[int, ...], dtype: str) -> None:
    x = numbers(shape[::-1], dtype).T
    room = np.full((shape[0] + 2, shape[1]), 77, dtype)
    aclhost.neg(x, out=room[1:-1])
    assert np.array_equal(room[1:-1], -x)
    assert (room[0] == 77).all()
    assert (room[-1] == 77).all()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("margin", [0, 1])
def test_results_of_another_size_across_two_inputs(shape: tuple[int, ...], margin: int) -> None:
    """With a margin, runs do not follow each other in memory."""
    a, b = (numbers((shape[1], shape[0] + margin), "float32") % 3 for _ in range(2))
    a, b = a[:, margin:].T, b[::-1, margin:].T
    assert np.array_equal(aclhost.eq_tensor(a, b), a == b)
    assert np.array_equal(aclhost.add(a, b[:, ::-1], 1), a + b[:, ::-1])
    assert np.array_equal(aclhost.cast(a, "float64"), a)
    assert np.array_equal(aclhost.neg(a.astype("float16")), -a)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_results_across_a_stack_of_inputs(shape: tuple[int, ...]) -> None:
    x = numbers((3, *shape[::-1]), "float32").transpose(0, 2, 1)
    assert np.array_equal(aclhost.reciprocal(x), 1 / x)


@pytest.mark.parametrize("shape", [(8, 5, 17, 64), (3, 33, 9, 20), (2, 16, 31, 40)])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float16", "float32", "int64"])
def test_axes_in_every_order(shape: tuple[int, ...], dtype: str) -> None:
    """Squares are turned where rows of both sides are long enough, elements moved elsewhere."""
    values = (np.arange(np.prod(shape)) % 251).astype(dtype).reshape(shape)
    for order in itertools.permutations(range(4)):
        turned = values.transpose(order)
        rows = np.ascontiguousarray(turned)
        out = np.zeros(rows.shape, dtype)
        for copied in (aclhost.inplace_copy(out, turned), aclhost.cast(turned, "int32")):
            np.testing.assert_array_equal(copied, rows)
        for other in (turned, rows, rows[:1]):
            added = aclhost.add(turned, other, out=out)
            np.testing.assert_array_equal(added, (rows + other).astype(dtype))


@pytest.mark.parametrize("columns", [63, 1001, None], ids=str)
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex128"])
def test_results_past_the_cache(dtype: str, columns: int | None) -> None:
    """They leave in pieces that begin at lines, wherever the result does, in rows or as a whole."""
    count = (28 << 20) // np.dtype(dtype).itemsize + 5
    x, room = numbers((count,), dtype), np.full(count + 3, 77, dtype)
    result = room[2:-1]
    if columns is not None:
        rows = count // (columns + 1)
        x = x[: rows * columns].reshape(rows, columns)
        result = room[2 : 2 + rows * (columns + 1)].reshape(rows, columns + 1)[:, :columns]
    aclhost.neg(x, out=result)
    assert np.array_equal(result, -x)
    assert (room == 77).sum() == room.size - x.size
    is_same = np.zeros(count, bool)[: x.size].reshape(x.shape)
    aclhost.eq_tensor(x, np.flip(x, 0), out=is_same)
    assert np.array_equal(is_same, x == np.flip(x, 0))


@pytest.mark.parametrize("columns", [1001, 5003])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "complex128"])
def test_repeated_rows_past_the_cache(dtype: str, columns: int) -> None:
    """Blocks end with a line inside of rows, with the row at its end."""
    rows = (28 << 20) // np.dtype(dtype).itemsize // columns + 5
    x, row = numbers((rows, columns), dtype), numbers((columns,), dtype)
    room = np.full(rows * columns + 3, 77, dtype)
    result = room[1:-2].reshape(rows, columns)
    aclhost.add(x, row, 1, out=result)
    assert np.array_equal(result, x + row)
    assert (room[[0, -2, -1]] == 77).all()
    picked = aclhost.s_where(x > 50, x, row)
    assert np.array_equal(picked, np.where(x > 50, x, row))
    both = aclhost.logical_and(x - 50, row - 50)
    assert np.array_equal(both, (x != 50) & (row != 50))


@pytest.mark.parametrize("first", [0, 1, 6])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex128"])
def test_long_arrays(dtype: str, first: int) -> None:
    """Of more than a megabyte, what lies before a line is computed apart, by each thread."""
    for count in ((1 << 20) // np.dtype(dtype).itemsize + 3, (2 << 20) + 77):
        room, x = np.full(count + first + 1, 77, dtype), numbers((count + 1,), dtype)
        result = room[first:-1]
        result[:] = x[1:]
        aclhost.inplace_neg(result)
        assert np.array_equal(result, -x[1:])
        aclhost.add(x[:-1], x[1:], 1, out=result)
        assert np.array_equal(result, x[:-1] + x[1:])
        assert (room[[*range(first), -1]] == 77).all()
        is_same = np.ones(count + first + 1, bool)
        aclhost.eq_tensor(x[:-1], x[1:], out=is_same[first:-1])
        assert np.array_equal(is_same[first:-1], x[:-1] == x[1:])
        assert is_same[[*range(first), -1]].all()


@pytest.mark.parametrize("columns", [63, 1001, None], ids=str)
@pytest.mark.parametrize(
    ("source", "target"),
    [("float32", "float16"), ("float16", "float32"), ("int8", "float64"), ("float64", "bool"),
     ("int16", "complex128")],
)  # fmt: skip
def test_casts_past_the_cache(source: str, target: str, columns: int | None) -> None:
    """In pieces that begin at lines, wherever the result does, in rows or as a whole."""
    count = (28 << 20) // (np.dtype(source).itemsize + np.dtype(target).itemsize) + 5
    x, room = numbers((count,), source) - 50, np.full(count + 3, 1, target)
    result = room[1:-2]
    if columns is not None:
        rows = count // (columns + 1)
        x = x[: rows * columns].reshape(rows, columns)
        result = room[1 : 1 + rows * (columns + 1)].reshape(rows, columns + 1)[:, :columns]
    wanted = x.astype(target)
    aclhost.cast(x, target, out=result)
    assert np.array_equal(result, wanted)
    result[...] = 1
    assert (room == 1).all()


@pytest.mark.parametrize("columns", [31, 513, 5001])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "complex128"])
def test_rows_past_the_cache(dtype: str, columns: int) -> None:
    """Short and long ones, wherever they begin."""
    count = (28 << 20) // np.dtype(dtype).itemsize // columns + 5
    table = numbers((300, columns), dtype)
    index = np.random.default_rng(8).integers(0, 300, count)
    room = np.full(count * columns + 3, 77, dtype)
    result = room[2:-1].reshape(count, columns)
    aclhost.index_select(table, 0, index, out=result)
    assert np.array_equal(result, table[index])
    assert (room[[0, 1, -1]] == 77).all()


# Copies go in tiles of 128 elements along the memory of what is wider.
@pytest.mark.parametrize("shape", [*SHAPES, (127, 9), (128, 130), (129, 127), (2, 5), (400, 3)])
@pytest.mark.parametrize("margin", [0, 1])
def test_casts_and_copies_across(shape: tuple[int, ...], margin: int) -> None:
    x = numbers((shape[1], shape[0] + margin), "float64")[:, margin:].T
    for dtype in ("int8", "float16", "float32", "bool", "complex128"):
        room = np.full((shape[0] + 2, shape[1]), 77, dtype)
        aclhost.cast(x, dtype, out=room[1:-1])
        assert np.array_equal(room[1:-1], x.astype(dtype))
        assert (room[[0, -1]] == np.array(77, dtype)).all()
    wide = np.empty((shape[1], shape[0] + margin), "complex128")[:, margin:].T
    wide[:] = x + 1j * x[::-1]
    rows = np.zeros(shape, "complex128")
    aclhost.inplace_copy(rows, wide)
    assert np.array_equal(rows, wide)
    wide[:] = 0
    aclhost.inplace_copy(wide, rows)
    assert np.array_equal(rows, wide)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex128"])
def test_one_element_fills_all(dtype: str) -> None:
    """Patterns are four vectors long; what one thread has begins anywhere."""
    value = np.array([3], dtype)
    past_cache = (49 << 20) // value.itemsize + 5
    for count in (1, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1025, 20_001, past_cache):
        room = np.zeros(count + 2, dtype)
        aclhost.inplace_fill_tensor(room[1:-1], value)
        assert (room[1:-1] == 3).all()
        assert room[0] == room[-1] == 0
    apart = np.zeros((37, 41), dtype)
    aclhost.inplace_fill_tensor(apart[::2, ::3], value)
    assert apart.sum() == 3 * apart[::2, ::3].size


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_angle_of_many_turns_changes_no_other(name: str, dtype: str) -> None:
    function = getattr(aclhost, name)
    x = np.random.default_rng(3).normal(0, 9, 3000).astype(dtype)
    x[10:20] = 2**18 - np.arange(1, 11)
    alone = function(x)
    x[[5, 2047]] = (1e25, -1e30)
    with_far = function(x)
    near = np.delete(np.arange(3000), [5, 2047])
    assert np.array_equal(alone[near], with_far[near])
    assert np.allclose(with_far[[5, 2047]], getattr(np, name)(x[[5, 2047]].astype("f8")), 1e-6)


def lgamma(x: float) -> float:
    return float(LIBM.lgammal_r(x, ctypes.byref(ctypes.c_int())))


def test_lgamma_of_double() -> None:
    rng = np.random.default_rng(5)
    zeros = np.array([-2.4570247382208, -2.7476826467274, -3.1435808883499, -3.9552942848585])
    x = np.concatenate([
        rng.normal(0, 2, 4001), rng.uniform(-30, 12, 4000), zeros, zeros + 1e-9,
        1 + rng.normal(0, 1e-5, 500), 2 + rng.normal(0, 1e-5, 500),
        np.exp(rng.uniform(-700, 700, 999)), -np.exp(rng.uniform(-700, 14, 999)),
        [2.5, 3.5, 4.5, 5.5, -2.0**20 - 0.5, 5e-324, 2.55e305],
    ])  # fmt: skip
    wanted = np.array([*map(lgamma, x)])
    errors = abs(aclhost.lgamma(x) - wanted) / np.spacing(abs(wanted))
    assert errors.max() < ULPS_OF_LGAMMA, x[errors.argmax()]
    special = np.array([0.0, -0.0, np.inf, -np.inf, -1, -7, 1, 2])
    assert np.array_equal(aclhost.lgamma(special), [np.inf] * 6 + [0, 0])
    assert np.isnan(aclhost.lgamma(np.array([np.nan]))).all()


@pytest.mark.parametrize("count", [1, 255, 256, 257, 511, 513])
def test_lgamma_in_place(count: int) -> None:
    x = np.random.default_rng(count).uniform(-4, 4, count)
    wanted = aclhost.lgamma(x)
    assert np.array_equal(aclhost.lgamma(x, out=x), wanted)
    assert np.array_equal(x, wanted)


def test_digamma_of_double() -> None:
    rng = np.random.default_rng(6)
    x = np.concatenate([
        rng.normal(0, 2, 3000), rng.uniform(-40, 40, 3000), np.exp(rng.uniform(-300, 300, 500)),
        [11.999999999999998, 12.0, -0.5, -1.5, 1e-200, -1e-200, 0.0, -0.0, np.inf, -np.inf, -3.0],
    ])  # fmt: skip
    wanted = digamma(x)
    got = aclhost.digamma(x)
    assert np.allclose(got, wanted, rtol=1e-13, atol=3e-13, equal_nan=True)
    assert np.array_equal(np.signbit(got[np.isinf(got)]), np.signbit(wanted[np.isinf(wanted)]))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_products_of_complex(dtype: str) -> None:
    """In whole vectors and behind them: the bits of products that are made one by one."""
    part = np.finfo(dtype).dtype
    rng = np.random.default_rng(5)
    parts = rng.normal(size=(2, 37, 2)).astype(part)
    huge = np.finfo(dtype).max
    parts[:, ::5, 0] = np.array([huge, np.inf, -0.0, 0.0, np.nan, -huge, 1, -np.inf], part)
    x, y = parts.view(dtype)[..., 0]
    number = complex(1.1 - 0.3j)
    singles = np.concatenate([aclhost.mul(x[i : i + 1], y[i : i + 1]) for i in range(len(x))])
    scaled = np.concatenate([aclhost.muls(x[i : i + 1], number) for i in range(len(x))])
    for count in range(len(x) + 1):
        for got, wanted in (
            (aclhost.mul(x[:count], y[:count]), singles),
            (aclhost.muls(x[:count], number), scaled),
        ):
            np.testing.assert_array_equal(got.view(part), wanted[:count].view(part))
    small = (abs(x.real) < 9) & (abs(y.real) < 9)
    np.testing.assert_allclose(singles[small], x[small] * y[small], rtol=1e-5)
