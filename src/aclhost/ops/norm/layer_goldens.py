# SPDX-License-Identifier: Apache-2.0
"""What layer norms give, in NumPy and in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aclhost.ops.norm.build import any_infinite, norm_gradient, normalized, only_wanted

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any


def _axes(x: Array, normalized_shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(range(x.ndim - len(normalized_shape), x.ndim))


def _places(
    x: Array, normalized_shape: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], list[int]]:
    """The axes of a row, the others, and the shape of the statistics."""
    axes = _axes(x, normalized_shape)
    shape = [1 if axis in axes else length for axis, length in enumerate(x.shape)]
    return axes, tuple(range(x.ndim - len(normalized_shape))), shape


def golden(
    input: Array, normalized_shape: tuple[int, ...], weight_optional: Array | None,
    bias_optional: Array | None, eps: float,
) -> tuple[Array, ...]:  # fmt: skip
    """Rows with mean 0 and variance 1, scaled and shifted."""
    xhat, mean, rstd = normalized(input, _axes(input, normalized_shape), eps, centred=True)
    scaled = xhat if weight_optional is None else xhat * weight_optional
    return scaled if bias_optional is None else scaled + bias_optional, mean, rstd


def golden_gradient(
    grad_out: Array, input: Array, normalized_shape: tuple[int, ...], mean: Array, rstd: Array,
    weight_optional: Array | None, bias_optional: Array | None, output_mask: tuple[bool, ...],
) -> tuple[Array | None, ...]:  # fmt: skip
    """Of the input, and sums over rows for weight and bias."""
    axes, rows, shape = _places(input, normalized_shape)
    rstd = rstd.reshape(shape)
    xhat = (input - mean.reshape(shape)) * rstd
    g = grad_out if weight_optional is None else grad_out * weight_optional
    return only_wanted(
        output_mask, norm_gradient(g, xhat, rstd, axes), (grad_out * xhat).sum(rows),
        grad_out.sum(rows),
    )  # fmt: skip


def terms(
    grad_out: Array, input: Array, normalized_shape: tuple[int, ...], mean: Array, rstd: Array,
    weight_optional: Array | None, bias_optional: Array | None, output_mask: tuple[bool, ...],
) -> tuple[Array | None, ...]:  # fmt: skip
    """As large as what is added and subtracted; all arrays are magnitudes."""
    axes, rows, shape = _places(input, normalized_shape)
    rstd = rstd.reshape(shape)
    xhat = (input + mean.reshape(shape)) * rstd
    g = grad_out if weight_optional is None else grad_out * weight_optional
    mean_g, slope = g.mean(axes, keepdims=True), (g * xhat).mean(axes, keepdims=True)
    return only_wanted(
        output_mask, rstd * (g + mean_g + xhat * slope), (grad_out * xhat).sum(rows),
        grad_out.sum(rows),
    )  # fmt: skip


def torch_norm(
    torch: Torch, input: Torch, normalized_shape: tuple[int, ...], weight_optional: Torch,
    bias_optional: Torch, eps: float,
) -> Torch:  # fmt: skip
    """The norm by torch."""
    if 0 in input.shape:
        return NotImplemented  # statistics of nothing differ
    if any_infinite(input, weight_optional):
        return NotImplemented
    return torch.native_layer_norm(
        input, list(normalized_shape), weight_optional, bias_optional, eps
    )


def torch_gradient(
    torch: Torch, grad_out: Torch, input: Torch, normalized_shape: tuple[int, ...], mean: Torch,
    rstd: Torch, weight_optional: Torch, bias_optional: Torch, output_mask: tuple[bool, ...],
) -> Torch:  # fmt: skip
    """The gradients by torch."""
    if any_infinite(grad_out, input, weight_optional):
        return NotImplemented
    bias = torch.zeros(list(normalized_shape)) if bias_optional is None else bias_optional
    weight = torch.ones(list(normalized_shape)) if weight_optional is None else weight_optional
    found = torch.ops.aten.native_layer_norm_backward(
        grad_out, input, list(normalized_shape), mean, rstd, weight, bias, list(output_mask)
    )
    return tuple(each for each, flag in zip(found, output_mask, strict=True) if flag)
