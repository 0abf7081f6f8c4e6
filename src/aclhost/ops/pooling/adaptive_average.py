# SPDX-License-Identifier: Apache-2.0
"""aclnnAdaptiveAvgPool2d, aclnnAdaptiveAvgPool3d and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from aclhost.ops.pooling.adaptive import FORMULA, Sizes, drawn, samples, typical
from aclhost.ops.pooling.windows import (
    FLOATS,
    HERE,
    NEW,
    except_on,
    labelled,
    lengths_positive,
    resized,
    same_lengths_before,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, DataType
from aclhost.spec.formats import NCDHW, NCHW, NCL, ND
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import IntArray, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    all_positive,
    cast_exists,
    dims_positive,
    done_when_empty,
    dtype_in,
    format_in,
    inner,
    inside_storage,
    length_in,
    none_negative,
    not_null,
    not_private,
    on_products,
    rank_in,
    requires,
    same_dtype,
    same_format,
    same_rank,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Rule, Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import (
    And,
    Const,
    DimOf,
    DtypeOf,
    Equal,
    FormatFitsRank,
    FormatOf,
    Not,
    Or,
    ProductIn,
    RankOf,
    all_of,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_BACKWARD_FORMULA = (
    f"{FORMULA}\n\nout is, at each position, the sum over the windows that hold it of gradOutput "
    "divided by the window's number of positions."
)
_NOT_WRITTEN = "Where gradOutput or self is empty, out is not written."


def _golden(spatial: int) -> Callable[..., Array]:
    def forward(self: Array, output_size: Ints) -> Array:
        from aclhost.reference.window_slices import adaptive, average

        return average(self, adaptive(self.shape[-spatial:], output_size))

    return forward


def _golden_backward(spatial: int) -> Callable[..., Array]:
    def backward(grad_output: Array, self: Array) -> Array:
        from aclhost.reference.window_slices import adaptive, spread

        axes = adaptive(self.shape[-spatial:], grad_output.shape[-spatial:])
        return spread(grad_output, self.shape, axes)

    return backward


def _reference(spatial: int) -> Callable[..., Any]:
    return lambda torch, self, output_size: getattr(
        torch.nn.functional, f"adaptive_avg_pool{spatial}d"
    )(self, output_size)


def _reference_backward(spatial: int) -> Callable[..., Any]:
    def backward(torch: Any, grad_output: Any, self: Any) -> Any:  # noqa: ANN401
        leaf = self.clone().requires_grad_(True)
        out = _reference(spatial)(torch, leaf, tuple(grad_output.shape[-spatial:]))
        return torch.autograd.grad(out, leaf, grad_output)[0]

    return backward


def tensor(shape: tuple[int, ...], dtype: DataType, spatial: int) -> TensorArg:
    """Images are labelled."""
    return labelled(shape, dtype) if spatial == 2 else TensorArg(shape, dtype)


def _forward_call(dtype: DataType, lead: tuple[int, ...], sizes: Sizes) -> Call:
    lengths, pooled = sizes
    spatial = len(lengths)
    return Call(
        {
            "self": tensor((*lead, *lengths), dtype, spatial),
            "outputSize": pooled,
            "out": tensor((*lead, *pooled), dtype, spatial),
        }
    )


def _backward_call(dtype: DataType, lead: tuple[int, ...], sizes: Sizes) -> Call:
    lengths, pooled = sizes
    return Call(
        {
            "gradOutput": TensorArg((*lead, *pooled), dtype),
            "self": TensorArg((*lead, *lengths), dtype),
            "out": TensorArg((*lead, *lengths), dtype),
        }
    )


def _all_one(spatial: int) -> Condition:
    ones = (Equal(DimOf("gradOutput", Const(-1 - axis)), Const(1)) for axis in range(spatial))
    return Condition(all_of(*ones), "gradOutput has one window")


def _otherwise(condition: Condition, english: str) -> Condition:
    return Condition(Not(condition.term), english)


def _label_fits(parameter: str) -> tuple[Rule, ...]:
    return requires(
        "format_fits_rank",
        parameter,
        FormatFitsRank(parameter),
        f"{parameter} must have the rank that its format implies",
        (Shown("format", FormatOf(parameter)), " with shape ", Shown("shape", ShapeOf(parameter))),
        "Label images NCHW, and those without a batch NCL.",
    )


_IMAGES = (A950, A3, A2, P310P, T910)
_FORWARD_2D = Operator(
    "aclnnAdaptiveAvgPool2d",
    summary="Two-dimensional average pooling to a given size.",
    formula=f"{FORMULA}\n\nout is the mean of each window.",
    params=(
        TensorIn("self", "Input: (N,) C, H, W."),
        IntArray("outputSize", "Height and width of out.", length=2),
        TensorOut("out", "Means.", shape=resized("self", "outputSize", 2), dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "outputSize", "out"),
        rank_in("self", 3, 4),
        same_rank("out", "self"),
        same_lengths_before("out", "self", 2),
        when(on_products(A950), lengths_positive("self", -2, -1)),
        dtype_in("self", *FLOATS),
        dtype_in("out", *FLOATS),
        same_dtype("out", "self"),
        same_format("out", "self"),
        not_private("self"),
        format_in("self", NCHW, NCL),
        _label_fits("self"),
        length_in("outputSize", 2),
        when(on_products(A950), none_negative("outputSize")),
        when(except_on(A950), all_positive("outputSize")),
        shape_is("out", resized("self", "outputSize", 2), "of self with outputSize at the end"),
        done_when_empty("self", "out"),
        supported_on(*_IMAGES),
        inside_storage("self"),
    ),
    golden=_golden(2),
    reference=_reference(2),
    summed=("self",),
    ulps=4,
    samples=samples(_forward_call, 2),
    draw=drawn(_forward_call, 2),
    typical=typical(_forward_call, 2),
    labelled=True,
    formats="NCHW for rank 4, NCL for rank 3; arrays from Python carry these labels.",
    notes=(HERE, "Where self is empty, out is not written."),
)

_IS_ONE_2D = _all_one(2)
_BACKWARD_2D = Operator(
    "aclnnAdaptiveAvgPool2dBackward",
    summary="Gradient of two-dimensional average pooling to a given size.",
    formula=_BACKWARD_FORMULA,
    params=(
        TensorIn("gradOutput", "Gradient of the means."),
        TensorIn("self", "Input of the forward; only its shape counts."),
        TensorOut("out", "Gradient of self.", like="self"),
    ),
    checks=(
        not_null("gradOutput", "self", "out"),
        same_rank("gradOutput", "self"),
        rank_in("out", 3, 4),
        same_rank("out", "self"),
        same_lengths_before("out", "self", 2),
        same_lengths_before("gradOutput", "self", 2),
        dtype_in("gradOutput", *FLOATS),
        dtype_in("self", *FLOATS),
        same_dtype("gradOutput", "self"),
        same_format("gradOutput", "self"),
        not_private("gradOutput"),
        done_when_empty("self", "gradOutput"),
        supported_on(*_IMAGES),
        inside_storage("gradOutput", "self"),
        inner(same_shape("out", "self")),
        when(_IS_ONE_2D, cast_exists("out", DtypeOf("gradOutput"))),
        when(
            _otherwise(_IS_ONE_2D, "gradOutput has several windows"),
            inner(same_dtype("out", "gradOutput")),
        ),
    ),
    golden=_golden_backward(2),
    reference=_reference_backward(2),
    summed=("gradOutput",),
    ulps=4,
    gradient=Gradient(
        "aclnnAdaptiveAvgPool2d", results={"out": "self"}, given={"gradOutput": "out"}
    ),
    samples=samples(_backward_call, 2),
    draw=drawn(_backward_call, 2),
    typical=typical(_backward_call, 2),
    formats="Any public label, the same on gradOutput and self.",
    notes=(
        HERE,
        _NOT_WRITTEN,
        "With a single window upstream casts the gradient to out's dtype, whichever that is.",
    ),
)

_FORWARD_3D = Operator(
    "aclnnAdaptiveAvgPool3d",
    summary="Three-dimensional average pooling to a given size.",
    formula=f"{FORMULA}\n\nout is the mean of each window.",
    params=(
        TensorIn("self", "Input: (N,) C, D, H, W."),
        IntArray("outputSize", "Depth, height and width of out."),
        TensorOut("out", "Means.", shape=resized("self", "outputSize", 3), dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "outputSize", "out"),
        rank_in("self", 4, 5),
        same_rank("out", "self"),
        when(on_products(A950), dims_positive("self", 1)),
        when(except_on(A950), dims_positive("self", 0)),
        same_lengths_before("out", "self", 3),
        lengths_positive("out", -3, -2, -1),
        dtype_in("self", *FLOATS),
        dtype_in("out", *FLOATS),
        same_dtype("out", "self"),
        same_format("out", "self"),
        when(on_products(A950), format_in("self", NCDHW, NCHW, ND)),
        when(except_on(A950), not_private("self")),
        length_in("outputSize", 3),
        shape_is("out", resized("self", "outputSize", 3), "of self with outputSize at the end"),
        done_when_empty("self"),
        supported_on(A950, A3, A2, P310P),
        inside_storage("self"),
    ),
    golden=_golden(3),
    reference=_reference(3),
    summed=("self",),
    ulps=4,
    samples=samples(_forward_call, 3),
    draw=drawn(_forward_call, 3),
    typical=typical(_forward_call, 3),
    formats="Any public label, the same on both; Ascend 950 takes NCDHW, NCHW and ND.",
    notes=(HERE,),
)

_IS_ONE_3D = _all_one(3)
_SAME_BUT_FIRST = requires(
    "same_shape",
    "out",
    And(
        all_of(*(Equal(DimOf("out", Const(i)), DimOf("self", Const(i))) for i in (-3, -2, -1))),
        Or(Equal(RankOf("self"), Const(4)), Equal(DimOf("out", Const(1)), DimOf("self", Const(1)))),
    ),
    "out must have the shape of self from dimension 1 on",
    (Shown("shape", ShapeOf("out")), " and ", Shown("shape", ShapeOf("self"))),
    "Create out with the shape of self.",
)
_BACKWARD_3D = Operator(
    "aclnnAdaptiveAvgPool3dBackward",
    summary="Gradient of three-dimensional average pooling to a given size.",
    formula=_BACKWARD_FORMULA,
    params=(
        TensorIn("gradOutput", "Gradient of the means."),
        TensorIn("self", "Input of the forward; only its shape counts."),
        TensorOut("out", "Gradient of self.", like="self"),
    ),
    checks=(
        not_null("gradOutput", "self", "out"),
        rank_in("self", 4, 5),
        same_rank("gradOutput", "self"),
        same_rank("out", "self"),
        when(on_products(A950), dims_positive("self", 1), _SAME_BUT_FIRST),
        when(except_on(A950), dims_positive("self", 0), same_shape("out", "self")),
        same_lengths_before("gradOutput", "self", 3),
        lengths_positive("gradOutput", -3, -2, -1),
        dtype_in("gradOutput", *FLOATS, DOUBLE),
        when(
            Condition(
                And(ProductIn(NEW), Not(_IS_ONE_3D.term)),
                f"gradOutput has several windows and the product is {A950}, {A3} or {A2}",
            ),
            dtype_in("gradOutput", FLOAT, FLOAT16, BF16),
        ),
        dtype_in("self", *FLOATS, DOUBLE),
        same_dtype("gradOutput", "self"),
        same_dtype("out", "self"),
        same_format("gradOutput", "self"),
        same_format("out", "self"),
        not_private("gradOutput"),
        when(
            on_products(T910),
            requires(
                "one_window",
                "gradOutput",
                _IS_ONE_3D.term,
                "gradOutput must have one window",
                (Shown("shape", ShapeOf("gradOutput")),),
                "Only newer products take several windows.",
            ),
        ),
        done_when_empty("self", "gradOutput"),
        supported_on(*_IMAGES),
        inside_storage("gradOutput", "self"),
        inner(same_shape("out", "self")),
    ),
    golden=_golden_backward(3),
    reference=_reference_backward(3),
    summed=("gradOutput",),
    ulps=4,
    gradient=Gradient(
        "aclnnAdaptiveAvgPool3d", results={"out": "self"}, given={"gradOutput": "out"}
    ),
    samples=(
        *samples(_backward_call, 3),
        _backward_call(DOUBLE, (2, 1), ((2, 3, 2), (1, 1, 1))),
    ),
    draw=drawn(_backward_call, 3),
    typical=typical(_backward_call, 3),
    formats="Any public label, the same on all.",
    notes=(HERE, _NOT_WRITTEN),
)
OPS = (_FORWARD_2D, _BACKWARD_2D, _FORWARD_3D, _BACKWARD_3D)
