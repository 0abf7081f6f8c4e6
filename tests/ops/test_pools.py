# SPDX-License-Identifier: Apache-2.0
"""Pools: answers worked out by hand, labels, masks, and indices out of range."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
import torch

import aclhost
from aclhost import ops
from aclhost.calls import abi
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import INT32, INT64
from aclhost.spec.formats import NHWC
from aclhost.spec.products import A950

Array = npt.NDArray[np.generic]
IMAGE = np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3)
RNG = np.random.default_rng(5)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, [[3]]),
        ({"ceil_mode": True}, [[3, 4.5], [7.5, 9]]),
        ({"paddings": [1, 1]}, [[0.25, 1.25], [2.75, 7]]),
        ({"paddings": [1, 1], "count_include_pad": False}, [[1, 2.5], [5.5, 7]]),
        ({"divisor_override": 3}, [[4]]),
        ({"strides": [1, 1]}, [[3, 4], [6, 7]]),
    ],
)
def test_means(options: dict[str, object], wanted: list[list[float]]) -> None:
    assert aclhost.avg_pool2d(IMAGE, [2, 2], **options)[0, 0].tolist() == wanted
    depth = {"strides": ("stride", 1), "paddings": ("padding", 0)}
    for name, (other, first) in depth.items():
        if name in options:
            options = {**options, other: (first, *options[name])}
            del options[name]
    volume = aclhost.avg_pool3d(IMAGE[:, :, None], [1, 2, 2], **options)
    assert volume[0, 0, 0].tolist() == wanted


def test_a_kernel_larger_than_the_input_may_have_a_window() -> None:
    """Upstream divides towards 0; the mean is over what is there."""
    assert aclhost.avg_pool2d(IMAGE, [4, 4], [9, 9], count_include_pad=False).tolist() == [[[[5]]]]


def test_shares() -> None:
    """Adaptive windows of 2 over 3 positions share the middle."""
    assert aclhost.adaptive_avg_pool2d(IMAGE, [2, 2])[0, 0].tolist() == [[3, 4], [6, 7]]
    ones = np.ones((1, 1, 2, 2), np.float32)
    shares = aclhost.adaptive_avg_pool2d_backward(ones, IMAGE)
    assert shares[0, 0].tolist() == [[0.25, 0.5, 0.25], [0.5, 1, 0.5], [0.25, 0.5, 0.25]]


def test_one_long_row() -> None:
    """Windows, and gradients, that are wider than what is joined at once."""
    row = RNG.integers(-8, 8, (1, 1, 1, 10000)).astype(np.float32)
    whole = aclhost.adaptive_avg_pool2d(row, [1, 1])
    assert whole[0, 0, 0, 0] == np.float32(row.sum()) / np.float32(10000)
    assert aclhost.max_pool(row, [1, 9999])[0, 0, 0].tolist() == [
        row[..., :-1].max(),
        row[..., 1:].max(),
    ]
    spread = aclhost.adaptive_avg_pool2d_backward(row, row[..., :1])
    assert spread[0, 0, 0, 0] == row.sum()


def test_maxima_of_uneven_padding() -> None:
    """Two positions before the rows, none after."""
    out = aclhost.max_pool(IMAGE, [3, 1], pads=[2, 0, 0, 0])
    assert np.array_equal(out, IMAGE)


def test_nan_and_infinities() -> None:
    image = IMAGE.copy()
    image[0, 0, 0, 1], image[0, 0, 2] = np.nan, -np.inf
    assert np.isnan(aclhost.max_pool(image, [2, 2])[0, 0, 0]).all()
    out, indices = aclhost.max_pool2d_with_indices(image, [1, 3])
    assert np.isnan(out[0, 0, 0, 0])
    assert indices.ravel().tolist() == [1, 5, 6]
    out, indices = aclhost.adaptive_max_pool2d(image, [3, 2])
    assert indices.ravel().tolist() == [1, 1, 4, 5, 6, 7]


def test_masks_begin_with_positions() -> None:
    image = RNG.normal(size=(2, 3, 5, 7)).astype(np.float32)
    out, indices = aclhost.max_pool2d_with_indices(image, [2, 2], [1, 2], [1, 0])
    same, mask = aclhost.max_pool2d_with_mask(image, [2, 2], [1, 2], [1, 0])
    assert np.array_equal(same, out)
    assert np.array_equal(mask.ravel().view(np.int32)[: out.size], indices.ravel())
    assert not mask.ravel().view(np.int32)[out.size :].any()
    spread = np.empty((*mask.shape[:-1], 2 * mask.shape[-1]), np.int8)[..., ::2]
    aclhost.max_pool2d_with_mask(image, [2, 2], [1, 2], [1, 0], out=(same, spread))
    assert np.array_equal(spread, mask)
    gradients = RNG.normal(size=out.shape).astype(np.float32)
    window = ([2, 2], [1, 2], [1, 0])
    wanted = aclhost.max_pool2d_with_indices_backward(gradients, image, indices, *window)
    for each in (mask, spread):
        got = aclhost.max_pool2d_with_mask_backward(gradients, image, each, *window)
        assert got.tobytes() == wanted.tobytes()


def nhwc(call: Call) -> Call:
    return call.relabelled(NHWC, *(n for n, a in call.arguments.items() if hasattr(a, "shape")))


def test_channels_last(stream: int) -> None:
    op = ops.BY_NAME["aclnnMaxPool2dWithIndices"]
    window = {"kernelSize": (2, 2), "stride": (), "padding": (0,), "dilation": (1,)}
    pooled = {"out": TensorArg((2, 2, 3, 5)), "indices": TensorArg((2, 2, 3, 5), INT32)}
    call = Call({"self": TensorArg((2, 4, 6, 5)), **window, "ceilMode": False, **pooled}, A950)
    with abi.prepared_call(op, nhwc(call)) as prepared:
        self = torch.from_numpy(prepared.storages["self"].view.copy()).permute(0, 3, 1, 2)
        abi.run(op, prepared, stream)
        out, indices = torch.nn.functional.max_pool2d(self, 2, return_indices=True)
        assert np.array_equal(prepared.fetch("out"), out.permute(0, 2, 3, 1))
        assert np.array_equal(prepared.fetch("indices"), indices.permute(0, 2, 3, 1))


@pytest.mark.parametrize("shape", [(2, 5, 3, 2), (60,)])
@pytest.mark.parametrize("size", [(4, 6), (3, 2)])
def test_adaptive_maxima_are_delivered_in_any_shape(
    shape: tuple[int, ...], size: tuple[int, int], stream: int
) -> None:
    """Channels last, even and uneven windows: upstream reshapes what it computed."""
    op = ops.BY_NAME["aclnnAdaptiveMaxPool2d"]
    if np.prod(size) * 10 != np.prod(shape):
        shape = (10, *size)
    results = {"outputOut": TensorArg(shape), "indicesOut": TensorArg(shape, INT64)}
    call = Call({"self": TensorArg((2, 4, 6, 5), format=NHWC), "outputSize": size, **results})
    with abi.prepared_call(op, call) as prepared:
        self = torch.from_numpy(prepared.storages["self"].view.copy()).permute(0, 3, 1, 2)
        abi.run(op, prepared, stream)
        out, indices = torch.nn.functional.adaptive_max_pool2d(self, size, return_indices=True)
        assert np.array_equal(prepared.fetch("outputOut").ravel(), out.ravel())
        assert np.array_equal(prepared.fetch("indicesOut").ravel(), indices.ravel())


def test_unpooled_values_are_delivered_in_any_shape() -> None:
    self, indices = IMAGE[:, :, :2, :2], np.array([[[[0, 3], [8, 5]]]], np.int32)
    out = np.empty((3, 3), np.float32)
    aclhost.max_unpool2d(self, indices, [3, 3], out=out)
    assert out.tolist() == [[1, 0, 0], [2, 0, 5], [0, 0, 4]]


@pytest.mark.parametrize("index", [-1, 9, 2**31 - 1])
def test_indices_out_of_range(index: int) -> None:
    """Reported with the place that the client knows; the others are used."""
    indices = np.array([[[[0, 3], [index, 5]]]], np.int32)
    gradients, place = IMAGE[:, :, :2, :2], r"indices\[0, 0, 1, 0\]"
    out = np.full((1, 1, 3, 3), 7, np.float32)
    with pytest.raises(aclhost.AclnnError, match=place):
        aclhost.max_unpool2d(gradients, indices, [3, 3], out=out)
    assert out.ravel().tolist() == [1, 0, 0, 2, 0, 5, 0, 0, 0]
    with pytest.raises(aclhost.AclnnError, match=place):
        aclhost.max_unpool2d_backward(IMAGE, gradients, indices, [3, 3])
    for backward in (
        lambda: aclhost.adaptive_max_pool2d_backward(gradients, IMAGE, indices, out=out),
        lambda: aclhost.max_pool2d_with_indices_backward(
            gradients, IMAGE, indices, [2, 2], [1, 1], out=out
        ),
    ):
        out[...] = 7
        with pytest.raises(aclhost.AclnnError, match=place):
            backward()
        assert out.ravel().tolist() == [1, 0, 0, 2, 0, 5, 0, 0, 0]


def test_masks_out_of_range() -> None:
    mask = aclhost.max_pool2d_with_mask(IMAGE, [2, 2], [1, 1])[1]
    mask.ravel().view(np.int32)[2] = 9
    with pytest.raises(aclhost.AclnnError, match=r"got 9 at position 2"):
        aclhost.max_pool2d_with_mask_backward(IMAGE[:, :, :2, :2], IMAGE, mask, [2, 2], [1, 1])


def test_gradients_cast_where_there_is_one_window() -> None:
    gradients = np.full((1, 1, 1, 1), 18, np.float32)
    out = np.empty((1, 1, 3, 3), np.float64)
    aclhost.adaptive_avg_pool2d_backward(gradients, IMAGE, out=out)
    assert out.tolist() == np.full((1, 1, 3, 3), 2.0).tolist()


def test_dtypes_of_tensors_that_only_give_a_shape() -> None:
    half = IMAGE.astype(np.float16)
    out = aclhost.avg_pool2d_backward(np.ones((1, 1, 2, 2), np.float32), half, [2, 2], [1, 1])
    assert out.dtype == np.float32


def test_volumes_of_one_plane_are_images() -> None:
    image = RNG.normal(size=(2, 3, 7, 5)).astype(np.float32)
    volume, size = image[:, :, None], (3, 4)
    means = aclhost.adaptive_avg_pool2d(image, size)
    assert np.array_equal(aclhost.adaptive_avg_pool3d(volume, (1, *size))[:, :, 0], means)
    wanted = aclhost.adaptive_avg_pool2d_backward(means, image)
    got = aclhost.adaptive_avg_pool3d_backward(means[:, :, None], volume)
    assert np.array_equal(got[:, :, 0], wanted)
    maxima, indices = aclhost.adaptive_max_pool2d(image, size)
    got, places = aclhost.adaptive_max_pool3d(volume, (1, *size))
    assert np.array_equal(got[:, :, 0], maxima)
    assert np.array_equal(places[:, :, 0], indices)
    wanted = aclhost.adaptive_max_pool2d_backward(means, image, indices)
    got = aclhost.adaptive_max_pool3d_backward(means[:, :, None], volume, places)
    assert np.array_equal(got[:, :, 0], wanted)
    pooled = aclhost.avg_pool2d(image, [2, 2])
    wanted = aclhost.avg_pool2d_backward(pooled, image, [2, 2])
    got = aclhost.avg_pool3d_backward(pooled[:, :, None], volume, [1, 2, 2])
    assert np.array_equal(got[:, :, 0], wanted)


def with_special_values(shape: tuple[int, ...], dtype: str) -> Array:
    """Few different numbers, so that maxima are tied; zeros of both signs among them."""
    values = RNG.integers(-3, 3, shape).astype(getattr(ml_dtypes, dtype, dtype))
    values[RNG.random(shape) < 0.1] = -0.0
    for odd in (np.nan, -np.nan, np.inf, -np.inf):
        values[RNG.random(shape) < 0.02] = odd
    values[:, 1] = -np.inf
    return values


def laid_out(values: Array, layout: str) -> Array:
    """The same values: channels side by side, rows or samples with gaps between them."""
    if layout == "channels last":
        return np.moveaxis(np.ascontiguousarray(np.moveaxis(values, 1, -1)), -1, 1)
    if layout == "gaps in rows":
        return np.repeat(values, 2, axis=-1)[..., ::2]
    if layout == "gaps between samples":
        return np.repeat(values, 2, axis=1)[:, : values.shape[1]]
    return values


def bits_of(values: Array) -> Array:
    """With one NaN for all, whose sign depends on the order of a sum's operands."""
    values = np.where(np.isnan(values), np.nan, values).astype(values.dtype)
    return np.ascontiguousarray(values).view(f"u{values.itemsize}")


LAYOUTS = ("dense", "channels last", "gaps in rows", "gaps between samples")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_maxima_of_many_channels_are_those_of_each(dtype: str, layout: str) -> None:
    """Many are computed together, one is by the definition."""
    given = laid_out(with_special_values((2, 37, 7, 9), dtype), layout)
    room = [np.empty((4, 40, 3, 4), kind)[1:3, 2:39] for kind in (given.dtype, np.int64)]
    maxima, indices = aclhost.adaptive_max_pool2d(given, (3, 4), out=(room[0], room[1]))
    for n, c in np.ndindex(given.shape[:2]):
        one = np.ascontiguousarray(given[n : n + 1, c : c + 1])
        wanted, places = aclhost.adaptive_max_pool2d(one, (3, 4))
        assert maxima[n, c].tobytes() == wanted.tobytes()
        assert np.array_equal(indices[n, c], places[0, 0])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_volumes_of_many_channels_are_pooled_as_each(dtype: str, layout: str) -> None:
    given, size = laid_out(with_special_values((2, 37, 5, 7, 9), dtype), layout), (2, 3, 4)
    window = ([2, 3, 2], [2, 2, 3], [1, 1, 0])
    maxima, indices = aclhost.adaptive_max_pool3d(given, size)
    means, slid = aclhost.adaptive_avg_pool3d(given, size), aclhost.avg_pool3d(given, *window)
    for n, c in np.ndindex(given.shape[:2]):
        one = np.ascontiguousarray(given[n : n + 1, c : c + 1])
        wanted, places = aclhost.adaptive_max_pool3d(one, size)
        assert maxima[n, c].tobytes() == wanted.tobytes()
        assert np.array_equal(indices[n, c], places[0, 0])
        wanted = aclhost.adaptive_avg_pool3d(one, size)[0, 0]
        assert np.array_equal(bits_of(means[n, c]), bits_of(wanted))
        wanted = aclhost.avg_pool3d(one, *window)[0, 0]
        assert np.array_equal(bits_of(slid[n, c]), bits_of(wanted))
