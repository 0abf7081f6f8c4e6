# SPDX-License-Identifier: Apache-2.0
"""Quotients: real, rounded towards zero, rounded down."""

from __future__ import annotations

from typing import Any

from aclhost.ops.pointwise.checks import (
    ONLY_950,
    castable_from,
    delivered,
    feasible,
    given,
    listed,
    pointers_and_shapes,
    ranks,
    shape_of,
)
from aclhost.ops.pointwise.declare import (
    COMPLEX,
    INTEGERS,
    NEW_BF16,
    REALS,
    Row,
    Torch,
    declare,
    with_twin,
)
from aclhost.ops.pointwise.deduction import (
    ON_950,
    by_product,
    combined_with_default,
    first_match,
    floating_or_float,
    is_complex,
    is_floating,
    replaced,
)
from aclhost.spec import math
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, INT32
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.rules import Rule, done_when_empty, not_private, one_of, requires, when
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import (
    CanCast,
    DtypeOf,
    If,
    In,
    Not,
    Or,
    Promote,
    Term,
    ValueOf,
    all_of,
    promoted,
)

_REAL_TABLE = (FLOAT16, FLOAT, *INTEGERS, DOUBLE, BOOL, NEW_BF16)
_TABLE = (*_REAL_TABLE, *COMPLEX)
_MODE = ValueOf("mode")
_BY_ZERO = (
    "An integer divided by 0 has all bits set (-1); upstream leaves it open, and torch refuses it."
)
_ANY_OUT = "The documented rule that what is computed converts to the result is not enforced"
_MODES = """Mode 0: `{out} = {x} / other`; mode 1: `{out} = trunc({x} / other)`; \
mode 2: `{out} = floor({x} / other)`. Modes 1 and 2 of integers are exact."""


def quotient(x: Element, y: Element) -> Element:
    """Never of integers: those are divided as FLOAT."""
    return truncated(x, y) if x.is_integer else x / y


def truncated(x: Element, y: Element) -> Element:
    """Complex numbers do not come here."""
    return x / y if x.is_complex else math.trunc_divide(x, y)


def floored(x: Element, y: Element) -> Element:
    """Complex numbers do not come here."""
    return x / y if x.is_complex else math.floor_divide(x, y)


def _torch_quotient(torch: Torch, x: Torch, y: Torch) -> Torch:
    return torch.true_divide(x, y)


def _torch_by_mode(torch: Torch, x: Torch, y: Torch, mode: int = 0) -> Torch:
    """Integers are never divided as such with mode 0."""
    if mode == 2:
        return _torch_floored(torch, x, y)
    whole = not (x.is_floating_point() or x.is_complex())
    return torch.div(x, y, rounding_mode="trunc" if mode == 1 or whole else None)


def _torch_floored(torch: Torch, x: Torch, y: Torch) -> Torch:
    """Torch's own function of floats goes through the remainder."""
    result = torch.true_divide(x, y)
    either = [each for each in (x, y) if torch.is_tensor(each)]
    whole = not any(each.is_floating_point() for each in either) and not isinstance(y, float)
    return torch.floor_divide(x, y) if whole else torch.floor(result)


def _mode_is(number: int) -> Term:
    return In(_MODE, (number,))


def _converts(out: str, source: Term, mode: bool) -> tuple[Rule, ...]:
    """Mode 1 is not asked on Ascend 950."""
    (rule,) = castable_from(out, source)
    if not mode:
        return (rule,)
    free = all_of(ON_950, _mode_is(1))
    text = f"{rule.text}, except with mode 1 on Ascend 950"
    holds = Or(free, CanCast(source, DtypeOf(out)))
    return requires(rule.id, out, holds, text, rule.got, rule.advice)


def _rounded_is_real(common: Term) -> tuple[Rule, ...]:
    """Complex quotients cannot be rounded."""
    return requires(
        "real_quotient",
        "mode",
        Or(_mode_is(0), Not(is_complex(common))),
        "mode must be 0 for complex operands",
        (Shown("integer", _MODE), " for ", Shown("dtype", common)),
        "Round real and imaginary parts separately.",
    )


def _last_checks(
    name: str, out: str, inputs: tuple[str, ...], common: Term, computed: Term, mode: bool
) -> tuple[Any, ...]:
    if not mode:
        return (delivered(name, out, inputs, computed),)
    return (
        one_of("mode", 0, 1, 2, meaning="0 for real, 1 for trunc, 2 for floor"),
        done_when_empty(*inputs),
        _rounded_is_real(common),
        feasible(name, out, inputs, computed),
    )


def _kind(mode: bool, x: str, out: str) -> dict[str, Any]:
    """What operators with a mode have and others have not."""
    if not mode:
        return {"dtypes": (*REALS, *COMPLEX), "reference": _torch_quotient}
    return {
        "reference": _torch_by_mode,
        "dtypes": (*REALS, *INTEGERS, *COMPLEX),
        "variants": (truncated, floored),
        "variant": _MODE,
        "formula": _MODES.format(x=x, out=out),
        "notes": (
            _BY_ZERO,
            "DOUBLE is computed in double and integers exactly; upstream's A2 divides them as "
            "FLOAT in modes 0 and 1.",
            "The quotient of FLOAT16 and BF16 is not rounded before trunc and floor.",
        ),
    }


def _of_tensors(name: str, x: str, out: str, mode: bool) -> Operator:
    common = promoted(x, "other")
    real = floating_or_float(common)
    rounded = replaced(common, FLOAT, BOOL)
    computed = If(_mode_is(0), real, rounded) if mode else real
    on_950 = If(_mode_is(0), real, common) if mode else real
    pointers, shapes = pointers_and_shapes(out, x, "other", shapes_first=True)
    return declare(Row(
        name, "Divides two tensors.",
        (pointers if x == out else given(out, "other", x), shapes, listed(("other", x), *_TABLE),
         _converts(out, by_product(on_950, common), mode),
         not_private(*dict.fromkeys((x, "other", out))),
         *_last_checks(name, out, (x, "other"), common, computed, mode)),
        quotient, (x, "other"), out, computed, mixed=(FLOAT16, INT32),
        **_kind(mode, x, out),
    ))  # fmt: skip


def _by_scalar(name: str, x: str, out: str, mode: bool) -> Operator:
    tensor, other = DtypeOf(x), DtypeOf("other")
    common, combined = Promote(tensor, other), combined_with_default(tensor, other)
    real = If(is_complex(other), Promote(floating_or_float(tensor), other),
              floating_or_float(tensor))  # fmt: skip
    truncates = first_match(
        (is_complex(common), common),
        (is_floating(tensor), tensor),
        (is_floating(other), FLOAT),
        otherwise=replaced(common, FLOAT, BOOL),
    )
    short = (FLOAT16, BF16)
    computed = by_product(replaced(real, FLOAT, *short), real)
    if mode:
        rounded_950 = replaced(combined, FLOAT, BOOL, *short)
        rounded = If(_mode_is(1), truncates, replaced(common, FLOAT, BOOL))
        computed = If(_mode_is(0), computed, by_product(rounded_950, rounded))
    real_950 = floating_or_float(combined)
    on_950 = If(_mode_is(0), real_950, combined) if mode else real_950
    return declare(Row(
        name, "Divides a tensor by a scalar.",
        (given(x, "other", out), not_private(*dict.fromkeys((out, x))),
         listed(("other", x), *_TABLE), ranks(x), shape_of(out, x),
         _converts(out, by_product(on_950, tensor), mode),
         *_last_checks(name, out, (x,), common, computed, mode)),
        quotient, (x,), out, computed, numbers=("other",),
        result=If(is_floating(tensor), first_match((is_complex(other), computed), otherwise=tensor),
                  computed),
        **_kind(mode, x, out),
    ))  # fmt: skip


def _floor_divide(prefix: str, x: str, out: str) -> Operator:
    name, common = f"{prefix}FloorDivide", promoted(x, "other")
    computed = replaced(common, FLOAT, BOOL)
    pointers, shapes = pointers_and_shapes(out, x, "other", shapes_first=True)
    return declare(Row(
        name, "Divides two tensors and rounds down.",
        (pointers, listed((x, "other"), *_REAL_TABLE),
         when(ONLY_950, castable_from(out, common)), shapes,
         delivered(name, out, (x, "other"), computed)),
        floored, (x, "other"), out, computed, (*REALS, *INTEGERS), _torch_floored,
        mixed=(FLOAT16, INT32), notes=(_BY_ZERO, f"{_ANY_OUT} except on Ascend 950."),
    ))  # fmt: skip


def _floor_divides(prefix: str, x: str, out: str) -> Operator:
    name, tensor, other = f"{prefix}FloorDivides", DtypeOf(x), DtypeOf("other")
    on_950 = replaced(combined_with_default(tensor, other), FLOAT, FLOAT16, BF16)
    computed = replaced(by_product(on_950, Promote(tensor, other)), FLOAT, BOOL)
    return declare(Row(
        name, "Divides a tensor by a scalar and rounds down.",
        (given(x, "other", out), listed((x, "other"), *_REAL_TABLE),
         when(ONLY_950, castable_from(out, on_950)), ranks(x), shape_of(out, x),
         delivered(name, out, (x,), computed)),
        floored, (x,), out, computed, (*REALS, *INTEGERS), _torch_floored, numbers=("other",),
        notes=(_BY_ZERO, f"{_ANY_OUT} except on Ascend 950."),
    ))  # fmt: skip


OPS = (
    *with_twin(lambda prefix, x, out: _of_tensors(f"{prefix}Div", x, out, mode=False), early=4),
    *with_twin(lambda prefix, x, out: _by_scalar(f"{prefix}Divs", x, out, mode=False)),
    *with_twin(lambda prefix, x, out: _of_tensors(f"{prefix}DivMod", x, out, mode=True), early=4),
    *with_twin(lambda prefix, x, out: _by_scalar(f"{prefix}DivMods", x, out, mode=True)),
    *with_twin(_floor_divide),
    *with_twin(_floor_divides),
)
