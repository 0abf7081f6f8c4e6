# SPDX-License-Identifier: Apache-2.0
"""Pooling and unpooling by torch's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import torch

from aclhost.torch.autograd import apply

Sizes: TypeAlias = int | Sequence[int]
Pooled: TypeAlias = torch.Tensor | tuple[torch.Tensor, torch.Tensor]


def max_pool2d(
    input: torch.Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Pooled:
    """The largest value of each window; with return_indices also its position, as int64."""
    window = _window(2, kernel_size, stride, padding)
    return _maxima(
        "aclnnMaxPool2dWithIndices",
        return_indices,
        self=input,
        **window,
        dilation=_tuple(2, dilation),
        ceil_mode=ceil_mode,
    )


def max_pool3d(
    input: torch.Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Pooled:
    """The largest value of each window; with return_indices also its position, as int64."""
    window = _window(3, kernel_size, stride, padding)
    return _maxima(
        "aclnnMaxPool3dWithArgmax",
        return_indices,
        self=input,
        **window,
        dilation=_tuple(3, dilation),
        ceil_mode=ceil_mode,
    )


def adaptive_max_pool2d(
    input: torch.Tensor, output_size: Sizes, return_indices: bool = False
) -> Pooled:
    """The largest value of each of output_size regions; perhaps its position, as int64."""
    size = _tuple(2, output_size)
    return _maxima("aclnnAdaptiveMaxPool2d", return_indices, self=input, output_size=size)


def adaptive_max_pool3d(
    input: torch.Tensor, output_size: Sizes, return_indices: bool = False
) -> Pooled:
    """The largest value of each of output_size regions; perhaps its position, as int64."""
    size = _tuple(3, output_size)
    return _maxima("aclnnAdaptiveMaxPool3d", return_indices, self=input, output_size=size)


def avg_pool2d(
    input: torch.Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> torch.Tensor:
    """The mean of each window."""
    window = _window(2, kernel_size, stride, padding)
    result: torch.Tensor = apply(
        "aclnnAvgPool2d",
        self=input,
        kernel_size=window["kernel_size"],
        strides=window["stride"],
        paddings=window["padding"],
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
        divisor_override=divisor_override or 0,
        cube_math_type=0,
    )
    return result


def avg_pool3d(
    input: torch.Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> torch.Tensor:
    """The mean of each window."""
    result: torch.Tensor = apply(
        "aclnnAvgPool3d",
        self=input,
        **_window(3, kernel_size, stride, padding),
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
        divisor_override=divisor_override or 0,
    )
    return result


def adaptive_avg_pool2d(input: torch.Tensor, output_size: Sizes) -> torch.Tensor:
    """The mean of each of output_size regions."""
    size = _tuple(2, output_size)
    result: torch.Tensor = apply("aclnnAdaptiveAvgPool2d", self=input, output_size=size)
    return result


def adaptive_avg_pool3d(input: torch.Tensor, output_size: Sizes) -> torch.Tensor:
    """The mean of each of output_size regions."""
    size = _tuple(3, output_size)
    result: torch.Tensor = apply("aclnnAdaptiveAvgPool3d", self=input, output_size=size)
    return result


def max_unpool2d(
    input: torch.Tensor,
    indices: torch.Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> torch.Tensor:
    """Puts each value where its index says into a plane of zeros."""
    size = _unpooled(input, 2, _window(2, kernel_size, stride, padding), output_size)
    result: torch.Tensor = apply(
        "aclnnMaxUnpool2d", self=input, indices=indices.long(), output_size=size
    )
    return result


def max_unpool3d(
    input: torch.Tensor,
    indices: torch.Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> torch.Tensor:
    """Puts each value where its index says into a volume of zeros."""
    window = _window(3, kernel_size, stride, padding)
    result: torch.Tensor = apply(
        "aclnnMaxUnpool3d",
        self=input,
        indices=indices.long(),
        output_size=_unpooled(input, 3, window, output_size),
        stride=window["stride"],
        padding=window["padding"],
    )
    return result


def _maxima(name: str, return_indices: bool, **arguments: Any) -> Pooled:  # noqa: ANN401
    result, indices = apply(name, **arguments)
    return (result, indices.long()) if return_indices else result


def _tuple(count: int, value: Sizes) -> tuple[int, ...]:
    return (value,) * count if isinstance(value, int) else tuple(value)


def _window(
    count: int, kernel_size: Sizes, stride: Sizes | None, padding: Sizes
) -> dict[str, tuple[int, ...]]:
    """Without a stride, windows lie side by side."""
    kernel = _tuple(count, kernel_size)
    steps = _tuple(count, stride) if stride else kernel
    return {"kernel_size": kernel, "stride": steps, "padding": _tuple(count, padding)}


def _unpooled(
    input: torch.Tensor,
    count: int,
    window: dict[str, tuple[int, ...]],
    output_size: Sequence[int] | None,
) -> tuple[int, ...]:
    """What was pooled to the input's size, unless the caller knows better."""
    if output_size is not None:
        return tuple(output_size)[-count:]
    axes = zip(input.shape[-count:], *window.values(), strict=True)
    return tuple((length - 1) * step + kernel - 2 * pad for length, kernel, step, pad in axes)
