# SPDX-License-Identifier: Apache-2.0
"""Sequences, fills and patterns, against NumPy and torch."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

import aclhost
from aclhost import ops
from aclhost.arrays import numpy_dtype
from aclhost.calls import abi
from aclhost.spec import dtypes
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import BOOL, COMPLEX64, DOUBLE, FLOAT, INT32
from aclhost.spec.products import A950

FLOATS = {"float32": 2**-23, "float16": 2**-10, "bfloat16": 2**-7, "float64": 2**-52}


def kind_of(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name, name))


def close(got: np.ndarray, wanted: np.ndarray, ends: tuple[float, ...]) -> bool:
    """Off by 2 ulp at most, at the magnitude of the largest number that is added."""
    ulp = FLOATS[got.dtype.name] * max(map(abs, ends))
    return bool(np.all(np.abs(got.astype(np.float64) - wanted) <= 2 * ulp))


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize(("start", "end", "step"), [(0, 1000, 1), (-3, 7, 0.1), (5, -2, -0.25)])
def test_arange_of_floats(name: str, start: float, end: float, step: float) -> None:
    exact = start + np.arange(np.ceil((end - start) / step)) * step
    got = aclhost.arange(start, end, step, out=np.empty(exact.size, kind_of(name)))
    assert close(got, exact, (start, end))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize(("start", "end", "step"), [(0, 5000, 1), (-7, 20, 3), (9, -9, -4)])
def test_arange_of_integers(dtype: torch.dtype, start: int, end: int, step: int) -> None:
    wanted = torch.arange(start, end, step, dtype=dtype)
    assert torch.equal(aclhost.arange(start, end, step, out=torch.empty_like(wanted)), wanted)


def test_arange_drops_fractions_for_integers_and_wraps() -> None:
    out = np.empty(4, np.int32)
    assert aclhost.arange(1.9, 9.0, 2.9, out=out).tolist() == [1, 3, 5, 7]
    assert aclhost.arange(2**31 - 2, 2**31 + 2, 1, out=out).tolist() == [
        2**31 - 2, 2**31 - 1, -(2**31), -(2**31) + 1,
    ]  # fmt: skip
    large = np.empty(2, np.int64)
    assert aclhost.arange(2**62 + 1, 2**62 + 3, 1, out=large).tolist() == [2**62 + 1, 2**62 + 2]


@pytest.mark.parametrize("function", [aclhost.arange, aclhost.range])
def test_sequences_go_on_in_row_major_order(function: Any) -> None:
    wanted = np.arange(60.0).reshape(3, 4, 5)
    for out in (
        np.empty((3, 4, 5), np.float32),
        np.empty((5, 4, 3), np.float32).T,
        np.empty((3, 8, 10), np.float32)[:, ::2, ::-2],
        np.empty((4, 3, 5), np.int64).transpose(1, 0, 2),
    ):
        assert np.array_equal(function(0, 2, 1, out=out), wanted)
    assert function(4, 4, 1, out=np.empty(1)).tolist() == [4]
    assert function(4, 5, 1, out=np.empty((2, 0))).shape == (2, 0)


def test_long_sequences() -> None:
    out = np.empty(1_000_003, np.int64)
    assert np.array_equal(aclhost.arange(5, 9, -3 + 4, out=out), np.arange(5, 1_000_008))
    rows = np.empty((1000, 700), np.float64)[:, ::7]
    assert np.array_equal(aclhost.range(0, 9, 0.5, out=rows).ravel(), np.arange(100_000) * 0.5)


def test_the_last_number_stays_where_outputs_share_a_place() -> None:
    place = np.zeros(1)
    out = np.lib.stride_tricks.as_strided(place, (100_000,), (0,))
    aclhost.arange(0, 1, 1, out=out)
    assert place[0] == 99_999


@pytest.mark.parametrize("step", [0, 0.5, -1, float("nan")])
def test_steps_that_lead_nowhere(step: float) -> None:
    with pytest.raises(aclhost.AclnnError, match="must lead from start to end") as caught:
        aclhost.arange(0, 3, step, out=np.empty(3, np.int32))
    assert (caught.value.status, caught.value.rule) == (161002, "leads")
    if step == 0.5:
        aclhost.arange(0, 3, step, out=np.empty(6, np.float32))


def test_the_size_of_sequences_comes_from_out() -> None:
    with pytest.raises(TypeError, match="needs out"):
        aclhost.arange(0, 3, 1)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("steps", [2, 3, 10, 5001])
def test_linspace_of_floats(name: str, steps: int) -> None:
    got = aclhost.linspace(-2.5, 7.0, steps, out=np.empty(steps, kind_of(name)))
    assert (got[0], got[-1]) == (-2.5, 7.0)
    assert close(got, np.linspace(-2.5, 7.0, steps), (-2.5, 7.0))


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "int32", "int64"])
@pytest.mark.parametrize(("start", "end", "steps"), [(0, 100, 7), (1.9, 5.9, 5), (90, 3, 88)])
def test_linspace_of_integers(name: str, start: float, end: float, steps: int) -> None:
    wanted = torch.linspace(start, end, steps, dtype=getattr(torch, name))
    if name == "int64":  # which keeps the fractions of its ends, as float
        wanted = torch.linspace(start, end, steps, dtype=torch.float32).to(torch.int64)
    got = aclhost.linspace(start, end, steps, out=torch.empty_like(wanted))
    assert torch.equal(got, wanted)


def test_linspace_of_few_steps() -> None:
    assert aclhost.linspace(3.5, 9.0, 1).tolist() == [3.5]
    assert aclhost.linspace(3.5, 9.0, 1, out=np.empty((), np.int32)) == 3
    assert aclhost.linspace(3.5, 9.0, 0).shape == (0,)
    assert aclhost.linspace(0, 1, 3).dtype == np.float32


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize(("start", "end", "base"), [(-1.0, 2.0, 10.0), (0.0, 3.0, 2.0)])
def test_log_space(name: str, start: float, end: float, base: float) -> None:
    dtype = getattr(torch, name)
    wanted = torch.logspace(start, end, 33, base, dtype=torch.float64)
    got = aclhost.log_space(start, end, 33, base, out=torch.empty(33, dtype=dtype))
    assert torch.all((got.double() - wanted).abs() <= 8 * FLOATS[name] * wanted)
    assert aclhost.log_space(2, 5, 1)[0] == 100


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (1, 4), (0, 3), (70, 900)])
@pytest.mark.parametrize("name", ["float32", "int8", "int64", "bool", "bfloat16", "float16"])
def test_eye(shape: tuple[int, int], name: str) -> None:
    wanted = np.eye(*shape)
    for out in (np.empty(shape, kind_of(name)), np.full(shape[::-1], 3, kind_of(name)).T):
        assert np.array_equal(aclhost.eye(*shape, out=out).astype(float), wanted)
    assert np.array_equal(aclhost.eye(*shape), wanted)


@pytest.mark.parametrize("axis", [-1, 0, 1, 2])
@pytest.mark.parametrize("index", ["int32", "int64", "uint8"])
@pytest.mark.parametrize("name", ["float32", "float16", "int32", "int64"])
def test_one_hot(axis: int, index: str, name: str) -> None:
    rng, kind = np.random.default_rng(axis + 2), kind_of(name)
    x = rng.integers(0 if index == "uint8" else -3, 12, (5, 7)).astype(index)
    on, off = np.array([7], kind), np.array([[-2, 5]], kind)
    wanted = np.moveaxis(np.where(x[..., None] == np.arange(9), 7, -2), -1, axis).astype(kind)
    with aclhost.soc(A950.default_soc):
        assert np.array_equal(aclhost.one_hot(x, 9, on, off, axis), wanted)
        turned = x.T.copy().T
        out = np.zeros(wanted.shape[::-1], kind).T
        assert aclhost.one_hot(turned, 9, on, off, axis, out=out) is out
    assert np.array_equal(out, wanted)


def test_one_hot_of_many_and_of_none() -> None:
    x = np.random.default_rng(0).integers(0, 10, 50_000)
    on, off = np.ones(1, np.float32), np.zeros(1, np.float32)
    wanted = torch.nn.functional.one_hot(torch.from_numpy(x), 10).numpy()
    assert np.array_equal(aclhost.one_hot(x, 10, on, off), wanted)
    assert aclhost.one_hot(np.array(2), 3, on, off).tolist() == [0, 0, 1]
    assert aclhost.one_hot(x[:0], 3, on, off).shape == (0, 3)
    assert aclhost.one_hot(x, 0, on, off).shape == (50_000, 0)


FILLED = [d for d in dtypes.CAST_TARGETS if not d.name.startswith("UINT") or d.bits == 8]


@pytest.mark.parametrize("dtype", FILLED, ids=str)
@pytest.mark.parametrize("value", [0, 1, True, 3.7, -2, 100])
def test_fill(dtype: dtypes.DataType, value: Any) -> None:
    kind = numpy_dtype(dtype)
    memory = np.zeros((6, 40), kind)
    view = memory[::2, 30:0:-3]
    assert aclhost.inplace_fill_scalar(view, value) is view
    wanted = np.zeros((6, 40), kind)
    whole = int(value) if kind.kind in "iu" else value
    wanted[::2, 30:0:-3] = np.array(whole).astype(kind)
    assert np.array_equal(memory, wanted)


@pytest.mark.parametrize(
    ("dtype", "value", "wanted"),
    [
        (BOOL, ScalarArg(1e-7, FLOAT), 0), (BOOL, ScalarArg(2.0**-23, FLOAT), 1),
        (BOOL, ScalarArg(1e-7, DOUBLE), 1), (BOOL, ScalarArg(float("nan"), FLOAT), 0),
        (INT32, ScalarArg(5 + 2j, COMPLEX64), 0), (FLOAT, ScalarArg(5 + 2j, COMPLEX64), 0),
        (INT32, ScalarArg(1e10, FLOAT), 2**31 - 1), (dtypes.INT8, ScalarArg(300, dtypes.INT64), 44),
        (dtypes.UINT64, ScalarArg(2**64 - 1, dtypes.UINT64), 2**64 - 1),
        (dtypes.UINT16, ScalarArg(5, COMPLEX64), 0),
    ],
)  # fmt: skip
def test_fill_converts_as_scalars_do(
    dtype: dtypes.DataType, value: ScalarArg, wanted: int, stream: int
) -> None:
    op = ops.BY_NAME["aclnnInplaceFillScalar"]
    call = Call({"selfRef": TensorArg((5,), dtype), "value": value})
    with abi.prepared_call(op, call) as prepared:
        abi.run(op, prepared, stream)
        assert prepared.fetch("selfRef").astype(object).tolist() == [wanted] * 5


def test_fill_of_unsigned_types_wants_their_own_scalars() -> None:
    x = np.zeros(3, np.uint32)
    with pytest.raises(aclhost.AclnnError, match="in common"):
        aclhost.inplace_fill_scalar(x, 1)
    assert aclhost.inplace_fill_scalar(x, np.uint32(2**32 - 1)).tolist() == [2**32 - 1] * 3


ONES = ("float32", "float16", "int8", "int16", "int32", "int64", "uint8", "bool", "float64",
        "bfloat16")  # fmt: skip
ZEROS = (*ONES, "uint16", "complex64", "complex128")


@pytest.mark.parametrize("name", ZEROS)
def test_zero_and_one(name: str) -> None:
    bits = np.random.default_rng(1).bytes(24 * kind_of(name).itemsize)
    for function, number in ((aclhost.inplace_zero, 0), (aclhost.inplace_one, 1)):
        if number == 1 and name not in ONES:
            continue
        memory = np.frombuffer(bytearray(bits), kind_of(name)).reshape(4, 6)
        view = memory.T[::-1, 1::2]
        assert function(view) is view
        assert view.tobytes() == np.full(view.shape, number, view.dtype).tobytes()
        rest = np.frombuffer(bits, kind_of(name)).reshape(4, 6)[::2]
        assert memory[::2].tobytes() == rest.tobytes()


def test_large_and_empty_fills() -> None:
    x = np.full(3_000_001, np.nan)
    aclhost.inplace_zero(x)
    assert not x.any()
    aclhost.inplace_one(x[1:])
    assert x.sum() == 3_000_000
    assert aclhost.inplace_one(np.empty((0, 4))).shape == (0, 4)
    single = np.array(5.0)
    aclhost.inplace_zero(single)
    assert single == 0


def test_zero_of_8_bit_floats() -> None:
    x = np.full(5, 3, ml_dtypes.float8_e5m2)
    with aclhost.soc(A950.default_soc):
        aclhost.inplace_zero(x)
    assert x.tobytes() == bytes(5)
