# SPDX-License-Identifier: Apache-2.0
"""Resizing, sampling and unfolding by torch's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import torch

from aclhost.torch.autograd import apply

Sizes: TypeAlias = int | Sequence[int]
Factors: TypeAlias = float | Sequence[float]

# By mode and number of spatial dimensions.
_OPERATORS = {
    ("nearest-exact", 1): "UpsampleNearestExact1d",
    ("nearest-exact", 2): "UpsampleNearestExact2d",
    ("nearest-exact", 3): "UpsampleNearestExact3d",
    ("nearest", 1): "UpsampleNearest1dV2",
    ("nearest", 2): "UpsampleNearest2dV2",
    ("nearest", 3): "UpsampleNearest3d",
    ("linear", 1): "UpsampleLinear1d",
    ("bilinear", 2): "UpsampleBilinear2d",
    ("bicubic", 2): "UpsampleBicubic2d",
    ("trilinear", 3): "UpsampleTrilinear3d",
}
_INTERPOLATIONS = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


def interpolate(
    input: torch.Tensor,
    size: Sizes | None = None,
    scale_factor: Factors | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> torch.Tensor:
    """Resizes to a size, or by factors.

    Raises:
        ValueError: not exactly one of size and scale_factor is given, or there is no such mode for
            so many dimensions.

    """
    if (size is None) == (scale_factor is None):
        raise ValueError("give either size or scale_factor")
    spatial = input.dim() - 2
    if (mode, spatial) not in _OPERATORS:
        raise ValueError(f'there is no mode "{mode}" for {spatial} spatial dimensions')
    lengths, scales = _target(input, spatial, size, scale_factor)
    if recompute_scale_factor:
        scales = (0.0,) * spatial  # none given: they follow from the lengths
    name = f"aclnn{_OPERATORS[mode, spatial]}{'AA' if antialias else ''}"
    if mode == "linear":
        scales = tuple(scale or -1.0 for scale in scales)  # what this operator takes for none
    attributes: dict[str, Any] = {"output_size": lengths, **_named(name, scales)}
    if not mode.startswith("nearest"):
        attributes["align_corners"] = bool(align_corners)
    result: torch.Tensor = apply(name, **{_tensor_of(name): input}, **attributes)
    return result


def grid_sample(
    input: torch.Tensor,
    grid: torch.Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> torch.Tensor:
    """The input's values at the grid's places, which go from -1 to 1; both have gradients."""
    result: torch.Tensor = apply(
        "aclnnGridSampler2D" if input.dim() == 4 else "aclnnGridSampler3D",
        input=input,
        grid=grid,
        interpolation_mode=_INTERPOLATIONS.index(mode),
        padding_mode=_PADDINGS.index(padding_mode),
        align_corners=bool(align_corners),
    )
    return result


def unfold(
    input: torch.Tensor,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> torch.Tensor:
    """The blocks under a sliding window as columns."""
    result: torch.Tensor = apply(
        "aclnnIm2col",
        self=input,
        kernel_size=_pair(kernel_size),
        dilation=_pair(dilation),
        padding=_pair(padding),
        stride=_pair(stride),
    )
    return result


def _target(
    input: torch.Tensor, spatial: int, size: Sizes | None, factor: Factors | None
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Lengths of the result, and scales; 0 where none was given."""
    if size is not None:
        lengths = (size,) * spatial if isinstance(size, int) else tuple(size)
        return lengths, (0.0,) * spatial
    assert factor is not None
    scales = (factor,) * spatial if isinstance(factor, int | float) else tuple(factor)
    axes = zip(input.shape[2:], scales, strict=True)
    return tuple(int(length * scale) for length, scale in axes), scales


def _named(name: str, scales: tuple[float, ...]) -> dict[str, float]:
    """Scales by the operator's parameters."""
    from aclhost import ops

    names = [
        param.python_name
        for param in ops.BY_NAME[name].params
        if param.python_name.startswith("scale")
    ]
    return dict(zip(names, scales, strict=True))


def _tensor_of(name: str) -> str:
    from aclhost import ops

    return ops.BY_NAME[name].params[0].python_name


def _pair(value: Sizes) -> tuple[int, ...]:
    return (value, value) if isinstance(value, int) else tuple(value)
