# SPDX-License-Identifier: Apache-2.0
"""aclnnAvgPool2d and its gradient."""

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
    at_most_half_of,
    counts,
    have_windows,
    item,
    length,
    lengths_positive,
    rank_is,
    taking,
)
from aclhost.spec.dtypes import FLOAT, HIFLOAT8
from aclhost.spec.formats import NCHW, NCL
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Int, IntArray, Parameter, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    Condition,
    all_positive,
    at_least_values,
    done_when_empty,
    dtype_in,
    format_in,
    inner,
    inside_storage,
    length_in,
    none_negative,
    not_null,
    on_products,
    one_of,
    only_on,
    rank_in,
    requires,
    same_dtype,
    same_rank,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import (
    And,
    AtMost,
    Const,
    DimOf,
    DtypeOf,
    Equal,
    Not,
    Or,
    ProductIn,
    Sum,
    Term,
    Times,
    ValueOf,
    all_of,
    any_of,
)

_SUPPORTED = (A950, A3, A2, P310P, T910)
_FORWARD = ("kernelSize", "strides", "paddings")
_BACKWARD = ("kernelSize", "stride", "padding")
_LABELS = "NCHW for rank 4, NCL for rank 3; arrays from Python carry these labels."
CUBE_NOTE = (
    "cubeMathType decides only which calls are refused; aclhost computes in float whatever it says."
)


def _params(names: Names, *, forward: bool) -> tuple[Parameter, ...]:
    """In the prototype of the forward plain values are const; in the other, stride may be null."""
    kernel, stride, padding = names
    const = "const " if forward else ""
    return (
        IntArray(kernel, "Window along height and width; one value stands for both.", length=2),
        IntArray(
            stride,
            "Distance of windows; none means the kernel's size.",
            length=2,
            default=(),
            optional=not forward,
        ),
        IntArray(padding, "Zeros before and after each axis.", length=2, default=0),
        Flag("ceilMode", CEIL, default=False, is_const=forward),
        Flag("countIncludePad", COUNT, default=True, is_const=forward),
        Int("divisorOverride", DIVISOR, default=0, spelling=f"{const}int64_t"),
        Int("cubeMathType", "How upstream may compute.", 0, bits=8, spelling=f"{const}int8_t"),
    )


def _goes_through_cube(tensor: str, arrays: Names) -> Term:
    """Where Atlas A2 and A3 compute with the matrix unit: upstream's own conditions."""
    kernel, _, padding = arrays
    height, width = (length(tensor, axis, 2) for axis in range(2))
    high, wide = (item(kernel, axis) for axis in range(2))
    is_global = all_of(
        Equal(height, high),
        Equal(width, wide),
        *(Equal(item(padding, axis), Const(0)) for axis in range(2)),
    )
    small_kernel = And(
        all_of(AtMost(high, Const(255)), AtMost(wide, Const(255))),
        Or(
            AtMost(Times(high, wide), Const(255)),
            And(AtMost(high, Const(20)), AtMost(wide, Const(20))),
        ),
    )
    is_square = And(
        AtMost(Sum(width, Const(1)), Times(Const(2), height)),
        AtMost(Sum(height, Const(1)), Times(Const(2), width)),
    )
    regular = all_of(
        is_square,
        small_kernel,
        AtMost(Const(-255), ValueOf("divisorOverride")),
        AtMost(ValueOf("divisorOverride"), Const(255)),
        Not(ValueOf("ceilMode")),
        AtMost(DimOf(tensor, Const(-3)), Const(65535)),
    )
    return any_of(is_global, regular)


_IS_FLOAT = Equal(DtypeOf("self"), Const(FLOAT.value))
_OLD = Condition(
    And(_IS_FLOAT, ProductIn((P310B, P310P, T910))),
    f"self is FLOAT and the product is {P310B}, {P310P} or {T910}",
)
_CUBE = Condition(
    all_of(_IS_FLOAT, ProductIn((A3, A2)), _goes_through_cube("self", _FORWARD)),
    f"self is FLOAT, the product is {A3} or {A2}, and upstream computes with its matrix unit",
)
_COUNTS = counts("self", _FORWARD, ValueOf("ceilMode"), 2)
_POOLED = pooled(_FORWARD, 2)
_FORWARD_CALL = forward_call(_FORWARD, 2, cubeMathType=0)
_BACKWARD_CALL = backward_call(_BACKWARD, 2, "gradInput", cubeMathType=0)
_LISTED = (*FLOATS, only_on(HIFLOAT8, A950))
AVG_POOL2D = Operator(
    "aclnnAvgPool2d",
    summary="Two-dimensional average pooling.",
    formula=(
        "A window starts at `o * strides - paddings` along each axis and takes `kernelSize` "
        "positions, of which those outside self are 0. out is their sum divided by "
        "divisorOverride, or if that is 0, by how many positions the window has: with "
        "countIncludePad all up to the padding's end, else those inside self.\n\n"
        "Length of an axis: `(I + 2 * paddings - kernelSize) / strides + 1`, rounded towards 0; "
        "with ceilMode rounded up, less 1 if the last window would start beyond the input and its "
        "left padding."
    ),
    params=(
        TensorIn("self", "Input: (N,) C, H, W."),
        *_params(_FORWARD, forward=True),
        TensorOut("out", "Means.", shape=_POOLED, dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", *_FORWARD, "out"),
        dtype_in("self", *_LISTED),
        dtype_in("out", *_LISTED),
        same_dtype("out", "self"),
        format_in("self", NCHW, NCL),
        format_in("out", NCHW, NCL),
        when(rank_is("self", 4), format_in("self", NCHW), format_in("out", NCHW)),
        when(rank_is("self", 3), format_in("self", NCL), format_in("out", NCL)),
        all_positive("kernelSize"),
        all_positive("strides"),
        none_negative("paddings"),
        rank_in("self", 3, 4),
        same_rank("out", "self"),
        lengths_positive("self", -3, -2, -1),
        at_least_values("kernelSize", 1),
        length_in("paddings", 1, 2),
        length_in("strides", 0, 1, 2),
        at_most_half_of("paddings", "kernelSize", 2),
        have_windows("self", _COUNTS),
        shape_is("out", _POOLED, "that pooling self gives"),
        one_of("cubeMathType", 0, 1, 2, 3, 4),
        when(_OLD, one_of("cubeMathType", 1, 2)),
        done_when_empty("self", "out"),
        supported_on(*_SUPPORTED),
        inside_storage("self"),
        inner(dtype_in("self", *FLOATS)),
        when(_CUBE, one_of("cubeMathType", 0, 2)),
    ),
    golden=taking(
        "self kernel_size strides paddings ceil_mode count_include_pad divisor_override "
        "cube_math_type",
        golden(2),
    ),
    reference=reference(2),
    summed=("self",),
    ulps=4,
    samples=samples(_FORWARD_CALL, (1, 2, 4, 5)),
    draw=drawn(_FORWARD_CALL, 2),
    typical=typical(_FORWARD_CALL, 2),
    labelled=True,
    formats=_LABELS,
    notes=(
        CUBE_NOTE,
        "Rounding towards 0 finds a window even where the kernel is larger than the input and its "
        "padding, if the stride is large enough; torch refuses such a kernel.",
        HERE,
    ),
)

AVG_POOL2D_BACKWARD = Operator(
    "aclnnAvgPool2dBackward",
    summary="Gradient of two-dimensional average pooling.",
    formula=(
        "gradInput is, at each position, the sum over the windows that hold it of `gradOutput / "
        "divisor`, with the divisor of the forward: divisorOverride, or how many positions the "
        "window has. Sums are taken in float, in ascending order of rows, then of columns."
    ),
    params=(
        TensorIn("gradOutput", "Gradient of the means."),
        TensorIn("self", "Input of the forward; only its shape counts."),
        *_params(_BACKWARD, forward=False),
        TensorOut("gradInput", "Gradient of self.", like="self", dtype=DtypeOf("gradOutput")),
    ),
    checks=(
        not_null("gradOutput", "self", "kernelSize", "padding", "gradInput"),
        dtype_in("gradOutput", *FLOATS),
        dtype_in("self", *FLOATS),
        dtype_in("gradInput", *FLOATS),
        same_dtype("gradInput", "gradOutput"),
        format_in("gradOutput", NCHW, NCL),
        format_in("self", NCHW, NCL),
        format_in("gradInput", NCHW, NCL),
        when(rank_is("gradOutput", 4), format_in("gradOutput", NCHW)),
        when(rank_is("gradOutput", 4), format_in("gradInput", NCHW)),
        rank_in("gradOutput", 3, 4),
        same_rank("gradInput", "gradOutput"),
        length_in("kernelSize", 1, 2),
        all_positive("kernelSize"),
        length_in("stride", 0, 1, 2),
        all_positive("stride"),
        length_in("padding", 1, 2),
        at_most_half_of("padding", "kernelSize", 2),
        one_of("cubeMathType", 0, 1, 2, 3),
        same_shape("gradInput", "self"),
        done_when_empty("gradOutput", "self"),
        supported_on(*_SUPPORTED),
        inside_storage("gradOutput", "self"),
        none_negative("padding"),
        when(
            on_products(P310P, T910),
            requires(
                "at_most",
                "divisorOverride",
                And(
                    AtMost(Const(-255), ValueOf("divisorOverride")),
                    AtMost(ValueOf("divisorOverride"), Const(255)),
                ),
                "divisorOverride must be from -255 to 255",
                (Shown("integer", ValueOf("divisorOverride")),),
                "Pass a smaller divisor.",
            ),
        ),
    ),
    launch_checks=(inner(shape_is("gradOutput", pooled(_BACKWARD, 2), "that pooling self gives")),),
    golden=taking(
        "grad_output self kernel_size stride padding ceil_mode count_include_pad "
        "divisor_override cube_math_type",
        golden_backward(2),
    ),
    reference=reference_backward(2),
    summed=("gradOutput",),
    ulps=4,
    gradient=Gradient(
        "aclnnAvgPool2d",
        results={"gradInput": "self"},
        given={"gradOutput": "out"},
        saved={"stride": "strides", "padding": "paddings"},
    ),
    samples=samples(_BACKWARD_CALL, (1, 2, 4, 5)),
    draw=drawn(_BACKWARD_CALL, 2),
    typical=typical(_BACKWARD_CALL, 2),
    labelled=True,
    formats=_LABELS,
    notes=(CUBE_NOTE, HERE),
)
OPS = (AVG_POOL2D, AVG_POOL2D_BACKWARD)
