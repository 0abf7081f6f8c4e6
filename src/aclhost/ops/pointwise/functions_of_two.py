# SPDX-License-Identifier: Apache-2.0
"""Extremes, common divisors, angles and logarithms of two tensors."""

from __future__ import annotations

from typing import Any

from aclhost.ops.pointwise.checks import (
    ONLY_950,
    castable_from,
    computed_in,
    delivered,
    given,
    listed,
    shapes_fit,
)
from aclhost.ops.pointwise.declare import INTEGERS, NEW_BF16, REALS, Row, declare, with_twin
from aclhost.ops.pointwise.deduction import (
    by_product,
    combined_by_rank,
    first_match,
    is_bool,
    is_floating,
    is_integer,
)
from aclhost.spec import math
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
)
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, A950, P310B, P310P
from aclhost.spec.rules import not_private, only_on, requires, same_format, when
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import And, DtypeOf, Equal, If, In, Term, any_of, const, promoted

_BOTH = ("self", "other")
_OUT = DtypeOf("out")
_REAL_TABLE = (FLOAT, FLOAT16, DOUBLE, *INTEGERS, BOOL, NEW_BF16)
_LOG_TABLE = (*_REAL_TABLE, UINT16, UINT32, UINT64)
_LOG2_E = 1.4426950408889634
_WIDER = {
    INT8: (INT16, INT32, INT64), INT16: (INT32, INT64), INT32: (INT64,),
}  # fmt: skip


def maximum(x: Element, y: Element) -> Element:
    """NaN where one is NaN."""
    return math.maximum(x, y)


def minimum(x: Element, y: Element) -> Element:
    """NaN where one is NaN."""
    return math.minimum(x, y)


def gcd(x: Element, y: Element) -> Element:
    """Of the absolute values."""
    return math.gcd(x, y)


def atan2(x: Element, y: Element) -> Element:
    """With signed zeros and infinities as in IEEE 754."""
    return math.atan2(x, y)


def _distance(x: Element, y: Element) -> Element:
    """0 between equal infinities, whose difference is NaN."""
    return math.where(x == y, 0.0, abs(x - y))


def log_add_exp(x: Element, y: Element) -> Element:
    """Without overflow: the greater exponential taken out."""
    return math.maximum(x, y) + math.log1p(math.exp(-_distance(x, y)))


def log_add_exp2(x: Element, y: Element) -> Element:
    """The same to base 2."""
    return math.maximum(x, y) + math.log1p(math.exp2(-_distance(x, y))) * _LOG2_E


def _torch(name: str) -> Any:  # noqa: ANN401
    return lambda torch, x, y: getattr(torch, name)(x, y)


def _extreme_on_950(deduced: Term) -> Term:
    """Equal operands are first cast to a result that cannot hold all their values."""
    x, other = DtypeOf("self"), DtypeOf("other")
    safe = any_of(
        Equal(x, _OUT), is_bool(x), is_floating(_OUT),
        *(And(In(x, (dtype,)), In(_OUT, wider)) for dtype, wider in _WIDER.items()),
    )  # fmt: skip
    return If(Equal(x, other), If(safe, x, _OUT), deduced)


def _extreme(name: str, summary: str, function: Any, reference: str) -> Operator:  # noqa: ANN401
    common, by_rank = promoted(*_BOTH), combined_by_rank(*_BOTH)
    deduced = by_product(by_rank, common)
    return declare(Row(
        name, summary,
        (given(*_BOTH, "out"), listed((*_BOTH, "out"), *_REAL_TABLE),
         castable_from("out", deduced), shapes_fit("out", *_BOTH),
         delivered(name, "out", _BOTH)),
        function, _BOTH, "out", by_product(_extreme_on_950(by_rank), common),
        (*REALS, *INTEGERS, BOOL), _torch(reference), result=deduced, mixed=(FLOAT16, INT32),
    ))  # fmt: skip


def _gcd() -> Operator:
    common = promoted(*_BOTH)
    new = (A950, A3, A2, P310B, P310P)
    return declare(Row(
        "aclnnGcd", "Greatest common divisor.",
        (given(*_BOTH, "out"),
         requires("integer_result", "out", is_integer(_OUT), "out must have an integer dtype",
                  (Shown("dtype", _OUT),), "Cast the result afterwards."),
         computed_in("other", common, INT32, only_on(INT16, *new), only_on(INT64, *new),
                     only_on(UINT8, A950), only_on(INT8, A950)),
         shapes_fit("out", *_BOTH), delivered("aclnnGcd", "out", _BOTH, common)),
        gcd, _BOTH, "out", common, INTEGERS, _torch("gcd"), mixed=(INT16, INT32),
    ))  # fmt: skip


def _atan2(prefix: str, x: str, out: str) -> Operator:
    name, common = f"{prefix}Atan2", promoted(x, "other")
    computed = If(In(common, REALS), common, const(FLOAT))
    return declare(Row(
        name, "Angle of the point (other, self) to the axis of other.",
        (given(x, "other", out), listed((x, "other"), *_REAL_TABLE),
         shapes_fit(out, x, "other"), delivered(name, out, (x, "other"), computed)),
        atan2, (x, "other"), out, computed, REALS, _torch("atan2"), mixed=(FLOAT16, INT32), ulps=4,
        notes=("The documented list of dtypes of the result is not enforced: fractions are cut "
               "off for an integer result.",),
    ))  # fmt: skip


def _log_add_exp(name: str, summary: str, function: Any, reference: str) -> Operator:  # noqa: ANN401
    common = promoted(*_BOTH)
    return declare(Row(
        name, summary,
        (given(*_BOTH, "out"), listed(_BOTH, *_LOG_TABLE),
         listed(("out",), FLOAT16, FLOAT, NEW_BF16), shapes_fit("out", *_BOTH),
         when(ONLY_950, same_format("self", "out"), same_format("other", "out"),
              not_private("self")),
         delivered(name, "out", _BOTH)),
        function, _BOTH, "out", _OUT, (FLOAT16, FLOAT, BF16), _torch(reference), ulps=4,
        result=first_match((In(common, (FLOAT16, BF16)), common), otherwise=FLOAT),
        mixed=(FLOAT16, INT32), notes=("Operands are cast to the dtype of the result first.",),
    ))  # fmt: skip


OPS = (
    _extreme("aclnnMaximum", "The greater of two elements.", maximum, "maximum"),
    _extreme("aclnnMinimum", "The lesser of two elements.", minimum, "minimum"),
    _gcd(),
    *with_twin(_atan2),
    _log_add_exp("aclnnLogAddExp", "Logarithm of a sum of exponentials.", log_add_exp, "logaddexp"),
    _log_add_exp("aclnnLogAddExp2", "The same to base 2.", log_add_exp2, "logaddexp2"),
)
