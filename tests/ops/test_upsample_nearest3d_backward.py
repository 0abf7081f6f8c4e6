# SPDX-License-Identifier: Apache-2.0
"""aclnnUpsampleNearest3dBackward: what its declaration cannot say."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch
from support.views import VIEWS

import aclhost
from aclhost.calls import abi
from aclhost.ops.resize.upsample_nearest3d_backward import OP
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import FLOAT16
from aclhost.spec.formats import NCDHW, ND, NDHWC

INF, NAN = float("inf"), float("nan")
DTYPES = ["float32", "float16", "bfloat16", "float64"]
RNG = np.random.default_rng(9)


def normal(shape: tuple[int, ...], dtype: str = "float32") -> np.ndarray:
    return RNG.normal(size=shape).astype(getattr(ml_dtypes, dtype, dtype))


def starts(inputs: int, outputs: int, scale: float | None = None) -> np.ndarray:
    """The borders of the windows, as documented."""
    factor = np.float32(outputs) / np.float32(inputs) if scale is None else np.float32(scale)
    borders = np.ceil(np.arange(inputs + 1).astype(np.float32) * factor)
    return np.where(borders < np.float32(outputs), borders.astype(np.int64), outputs)


def sources(inputs: int, outputs: int) -> np.ndarray:
    """The forward's map, without scales."""
    step = np.float32(inputs) / np.float32(outputs)
    places = np.floor(np.arange(outputs).astype(np.float32) * step).astype(np.int64)
    return np.minimum(places, inputs - 1)


def credited(inputs: int, outputs: int, axis: int, scale: float = 0.0) -> list[list[int]]:
    """Which outputs each input element collects along an axis."""
    lengths, sizes, scales = [1, 1, 1], [1, 1, 1], [min(scale, 1.0)] * 3
    lengths[axis], sizes[axis], scales[axis] = inputs, outputs, scale
    one_hot = np.eye(outputs, dtype=np.float32).reshape(outputs, 1, *sizes)
    result = aclhost.upsample_nearest3d_backward(one_hot, sizes, (outputs, 1, *lengths), *scales)
    return [np.flatnonzero(column).tolist() for column in result.reshape(outputs, inputs).T]


def summed(grad: np.ndarray, size: tuple[int, int, int]) -> np.ndarray:
    """Depths and rows for each place along the width, then these; one rounding at the end."""
    wide = np.float64 if grad.dtype == np.float64 else np.float32
    result = np.zeros((*grad.shape[:2], *size), wide)
    windows = [starts(i, o) for i, o in zip(size, grad.shape[2:], strict=True)]
    for at in np.ndindex(size):
        box = [range(*w[k : k + 2]) for w, k in zip(windows, at, strict=True)]
        for w in box[2]:
            column = np.zeros(grad.shape[:2], wide)
            for d in box[0]:
                for h in box[1]:
                    column += grad[:, :, d, h, w].astype(wide)
            result[(..., *at)] += column
    return result.astype(grad.dtype)


def test_the_document_s_example() -> None:
    grad = np.arange(1, 33, dtype=np.float32).reshape(2, 2, 2, 2, 2)
    out = np.full((2, 2, 1, 1, 1), 2, np.float32)
    result = aclhost.upsample_nearest3d_backward(grad, (2, 2, 2), out.shape, out=out)
    assert result is out
    assert result.ravel().tolist() == [36, 100, 164, 228]


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(
    ("inputs", "outputs", "scale", "borders"),
    [
        (3, 7, 0.0, [0, 3, 5, 7]),
        (5, 3, 0.0, [0, 1, 2, 2, 3, 3]),
        (3, 7, 2.6, [0, 3, 6, 7]),
        (2, 82, 0.0, [0, 41, 82]),
        (2, 10, 2.0, [0, 2, 4]),  # the rest is dropped
        (2, 3, INF, [0, 3, 3]),
        (2, 3, 1e-60, [0, 0, 0]),  # 0 as a float
    ],
)
def test_windows(axis: int, inputs: int, outputs: int, scale: float, borders: list[int]) -> None:
    wanted = [list(range(*borders[k : k + 2])) for k in range(inputs)]
    assert credited(inputs, outputs, axis, scale) == wanted


@pytest.mark.parametrize("scales", [(2.0, 0.0, 2.0), (-1.0, 2.0, 2.0), (2.0, 2.0, NAN)])
def test_scales_count_together_or_not_at_all(scales: tuple[float, float, float]) -> None:
    grad = normal((1, 2, 5, 7, 6))
    result = aclhost.upsample_nearest3d_backward(grad, (5, 7, 6), (1, 2, 2, 3, 4), *scales)
    assert np.array_equal(result, summed(grad, (2, 3, 4)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [(2, 3, 4), (1, 1, 1), (5, 7, 6), (9, 8, 13)])
def test_sums_in_order_and_rounds_once(dtype: str, size: tuple[int, int, int]) -> None:
    grad = normal((2, 3, 5, 7, 6), dtype)
    result = aclhost.upsample_nearest3d_backward(grad, (5, 7, 6), (2, 3, *size))
    assert result.dtype == grad.dtype
    assert result.tobytes() == summed(grad, size).tobytes()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sums_of_short_types_are_wide(dtype: str) -> None:
    ones = np.ones((1, 1, 1, 1, 4000), getattr(ml_dtypes, dtype, dtype))
    result = aclhost.upsample_nearest3d_backward(ones, (1, 1, 4000), (1, 1, 1, 1, 1))
    assert result.astype(np.float64).item() == 4000


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values_stay_in_their_windows(dtype: str) -> None:
    grad = np.array([INF, 1, NAN, 2, INF, -INF, 3, 4]).astype(getattr(ml_dtypes, dtype, dtype))
    result = aclhost.upsample_nearest3d_backward(
        grad.reshape(1, 1, 1, 1, 8), (1, 1, 8), (1, 1, 1, 1, 4)
    )
    assert np.array_equal(result.astype(np.float64).ravel(), [INF, NAN, NAN, 7], equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_same_size_is_a_copy(dtype: str) -> None:
    grad = np.array([-0.0, 0.0, 1.5, -INF]).astype(getattr(ml_dtypes, dtype, dtype))
    grad = grad.reshape(1, 1, 2, 1, 2)
    for scales in ((), (1.0, 1.0, 1.0)):
        result = aclhost.upsample_nearest3d_backward(grad, (2, 1, 2), grad.shape, *scales)
        assert result.tobytes() == grad.tobytes()


def test_other_sums_start_from_plus_zero() -> None:
    grad = np.full((1, 1, 1, 1, 3), -0.0, np.float32)
    result = aclhost.upsample_nearest3d_backward(grad, (1, 1, 3), (1, 1, 1, 1, 2))
    assert not np.signbit(result).any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_agrees_with_torch(dtype: str) -> None:
    """But for the order of sums, wherever the windows are those of its map."""
    epsilon = torch.finfo(getattr(torch, dtype)).eps
    compared = 0
    for _ in range(60):
        size, output = (tuple(map(int, RNG.integers(1, 12, 3))) for _ in range(2))
        if any(
            not np.array_equal(np.searchsorted(sources(i, o), np.arange(i + 1)), starts(i, o))
            for i, o in zip(size, output, strict=True)
        ):
            continue
        grad = torch.from_numpy(RNG.normal(size=(2, 3, *output))).to(getattr(torch, dtype))
        ours = aclhost.upsample_nearest3d_backward(grad, output, (2, 3, *size))
        theirs = torch.ops.aten.upsample_nearest3d_backward(grad, output, (2, 3, *size))
        magnitude = aclhost.upsample_nearest3d_backward(grad.abs(), output, (2, 3, *size))
        assert ((ours - theirs).abs() <= 2 * epsilon * magnitude).all()
        compared += 1
    assert compared >= 50


def test_where_torch_differs() -> None:
    """Torch scatters by the forward's map; the windows are not always that map's inverse."""
    grad = torch.eye(82).reshape(82, 1, 1, 1, 82)
    ours = aclhost.upsample_nearest3d_backward(grad, (1, 1, 82), (82, 1, 1, 1, 2))
    theirs = torch.ops.aten.upsample_nearest3d_backward(grad, (1, 1, 82), (82, 1, 1, 1, 2))
    assert [int(i) for i in (ours != theirs).any(-1).ravel().nonzero()] == [41]
    assert ours[41].ravel().tolist() == [0, 1]
    grad = torch.ones(1, 1, 1, 1, 10)
    sizes = (1, 1, 10), (1, 1, 1, 1, 2)
    ours = aclhost.upsample_nearest3d_backward(grad, *sizes, 1.0, 1.0, 2.0)
    theirs = torch.ops.aten.upsample_nearest3d_backward(grad, *sizes, 1.0, 1.0, 2.0)
    assert (ours.ravel().tolist(), theirs.ravel().tolist()) == ([2, 2], [2, 8])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_views_give_the_same_bits_as_copies(dtype: str, view) -> None:
    grad = view(normal((2, 3, 5, 7, 6), dtype))
    wanted = summed(grad, (2, 3, 9))
    result = aclhost.upsample_nearest3d_backward(grad, (5, 7, 6), (2, 3, 2, 3, 9))
    assert result.tobytes() == wanted.tobytes()
    out = view(np.full_like(wanted, NAN))
    if out.flags.writeable:  # not one that repeats elements
        aclhost.upsample_nearest3d_backward(grad, (5, 7, 6), out.shape, out=out)
        assert out.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("labels", [(NCDHW, NCDHW), (ND, NCDHW), (NDHWC, NDHWC)], ids=str)
@pytest.mark.parametrize("scales", [(0.0, 0.0, 0.0), (2.6, 1.5, 0.5)], ids=str)
@pytest.mark.usefixtures("no_leaks")
def test_layouts(labels, scales: tuple[float, float, float], stream: int) -> None:
    """inputSize is N, C, D, H, W for both."""
    size, output = (3, 4, 8), (7, 6, 4)
    grad = normal((2, 3, *output), "float16")
    wanted = aclhost.upsample_nearest3d_backward(grad, output, (2, 3, *size), *scales)
    last = [label is NDHWC for label in labels]
    values = np.moveaxis(grad, 1, -1) if last[0] else grad
    call = Call(
        {
            "gradOut": TensorArg(
                values.shape, FLOAT16, tuple(values.ravel().tolist()), format=labels[0]
            ),
            "outputSize": output,
            "inputSize": (2, 3, *size),
            "scalesD": scales[0],
            "scalesH": scales[1],
            "scalesW": scales[2],
            "gradInput": TensorArg(
                (2, *size, 3) if last[1] else (2, 3, *size), FLOAT16, format=labels[1]
            ),
        }
    )
    with abi.prepared_call(OP, call) as prepared:
        abi.run(OP, prepared, stream)
        result = prepared.fetch("gradInput")
    assert np.array_equal(np.moveaxis(result, -1, 1) if last[1] else result, wanted)


@pytest.mark.parametrize("lead", [(0, 2), (2, 0)])
def test_empty(lead: tuple[int, int]) -> None:
    grad, out = np.zeros((*lead, 2, 2, 2), np.float32), np.zeros((*lead, 1, 1, 1), np.float32)
    assert aclhost.upsample_nearest3d_backward(grad, (2, 2, 2), out.shape, out=out) is out
    assert aclhost.upsample_nearest3d_backward(grad, (2, 2, 2), out.shape).shape == out.shape


@pytest.mark.parametrize(
    ("inputs", "outputs", "scale"),
    [(5, 2**24 + 3, None), (2**24 + 3, 7, None), (2**24 + 3, 2**24 + 5, None), (9, 2**25 + 1, 3e6)],
)
def test_indices_that_float_rounds(inputs: int, outputs: int, scale: float | None) -> None:
    """The formula as written; a border is never beyond the end."""
    grad = np.broadcast_to(np.float32(1), (1, 1, 1, 1, outputs))
    scales = () if scale is None else (1.0, 1.0, scale)
    result = aclhost.upsample_nearest3d_backward(
        grad, (1, 1, outputs), (1, 1, 1, 1, inputs), *scales
    )
    assert np.array_equal(result.ravel(), np.diff(starts(inputs, outputs, scale)))


@pytest.mark.slow
def test_more_than_2_31_elements() -> None:
    """One element with strides of 0 stands for them all; a double counts them."""
    output = (5, 3, (1 << 28) + 1)
    grad = np.broadcast_to(np.float64(1), (1, 1, *output))
    result = aclhost.upsample_nearest3d_backward(grad, output, (1, 1, 1, 1, 2))
    assert result.sum() == grad.size > 2**31
