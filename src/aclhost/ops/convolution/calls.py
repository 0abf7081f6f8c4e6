# SPDX-License-Identifier: Apache-2.0
"""Calls of convolutions: samples, random ones and typical ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from aclhost.ops.convolution.build import label_of
from aclhost.ops.convolution.goldens import image_lengths, map_lengths
from aclhost.ops.norm.build import masked
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Layer:
    """A convolution: what it takes, and how."""

    input: Shape
    weight: Shape
    stride: Shape
    padding: Shape
    dilation: Shape
    groups: int = 1
    transposed: bool = False
    more: Shape = ()  # output padding
    dtype: DataType = FLOAT

    @property
    def window(self) -> dict[str, Any]:
        """What goldens take."""
        arrays = {"stride": self.stride, "padding": self.padding, "dilation": self.dilation}
        return {**arrays, "groups": self.groups}

    @property
    def channels(self) -> int:
        """Of the output."""
        return self.weight[1] * self.groups if self.transposed else self.weight[0]

    @property
    def output(self) -> Shape:
        """The result's shape."""
        lengths, kernel = self.input[2:], self.weight[2:]
        found = (
            image_lengths(lengths, kernel, self.window, self.more)
            if self.transposed
            else map_lengths(lengths, kernel, self.window)
        )
        return (self.input[0], self.channels, *found)

    def tensor(self, shape: Shape) -> TensorArg:
        """Of the layer's dtype, with the label of its rank."""
        return TensorArg(shape, self.dtype, format=label_of(shape))

    @property
    def arrays(self) -> dict[str, Any]:
        """All but tensors, by upstream's names."""
        more = self.more or (0,) * (len(self.input) - 2)
        return {
            "stride": self.stride, "padding": self.padding, "dilation": self.dilation,
            "transposed": self.transposed, "outputPadding": more, "groups": self.groups,
        }  # fmt: skip


def layer(
    input: Shape, weight: Shape, stride: int = 1, padding: int = 0, dilation: int = 1, *,
    groups: int = 1, transposed: bool = False, more: Shape = (), dtype: DataType = FLOAT,
) -> Layer:  # fmt: skip
    """The same numbers for all axes."""
    steps, edges, gaps = ((each,) * (len(input) - 2) for each in (stride, padding, dilation))
    return Layer(input, weight, steps, edges, gaps, groups, transposed, more, dtype)


def forward_call(of: Layer, *, bias: bool = True) -> Call:
    """A call of aclnnConvolution."""
    return Call({
        "input": of.tensor(of.input),
        "weight": of.tensor(of.weight),
        "bias": of.tensor((of.channels,)) if bias else None,
        **of.arrays,
        "output": of.tensor(of.output),
        "cubeMathType": 1,
    })  # fmt: skip


def backward_call(of: Layer, mask: tuple[bool, ...] = (True, True, True)) -> Call:
    """A call of aclnnConvolutionBackward."""
    outputs = (of.input, of.weight, (of.channels,))
    gradients = masked(mask, *map(of.tensor, outputs))
    return Call({
        "gradOutput": of.tensor(of.output),
        "input": of.tensor(of.input),
        "weight": of.tensor(of.weight),
        "biasSizes": (of.channels,),
        **of.arrays,
        "outputMask": mask,
        "cubeMathType": 1,
        **dict(zip(("gradInput", "gradWeight", "gradBias"), gradients, strict=True)),
    })  # fmt: skip


def drawn_layer(rng: Random) -> Layer:
    """Small, with anything that fits."""
    axes, transposed = rng.randint(1, 3), rng.random() < 0.4
    groups = rng.choice((1, 1, 2, 3))
    kernel, stride, dilation = (
        tuple(rng.randint(1, most) for _ in range(axes)) for most in (3, 3, 2)
    )
    reaches = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    padding = tuple(rng.randint(0, (reach - 1) // 2) for reach in reaches)
    more = tuple(rng.randint(0, step - 1) for step in stride) if transposed else ()
    lengths = tuple(rng.randint(1, 4) + (0 if transposed else reach) for reach in reaches)
    inner, outer = rng.choice((1, 1, 2, 5)), rng.choice((1, 1, 2, 5))
    channels = outer * groups if transposed else inner * groups
    dtype = rng.choice((FLOAT, FLOAT16, BF16))
    return Layer(
        (rng.randint(1, 3), channels, *lengths), (outer * groups, inner, *kernel), stride, padding,
        dilation, groups, transposed, more, dtype,
    )  # fmt: skip


def draw_forward(rng: Random) -> Call:
    """With a bias or without."""
    of = drawn_layer(rng)
    if not of.transposed and len(of.stride) < 3 and rng.random() < 0.3:
        sides = tuple(side for each in of.padding for side in (each, rng.randint(0, 2)))
        of = replace(of, padding=sides)
    return forward_call(of, bias=rng.random() < 0.6)


def draw_backward(rng: Random) -> Call:
    """Some of the gradients."""
    mask = rng.choice(((True, True, True), (True, False, True), (False, True, False)))
    return backward_call(drawn_layer(rng), mask)


def typical_layer(n: int) -> Layer:
    """Three by three pixels, 64 channels."""
    side = max(round((n / 64) ** 0.5), 1)
    return layer((1, 64, side, side), (64, 64, 3, 3), padding=1)


LAYERS = (
    layer((2, 4, 5), (6, 2, 3), padding=1, groups=2),
    layer((1, 2, 4, 5), (3, 2, 3, 2), stride=2, padding=1, dtype=FLOAT16),
    layer((1, 2, 4, 5), (6, 1, 3, 3), padding=1, groups=2),
    layer((1, 2, 3, 4, 4), (2, 2, 2, 3, 3), padding=1, dtype=BF16),
    layer((1, 4, 3), (4, 3, 2), stride=2, groups=2, transposed=True, more=(1,)),
    layer((1, 2, 3, 2), (2, 3, 3, 3), stride=2, padding=1, transposed=True, more=(1, 0)),
    layer((1, 2, 2, 3, 2), (2, 3, 2, 2, 2), stride=2, transposed=True, more=(0, 1, 0)),
)
