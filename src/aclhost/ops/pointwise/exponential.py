# SPDX-License-Identifier: Apache-2.0
"""Exponentials, logarithms, powers and roots."""

from __future__ import annotations

from aclhost.ops.pointwise.deduction import floating_or_float, replaced
from aclhost.ops.pointwise.unary import Unary, operators, own, own_or_result
from aclhost.ops.pointwise.unary_checks import (
    BF16_ON_NEW,
    COMPLEX,
    FLOATS,
    FLOATS_BY_PRODUCT,
    NUMBERS,
    REAL_NUMBERS,
    REAL_PART,
    WHOLE,
    castable,
    delivers,
    equal_formats,
    equal_public_formats,
    gives,
    gives_castable,
    in_order,
    listed,
    ranks_then_shape,
    same,
    shape_then_rank,
    takes,
)
from aclhost.spec import math
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64
from aclhost.spec.expression import Element
from aclhost.spec.products import A2, A3, A950, P310B, P310P
from aclhost.spec.rules import Step, dtype_is, only_on, refused_unless_on
from aclhost.spec.terms import DtypeOf, If, In, Term, const

_FLOATS_AND_COMPLEX = (*FLOATS_BY_PRODUCT, *COMPLEX)


def _float_for_bf16(x: Term, out: Term) -> Term:
    return replaced(floating_or_float(x), FLOAT, BF16)


def _double_for_int64(x: Term, out: Term) -> Term:
    return If(In(x, (INT64,)), const(DOUBLE), floating_or_float(x))


def _gives_own_or_float(x: str, out: str) -> tuple[Step, ...]:
    words = f"the dtype of {x}, or FLOAT where that is an integer or BOOL"
    return dtype_is(out, floating_or_float(DtypeOf(x)), words)


def _only_on_950(x: str, out: str) -> tuple[Step, ...]:
    return refused_unless_on(A950)


def _square(x: Element) -> Element:
    return x * x


OPS = operators(
    Unary(
        "aclnnExp", "Exponential function.", math.exp,
        castable((*_FLOATS_AND_COMPLEX, BOOL, INT64)), "exp",
        late=delivers(), twin=_FLOATS_AND_COMPLEX,
    ),
    Unary(
        "aclnnExp2", "Two to the power of each element.", math.exp2,
        castable(REAL_NUMBERS, _float_for_bf16), "exp2",
        computed=_float_for_bf16, late=delivers(_float_for_bf16), twin=FLOATS_BY_PRODUCT,
        notes=("FLOAT16 is computed in single precision and rounded once.",),
    ),
    Unary(
        "aclnnExpm1", "Exponential function less one, exact near zero.", math.expm1,
        in_order(
            shape_then_rank, takes(FLOAT, FLOAT16, INT64, BOOL, BF16_ON_NEW), gives_castable()
        ),
        "expm1", late=delivers(), twin=(FLOAT, FLOAT16, BF16_ON_NEW),
    ),
    Unary(
        "aclnnLog", "Natural logarithm.", math.log,
        in_order(takes(*NUMBERS), gives(*_FLOATS_AND_COMPLEX), gives_castable(own),
                 shape_then_rank),
        "log", twin=_FLOATS_AND_COMPLEX, early=3,
    ),
    Unary(
        "aclnnLog10", "Logarithm to base 10.", math.log10,
        in_order(takes(*FLOATS, *WHOLE, *COMPLEX), _gives_own_or_float, shape_then_rank),
        "log10", twin=_FLOATS_AND_COMPLEX,
        notes=("Upstream's document leaves out DOUBLE; its code accepts it.",),
    ),
    Unary(
        "aclnnLog1p", "Logarithm of one plus each element, exact near zero.", math.log1p,
        listed(REAL_NUMBERS, FLOATS_BY_PRODUCT), "log1p",
        computed=own_or_result, twin=FLOATS_BY_PRODUCT,
    ),
    Unary(
        "aclnnLog2", "Logarithm to base 2.", math.log2,
        in_order(takes(*NUMBERS), gives(*_FLOATS_AND_COMPLEX), gives_castable(own),
                 shape_then_rank),
        "log2", twin=_FLOATS_AND_COMPLEX,
        notes=("Complex numbers are divided by the exact logarithm of 2; upstream rounds it to "
               "single precision.",),
    ),
    Unary(
        "aclnnReciprocal", "One divided by each element.", math.reciprocal,
        in_order(takes(*NUMBERS), gives(*_FLOATS_AND_COMPLEX), equal_formats, ranks_then_shape),
        "reciprocal", twin=_FLOATS_AND_COMPLEX, early=2, notes_on_out=(REAL_PART,),
    ),
    Unary(
        "aclnnRsqrt", "One divided by the square root.", math.rsqrt,
        listed(NUMBERS, (*FLOATS, *COMPLEX)), "rsqrt",
        computed=own_or_result, twin=_FLOATS_AND_COMPLEX,
        notes=("Of complex 0 the real part is infinite, as in torch; upstream's is NaN.",),
        notes_on_out=(REAL_PART,),
    ),
    Unary(
        "aclnnSqrt", "Square root.", math.sqrt,
        castable((FLOAT, FLOAT16, DOUBLE, *WHOLE, *COMPLEX,
                  only_on(BF16, A950, A3, A2, P310B, P310P))),
        "sqrt", computed=_double_for_int64, late=delivers(_double_for_int64),
        twin=_FLOATS_AND_COMPLEX, early=2,
    ),
    Unary(
        "aclnnSquare", "Each element times itself; integers wrap.", _square,
        in_order(_only_on_950, same((INT64, FLOAT, FLOAT16, INT32, BF16), equal_public_formats)),
        "square", computed=own, result=own, checks_product=True,
    ),
)  # fmt: skip
