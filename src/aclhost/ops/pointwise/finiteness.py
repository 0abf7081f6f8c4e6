# SPDX-License-Identifier: Apache-2.0
"""Infinities and NaN: whether there are any, and what to put in their place."""

from __future__ import annotations

from typing import Any

from aclhost.ops.pointwise.negation import as_bool
from aclhost.ops.pointwise.rounding import copied_format_of_integers
from aclhost.ops.pointwise.unary import Unary, nothing, operators, own
from aclhost.ops.pointwise.unary_checks import (
    BF16_ON_NEW,
    FLOATS_BY_PRODUCT,
    NEW,
    WHOLE,
    generated,
    gives,
    in_order,
    limited_to,
    rank_then_shape,
    same,
    shape_then_rank,
    takes,
)
from aclhost.spec import math
from aclhost.spec.dtypes import BOOL, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.params import Float
from aclhost.spec.products import A2, A3, A950, P310P
from aclhost.spec.rules import Step, refused_unless_on

_INFINITE = in_order(
    shape_then_rank,
    takes(*limited_to((*NEW, P310P), FLOAT, FLOAT16, *WHOLE), BF16_ON_NEW),
    gives(BOOL),
)
_NO_DOUBLE = "DOUBLE is refused, as in upstream's code; its document lists it."
_WITH_INTEGERS = "Upstream's document lists floating dtypes only; its code takes integers too."


def _is_negative_infinity(x: Element) -> Element:
    return x == -math.inf if x.is_real else math.FALSE


def _is_positive_infinity(x: Element) -> Element:
    return x == math.inf if x.is_real else math.FALSE


def _nan_to_num(x: Element, nan: Element, posinf: Element, neginf: Element) -> Element:
    if not x.is_real:
        return x
    finite = math.where(x == math.inf, posinf, math.where(x == -math.inf, neginf, x))
    return math.where(math.isnan(x), nan, finite)


def _nan_to_num_in_torch(torch: Any, x: Any, nan: float, posinf: float, neginf: float) -> Any:  # noqa: ANN401
    return torch.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def _only_on_new(x: str, out: str) -> tuple[Step, ...]:
    return refused_unless_on(*NEW)


OPS = operators(
    Unary(
        "aclnnIsFinite", "Whether each element is neither infinite nor NaN.", math.isfinite,
        in_order(takes(*FLOATS_BY_PRODUCT, *WHOLE), gives(BOOL), rank_then_shape), "isfinite",
        computed=own, rounded=as_bool, result=as_bool, notes=(_WITH_INTEGERS,),
    ),
    Unary(
        "aclnnIsInf", "Whether each element is infinite.", math.isinf,
        generated(in_order(takes(FLOAT, FLOAT16, BF16_ON_NEW), gives(BOOL)),
                  on=(A950, A3, A2, P310P)),
        "isinf", computed=own, rounded=as_bool, result=as_bool, is_done=nothing,
        checks_product=True,
        notes=("Upstream's document lists DOUBLE and integers; there is no kernel for them.",
               "Upstream does not compare the shapes before the Ascend 950; its document demands "
               "that they are equal, and so does aclhost."),
    ),
    Unary(
        "aclnnIsNegInf", "Whether each element is negative infinity.", _is_negative_infinity,
        _INFINITE, "isneginf", computed=own, rounded=as_bool, result=as_bool,
        checks_product=True, notes=(_NO_DOUBLE, _WITH_INTEGERS),
    ),
    Unary(
        "aclnnIsPosInf", "Whether each element is positive infinity.", _is_positive_infinity,
        _INFINITE, "isposinf", computed=own, rounded=as_bool, result=as_bool,
        checks_product=True, notes=(_NO_DOUBLE, _WITH_INTEGERS),
    ),
    Unary(
        "aclnnNanToNum", "Other numbers in place of NaN and infinities.", _nan_to_num,
        in_order(_only_on_new, same((FLOAT16, FLOAT, BF16_ON_NEW, *WHOLE))), _nan_to_num_in_torch,
        computed=own, result=own, late=copied_format_of_integers, checks_product=True,
        numbers=(Float("nan", "In place of NaN."),
                 Float("posinf", "In place of positive infinity."),
                 Float("neginf", "In place of negative infinity.")),
        notes=("Replacements are rounded to the dtype: what is past it becomes infinite.",),
    ),
)  # fmt: skip
