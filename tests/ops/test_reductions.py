# SPDX-License-Identifier: Apache-2.0
"""Reductions at the ends of what their types hold, and counts of numbers that have no place."""

from __future__ import annotations

from itertools import permutations

import ml_dtypes
import numpy as np
import pytest

import aclhost

LARGEST = np.finfo(np.float32).max


@pytest.mark.parametrize("axis", [0, 1])
def test_means_of_large_floats_do_not_overflow(axis: int) -> None:
    """Neither along rows nor across them."""
    values = np.full((200, 300), LARGEST, np.float32)
    assert (aclhost.mean(values, (axis,)) == LARGEST).all()


@pytest.mark.parametrize("axis", [0, 1])
def test_large_floats_cancel(axis: int) -> None:
    """Four of one sign are too large for a float, all of them are not."""
    values = np.full((256, 256), LARGEST, np.float32)
    signs = np.where(np.arange(256) < 128, 1, -1).astype(np.float32)
    values *= signs[:, None] if axis == 0 else signs
    assert (aclhost.reduce_sum(values, (axis,)) == 0).all()


@pytest.mark.parametrize("size", [1e-30, 1e30])
@pytest.mark.parametrize("axis", [0, 1])
def test_norms_of_small_and_large_floats(size: float, axis: int) -> None:
    """Their squares are no floats."""
    values = np.full((100, 100), size, np.float32)
    wanted = np.float64(np.float32(size)) * 10
    assert np.allclose(aclhost.norm(values, 2.0, (axis,)), wanted, rtol=1e-6, atol=0)


@pytest.mark.parametrize("axis", [0, 1])
def test_variance_of_values_far_from_zero(axis: int) -> None:
    """The mean is 2^20 times the standard deviation."""
    values = np.full((64, 64), 2.0**20, np.float32)
    steps = np.arange(64, dtype=np.float32) % 2
    values += steps[:, None] if axis == 0 else steps
    assert (aclhost.var(values, (axis,), unbiased=False) == 0.25).all()


def test_variance_of_an_outlier_in_front() -> None:
    """Differences from it cancel."""
    values = np.ones((4096, 3), np.float32)
    values[0] = 1e6
    wanted = values.astype(np.float64).var(axis=0)
    assert np.allclose(aclhost.var(values, (0,), unbiased=False), wanted, rtol=2e-7)


@pytest.mark.parametrize(
    ("count", "correction", "wanted"), [(1, 1, np.nan), (3, 3, np.inf), (1, 2, np.nan)]
)
def test_variance_without_freedom(count: int, correction: int, wanted: float) -> None:
    """As upstream fills it in."""
    values = np.arange(count, dtype=np.float32)
    result = aclhost.var_correction(values, (0,), correction)
    assert np.array_equal(result, np.float32(wanted), equal_nan=True)


def test_mean_beside_an_infinite_value() -> None:
    """There is no variance, but a mean."""
    values = np.array([[1, np.inf, 2], [np.inf, 1, 2]], np.float32)
    variance, mean = aclhost.var_mean(values, (1,))
    assert np.isnan(variance).all()
    assert np.isposinf(mean).all()


def test_narrow_columns() -> None:
    """Few results of many values grow in several lanes."""
    values = np.arange(3 * 10001, dtype=np.float32).reshape(10001, 3)
    assert np.array_equal(
        aclhost.reduce_sum(values, (0,)), values.astype(np.float64).sum(axis=0).astype(np.float32)
    )


def test_log_sum_exp_of_infinite_values() -> None:
    """Infinities decide."""
    rows = [[-np.inf, -np.inf], [np.inf, 0], [np.inf, -np.inf], [np.nan, 0]]
    result = aclhost.log_sum_exp(np.array(rows, np.float32), (1,))
    assert np.array_equal(result, np.float32([-np.inf, np.inf, np.inf, np.nan]), equal_nan=True)


def test_numbers_without_a_place_are_reported() -> None:
    """The others are counted."""
    out = np.zeros(4, np.int64)
    with pytest.raises(aclhost.AclnnError, match="-1"):
        aclhost.bincount(np.array([1, -1, 3, 7, 3]), None, 0, out=out)
    assert out.tolist() == [0, 1, 0, 2]


def test_edges_of_a_histogram() -> None:
    """The last interval has its end; NaN and what is outside count nowhere."""
    values = np.array([-1, 0, 1, 2, 3, 4, 5, np.nan], np.float32)
    assert aclhost.histc(values, 4, 0.0, 4.0).tolist() == [1, 1, 1, 2]
    assert aclhost.histc(np.full(3, 7.0, np.float32), 4).tolist() == [0, 0, 3, 0]


@pytest.mark.parametrize("length", [31, 32, 33, 64, 95, 127, 128, 200])
def test_sums_do_not_depend_on_how_rows_lie(length: int) -> None:
    """Short rows across memory are added many at once, in the order of a single one."""
    values = np.random.default_rng(length).standard_normal((3, length, 150)).astype(np.float32)
    values[1, 3, 7], values[2, 5, 9] = np.inf, np.nan
    across = values.transpose(0, 2, 1)
    for function in (aclhost.reduce_sum, aclhost.mean):
        wanted = function(across.copy(), (2,))
        np.testing.assert_array_equal(function(across, (2,)), wanted)


@pytest.mark.parametrize("length", [33, 130, 316, 1000, 4200])
@pytest.mark.parametrize(
    "dtype", ["f4", "f2", "bfloat16", "f8", "i1", "u1", "i2", "i4", "i8", "?", "c8"]
)
def test_reductions_do_not_depend_on_how_rows_lie(dtype: str, length: int) -> None:
    """Bits are the same, of zeros with both signs, of NaN and where sums overflow, too."""
    rng = np.random.default_rng(length)
    values = rng.integers(-3, 4, (2, length, 70)).astype(getattr(ml_dtypes, dtype, dtype))
    if values.dtype.kind not in "iub":
        values *= rng.choice(np.array([0.37, -1.1], values.dtype), values.shape)
        values[0, :, 1:3] = np.copysign(0, rng.standard_normal((length, 2)))
        values[0, rng.random(length) < 0.9, 2] = -1
        values[0, 2, 5], values[1, length // 2, 9] = np.nan, np.inf
        largest = ml_dtypes.finfo(values.dtype).max
        values[1, ::2, 11], values[1, 1::2, 11] = largest, -largest
    across = values.transpose(0, 2, 1)
    along = across.copy()
    functions = [aclhost.reduce_sum]
    if dtype != "c8":
        functions += [aclhost.all, aclhost.any, aclhost.amax, aclhost.amin, aclhost.aminmax_dim]
    with np.errstate(all="ignore"):
        for function in functions:
            dims = 2 if function is aclhost.aminmax_dim else (2,)
            assert_same_bits(function(across, dims), function(along, dims))
        for kind in {values.dtype, np.dtype(np.float32)} - {np.dtype(bool)}:
            for function in (aclhost.reduce_sum, aclhost.prod_dim):
                dims = {"dims": (2,)} if function is aclhost.reduce_sum else {"dim": 2}
                assert_same_bits(
                    function(across, **dims, dtype=kind), function(along, **dims, dtype=kind)
                )


@pytest.mark.parametrize("results", [2, 3, 20, 31, 32, 33, 100, 130])
@pytest.mark.parametrize("dtype", ["f4", "f2", "bfloat16", "f8", "c8", "i4"])
def test_a_dimension_in_front_has_one_order(dtype: str, results: int) -> None:
    """Memory without gaps, with gaps between rows, and memory that runs along the dimension."""
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    for length in (1, 15, 16, 17, 32, 33, 127, 128, 129, 316, 4097, 9001):
        rng = np.random.default_rng(length)
        wide = rng.integers(-4, 5, (2, length, results + 5)).astype(kind)
        if kind.kind not in "i":
            wide *= rng.choice(np.array([0.37, -1.1], kind), wide.shape)
            wide[0, length // 2, 2], wide[1, length - 1, 3] = np.nan, np.inf
            wide[1, length // 2 :, 2] = ml_dtypes.finfo(kind).max
        gaps = wide[:, :, 2 : 2 + results]
        packed = gaps.copy()
        along = gaps.transpose(0, 2, 1).copy().transpose(0, 2, 1)
        functions = [
            lambda values, dim: aclhost.reduce_sum(values, (dim,), dtype=values.dtype),
            lambda values, dim: aclhost.prod_dim(values, dim, dtype=values.dtype),
        ]
        if kind.kind != "c":
            functions += [lambda values, dim: aclhost.amax(values, (dim,))]
            functions += [lambda values, dim: aclhost.amin(values, (dim,))]
        with np.errstate(all="ignore"):
            for function in functions:
                wanted, of_one = function(packed, 1), function(packed[1], 0)
                for values in (gaps, along):
                    assert_same_bits(function(values, 1), wanted)
                    assert_same_bits(function(values[1], 0), of_one)
            exact = packed.astype("c16" if kind.kind == "c" else "f8").sum(1)
        sums = functions[0](packed, 1).astype(exact.dtype)
        rough = 1e-2 if kind.itemsize == 2 else 1e-5
        of_moderate = np.isfinite(exact) & (abs(exact) < 1e4)
        np.testing.assert_allclose(sums[of_moderate], exact[of_moderate], rough, rough * length)


@pytest.mark.parametrize("dtype", ["f4", "f2", "bfloat16", "f8", "c8"])
@pytest.mark.parametrize(
    "shape", [(700, 300), (50, 9001), (40_000, 3), (3, 40_000), (2, 33, 2500), (3, 2500, 33)]
)
def test_sums_of_all_have_one_order(dtype: str, shape: tuple[int, ...]) -> None:
    """Whatever the order of memory: rows that lie across it are turned, many at once."""
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    rng = np.random.default_rng(len(shape))
    values = (rng.integers(-9, 10, shape) * rng.choice([0.37, -1.1], shape)).astype(kind)
    wanted = aclhost.reduce_sum(values, (), dtype=kind)
    of_each = aclhost.reduce_sum(values, (-2, -1), dtype=kind)
    for order in permutations(range(len(shape))):
        lies = np.ascontiguousarray(values.transpose(order)).transpose(np.argsort(order))
        assert_same_bits(aclhost.reduce_sum(lies, (), dtype=kind), wanted)
        assert_same_bits(aclhost.reduce_sum(lies, (-2, -1), dtype=kind), of_each)


@pytest.mark.parametrize("dtype", ["f4", "f2", "bfloat16", "f8"])
def test_extremes_have_zeros_without_sign(dtype: str) -> None:
    """They are found in the order of memory, which the first of equal values would show."""
    values = np.zeros((40, 30), getattr(ml_dtypes, dtype, dtype))
    values[::2] *= -1
    for each in (values, np.asfortranarray(values), -values):
        for function in (aclhost.amax, aclhost.amin):
            for dims in ((0,), (1,), (0, 1)):
                assert not np.signbit(function(each, dims).astype(np.float64)).any()
    values[3, 4] = -np.nan
    for each in (values, np.asfortranarray(values)):
        found = aclhost.amax(each, (0, 1))
        assert np.isnan(found)
        assert not np.signbit(found.astype(np.float64))


def assert_same_bits(found: object, wanted: object) -> None:
    for one, other in zip(np.atleast_2d(found), np.atleast_2d(wanted), strict=True):
        np.testing.assert_array_equal(one.view(np.uint8), other.view(np.uint8))


@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan])
def test_no_range_of_values_that_are_not_finite(odd: float) -> None:
    """They count nowhere between limits; where they are the limits, there is nothing to count."""
    values = np.array([1, 2, odd, 3], np.float32)
    assert aclhost.histc(values, 2, 0.0, 4.0).tolist() == [1, 2]
    out = np.ones(4, np.float32)
    with pytest.raises(aclhost.AclnnError, match="min below max") as caught:
        aclhost.histc(values, 4, out=out)
    assert (caught.value.status, caught.value.rule) == (507015, "finite_range")
    assert out.tolist() == [0, 0, 0, 0]


def test_columns_that_are_not_finite_leave_others_alone() -> None:
    """Rows are added in float; where that is too narrow, a column is added again by itself."""
    values = np.random.default_rng(5).standard_normal((100, 70)).astype(np.float32)
    wanted = aclhost.reduce_sum(values, (0,))
    values[7, 3], values[9, 5], values[::2, 11], values[1::2, 11] = (
        np.inf,
        np.nan,
        LARGEST,
        -LARGEST,
    )
    found = aclhost.reduce_sum(values, (0,))
    others = np.delete(np.arange(70), [3, 5, 11])
    np.testing.assert_array_equal(found[others], wanted[others])
    np.testing.assert_array_equal(found[[3, 5, 11]], np.float32([np.inf, np.nan, 0]))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("length", [5, 37, 130])
def test_sums_of_halves_are_those_of_floats(axis: int, length: int) -> None:
    """They are not converted first, but added in the same order."""
    shape = (length, 45) if axis == 0 else (45, length)
    values = np.random.default_rng(length).standard_normal(shape).astype(np.float16)
    wanted = aclhost.reduce_sum(values.astype(np.float32), (axis,))
    np.testing.assert_array_equal(aclhost.reduce_sum(values, (axis,), dtype=np.float32), wanted)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int8", "int32", "int64"])
@pytest.mark.parametrize(
    ("shape", "axis"), [((20001,), 0), ((9001, 17), 1), ((17, 9001), 0), ((9001, 17), 0)]
)
@pytest.mark.parametrize("rare", [2, 5000])
def test_the_first_of_equal_extremes(
    dtype: str, shape: tuple[int, ...], axis: int, rare: int
) -> None:
    """Also where parts of a row, which come in any order, hold the same value; NaN is the best."""
    draw = np.random.default_rng(3)
    values = (draw.integers(0, rare, shape) == 0).astype(dtype)
    assert np.array_equal(aclhost.arg_max(values, axis), values.argmax(axis))
    assert np.array_equal(aclhost.arg_min(-values, axis), values.argmax(axis))
    if dtype in ("float32", "float16", "int64"):
        assert np.array_equal(aclhost.max_dim(values, axis)[1], values.argmax(axis))
    if np.dtype(dtype).kind == "f":
        values[draw.integers(0, rare, shape) == 0] = np.nan
        assert np.array_equal(aclhost.arg_max(values, axis), values.argmax(axis))


@pytest.mark.parametrize("dtype", ["float32", "float16", ml_dtypes.bfloat16, "float64", "int32"])
@pytest.mark.parametrize("length", [1, 5, 15, 16, 17, 127, 129, 4097, 4103, 4111, 4112, 8193])
def test_sums_across_memory(dtype: str, length: int) -> None:
    """As those along it, whatever is left for the last part of a column."""
    values = np.random.default_rng(length).integers(-8, 9, (length, 70)).astype(dtype)
    dense = np.ascontiguousarray(values.T)
    wanted = dense.astype(np.float64).sum(1)
    for each in (values.T, dense):
        assert np.array_equal(aclhost.reduce_sum(each, (1,)).astype(np.float64), wanted)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
def test_truth_and_sums_of_integers_go_along_memory(axis: int, dtype: str) -> None:
    """Converted on the way, in rows longer than a part and in columns."""
    rng = np.random.default_rng(axis)
    for shape in ((17, 4500), (4500, 17), (60, 70)):
        values = (rng.random(shape) < 0.999).astype(dtype)
        for view in (values, np.asfortranarray(values), np.repeat(values, 2, axis=1)[:, ::2]):
            assert (aclhost.all(view, (axis,)) == view.astype(bool).all(axis)).all()
            assert (aclhost.any(view, (axis,)) == view.astype(bool).any(axis)).all()
            assert (aclhost.amax(view, (axis,)) == view.max(axis)).all()


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int64", "int8"])
def test_places_of_extremes_go_along_memory(dtype: str) -> None:
    """The first of equal values wins in whatever order they are met, and NaN before it."""
    rng = np.random.default_rng(5)
    for shape in ((20, 9001), (9001, 20), (300, 310)):
        values = (rng.random(shape) < 0.001).astype(dtype)
        for found in range(2):
            for view in (values, np.asfortranarray(values)):
                for axis in (0, 1):
                    assert (aclhost.arg_max(view, axis) == values.argmax(axis)).all()
                    assert (aclhost.arg_min(-view, axis) == (-values).argmin(axis)).all()
            if found == 0 and values.dtype.kind == "f":
                values[rng.random(shape) < 0.0005] = np.nan


@pytest.mark.parametrize("columns", [31, 32, 33, 63, 64, 65, 129])
@pytest.mark.parametrize("length", [33, 127, 511, 512, 513, 4095, 4097, 4111, 8200])
def test_what_is_computed_across_memory(length: int, columns: int) -> None:
    """Columns of results on the way have the bits of rows, however high and wide they are."""
    rng = np.random.default_rng(length)
    values = rng.standard_normal((2, length, columns + 3)).astype(np.float32)
    values[0, length // 2, 5], values[1, 3, 7], values[1, :, 9] = np.nan, np.inf, -np.inf
    for dtype in ("float32", "float16", "bfloat16", "float64"):
        wide = values.astype(getattr(ml_dtypes, dtype, dtype))
        across = wide[:, :, 2:-1].transpose(0, 2, 1)
        along = across.copy()
        assert_same_bits(aclhost.mean(across, (2,)), aclhost.mean(along, (2,)))
        if dtype == "float64":
            wanted = across.astype(np.float32)
            found = aclhost.mean(across, (2,), dtype=np.float32)
            assert_same_bits(found, aclhost.mean(wanted.copy(), (2,)))
            continue
        for function in (aclhost.reduce_nansum, aclhost.log_sum_exp):
            assert_same_bits(function(across, (2,)), function(along, (2,)))
        for order in (0.0, 1.0, np.inf, 3.0):
            norms = (aclhost.linalg_vector_norm(each, order, (2,)) for each in (across, along))
            assert_same_bits(*norms)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("length", [1, 15, 31, 32, 33, 63, 65, 127, 4095, 4096, 4097, 8200])
def test_extremes_of_halves_are_those_of_floats(dtype: str, length: int) -> None:
    """They are not widened first; of rows with NaN, infinities and zeros of both signs, too."""
    rng = np.random.default_rng(length)
    values = rng.standard_normal((7, length)).astype(getattr(ml_dtypes, dtype, dtype))
    values[1, length // 2], values[2, -1], values[3, -1] = np.nan, np.inf, -np.inf
    values[4], values[5, ::2], values[5, 1::2] = -np.inf, np.inf, -np.inf
    values[6] = np.copysign(0, rng.standard_normal(length))
    wide = values.astype(np.float32)
    for function in (aclhost.amax, aclhost.amin):
        assert_same_bits(function(values, (1,)), function(wide, (1,)).astype(values.dtype))
    for row in range(len(values)):
        for function in (aclhost.max, aclhost.min):
            assert_same_bits(function(values[row]), function(wide[row]).astype(values.dtype))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("length", [5, 64, 130, 4096, 4097, 9000])
def test_nan_is_left_out_of_sums(dtype: str, length: int) -> None:
    """Of rows of which some are finite, whose parts are added as they are."""
    rng = np.random.default_rng(length)
    values = rng.integers(-2, 3, (300, length)).astype(np.float32)
    values[7, 0], values[8, -1], values[9], values[10, :-1] = np.nan, np.nan, np.nan, np.nan
    values[11, 1], values[12, :2], values[250:, ::3] = np.inf, (np.inf, np.nan), np.nan
    values[13, :2] = np.inf, -np.inf
    stored = values.astype(getattr(ml_dtypes, dtype, dtype))
    with np.errstate(invalid="ignore"):
        wanted = np.nansum(values.astype(np.float64), 1)
    for view in (stored, np.asfortranarray(stored), np.repeat(stored, 2, axis=1)[:, ::2]):
        found = aclhost.reduce_nansum(view, (1,), dtype=np.float32)
        np.testing.assert_array_equal(found, wanted.astype(np.float32))
