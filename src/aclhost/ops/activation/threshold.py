# SPDX-License-Identifier: Apache-2.0
"""What does not exceed a threshold is replaced."""

from __future__ import annotations

from aclhost.ops.activation.build import FLOATS, GRADIENT, aten, backward, same_dtypes
from aclhost.ops.pointwise.checks import (
    NOT_950,
    broadcast_to,
    delivered,
    given,
    listed,
    ranks,
    shape_of,
)
from aclhost.ops.pointwise.declare import INTEGERS, NEW_BF16, Row, declare, with_twin
from aclhost.ops.pointwise.deduction import by_product, replaced
from aclhost.ops.pointwise.unary_checks import copied_format
from aclhost.spec import math
from aclhost.spec.dtypes import FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import Scalar
from aclhost.spec.pointwise import NumberFrom
from aclhost.spec.products import A950
from aclhost.spec.rules import castable_to, only_on, requires, when
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import And, DtypeOf, In, Not, Or, RealIs, const

_TABLE = (FLOAT, INT32, FLOAT16, INT8, UINT8)
_EPSILON = 2.0**-23


def threshold(x: Element, limit: Element, value: Element) -> Element:
    """NaN exceeds nothing."""
    return math.where(x > limit, x, value)


def threshold_backward(gradient: Element, x: Element, limit: Element) -> Element:
    """Thresholds next to 0 are 0; NaN lets the gradient pass."""
    limit = math.where(abs(limit) <= _EPSILON, 0.0, limit)
    return math.where(math.cast(x, "real") <= limit, 0, gradient)


def _threshold(prefix: str, x: str, out: str) -> Operator:
    name = f"{prefix}Threshold"
    computed = by_product(DtypeOf(x), replaced(DtypeOf(x), INT32, INT16))
    return declare(Row(
        name, "Replaces what does not exceed a threshold.",
        (given(x, out, "threshold", "value"), listed((x,), *_TABLE, INT16, INT64, NEW_BF16),
         () if x == out else when(NOT_950, castable_to(out, x)), ranks(x), shape_of(out, x),
         delivered(name, out, (x,), computed), copied_format(x, out)),
        threshold, (x,), out, computed, (*FLOATS, *INTEGERS),
        lambda torch, x, limit, value: torch.threshold(x, limit, value),
        numbers=("threshold", "value"), result=DtypeOf(x),
        params=(Scalar("threshold", "What elements must exceed."),
                Scalar("value", "What stands for the others.")),
        notes=("NaN is replaced, too, as the document's formula says; torch keeps it.",
               "The scalars are converted to the tensor's dtype, fractions cut off."),
    ))  # fmt: skip


def _threshold_backward() -> Operator:
    pair = (GRADIENT, "self")
    is_zero = And(RealIs("threshold", ">=", -_EPSILON), RealIs("threshold", "<=", _EPSILON))
    of_zero = requires(
        "dtype_in", GRADIENT, Or(Not(In(DtypeOf(GRADIENT), (INT64,))), is_zero),
        f"{GRADIENT} must not be INT64 unless threshold is 0",
        (Shown("dtype", DtypeOf(GRADIENT)),), "Cast the tensors to INT32.",
    )  # fmt: skip
    return backward(
        "aclnnThresholdBackward", "aclnnThreshold", threshold_backward, aten("threshold_backward"),
        (given("threshold", "out", *pair),
         listed((GRADIENT,), *_TABLE, NEW_BF16, only_on(INT64, A950)), of_zero,
         listed(("self",), *_TABLE, NEW_BF16, only_on(INT64, A950)),
         same_dtypes(GRADIENT, "out", "self"), ranks(*pair),
         broadcast_to("out", "self", GRADIENT),
         delivered("aclnnThresholdBackward", "out", pair)),
        out="out", dtypes=(*FLOATS, INT8, UINT8, INT32, INT64), broadcasts=True,
        numbers=(NumberFrom("threshold", const(FLOAT)),),
        params=(Scalar("threshold", "What elements must exceed.", 0.0),),
        notes=("A threshold within 2^-23 of 0 counts as 0.",
               "The document supports the Ascend 950 only for threshold 0; the code does not "
               "check that."),
    )  # fmt: skip


OPS = (*with_twin(_threshold), _threshold_backward())
