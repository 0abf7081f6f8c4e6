# SPDX-License-Identifier: Apache-2.0
"""Operators on indices: what their declarations cannot say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclhost

TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)


def refused(function: Any, *arguments: Any, **others: Any) -> aclhost.AclnnError:
    with pytest.raises(aclhost.AclnnError) as caught:
        function(*arguments, **others)
    assert (caught.value.status, caught.value.rule) == (507015, "index_in_range")
    return caught.value


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("bad", [4, -5, 2**31 - 1, -(2**31)])
def test_an_index_out_of_range_is_reported_and_gives_zero(dtype: str, bad: int) -> None:
    index = np.array([1, bad, 3, bad], dtype)
    out = np.full((4, 3), 7, np.float32)
    error = refused(aclhost.gather_v2, TABLE, 0, index, out=out)
    assert error.parameter == "index"
    assert f"from -4 to 3; got {bad} at position 1" in str(error)
    assert np.array_equal(out, [TABLE[1], [0, 0, 0], TABLE[3], [0, 0, 0]])


def test_negative_indices_only_where_they_count_from_the_end() -> None:
    index = np.array([-1])
    assert aclhost.gather_v2(TABLE, 0, index).tolist() == [TABLE[3].tolist()]
    assert aclhost.take(TABLE, index).tolist() == [11]
    refused(aclhost.index_select, TABLE, 0, index)
    refused(aclhost.embedding, TABLE, index)


def test_many_elements_by_threads() -> None:
    """More than one piece along places and rows."""
    rng = np.random.default_rng(3)
    table = rng.normal(size=(300, 700)).astype(np.float32)
    index = rng.integers(0, 700, (300, 700))
    assert np.array_equal(aclhost.gather(table, 1, index), np.take_along_axis(table, index, 1))
    rows = rng.integers(0, 3, 5)
    long = rng.normal(size=(3, 40000))
    assert np.array_equal(aclhost.index_select(long, 0, rows), long[rows])


def test_the_result_may_lie_where_the_table_does() -> None:
    memory = TABLE.copy()
    index = np.array([3, 2, 1, 0])
    aclhost.index_select(memory, 0, index, out=memory)
    assert np.array_equal(memory, TABLE[::-1])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("rows", "columns", "strides"), [(3, 100, (1, 1)), (5, 200, (100, 1)), (2, 20_000, (9, 1))]
)
def test_of_elements_that_share_a_place_the_last_stays(
    rows: int, columns: int, strides: tuple[int, int], order: Any
) -> None:
    """In row-major order, however rows are cut."""
    table = np.arange(4 * columns, dtype=np.float32).reshape(4, columns)
    memory, wanted = np.zeros((2, rows * strides[0] + columns), np.float32)
    out = np.lib.stride_tricks.as_strided(memory, (rows, columns), tuple(4 * s for s in strides))
    index = np.arange(rows) * 3 % 4
    aclhost.index_select(np.asarray(table, order=order), 0, index, out=out)
    for row in range(rows):
        wanted[row * strides[0] : row * strides[0] + columns] = table[index[row]]
    assert np.array_equal(memory, wanted)
