# SPDX-License-Identifier: Apache-2.0
"""Opposites and signs."""

from __future__ import annotations

from typing import Any

from aclhost.ops.pointwise.unary import Unary, operators, own
from aclhost.ops.pointwise.unary_checks import (
    BF16_ON_NEW,
    COMPLEX,
    FLOATS_BY_PRODUCT,
    NULL_IS_561103,
    WHOLE,
    castable,
    delivers,
    gives,
    gives_same,
    in_order,
    limited_to,
    not_null_561103,
    public_formats,
    ranks_then_shape,
    takes,
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
from aclhost.spec.products import A950
from aclhost.spec.rules import Condition, Step, inner, rank_at_most, same_dtype, same_shape, when
from aclhost.spec.terms import And, Contiguous, DtypeOf, In, Not, ProductIn, Term, const

_BITS = (INT16, INT32, INT64, INT8, UINT8, BOOL, *limited_to((A950,), UINT16, UINT32, UINT64))
_LOGICAL = (*WHOLE, FLOAT, FLOAT16, DOUBLE, BF16)
_SIGNED = (DOUBLE, FLOAT, FLOAT16, INT32, INT64, *COMPLEX, BOOL)
_SIGNBIT = (*FLOATS_BY_PRODUCT, *WHOLE, UINT16, UINT32, UINT64)
_RANK_9 = (2, 3, *(1,) * 7)


def as_bool(x: Term, out: Term) -> Term:
    """BOOL."""
    return const(BOOL)


def _invert(x: Element) -> Element:
    return ~x


def _negative(x: Element) -> Element:
    return -x


def _is_negative(x: Element) -> Element:
    return math.FALSE if x.is_bool or x.is_unsigned else x < 0


def _shape_and_rank_unless_contiguous(x: str, out: str) -> tuple[Step, ...]:
    strided = Not(And(Contiguous(x), Contiguous(out)))
    which = x if x == out else f"{x} or {out}"
    condition = Condition(strided, f"{which} is not contiguous")
    return (*same_shape(out, x), *when(condition, rank_at_most(x, 8)))


def _same_dtype_unless_bf16(x: str, out: str) -> tuple[Step, ...]:
    listed = Condition(In(DtypeOf(x), _SIGNED), f"{x} is not BF16")
    return (*when(listed, same_dtype(out, x)), *same_shape(out, x))


def _same_dtype_561103(x: str, out: str) -> tuple[Step, ...]:
    return inner(same_dtype(out, x))


def _sign_in_torch(torch: Any, x: Any) -> Any:  # noqa: ANN401
    return torch.sgn(x) if x.is_complex() else torch.sign(x)


OPS = operators(
    Unary(
        "aclnnBitwiseNot", "The opposite of every bit; of BOOL the other value.", _invert,
        in_order(takes(*_BITS), gives_same, public_formats, ranks_then_shape), "bitwise_not",
        computed=own, result=own, not_null=not_null_561103,
        notes=(NULL_IS_561103,
               "Upstream's document has no UINT16, UINT32 and UINT64; its code accepts them on "
               "the Ascend 950."),
    ),
    Unary(
        "aclnnLogicalNot", "True for 0, false for everything else, NaN included.",
        math.logical_not,
        in_order(takes(*_LOGICAL), gives(*_LOGICAL), _shape_and_rank_unless_contiguous),
        "logical_not", computed=own, rounded=as_bool, result=as_bool, shapes=(_RANK_9,),
        notes=("Upstream's document has no BF16 on the Atlas training and inference series; its "
               "code accepts it.",),
    ),
    Unary(
        "aclnnNeg", "Each element with the other sign; integers wrap.", _negative,
        castable((INT8, INT32, INT64, FLOAT16, FLOAT, DOUBLE, *COMPLEX, BF16_ON_NEW), own), "neg",
        computed=own, result=own, late=delivers(own),
    ),
    Unary(
        "aclnnSign", "-1, 0 or 1, for NaN 0; complex numbers divided by their size.", math.sign,
        in_order(takes(*_SIGNED, BF16_ON_NEW), _same_dtype_unless_bf16), _sign_in_torch,
        computed=own, result=own, late=_same_dtype_561103, more=(INT8,),
        notes=("Any rank is accepted, as in upstream's code; its document says 1 to 8.",
               "What NaN gives on Atlas A2 is not public; 0 as on the Ascend 950 and in torch."),
    ),
    Unary(
        "aclnnSignbit", "Whether each element is below 0.", _is_negative,
        in_order(takes(*_SIGNBIT), gives(*_SIGNBIT), ranks_then_shape), lambda torch, x: x < 0,
        computed=own, rounded=as_bool, result=as_bool,
        variants=(math.signbit,), variant=ProductIn((A950,)),
        notes=("The Ascend 950 looks at the sign bit, so that -0.0 and NaN with that bit give "
               "true; other products compare with 0.",),
    ),
)  # fmt: skip
