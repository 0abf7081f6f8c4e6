# SPDX-License-Identifier: Apache-2.0
"""SiLU and swish: elements gated by their logistic function."""

from __future__ import annotations

from functools import partial

from aclhost.ops.activation.build import (
    FLOATS,
    GRADIENT,
    TABLE,
    aten,
    backward,
    differentiated,
    readable_161001,
    same_dtypes,
    same_shapes,
)
from aclhost.ops.activation.sigmoid import ANY_RANK, ONE_DTYPE
from aclhost.ops.pointwise.checks import ONLY_950, broadcast_to, delivered, given, listed, ranks
from aclhost.ops.pointwise.declare import Row, Torch, declare, known, with_sample
from aclhost.ops.pointwise.deduction import ON_950
from aclhost.ops.pointwise.unary import Unary, operators, own
from aclhost.spec import math
from aclhost.spec.call import Call
from aclhost.spec.dtypes import BF16, FLOAT
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import Scalar
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    Condition,
    castable_scalars,
    done_when_empty,
    dtype_is,
    same_dtype,
    supported_on,
    when,
)
from aclhost.spec.terms import And, Const, DtypeOf, Equal, If, Not, Present, const, promoted

_PAIR = (GRADIENT, "self")
_BETA = "betaOptional"
_BETA_PARAM = Scalar(_BETA, "Factor inside the logistic function; 1 where it is left out.",
                     optional=True)  # fmt: skip
_BETA_GIVEN = Condition(Present(_BETA), f"{_BETA} is given")


def silu(x: Element, beta: Element = None) -> Element:
    """X times its logistic function."""
    return x * math.sigmoid(x)


def silu_backward(gradient: Element, x: Element, beta: Element = None) -> Element:
    """By the product rule."""
    s = math.sigmoid(x)
    return gradient * (s * (1 + x * (1 - s)))


def swish(x: Element, beta: Element) -> Element:
    """The same with a steeper or flatter gate."""
    return x * math.sigmoid(beta * x)


def swish_backward(gradient: Element, x: Element, beta: Element) -> Element:
    """By the product rule."""
    s = math.sigmoid(beta * x)
    return gradient * (s * (1 + beta * x * (1 - s)))


def _torch_swish(torch: Torch, x: Torch, beta: float = 1.0) -> Torch:
    return x * torch.sigmoid(beta * x)


def _with_and_without_beta(op: Operator) -> Operator:
    return with_sample(op, partial(Call.passing, **{_BETA: None}))


def _swish() -> Operator:
    return _with_and_without_beta(declare(Row(
        "aclnnSwish", "Each element times the logistic function of a multiple of it.",
        (given("self", "out"), listed(("self", "out"), *TABLE), same_dtype("out", "self"),
         when(_BETA_GIVEN, castable_scalars(FLOAT, _BETA)), ranks("self", "out"),
         same_shapes("out", "self"), delivered("aclnnSwish", "out", ("self",))),
        swish, ("self",), "out", DtypeOf("self"), FLOATS, _torch_swish, numbers=(_BETA,),
        variants=(silu,), variant=If(Present(_BETA), Const(0), Const(1)),
        cases=("with betaOptional", "without"), params=(_BETA_PARAM,), ulps=4,
        docs={"self": "Input."},
    )))  # fmt: skip


def _swish_backward() -> Operator:
    g, x, out = *_PAIR, "gradInput"
    return _with_and_without_beta(backward(
        "aclnnSwishBackward", "aclnnSwish", swish_backward, differentiated(_torch_swish),
        (given(g, x, out), listed((g, x), *TABLE),
         when(_BETA_GIVEN, castable_scalars(FLOAT, _BETA)), same_dtypes(g, x, out),
         ranks(g, x, out), same_shapes(g, x, out), done_when_empty(x),
         supported_on(*known("aclnnSwishBackward").products), readable_161001(g, x)),
        numbers=(_BETA,), variants=(silu_backward,),
        variant=If(Present(_BETA), Const(0), Const(1)), cases=("with betaOptional", "without"),
        params=(_BETA_PARAM,), ulps=8, ulps_from=1.0,
    ))  # fmt: skip


def _silu_backward() -> Operator:
    """The Ascend 950 broadcasts and mixes dtypes."""
    g, x, out = *_PAIR, "gradInput"
    is_mixed = And(ON_950, Not(Equal(DtypeOf(g), DtypeOf(x))))
    mixed = Condition(is_mixed, f"{g} and {x} differ in dtype on Ascend 950")
    plain = Condition(Not(is_mixed), f"{g} and {x} have one dtype or the product is another")
    old = Condition(Not(ON_950), "the product is not Ascend 950")
    op = backward(
        "aclnnSiluBackward", "aclnnSilu", silu_backward, aten("silu_backward"),
        (given(g, x, out), listed((g, x, out), *TABLE),
         when(mixed, dtype_is(out, const(FLOAT), "FLOAT where the other dtypes differ")),
         when(plain, same_dtypes(g, x, out)), ranks(g, x), when(old, same_shapes(g, x, out)),
         when(ONLY_950, broadcast_to(out, g, x)), done_when_empty(g, x),
         supported_on(*known("aclnnSiluBackward").products), readable_161001(g, x)),
        computed=promoted(g, x), ulps=8, ulps_from=1.0,
    )  # fmt: skip
    op = with_sample(op, lambda call: call.on(A950).retyped(BF16, g))
    return with_sample(op, lambda call: call.on(A950).reshaped((2, 1), g))


OPS = (
    *operators(
        Unary(
            "aclnnSilu", "Each element times its logistic function.", silu, ONE_DTYPE,
            "nn.functional.silu", computed=own, result=own, ulps=4, notes=ANY_RANK,
        ),
    ),
    _silu_backward(),
    _swish(),
    _swish_backward(),
)  # fmt: skip
