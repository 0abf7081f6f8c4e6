# SPDX-License-Identifier: Apache-2.0
"""Operators that move elements: answers by hand, shared memory, repeats that do not add up."""

from __future__ import annotations

import numpy as np
import pytest

import aclhost

SIDE = 300


def counted(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def test_cat_leaves_out_what_has_shape_0() -> None:
    rows = counted(2, 3)
    nothing = np.empty(0, np.float64)
    np.testing.assert_array_equal(aclhost.cat([nothing, rows, nothing, rows], dim=1),
                                  np.hstack([rows, rows]))  # fmt: skip
    assert aclhost.cat([nothing, rows]).dtype == np.float32
    assert aclhost.cat([nothing, nothing]).shape == (0,)


@pytest.mark.parametrize("shape", [(130, 1024), (65, 1024, 2), (1, 140_001), (66_000, 4)])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_windows_of_many_rows(shape: tuple[int, ...], dtype: str) -> None:
    """More than are added up at once, or a row that is longer than that."""
    windows = (shape[1] - 4) // 2 + 1
    grad = np.random.default_rng(1).integers(-9, 9, (shape[0], windows, *shape[2:], 4))
    wanted = np.zeros(shape, np.int64)
    for k in range(4):
        wanted[:, k : k + 2 * windows - 1 : 2] += grad[..., k]
    np.testing.assert_array_equal(aclhost.unfold_grad(grad.astype(dtype), shape, 1, 4, 2), wanted)


@pytest.mark.parametrize(("shape", "dim"), [((70, 33), 1), ((33, 2, 17), 0), ((2, 40, 3, 37), 1)])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_windows_across_memory(shape: tuple[int, ...], dim: int, dtype: str) -> None:
    """Sums are the same wherever elements lie."""
    lengths = [*shape, 7]
    lengths[dim] = (shape[dim] - 7) // 2 + 1
    grad = np.random.default_rng(2).normal(size=lengths).astype(dtype)
    wanted = aclhost.unfold_grad(grad, shape, dim, 7, 2)
    for axis in range(len(shape)):
        turned = np.moveaxis(np.moveaxis(grad, axis, -1).copy(), -1, axis)
        got = aclhost.unfold_grad(turned, shape, dim, 7, 2)
        assert got.tobytes() == wanted.tobytes(), axis
    got = np.empty(shape, dtype, order="F")
    aclhost.unfold_grad(np.asfortranarray(grad), shape, dim, 7, 2, out=got)
    np.testing.assert_array_equal(got, wanted)


def test_cat_of_nothing_needs_out() -> None:
    with pytest.raises(TypeError, match="data type of the result; pass out"):
        aclhost.cat([])
    assert aclhost.cat([], out=np.ones(2)).tolist() == [1, 1]


def test_a_result_with_a_length_below_0_is_refused() -> None:
    with pytest.raises(aclhost.AclnnError, match="Pass lengths of 0 or more"):
        aclhost.randperm(-1)


def test_cat_rounds_to_the_common_dtype_first() -> None:
    """2049 is no FLOAT16, the common dtype of INT32 and FLOAT16."""
    whole, half = np.array([2049], np.int32), np.array([1], np.float16)
    out = np.zeros(2, np.float32)
    aclhost.cat([whole, half], out=out)
    assert out.tolist() == [2048, 1]
    alone = np.zeros(1, np.float32)
    aclhost.cat([whole, half[:0].reshape(0)], out=alone)
    assert alone.tolist() == [2049]


def test_cat_over_its_own_members() -> None:
    memory = counted(2 * SIDE * SIDE)
    first, second = memory[: SIDE * SIDE].copy(), memory[SIDE * SIDE :].copy()
    aclhost.cat([memory[SIDE * SIDE :], memory[: SIDE * SIDE]], out=memory)
    np.testing.assert_array_equal(memory, np.concatenate([second, first]))


def test_roll_in_place() -> None:
    x = counted(SIDE, SIDE)
    wanted = np.roll(x, (7, -40), (0, 1))
    aclhost.roll(x, (7, -40), (0, 1), out=x)
    np.testing.assert_array_equal(x, wanted)
    wanted = np.roll(x, 1234)
    aclhost.roll(x, 1234, (), out=x)
    np.testing.assert_array_equal(x, wanted)


def test_flip_and_permute_in_place() -> None:
    x = counted(SIDE, SIDE)
    wanted = x[::-1, ::-1].T.copy()
    aclhost.flip(x, (0, 1), out=x)
    aclhost.permute(x, (1, 0), out=x)
    np.testing.assert_array_equal(x, wanted)


def test_split_over_its_input() -> None:
    x = counted(SIDE, 4)
    wanted = [x[:, :2].copy(), x[:, 2:].copy()]
    parts = [x[:, 2:], x[:, :2]]
    aclhost.split_tensor(x, 2, dim=1, out=parts)
    np.testing.assert_array_equal(parts[0], wanted[0])
    np.testing.assert_array_equal(parts[1], wanted[1])


@pytest.mark.parametrize("transposed", [False, True])
def test_triangles_in_place(transposed: bool) -> None:
    x = counted(SIDE, SIDE).T if transposed else counted(SIDE, SIDE)
    wanted = np.tril(np.triu(x, -20), 10)
    aclhost.inplace_tril(x, 10)
    aclhost.inplace_triu(x, -20)
    np.testing.assert_array_equal(x, wanted)


def test_repeats_by_hand() -> None:
    x = np.array([[1, 2], [3, 4], [5, 6]], np.int32)
    repeats = np.array([1, 0, 2])
    by_rows = aclhost.repeat_interleave_with_dim(x, repeats, 0, 3)
    assert by_rows.tolist() == [[1, 2], [5, 6], [5, 6]]
    row = aclhost.repeat_interleave(x, np.array([1, 2, 2, 1, 1, 1]), 8)
    assert row.tolist() == [1, 2, 2, 3, 3, 4, 5, 6]


@pytest.mark.parametrize("repeats", [[1, -1, 2], [1, 5, 2]])
def test_repeats_that_do_not_fit(repeats: list[int]) -> None:
    """Nothing is written outside, and the first number at fault is named."""
    out = np.zeros(4, np.float32)
    with pytest.raises(aclhost.AclnnError, match=rf"from 0 to 3; got {repeats[1]} at position 1"):
        aclhost.repeat_interleave(counted(3), np.array(repeats), 4, out=out)


def test_fewer_repeats_leave_zeros() -> None:
    out = np.full(5, 9, np.float32)
    aclhost.repeat_interleave(counted(3) + 1, np.array([1, 0, 1]), 5, out=out)
    assert out.tolist() == [1, 3, 0, 0, 0]


@pytest.mark.parametrize("dtype", ["i1", "i2", "f4", "i8", "c16"])
@pytest.mark.parametrize("length", [1, 2, 7, 33, 100, 1500])
def test_flips_and_repeats_of_every_size(dtype: str, length: int) -> None:
    """Vectors of elements and what is left over, from both layouts; every second one, too."""
    x = np.arange(3 * length).reshape(3, length).astype(dtype)
    for view in (x, x.T.copy().T):
        np.testing.assert_array_equal(aclhost.flip(view, (1,)), x[:, ::-1])
        np.testing.assert_array_equal(aclhost.permute(view[:, ::2], (0, 1)), x[:, ::2])
        for times in (1, 2, 3, 4, 5) if dtype != "c16" else ():
            wanted = np.repeat(x, times)
            found = aclhost.repeat_interleave_int(view, times, wanted.size)
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", ["i1", "i2", "f4", "i8", "c16"])
@pytest.mark.parametrize("length", [3, 4, 17, 64, 127, 128, 129, 195, 256])
@pytest.mark.parametrize("rows", [2, 5, 16, 33])
def test_axes_in_the_opposite_order(dtype: str, length: int, rows: int) -> None:
    """Rows of any length that lie across in memory, squares and what is left over."""
    x = counted(length, 6, 7, rows, dtype=dtype)
    wanted = np.ascontiguousarray(x.T)
    np.testing.assert_array_equal(aclhost.permute(x, (3, 2, 1, 0)), wanted)
    framed = np.zeros((rows, 7, 6, length + 2), wanted.dtype)
    aclhost.permute(x, (3, 2, 1, 0), out=framed[..., 1:-1])
    np.testing.assert_array_equal(framed[..., 1:-1], wanted)
    assert not framed[..., [0, -1]].any()
    backwards = x[::-1, :, :, ::-1]
    np.testing.assert_array_equal(aclhost.permute(backwards, (3, 2, 1, 0)), backwards.T)


@pytest.mark.parametrize("dtype", ["i1", "i2", "f4", "i8", "c16"])
@pytest.mark.parametrize("shift", [0, 1])
def test_rows_past_the_cache(dtype: str, shift: int) -> None:
    """Flipped and cut, of an odd length; results begin inside of a vector."""
    size = np.dtype(dtype).itemsize
    shape = (13_200_000 // (size * 2003), 2003)
    rows = np.resize(np.arange(997), shape).astype(dtype)
    memory = np.zeros(rows.size + 2, dtype)
    out = memory[shift : shift + rows.size].reshape(shape)
    np.testing.assert_array_equal(aclhost.flip(rows, [1], out=out), rows[:, ::-1])
    assert not memory[:shift].any()
    assert not memory[shift + rows.size :].any()
    part = out[:, :2002]
    np.testing.assert_array_equal(aclhost.constant_pad_nd(rows, [-1, 0], 0, out=part), rows[:, 1:])


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_positions_that_repeat(dtype: str) -> None:
    repeats = np.random.default_rng(2).integers(0, 9, 3000).astype(dtype)
    found = aclhost.repeat_interleave_tensor(repeats, int(repeats.sum()))
    np.testing.assert_array_equal(found, np.repeat(np.arange(3000), repeats))


def test_diagonals_by_hand() -> None:
    assert aclhost.diag(np.array([1, 2], np.int8), 1).tolist() == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    assert aclhost.diag(counted(2, 3), -1).tolist() == [3]
    assert aclhost.diag(np.empty(0, np.float32), 2).tolist() == [[0, 0], [0, 0]]
    for shape in ((), (1,), (1, 1, 1)):
        out = np.zeros(shape, np.float32)
        aclhost.diag(counted(2, 3), 2, out=out)
        assert out.ravel().tolist() == [2]
        aclhost.diag(np.full(1, 7, np.float32), out=out)
        assert out.ravel().tolist() == [7]


def test_windows_by_hand() -> None:
    """Elements 1, 2 and 3 of 5 lie in two windows each."""
    got = aclhost.unfold_grad(np.ones((4, 2), np.float32), (5,), 0, 2, 1)
    assert got.tolist() == [1, 2, 2, 2, 1]
