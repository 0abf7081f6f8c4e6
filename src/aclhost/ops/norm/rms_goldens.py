# SPDX-License-Identifier: Apache-2.0
"""What norms by the root mean square give, in NumPy and in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aclhost.ops.norm.build import normalized

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any


def rms(x: Array, gamma: Array, epsilon: float) -> tuple[Array, Array]:
    """The norm, and the inverse of the root."""
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    xhat, _, rstd = normalized(x, axes, epsilon, centred=False)
    return xhat * gamma, rstd


def golden(x: Array, gamma: Array, epsilon: float) -> tuple[Array, Array]:
    """Rows divided by the root of their mean square."""
    return rms(x, gamma, epsilon)


def golden_sum(x1: Array, x2: Array, gamma: Array, epsilon: float) -> tuple[Array, ...]:
    """The same of a sum, which is a result as well."""
    return *rms(x1 + x2, gamma, epsilon), x1 + x2


def golden_in_place(
    x1_ref: Array, x2_ref: Array, gamma: Array, epsilon: float
) -> tuple[Array, ...]:
    """In the order of the parameters."""
    y, rstd = rms(x1_ref + x2_ref, gamma, epsilon)
    return y, x1_ref + x2_ref, rstd


def golden_gradient(dy: Array, x: Array, rstd: Array, gamma: Array) -> tuple[Array, Array]:
    """Of x, and the sum over rows for gamma."""
    return _gradient(dy, x, rstd, gamma, -1)


def terms(dy: Array, x: Array, rstd: Array, gamma: Array) -> tuple[Array, Array]:
    """As large as what is subtracted; all arrays are magnitudes."""
    return _gradient(dy, x, rstd, gamma, 1)


def _gradient(dy: Array, x: Array, rstd: Array, gamma: Array, sign: int) -> tuple[Array, Array]:
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    rstd = rstd.reshape(*x.shape[: x.ndim - gamma.ndim], *(1,) * gamma.ndim)
    xhat, g = x * rstd, dy * gamma
    of_x = rstd * (g + sign * xhat * (g * xhat).mean(axes, keepdims=True))
    return of_x, (dy * xhat).sum(tuple(range(x.ndim - gamma.ndim)))


def torch_norm(torch: Torch, x: Torch, gamma: Torch, epsilon: float) -> tuple[Torch, ...]:
    """The norm by torch."""
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    rstd = torch.rsqrt((x**2).mean(axes, keepdim=True) + epsilon)
    return torch.nn.functional.rms_norm(x, gamma.shape, gamma, epsilon), rstd


def torch_sum(
    torch: Torch, x1: Torch, x2: Torch, gamma: Torch, epsilon: float
) -> tuple[Torch, ...]:
    """The norm of a sum by torch."""
    return *torch_norm(torch, x1 + x2, gamma, epsilon), x1 + x2


def torch_gradient(torch: Torch, dy: Torch, x: Torch, rstd: Torch, gamma: Torch) -> Torch:
    """With rstd as the slope of a function whose value at x it is."""
    if not x.isfinite().all():
        return NotImplemented
    x, gamma = x.clone().requires_grad_(), gamma.clone().requires_grad_()
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    given = rstd.reshape(*x.shape[: x.ndim - gamma.ndim], *(1,) * gamma.ndim)
    squares = (x**2).mean(axes, keepdim=True)
    root = torch.rsqrt(squares + (given**-2 - squares).detach())
    (x * root * gamma).backward(dy)
    return x.grad, gamma.grad
