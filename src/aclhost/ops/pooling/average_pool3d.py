# SPDX-License-Identifier: Apache-2.0
"""aclnnAvgPool3d and its gradient."""

from __future__ import annotations

from aclhost.ops.pooling.average import (
    Names,
    backward_call,
    drawn,
    forward_call,
    golden,
    golden_backward,
    pooled,
    reference,
    reference_backward,
    samples,
    typical,
)
from aclhost.ops.pooling.windows import (
    CEIL,
    COUNT,
    DIVISOR,
    FLOATS,
    HERE,
    NEW,
    at_most_half_of,
    counts,
    floats_on,
    have_windows,
    item,
    length,
    taking,
)
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Int, IntArray, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P
from aclhost.spec.rules import (
    all_positive,
    done_when_empty,
    dtype_in,
    inner,
    inside_storage,
    length_in,
    none_negative,
    not_null,
    not_private,
    rank_in,
    requires,
    same_dtype,
    same_format,
    same_rank,
    same_shape,
    shape_is,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import AtMost, DtypeOf, ValueOf, all_of

_ARRAYS: Names = ("kernelSize", "stride", "padding")
_SHAPE = (1, 2, 4, 5, 3)
_PARAMS = (
    IntArray("kernelSize", "Window along depth, height and width; one value stands for three."),
    IntArray("stride", "Distance of windows; none means the kernel's size.", default=()),
    IntArray("padding", "Zeros before and after each axis.", default=0),
    Flag("ceilMode", CEIL, default=False),
    Flag("countIncludePad", COUNT, default=True),
    Int("divisorOverride", DIVISOR, default=0),
)
_LENGTHS = (
    length_in("kernelSize", 1, 3),
    length_in("padding", 1, 3),
    length_in("stride", 0, 1, 3),
)
_POOLED = pooled(_ARRAYS, 3)
_COUNTS = counts("self", _ARRAYS, ValueOf("ceilMode"), 3)
_FORWARD_CALL = forward_call(_ARRAYS, 3)
_BACKWARD_CALL = backward_call(_ARRAYS, 3, "output")
_LABELS = "Any public label, the same on both sides; data are read as (N,) C, D, H, W."

OPS = (
    Operator(
        "aclnnAvgPool3d",
        summary="Three-dimensional average pooling.",
        formula=(
            "As aclnnAvgPool2d with one axis more: out is the sum of a window divided by "
            "divisorOverride, or if that is 0, by how many positions the window has: with "
            "countIncludePad all up to the padding's end, else those inside self."
        ),
        params=(
            TensorIn("self", "Input: (N,) C, D, H, W."),
            *_PARAMS,
            TensorOut("out", "Means.", shape=_POOLED, dtype=DtypeOf("self")),
        ),
        checks=(
            not_null("self", *_ARRAYS, "out"),
            dtype_in("self", *FLOATS),
            same_dtype("out", "self"),
            same_format("out", "self"),
            not_private("self"),
            rank_in("self", 4, 5),
            same_rank("out", "self"),
            *_LENGTHS,
            all_positive("kernelSize"),
            requires(
                "kernel_fits",
                "kernelSize",
                all_of(*(AtMost(item("kernelSize", i), length("self", i, 3)) for i in range(3))),
                "kernelSize must not exceed self's depth, height and width",
                (Shown("array", "kernelSize"), " for ", Shown("shape", ShapeOf("self"))),
                "Reduce kernelSize.",
            ),
            all_positive("stride"),
            none_negative("padding"),
            at_most_half_of("padding", "kernelSize", 3),
            shape_is("out", _POOLED, "that pooling self gives"),
            done_when_empty("self", "out"),
            supported_on(A950, A3, A2, P310P),
            inside_storage("self"),
        ),
        golden=taking(
            "self kernel_size stride padding ceil_mode count_include_pad divisor_override",
            golden(3),
        ),
        reference=reference(3),
        summed=("self",),
        ulps=4,
        samples=samples(_FORWARD_CALL, _SHAPE),
        draw=drawn(_FORWARD_CALL, 3),
        typical=typical(_FORWARD_CALL, 3),
        formats=_LABELS,
        notes=(HERE,),
    ),
    Operator(
        "aclnnAvgPool3dBackward",
        summary="Gradient of three-dimensional average pooling.",
        formula=(
            "output is, at each position, the sum over the windows that hold it of `gradOutput / "
            "divisor`, with the divisor of the forward. Sums are taken in float, in ascending "
            "order of planes and rows, then of columns."
        ),
        params=(
            TensorIn("gradOutput", "Gradient of the means."),
            TensorIn("self", "Input of the forward; only its shape counts."),
            *_PARAMS,
            TensorOut("output", "Gradient of self.", like="self", dtype=DtypeOf("gradOutput")),
        ),
        checks=(
            not_null("gradOutput", "self", *_ARRAYS, "output"),
            dtype_in("gradOutput", *floats_on(*NEW)),
            dtype_in("self", *floats_on(*NEW)),
            dtype_in("output", *floats_on(*NEW)),
            rank_in("gradOutput", 4, 5),
            same_rank("self", "gradOutput"),
            same_rank("output", "self"),
            same_shape("output", "self"),
            *_LENGTHS,
            same_format("output", "gradOutput"),
            not_private("gradOutput"),
            done_when_empty("gradOutput"),
            inside_storage("gradOutput", "self"),
            all_positive("kernelSize"),
            all_positive("stride"),
            at_most_half_of("padding", "kernelSize", 3),
            none_negative("padding"),
            have_windows("self", _COUNTS, 0),
            shape_is("gradOutput", _POOLED, "that pooling self gives"),
            inner(same_dtype("output", "gradOutput")),
        ),
        golden=taking(
            "grad_output self kernel_size stride padding ceil_mode count_include_pad "
            "divisor_override",
            golden_backward(3),
        ),
        reference=reference_backward(3),
        summed=("gradOutput",),
        ulps=4,
        gradient=Gradient(
            "aclnnAvgPool3d", results={"output": "self"}, given={"gradOutput": "out"}
        ),
        samples=samples(_BACKWARD_CALL, _SHAPE),
        draw=drawn(_BACKWARD_CALL, 3),
        typical=typical(_BACKWARD_CALL, 3),
        formats=_LABELS,
        notes=(HERE, "Where gradOutput is empty, output is not written."),
    ),
)
