# SPDX-License-Identifier: Apache-2.0
"""Relatives of ELU: exponential below 0, straight above."""

from __future__ import annotations

from aclhost.ops.activation.build import (
    FLOATS,
    GRADIENT,
    TABLE,
    backward,
    functional,
    same_dtypes,
    same_shapes,
)
from aclhost.ops.pointwise.checks import delivered, given, listed, ranks, shape_of
from aclhost.ops.pointwise.declare import Row, Torch, declare, with_twin
from aclhost.ops.pointwise.deduction import floating_or_float, is_integer, replaced
from aclhost.ops.pointwise.unary import Unary, operators, own
from aclhost.ops.pointwise.unary_checks import gives, gives_same_shape, in_order, takes
from aclhost.spec import math
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT8, INT32
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import Scalar
from aclhost.spec.products import A2, A3, A950, P310B
from aclhost.spec.rules import castable_scalars, castable_to, only_on, requires
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import DtypeOf, Or, RealIs, Term

_SELU = (*TABLE, INT32, INT8)
_ALPHA, _SCALE = 1.6732632423543772848, 1.0507009873554804934
_WRAPS = ("INT8 is computed like INT32; what does not fit wraps.",)


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
