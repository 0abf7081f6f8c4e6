# SPDX-License-Identifier: Apache-2.0
"""Differentiable functions for PyTorch whose forward and backward run on aclhost's operators.

They go by the names and arguments of `torch.nn.functional`, take tensors on the CPU, and obey the
operators' rules: which dtypes and attributes are accepted depends on the product that is played,
and a call that breaks a rule raises `aclhost.AclnnError`, in the backward pass as well. The
gradients cannot be differentiated once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, overload

import aclhost

try:
    import torch
except ModuleNotFoundError as missing:
    if missing.name != "torch":
        raise
    raise ImportError("aclhost.torch needs PyTorch; pip install torch") from missing

from torch.autograd.function import once_differentiable

__all__ = ["elu", "max_pool3d", "max_unpool3d", "smooth_l1_loss", "upsample_nearest3d"]

Context: TypeAlias = Any  # torch lets a Function hang what it likes on it
Triple: TypeAlias = int | Sequence[int]


def elu(
    x: torch.Tensor, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0
) -> torch.Tensor:
    """`scale * x` above 0, `scale * alpha * (exp(input_scale * x) - 1)` elsewhere.

    float64 tensors have a value, but no gradient: aclnnEluBackward does not take them.
    """
    result: torch.Tensor = _apply(_Elu, x, alpha, scale, input_scale)
    return result


def smooth_l1_loss(
    input: torch.Tensor, target: torch.Tensor, reduction: str = "mean", beta: float = 1.0
) -> torch.Tensor:
    """Quadratic where input and target differ by less than beta, linear elsewhere.

    Both are broadcast against each other and both have gradients. Mean divides by the number of
    elements after broadcasting.
    """
    result: torch.Tensor = _apply(_SmoothL1Loss, input, target, reduction, beta)
    return result


@overload
def max_pool3d(
    x: torch.Tensor,
    kernel_size: Triple,
    stride: Triple | None = None,
    padding: Triple = 0,
    dilation: Triple = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> torch.Tensor: ...


@overload
def max_pool3d(
    x: torch.Tensor,
    kernel_size: Triple,
    stride: Triple | None = None,
    padding: Triple = 0,
    dilation: Triple = 1,
    ceil_mode: bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[torch.Tensor, torch.Tensor]: ...


def max_pool3d(
    x: torch.Tensor,
    kernel_size: Triple,
    stride: Triple | None = None,
    padding: Triple = 0,
    dilation: Triple = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """The largest value of each window; with return_indices also its position, as int64.

    A dilation other than 1 needs Ascend 950: `with aclhost.soc("Ascend950PR_9599")`.
    """
    steps = () if stride is None else stride
    window = (kernel_size, steps, padding, dilation, ceil_mode)
    result, indices = _apply(_MaxPool3d, x, *window)
    return (result, indices.long()) if return_indices else result


def max_unpool3d(x: torch.Tensor, indices: torch.Tensor, output_size: Triple) -> torch.Tensor:
    """Puts each value where its index says into a volume of zeros.

    output_size is depth, height and width. Where indices repeat, the last value stays, but the
    gradient goes to all of them, as in torch.
    """
    result: torch.Tensor = _apply(_MaxUnpool3d, x, indices, output_size)
    return result


def upsample_nearest3d(
    x: torch.Tensor,
    output_size: Triple | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> torch.Tensor:
    """Resizes volumes to output_size, or by scale_factor, by taking the nearest value.

    The gradient is that of aclnnUpsampleNearest3dBackward. Its windows are computed in float32 and
    for some pairs of lengths (28 to 4, say) differ by one position from what the forward takes;
    whole factors are exact. Ascend 950 has no such operator.

    Raises:
        ValueError: not exactly one of output_size and scale_factor is given, or scale_factor is
            neither one number nor three.

    """
    if (output_size is None) == (scale_factor is None):
        raise ValueError("give either output_size or scale_factor")
    scales = (0.0, 0.0, 0.0)  # none given
    if scale_factor is not None:
        scales = _triple_of(scale_factor)
        lengths = zip(x.shape[-3:], scales, strict=False)
        output_size = tuple(int(length * scale) for length, scale in lengths)
    result: torch.Tensor = _apply(_UpsampleNearest3d, x, output_size, scales)
    return result


def _triple_of(factor: float | Sequence[float]) -> tuple[float, float, float]:
    if isinstance(factor, int | float):
        return factor, factor, factor
    if len(factor) != 3:
        raise ValueError(f"scale_factor must be one number or three, got {len(factor)}")
    return factor[0], factor[1], factor[2]


def _apply(function: type[torch.autograd.Function], *arguments: object) -> Any:  # noqa: ANN401
    return function.apply(*arguments)  # type: ignore[no-untyped-call]


def _stand_in(shape: torch.Size, like: torch.Tensor) -> torch.Tensor:
    """For operators that want the forward's input and read only its shape: one element."""
    return like.new_zeros(()).expand(shape)


class _Elu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Context, x: torch.Tensor, *scalars: float) -> torch.Tensor:
        ctx.save_for_backward(x)
        ctx.scalars = scalars
        return aclhost.elu(x.detach(), *scalars)

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (x,) = ctx.saved_tensors
        return aclhost.elu_backward(grad.detach(), x.detach(), *ctx.scalars), None, None, None


class _SmoothL1Loss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Context, input: torch.Tensor, target: torch.Tensor, reduction: str, beta: float
    ) -> torch.Tensor:
        ctx.save_for_backward(input, target)
        ctx.attributes = (reduction, beta)
        return aclhost.smooth_l1_loss(input.detach(), target.detach(), reduction, beta)

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        input, target = (saved.detach() for saved in ctx.saved_tensors)
        slope = aclhost.smooth_l1_loss_backward(grad.detach(), input, target, *ctx.attributes)
        wanted_input, wanted_target, _, _ = ctx.needs_input_grad
        return (
            slope.sum_to_size(input.shape).to(input.dtype) if wanted_input else None,
            slope.neg().sum_to_size(target.shape).to(target.dtype) if wanted_target else None,
            None,
            None,
        )


class _MaxPool3d(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Context,
        x: torch.Tensor,
        kernel_size: Triple,
        stride: Triple,
        padding: Triple,
        dilation: Triple,
        ceil_mode: bool,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        window = (kernel_size, stride, padding, dilation, ceil_mode)
        result, indices = aclhost.max_pool3d_with_argmax(x.detach(), *window)
        ctx.save_for_backward(indices)
        ctx.mark_non_differentiable(indices)
        ctx.shape, ctx.window = x.shape, window
        return result, indices

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Context, grad: torch.Tensor, _: torch.Tensor
    ) -> tuple[torch.Tensor | None, ...]:
        (indices,) = ctx.saved_tensors
        x = _stand_in(ctx.shape, grad)
        result = aclhost.max_pool3d_with_argmax_backward(grad.detach(), x, indices, *ctx.window)
        return result, None, None, None, None, None


class _MaxUnpool3d(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Context, x: torch.Tensor, indices: torch.Tensor, output_size: Triple
    ) -> torch.Tensor:
        ctx.save_for_backward(indices)
        ctx.shape, ctx.output_size = x.shape, output_size
        return aclhost.max_unpool3d(x.detach(), indices, output_size)

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (indices,) = ctx.saved_tensors
        x = _stand_in(ctx.shape, grad)
        result = aclhost.max_unpool3d_backward(grad.detach(), x, indices.long(), ctx.output_size)
        return result, None, None


class _UpsampleNearest3d(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Context, x: torch.Tensor, output_size: Triple, scales: tuple[float, ...]
    ) -> torch.Tensor:
        ctx.shape, ctx.output_size, ctx.scales = x.shape, output_size, scales
        return aclhost.upsample_nearest3d(x.detach(), output_size, *scales)

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        result = aclhost.upsample_nearest3d_backward(
            grad.detach(), ctx.output_size, tuple(ctx.shape), *ctx.scales
        )
        return result, None, None
