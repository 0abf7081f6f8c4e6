# SPDX-License-Identifier: Apache-2.0
"""aclnnIm2colBackward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aclhost.ops.image.im2col import (
    ARRAYS,
    EVERYWHERE,
    KERNEL,
    ON,
    SAMPLES,
    WINDOW,
    draw,
    item,
    typical,
    window_values,
    windows,
)
from aclhost.spec.call import Call
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import IntArray, TensorIn, TensorOut
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    format_fits_rank,
    inside_storage,
    length_in,
    not_null,
    only_on,
    rank_in,
    requires,
    shape_is,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, ShapeIf, ShapeOf
from aclhost.spec.terms import Const, DimOf, Divided, DtypeOf, Equal, In, RankOf, Sum, Times

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_CHANNELS = Divided(DimOf("gradOutput", Const(-2)), KERNEL)
_SIZES = (item("inputSize", 0), item("inputSize", 1))
_IMAGE = ShapeIf(
    In(RankOf("gradOutput"), (3,)),
    Lengths((DimOf("gradOutput", Const(0)), _CHANNELS, *_SIZES)),
    Lengths((_CHANNELS, *_SIZES)),
)

_SHAPE = (Shown("shape", ShapeOf("gradOutput")),)


def _col2im(
    grad_output: Array,
    input_size: Ints,
    kernel_size: Ints,
    dilation: Ints,
    padding: Ints,
    stride: Ints,
) -> Array:
    """Every element of the kernel adds its part of the columns to a padded image."""
    import numpy as np

    reach = [(k - 1) * d + 1 for k, d in zip(kernel_size, dilation, strict=True)]
    padded = [size + 2 * edge for size, edge in zip(input_size, padding, strict=True)]
    counts = [(p - r) // s + 1 for p, r, s in zip(padded, reach, stride, strict=True)]
    parts = grad_output.reshape(*grad_output.shape[:-2], -1, *kernel_size, *counts)
    image = np.zeros((*parts.shape[:-4], *padded))
    for i in range(kernel_size[0]):
        for k in range(kernel_size[1]):
            top, left = i * dilation[0], k * dilation[1]
            rows = slice(top, top + (counts[0] - 1) * stride[0] + 1, stride[0])
            columns = slice(left, left + (counts[1] - 1) * stride[1] + 1, stride[1])
            image[..., rows, columns] += parts[..., i, k, :, :]
    return image[
        ..., padding[0] : padding[0] + input_size[0], padding[1] : padding[1] + input_size[1]
    ]


def _fold(torch: Any, grad_output: Any, input_size: Any, **window: Any) -> Any:  # noqa: ANN401
    return torch.nn.functional.fold(grad_output, input_size, **window)


def _backward_call(forward: Call) -> Call:
    self, gradient = forward.tensor("self"), forward.tensor("out")
    arrays = {name: forward.arguments[name] for name in ARRAYS}
    return Call(
        {"gradOutput": gradient, "inputSize": self.shape[-2:], **arrays, "out": self},
        forward.product,
    )


OP = Operator(
    "aclnnIm2colBackward",
    summary="Adds columns up to the image whose windows they are.",
    formula=(
        "Every element of out is the sum of gradOutput over all windows that hold it, by the "
        "elements of the kernel in their order. Sums are taken in float and rounded once to the "
        "dtype of gradOutput, then cast to that of out."
    ),
    params=(
        TensorIn("gradOutput", "(N,) C * kernel, windows."),
        IntArray("inputSize", "Height and width of out.", length=2),
        *WINDOW,
        TensorOut("out", "Gradient of the image.", shape=_IMAGE, dtype=DtypeOf("gradOutput")),
    ),
    checks=(
        not_null("gradOutput", "inputSize", *ARRAYS, "out"),
        dtype_in("gradOutput", FLOAT, FLOAT16, only_on(BF16, *ON)),
        dtype_in("out", FLOAT, FLOAT16, only_on(BF16, *ON)),
        rank_in("gradOutput", 2, 3),
        requires(
            "one_more_dimension",
            "out",
            Equal(RankOf("out"), Sum(RankOf("gradOutput"), Const(1))),
            "out must have one dimension more than gradOutput",
            (
                "rank ",
                Shown("integer", RankOf("out")),
                " and rank ",
                Shown("integer", RankOf("gradOutput")),
            ),
            "Create out with C, H, W and the batch of gradOutput, if it has one.",
        ),
        *(length_in(name, 2) for name in ("inputSize", *ARRAYS)),
        window_values(),
        requires(
            "whole_channels",
            "gradOutput",
            Equal(Times(_CHANNELS, KERNEL), DimOf("gradOutput", Const(-2))),
            "the last dimension but one of gradOutput must be a multiple of the kernel's size",
            (
                Shown("shape", ShapeOf("gradOutput")),
                " with kernelSize ",
                Shown("array", "kernelSize"),
            ),
            "Pass the kernelSize of the forward.",
        ),
        requires(
            "windows",
            "gradOutput",
            Equal(
                DimOf("gradOutput", Const(-1)),
                Times(*(windows(_SIZES[axis], axis) for axis in (0, 1))),
            ),
            "the last dimension of gradOutput must be the number of windows",
            (
                Shown("shape", ShapeOf("gradOutput")),
                " with inputSize ",
                Shown("array", "inputSize"),
            ),
            "Pass the arrays of the forward.",
        ),
        shape_is("out", _IMAGE, "of channels and inputSize"),
        done_when_empty("gradOutput"),
        supported_on(*ON),
        inside_storage("gradOutput"),
        format_fits_rank("out"),
    ),
    samples=(
        *(_backward_call(each) for each in SAMPLES),
        _backward_call(SAMPLES[1]).retyped(FLOAT, "out"),
    ),
    golden=_col2im,
    reference=_fold,
    summed=("gradOutput",),
    gradient=Gradient(
        forward="aclnnIm2col",
        results={"out": "self"},
        given={"gradOutput": "out"},
        derived={"inputSize": lambda forward: tuple(forward["self"].shape[-2:])},
    ),
    draw=lambda rng: _backward_call(draw(rng, EVERYWHERE)),
    typical=lambda n: _backward_call(typical(n)),
    formats="Any label of the right rank on out; gradOutput's is ignored.",
)
