# SPDX-License-Identifier: Apache-2.0
"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

from aclhost.ops.pointwise.deduction import floating_or_float, replaced
from aclhost.ops.pointwise.unary import Unary, operators, own, own_or_result
from aclhost.ops.pointwise.unary_checks import (
    BF16_ON_NEW,
    COMPLEX,
    FLOATS,
    FLOATS_BY_PRODUCT,
    NULL_IS_561103,
    NUMBERS,
    REAL_NUMBERS,
    REAL_PART,
    WHOLE,
    delivers,
    equal_public_formats,
    gives,
    gives_castable,
    in_order,
    listed,
    not_null_561103,
    public_formats_on_950,
    rank_then_shape,
    ranks_then_shape,
    shape_then_rank,
    takes,
)
from aclhost.spec import math
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16
from aclhost.spec.products import A2, A3
from aclhost.spec.terms import If, ProductIn, Term

_FLOATS_AND_COMPLEX = (*FLOATS_BY_PRODUCT, *COMPLEX)
_TANH = (FLOAT, FLOAT16, *WHOLE, BF16_ON_NEW)
_RANGE = "Upstream promises its precision for |x| up to {} only; here it holds for every number."


def _float_for_bf16_on_a2(x: Term, out: Term) -> Term:
    dtype = floating_or_float(x)
    return If(ProductIn((A2, A3)), replaced(dtype, FLOAT, BF16), dtype)


OPS = operators(
    Unary(
        "aclnnAcos", "Arc cosine; NaN outside -1 to 1.", math.acos,
        listed(REAL_NUMBERS, FLOATS), "acos",
    ),
    Unary(
        "aclnnAcosh", "Inverse hyperbolic cosine; NaN below 1.", math.acosh,
        in_order(takes(*NUMBERS), gives(*FLOATS, *COMPLEX), shape_then_rank, gives_castable(own),
                 public_formats_on_950),
        "acosh",
    ),
    Unary(
        "aclnnAsin", "Arc sine; NaN outside -1 to 1.", math.asin,
        listed(REAL_NUMBERS, FLOATS_BY_PRODUCT), "asin",
        computed=_float_for_bf16_on_a2, twin=FLOATS_BY_PRODUCT,
        notes=("BF16 is computed in FLOAT, as in upstream's code; its document says FLOAT16.",),
    ),
    Unary(
        "aclnnAsinh", "Inverse hyperbolic sine.", math.asinh,
        listed(NUMBERS, (*FLOATS, *COMPLEX), public_formats_on_950), "asinh",
        twin=_FLOATS_AND_COMPLEX, notes_on_out=(REAL_PART,),
    ),
    Unary(
        "aclnnAtan", "Arc tangent.", math.atan,
        listed(REAL_NUMBERS, FLOATS), "atan", twin=FLOATS_BY_PRODUCT,
        notes=("Upstream's document has no DOUBLE on the Ascend 950; its code accepts it.",),
    ),
    Unary(
        "aclnnAtanh", "Inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond.", math.atanh,
        listed(NUMBERS, (*FLOATS, *COMPLEX)), "atanh",
        twin=_FLOATS_AND_COMPLEX, notes_on_out=(REAL_PART,),
    ),
    Unary(
        "aclnnCos", "Cosine.", math.cos,
        listed(NUMBERS, _FLOATS_AND_COMPLEX), "cos", twin=_FLOATS_AND_COMPLEX,
        notes=(_RANGE.format("1e7, on some products 65504"),), notes_on_out=(REAL_PART,),
    ),
    Unary(
        "aclnnCosh", "Hyperbolic cosine.", math.cosh,
        listed(NUMBERS, (*FLOATS, *COMPLEX), public_formats_on_950), "cosh",
        twin=_FLOATS_AND_COMPLEX, early=2, notes_on_out=(REAL_PART,),
    ),
    Unary(
        "aclnnSin", "Sine.", math.sin,
        listed(NUMBERS, (*FLOATS, *COMPLEX)), "sin", twin=_FLOATS_AND_COMPLEX,
        notes=(_RANGE.format("1e7, on some products 65504"),), notes_on_out=(REAL_PART,),
    ),
    Unary(
        "aclnnSinc", "Sine of pi x divided by pi x; 1 at 0.", math.sinc,
        listed(REAL_NUMBERS, FLOATS), "sinc",
        twin=FLOATS_BY_PRODUCT, not_null=not_null_561103,
        notes=(NULL_IS_561103,
               "At whole numbers it is exactly 0; upstream multiplies by a rounded pi.",
               "FLOAT16 is computed in single precision and rounded once."),
    ),
    Unary(
        "aclnnSinh", "Hyperbolic sine.", math.sinh,
        listed(NUMBERS, _FLOATS_AND_COMPLEX), "sinh",
        computed=own_or_result, twin=_FLOATS_AND_COMPLEX, notes_on_out=(REAL_PART,),
    ),
    Unary(
        "aclnnTan", "Tangent.", math.tan,
        in_order(takes(*NUMBERS), ranks_then_shape, gives_castable()), "tan", late=delivers(),
        notes=(_RANGE.format("65504"),
               "Upstream's document has no COMPLEX64 on the Atlas training and inference series; "
               "its code accepts it."),
    ),
    Unary(
        "aclnnTanh", "Hyperbolic tangent.", math.tanh,
        in_order(takes(*_TANH), gives(*_TANH), gives_castable(), equal_public_formats,
                 rank_then_shape),
        "tanh", twin=(FLOAT, FLOAT16, BF16_ON_NEW),
    ),
)  # fmt: skip
