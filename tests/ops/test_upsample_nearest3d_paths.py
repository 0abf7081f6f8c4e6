# SPDX-License-Identifier: Apache-2.0
"""Both directions of resizing, in all the ways in which the kernels do it."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest
from support.views import before_a_wall, random_bits

import aclhost

DTYPES = ["float32", "float16", "bfloat16", "float64"]
ASCEND_950 = "Ascend950PR_9599"
RNG = np.random.default_rng(11)
WIDTHS = [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 71]
# Numerator and denominator: pairs, windows of one or two, three, one to three, many, none or one.
RATIOS = [(1, 1), (2, 1), (3, 2), (5, 3), (3, 1), (5, 2), (7, 1), (12, 1), (1, 2), (2, 3)]


def normal(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return RNG.normal(size=shape).astype(getattr(ml_dtypes, dtype, dtype))


def starts(inputs: int, outputs: int) -> np.ndarray:
    """The borders of the windows, as documented."""
    factor = np.float32(outputs) / np.float32(inputs)
    borders = np.ceil(np.arange(inputs + 1).astype(np.float32) * factor)
    return np.minimum(borders.astype(np.int64), outputs)


def summed(grad: np.ndarray, size: tuple[int, int, int]) -> np.ndarray:
    """All windows at once: depths and rows first, then along the width; 0 where there is none."""
    wide = np.float64 if grad.dtype == np.float64 else np.float32
    if grad.shape[2:] == size:
        return grad.copy()
    borders = [starts(i, o) for i, o in zip(size, grad.shape[2:], strict=True)]
    lengths = [np.diff(border) for border in borders]

    def part(term: tuple[int, ...]) -> np.ndarray:
        result, valid = grad.astype(wide), np.ones(size, bool)
        for axis, offset in enumerate(term):
            places = np.minimum(borders[axis][:-1] + offset, grad.shape[2 + axis] - 1)
            result = result.take(places, 2 + axis)
            inside = np.expand_dims(lengths[axis] > offset, [i for i in range(3) if i != axis])
            valid = valid & inside
        return np.where(valid, result, 0)

    result = np.zeros((*grad.shape[:2], *size), wide)
    for k in range(lengths[2].max()):
        column = np.zeros_like(result)
        for i, j in itertools.product(range(lengths[0].max()), range(lengths[1].max())):
            column += part((i, j, k))
        result += column
    return result.astype(grad.dtype)


def resized(x: np.ndarray, size: tuple[int, int, int]) -> np.ndarray:
    for axis, target in enumerate(size):
        step = np.float32(x.shape[2 + axis]) / np.float32(target)
        source = np.floor(np.arange(target).astype(np.float32) * step).astype(np.int64)
        x = x.take(np.minimum(source, x.shape[2 + axis] - 1), 2 + axis)
    return x


def assert_both(small: tuple[int, ...], large: tuple[int, ...], dtype: str, lay_out=None) -> None:
    """small is the size before resizing."""
    lay_out = lay_out or (lambda array: array)
    grad, x = lay_out(normal(large, dtype)), lay_out(normal(small, dtype))
    gradient, out = lay_out(np.full(small, 9, x.dtype)), lay_out(np.full(large, 9, x.dtype))
    aclhost.upsample_nearest3d_backward(grad, large[2:], small, out=gradient)
    aclhost.upsample_nearest3d(x, large[2:], out=out)
    assert gradient.tobytes() == summed(grad, small[2:]).tobytes()
    assert out.tobytes() == resized(x, large[2:]).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ratio", RATIOS, ids=str)
def test_widths(dtype: str, ratio: tuple[int, int]) -> None:
    for width in WIDTHS:
        large = max(width * ratio[0] // ratio[1], 1)
        assert_both((1, 2, 2, 3, width), (1, 2, 3, 5, large), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [(5, 10), (5, 8), (40, 60), (2, 50)], ids=str)
def test_windows_of_many_rows(dtype: str, width: tuple[int, int]) -> None:
    assert_both((1, 2, 1, 2, width[0]), (1, 2, 7, 13, width[1]), dtype)


def channels_last(array: np.ndarray) -> np.ndarray:
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 1, -1)), -1, 1)


def gaps(array: np.ndarray) -> np.ndarray:
    around = np.zeros((*array.shape[:-1], array.shape[-1] + 3), array.dtype)
    around[..., :-3] = array
    return around[..., :-3]


def every_other(array: np.ndarray) -> np.ndarray:
    return np.repeat(array, 2, -1)[..., ::2]


def depth_inside(array: np.ndarray) -> np.ndarray:
    return array.transpose(0, 1, 4, 3, 2).copy().transpose(0, 1, 4, 3, 2)


def backwards(array: np.ndarray) -> np.ndarray:
    return array[:, ::-1, ::-1, ::-1].copy()[:, ::-1, ::-1, ::-1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lay_out", [np.ascontiguousarray, every_other], ids=["rows", "views"])
@pytest.mark.parametrize(
    ("small", "large"),
    [(1500, 3000), (1500, 2251), (2500, 1200), (900, 5000), (5, 5000), (1, 2100)],
)
def test_rows_of_several_blocks(dtype: str, small: int, large: int, lay_out) -> None:
    assert_both((1, 1, 1, 2, small), (1, 1, 2, 3, large), dtype, lay_out)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "lay_out", [channels_last, gaps, every_other, depth_inside, backwards], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("channels", [2, 3, 33, 300])
def test_layouts(dtype: str, lay_out, channels: int) -> None:
    for small, large in (((2, 3, 5), (4, 6, 10)), ((4, 2, 6), (6, 3, 9)), ((4, 4, 4), (2, 2, 2))):
        assert_both((2, channels, *small), (2, channels, *large), dtype, lay_out)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_layouts_that_differ(dtype: str) -> None:
    small, large = (2, 33, 3, 4, 5), (2, 33, 6, 6, 10)
    grad, x = normal(large, dtype), normal(small, dtype)
    for first, second in itertools.permutations([np.ascontiguousarray, channels_last, gaps], 2):
        gradient, out = second(np.zeros(small, x.dtype)), second(np.zeros(large, x.dtype))
        aclhost.upsample_nearest3d_backward(first(grad), large[2:], small, out=gradient)
        aclhost.upsample_nearest3d(first(x), large[2:], out=out)
        assert gradient.tobytes() == summed(grad, small[2:]).tobytes()
        assert out.tobytes() == resized(x, large[2:]).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ratio", RATIOS, ids=str)
def test_touches_nothing_beyond_the_tensors(dtype: str, ratio: tuple[int, int]) -> None:
    for width in (1, 3, 17, 40):
        large = max(width * ratio[0] // ratio[1], 1)
        assert_both((1, 3, 2, 3, width), (1, 3, 3, 5, large), dtype, before_a_wall)


def at_offset(array: np.ndarray, offset: int) -> np.ndarray:
    """A copy that many elements after the start of a line of the cache."""
    memory = np.full(array.size + 64 + offset, 5, array.dtype)
    lead = -memory.ctypes.data % 64 // array.itemsize + offset
    view = memory[lead : lead + array.size].reshape(array.shape)
    view[...] = array
    return view


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("widths", [(67, 134), (64, 128), (43, 64)], ids=str)
def test_larger_than_the_cache(dtype: str, widths: tuple[int, int]) -> None:
    """Stores around the cache, at any alignment; rows that consist of lines, and others."""
    channels = 7 * 134 // widths[1]
    small, large = (1, channels, 33, 61, widths[0]), (1, channels, 66, 122, widths[1])
    assert channels * 66 * 122 * widths[1] * 4 > 24 << 20
    for offset in (0, 1, 3):
        assert_both(small, large, dtype, lambda array, offset=offset: at_offset(array, offset))


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64"])
def test_the_forward_keeps_bits(dtype: str) -> None:
    x = random_bits((1, 2, 3, 4, 21), dtype)
    for size in ((6, 8, 42), (3, 7, 31), (2, 3, 11), (3, 4, 100)):
        with aclhost.soc(ASCEND_950):  # which alone has uint8
            result = aclhost.upsample_nearest3d(x, size)
        assert result.tobytes() == resized(x, size).tobytes()
