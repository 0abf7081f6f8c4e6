# SPDX-License-Identifier: Apache-2.0
"""Integers whose bits are shifted."""

from __future__ import annotations

from functools import partial

from aclhost.ops.pointwise.checks import broadcast_to, computes, feasible, given, listed, ranks
from aclhost.ops.pointwise.comparison import torch_function
from aclhost.ops.pointwise.declare import INTEGERS, Checks, Row, declare, with_sample
from aclhost.spec.call import Call, ScalarArg
from aclhost.spec.dtypes import INT8, UINT8, UINT16, UINT32, UINT64, DataType
from aclhost.spec.expression import Element
from aclhost.spec.math import where
from aclhost.spec.operator import Operator
from aclhost.spec.pointwise import NumberFrom
from aclhost.spec.rules import done_when_empty, not_private, same_shape
from aclhost.spec.terms import And, AtMost, Const, DtypeOf, If, ScalarInteger, promoted

_UNSIGNED = (UINT16, UINT32, UINT64)
_INTEGERS = (*INTEGERS, *_UNSIGNED)
_COUNT = {"shiftBits": "How many places."}
_NO_PLACE = (
    "Upstream does not say what a count gives that is negative or reaches the width; 0, as in "
    "torch."
)
_KEPT = (
    "A negative count is 0, and one that reaches the width is the width less 1; torch shifts "
    "unsigned integers to 0 then."
)


def shift_left(x: Element, count: Element) -> Element:
    """0 for counts that are negative or reach the width."""
    return x << count


def shift_right(x: Element, count: Element) -> Element:
    """At most all places but one."""
    if not x.is_unsigned:
        return x >> where(count < 0, 0, count)
    highest = where(x + x < x, 1, 0)  # doubling loses the highest bit
    return where((1 << count) == 0, highest, x >> count)


def _tensors(name: str, x: str, to_the_left: bool) -> Operator:
    inputs, common = (x, "shiftBits"), promoted(x, "shiftBits")
    checks: Checks = (
        given(*inputs, "out"),
        listed((*inputs, "out"), *_INTEGERS),
        ranks(*inputs),
        broadcast_to("out", *inputs),
        not_private(*inputs, "out") if to_the_left else (),
        done_when_empty(*inputs),
        computes("shiftBits", common),
        feasible(name, "out", inputs),
    )
    side = "left" if to_the_left else "right"
    return declare(Row(
        name, f"Shifts the bits of integers to the {side}.", checks,
        shift_left if to_the_left else shift_right, inputs, "out", common, _INTEGERS,
        torch_function(f"bitwise_{side}_shift"), result=DtypeOf(x), mixed=(UINT8, INT8),
        formula="" if to_the_left else f"`out = {x} >> min(max(shiftBits, 0), width - 1)`",
        notes=(_NO_PLACE if to_the_left else _KEPT,), docs={**_COUNT, "input": "First operand."},
    ))  # fmt: skip


# What is left of a wider common type once it is cut off does not depend on its width.
_COUNTED = ScalarInteger("shiftBits")
_PLACES = If(And(AtMost(Const(0), _COUNTED), AtMost(_COUNTED, Const(63))), _COUNTED, Const(64))


def _left_shifts() -> Operator:
    name, common = "aclnnLeftShifts", promoted("self", "shiftBits")
    checks: Checks = (
        given("self", "shiftBits", "out"),
        listed(("self", "shiftBits", "out"), *_INTEGERS),
        ranks("self"),
        same_shape("out", "self"),
        not_private("self", "out"),
        done_when_empty("self"),
        computes("shiftBits", common),
        feasible(name, "out", ("self",)),
    )
    op = declare(Row(
        name, "Shifts the bits of integers to the left, all by the same count.", checks,
        shift_left, ("self",), "out", DtypeOf("self"), _INTEGERS,
        torch_function("bitwise_left_shift"),
        numbers=(NumberFrom("shiftBits", value=_PLACES),), notes=(_NO_PLACE,), docs=_COUNT,
    ))  # fmt: skip
    for dtype in _UNSIGNED:
        op = with_sample(op, partial(_of_one_dtype, dtype))
    return op


def _of_one_dtype(dtype: DataType, call: Call) -> Call:
    return call.retyped(dtype, "self").passing(shiftBits=ScalarArg(1, dtype))


OPS = (
    _tensors("aclnnLeftShift", "self", to_the_left=True),
    _left_shifts(),
    _tensors("aclnnRightShift", "input", to_the_left=False),
)
