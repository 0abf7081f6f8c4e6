# SPDX-License-Identifier: Apache-2.0
"""Differentiable functions for PyTorch whose forward and backward run on aclhost's operators.

They go by the names and arguments of `torch.nn.functional`, take tensors on the CPU, and obey the
operators' rules: which dtypes and attributes are accepted depends on the product that is played,
and a call that breaks a rule raises `aclhost.AclnnError`, in the backward pass as well. The
gradients cannot be differentiated once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, overload

try:
    import torch
except ModuleNotFoundError as missing:
    if missing.name != "torch":
        raise
    raise ImportError("aclhost.torch needs PyTorch; pip install torch") from missing

from aclhost.torch import functional
from aclhost.torch.autograd import apply

__all__ = [
    "elu", "functional", "max_pool3d", "max_unpool3d", "smooth_l1_loss", "upsample_nearest3d",
]  # fmt: skip

Triple: TypeAlias = int | Sequence[int]


def elu(
    x: torch.Tensor, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0
) -> torch.Tensor:
    """`scale * x` above 0, `scale * alpha * (exp(input_scale * x) - 1)` elsewhere.

    float64 tensors have a value, but no gradient: aclnnEluBackward does not take them.
    """
    result: torch.Tensor = apply(
        "aclnnElu", self=x, alpha=alpha, scale=scale, input_scale=input_scale
    )
    return result


def smooth_l1_loss(
    input: torch.Tensor, target: torch.Tensor, reduction: str = "mean", beta: float = 1.0
) -> torch.Tensor:
    """Quadratic where input and target differ by less than beta, linear elsewhere.

    Both are broadcast against each other and both have gradients. Mean divides by the number of
    elements after broadcasting.
    """
    return functional.smooth_l1_loss(input, target, reduction=reduction, beta=beta)


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
    window = (kernel_size, stride, padding, dilation, ceil_mode)
    return functional.max_pool3d(x, *window, return_indices)


def max_unpool3d(x: torch.Tensor, indices: torch.Tensor, output_size: Triple) -> torch.Tensor:
    """Puts each value where its index says into a volume of zeros.

    output_size is depth, height and width. Where indices repeat, the last value stays, but the
    gradient goes to all of them, as in torch.
    """
    result: torch.Tensor = apply(
        "aclnnMaxUnpool3d",
        self=x,
        indices=indices.long(),
        output_size=output_size,
        stride=1,
        padding=0,
    )
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
    result: torch.Tensor = apply(
        "aclnnUpsampleNearest3d",
        self=x,
        output_size=output_size,
        scales_d=scales[0],
        scales_h=scales[1],
        scales_w=scales[2],
    )
    return result


def _triple_of(factor: float | Sequence[float]) -> tuple[float, float, float]:
    if isinstance(factor, int | float):
        return factor, factor, factor
    if len(factor) != 3:
        raise ValueError(f"scale_factor must be one number or three, got {len(factor)}")
    return factor[0], factor[1], factor[2]
