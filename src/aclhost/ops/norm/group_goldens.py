# SPDX-License-Identifier: Apache-2.0
"""What group norms give, in NumPy and in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aclhost.ops.norm.build import any_infinite, channel_goldens, only_wanted

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any


def golden(
    self: Array, gamma: Array | None, beta: Array | None, n: int, c: int, hx_w: int, group: int,
    eps: float,
) -> tuple[Array, ...]:  # fmt: skip
    """Each group of an image's channels with mean 0 and variance 1, scaled and shifted."""
    from aclhost.ops.norm.build import normalized

    xhat, mean, rstd = normalized(self.reshape(n, group, -1 if self.size else 0), (2,), eps, True)
    y = channel_goldens(xhat.reshape(n, c, hx_w), gamma, beta)
    return y.reshape(self.shape), mean.reshape(n, group), rstd.reshape(n, group)


def _parts(
    grad_out: Array, input: Array, mean: Array, rstd: Array, gamma: Array | None,
    sizes: tuple[int, int, int, int], sign: int,
) -> tuple[Array, ...]:  # fmt: skip
    n, c, pixels, group = sizes
    dy, x = (each.reshape(n, group, c // group, pixels) for each in (grad_out, input))
    rstd = rstd.reshape(n, group, 1, 1)
    xhat = (x + sign * mean.reshape(n, group, 1, 1)) * rstd
    g = dy if gamma is None else dy * gamma.reshape(1, group, c // group, 1)
    steady = g.mean((2, 3), keepdims=True)
    sloping = xhat * (g * xhat).mean((2, 3), keepdims=True)
    shape = (c,) if gamma is None else gamma.shape
    return (
        (rstd * (g + sign * steady + sign * sloping)).reshape(input.shape),
        (dy * xhat).sum((0, 3)).reshape(shape),
        dy.sum((0, 3)).reshape(shape),
    )


def golden_gradient(
    grad_out: Array, input: Array, mean: Array, rstd: Array, gamma: Array | None, n: int, c: int,
    hx_w: int, group: int, output_mask: tuple[bool, ...],
) -> tuple[Array | None, ...]:  # fmt: skip
    """Of the input, and sums for gamma and beta."""
    sizes = (n, c, hx_w, group)
    return only_wanted(output_mask, *_parts(grad_out, input, mean, rstd, gamma, sizes, -1))


def terms(
    grad_out: Array, input: Array, mean: Array, rstd: Array, gamma: Array | None, n: int, c: int,
    hx_w: int, group: int, output_mask: tuple[bool, ...],
) -> tuple[Array | None, ...]:  # fmt: skip
    """As large as what is subtracted; all arrays are magnitudes."""
    sizes = (n, c, hx_w, group)
    return only_wanted(output_mask, *_parts(grad_out, input, mean, rstd, gamma, sizes, 1))


def torch_norm(
    torch: Torch, self: Torch, gamma: Torch, beta: Torch, n: int, c: int, hx_w: int, group: int,
    eps: float,
) -> Torch:  # fmt: skip
    """The norm by torch."""
    if any_infinite(self, gamma):
        return NotImplemented
    return torch.native_group_norm(self, gamma, beta, n, c, hx_w, group, eps)


def torch_gradient(
    torch: Torch, grad_out: Torch, input: Torch, mean: Torch, rstd: Torch, gamma: Torch, n: int,
    c: int, hx_w: int, group: int, output_mask: tuple[bool, ...],
) -> Torch:  # fmt: skip
    """The gradients by torch."""
    if gamma is None and any(output_mask[1:]):
        return NotImplemented  # torch has no gradient of what is left out
    if any_infinite(grad_out, input, gamma):
        return NotImplemented
    dense = (each.contiguous() for each in (grad_out, input, mean, rstd))  # it reads no strides
    found = torch.ops.aten.native_group_norm_backward(
        *dense, gamma, n, c, hx_w, group, list(output_mask)
    )
    return tuple(each for each, flag in zip(found, output_mask, strict=True) if flag)
