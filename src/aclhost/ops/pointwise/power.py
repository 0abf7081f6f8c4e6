# SPDX-License-Identifier: Apache-2.0
"""Powers of tensors and scalars."""

from __future__ import annotations

from aclhost.ops.pointwise.checks import (
    ONLY_950,
    Rules,
    castable_from,
    delivered,
    given,
    listed,
    not_both_bool,
    ranks,
    shape_of,
    shapes_fit,
)
from aclhost.ops.pointwise.declare import COMPLEX, INTEGERS, NEW_BF16, REALS, Row, Torch, declare
from aclhost.ops.pointwise.deduction import (
    NO_DTYPE,
    ON_950,
    by_product,
    combined_with_default,
    double_for_float,
    first_match,
    is_complex,
    is_integer,
    kept_or_promoted,
)
from aclhost.spec import math
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, INT8, INT16, INT32, UINT8
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, P310P
from aclhost.spec.rules import requires, when
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import (
    And,
    Const,
    DtypeOf,
    Finite,
    If,
    In,
    Not,
    Or,
    ProductIn,
    Promote,
    RealIs,
    Term,
    all_of,
    any_of,
    const,
    promoted,
)

_TABLE = (FLOAT, FLOAT16, DOUBLE, *INTEGERS, BOOL, NEW_BF16, *COMPLEX)
_DTYPES = (*REALS, *INTEGERS, *COMPLEX)
_NOTES = (
    "Integer powers wrap; upstream's documents say that the Atlas training and inference series "
    "saturate.",
    "An integer to a negative power is 0, except for 1 and -1.",
    "The largest error seen in DOUBLE is 2.3 ulp, of a number just above 4/3 to a large power; "
    "elsewhere it is below 2.",
)
_SUMMARY = "Raises each element to a power."


def power(x: Element, y: Element) -> Element:
    """As IEEE 754 has it for reals."""
    return math.pow(x, y)


def _square(x: Element, y: Element) -> Element:
    return x * x if x.is_real else power(x, y)


def _cube(x: Element, y: Element) -> Element:
    return x * x * x if x.is_real else power(x, y)


def _root(x: Element, y: Element) -> Element:
    return math.sqrt(x) if x.is_real else power(x, y)


def _inverse_root(x: Element, y: Element) -> Element:
    return 1 / math.sqrt(x) if x.is_real else power(x, y)


def _inverse(x: Element, y: Element) -> Element:
    return 1 / x if x.is_real else power(x, y)


def _inverse_square(x: Element, y: Element) -> Element:
    return 1 / (x * x) if x.is_real else power(x, y)


# What replaces the power for these exponents where the product has such a kernel; -0.0 and
# infinities show the difference.
_SHORT = {
    2: _square, 3: _cube, 0.5: _root, -0.5: _inverse_root, -1: _inverse, -2: _inverse_square,
}  # fmt: skip


def _torch_power(torch: Torch, x: Torch, y: Torch) -> Torch:
    return torch.pow(x, y)


def _short_form(computed: Term) -> Term:
    exponents = (
        (RealIs("exponent", "==", float(each)), Const(number))
        for number, each in enumerate(_SHORT, 1)
    )
    short = And(ProductIn((A3, A2, P310P)), In(computed, (FLOAT, FLOAT16, BF16)))
    return If(short, first_match(*exponents, otherwise=Const(0)), Const(0))


def _of_tensors(name: str, out: str) -> Operator:
    common = promoted("self", "exponent")
    return declare(Row(
        name, _SUMMARY,
        (given("self", "exponent", out), listed(("self", "exponent"), *_TABLE),
         not_both_bool("self", "exponent"), castable_from(out, common),
         shapes_fit(out, "self", "exponent"), delivered(name, out, ("self", "exponent"), common)),
        power, ("self", "exponent"), out, common, _DTYPES, _torch_power, mixed=(FLOAT16, INT32),
        notes=_NOTES,
    ))  # fmt: skip


def _fits(computed: Term) -> Rules:
    """The exponent is a number that the computed dtype has."""
    most = {INT8: 127, UINT8: 255, INT16: 2**15 - 1, INT32: 2**31 - 1, FLOAT16: 65504}
    inside = (
        any_of(
            Not(In(computed, (dtype,))),
            Not(Finite("exponent")),
            And(RealIs("exponent", "<=", float(limit)), RealIs("exponent", ">=", -float(limit))),
        )
        for dtype, limit in most.items()
    )
    got = (Shown("real", "exponent"), " for ", Shown("dtype", computed))
    return (
        *requires(
            "exponent_sign",
            "exponent",
            Or(Not(is_integer(computed)), RealIs("exponent", ">=", 0.0)),
            "exponent must not be negative for integers",
            got,
            "Cast the tensor to a floating type.",
        ),
        *requires(
            "exponent_fits",
            "exponent",
            all_of(*inside),
            "exponent must fit into the dtype that is computed in",
            got,
            "Use a smaller exponent or a wider dtype.",
        ),
    )


def _deduced(tensor: Term, scalar: Term, out: Term) -> Term:
    return by_product(
        combined_with_default(tensor, scalar),
        first_match(
            (double_for_float(scalar, out), FLOAT),
            (is_complex(scalar), Promote(tensor, scalar)),
            otherwise=kept_or_promoted(tensor, scalar),
        ),
    )


def _by_scalar(name: str, out: str) -> Operator:
    x, exponent = DtypeOf("self"), DtypeOf("exponent")
    kept = _deduced(x, exponent, DtypeOf(out))
    narrow = And(In(kept, (INT8, UINT8, INT16)), RealIs("exponent", "==", 2.0))
    computed = If(And(Not(ON_950), narrow), const(INT32), kept)
    return declare(Row(
        name, _SUMMARY,
        (given("self", "exponent", out), listed(("self", "exponent"), *_TABLE),
         castable_from(out, Promote(x, exponent)), not_both_bool("self", "exponent"),
         ranks("self"), shape_of(out, "self"), delivered(name, out, ("self",), computed),
         when(ONLY_950, _fits(kept))),
        power, ("self",), out, computed, _DTYPES, _torch_power, numbers=("exponent",),
        result=_deduced(x, exponent, NO_DTYPE), variants=tuple(_SHORT.values()),
        variant=_short_form(computed), formula=f"`{out} = pow(self, exponent)`",
        notes=(*_NOTES, "FLOAT, FLOAT16 and BF16 to the powers 2, 3, 0.5, -0.5, -1 and -2 are "
               "products, square roots and quotients on Atlas A2, A3 and the inference series."),
    ))  # fmt: skip


def _of_scalar() -> Operator:
    name, x, exponent = "aclnnPowScalarTensor", DtypeOf("self"), DtypeOf("exponent")
    computed = _deduced(exponent, x, DtypeOf("out"))
    return declare(Row(
        name, "Raises a scalar to the power of each element.",
        (given("self", "exponent", "out"), listed(("self", "exponent"), *_TABLE),
         castable_from("out", Promote(x, exponent)), not_both_bool("self", "exponent"),
         ranks("exponent"), shape_of("out", "exponent"),
         delivered(name, "out", ("exponent",), computed)),
        lambda y, x: power(x, y), ("exponent",), "out", computed, _DTYPES,
        lambda torch, y, x: torch.pow(x, y), numbers=("self",),
        result=_deduced(exponent, x, NO_DTYPE), notes=_NOTES,
    ))  # fmt: skip


OPS = (
    _of_tensors("aclnnPowTensorTensor", "out"),
    _of_tensors("aclnnInplacePowTensorTensor", "self"),
    _by_scalar("aclnnPowTensorScalar", "out"),
    _by_scalar("aclnnInplacePowTensorScalar", "self"),
    _of_scalar(),
)
