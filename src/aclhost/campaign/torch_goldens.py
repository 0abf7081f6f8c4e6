# SPDX-License-Identifier: Apache-2.0
"""Goldens that ask torch, where it has the operator and the same rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from aclhost.arrays import NDArray
from aclhost.reference.pooling import pool_windows

Array = NDArray
Ints = Sequence[int]
aten = torch.ops.aten


class OtherRuleError(Exception):
    """Torch computes something else here."""


def _unless(different: bool, why: str) -> None:
    if different:
        raise OtherRuleError(why)


def _tensor(array: Array) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array)).reshape(array.shape)


def _array(tensor: torch.Tensor) -> Array:
    return np.asarray(tensor.numpy())


def elu(self: Array, alpha: float, scale: float, input_scale: float) -> Array:
    _unless(not np.isfinite([alpha, input_scale]).all(), "infinite scalars are special")
    return _array(aten.elu(_tensor(self), alpha, scale, input_scale))


def inplace_elu(self_ref: Array, alpha: float, scale: float, input_scale: float) -> Array:
    return elu(self_ref, alpha, scale, input_scale)


def elu_backward(
    grad_output: Array,
    alpha: float,
    scale: float,
    input_scale: float,
    is_result: bool,
    self_or_result: Array,
) -> Array:
    _unless(bool(np.isnan(self_or_result).any()), "torch's vectors and scalars disagree on NaN")
    grad, x = _tensor(grad_output), _tensor(self_or_result)
    return _array(aten.elu_backward(grad, alpha, scale, input_scale, is_result, x))


def smooth_l1_loss(self: Array, target: Array, reduction: int, beta: float) -> Array:
    x, y = aten.broadcast_tensors([_tensor(self), _tensor(target)])
    return _array(aten.smooth_l1_loss(x, y, reduction, beta))


def smooth_l1_loss_backward(
    grad_out: Array, self: Array, target: Array, reduction: int, beta: float
) -> Array:
    _unless(beta == 0, "torch has the slope -1 where both are equal")
    x, y = aten.broadcast_tensors([_tensor(self), _tensor(target)])
    shape = np.broadcast_shapes(x.shape, grad_out.shape)
    _unless(shape != x.shape, "torch would count what the gradient adds to the broadcast")
    grad = _tensor(grad_out).expand(shape)
    return _array(aten.smooth_l1_loss_backward(grad, x, y, reduction, beta))


def max_pool3d_with_argmax(self: Array, **window: Any) -> tuple[Array, Array]:
    _unless(self.size == 0, "torch refuses empty volumes")
    positions, _ = pool_windows(self.shape, *window.values())
    _unless(not (positions >= 0).any(1).all(), "torch's position is outside if all of a window is")
    pooled, indices = aten.max_pool3d_with_indices(_tensor(self), *window.values())
    return _array(pooled), _array(indices)


def max_pool3d_with_argmax_backward(
    grad_output: Array, self: Array, indices: Array, **window: Any
) -> Array:
    _unless(self.size == 0, "torch refuses empty volumes")
    places = _tensor(indices).long()
    arguments = (_tensor(grad_output), _tensor(self), *window.values(), places)
    return _array(aten.max_pool3d_with_indices_backward(*arguments))


def max_unpool3d(
    self: Array, indices: Array, output_size: Ints, stride: Ints, padding: Ints
) -> Array:
    _unless(self.dtype.kind in "iu", "torch unpools floating tensors only")
    _unless(self.size == 0, "torch refuses empty volumes")
    places = _tensor(indices).long()
    return _array(aten.max_unpool3d(_tensor(self), places, output_size, [1] * 3, [0] * 3))


def max_unpool3d_backward(
    grad_output: Array, self: Array, indices: Array, output_size: Ints, stride: Ints, padding: Ints
) -> Array:
    places = _tensor(indices).long()
    found = _tensor(grad_output).flatten(-3).gather(-1, places.flatten(-3))
    return _array(found.reshape(places.shape))


def _counted(*scales: float) -> list[float | None]:
    """Torch decides axis by axis whether a scale counts; the operators, about all three."""
    return list(scales) if all(scale > 0 for scale in scales) else [None] * 3


def upsample_nearest3d(
    self: Array, output_size: Ints, scales_d: float, scales_h: float, scales_w: float
) -> Array:
    _unless(self.size == 0, "torch refuses empty volumes")
    single = self.astype(np.float32)
    _unless(not np.array_equal(single, self, equal_nan=True), "positions of doubles are double")
    scales = _counted(scales_d, scales_h, scales_w)
    return _array(aten.upsample_nearest3d(_tensor(single), output_size, *scales).double())


def upsample_nearest3d_backward(
    grad_out: Array,
    output_size: Ints,
    input_size: Ints,
    scales_d: float,
    scales_h: float,
    scales_w: float,
) -> Array:
    _unless(grad_out.size == 0, "torch refuses empty volumes")
    scales = _counted(scales_d, scales_h, scales_w)
    for length, size, scale in zip(input_size[2:], output_size, scales, strict=True):
        _unless(not _same_windows(length, size, scale), "torch goes by the forward's positions")
    result = aten.upsample_nearest3d_backward(
        _tensor(grad_out), list(output_size), list(input_size), *scales
    )
    return _array(result)


def _same_windows(length: int, size: int, scale: float | None) -> bool:
    """Whether torch's map from outputs to inputs is the one that the windows describe."""
    if size in (length, 2 * length):  # where torch takes a short cut past the scale
        return scale is None or scale == size / length
    factor = np.float32(size / length if scale is None else scale)
    starts = np.minimum(np.ceil(np.arange(length + 1, dtype=np.float32) * factor), size)
    step = np.float32(length / size if scale is None else 1 / scale)
    sources = np.minimum(np.floor(np.arange(size, dtype=np.float32) * step), length - 1)
    counts = np.bincount(sources.astype(int), minlength=length)
    return np.array_equal(np.diff(starts), counts)


GOLDENS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        elu, inplace_elu, elu_backward, smooth_l1_loss, smooth_l1_loss_backward,
        max_pool3d_with_argmax, max_pool3d_with_argmax_backward, max_unpool3d,
        max_unpool3d_backward, upsample_nearest3d, upsample_nearest3d_backward,
    )
}  # fmt: skip
