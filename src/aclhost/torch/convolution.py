# SPDX-License-Identifier: Apache-2.0
"""Convolutions by torch's names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch

from aclhost.torch.autograd import apply
from aclhost.torch.padding import pad

Sizes: TypeAlias = int | Sequence[int]
Convolution: TypeAlias = Callable[..., torch.Tensor]


def _values(axes: int, value: Sizes) -> tuple[int, ...]:
    return (value,) * axes if isinstance(value, int) else tuple(value)


def _padded(
    input: torch.Tensor, weight: torch.Tensor, padding: str | Sizes, dilation: Sizes
) -> tuple[torch.Tensor, Sizes]:
    """Input and padding; `same` keeps lengths, with one zero more behind where it must."""
    if not isinstance(padding, str):
        return input, padding
    if padding not in ("valid", "same"):
        raise ValueError(f'padding must be "valid", "same" or numbers, got "{padding}"')
    if padding == "valid":
        return input, 0
    kernel = weight.shape[2:]
    reaches = zip(kernel, _values(len(kernel), dilation), strict=True)
    totals = [step * (length - 1) for length, step in reaches]
    behind = [side for total in reversed(totals) for side in (0, total % 2)]
    return pad(input, behind) if any(behind) else input, [total // 2 for total in totals]


def _convolve(
    axes: int, input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None,
    stride: Sizes, padding: Sizes, dilation: Sizes, groups: int, more: Sizes | None = None,
) -> torch.Tensor:  # fmt: skip
    """Without a batch there is one image."""
    alone = input.dim() == axes + 1
    result: torch.Tensor = apply(
        "aclnnConvolution",
        input=input.unsqueeze(0) if alone else input,
        weight=weight,
        bias=bias,
        stride=_values(axes, stride),
        padding=_values(axes, padding),
        dilation=_values(axes, dilation),
        transposed=more is not None,
        output_padding=_values(axes, more or 0),
        groups=groups,
        cube_math_type=1,
    )
    return result.squeeze(0) if alone else result


def _plain(axes: int) -> Convolution:
    def function(
        input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None,
        stride: Sizes = 1, padding: str | Sizes = 0, dilation: Sizes = 1, groups: int = 1,
    ) -> torch.Tensor:  # fmt: skip
        image, edges = _padded(input, weight, padding, dilation)
        return _convolve(axes, image, weight, bias, stride, edges, dilation, groups)

    return _named(function, f"conv{axes}d", "Each output sums what lies under the kernel")


def _transposed(axes: int) -> Convolution:
    def function(
        input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None,
        stride: Sizes = 1, padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1,
        dilation: Sizes = 1,
    ) -> torch.Tensor:  # fmt: skip
        return _convolve(
            axes, input, weight, bias, stride, padding, dilation, groups, output_padding
        )

    return _named(function, f"conv_transpose{axes}d", "Each input spreads over the kernel")


def _named(function: Convolution, name: str, what: str) -> Convolution:
    function.__name__ = function.__qualname__ = name
    axes = "one axis" if "1d" in name else f"{'two' if '2d' in name else 'three'} axes"
    function.__doc__ = f"{what}, along {axes}."
    return function


conv1d, conv2d, conv3d = (_plain(axes) for axes in (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = (_transposed(axes) for axes in (1, 2, 3))
