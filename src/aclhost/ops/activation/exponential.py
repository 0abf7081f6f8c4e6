# SPDX-License-Identifier: Apache-2.0
"""Functions with an exponential part: softplus, mish, CELU and SELU."""

from __future__ import annotations

from typing import Any

from aclhost.ops.activation.build import (
    FLOATS,
    GRADIENT,
    ONE_DTYPE,
    TABLE,
    aten,
    backward,
    functional,
    same_dtypes,
    same_shapes,
)
from aclhost.ops.pointwise.checks import broadcast_to, delivered, given, listed, ranks, shape_of
from aclhost.ops.pointwise.declare import INTEGERS, NEW_BF16, Row, Torch, declare, with_twin
from aclhost.ops.pointwise.deduction import floating_or_float, is_integer, replaced
from aclhost.ops.pointwise.unary import Unary, operators, own
from aclhost.ops.pointwise.unary_checks import (
    gives,
    gives_same_shape,
    in_order,
    takes,
)
from aclhost.spec import math
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, INT8, INT32
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import Scalar
from aclhost.spec.products import A2, A3, A950, P310B
from aclhost.spec.rules import (
    castable_scalars,
    castable_to,
    only_on,
    requires,
    same_format_unless_nd,
    same_shape,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import And, DtypeOf, Equal, If, In, Or, RealIs, Term, const, promoted

_PAIR = (GRADIENT, "self")
_BETA = Scalar("beta", "Factor of the input; the larger, the closer to ReLU.", 1.0)
_LIMIT = Scalar("threshold", "Where beta times an element exceeds this, nothing is done.", 20.0)
_NUMBERS: dict[str, Any] = {"numbers": ("beta", "threshold"), "params": (_BETA, _LIMIT)}
_SELU = (*TABLE, INT32, INT8)
_ALPHA, _SCALE = 1.6732632423543772848, 1.0507009873554804934
_WRAPS = ("INT8 is computed like INT32; what does not fit wraps.",)


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


def celu(x: Element, alpha: Element) -> Element:
    """NaN stays NaN."""
    return math.where(x > 0, x, alpha * math.expm1(x / alpha))


def selu(x: Element) -> Element:
    """Fractions of integers are cut off."""
    real = math.cast(x, "real")
    y = _SCALE * math.where(real > 0, real, _ALPHA * math.expm1(real))
    return math.cast(y, "int32") if x.is_integer else y


def selu_backward(gradient: Element, y: Element) -> Element:
    """Of the forward's result."""
    return gradient * math.where(y > 0, _SCALE, y + _SCALE * _ALPHA)


def selu_backward_of_integers(gradient: Element, y: Element) -> Element:
    """The nearest integer."""
    return math.round(selu_backward(gradient, y))


def _int8_in_int32(x: Term, out: Term) -> Term:
    return replaced(x, INT32, INT8)


def _torch_selu_backward(torch: Torch, gradient: Torch, y: Torch) -> Torch:
    return torch.ops.aten.elu_backward(gradient, _ALPHA, _SCALE, 1.0, True, y)


def _celu(prefix: str, x: str, out: str) -> Operator:
    name = f"{prefix}Celu"
    not_0 = requires(
        "not_0", "alpha", Or(RealIs("alpha", ">", 0.0), RealIs("alpha", "<", 0.0)),
        "alpha must be a number other than 0", (Shown("real", "alpha"),), "Pass 1, for example.",
    )  # fmt: skip
    return declare(Row(
        name, "Exponential below 0, smoothly continued above.",
        (given(x, "alpha", out), listed((x,), FLOAT, FLOAT16, only_on(BF16, A950, A3, A2, P310B)),
         castable_scalars(FLOAT, "alpha"), () if x == out else castable_to(out, x), ranks(x),
         shape_of(out, x), not_0, delivered(name, out, (x,), DtypeOf(x))),
        celu, (x,), out, DtypeOf(x), FLOATS, functional("celu"), numbers=("alpha",), ulps=4,
        params=(Scalar("alpha", "Where the exponential part ends.", 1.0),),
    ))  # fmt: skip


def _selu_backward() -> Operator:
    g, y, out = GRADIENT, "result", "gradInput"
    return backward(
        "aclnnSeluBackward", "aclnnSelu", selu_backward, _torch_selu_backward,
        (given(g, y, out), same_dtypes(y, out, g), listed((g,), *_SELU), same_shapes(y, out, g),
         delivered("aclnnSeluBackward", out, (g, y))),
        inputs=(g, y), computed=floating_or_float(DtypeOf(y)), result=DtypeOf(y), ulps=4,
        variants=(selu_backward_of_integers,), variant=is_integer(DtypeOf(y)),
        cases=("floating-point types", "integers"),
        notes=("Upstream takes integers through FLOAT16, which holds few of them; aclhost through "
               "FLOAT.",),
    )  # fmt: skip


OPS = (
    _softplus(),
    _softplus_backward(),
    *operators(
        Unary(
            "aclnnMish", "Each element times tanh of its softplus.", mish,
            ONE_DTYPE, "nn.functional.mish", computed=own, result=own, ulps=4,
        ),
    ),
    _mish_backward(),
    *with_twin(_celu),
    *operators(
        Unary(
            "aclnnSelu", "ELU with the scales that keep mean and variance.", selu,
            in_order(takes(*_SELU), gives(*_SELU), gives_same_shape), "selu",
            computed=_int8_in_int32, result=own, ulps=4,
            notes=_WRAPS,
        ),
    ),
    _selu_backward(),
)  # fmt: skip
