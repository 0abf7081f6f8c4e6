# SPDX-License-Identifier: Apache-2.0
"""Softplus, and mish, which gates by it."""

from __future__ import annotations

from typing import Any

from aclhost.ops.activation.build import (
    FLOATS,
    GRADIENT,
    TABLE,
    aten,
    backward,
    functional,
    same_shapes,
)
from aclhost.ops.pointwise.checks import broadcast_to, delivered, given, listed, ranks
from aclhost.ops.pointwise.declare import INTEGERS, NEW_BF16, Row, declare
from aclhost.ops.pointwise.unary import Unary, operators, own
from aclhost.ops.pointwise.unary_checks import gives, gives_same, in_order, ranks_then_shape, takes
from aclhost.spec import math
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import Scalar
from aclhost.spec.rules import castable_scalars, castable_to, same_format_unless_nd, same_shape
from aclhost.spec.terms import And, DtypeOf, Equal, If, In, const, promoted

_PAIR = (GRADIENT, "self")
_BETA = Scalar("beta", "Factor of the input; the larger, the closer to ReLU.", 1.0)
_LIMIT = Scalar("threshold", "Where beta times an element exceeds this, nothing is done.", 20.0)
_NUMBERS: dict[str, Any] = {"numbers": ("beta", "threshold"), "params": (_BETA, _LIMIT)}


def softplus(x: Element, beta: Element, limit: Element) -> Element:
    """Without overflow below the limit."""
    return math.where(beta * x > limit, x, math.log1p_exp(beta * x) / beta)


def softplus_backward(gradient: Element, x: Element, beta: Element, limit: Element) -> Element:
    """The logistic function below the limit."""
    return math.where(beta * x > limit, gradient, gradient * math.sigmoid(beta * x))


def _tanh_of_softplus(x: Element) -> tuple[Element, Element]:
    """The value, and what it lacks of 1, by one exponential that does not overflow."""
    t = math.exp(-abs(x))
    part = math.where(x > 0, 1 + 2 * t, t * (t + 2))
    rest = math.where(x > 0, 2 * t * t, 2.0)
    return part / (part + rest), rest / (part + rest)


def mish(x: Element) -> Element:
    """X times tanh of its softplus."""
    value, _ = _tanh_of_softplus(x)
    return x * value


def mish_backward(gradient: Element, x: Element) -> Element:
    """By the product rule; 1 - tanh^2 without cancellation."""
    value, lack = _tanh_of_softplus(x)
    return gradient * (value + x * math.sigmoid(x) * (lack * (1 + value)))


def _softplus() -> Operator:
    return declare(Row(
        "aclnnSoftplus", "A smooth form of ReLU.",
        (given("self", "beta", "threshold", "out"), listed(("self",), *TABLE),
         castable_scalars(FLOAT, "beta", "threshold"), castable_to("out", "self"),
         ranks("self"), same_shape("out", "self"),
         delivered("aclnnSoftplus", "out", ("self",), DtypeOf("self"))),
        softplus, ("self",), "out", DtypeOf("self"), FLOATS, functional("softplus"),
        docs={"self": "Input."}, ulps=4, **_NUMBERS,
    ))  # fmt: skip


def _softplus_backward() -> Operator:
    g, x, out = *_PAIR, "gradInput"
    name, table = "aclnnSoftplusBackward", (FLOAT, FLOAT16, DOUBLE, NEW_BF16)
    own_dtype = And(Equal(DtypeOf(g), DtypeOf(x)), In(DtypeOf(x), FLOATS))
    return backward(
        name, "aclnnSoftplus", softplus_backward, aten("softplus_backward"),
        (given(g, x, out, "beta", "threshold"), listed((g,), *table),
         listed((x,), *INTEGERS, *table, BOOL), listed((out,), *table), ranks(g, x, out),
         same_shapes(g, out, x), delivered(name, out, (g, x))),
        computed=If(own_dtype, DtypeOf(x), const(FLOAT)), mixed=(FLOAT16, BOOL), ulps=4,
        **_NUMBERS,
        notes=("DOUBLE is computed in FLOAT, as upstream does.",
               "Upstream looks at neither beta nor threshold before it uses them; a null pointer "
               "is 161001 here."),
    )  # fmt: skip


def _mish_backward() -> Operator:
    g, x, out = *_PAIR, "gradInput"
    return backward(
        "aclnnMishBackward", "aclnnMish", mish_backward, aten("mish_backward"),
        (given(g, x, out), castable_to(out, x), listed((g, x, out), *TABLE), ranks(g, x, out),
         broadcast_to(out, x, g), delivered("aclnnMishBackward", out, (g, x)),
         same_format_unless_nd(out, x)),
        computed=promoted(x, g), broadcasts=True, mixed=(BF16, FLOAT16), ulps=8, ulps_from=1.0,
    )  # fmt: skip


OPS = (
    _softplus(),
    _softplus_backward(),
    *operators(
        Unary(
            "aclnnMish", "Each element times tanh of its softplus.", mish,
            in_order(takes(*TABLE), gives(*TABLE), gives_same, ranks_then_shape),
            "nn.functional.mish", computed=own, result=own, ulps=4,
        ),
    ),
    _mish_backward(),
)  # fmt: skip
