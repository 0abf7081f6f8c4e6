# SPDX-License-Identifier: Apache-2.0
"""aclnnConvolutionBackward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aclhost.ops.convolution.backward_checks import INPUTS, rules
from aclhost.ops.convolution.build import CUBE, NOTES, ONE, array
from aclhost.ops.convolution.calls import LAYERS, backward_call, draw_backward, layer, typical_layer
from aclhost.ops.convolution.goldens import convolved, pairs, spread, weighed
from aclhost.ops.norm.build import mask_param, only_wanted
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Int, IntArray, TensorIn, TensorOut
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import DimOf, DtypeOf, FlagAt

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any


def _golden(
    grad_output: Array, input: Array, weight: Array, bias_sizes: Ints | None, stride: Ints,
    padding: Ints, dilation: Ints, transposed: bool, output_padding: Ints, groups: int,
    output_mask: tuple[bool, ...], cube_math_type: int,
) -> tuple[Array | None, ...]:  # fmt: skip
    window = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    image, map = (grad_output, input) if transposed else (input, grad_output)
    sums = convolved if transposed else spread
    return only_wanted(
        output_mask,
        sums(grad_output, weight, input.shape[2:], window),
        weighed(image, map, weight, window),
        grad_output.sum(axis=(0, *range(2, input.ndim))),
    )


def _torch(
    torch: Torch, grad_output: Torch, input: Torch, weight: Torch, bias_sizes: Ints, stride: Ints,
    padding: Ints, dilation: Ints, transposed: bool, output_padding: Ints, groups: int,
    output_mask: tuple[bool, ...], cube_math_type: int,
) -> Torch:  # fmt: skip
    sides = pairs(padding, input.dim() - 2)
    finite = all(bool(each.isfinite().all()) for each in (grad_output, input, weight))
    if not finite or any(before != after for before, after in sides):
        return NotImplemented  # what lies outside counts as 0 here and not at all in torch
    found = torch.ops.aten.convolution_backward(
        grad_output, input, weight, bias_sizes, stride, [before for before, _ in sides], dilation,
        transposed, output_padding, groups, [*output_mask],
    )  # fmt: skip
    return tuple(each for each, flag in zip(found, output_mask, strict=True) if flag)


def _gradient(name: str, doc: str, place: int, like: str) -> TensorOut:
    return TensorOut(name, doc, like=like, optional=True, made_if=FlagAt("outputMask", place))


_NO_BATCH = layer((0, 2, 4), (2, 2, 3))
OP = Operator(
    "aclnnConvolutionBackward",
    summary="Gradients of aclnnConvolution: of input, weight and bias.",
    formula=(
        "gradInput is the transposed convolution of gradOutput with weight, or if transposed the "
        "plain one. gradWeight at each element of the kernel is the sum over batch and windows of "
        "gradOutput times what the element met. gradBias is the sum of gradOutput over all "
        "dimensions but the second."
    ),
    params=(
        TensorIn("gradOutput", "Gradient of the forward's output."),
        TensorIn("input", "Input of the forward."),
        TensorIn("weight", "Weight of the forward."),
        IntArray("biasSizes", "Shape of the forward's bias; looked at where input or weight is "
                              "empty.", length=1, default=(), optional=True),
        array("stride", "Distance of windows", 1),
        array("padding", "Zeros at both ends of each axis, or at its start and its end", 0),
        array("dilation", "Distance of the kernel's elements", 1),
        Flag("transposed", "Whether the forward was transposed.", default=False),
        array("outputPadding", "Added length of transposed results", 0),
        Int("groups", "Groups of channels that do not meet others.", default=1, bits=32),
        mask_param(),
        CUBE,
        _gradient("gradInput", "Gradient of input.", 0, "input"),
        _gradient("gradWeight", "Gradient of weight.", 1, "weight"),
        TensorOut("gradBias", "Gradient of the bias.",
                  shape=Lengths((DimOf("gradOutput", ONE),)), dtype=DtypeOf("gradOutput"),
                  optional=True, made_if=FlagAt("outputMask", 2)),
    ),
    checks=rules(),
    samples=(
        *(backward_call(each) for each in LAYERS),
        backward_call(LAYERS[1], (True, False, True)),
        backward_call(LAYERS[0], (False, True, False)).passing(biasSizes=None),
        backward_call(_NO_BATCH),
        backward_call(layer((0, 2, 4), (2, 2, 3), transposed=True, more=(0,))),
    ),
    golden=_golden,
    reference=_torch,
    summed=INPUTS,
    ulps=4,
    gradient=Gradient(
        forward="aclnnConvolution",
        results={"gradInput": "input", "gradWeight": "weight", "gradBias": "bias"},
        given={"gradOutput": "output"},
        derived={
            "biasSizes": lambda known: (known["output"].shape[1],),
            "outputMask": lambda known: (True, True, known["bias"] is not None),
        },
    ),
    draw=draw_backward,
    typical=lambda n: backward_call(typical_layer(n)),
    labelled=True,
    formats="NCL or ND, NCHW or NCDHW by the number of axes; gradBias ND.",
    notes=(
        *NOTES,
        "8-bit floats, which upstream's code takes on Ascend 950 but its document does not list, "
        "are refused.",
        "Where input or weight is empty, gradWeight and gradBias become 0 and gradInput is not "
        "written.",
        "Along one or two axes only upstream's kernels compare lengths, groups and batches: "
        "561103 here.",
    ),
)  # fmt: skip
