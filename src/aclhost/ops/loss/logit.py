# SPDX-License-Identifier: Apache-2.0
"""The logarithm of odds, and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aclhost.ops.loss.build import FLOATS, PROBABILITY, TABLE, Torch, with_spans
from aclhost.ops.pointwise.build import pointwise_operator
from aclhost.ops.pointwise.checks import feasible, given, ranks, shape_of
from aclhost.ops.pointwise.declare import with_sample
from aclhost.spec import math
from aclhost.spec.dtypes import FLOAT
from aclhost.spec.expression import Element
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, TensorIn, TensorOut
from aclhost.spec.pointwise import NumberFrom, Pointwise
from aclhost.spec.rules import done_when_empty, dtype_in, same_dtype
from aclhost.spec.terms import DtypeOf, const

_EPSILON = 0.0625  # the samples': 1 - eps is exact


def logit(x: Element, eps: Element) -> Element:
    """Unless eps is negative, x stays between eps and 1 - eps."""
    bounded = math.where(x < eps, eps, math.where(x > 1 - eps, 1 - eps, x))
    inside = math.where(eps >= 0, bounded, x)
    return math.log(inside / (1 - inside))


def logit_slope(x: Element, g: Element, eps: Element) -> Element:
    """0 outside of the bounds; NaN outside of 0 and 1 where eps is negative."""
    least = math.maximum(eps, 0)
    inside = math.logical_and(x >= least, x <= 1 - least)
    return math.where(inside, g / (x * (1 - x)), math.where(eps >= 0, 0, math.nan))


def _operator(
    name: str, summary: str, function: Callable[..., Element], inputs: tuple[str, ...],
    reference: Callable[..., Any], gradient: Gradient | None = None,
) -> Operator:  # fmt: skip
    x = inputs[0]
    docs = ("Probabilities.", "Gradient of the result.")
    op = pointwise_operator(
        name,
        summary,
        (
            *(TensorIn(each, doc) for each, doc in zip(inputs, docs, strict=False)),
            Double("eps", "Distance from 0 and 1 that x is kept at; negative for none.", -1.0),
            TensorOut("out", "Result.", like=x, is_const=True),
        ),
        (given(*inputs, "out"), dtype_in(x, *TABLE),
         *(same_dtype(each, x) for each in (*inputs[1:], "out")), ranks(x),
         *(shape_of(each, x) for each in (*inputs[1:], "out")), done_when_empty(x),
         feasible(name, "out", inputs)),
        Pointwise(inputs, ("out",), (NumberFrom("eps", const(FLOAT)),), DtypeOf(x), function,
                  FLOATS),
        reference=reference,
        ulps=4,
        ulps_from=1.0 if name == "aclnnLogit" else 0.0,
        gradient=gradient,
        notes=("eps, and 1 - eps, are rounded to FLOAT.",
               "Upstream generates the checks of this operator; their order is not documented."),
    )  # fmt: skip
    op = with_sample(op, lambda call: call.passing(eps=_EPSILON))
    return with_spans(op, {x: PROBABILITY})


def _torch_logit(torch: Torch, input: Torch, eps: float) -> Torch:
    return torch.logit(input, eps=eps)


def _torch_slope(torch: Torch, x: Torch, dy: Torch, eps: float) -> Torch:
    return torch.ops.aten.logit_backward(dy, x, eps)


OPS = (
    _operator("aclnnLogit", "Logarithm of the odds of a probability.", logit, ("input",),
              _torch_logit),
    _operator("aclnnLogitGrad", "Gradient of the logarithm of odds.", logit_slope, ("x", "dy"),
              _torch_slope,
              Gradient("aclnnLogit", {"out": "input"}, {"dy": "out"}, saved={"x": "input"})),
)  # fmt: skip
