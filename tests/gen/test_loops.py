# SPDX-License-Identifier: Apache-2.0
"""Generated loops compute what NumPy makes of the same functions."""

from __future__ import annotations

import re
from zlib import crc32

import numpy as np
import pytest
from support.loops import ALL, COMPUTED, OPERATORS, Loops

from aclhost.spec import dtypes
from aclhost.spec.dtypes import BOOL, FLOAT, INT32, INT64, UINT8
from aclhost.spec.expression import domain_of
from aclhost.spec.pointwise import loop_dtype, stored_dtype
from aclhost.spec.terms import Const

SIZE = 173  # some vectors and a rest
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 3.0, np.inf, -np.inf, np.nan, 1e30, -1e-30, 88.0]


@pytest.fixture(scope="module")
def loops(tmp_path_factory):
    return Loops(tmp_path_factory.mktemp("loops"))


def stored(dtype):
    """The NumPy type of a loop's elements."""
    return np.dtype("uint8" if dtype is BOOL else loop_dtype(dtype).numpy)


def values_of(dtype, seed, special=True):
    """Ordinary values, with those in front that are easily got wrong."""
    random = np.random.default_rng(crc32(f"{dtype}{seed}".encode()))
    kind = stored(dtype)
    if dtype is BOOL:
        return random.integers(0, 2, SIZE, np.uint8)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        values = random.integers(max(-20, limits.min), 20, SIZE).astype(kind)
        edges = np.array([limits.min, limits.max, 0, 1, limits.max - 1, 2, 7, 33], kind)
    else:
        values = random.uniform(-3, 3, SIZE).astype(kind)
        edges = np.array(REALS, kind) if kind.kind == "f" and special else values[:1]
        if kind.kind == "c":
            values = values + 1j * random.uniform(-3, 3, SIZE)
            edges = values[:1]
    places = random.permutation(SIZE)[: 2 * len(edges)]
    values[places] = np.tile(edges, 2)[: len(places)]
    return values.astype(kind)


def dtype_of(term, dtype):
    return dtypes.BY_VALUE[term.number] if isinstance(term, Const) else dtype


class Run:
    """One loop of an operator on values of its dtypes."""

    def __init__(self, name, dtype, variant=0):
        self.name, self.dtype, self.variant = name, dtype, variant
        self.kernel = ALL[name].kernel
        self.domain = domain_of(dtype)
        stated = [self.kernel.input_dtype(i) for i in range(len(self.kernel.inputs))]
        self.inputs = [values_of(dtype_of(each, dtype), i) for i, each in enumerate(stated)]
        stated = [number.dtype for number in self.kernel.numbers]
        self.numbers = [
            values_of(dtype_of(each, dtype), 10 + i, False)[:1] for i, each in enumerate(stated)
        ]
        self.types = [
            stored(stored_dtype(result.kind, dtype))
            for result in self.kernel.expressions(self.domain, variant)
        ]

    def computed(self, loops):
        outputs = [np.full(SIZE, 77).astype(kind) for kind in self.types]
        loops.run(
            self.name, loop_dtype(self.dtype), self.inputs, outputs, self.numbers, self.variant
        )
        return outputs

    def golden(self):
        numbers = {
            n.parameter: v[0] for n, v in zip(self.kernel.numbers, self.numbers, strict=True)
        }
        arguments = dict(zip(self.kernel.inputs, self.inputs, strict=True)) | numbers
        return self.kernel.golden(arguments, self.dtype, self.variant)


def assert_close(got, wanted, kind, what):
    with np.errstate(all="ignore"):
        wanted = wanted.astype(kind)
    if kind.kind in "fc":
        scale = 16 * np.finfo(kind).eps
        bad = ~np.isclose(got, wanted, rtol=scale, atol=scale, equal_nan=True)
    else:
        bad = got != wanted
    assert not bad.any(), f"{what}: {got[bad][:4]} instead of {wanted[bad][:4]}"


@pytest.mark.parametrize("name", ALL)
def test_as_numpy(loops, name):
    kernel = ALL[name].kernel
    for dtype in kernel.dtypes:
        for variant in range(len(kernel.functions)):
            run = Run(name, dtype, variant)
            for got, wanted, kind in zip(run.computed(loops), run.golden(), run.types, strict=True):
                assert_close(got, wanted, kind, f"{name} of {dtype}")


@pytest.mark.parametrize("name", [op.name for op in OPERATORS])
def test_in_place(loops, name):
    """Outputs that are inputs get what other outputs get."""
    for dtype in ALL[name].kernel.dtypes:
        run = Run(name, dtype)
        apart = run.computed(loops)
        if [each.dtype for each in run.inputs[: len(apart)]] != [each.dtype for each in apart]:
            continue
        arrays = [array.copy() for array in run.inputs]
        loops.run(name, loop_dtype(dtype), arrays, arrays[: len(apart)], run.numbers)
        for first, second in zip(apart, arrays, strict=False):
            assert first.tobytes() == second.tobytes(), dtype


def test_floats_vectorize(loops):
    """No loop of plain arithmetic falls back to one element at a time."""
    plain = {
        "silu_of_real",
        "add_of_real",
        "add_of_integer",
        "less_of_real",
        "clamp_of_real",
        "masked_of_real",
        "not_equal_of_real",
        "and_of_real",
        "and_of_bool",
        "left_of_integer",
    }
    name, slow = "", []
    for number, line in enumerate(loops.source.splitlines(), 1):
        if header := re.match(r"static void (\w+)\(", line):
            name = header[1]
        if line.startswith("  for (") and name in plain and number not in loops.vectorized_lines():
            slow.append(name)
    assert plain <= set(re.findall(r"static void (\w+)\(", loops.source))
    assert slow == []


def test_twins_share_loops(loops):
    assert "inplace_silu" not in loops.source
    assert loops.source.count("kernel_aclnnInplaceSilu") == 1


def test_tables_say_where_operands_are(loops):
    computed, flag, real, wide = (
        loops.terms.index(term)
        for term in (COMPUTED, Const(BOOL.value), Const(FLOAT.value), Const(INT64.value))
    )
    own, inputs, outputs, numbers = loops.tables("aclnnMasked")
    assert own == [computed, -1]
    assert inputs == [0, flag, 1, -1, 2, -1]
    assert outputs == [4, computed]
    assert loops.tables("aclnnLess")[2] == [2, flag]
    assert numbers == [3, real, 0]
    assert loops.tables("aclnnDecimals")[3] == [1, wide, 0]
    assert loops.tables("aclnnClamp")[3] == [1, -1, 1, 2, -1, 2]
    assert loops.tables("aclnnInplaceSilu")[1:3] == [[0, -1], [0, -1]]


def test_integers_divided_by_zero(loops):
    zero, dividend = np.zeros(3, np.int32), np.array([5, -5, 0], np.int32)
    quotient, rest = np.empty_like(zero), np.empty_like(zero)
    loops.run("aclnnModulo", INT32, [dividend, zero], [quotient, rest])
    assert list(quotient) == [-1, -1, -1]
    assert list(rest) == [5, -5, 0]
    short = np.array([9], np.uint8)
    quotient, rest = np.empty_like(short), np.empty_like(short)
    loops.run("aclnnModulo", UINT8, [short, short * 0], [quotient, rest])
    assert (quotient[0], rest[0]) == (255, 9)


def test_shifts_past_the_width(loops):
    values = np.array([-7, 7, -7, 7, -7], np.int32)
    counts = np.array([31, 32, -1, 40, 1], np.int32)
    left, right = np.empty_like(values), np.empty_like(values)
    loops.run("aclnnLeft", INT32, [values, counts], [left])
    loops.run("aclnnRight", INT32, [values, counts], [right])
    assert list(left) == [-(2**31), 0, 0, 0, -14]
    assert list(right) == [-1, 0, -1, 0, -4]
