# SPDX-License-Identifier: Apache-2.0
"""aclnnMaxPool3dWithArgmaxBackward: what its declaration cannot say."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch

import aclhost
from aclhost import acl
from aclhost.calls import abi
from aclhost.ops.pooling.max_pool3d_with_argmax_backward import OP
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import FLOAT, INT32
from aclhost.spec.formats import NDHWC

INF, NAN = float("inf"), float("nan")
DTYPES = ["float32", "float16", "bfloat16"]
ASCEND_950 = "Ascend950PR_9599"
AICORE_EXCEPTION = 507015

# shape, kernel, stride, padding, dilation. Those that are larger than a block of the kernel have
# blocks of planes, of rows, and of parts of a row.
WINDOWS = [
    ((2, 3, 6, 7, 8), 2, (), 0, 1),
    ((2, 3, 6, 7, 8), 3, 2, 1, 1),
    ((1, 2, 7, 8, 9), (3, 2, 3), (2, 1, 2), (1, 1, 0), (1, 3, 2)),
    ((4, 6, 7, 8), 2, 3, 1, 2),
    ((1, 1, 19, 60, 70), 3, 2, 1, 1),
    ((2, 3, 150, 160), (2, 3, 3), (1, 2, 1), (0, 1, 1), 1),
    ((1, 2, 2, 20000), (1, 2, 5), (1, 1, 3), (0, 1, 2), (1, 1, 2)),
]
# Windows that share no element: rows shorter and longer than a vector, elements that no window
# sees, planes of more than 2^16 elements, blocks of rows. Then overlapping ones in a slab that
# threads share, and in planes that are taken in bands of rows.
APART = [
    ((2, 3, 7, 9, 11), 2, 2, 0, 1),
    ((1, 5, 4, 6, 70), 2, 2, 0, 1),
    ((1, 1, 5, 258, 262), 2, 2, 0, 1),
    ((2, 2, 6, 10, 37), 3, 3, 0, 1),
    ((1, 2, 6, 11, 50), (1, 2, 2), (1, 2, 2), 0, 1),
    ((3, 7, 9, 41), (2, 1, 3), (3, 2, 5), 0, 1),
    ((1, 2, 5, 8, 35), (2, 2, 2), (3, 3, 2), 0, 1),
    ((2, 1, 4, 5, 33), 1, (1, 2, 1), 0, 3),
    ((2, 3, 9, 1, 33), (1, 1, 2), (2, 1, 2), 0, 1),
    ((2, 3, 7, 9, 1), (2, 2, 1), (2, 2, 1), 0, 1),
    ((2, 3, 4, 5, 16), 2, 2, 0, 1),
    ((2, 2, 5, 11, 25), 2, 2, 0, 1),
    ((1, 3, 4, 7, 48), 2, 2, 0, 1),
    ((1, 1, 3, 2, 2500), 2, 2, 0, 1),
    ((1, 2, 4, 4, 2800), 2, 2, 0, 1),
]
# Windows of two by two by two: several rows in a vector, with and without rows left over; parts of
# rows; elements that no window sees; too few of all for a vector; planes in blocks.
PAIRS = [
    ((2, 3, 8, 8, 8), 2, 2, 0, 1),
    ((1, 4, 7, 15, 29), 2, 2, 0, 1),
    ((2, 2, 6, 14, 14), 2, 2, 0, 1),
    ((3, 5, 6, 9, 5), 2, 2, 0, 1),
    ((1, 5, 4, 4, 4), 2, 2, 0, 1),
    ((4, 5, 40, 2), 2, 2, 0, 1),
    ((1, 2, 5, 3, 64), 2, 2, 0, 1),
    ((2, 1, 4, 5, 65), 2, 2, 0, 1),
    ((1, 2, 4, 6, 101), 2, 2, 0, 1),
    ((1, 3, 6, 131, 24), 2, 2, 0, 1),
    ((1, 1, 4, 3000, 24), 2, 2, 0, 1),
]
SHARED = [
    ((1, 1, 50, 40, 41), 3, 2, 1, 1),
    ((1, 1, 60, 20, 37), 3, 1, 1, 1),
    ((1, 3, 30, 50, 1), (3, 3, 1), (2, 2, 1), (1, 1, 0), 1),
    ((1, 2, 24, 93, 150), 3, 2, 1, 1),
    ((1, 2, 11, 70, 257), (3, 3, 2), (2, 2, 2), (1, 1, 0), (2, 3, 1)),
    ((1, 1, 3, 9, 4000), (2, 3, 3), (2, 2, 2), 1, 1),
]
# Where a single window fits, its stride may be any number; so may be what lies beyond the input.
ABSURD = [
    ((1, 2, 1, 9, 40), 1, (2**61, 1, 1), 0, 1),
    ((1, 2, 3, 9, 40), 1, (2**63 - 1, 2**63 - 1, 3), 0, (1, 2, 2)),
    ((1, 2, 9, 5, 40), (2, 5, 2), (2, 2**62, 2), 0, 1),
    ((1, 2, 4, 5, 40), (2**61, 2, 3), (1, 1, 2**61), (2**60, 1, 1), 1),
    ((1, 2, 3, 5, 40), (3, 2, 3), (2**63 - 1, 1, 1), (1, 0, 1), (2**62, 1, 1)),
    ((1, 2, 3, 5, 40), (2**63 - 1, 2, 2), (2**62, 2, 2), (2**62 - 1, 0, 0), 1),
]


def array(values: object, dtype: str = "float32") -> np.ndarray:
    return np.array(values, dtype=np.float64).astype(getattr(ml_dtypes, dtype, dtype))


def summed(grad: np.ndarray, indices: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Float32 sums in pooled order, rounded once."""
    volume = int(np.prod(shape[-3:]))
    rows = grad.astype(np.float32).reshape(-1, np.prod(grad.shape[-3:]))
    result = np.zeros((len(rows), volume), np.float32)
    np.add.at(result, (np.arange(len(rows))[:, None], indices.reshape(rows.shape)), rows)
    return result.reshape(shape).astype(grad.dtype)


def pooled(window: tuple, dtype: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """An input full of ties, the indices that pooling it gives, and gradients for them."""
    shape, *parameters = window
    rng = np.random.default_rng(0)
    x = array(rng.integers(-2, 3, shape), dtype)
    _, indices = aclhost.max_pool3d_with_argmax(x, *parameters)
    return x, indices, array(rng.normal(size=indices.shape), dtype)


def backward(grad: np.ndarray, x: np.ndarray, indices: np.ndarray, window: tuple) -> np.ndarray:
    result: np.ndarray = aclhost.max_pool3d_with_argmax_backward(grad, x, indices, *window[1:])
    return result


def test_the_document_s_example() -> None:
    x = np.zeros((1, 1, 2, 2, 2), np.float32)
    grad = np.full((1, 1, 1, 1, 1), 0.4757, np.float32)
    result = aclhost.max_pool3d_with_argmax_backward(grad, x, np.full(grad.shape, 6, np.int32), 2)
    assert np.array_equal(result.ravel(), np.float32([0, 0, 0, 0, 0, 0, 0.4757, 0]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_overlapping_windows(dtype: str) -> None:
    x, grad = array([[[[0, 0, 0]]]], dtype), array([[[[10, 20]]]], dtype)
    indices = np.array([[[[1, 1]]]], np.int32)
    result = aclhost.max_pool3d_with_argmax_backward(grad, x, indices, (1, 1, 2), 1)
    assert np.array_equal(result.ravel().astype(float), [0, 30, 0])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("window", [*WINDOWS, *APART, *PAIRS, *SHARED], ids=str)
@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
def test_sums_are_float32_and_rounded_once(dtype: str, window: tuple, index_dtype: str) -> None:
    with aclhost.soc(ASCEND_950):
        x, indices, grad = pooled(window, dtype)
        result = backward(grad, x, indices.astype(index_dtype), window)
    assert result.tobytes() == summed(grad, indices, x.shape).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("window", [*WINDOWS[:4], *APART], ids=str)
def test_agrees_with_torch(dtype: str, ceil_mode: bool, window: tuple) -> None:
    shape, kernel, stride, padding, dilation = window
    torch.manual_seed(1)
    x = torch.randint(-4, 5, shape).to(getattr(torch, dtype))
    _, indices = torch.nn.functional.max_pool3d(
        x, kernel, stride or None, padding, dilation, ceil_mode, return_indices=True
    )
    grad = torch.randint(-8, 9, indices.shape).to(x.dtype)  # sums are exact in every dtype
    triples = (v if isinstance(v, tuple) else (v,) * 3 for v in (kernel, stride, padding, dilation))
    theirs = torch.ops.aten.max_pool3d_with_indices_backward(grad, x, *triples, ceil_mode, indices)
    with aclhost.soc(ASCEND_950):
        ours = aclhost.max_pool3d_with_argmax_backward(
            grad, x, indices, kernel, stride, padding, dilation, ceil_mode
        )
    assert isinstance(ours, torch.Tensor)
    assert torch.equal(ours, theirs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("window", [*WINDOWS, *APART, *PAIRS, *SHARED], ids=str)
def test_indices_outside_their_windows_are_accepted(dtype: str, window: tuple) -> None:
    with aclhost.soc(ASCEND_950):
        x, indices, grad = pooled(window, dtype)
        volume = int(np.prod(x.shape[-3:]))
        anywhere = np.random.default_rng(1).integers(0, volume, indices.shape, np.int32)
        result = backward(grad, x, anywhere, window)
    assert result.tobytes() == summed(grad, anywhere, x.shape).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("window", [*APART[1:6:2], *APART[-5:-1], *PAIRS], ids=str)
def test_the_ways_to_compute_agree_on_all_bit_patterns(dtype: str, window: tuple) -> None:
    """An index outside its window makes the kernel take another way for the whole volume."""
    x, indices, grad = pooled(window, dtype)
    bits = np.random.default_rng(2).integers(0, 256, grad.nbytes, np.uint8)
    grad = bits.view(grad.dtype).reshape(grad.shape)
    grad.reshape(-1)[: grad.size // 4] = -0.0
    wanted = backward(grad, x, indices, window)
    volumes = np.prod(x.shape[:-3], dtype=int)
    moved = indices.reshape(volumes, -1).copy()
    last, first = moved[:, -1].copy(), np.zeros(volumes, int)
    moved[:, -1] = 0
    found = backward(grad, x, moved.reshape(indices.shape), window)
    same = np.ones((volumes, x.size // volumes), bool)
    same[np.arange(volumes), last] = same[np.arange(volumes), first] = False
    as_bits = f"u{x.itemsize}"
    left, right = (each.reshape(volumes, -1).view(as_bits)[same] for each in (found, wanted))
    assert np.array_equal(left, right)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "window",
    [
        ((3, 64, 262, 261), 2, 2, 0, 1),
        ((60, 65, 67, 29), 2, 2, 0, 1),
        ((3, 64, 262, 261), 3, 2, 1, 1),
    ],
    ids=str,
)
def test_results_larger_than_the_cache(dtype: str, window: tuple) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 5, window[0], np.uint8).astype(getattr(ml_dtypes, dtype, dtype))
    _, indices = aclhost.max_pool3d_with_argmax(x, *window[1:])
    grad = rng.integers(-9, 9, indices.shape, np.int8).astype(x.dtype)
    assert backward(grad, x, indices, window).tobytes() == summed(grad, indices, x.shape).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("window", "ceil_mode"),
    [*((each, True) for each in ABSURD), *((each, False) for each in ABSURD[:4])],
    ids=str,
)
def test_windows_in_absurd_numbers(dtype: str, window: tuple, ceil_mode: bool) -> None:
    with aclhost.soc(ASCEND_950):
        window = (*window, ceil_mode)
        x, indices, grad = pooled(window, dtype)
        result = backward(grad, x, indices, window)
    assert result.tobytes() == summed(grad, indices, x.shape).tobytes()


def test_special_gradients() -> None:
    x = np.zeros((1, 1, 1, 4), np.float32)
    indices = np.array([[[[0, 1, 2, 3]]]], np.int32)
    grad = array([[[[NAN, INF, -INF, -0.0]]]])
    for dtype in DTYPES:
        result = aclhost.max_pool3d_with_argmax_backward(
            array(grad, dtype), array(x, dtype), indices, 1
        ).astype(float)
        assert np.array_equal(result.ravel(), [NAN, INF, -INF, 0], equal_nan=True)
        assert not np.signbit(result.ravel()[3])  # 0 + -0
    indices[...] = 1
    result = aclhost.max_pool3d_with_argmax_backward(
        grad[..., 1:3], x[..., :2], indices[..., :2], 1
    )
    assert np.array_equal(result.ravel(), [0, NAN], equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "window", [WINDOWS[1], WINDOWS[4], *APART[:2], APART[-4], *PAIRS[:4], SHARED[-3]], ids=str
)
def test_views_give_the_same_bits_as_copies(dtype: str, window: tuple) -> None:
    x, indices, grad = pooled(window, dtype)
    wanted = backward(grad, x, indices, window)
    strided_grad = np.repeat(grad, 2, axis=-1)[..., ::2]
    strided_indices = indices[..., ::-1, ::-1].copy()[..., ::-1, ::-1]
    shape = x.shape
    outputs = [
        np.zeros((*shape[:4], 2 * shape[4]), x.dtype)[..., ::-2],
        np.zeros(shape[::-1], x.dtype).T,
        np.zeros(shape, x.dtype)[::-1, :, ::-1],
        np.zeros(shape, x.dtype)[:, ::-1, :, ::-1],
        np.frombuffer(bytearray(wanted.nbytes + 1), x.dtype, offset=1, count=x.size).reshape(shape),
    ]
    for out in outputs:
        aclhost.max_pool3d_with_argmax_backward(
            strided_grad, np.broadcast_to(x[:1, :1, :1, :1, :1], shape), strided_indices,
            *window[1:], out=out,
        )  # fmt: skip
        assert out.tobytes() == wanted.tobytes()


def test_channels_last_is_a_label_only(stream: int) -> None:
    x, indices, grad = pooled(WINDOWS[1], "float32")
    call = Call(
        {
            "gradOutput": TensorArg(grad.shape, FLOAT, tuple(grad.ravel().tolist()), format=NDHWC),
            "self": TensorArg(x.shape, FLOAT, format=NDHWC),
            "indices": TensorArg(grad.shape, INT32, tuple(indices.ravel().tolist())),
            "kernelSize": (3,),
            "stride": (2,),
            "padding": (1,),
            "dilation": (1,),
            "ceilMode": False,
            "gradInput": TensorArg(x.shape, FLOAT, format=NDHWC),
        }
    )
    with abi.prepared_call(OP, call) as prepared:
        abi.run(OP, prepared, stream)
        assert np.array_equal(prepared.fetch("gradInput"), backward(grad, x, indices, WINDOWS[1]))


def bad_indices(window: tuple, dtype: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Two indices out of range, in the second volume, and the result without them."""
    x, indices, grad = pooled(window, dtype)
    volume = int(np.prod(x.shape[-3:]))
    flat, kept = indices.reshape(-1), array(grad, dtype)
    places = (flat.size // 2 + 5, flat.size - 1)
    kept.reshape(-1)[list(places)] = 0
    wanted = summed(kept, indices, x.shape)
    flat[places[0]], flat[places[1]] = volume, -(2**31)
    return x, indices, grad, wanted


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "window",
    [WINDOWS[0], WINDOWS[1], WINDOWS[5], APART[4], APART[-4], PAIRS[0], PAIRS[9], SHARED[-3]],
    ids=str,
)
def test_indices_out_of_range(dtype: str, window: tuple) -> None:
    x, indices, grad, wanted = bad_indices(window, dtype)
    out = np.full_like(x, 7)
    with pytest.raises(aclhost.AclnnError) as caught:
        aclhost.max_pool3d_with_argmax_backward(grad, x, indices, *window[1:], out=out)
    assert np.array_equal(out, wanted)
    error = caught.value
    assert (error.status, error.parameter, error.rule) == (
        AICORE_EXCEPTION,
        "indices",
        "index_in_range",
    )
    volume = int(np.prod(x.shape[-3:]))
    for part in (OP.name, f"got {volume} ", f"position {indices.size // 2 + 5}", f"{volume - 1}"):
        assert part in str(error)


@pytest.mark.parametrize(
    "window", [APART[1], APART[-4], PAIRS[0], PAIRS[1], SHARED[0], SHARED[-3]], ids=str
)
@pytest.mark.parametrize("change", [2**32, -(2**32), 2**63 - 2**31, -(2**63)])
def test_long_indices_out_of_range(window: tuple, change: int) -> None:
    """The lower half of the index alone would be inside the window."""
    x, indices, grad = pooled(window, "float32")
    long_indices = indices.astype(np.int64)
    place = indices.size - 3
    long_indices.reshape(-1)[place] += change
    with aclhost.soc(ASCEND_950), pytest.raises(aclhost.AclnnError) as caught:
        backward(grad, x, long_indices, window)
    assert f"position {place}" in str(caught.value)
    assert f"got {long_indices.reshape(-1)[place]} " in str(caught.value)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [14, 64, 70])
def test_indices_whose_lower_bits_alone_are_inside_their_windows(dtype: str, width: int) -> None:
    window = ((1, 1, 70000 // width, 4, width), 2, 2, 0, 1)
    x, indices, grad = pooled(window, dtype)
    for place in (0, 1, width // 2, 20):
        moved = indices.copy()
        moved.reshape(-1)[place] += 2**16
        found = backward(grad, x, moved, window)
        assert found.tobytes() == summed(grad, moved, x.shape).tobytes()


@pytest.mark.usefixtures("no_leaks")
def test_indices_out_of_range_through_the_c_abi(stream: int) -> None:
    x, indices, grad, wanted = bad_indices(WINDOWS[0], "float32")
    call = Call(
        {
            "gradOutput": TensorArg(grad.shape, FLOAT, tuple(grad.ravel().tolist())),
            "self": TensorArg(x.shape),
            "indices": TensorArg(grad.shape, INT32, tuple(indices.ravel().tolist())),
            "kernelSize": (2,),
            "stride": (),
            "padding": (0,),
            "dilation": (1,),
            "ceilMode": False,
            "gradInput": TensorArg(x.shape),
        }
    )
    with abi.prepared_call(OP, call) as prepared:
        _, executor, status = abi.phase_one(OP, prepared)
        assert status == 0
        assert abi.phase_two(OP, executor, stream) == 0
        assert acl.rt.synchronize_stream(stream) == AICORE_EXCEPTION
        assert f"{OP.name}: indices must hold" in acl.get_recent_err_msg()
        assert np.array_equal(prepared.fetch("gradInput"), wanted)


def test_empty_inputs_leave_the_result_alone() -> None:
    x = np.zeros((0, 2, 4, 4, 4), np.float32)
    grad, indices = np.zeros((0, 2, 2, 2, 2), np.float32), np.zeros((0, 2, 2, 2, 2), np.int32)
    assert aclhost.max_pool3d_with_argmax_backward(grad, x, indices, 2).shape == x.shape
    x = np.zeros((1, 2, 4, 4, 4), np.float32)
    out = np.full_like(x, 7)
    grad, indices = np.zeros((1, 0, 2, 2, 2), np.float32), np.zeros((1, 0, 2, 2, 2), np.int32)
    aclhost.max_pool3d_with_argmax_backward(grad, x, indices, 2, out=out)
    assert np.all(out == 7)
