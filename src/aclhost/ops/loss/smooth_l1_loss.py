# SPDX-License-Identifier: Apache-2.0
"""aclnnSmoothL1Loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclhost.ops.loss.smooth_l1_loss_backward import ATTRIBUTES, DTYPES, REDUCTIONS
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, COMPLEX64, DOUBLE, FLOAT16
from aclhost.spec.formats import NCHW, NHWC
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    broadcastable,
    castable_to,
    done_when_empty,
    dtype_in,
    equals,
    final_cast,
    format_fits_rank,
    inside_storage,
    not_negative,
    not_null,
    one_element,
    one_of,
    rank_at_most,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.shapes import Broadcast, Rank0, ShapeIf
from aclhost.spec.terms import Empty, FormatOf, In, Not, ProductIn, ValueOf, all_of, promoted

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_BROADCAST = Broadcast(("self", "target"))
_IS_WHOLE = In(ValueOf("reduction"), (0,))
_REDUCING = Condition(
    all_of(Not(_IS_WHOLE), Not(Empty("self")), Not(Empty("target"))), "reduction is 1 or 2"
)
_IMAGE = Condition(
    all_of(_IS_WHOLE, Not(ProductIn((A950,))), In(FormatOf("self"), (NCHW, NHWC))),
    "reduction is 0 and self is labelled NCHW or NHWC (except on Ascend 950)",
)


def golden(self: Array, target: Array, reduction: int, beta: float) -> Array:
    """Quadratic near the target, linear far from it; then the mean or the sum."""
    import numpy as np

    a = np.abs(self - target)
    near = a < beta
    loss = np.where(near, 0.5 * a * a / (beta or 1), a - 0.5 * beta)
    return (loss, loss.mean() if loss.size else np.array(np.nan), loss.sum())[reduction]


def _call(self: TensorArg, target: TensorArg, result: TensorArg, reduction: int = 0) -> Call:
    return Call(
        {"self": self, "target": target, "reduction": reduction, "beta": 0.75, "result": result}
    )


_GRID, _ONE = TensorArg((4, 2)), TensorArg((1,))
_HALF, _BRAIN = TensorArg((4, 2), FLOAT16), TensorArg((2, 1), BF16, strides=(-3, 1), offset=3)

OP = Operator(
    "aclnnSmoothL1Loss",
    summary="Smooth L1 loss: quadratic for small differences, linear for large ones.",
    formula=(
        "With a = |self - target|:\n\n"
        "- a < beta: `0.5 * a * a / beta`\n"
        "- otherwise: `a - 0.5 * beta`\n\n"
        "over the broadcast of both; then nothing, the mean or the sum of all elements. Computed "
        "in float, rounded once to the common dtype of the inputs, then cast to result's dtype."
    ),
    params=(
        TensorIn("self", "Input."),
        TensorIn("target", "What the input is compared with."),
        *ATTRIBUTES,
        TensorOut(
            "result",
            "The loss.",
            shape=ShapeIf(_IS_WHOLE, _BROADCAST, Rank0()),
            dtype=promoted("self", "target"),
        ),
    ),
    checks=(
        not_null("self", "target", "result"),
        dtype_in("self", *DTYPES),
        dtype_in("target", *DTYPES),
        castable_to("result", "self", "target"),
        one_of("reduction", 0, 1, 2, meaning=REDUCTIONS),
        rank_at_most("self", 8),
        rank_at_most("target", 8),
        broadcastable("target", "self"),
        when(
            equals("reduction", 0),
            shape_is("result", _BROADCAST, "that self and target broadcast to"),
        ),
        not_negative("beta"),
        done_when_empty("self", "target", unless=equals("reduction", 1, 2)),
        supported_on(A950, A3, A2, P310P, T910),
        when(_REDUCING, one_element("result")),
        format_fits_rank("result"),
        when(_IMAGE, format_fits_rank("self")),
        inside_storage("self", "target"),
        final_cast("result", "self", "target"),
    ),
    golden=golden,
    elementwise=("self", "target"),
    samples=(
        _call(_GRID, _GRID, _GRID),
        _call(_GRID, TensorArg((4, 1)), TensorArg(()), reduction=1),
        _call(_GRID, TensorArg((2,)), TensorArg((1, 1), DOUBLE), reduction=2),
        _call(_HALF, _HALF, TensorArg((4, 2), COMPLEX64)),
        _call(_HALF, TensorArg((4, 1), BF16), _GRID),
        _call(_BRAIN, _BRAIN, TensorArg((1,), BF16), reduction=1),
        _call(TensorArg((0, 2)), TensorArg((1, 2)), _ONE, reduction=1),
        _call(TensorArg((0, 2)), TensorArg((1, 2)), _ONE, reduction=2),
    ),
    formats="ND, NCL, NCHW and NHWC are documented; the labels have no influence on the result.",
    notes=(
        "With mean or sum, result holds one element of any rank; the documents say shape [1]. "
        "A new result in Python is a scalar array.",
        "Mean and sum add in double, FLOAT16 and BFLOAT16 four values at a time in float first. "
        "The order follows from the shape, so that strides and threads do not change the result.",
        "For empty inputs, mean gives NaN and sum gives 0; without reduction nothing is written.",
    ),
)
