# SPDX-License-Identifier: Apache-2.0
"""Rounding to whole numbers, to decimals, and what rounding leaves."""

from __future__ import annotations

from typing import Any

from aclhost.ops.pointwise.deduction import is_integer, replaced
from aclhost.ops.pointwise.unary import Unary, operators, own
from aclhost.ops.pointwise.unary_checks import (
    BF16_ON_NEW,
    FLOATS_BY_PRODUCT,
    copied_format,
    gives,
    gives_same,
    in_order,
    limited_to,
    public_formats,
    same,
    shape_then_rank,
    takes,
)
from aclhost.spec import math, products
from aclhost.spec.dtypes import (
    BF16,
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
from aclhost.spec.params import Int
from aclhost.spec.products import A950, T910
from aclhost.spec.rules import Condition, Step, only_on, same_format_unless_nd, when
from aclhost.spec.terms import AtMost, DtypeOf, If, Term, ValueOf, const

_INTEGERS = (INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8)
_TRUNCATED = (FLOAT, FLOAT16, BF16_ON_NEW, *limited_to((A950,), INT8, UINT8, INT32))
_ROUNDED = (
    FLOAT, FLOAT16, DOUBLE, INT32, INT64,
    only_on(BF16, *(product for product in products.ALL if product is not T910)),
)  # fmt: skip
_ROUND_CHECKS = in_order(
    takes(*_ROUNDED), gives(*_ROUNDED), gives_same, shape_then_rank, public_formats
)
_TO_TENS = AtMost(ValueOf("decimals"), const(-1))
_MOST_DECIMALS = 18  # of the powers of ten that INT64 holds


def copied_format_of_integers(x: str, out: str) -> tuple[Step, ...]:
    """Integers are copied with their format."""
    copied = Condition(is_integer(DtypeOf(x)), f"{x} is an integer")
    return when(copied, same_format_unless_nd(out, x))


def _in_int64_if_changed(x: Term, out: Term) -> Term:
    """Products of INT32 need more bits."""
    return If(_TO_TENS, replaced(x, INT64, INT32), x)


def _frac(x: Element) -> Element:
    return 0 if x.is_integer else x - math.trunc(x)


def _frac_in_torch(torch: Any, x: Any) -> Any:  # noqa: ANN401
    return torch.frac(x) if x.is_floating_point() else torch.zeros_like(x)


def _round_decimals(x: Element, decimals: Element) -> Element:
    if x.is_integer:
        return x
    power = math.pow(10.0, decimals)
    return math.round(x * power) / power


def _round_to_tens(x: Element, decimals: Element) -> Element:
    if x.is_integer:
        return _nearest_multiple(x, decimals)
    power = math.pow(10.0, -decimals)
    return math.round(x / power) * power


def _nearest_multiple(x: Element, decimals: Element) -> Element:
    """Of 10 ** -decimals, the even one of two."""
    power = math.pow(10, math.minimum(-decimals, _MOST_DECIMALS))
    quotient = math.trunc_divide(x, power)
    rest = 2 * abs(x - quotient * power)
    is_further = (rest > power) | ((rest == power) & ((quotient & 1) == 1))
    multiple = (quotient + math.where(is_further, math.sign(x), 0)) * power
    return math.where(decimals < -_MOST_DECIMALS, 0, multiple)


def _round_decimals_in_torch(torch: Any, x: Any, decimals: int) -> Any:  # noqa: ANN401
    if x.is_floating_point():
        wide = x if x.dtype is torch.float64 else x.float()
        return torch.round(wide, decimals=decimals)
    return x if decimals >= 0 else torch.round(x.double(), decimals=decimals)


OPS = operators(
    Unary(
        "aclnnCeil", "The next whole number above.", math.ceil, same(FLOATS_BY_PRODUCT), "ceil",
    ),
    Unary(
        "aclnnFloor", "The next whole number below.", math.floor,
        same((*_INTEGERS, *FLOATS_BY_PRODUCT), public_formats), "floor",
        computed=own, result=own, late=copied_format_of_integers,
        notes=("Upstream's document wants contiguous UINT16, UINT32 and UINT64; its code does not "
               "check that.",),
    ),
    Unary(
        "aclnnFrac", "What is behind the decimal point, with its sign.", _frac,
        same((FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8, BF16_ON_NEW)), _frac_in_torch,
        computed=own, result=own,
    ),
    Unary(
        "aclnnRound", "The nearest whole number, a half to even.", math.round, _ROUND_CHECKS,
        "round", computed=own, result=own, late=copied_format,
    ),
    Unary(
        "aclnnRoundDecimals", "The nearest number with so many decimals, a half to even.",
        _round_decimals, _ROUND_CHECKS, _round_decimals_in_torch,
        computed=_in_int64_if_changed, result=own, late=copied_format,
        variants=(_round_to_tens,), variant=_TO_TENS,
        numbers=(Int("decimals", "How many; negative ones round to tens, hundreds ...",
                     default=0),),
        notes=("Of negative decimals it is `round(self / s) * s` with `s = pow(10, -decimals)`.",
               "FLOAT16 and BF16 are computed in single precision and rounded once.",
               "Powers of ten past the type's range make every element NaN, as in torch.",
               "Upstream rounds integers to tens and hundreds differently on each product; here "
               "they go to the nearest multiple, a half to the even one, and wrap.",
               "Upstream promises its precision for |x| below 347000 only."),
    ),
    Unary(
        "aclnnTrunc", "The next whole number towards zero.", math.trunc,
        in_order(takes(*_TRUNCATED), gives(*_TRUNCATED), gives_same, shape_then_rank), "trunc",
        computed=own, result=own,
    ),
)  # fmt: skip
