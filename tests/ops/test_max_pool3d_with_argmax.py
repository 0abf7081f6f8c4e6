# SPDX-License-Identifier: Apache-2.0
"""aclnnMaxPool3dWithArgmax: what its declaration cannot say."""

from __future__ import annotations

import ctypes
import mmap

import ml_dtypes
import numpy as np
import pytest
import torch

import aclhost
from aclhost.calls import abi
from aclhost.ops.pooling.max_pool3d_with_argmax import OP, golden
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import FLOAT, INT32, INT64
from aclhost.spec.formats import NDHWC
from aclhost.spec.products import A950

INF, NAN = float("inf"), float("nan")
DTYPES = ["float32", "float16", "bfloat16"]
ASCEND_950 = "Ascend950PR_9599"

# shape, kernel, stride, padding, dilation
WINDOWS = [
    ((2, 3, 6, 7, 8), 2, (), 0, 1),
    ((2, 3, 6, 7, 8), 3, 2, 1, 1),
    ((1, 2, 5, 4, 9), (2, 3, 4), (1, 2, 3), (1, 0, 2), 1),
    ((1, 2, 7, 8, 9), (3, 2, 3), (2, 1, 2), (1, 1, 0), (1, 3, 2)),
    ((4, 6, 7, 8), 2, 3, 1, 2),
    ((1, 1, 1, 1, 50), (1, 1, 5), 1, (0, 0, 2), 1),
    # Rows of several vectors, with ends that a vector does not fill.
    ((2, 2, 5, 8, 75), 2, 2, 0, 1),
    ((2, 2, 5, 8, 75), 3, 2, 1, 1),
    ((1, 2, 5, 8, 45), 3, 1, 1, 1),
    ((1, 2, 5, 8, 145), (2, 3, 3), (1, 2, 4), 1, 1),
    ((1, 2, 9, 8, 77), 3, (1, 1, 2), 1, (2, 2, 3)),
    ((1, 2, 9, 8, 77), (2, 2, 4), 1, 0, (1, 2, 3)),
    ((1, 1, 3, 3, 700), (1, 1, 600), (1, 1, 3), (0, 0, 300), 1),
    # Windows that overlap, in several blocks of rows and columns.
    ((1, 1, 5, 70, 600), 3, 1, 1, 1),
    ((1, 2, 3, 40, 1100), (2, 3, 3), (1, 1, 2), (0, 1, 1), 1),
    ((3, 1, 4, 300, 40), (3, 5, 2), (2, 1, 1), (1, 2, 0), 1),
    ((1, 1, 9, 12, 65), (4, 4, 4), (1, 3, 1), 2, (2, 1, 1)),
    # Planes of narrow rows, several of which share a vector.
    ((1, 2, 5, 9, 7), 3, 1, 1, 1),
    ((3, 4, 5, 6, 3), (2, 3, 3), (1, 2, 2), 1, 1),
    ((1, 1, 40, 5, 4), 4, (3, 3, 1), 2, 1),
    ((2, 2, 3, 30, 6), (1, 5, 2), (1, 3, 2), 0, 1),
    ((1, 2, 9, 9, 7), (2, 2, 1), (3, 3, 2), 0, 1),
    ((1, 1, 9000, 4, 4), 3, 2, 1, 1),
    ((1, 2, 9, 9, 9), (3, 3, 8), (2, 1, 2), (1, 1, 4), 1),
    # Strides and reaches that are too large for them.
    ((1, 1, 6, 9, 300), 3, (1, 1, 70), 1, 1),
    ((1, 1, 2, 4, 17000), (2, 3, 3), 1, (0, 1, 1), 1),
]


def array(values: object, dtype: str = "float32") -> np.ndarray:
    return np.array(values, dtype=np.float64).astype(getattr(ml_dtypes, dtype, dtype))


def line(values: object, dtype: str = "float32") -> np.ndarray:
    return array(values, dtype).reshape(1, 1, 1, -1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_documented_values(dtype: str) -> None:
    x = line([3, 5, 5, NAN, NAN, 1], dtype)
    out, indices = aclhost.max_pool3d_with_argmax(x, (1, 1, 2), 1)
    assert np.array_equal(out.ravel().astype(float), [5, 5, NAN, NAN, NAN], equal_nan=True)
    assert np.array_equal(indices.ravel(), [1, 1, 3, 4, 4])
    assert indices.dtype == np.int32


@pytest.mark.parametrize(
    ("length", "kernel", "stride", "padding", "floor", "ceil"),
    [(5, 2, 3, 0, 2, 2), (5, 2, 2, 0, 2, 3), (3, 2, 3, 1, 2, 2)],
)
def test_documented_lengths(
    length: int, kernel: int, stride: int, padding: int, floor: int, ceil: int
) -> None:
    x = line(range(length))
    for ceil_mode, wanted in ((False, floor), (True, ceil)):
        out, indices = aclhost.max_pool3d_with_argmax(
            x, (1, 1, kernel), (1, 1, stride), (0, 0, padding), 1, ceil_mode
        )
        assert out.shape == indices.shape == (1, 1, 1, wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_nothing_but_minus_infinity(dtype: str) -> None:
    x = line([-INF] * 4, dtype)
    out, indices = aclhost.max_pool3d_with_argmax(x, (1, 1, 3), 1, (0, 0, 1))
    assert np.all(out.astype(float) == -INF)
    assert np.array_equal(indices.ravel(), [0, 0, 1, 2])


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_are_copied_bit_by_bit(dtype: str) -> None:
    bits = np.uint32 if dtype == "float32" else np.uint16
    x = line([-0.0, 0.0, NAN, 1e-40, -NAN], dtype)
    x.view(bits)[..., 2] += 3  # a payload
    out, indices = aclhost.max_pool3d_with_argmax(x, 1)
    assert out.tobytes() == x.tobytes()
    assert np.array_equal(indices.ravel(), np.arange(5))
    zeros, first = aclhost.max_pool3d_with_argmax(x[..., :2], (1, 1, 2))
    assert np.signbit(zeros.astype(float)).all()
    assert first.item() == 0


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_agrees_with_torch(dtype: str, ceil_mode: bool, window: tuple) -> None:
    shape, *parameters = window
    torch.manual_seed(1)
    x = torch.randint(-4, 5, shape).to(getattr(torch, dtype))  # many ties
    x[torch.rand(shape) < 0.05] = NAN
    x[torch.rand(shape) < 0.05] = -INF
    with aclhost.soc(ASCEND_950):
        out, indices = aclhost.max_pool3d_with_argmax(x, *parameters, ceil_mode)
    wanted = torch.nn.functional.max_pool3d(
        x, *(p or None for p in parameters[:2]), *parameters[2:], ceil_mode, return_indices=True
    )
    assert torch.equal(out.nan_to_num(99), wanted[0].nan_to_num(99))
    assert torch.equal(indices.long(), wanted[1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("window", [(2,), (3, 2, 1), (3, 1, 1), (1, 3)], ids=str)
def test_every_bit_pattern_is_copied(dtype: str, window: tuple[int, ...]) -> None:
    """Signalling NaNs, too, in vectors as in windows that are computed one by one."""
    bits = np.random.default_rng(0).integers(0, 256, 4 * 3 * 6 * 9 * 70, np.uint8)
    x = bits.view(getattr(ml_dtypes, dtype, dtype))[: 3 * 6 * 9 * 70].reshape(3, 6, 9, 70)
    x[1:] = np.where(np.isnan(x[1:].astype(np.float32)), x.dtype.type(2), x[1:])
    out, indices = aclhost.max_pool3d_with_argmax(x, *window)
    taken = np.take_along_axis(x.reshape(3, -1), indices.reshape(3, -1).astype(int), 1)
    assert out.tobytes() == taken.tobytes()
    reversed_x = x[..., ::-1].copy()[..., ::-1]
    again, places = aclhost.max_pool3d_with_argmax(reversed_x, *window)
    assert again.tobytes() == out.tobytes()
    assert np.array_equal(places, indices)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "values", [(-0.0, 0.0), (-0.0, 0.0, -1.0, NAN), (-INF, -INF, -1.0)], ids=str
)
@pytest.mark.parametrize("width", [3, 8, 40, 70])
def test_zeros_and_infinities_where_windows_overlap(
    dtype: str, values: tuple[float, ...], width: int
) -> None:
    x = array(np.random.default_rng(0).choice(values, (2, 5, 6, width)), dtype)
    x[1] = values[0]
    for window in ((3, 1, 1), (3, 2, 1)):
        out, indices = aclhost.max_pool3d_with_argmax(x, *window)
        _, places = golden(x, *((number,) * 3 for number in (*window, 1)), False)
        assert np.array_equal(indices, places)
        taken = np.take_along_axis(x.reshape(2, -1), indices.reshape(2, -1).astype(int), 1)
        assert out.tobytes() == taken.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("window", [(2, 2, 0), (3, 2, 1), (3, 1, 1)], ids=str)
@pytest.mark.parametrize("width", [3, 8, 31, 64])
def test_reads_nothing_around_the_input(dtype: str, window: tuple[int, ...], width: int) -> None:
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 3 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protect = ctypes.CDLL(None).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    element = np.dtype(getattr(ml_dtypes, dtype, dtype))
    shape = (1, 3, 4, width)
    size = int(np.prod(shape)) * element.itemsize
    values = array(np.random.default_rng(0).normal(size=shape), dtype)
    for offset in (page, 2 * page - size):
        x = np.frombuffer(memory, element, values.size, offset).reshape(shape)
        x[...] = values
        try:
            for guard in (start, start + 2 * page):
                assert protect(guard, page, 0) == 0  # a touch would end the process
            out, indices = aclhost.max_pool3d_with_argmax(x, *window)
        finally:
            for guard in (start, start + 2 * page):
                protect(guard, page, mmap.PROT_READ | mmap.PROT_WRITE)
        wanted = aclhost.max_pool3d_with_argmax(values, *window)
        assert out.tobytes() == wanted[0].tobytes()
        assert np.array_equal(indices, wanted[1])


@pytest.mark.parametrize("view", ["steps", "negative", "transposed", "stride-0", "offset"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_views_give_the_same_bits_as_copies(dtype: str, view: str) -> None:
    whole = array(np.random.default_rng(0).normal(size=(3, 4, 8, 10, 12)), dtype)
    x = {
        "steps": whole[:, ::2, ::2, ::3, ::2],
        "negative": whole[::-1, :, ::-1, ::-2, ::-1],
        "transposed": whole.T,
        "stride-0": np.broadcast_to(whole[:1, :, :, :1], whole.shape),
        "offset": whole[1:, 1:, 3:, 2:, 5:],
    }[view]
    wanted = aclhost.max_pool3d_with_argmax(x.copy(), 2, 1, 1)
    got = aclhost.max_pool3d_with_argmax(x, 2, 1, 1)
    shape = wanted[0].shape
    out = np.zeros((*shape[:4], 2 * shape[4]), x.dtype)[:, ::-1, :, :, ::2]
    indices = np.zeros(shape[::-1], np.int32).T
    assert aclhost.max_pool3d_with_argmax(x, 2, 1, 1, out=(out, indices))[0] is out
    for values, places in (got, (out, indices)):
        assert values.tobytes() == wanted[0].tobytes()
        assert np.array_equal(places, wanted[1])


def test_long_indices_and_one_element_of_any_rank() -> None:
    x = line([1, 3, 2])
    out, indices = np.zeros(1, np.float32), np.zeros((), np.int64)
    with aclhost.soc(ASCEND_950):
        aclhost.max_pool3d_with_argmax(x, (1, 1, 3), out=(out, indices))
    assert (out.item(), indices.item()) == (3.0, 1)


@pytest.mark.parametrize("dilation", [0, -1, (-2, 0, -3), (3, -1, 2)])
@pytest.mark.parametrize("padding", [0, 1])
def test_any_dilation_on_950(dilation: object, padding: int) -> None:
    # Values around the tensor would win if they were read.
    memory = np.full((2, 12, 13, 14), 1e9, np.float32)
    x = memory[:, 4:9, 4:9, 4:10]
    x[...] = np.random.default_rng(0).normal(size=x.shape)
    triple = dilation if isinstance(dilation, tuple) else (dilation,)
    with aclhost.soc(ASCEND_950):
        out, indices = aclhost.max_pool3d_with_argmax(x, (2, 3, 2), 2, padding, dilation)
    values, places = golden(x, (2, 3, 2), (2,), (padding,), triple, False)
    seen = places >= 0  # some windows see nothing
    assert seen.any()
    assert np.array_equal(out, np.where(seen, values, -INF))
    assert np.array_equal(indices, np.where(seen, places, 0))


def test_a_window_that_steps_over_the_input() -> None:
    with aclhost.soc(ASCEND_950):
        out, indices = aclhost.max_pool3d_with_argmax(line([7]), (1, 1, 2), 1, (0, 0, 1), (1, 1, 2))
    assert (out.item(), indices.item()) == (-INF, 0)


@pytest.mark.parametrize("dilation", [2**62, -(2**63), 2**63 - 1])
def test_absurd_dilations_of_single_positions(dilation: int) -> None:
    x = line(range(6))
    with aclhost.soc(ASCEND_950):
        out, _ = aclhost.max_pool3d_with_argmax(x, 1, (1, 1, 2), 0, dilation)
    assert np.array_equal(out, x[..., ::2])


def test_kernel_larger_than_any_memory() -> None:
    length = 2**40
    x = line([1, 9, 3])
    out, indices = aclhost.max_pool3d_with_argmax(x, (1, 1, length), 1, (0, 0, length // 2))
    assert np.array_equal(out.ravel(), [9] * 4)
    assert np.array_equal(indices.ravel(), [1] * 4)


def test_channels_last(stream: int) -> None:
    x = np.random.default_rng(0).normal(size=(2, 4, 5, 6, 3)).astype(np.float32)
    first = np.moveaxis(x, -1, 1)
    wanted = [np.moveaxis(each, 1, -1) for each in aclhost.max_pool3d_with_argmax(first, 2, 1, 1)]
    shape = wanted[0].shape
    call = Call(
        {
            "self": TensorArg(x.shape, FLOAT, tuple(x.ravel().tolist()), format=NDHWC),
            "kernelSize": (2,),
            "stride": (1,),
            "padding": (1,),
            "dilation": (1,),
            "ceilMode": False,
            "out": TensorArg(shape, FLOAT, format=NDHWC),
            "indices": TensorArg(shape, INT32, format=NDHWC),
        }
    )
    for each in (call, call.retyped(INT64, "indices").on(A950)):
        with abi.prepared_call(OP, each) as prepared:
            abi.run(OP, prepared, stream)
            assert np.array_equal(prepared.fetch("out"), wanted[0])
            assert np.array_equal(prepared.fetch("indices"), wanted[1])


@pytest.mark.parametrize("shape", [(0, 2, 4, 4, 4), (2, 0, 4, 4, 4)])
def test_empty(shape: tuple[int, ...]) -> None:
    out, indices = aclhost.max_pool3d_with_argmax(np.zeros(shape, np.float32), 2)
    assert out.shape == indices.shape == (*shape[:2], 2, 2, 2)
