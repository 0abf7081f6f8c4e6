# SPDX-License-Identifier: Apache-2.0
"""Signs in bytes, and truths about whole tensors: known answers and special numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclhost

NAN, INF = float("nan"), float("inf")
Array = np.ndarray[Any, Any]


def test_signs_from_the_lowest_bit_on() -> None:
    numbers = np.array([5, 4, 3, 2, 0, -1, -2, 4, 3, 2, 1, 0, -1, -2], np.float32)
    assert aclhost.sign_bits_pack(numbers, 2).tolist() == [[159], [15]]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_special_signs(dtype: type) -> None:
    numbers = np.array([-0.0, NAN, INF, -INF, 1e-7, -1e-7], dtype)
    assert aclhost.sign_bits_pack(numbers, 1).tolist() == [[0b010101]]


def test_signs_there_and_back() -> None:
    signs = np.random.default_rng(1).choice([-1.0, 1.0], 24).astype(np.float32)
    packed = aclhost.sign_bits_pack(signs, 1)
    assert np.array_equal(aclhost.sign_bits_unpack(packed[0], 3, "float32").ravel(), signs)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("count", [63, 64, 65, 1023, 1024, 1025, 5000])
def test_bits_become_signs(count: int, dtype: str) -> None:
    """Numbers of bytes beside those of a block, and of what a thread gets."""
    packed = np.random.default_rng(count).integers(0, 256, count, np.uint8)
    wanted = np.unpackbits(packed, bitorder="little") * 2.0 - 1
    result = aclhost.sign_bits_unpack(packed, 1, dtype)
    assert result.dtype == dtype
    assert np.array_equal(result[0], wanted)


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ([1.0, 2.0], [1.0, 2.0], True),
        ([1.0, NAN], [1.0, NAN], False),
        ([0.0], [-0.0], True),
        ([], [], True),
        ([[1.0, 2.0]], [1.0, 2.0], False),
        ([INF], [INF], True),
    ],
)
def test_equal(a: list[float], b: list[float], wanted: bool) -> None:
    assert aclhost.equal(np.float32(a), np.float32(b)).tolist() == [wanted]


def test_equal_in_the_common_dtype() -> None:
    """FLOAT16 holds 2048 and 2050, but not what is between."""
    whole, halves = np.array([2049], np.int32), np.array([2048], np.float16)
    assert aclhost.equal(whole, halves)[0]
    assert not aclhost.equal(whole, halves.astype(np.float32))[0]


def test_a_difference_far_behind() -> None:
    a = np.zeros(1_000_003, np.int8)
    b = a.copy()
    b[-1] = 1
    assert aclhost.equal(a, a)[0]
    assert not aclhost.equal(a, b)[0]


def laid_out(array: Array, how: str) -> Array:
    """The same numbers elsewhere in memory."""
    if how == "across":
        return np.ascontiguousarray(array.T).T
    if how == "backwards":
        return np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]
    if how == "apart":
        return np.repeat(array, 2, axis=1)[:, ::2]
    if how == "unaligned":
        memory = np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
        memory[...] = array
        return memory
    return array


@pytest.mark.parametrize("lies", ["in order", "across", "backwards", "apart", "unaligned"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "float64"])
@pytest.mark.parametrize("shape", [(70, 1031), (1031, 70), (2, 3)])
def test_a_difference_anywhere(shape: tuple[int, int], dtype: str, lies: str) -> None:
    """Every block is looked at, whatever the order of both tensors in memory; so is every row."""
    numbers = np.random.default_rng(1).integers(0, 100, shape)
    own, other = numbers.astype(dtype), laid_out(numbers.astype(dtype), lies)
    assert aclhost.equal(own, other)[0]
    assert aclhost.equal(other, own)[0]
    assert not aclhost.is_in_scalar_tensor(101, other)
    rows, columns = shape
    for place in [(0, 0), (rows - 1, columns - 1), (0, columns - 1), (rows // 2, columns // 3)]:
        kept, other[place] = other[place], 101
        assert not aclhost.equal(own, other)[0]
        assert not aclhost.equal(other, own)[0]
        assert aclhost.is_in_scalar_tensor(101, other)
        other[place] = kept


@pytest.mark.parametrize("place", [0, 69, 1030])
def test_a_difference_from_rows_that_are_one(place: int) -> None:
    row = np.arange(1031, dtype=np.float32)
    rows, other = np.broadcast_to(row, (70, 1031)), np.tile(row, (70, 1))
    one, all_one = np.broadcast_to(row[:1], (70, 1031)), np.zeros((70, 1031), np.float32)
    assert aclhost.equal(rows, other)[0]
    assert aclhost.equal(rows, rows)[0]
    assert aclhost.equal(one, all_one)[0]
    other[69, place] = all_one[place % 70, place] = -1
    assert not aclhost.equal(rows, other)[0]
    assert not aclhost.equal(other, rows)[0]
    assert not aclhost.equal(one, all_one)[0]


@pytest.mark.parametrize("invert", [False, True])
def test_nan_is_nowhere(invert: bool) -> None:
    tensor = np.array([NAN, 1.0], np.float32)
    assert bool(aclhost.is_in_scalar_tensor(NAN, tensor, invert=invert)) == invert
    assert bool(aclhost.is_in_scalar_tensor(1.0, tensor[:0], invert=invert)) == invert


def test_few_elements_keep_their_dtype() -> None:
    """So 0.1 is rounded like them; from 10 elements on, they become FLOAT."""
    tenth = np.full(9, 0.1, np.float16)
    assert aclhost.is_in_scalar_tensor(np.float32(0.1), tenth)
    assert not aclhost.is_in_scalar_tensor(np.float32(0.1), np.append(tenth, tenth[:1]))
