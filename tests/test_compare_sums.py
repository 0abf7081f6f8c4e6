# SPDX-License-Identifier: Apache-2.0
"""The native sums of a comparison against the same sums in NumPy."""

from __future__ import annotations

import os
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.compare_reference import heat_map, reference

from aclhost.compare import coarser, sums

INTEGERS = [np.dtype(f"{kind}{size}") for size in (1, 2, 4, 8) for kind in "iu"]
INTEGERS.append(np.dtype(bool))
FLOATS = [np.dtype(each) for each in
          ("float16", ml_dtypes.bfloat16, "float32", "float64", ">f4", ml_dtypes.float8_e4m3fn,
           ml_dtypes.float8_e5m2, ml_dtypes.float8_e8m0fnu, ml_dtypes.float4_e2m1fn)]  # fmt: skip
OTHERS = [np.dtype(np.longdouble)]
EXACT = ("equal", "finite", "nonzero", "nan_mismatches", "inf_mismatches", "outliers",
         "max_absolute", "max_relative", "max_ulp")  # fmt: skip


@st.composite
def array(draw, dtype, shape):
    """Any bits; floats often near each other, so that there are small distances, too."""
    size = int(np.prod(shape))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    if dtype.name == "bool":
        return rng.integers(0, 2, shape).astype(dtype)
    if draw(st.booleans()) or dtype.itemsize > 8 or dtype in OTHERS:
        return np.round(rng.normal(0, 3, shape), 2).astype(np.float64).astype(dtype)
    bits = rng.integers(0, 256, size * dtype.itemsize, dtype=np.uint8)
    if dtype == np.dtype(ml_dtypes.float4_e2m1fn):
        bits &= 15
    return bits.view(dtype).reshape(shape)


@st.composite
def two_arrays(draw):
    shape = draw(st.sampled_from([(1,), (7,), (100,), (513,), (3, 5), (2, 3, 100), (1700, 1)]))
    first = draw(st.sampled_from([*INTEGERS, *FLOATS, *OTHERS]))
    actual = draw(array(first, shape))
    if draw(st.booleans()):  # a neighbour of the same dtype
        expected = actual.copy()
        flat = expected.reshape(-1)
        places = np.random.default_rng(draw(st.integers(0, 99))).integers(0, flat.size, 3)
        flat[places] = draw(array(first, (3,)))
        return actual, expected
    second = draw(st.sampled_from([*INTEGERS, *FLOATS, *OTHERS]))
    return actual, draw(array(second, shape))


@settings(max_examples=400, deadline=None)
@given(two_arrays(), st.sampled_from([0.0, 2**-9, 0.25]), st.sampled_from([0.0, 1e-5, 1.0]),
       st.sampled_from([0, 3, 1000]))  # fmt: skip
def test_native_sums_are_those_of_numpy(pair, rtol, atol, keep):
    actual, expected = pair
    kind = coarser(actual.dtype, expected.dtype)
    if kind.itemsize > 8:
        kind = np.dtype(np.float64)
    found = sums.accumulate(actual, expected, kind, rtol, atol, keep)
    wanted = reference(actual.reshape(-1), expected.reshape(-1), kind, rtol, atol, keep)
    assert {name: getattr(found, name) for name in EXACT} == {name: wanted[name] for name in EXACT}
    assert found.ulps == wanted["ulps"]
    assert found.decade_counts == wanted["decades"]
    assert [row.position for row in found.worst] == wanted["worst"]
    close = {"rtol": 1e-12, "equal_nan": True}
    np.testing.assert_allclose(found.sum_absolute, wanted["sum_absolute"], **close)
    np.testing.assert_allclose(found.sum_relative, wanted["sum_relative"], **close)
    np.testing.assert_allclose(found.products[1:], wanted["products"][1:], **close)
    with np.errstate(invalid="ignore"):  # infinity times 0
        scale = float(np.sqrt(wanted["products"][1]) * np.sqrt(wanted["products"][2]))
    if np.isfinite(scale):  # products of terms that overflow depend on their order
        np.testing.assert_allclose(found.products[0], wanted["products"][0], 1e-10, 1e-12 * scale)
    cells = heat_map(wanted["errors"], *found.shape, *found.grid.shape)
    np.testing.assert_array_equal(found.grid, cells)


def noisy(count):
    rng = np.random.default_rng(5)
    expected = rng.normal(size=count).astype(np.float32)
    return (expected * (1 + 1e-6 * rng.normal(size=count))).astype(np.float32), expected


def test_pieces_and_threads_change_nothing(monkeypatch):
    """Not even the last bit of a sum within one piece."""
    program = (
        "import numpy as np, sys\nfrom test_compare_sums import noisy\n"
        "from aclhost.compare import compare\nprint(compare(*noisy(1_000_000)))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True,
            env={**os.environ, "ACLHOST_NUM_THREADS": threads,
                 "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for threads in ("1", "2", "5")
    }  # fmt: skip
    assert len(texts) == 1


def test_progress_is_told_to_the_end(monkeypatch):
    monkeypatch.setattr(sums, "_PIECE", 1000)
    told = []
    actual, expected = noisy(2500)
    sums.accumulate(
        actual, expected, actual.dtype, 0, 0, 1, lambda done, total: told.append((done, total))
    )
    assert told == [(1000, 2500), (2000, 2500), (2500, 2500)]


@pytest.mark.parametrize("shift", [1, 3])
def test_memory_that_is_not_aligned(shift):
    actual, expected = noisy(1000)
    memory = np.zeros(actual.nbytes + 8, np.uint8)
    memory[shift : shift + actual.nbytes] = actual.view(np.uint8)
    moved = memory[shift : shift + actual.nbytes].view(np.float32)
    found = sums.accumulate(moved, expected, actual.dtype, 0, 0, 1)
    assert found.equal == np.count_nonzero(actual == expected)


def test_four_bits_have_their_sign_in_the_middle_of_a_byte():
    """Between -0.5 and 0.5 lie the two zeros, which are one."""
    kind = np.dtype(ml_dtypes.float4_e2m1fn)
    actual, expected = np.array([-0.5, -0.0, 6]).astype(kind), np.array([0.5, 0, -6]).astype(kind)
    found = sums.accumulate(actual, expected, kind, 0.0, 0.0, 0)
    assert (found.equal, found.max_ulp) == (1, 14)
    assert found.ulps[:4] == [1, 0, 1, 0]


@pytest.mark.parametrize("step", [2, -1, -3])
def test_lines_with_gaps(step):
    actual, expected = noisy(1000)
    dense = sums.accumulate(
        actual[::step].copy(), expected[::step].copy(), actual.dtype, 0.0, 0.0, 3
    )
    gaps = sums.accumulate(actual[::step], expected[::step], actual.dtype, 0.0, 0.0, 3)
    assert (gaps.equal, gaps.sum_absolute, gaps.worst) == (
        dense.equal, dense.sum_absolute, dense.worst
    )  # fmt: skip
