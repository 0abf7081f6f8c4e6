# SPDX-License-Identifier: Apache-2.0
"""aclnnCast and aclnnInplaceCopy: all pairs of dtypes, in every layout, with every value."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

import aclhost
from aclhost import ops
from aclhost.calls import abi
from aclhost.calls.values import numpy_dtype
from aclhost.goldens import convert
from aclhost.spec import dtypes
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import COMPLEX32, FLOAT, FLOAT16, HIFLOAT8, DataType
from aclhost.spec.products import A950

FIFTEEN = dtypes.CAST_TARGETS
CAST = ops.BY_NAME["aclnnCast"]
NAN, INF = float("nan"), float("inf")
_REALS = (0.0, -0.0, 0.5, -0.5, 1.0, -1.7, 127.9, -128.9, 255.5, 300.7, 32767.5, 65504.0, 65520.0,
          7e4, -7e4, 2**31, -(2.0**31), 3e9, 1e10, -1e10, 2.0**53, 2.0**63, -(2.0**63), 1.9e19,
          1e30, -1e30, 1e-8, 6e-8, 1e-40, INF, -INF, NAN)  # fmt: skip
_INTEGERS = (0, 1, -1, 2, 127, -128, 255, 256, 300, 32767, -32768, 65535, 70000, 2**24 + 1,
             2**31 - 1, -(2**31), 2**32 - 1, 2**53 + 1, 2**63 - 1, -(2**63), 2**64 - 1)  # fmt: skip


def values_of(dtype: DataType) -> np.ndarray:
    """Special values and as many others as fill more than a block."""
    kind, rng = numpy_dtype(dtype), np.random.default_rng(dtype.value)
    if dtype is dtypes.BOOL:
        return rng.integers(0, 2, 1100).astype(bool)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        special = [value for value in _INTEGERS if limits.min <= value <= limits.max]
        others = rng.integers(limits.min, limits.max, 1100, dtype=kind, endpoint=True)
        return np.concatenate([np.array(special, kind), others])
    sizes = np.exp2(rng.uniform(-30, 70, 1100)) * rng.choice([-1, 1], 1100)
    reals = np.concatenate([_REALS, sizes])
    with np.errstate(all="ignore"):
        if kind.kind == "c":
            result = np.empty(reals.size, kind)
            result.real, result.imag = reals, reals[::-1]
            return result
        return reals.astype(kind)


def same(got: np.ndarray, wanted: np.ndarray) -> bool:
    """Equal, zeros with their signs; NaN is as good as another."""
    if got.dtype.kind == "c":
        return same(got.real, wanted.real) and same(got.imag, wanted.imag)
    if got.dtype.kind in "biu":
        return np.array_equal(got, wanted)
    a, b = got.astype(np.float64), wanted.astype(np.float64)
    equal = (a == b) & (np.signbit(a) == np.signbit(b))
    return bool(np.all(equal | (np.isnan(a) & np.isnan(b))))


PAIRS = pytest.mark.parametrize(
    ("source", "target"), [(a, b) for a in FIFTEEN for b in FIFTEEN], ids=str
)


@PAIRS
def test_every_pair(source: DataType, target: DataType) -> None:
    x = values_of(source)
    got = aclhost.cast(x, numpy_dtype(target))
    assert got.dtype == numpy_dtype(target)
    assert same(got, convert(x, target))


@PAIRS
def test_strides_on_both_sides(source: DataType, target: DataType) -> None:
    x = values_of(source)[:60].reshape(3, 4, 5)
    wanted = convert(x, target)
    spread = np.zeros((5, 8, 3), x.dtype)[:, ::2].transpose(2, 1, 0)
    spread[...] = x
    memory = np.full((3, 10, 4), 1, numpy_dtype(target))
    out = memory.transpose(0, 2, 1)[:, :, ::-2]
    assert same(aclhost.cast(spread, target.value, out=out), wanted)
    assert same(memory.transpose(0, 2, 1)[:, :, ::-2], wanted)
    assert np.all(memory[:, ::2] == np.ones(1, memory.dtype)), "elements in between are untouched"


@PAIRS
def test_copies_broadcast(source: DataType, target: DataType) -> None:
    x = values_of(source)[1:6].reshape(5, 1)
    into = np.zeros((2, 5, 7), numpy_dtype(target))
    assert aclhost.inplace_copy(into, x) is into
    assert same(into, np.broadcast_to(convert(x, target), into.shape))


TORCH = ("bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
         "float64", "complex64", "complex128")  # fmt: skip


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("target", TORCH)
@pytest.mark.parametrize("source", TORCH)
def test_torch_says_the_same_of_what_fits(source: str, target: str) -> None:
    x = torch.tensor([0, 1, 2, 3.7, 100.2, 0.3, 127]).to(getattr(torch, source))
    wanted = x.to(getattr(torch, target))
    got = aclhost.cast(x, target)
    assert got.dtype is wanted.dtype
    assert torch.equal(got, wanted)
    assert torch.equal(aclhost.inplace_copy(torch.empty_like(wanted), x), wanted)


@pytest.mark.parametrize(
    ("source", "target", "values", "wanted"),
    [
        ("float32", "int32", (1e10, -1e10, NAN), (2**31 - 1, -(2**31), 0)),
        ("float32", "int32", (INF, -INF), (2**31 - 1, -(2**31))),
        ("float32", "int64", (1e30, -INF, NAN), (2**63 - 1, -(2**63), 0)),
        ("float32", "int8", (300.7, 1e10, -129.0), (44, -1, 127)),
        ("float32", "uint8", (-1.5, INF, -INF, 256.0), (255, 255, 0, 0)),
        ("bfloat16", "int16", (NAN, 65536.0, -1.9), (0, 0, -1)),
        ("float64", "uint32", (3e9, -1.0, 2.0**32), (3000000000, 2**32 - 1, 0)),
        ("float64", "uint64", (1.8e19, 1e30, -1.0), (int(1.8e19), 2**64 - 1, 2**64 - 1)),
        ("int64", "int8", (300, -129, 2**40 + 5), (44, 127, 5)),
        ("float64", "bool", (5e-324, NAN, 0.0, -0.0), (True, True, False, False)),
        ("complex64", "bool", (0, 1j, 1, 0j), (False, True, True, False)),
        ("complex128", "float32", (1 + 2j, -3j), (1, 0)),
        ("float32", "float16", (65519.0, 65520.0, 1e-8), (65504.0, INF, 0.0)),
        ("int64", "float32", (2**24 + 1, 2**24 + 3), (2.0**24, 2.0**24 + 4)),
    ],
)  # fmt: skip
def test_values_that_do_not_fit(source: str, target: str, values: Any, wanted: Any) -> None:
    kind = np.dtype(getattr(ml_dtypes, source, source))
    assert aclhost.cast(np.array(values).astype(kind), target).tolist() == list(wanted)


def test_one_element_and_none() -> None:
    assert aclhost.cast(np.array(2.5), "int32").tolist() == 2
    assert aclhost.cast(np.zeros((3, 0, 2)), "int8").shape == (3, 0, 2)
    into = np.zeros((0, 3))
    assert aclhost.inplace_copy(into, np.ones((1, 3), np.int8)) is into
    single = np.zeros(())
    aclhost.inplace_copy(single, np.array(7, np.int8))
    assert single == 7


def test_many_elements() -> None:
    x = np.random.default_rng(3).normal(0, 1e3, 300_007)
    assert np.array_equal(aclhost.cast(x, "int16"), x.astype(np.int16))
    grid = x[:300_000].reshape(600, 500)
    out = np.empty((500, 600), np.float32).T
    assert np.array_equal(aclhost.cast(grid, "float32", out=out), grid.astype(np.float32))


def test_the_last_value_stays_where_outputs_share_a_place() -> None:
    x = np.arange(12.0).reshape(3, 4)
    row = np.zeros(4, np.int32)
    out = np.lib.stride_tricks.as_strided(row, (3, 4), (0, 4))
    aclhost.cast(x, "int32", out=out)
    assert row.tolist() == [8, 9, 10, 11]


def test_copy_to_itself_changes_nothing() -> None:
    x = np.arange(6.0).reshape(2, 3)
    aclhost.inplace_copy(x, x)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_equal_types_keep_their_bits() -> None:
    bits = np.random.default_rng(1).integers(0, 2**16, 3000).astype(np.uint16)
    for name in ("float16", "bfloat16"):
        x = bits.view(getattr(ml_dtypes, name, name))
        assert np.array_equal(aclhost.cast(x, x.dtype).view(np.uint16), bits)
    truth = np.array([0, 1, 2, 255], np.uint8).view(bool)
    assert aclhost.cast(truth, "int32").tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("name", ["float8_e5m2", "float8_e4m3fn"])
@pytest.mark.parametrize("wide", ["float16", "bfloat16", "float32"])
def test_8_bit_floats(name: str, wide: str) -> None:
    byte, kind = np.dtype(getattr(ml_dtypes, name)), np.dtype(getattr(ml_dtypes, wide, wide))
    every_byte = np.arange(256, dtype=np.uint8).view(byte)
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        x = halves.astype(kind) if wide != "float16" else halves
        wanted = x.astype(byte)
    with aclhost.soc(A950.default_soc):
        assert same(aclhost.cast(every_byte, kind), every_byte.astype(kind))
        assert same(aclhost.cast(x, byte), wanted)
        into = np.zeros(256, kind)
        aclhost.inplace_copy(into, every_byte)
    assert same(into, every_byte.astype(kind))


def _bytes_of(x: tuple[float, ...], source: DataType, target: DataType, stream: int) -> np.ndarray:
    """What a cast on Ascend 950 writes, for types that NumPy does not know."""
    shape = (len(x),)
    call = Call(
        {"self": TensorArg(shape, source, x), "dtype": target, "out": TensorArg(shape, target)}
    ).on(A950)
    with abi.prepared_call(CAST, call) as prepared:
        abi.run(CAST, prepared, stream)
        return np.frombuffer(prepared.fetch("out").tobytes(), np.uint8)


def test_hifloat8(stream: int) -> None:
    codes = {
        -0.0: 0x00, 1.0: 0x08, -1.0: 0x88, 1.125: 0x09, 1.0625: 0x09, 1.06: 0x08,
        32768.0: 0x6E, 40959.0: 0x6E, 40960.0: 0x6F, INF: 0x6F, -INF: 0xEF, NAN: 0x80,
        2.0**-22: 0x01, -(2.0**-30): 0x00,
    }  # fmt: skip
    assert _bytes_of(tuple(codes), FLOAT, HIFLOAT8, stream).tolist() == list(codes.values())


def test_complex32(stream: int) -> None:
    parts = _bytes_of((1.5, -2.0, INF), FLOAT16, COMPLEX32, stream).view(np.float16)
    assert parts.tolist() == [1.5, 0, -2.0, 0, INF, 0]


def test_pairs_that_only_one_product_has() -> None:
    x = np.ones(3, ml_dtypes.float8_e5m2)
    into = np.zeros(3, np.float32)
    with pytest.raises(aclhost.AclnnError, match=r"FLOAT8_E5M2 to FLOAT .*") as caught:
        aclhost.inplace_copy(into, x)
    assert caught.value.status == 561103
    with aclhost.soc(A950.default_soc):
        aclhost.inplace_copy(into, x)
    assert into.tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("length", [1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33])
def test_short_arrays_are_rounded_like_long_ones(dtype: str, length: int) -> None:
    edges = (0, 0x33000000, 0x387FC000, 0x477FE000, 0x7F7F8000, 0x7F800000, 0x7FC00000)
    near = np.array([edge + i for edge in edges for i in range(-9, 9)], "i8") % 2**32
    bits = np.concatenate([near, near ^ 2**31]).astype("u4")
    values = bits.view("f4")
    kind = getattr(ml_dtypes, dtype, dtype)
    whole, short = np.empty(values.size, kind), np.empty(values.size, kind)
    aclhost.inplace_copy(whole, values)
    for first in range(0, values.size, length):
        aclhost.inplace_copy(short[first : first + length], values[first : first + length])
    assert short.tobytes() == whole.tobytes()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33])
def test_short_arrays_are_widened_like_long_ones(dtype: str, length: int) -> None:
    edges = (0, 0x0400, 0x3C00, 0x7C00, 0x7E00, 0x7F80, 0x7FC0, 0x8000, 0xFC00, 0xFFFF)
    bits = np.array([edge + i for edge in edges for i in range(-9, 9)], "i8") % 2**16
    values = bits.astype("u2").view(getattr(ml_dtypes, dtype, dtype))
    whole, short = np.empty(values.size, "f4"), np.empty(values.size, "f4")
    aclhost.inplace_copy(whole, values)
    beside = np.full(length + 2, -1, "f4")
    for first in range(0, values.size, length):
        part = values[first : first + length]
        room = beside[1 : 1 + part.size]
        aclhost.inplace_copy(room, part)
        short[first : first + length] = room
    assert short.tobytes() == whole.tobytes()
    assert beside[0] == beside[-1] == -1
