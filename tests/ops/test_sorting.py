# SPDX-License-Identifier: Apache-2.0
"""Order of special values, long rows with keys of any width, ties, and errors that data show."""

from __future__ import annotations

import numpy as np
import pytest

import aclhost
from aclhost.ops.sorting.search_build import golden_places

NAN, INF = float("nan"), float("inf")
LONG = 1 << 17  # a row that several threads share


def test_nan_is_largest_and_zeros_are_equal() -> None:
    x = np.array([0.0, NAN, -0.0, INF, -INF, 0.0, -NAN], np.float32)
    values, indices = aclhost.sort(x, stable=True)
    assert indices.tolist() == [4, 0, 2, 5, 3, 1, 6]
    assert values.tobytes() == x[indices].tobytes()
    values, indices = aclhost.sort(x, stable=True, descending=True)
    assert indices.tolist() == [1, 6, 3, 0, 2, 5, 4]
    assert values.tobytes() == x[indices].tobytes()


def _wide(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(3)
    if dtype.startswith("float"):
        x = (rng.standard_normal(LONG) * 10.0 ** rng.integers(-30, 30, LONG)).astype(dtype)
        x[:: LONG // 7] = np.resize([NAN, -0.0, 0.0, INF], 8)
        return x
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, LONG, dtype, endpoint=True)


@pytest.mark.parametrize("dtype", ["float32", "int64", "int16", "uint8"])
@pytest.mark.parametrize("length", [LONG, LONG // 64])
def test_sort_with_keys_of_any_width(dtype: str, length: int) -> None:
    x = _wide(dtype).reshape(-1, length)
    values, indices = aclhost.sort(x, dim=1)
    wanted = np.argsort(x, axis=1, kind="stable")
    np.testing.assert_array_equal(indices, wanted)
    assert values.tobytes() == np.take_along_axis(x, wanted, 1).tobytes()


@pytest.mark.parametrize("alike", [*range(1, 20), 400])
@pytest.mark.parametrize("descending", [False, True])
def test_wide_keys_that_begin_alike(alike: int, descending: bool) -> None:
    """Keys and positions need more than 64 bits: low bits of keys count where the others tie."""
    rng = np.random.default_rng(alike)
    x = rng.integers(-(2**63), 2**63, 500) >> 12 << 12
    x = rng.permutation(np.repeat(x, alike)) + rng.integers(-3, 3, 500 * alike)
    values, indices = aclhost.sort(x, stable=True, descending=descending)
    order = x if not descending else -1 - x  # which no number is too small for
    wanted = np.argsort(order, kind="stable")
    np.testing.assert_array_equal(indices, wanted)
    np.testing.assert_array_equal(values, x[wanted])
    np.testing.assert_array_equal(aclhost.unique(x)[0], np.unique(x))


@pytest.mark.parametrize("length", [127, 128, 129, 1000, LONG])
def test_unique_doubles(length: int) -> None:
    x = np.repeat(_wide("float64")[1:length], 2)
    x = np.random.default_rng(1).permutation(x[x != 0])
    values, inverse = aclhost.unique(x, return_inverse=True)
    np.testing.assert_array_equal(values, np.unique(x, equal_nan=False))
    np.testing.assert_array_equal(values[inverse], x)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("length", [5, 2047, 2053, LONG + 3])
def test_bytes_in_both_orders(dtype: str, descending: bool, length: int) -> None:
    x = np.resize(_wide("int8"), length).astype(dtype)
    values, indices = aclhost.sort(x, stable=True, descending=descending)
    wanted = np.argsort(x.astype(np.int16) * (1 - 2 * descending), kind="stable")
    np.testing.assert_array_equal(indices, wanted)
    np.testing.assert_array_equal(values, x[wanted])


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("kinds", [1, 2, 256, 257, 2048, 2049])
@pytest.mark.parametrize("length", [129, 1024, 5000, LONG])
def test_integers_that_are_close(dtype: str, descending: bool, kinds: int, length: int) -> None:
    """They are counted, up to so many kinds."""
    rng = np.random.default_rng(length)
    info = np.iinfo(dtype)
    for least in (info.min, -kinds // 2, 7, info.max - kinds + 1):
        x = least + rng.integers(0, kinds, length)
        x[:2] = least, least + kinds - 1
        x = x.astype(dtype)
        order = -1 - x if descending else x  # which no number is too small for
        wanted = np.argsort(order, kind="stable")
        values, indices = aclhost.sort(x, stable=True, descending=descending)
        np.testing.assert_array_equal(indices, wanted)
        np.testing.assert_array_equal(values, x[wanted])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8"])
@pytest.mark.parametrize("k", [1, 10, 1000, LONG // 2, LONG - 1])
def test_largest_of_long_rows(dtype: str, k: int) -> None:
    x = _wide(dtype)
    values, indices = aclhost.topk(x, k)
    wanted = LONG - 1 - np.argsort(x[::-1], kind="stable")[::-1][:k]
    np.testing.assert_array_equal(indices, wanted)
    assert values.tobytes() == x[wanted].tobytes()


@pytest.mark.parametrize("dtype", ["float32", "int64", "int8"])
@pytest.mark.parametrize("kinds", [1, 2, 7, 1 << 62])
@pytest.mark.parametrize("length", [4095, 4096, 4097, 20_000, LONG])
def test_one_of_many_that_are_alike(dtype: str, kinds: int, length: int) -> None:
    """The first of equal elements comes first; leading digits tell many apart, or none."""
    rng = np.random.default_rng(8)
    most = min(kinds, 100) if dtype == "int8" else kinds
    row = rng.integers(0, most, length).astype(dtype)
    order = np.argsort(row, kind="stable")
    for k in (1, 2, length // 3, length // 2, length - 1, length):
        value, index = aclhost.kthvalue(row, k)
        assert (value, index) == (row[order[k - 1]], order[k - 1])
    assert aclhost.median(row) == row[order[(length - 1) // 2]]


def test_sample_that_misleads() -> None:
    """Elements where the engine looks for a sample are unlike all others."""
    x = np.zeros(LONG, np.int32)
    x[:: LONG // 1024] = 7
    values, indices = aclhost.kthvalue(x, LONG // 2)
    assert values == 0
    assert indices == np.flatnonzero(x == 0)[LONG // 2 - 1]
    assert int(aclhost.median(x)) == 0


def test_median_of_nothing() -> None:
    assert np.isnan(aclhost.median(np.zeros(0, np.float32)))
    assert aclhost.median(np.zeros(0, np.int32)) == -(2**31)
    assert aclhost.median(np.zeros(0, np.int64)) == -(2**63)
    assert aclhost.median(np.zeros(0, np.int8)) == 0


def test_medians_with_nan() -> None:
    x = np.array([[3, NAN, 1, NAN], [4, 2, 3, 1], [NAN] * 4], np.float32)
    values, indices = aclhost.median_dim(x, dim=1)
    np.testing.assert_array_equal(values, [NAN, 2, NAN])
    assert indices.tolist() == [1, 1, 0]
    values, indices = aclhost.nan_median_dim(x, dim=1)
    np.testing.assert_array_equal(values, [1, 2, NAN])
    assert indices.tolist() == [2, 1, 0]


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("length", [500, 1000, LONG])
@pytest.mark.parametrize("nans", [0, 1, 300])
def test_medians_of_long_rows_with_nan(dtype: str, length: int, nans: int) -> None:
    """So long that some elements tell between which keys the median is, or not."""
    rng = np.random.default_rng(nans)
    x = rng.standard_normal(length).astype(dtype)
    x[rng.permutation(length)[:nans]] = NAN
    numbers = np.sort(x)[: length - nans]
    median, rest = numbers[(len(numbers) - 1) // 2], NAN if nans else numbers[(length - 1) // 2]
    assert aclhost.nan_median(x) == median
    np.testing.assert_equal(aclhost.median(x), rest)
    values, indices = aclhost.median_dim(x, dim=0)
    np.testing.assert_equal(values, rest)
    assert indices == np.flatnonzero(np.isnan(x) if nans else x == rest)[0]


def test_sort_onto_itself() -> None:
    x = np.array([[3, 1, 2], [9, 7, 8]], np.int32)
    values, indices = aclhost.sort(x, dim=1, out=(x, np.zeros((2, 3), np.int64)))
    assert values is x
    assert x.tolist() == [[1, 2, 3], [7, 8, 9]]
    assert indices.tolist() == [[1, 2, 0]] * 2


def test_sorter_out_of_range() -> None:
    for bad in (-1, 3):
        with pytest.raises(aclhost.AclnnError, match=f"sorter.*{bad}"):
            aclhost.search_sorted(
                np.array([1, 2, 3.0]), np.array([2.0]), sorter=np.array([0, bad, 1])
            )


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
@pytest.mark.parametrize("right", [False, True])
def test_places_in_sorted_integers(dtype: str, right: bool) -> None:
    """Each type is compared as it is, in order or by way of a sorter."""
    rng = np.random.default_rng(5)
    x, keys = (rng.integers(0, 120, 500).astype(dtype) for _ in "ab")
    order = np.argsort(x, kind="stable")
    wanted = np.searchsorted(x[order], keys, "right" if right else "left")
    np.testing.assert_array_equal(aclhost.search_sorted(x[order], keys, False, right), wanted)
    found = aclhost.search_sorted(x, keys, False, right, order)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8"])
@pytest.mark.parametrize("length", [1, 2, 3, 15, 16, 17, 100])
@pytest.mark.parametrize("right", [False, True])
def test_places_in_rows_of_any_order(dtype: str, length: int, right: bool) -> None:
    """Those that the steps of halving find, in a row that is sorted, too."""
    rng = np.random.default_rng(length)
    row = rng.integers(-9, 9, length).astype(dtype)
    keys = rng.integers(-10, 10, 4999).astype(dtype)  # of several threads
    rows = [row, np.sort(row)]
    if dtype != "int8":
        rows.append(np.append(np.sort(row)[1:], NAN).astype(dtype))
        keys[:4] = NAN, INF, -INF, -0.0
    for some in rows:
        wanted = golden_places(some, keys, False, right)
        for count in (1, 63, 64, 65, 80, len(keys)):
            found = aclhost.search_sorted(some, keys[:count], False, right)
            np.testing.assert_array_equal(found, wanted[:count])


@pytest.mark.parametrize("length", [63, 64, 65, 128, 129, 5000])
@pytest.mark.parametrize("right", [False, True])
def test_few_places_among_16_bit_floats(length: int, right: bool) -> None:
    """Of so many elements for a key that they are searched as they are stored, and of fewer."""
    rng = np.random.default_rng(length)
    row = np.sort(rng.integers(-50, 50, length + 1)).astype(np.float16)[1:]
    keys = np.array([row[length // 2], -60], np.float16)
    side = "right" if right else "left"
    for some in (keys[:1], keys):
        places = aclhost.search_sorted(row, some, right=right)
        np.testing.assert_array_equal(places, np.searchsorted(row, some, side))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool"])
@pytest.mark.parametrize("count", [1, 3, 1000])
def test_unique_bytes(dtype: str, count: int) -> None:
    """They are counted; the order is that of signed numbers, too."""
    x = np.random.default_rng(count).integers(-128, 127, count).astype(dtype)
    wanted = np.unique(x, return_inverse=True, return_counts=True)
    found = aclhost.unique2(x, True, True, True)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(aclhost.unique(x, True, True)[1], wanted[1])


@pytest.mark.parametrize("dtype", ["int16", "uint16"])
@pytest.mark.parametrize("count", [8191, 8192, 200_000])
def test_unique_shorts(dtype: str, count: int) -> None:
    """Many are counted, here both ends among them, in memory with gaps or at an odd address."""
    x = np.random.default_rng(count).integers(-(2**15), 2**15, count).astype(dtype)
    x[:4] = [0, 1, np.iinfo(dtype).min, np.iinfo(dtype).max]
    odd = np.zeros(2 * count + 1, np.uint8)[1:].view(dtype)
    odd[:] = x
    wanted = np.unique(x, return_inverse=True, return_counts=True)
    for given in (x, np.repeat(x, 2)[::2], odd):
        for one, other in zip(aclhost.unique2(given, True, True, True), wanted, strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(aclhost.unique(x)[0], wanted[0])


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "float32", "int64", "float64"])
@pytest.mark.parametrize("width", [1, 3, 9, 33, 70])
@pytest.mark.parametrize("wide", [0, 1, 2000])
def test_unique_rows(dtype: str, width: int, wide: int) -> None:
    """Rows that begin alike, of more numbers than 64 bits hold and of less, many that are large."""
    x = np.random.default_rng(width).integers(0, 3, (2000, width)).astype(dtype)
    x[:, : width // 2] -= np.array(1, dtype)
    x[2000 - wide :] *= np.array(1e30 if "float" in dtype else np.iinfo(dtype).max // 3, dtype)
    wanted = np.unique(x, axis=0, return_inverse=True, return_counts=True)
    found = aclhost.unique_dim(x, True, True, 0)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other.reshape(one.shape))


def test_zeros_of_unique_elements() -> None:
    x = np.array([0.0, NAN, -0.0, 1.0, NAN, -0.0], np.float32)
    values, inverse = aclhost.unique(x, return_inverse=True)
    assert values.tobytes() == np.array([-0.0, 0.0, 1.0, NAN, NAN], np.float32).tobytes()
    assert inverse.tolist() == [1, 3, 0, 2, 4, 0]
    values, inverse = aclhost.unique(x)
    assert inverse.shape == (0,)


def test_too_little_room_for_unique_elements() -> None:
    room = np.zeros(2, np.int64)
    with pytest.raises(aclhost.AclnnError, match="valueOut"):
        aclhost.unique(np.array([3, 1, 2]), out=(room, np.zeros(3, np.int64)))
    assert room.tolist() == [0, 0]
