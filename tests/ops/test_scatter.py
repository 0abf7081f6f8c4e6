# SPDX-License-Identifier: Apache-2.0
"""Operators that write at indices: what their declarations cannot say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.interpreter import said

import aclhost

ZEROS = np.zeros((3, 2), np.float32)
ONES = np.ones((3, 2), np.float32)
THREADS = """
import hashlib
import numpy as np, aclhost
rng = np.random.default_rng(5)
table = rng.normal(size=70_000).astype(np.float32)
values = rng.normal(size=600_000).astype(np.float32)
index = rng.integers(0, 70_000, 600_000)
aclhost.index_put_impl(table, [index], values, True)
rows = aclhost.index_add(
    values.reshape(600, 1000), 1, rng.integers(0, 1000, 1000), values.reshape(600, 1000), 0.5
)
wide = aclhost.scatter_add(
    values.reshape(60, 10_000), 0, rng.integers(0, 60, (60, 10_000)), values.reshape(60, 10_000)
)
print(hashlib.sha256(table.tobytes() + rows.tobytes() + wide.tobytes()).hexdigest())
"""


def refused(rule: str, function: Any, *arguments: Any, **others: Any) -> str:
    with pytest.raises(aclhost.AclnnError) as caught:
        function(*arguments, **others)
    assert (caught.value.status, caught.value.rule) == (507015, rule)
    return str(caught.value)


def test_an_index_out_of_range_is_reported_and_its_element_left_out() -> None:
    index = np.array([[0, 0], [3, -4], [2, 2]])
    out = np.empty_like(ZEROS)
    message = refused("index_in_range", aclhost.scatter_add, ZEROS, 0, index, ONES, out=out)
    assert "from -3 to 2; got 3 at position 2" in message
    assert out.tolist() == [[1, 1], [0, 0], [1, 1]]
    rows = np.array([1, -1, 3])
    message = refused("index_in_range", aclhost.index_add, ZEROS, 0, rows, ONES, out=out)
    assert "from 0 to 2; got -1 at position 1" in message
    assert out.tolist() == [[0, 0], [1, 1], [0, 0]]
    places = [np.array([0, 1, 2]), np.array([1, 2, -2])]
    self = ZEROS.copy()
    refused("index_in_range", aclhost.index_put_impl, self, places, np.ones(3, np.float32))
    assert self.tolist() == [[0, 1], [0, 0], [1, 0]]


@pytest.mark.parametrize("bad", [5, -1, 2**63 - 1, -(2**63), 2**62, 1 - 2**63])
@pytest.mark.parametrize("place", [0, 255, 256, 599])
def test_pairs_of_indices_of_which_one_is_far_out_of_range(bad: int, place: int) -> None:
    """Among more than are placed at once."""
    rng = np.random.default_rng(1)
    indices = np.stack([rng.permutation(600), rng.integers(0, 5, 600)], axis=1)
    updates = rng.normal(size=600).astype(np.float32)
    wanted = np.zeros((600, 5), np.float32)
    wanted[indices[:, 0], indices[:, 1]] = updates
    wanted[indices[place, 0]] = 0
    indices[place, 1] = bad
    out = np.ones_like(wanted)
    refused("index_in_range", aclhost.scatter_nd, np.zeros_like(wanted), indices, updates, out=out)
    np.testing.assert_array_equal(out, wanted)


def test_a_fill_passes_over_an_index_out_of_range() -> None:
    filled = aclhost.index_fill(ZEROS, 0, np.array([7, -1, -4]), 2.0)
    assert filled.tolist() == [[0, 0], [0, 0], [2, 2]]


def test_the_last_of_several_stays() -> None:
    source = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert aclhost.scatter(ZEROS, 0, np.zeros((3, 2), int), source, 0)[0].tolist() == [4, 5]
    copied = aclhost.inplace_index_copy(ZEROS.copy(), 0, np.array([1, 1, 1]), source)
    assert copied.tolist() == [[0, 0], [4, 5], [0, 0]]


def test_means_of_integers_are_rounded_down() -> None:
    mean = aclhost.scatter(np.array([-4, 9]), 0, np.array([0, 0]), np.array([1, -2]), 5)
    assert mean.tolist() == [-2, 9]


def test_masks_select_what_the_tensors_are_made_for() -> None:
    mask = np.array([[True, False], [False, False], [True, True]])
    out = np.empty(3, np.float32)
    table = np.arange(6, dtype=np.float32).reshape(3, 2)
    aclhost.index(table, [mask], out=out)
    assert out.tolist() == [0, 4, 5]
    refused("selection_fits", aclhost.index, table, [mask], out=np.empty(2, np.float32))
    refused("selection_fits", aclhost.index_put_impl, table, [mask], np.ones(2, np.float32))
    some = [np.array([True, False, True]), np.array([0, 1, 1])]
    assert "[2]; got [3]" in refused("selection_fits", aclhost.index, table, some)
    assert aclhost.index_put_impl(table, [mask], np.float32([7, 8, 9]))[2].tolist() == [8, 9]


def test_sources_may_lie_where_the_result_does() -> None:
    memory = np.arange(6, dtype=np.float32).reshape(3, 2)
    aclhost.inplace_index_copy(memory, 0, np.array([1, 2, 0]), memory)
    assert memory.tolist() == [[4, 5], [0, 1], [2, 3]]


def test_sums_have_the_same_bits_for_any_number_of_threads() -> None:
    def bits(threads: int) -> str:
        return said(THREADS, ACLHOST_NUM_THREADS=str(threads))

    assert bits(1) == bits(2) == bits(5)


@pytest.mark.parametrize("width", [1, 3, 1000, 140_000])
def test_many_16_bit_rows_of_embeddings(width: int) -> None:
    """More than are widened at once, or a row that is longer than that."""
    count = max(300_000 // width, 3)
    rng = np.random.default_rng(2)
    index, grad = rng.integers(0, 50, count), rng.integers(-1, 2, (count, width))
    wanted = np.zeros((50, width), np.int64)
    np.add.at(wanted, index, grad)
    wanted[7] = 0
    got = aclhost.embedding_dense_backward(grad.astype(np.float16), index, 50, 7)
    np.testing.assert_array_equal(got, wanted)


def test_bad_indices_of_16_bit_rows_are_counted_from_the_first() -> None:
    index, grad = np.zeros(5000, np.int64), np.ones((5000, 64), np.float16)
    index[4000] = 50
    with pytest.raises(aclhost.AclnnError, match="got 50 at position 4000"):
        aclhost.embedding_dense_backward(grad, index, 50)


def across(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same values with the axes in the other order in memory."""
    return np.ascontiguousarray(array.T).T


@pytest.mark.parametrize("shape", [(300, 1), (300, 63), (3, 64), (2000, 65), (40, 130), (7, 9, 66)])
@pytest.mark.parametrize("lies", [(0, 1), (1, 0), (1, 1)])
def test_slices_that_lie_across_memory(shape: tuple[int, ...], lies: tuple[int, int]) -> None:
    """Rows beside a tile, and more slices than are placed at once; the last of several stays."""
    rng = np.random.default_rng(3)
    table, source = (rng.integers(-99, 99, shape).astype(np.float32) for _ in range(2))
    dim = len(shape) - 2
    index = rng.integers(0, shape[dim], shape[dim])
    places = (slice(None),) * dim
    copied, added = table.copy(), table.copy()
    for i, place in enumerate(index):
        copied[(*places, place)] = source[(*places, i)]
        added[(*places, place)] += source[(*places, i)]
    self = across(table) if lies[0] else table
    other = across(source) if lies[1] else source
    np.testing.assert_array_equal(aclhost.index_select(self, dim, index), table.take(index, dim))
    into = np.empty_like(other)
    np.testing.assert_array_equal(
        aclhost.index_select(self, dim, index, out=into), table.take(index, dim)
    )
    np.testing.assert_array_equal(aclhost.index_copy(self, dim, index, other), copied)
    np.testing.assert_array_equal(aclhost.index_add(self, dim, index, other), added)
    place = self.copy(order="K")
    aclhost.inplace_index_copy(place, dim, index, other)
    np.testing.assert_array_equal(place, copied)


@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("count", [20_001, 300_001])
def test_many_pairs_of_indices(
    index_dtype: type, columns: bool, backwards: bool, count: int
) -> None:
    """Fewer, and so many that threads own rows where they add, and caches nearby hold less."""
    rng = np.random.default_rng(4)
    indices = rng.integers(0, (700, 900), (count, 2)).astype(index_dtype)
    updates = rng.integers(1, 100, count).astype(np.float32)
    table = np.zeros((700, 900), np.float32)[:: -1 if backwards else 1]
    last = np.zeros((700, 900), np.int64)
    np.maximum.at(last, (indices[:, 0], indices[:, 1]), np.arange(count) + 1)
    wanted = np.where(last > 0, updates[last - 1], 0)
    given = across(indices) if columns else indices
    aclhost.scatter_nd_update(table, given, updates)
    np.testing.assert_array_equal(table, wanted)
    table[:] = 0
    aclhost.index_put_impl(table, [given[:, 0], given[:, 1] - 900], updates, False)
    np.testing.assert_array_equal(table, wanted)
    aclhost.index_put_impl(table, [given[:, 0] - 700, given[:, 1]], updates, True)
    np.add.at(wanted, (indices[:, 0], indices[:, 1]), updates)
    np.testing.assert_array_equal(table, wanted)
    given[count // 2 :, 0] = 700
    wanted[indices[: count // 2, 0], indices[: count // 2, 1]] = 0
    refused("index_in_range", aclhost.scatter_nd_update, table, given, np.zeros_like(updates))
    np.testing.assert_array_equal(table, wanted)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_many_sums_in_a_row(dtype: type) -> None:
    rng = np.random.default_rng(5)
    index, values = rng.integers(0, 600_000, 400_003), rng.integers(-9, 9, 400_003)
    table = np.ones(600_000, dtype)
    wanted = np.ones(600_000, int)
    np.add.at(wanted, index, values)
    aclhost.inplace_put(table, index, values.astype(dtype), True)
    np.testing.assert_array_equal(table, wanted)


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("shape", [(900, 1, 1111), (1, 1111, 900), (31, 33, 1001), (700_001, 1, 1)])
@pytest.mark.parametrize("lies", [(0, 0), (1, 0), (0, 1)])
def test_16_bit_sums_of_more_than_a_cache(
    shape: tuple[int, ...], dim: int, lies: tuple[int, int]
) -> None:
    """They are made as FLOAT, part by part; an index that is out of range is so in each part."""
    rng = np.random.default_rng(6)
    table, source = (rng.integers(-9, 9, shape).astype(np.float16) for _ in range(2))
    index = rng.integers(0, shape[dim], shape[dim])
    self = across(table) if lies[0] else table
    other = across(source) if lies[1] else source
    wanted = table.astype(np.float32)
    np.add.at(wanted, (slice(None),) * dim + (index,), source)
    np.testing.assert_array_equal(aclhost.index_add(self, dim, index, other, 1.0), wanted)
    own = rng.integers(0, shape[dim], tuple(max(length - 5, 1) for length in shape))
    wanted = table.astype(np.float32)
    places = [*np.indices(own.shape)]
    places[dim] = own
    np.add.at(wanted, tuple(places), source[tuple(map(slice, own.shape))])
    np.testing.assert_array_equal(aclhost.scatter_add(self, dim, own, other), wanted)
    index[0] = shape[dim]
    place = self.copy(order="K")
    refused("index_in_range", aclhost.index_add, place, dim, index, other, 1.0)


def test_16_bit_sums_in_rows_that_are_one() -> None:
    """Each row begins with what is there first, and the last one stays."""
    row = np.ones(600, np.float16)
    table = np.lib.stride_tricks.as_strided(row, (1100, 600), (0, 2))
    aclhost.inplace_scatter(
        table, 1, np.zeros(table.shape, int), np.ones(table.shape, row.dtype), 1
    )
    assert row.tolist() == [601, *[1] * 599]
