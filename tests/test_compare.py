# SPDX-License-Identifier: Apache-2.0
"""`aclhost.compare` against numbers worked out by hand."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from aclhost.compare import Standard, compare, standard_for, sums

FLOATS = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32),
          np.dtype(np.float64)]  # fmt: skip


def shifted(values: np.ndarray, ulps: int) -> np.ndarray:
    """Positive values, some ulps up."""
    bits = np.dtype(f"i{values.dtype.itemsize}")
    return (values.view(bits) + bits.type(ulps)).view(values.dtype)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("ulps", [0, 1, 2, 3, 100])
def test_ulps(dtype, ulps):
    values = np.array([1.0, 1.5, 0.001, 200.0]).astype(dtype)
    found = compare(shifted(values, ulps), values)
    assert found.max_ulp == ulps
    assert found.dtype == dtype.name


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_ulps_count_through_zero(dtype):
    smallest = shifted(np.zeros(1, dtype), 1)
    assert compare(smallest, -smallest).max_ulp == 2
    assert compare(np.zeros(1, dtype), -np.zeros(1, dtype)).max_ulp == 0


@pytest.mark.parametrize(
    ("dtype", "good", "bad"),
    [("float16", 2, 5), ("bfloat16", 2, 5), ("float32", 64, 200), ("float64", 1000, 4000)],
)
def test_standards_are_aware_of_the_dtype(dtype, good, bad):
    kind = np.dtype(getattr(ml_dtypes, dtype, None) or dtype)
    values = np.full(10, 100.0).astype(kind)
    assert compare(shifted(values, good), values).passed
    assert not compare(shifted(values, bad), values).passed
    assert standard_for(np.dtype(np.int32)) == Standard(0.0, 0.0)


def test_metrics():
    expected = np.array([[1.0, -2.0, 0.0], [4.0, 5.0, -8.0]])
    actual = expected + np.array([[0.0, 0.5, 0.25], [0.0, -1.0, 0.0]])
    found = compare(actual, expected)
    assert (found.count, found.equal, found.outliers) == (6, 3, 3)
    assert found.max_absolute == 1.0
    assert found.mean_absolute == pytest.approx(1.75 / 6)
    assert found.max_relative == 0.25
    assert found.mean_relative == pytest.approx((0.25 + 0.2) / 5)  # not at the zero
    wanted = actual.ravel() @ expected.ravel()
    wanted /= np.linalg.norm(actual) * np.linalg.norm(expected)
    assert found.cosine == pytest.approx(wanted)
    assert {element.index for element in found.worst} == {(0, 1), (0, 2), (1, 1)}
    assert [element.index for element in found.worst] == [(1, 1), (0, 1), (0, 2)]
    assert found.decades == {"0": 3, "1e-01": 2, "1e+00": 1}
    assert sum(found.ulps.values()) == 6
    assert found.heat_map is not None
    assert found.heat_map.cells == ((0.0, 0.5, 0.25), (0.0, 1.0, 0.0))


def test_nan_and_inf():
    inf, nan = math.inf, math.nan
    expected = np.array([nan, 1.0, inf, inf, 1.0, nan, -inf])
    actual = np.array([nan, nan, inf, -inf, inf, 2.0, -inf])
    found = compare(actual, expected)
    assert (found.nan_mismatches, found.inf_mismatches, found.equal) == (2, 2, 3)
    assert found.max_absolute == 0.0
    assert not found.passed
    assert {element.index[0] for element in found.worst} == {1, 3, 4, 5}
    assert compare(actual, actual.copy()).passed


def test_what_the_user_sets():
    expected = np.ones(100, np.float32)
    actual = expected.copy()
    actual[7] = 1.5
    assert not compare(actual, expected).passed
    assert compare(actual, expected, standard=Standard(0.5, 0.0)).passed
    assert compare(actual, expected, standard=Standard(0.0, 0.0, outliers=0.01)).passed
    assert not compare(actual, expected, standard=Standard(0.0, 0.0, outliers=0.009)).passed
    assert not compare(actual, expected, standard=Standard(1.0, 0.0, max_ulp=10)).passed
    assert not compare(actual, expected, standard=Standard(1.0, 0.0, cosine=0.9999)).passed
    assert compare(actual, expected, standard=Standard(1.0, 0.0, cosine=0.99)).passed


def test_integers_are_exact_beyond_the_digits_of_a_double():
    expected = np.array([2**62, 5], np.int64)
    actual = np.array([2**62 + 1, 5], np.int64)
    found = compare(actual, expected)
    assert (found.equal, found.outliers, found.max_absolute) == (1, 1, 1.0)


def test_a_finer_golden_is_rounded_for_ulps():
    golden = np.array([1 / 3, 2 / 3])
    actual = golden.astype(ml_dtypes.bfloat16)
    found = compare(actual, golden)
    assert (found.dtype, found.max_ulp, found.passed) == ("bfloat16", 0.0, True)
    assert found.max_absolute > 0


def test_pieces_add_up(monkeypatch):
    rng = np.random.default_rng(1)
    expected = rng.normal(size=(3, 5, 7)).astype(np.float32)
    actual = expected + rng.normal(0, 1e-3, expected.shape).astype(np.float32)
    whole = compare(actual, expected)
    monkeypatch.setattr(sums, "_PIECE", 4)
    pieces = compare(actual, expected)
    assert pieces.worst == whole.worst
    assert pieces.ulps == whole.ulps
    assert pieces.heat_map == whole.heat_map
    assert pieces.mean_absolute == pytest.approx(whole.mean_absolute)
    assert pieces.cosine == pytest.approx(whole.cosine)


def test_complex_numbers_are_pairs():
    expected = np.array([1 + 2j, 3 + 4j], np.complex64)
    actual = expected + np.array([0, 1j], np.complex64)
    found = compare(actual, expected)
    assert found.shape == (2, 2)
    assert found.worst[0].index == (1, 1)


@pytest.mark.parametrize("dtype", [np.float16, np.complex64])
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1,), (100_000,)])
def test_all_shapes(shape, dtype):
    array = np.ones(shape, dtype)
    found = compare(array, array.copy())
    assert found.passed
    assert found.cosine == pytest.approx(1.0)
    assert found.count == array.size * (2 if dtype is np.complex64 else 1)


def test_bad_arrays():
    with pytest.raises(ValueError, match=r"shapes differ: \[2, 3\] and \[3, 2\]"):
        compare(np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="holds no numbers"):
        compare(np.array(["a"]), np.array(["a"]))
