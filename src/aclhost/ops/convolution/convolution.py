# SPDX-License-Identifier: Apache-2.0
"""aclnnConvolution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aclhost.ops.convolution.build import CUBE, NOTES, array
from aclhost.ops.convolution.calls import LAYERS, draw_forward, forward_call, layer, typical_layer
from aclhost.ops.convolution.forward_checks import OUT, rules
from aclhost.ops.convolution.goldens import (
    convolved,
    image_lengths,
    map_lengths,
    spread,
    torch_convolution,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Int, TensorIn, TensorOut
from aclhost.spec.products import A950
from aclhost.spec.terms import promoted

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any


def _golden(
    input: Array, weight: Array, bias: Array | None, stride: Ints, padding: Ints, dilation: Ints,
    transposed: bool, output_padding: Ints, groups: int, cube_math_type: int,
) -> Array:  # fmt: skip
    window = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    lengths, kernel = input.shape[2:], weight.shape[2:]
    if transposed:
        longer = image_lengths(lengths, kernel, window, output_padding)
        found = spread(input, weight, longer, window)
    else:
        found = convolved(input, weight, map_lengths(lengths, kernel, window), window)
    return found if bias is None else found + bias.reshape(-1, *[1] * len(kernel))


def _torch(
    torch: Torch, input: Torch, weight: Torch, bias: Torch, transposed: bool, output_padding: Ints,
    cube_math_type: int, **window: Torch,
) -> Torch:  # fmt: skip
    more = output_padding if transposed else None
    return torch_convolution(torch, input, weight, bias, window, more)


OP = Operator(
    "aclnnConvolution",
    summary="Convolution along one to three axes, also transposed.",
    formula=(
        "`output[n, m, p] = bias[m] + sum over c and k of input[n, c, p * stride - padding + "
        "k * dilation] * weight[m, c, k]`, where p and k have a value for each axis, input is 0 "
        "outside its lengths, and channels only meet those of their group. Length of an axis: "
        "`(I + padding before and after - dilation * (K - 1) - 1) / stride + 1`.\n\n"
        "Transposed: every input[n, c, p] adds its product with weight[c, m, k] to "
        "output[n, m, p * stride - padding + k * dilation]. Length of an axis: `(I - 1) * stride - "
        "padding before and after + dilation * (K - 1) + outputPadding + 1`."
    ),
    params=(
        TensorIn("input", "N, channels and one to three axes."),
        TensorIn("weight", "Channels of output, those of input by groups, and the kernel; if "
                           "transposed, channels of input, then those of output by groups."),
        TensorIn("bias", "One value for each channel of output.", optional=True),
        array("stride", "Distance of windows", 1),
        array("padding", "Zeros at both ends of each axis, or at its start and its end", 0),
        array("dilation", "Distance of the kernel's elements", 1),
        Flag("transposed", "Whether input is spread instead of gathered.", default=False),
        array("outputPadding", "Added length of transposed results", 0, optional=True),
        Int("groups", "Groups of channels that do not meet others.", default=1),
        TensorOut("output", "N, channels and axes.", shape=OUT, dtype=promoted("input", "weight")),
        CUBE,
    ),
    checks=rules(),
    samples=(
        *(forward_call(each) for each in LAYERS),
        forward_call(LAYERS[1], bias=False).passing(padding=(1, 0, 0, 1),
                                                    output=LAYERS[1].tensor((1, 3, 2, 3))),
        forward_call(layer((1, 0, 4), (2, 0, 5), padding=0), bias=False).passing(
            output=LAYERS[0].tensor((1, 2, 0))),
        forward_call(layer((0, 2, 4), (2, 3, 2), transposed=True, more=(0,)), bias=False),
        forward_call(layer((1, 2, 4), (2, 0, 2), transposed=True, more=(0,)), bias=False).on(A950),
    ),
    golden=_golden,
    reference=_torch,
    summed=("input", "weight", "bias"),
    ulps=4,
    draw=draw_forward,
    typical=lambda n: forward_call(typical_layer(n)),
    labelled=True,
    formats="NCL, NCHW or NCDHW by the number of axes; bias also ND.",
    notes=(
        *NOTES,
        "FRACTAL_Z weights of two axes and NDHWC tensors, which upstream's code lets through on "
        "some products, are refused as its document has it.",
        "Negative paddings, which the document forbids and nobody checks, cut the input.",
        "What lies in the padding counts as 0 times an element of the kernel: NaN where that is "
        "infinite.",
    ),
)  # fmt: skip
