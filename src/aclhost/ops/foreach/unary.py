# SPDX-License-Identifier: Apache-2.0
"""Functions of one tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aclhost.ops.foreach.build import FLOATS, Row, declare
from aclhost.ops.foreach.checks import Dtypes
from aclhost.ops.foreach.numbers import NARROW_BEFORE_950, REALS_ON_950, torch_foreach
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT8, INT32, INT64
from aclhost.spec.operator import Operator

_CUT_OFF = "Integers are computed in float and cut off."


def _function(
    name: str, summary: str, dtypes: Dtypes = FLOATS, ulps: float = 2, notes: tuple[str, ...] = ()
) -> Operator:
    return declare(Row(
        name, f"{summary} of every element.", f"out[i] = {name.lower()}(x[i])", name,
        ("x[i]", "out[i]"), _of_reals(name.lower()), dtypes,
        stated=name == "Sqrt", whole_span=(0, 6), ulps=ulps, notes=notes,
    ))  # fmt: skip


def _of_reals(name: str) -> Callable[..., Any]:
    """Torch has other results for integers."""
    function = torch_foreach(name)

    def reference(torch: Any, x: Any) -> Any:  # noqa: ANN401
        return function(torch, x=x) if x[0].is_floating_point() else NotImplemented

    return reference


def _in_place(name: str, base: str, summary: str) -> Operator:
    return declare(Row(
        name, f"{summary} of every element, in place.", f"x[i] = {base.lower()}(x[i])", base,
        ("x[i]", "x[i]"), torch_foreach(base.lower()),
    ))  # fmt: skip


def _torch_sign(torch: Any, x: Any) -> Any:  # noqa: ANN401
    """For NaN 0."""
    return [each.sign().nan_to_num() for each in x]


OPS = (
    _function("Abs", "The size"),
    _function("Acos", "The arc cosine"),
    _function("Asin", "The arc sine"),
    _function("Atan", "The arc tangent"),
    _function("Cos", "The cosine"),
    _function("Cosh", "The hyperbolic cosine"),
    _function("Erf", "The error function"),
    _function("Erfc", "The complement of the error function"),
    _function("Exp", "The exponential", REALS_ON_950, notes=(_CUT_OFF,)),
    _function("Expm1", "The exponential less 1", REALS_ON_950, notes=(_CUT_OFF,)),
    _function("Log", "The natural logarithm"),
    _function("Log10", "The decimal logarithm"),
    _function("Log1p", "The natural logarithm of 1 more"),
    _function("Log2", "The binary logarithm"),
    _function("Reciprocal", "The reciprocal"),
    _function("Sigmoid", "The logistic function", ulps=4),
    _function("Sin", "The sine"),
    _function("Sinh", "The hyperbolic sine"),
    _function("Sqrt", "The square root"),
    _function("Tan", "The tangent"),
    _function("Tanh", "The hyperbolic tangent"),
    declare(Row(
        "Neg", "Every element with the other sign.", "out[i] = -x[i]", "Muls",
        ("x[i]", -1, "out[i]"), torch_foreach("neg"), NARROW_BEFORE_950,
    )),
    declare(Row(
        "Sign", "-1, 0 or 1 for every element, for NaN 0.", "out[i] = sign(x[i])", "Sign",
        ("x[i]", "out[i]"), _torch_sign, (FLOAT, FLOAT16, BF16, INT8, INT32, INT64),
        whole_span=(-3, 4),
    )),
    _in_place("ACosInplace", "Acos", "The arc cosine"),
    _in_place("LogInplace", "Log", "The natural logarithm"),
)  # fmt: skip
