# SPDX-License-Identifier: Apache-2.0
"""Calls of the operators on volumes. The shape of a case is that of the large side."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

import aclhost
from aclhost.bench.workload import (
    TRANSPOSED,
    Array,
    Call,
    Workload,
    aten,
    new_array,
    random_array,
    reversed_axes,
    tensor,
    written,
    written_out,
)

if TYPE_CHECKING:
    import torch

Shape: TypeAlias = tuple[int, ...]
_NO_SCALES = (None, None, None)
_UNSCALED = (0.0, 0.0, 0.0)  # the same for the operators
_UNPOOLED = ([2] * 3, [0] * 3)  # stride and padding


def _input(shape: Shape, dtype: str, layout: str) -> Array:
    array = random_array(shape, dtype)
    return reversed_axes(array, 3) if layout == TRANSPOSED else array


def _window(variant: str) -> tuple[list[int], list[int], list[int], list[int], bool]:
    """A pool like 3/2/1: kernel, stride and, unless 0, padding. Dilation is 1."""
    kernel, stride, padding = (*map(int, variant.split("/")), 0)[:3]
    return [kernel] * 3, [stride] * 3, [padding] * 3, [1] * 3, False


def _pooled(shape: Shape, variant: str) -> Shape:
    kernel, stride, padding = (values[0] for values in _window(variant)[:3])
    return (*shape[:2], *((length + 2 * padding - kernel) // stride + 1 for length in shape[2:]))


def _long(indices: Array) -> torch.Tensor:
    """Torch's indices are int64 whatever the operator's are."""
    return tensor(indices).long()


def max_pool3d_with_argmax(variant: str, dtype: str, shape: Shape, layout: str) -> Workload:
    """The variant is the pool."""
    x, window, pooled = _input(shape, dtype, layout), _window(variant), _pooled(shape, variant)
    out, indices = new_array(pooled, dtype), new_array(pooled, "int32")
    return written(
        "max_pool3d_with_argmax", x, *window, out=(out, indices),
        moved=x.nbytes + out.nbytes + indices.nbytes,
        peer=lambda: aten(
            "max_pool3d_with_indices", "out", tensor(x), *window,
            out=tensor(out), indices=_long(indices),
        ),
    )  # fmt: skip


def max_pool3d_with_argmax_backward(
    variant: str, dtype: str, shape: Shape, layout: str
) -> Workload:
    """The variant is the pool; the indices are those that it gives."""
    window, x = _window(variant), random_array(shape, dtype)
    _, indices = aclhost.max_pool3d_with_argmax(x, *window)
    grad, out = _input(indices.shape, dtype, layout), new_array(shape, dtype)
    return written(
        "max_pool3d_with_argmax_backward", grad, x, indices, *window, out=(out,),
        moved=grad.nbytes + indices.nbytes + out.nbytes,
        peer=lambda: aten(
            "max_pool3d_with_indices_backward", "grad_input", tensor(grad), tensor(x), *window,
            _long(indices), grad_input=tensor(out),
        ),
    )  # fmt: skip


def _unpool_indices(variant: str, shape: Shape) -> Array:
    """Those of a pool 2/2, or any in the volume."""
    if variant == "local":
        _, indices = aclhost.max_pool3d_with_argmax(random_array(shape, "float32"), 2)
        return indices.astype(np.int64)
    drawn = np.random.default_rng(0).integers(0, np.prod(shape[2:]), _pooled(shape, "2/2"))
    return np.asarray(drawn, np.int64)


def max_unpool3d(variant: str, dtype: str, shape: Shape, layout: str) -> Workload:
    """The variant says where the indices come from."""
    indices = _unpool_indices(variant, shape)
    x, out, size = _input(indices.shape, dtype, layout), new_array(shape, dtype), list(shape[2:])
    return written(
        "max_unpool3d", x, indices, size, *_UNPOOLED, out=(out,),
        moved=x.nbytes + indices.nbytes + out.nbytes,
        peer=lambda: aten(
            "max_unpool3d", "out", tensor(x), tensor(indices), size, *_UNPOOLED,
            out=tensor(out),
        ),
    )  # fmt: skip


def max_unpool3d_backward(variant: str, dtype: str, shape: Shape, layout: str) -> Workload:
    """The variant says where the indices come from. All of the large volume counts as read."""
    indices = _unpool_indices(variant, shape)
    grad, x = _input(shape, dtype, layout), new_array(indices.shape, dtype)
    out = new_array(indices.shape, dtype)
    return written(
        "max_unpool3d_backward", grad, x, indices, list(shape[2:]), *_UNPOOLED, out=(out,),
        moved=grad.nbytes + indices.nbytes + out.nbytes,
        peer=lambda: _gather(
            tensor(grad), tensor(indices).flatten(2), tensor(out).view(*shape[:2], -1)
        ),
    )  # fmt: skip


def _gather(grad: torch.Tensor, indices: torch.Tensor, out: torch.Tensor) -> Call:
    """Torch has no backward of unpooling; its autograd gathers."""
    import torch

    if grad.is_contiguous():
        return written_out(torch.gather, grad.flatten(2), -1, indices, out=out)
    return lambda: torch.gather(grad.flatten(2), -1, indices, out=out)


def _resized(variant: str, shape: Shape) -> Shape:
    """The small side of a resize by a factor like x1.5."""
    return (*shape[:2], *(int(length / float(variant[1:])) for length in shape[2:]))


def upsample_nearest3d(variant: str, dtype: str, shape: Shape, layout: str) -> Workload:
    """The variant is the factor."""
    x, out = _input(_resized(variant, shape), dtype, layout), new_array(shape, dtype)
    size = list(shape[2:])
    return written(
        "upsample_nearest3d", x, size, *_UNSCALED, out=(out,),
        moved=x.nbytes + out.nbytes,
        peer=lambda: aten(
            "upsample_nearest3d", "out", tensor(x), size, *_NO_SCALES, out=tensor(out)
        ),
    )  # fmt: skip


def upsample_nearest3d_backward(variant: str, dtype: str, shape: Shape, layout: str) -> Workload:
    """The variant is the factor."""
    grad, size, source = _input(shape, dtype, layout), shape[2:], _resized(variant, shape)
    out = new_array(source, dtype)
    sizes = (list(size), list(source))
    return written(
        "upsample_nearest3d_backward", grad, *sizes, *_UNSCALED, out=(out,),
        moved=grad.nbytes + out.nbytes,
        peer=lambda: aten(
            "upsample_nearest3d_backward", "grad_input", tensor(grad), *sizes, *_NO_SCALES,
            grad_input=tensor(out),
        ),
    )  # fmt: skip
