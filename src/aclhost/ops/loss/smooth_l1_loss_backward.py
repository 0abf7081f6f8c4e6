# SPDX-License-Identifier: Apache-2.0
"""aclnnSmoothL1LossBackward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Choice, Float, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    broadcastable,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_negative,
    not_null,
    one_of,
    only_on,
    rank_at_most,
    shape_is,
    supported_on,
)
from aclhost.spec.shapes import Broadcast
from aclhost.spec.terms import promoted

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

DTYPES = (FLOAT, FLOAT16, only_on(BF16, A950, A3, A2))
REDUCTIONS = "0 for none, 1 for mean, 2 for sum"
ATTRIBUTES = (
    Choice("reduction", "0 none, 1 mean, 2 sum.", words=("none", "mean", "sum"), default="mean"),
    Float("beta", "Where the loss changes from quadratic to linear.", default=1.0),
)


def golden(grad_out: Array, self: Array, target: Array, reduction: int, beta: float) -> Array:
    """The slope of the loss: the sign far from the target, the scaled distance near it."""
    import numpy as np

    d = self - target
    slope = np.sign(d) if beta == 0 else np.where(np.abs(d) >= beta, np.sign(d), d / beta)
    return slope * grad_out / (d.size if reduction == 1 else 1)


def _call(
    self: TensorArg, target: TensorArg, gradient: TensorArg, out: TensorArg, reduction: int = 0
) -> Call:
    return Call(
        {
            "gradOut": gradient,
            "self": self,
            "target": target,
            "reduction": reduction,
            "beta": 0.75,
            "gradInput": out,
        }
    )


_BROADCAST = Broadcast(("gradOut", "self", "target"))
_GRID = TensorArg((4, 2))
_HALF = TensorArg((4, 2), FLOAT16)
_EXAMPLE = Call(
    {
        "gradOut": TensorArg((4, 2), values=(1.0,) * 8),
        "self": TensorArg((4, 2), values=(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)),
        "target": TensorArg((4, 2), values=(1.0,) * 8),
        "reduction": 0,
        "beta": 1.0,
        "gradInput": TensorArg((4, 2)),
    },
    note="the example of the document",
)

OP = Operator(
    "aclnnSmoothL1LossBackward",
    summary="Gradient of the smooth L1 loss with respect to its input.",
    formula=(
        "With d = self - target:\n\n"
        "- |d| >= beta: `q = 1` or `-1`, the sign of d\n"
        "- |d| < beta: `q = d / beta`\n"
        "- beta = 0 and d = 0: `q = 0`; NaN stays NaN\n\n"
        "`gradInput = (q * gradOut) * norm`, element by element over the broadcast of all three. "
        "norm is 1, with mean one over the number of elements of the broadcast of self and target. "
        "Computed in float, rounded once to the common dtype of the inputs, then cast."
    ),
    params=(
        TensorIn("gradOut", "Gradient of the loss."),
        TensorIn("self", "Input of the loss."),
        TensorIn("target", "What the input is compared with."),
        *ATTRIBUTES,
        TensorOut(
            "gradInput",
            "Gradient of self, in the broadcast shape.",
            shape=_BROADCAST,
            dtype=promoted("gradOut", "self", "target"),
        ),
    ),
    checks=(
        not_null("gradOut", "self", "target", "gradInput"),
        dtype_in("gradOut", *DTYPES),
        dtype_in("self", *DTYPES),
        dtype_in("target", *DTYPES),
        dtype_in("gradInput", *DTYPES),
        rank_at_most("gradOut", 8),
        rank_at_most("self", 8),
        rank_at_most("target", 8),
        one_of("reduction", 0, 1, 2, meaning=REDUCTIONS),
        not_negative("beta"),
        broadcastable("self", "gradOut"),
        broadcastable("target", "gradOut", "self"),
        shape_is(
            "gradInput",
            _BROADCAST,
            "that gradOut, self and target broadcast to",
        ),
        done_when_empty("gradOut", "self", "target"),
        supported_on(A950, A3, A2, P310P, T910),
        inside_storage("gradOut", "self", "target"),
    ),
    golden=golden,
    elementwise=("gradOut", "self", "target"),
    gradient=Gradient(
        "aclnnSmoothL1Loss",
        results={"gradInput": "self"},
        given={"gradOut": "result"},
        opposite={"gradInput": "target"},
    ),
    samples=(
        _EXAMPLE,
        _call(_GRID, _GRID, TensorArg((1,)), _GRID, reduction=1),
        _call(TensorArg((4, 1)), _GRID, TensorArg(()), _GRID, reduction=1),
        _call(_HALF, _HALF, _HALF, _GRID, reduction=2),
        _call(_HALF, _GRID, TensorArg((2,), BF16), TensorArg((4, 2), BF16)),
        _call(*(TensorArg((4, 2), BF16, strides=(1, 4)),) * 4),
    ),
    notes=(
        "Mean divides by the element count of the broadcast of self and target, as documented. "
        "Upstream's kernels divide by that of self alone, which differs when self is broadcast.",
        "Upstream's A2 kernels divide by beta + 1e-6, those of Ascend 950 multiply by a "
        "reciprocal that is NaN for tiny beta; aclhost divides by beta.",
    ),
)
