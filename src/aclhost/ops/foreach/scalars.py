# SPDX-License-Identifier: Apache-2.0
"""A list and one number for all members, in a tensor or as a scalar."""

from __future__ import annotations

from typing import Any

from aclhost.ops.foreach.build import FLOATS, Row, declare
from aclhost.ops.foreach.checks import Dtypes
from aclhost.ops.foreach.numbers import (
    NARROW_BEFORE_950,
    WITH_INT32,
    in_list,
    in_tensor,
    stated,
    torch_foreach,
)
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, INT32
from aclhost.spec.each import Source
from aclhost.spec.operator import Operator
from aclhost.spec.rules import Rule, requires
from aclhost.spec.rules.base import Shown
from aclhost.spec.status import Status
from aclhost.spec.terms import And, DtypeOf, Equal, In, Not, Or, RealIs, all_of, const

_MOST = {FLOAT: 3.4028235e38, FLOAT16: 65504.0, BF16: 3.3895314e38, INT32: 2.0**31 - 1}
# Name in torch, what it does, the formula, the operator and its arguments; # is the number.
_KINDS: dict[str, tuple[str, str, str, str, tuple[Source, ...]]] = {
    "Add": ("add", "Adds a number to", "{x} + {n}", "Adds", ("x[i]", "#", 1)),
    "Sub": ("sub", "Subtracts a number from", "{x} - {n}", "Subs", ("x[i]", "#", 1)),
    "Mul": ("mul", "Multiplies by a number", "{x} * {n}", "Muls", ("x[i]", "#")),
    "Div": ("div", "Divides by a number", "{x} / {n}", "Divs", ("x[i]", "#")),
    "Maximum": (
        "clamp_min", "The greater of a number and", "max({x}, {n})", "ClampMin", ("x[i]", "#"),
    ),
    "Minimum": (
        "clamp_max", "The lesser of a number and", "min({x}, {n})", "ClampMax", ("x[i]", "#"),
    ),
    "Pow": ("pow", "Raises to the same power", "pow({x}, {n})", "PowTensorScalar", ("x[i]", "#")),
}  # fmt: skip


def with_number(name: str, kind: str, number: str, dtypes: Dtypes, **more: Any) -> Operator:  # noqa: ANN401
    """The operator of one of the kinds, with a number from somewhere."""
    torch, summary, formula, base, sources = _KINDS[kind]
    out = "x[i]" if "Inplace" in name else "out[i]"
    given = tuple(number if source == "#" else source for source in sources)
    if kind == "Pow":
        more = {"whole_span": (0, 5), "number_span": (0.0, 4.0), **more}
    return declare(Row(
        name, f"{summary} every element.", f"{out} = {formula.format(x='x[i]', n=number)}", base,
        (*given, out), torch_foreach(torch), dtypes, summed=kind in ("Add", "Sub"), **more,
    ))  # fmt: skip


def _in_tensor(name: str, kind: str, dtypes: Dtypes, *, float_on_950: bool = False) -> Operator:
    numbers = in_tensor(dtypes, float_on_950=float_on_950)
    return with_number(name, kind, "scalar[0]", dtypes, numbers=numbers)


def _v2(
    name: str,
    kind: str,
    dtypes: Dtypes,
    *,
    float_on_950: bool = False,
    **more: Any,  # noqa: ANN401
) -> Operator:
    numbers = stated(dtypes, float_on_950=float_on_950)
    checks = (_fits(),) if kind in ("Maximum", "Minimum") else ()
    return with_number(
        name, kind, "scalar", dtypes, numbers=numbers, stated=True, checks=checks, **more
    )


def _fits() -> tuple[Rule, ...]:
    """Infinities do not, unless the scalar has the tensors' dtype."""
    inside = (
        Or(
            Or(Not(In(DtypeOf("x"), (dtype,))), Equal(DtypeOf("scalar"), const(dtype))),
            And(
                Not(RealIs("scalar", ">", most)),
                Not(RealIs("scalar", "<", -most - (1 if dtype is INT32 else 0))),
            ),
        )
        for dtype, most in _MOST.items()
    )
    return requires(
        "scalar_fits",
        "scalar",
        all_of(*inside),
        "scalar must be a number that x's dtype can hold, unless both have one dtype",
        (Shown("real", "scalar"), " for ", Shown("dtype", DtypeOf("x"))),
        "Use a smaller number or a wider dtype.",
    )


OPS = (
    _in_tensor("AddScalar", "Add", NARROW_BEFORE_950, float_on_950=True),
    _v2("AddScalarV2", "Add", NARROW_BEFORE_950, float_on_950=True,
        count_code=Status.PARAM_NULLPTR),
    _in_tensor("SubScalar", "Sub", WITH_INT32),
    _v2("SubScalarV2", "Sub", WITH_INT32),
    _in_tensor("SubScalarInplace", "Sub", WITH_INT32, float_on_950=True),
    _in_tensor("MulScalar", "Mul", WITH_INT32, float_on_950=True),
    _v2("MulScalarV2", "Mul", WITH_INT32, float_on_950=True),
    _in_tensor("MulScalarInplace", "Mul", WITH_INT32, float_on_950=True),
    with_number(
        "DivScalar", "Div", "scalar[0]", FLOATS, numbers=stated(FLOATS), stated=True,
    ),
    _v2("DivScalarV2", "Div", FLOATS),
    _in_tensor("MaximumScalar", "Maximum", WITH_INT32),
    _v2("MaximumScalarV2", "Maximum", WITH_INT32),
    _in_tensor("MinimumScalar", "Minimum", WITH_INT32),
    _v2("MinimumScalarV2", "Minimum", WITH_INT32),
    _in_tensor("PowScalar", "Pow", WITH_INT32),
    _v2("PowScalarV2", "Pow", WITH_INT32),
    declare(Row(
        "PowScalarAndTensor", "Raises a number to the powers that the elements are.",
        "out[i] = pow(scalar, x[i])", "PowScalarTensor", ("scalar", "x[i]", "out[i]"),
        torch_foreach("pow"), WITH_INT32, in_list(WITH_INT32, DOUBLE),
        whole_span=(0, 5), number_span=(0.0, 4.0),
    )),
)  # fmt: skip
