# SPDX-License-Identifier: Apache-2.0
"""Losses of a difference or a product: absolute and squared error, soft margin."""

from __future__ import annotations

from functools import partial
from typing import Any

from aclhost.ops.loss.build import (
    FLOATS,
    KNOWN_REDUCTION,
    MEAN,
    NONE,
    REDUCED,
    TABLE,
    WORDS,
    Torch,
    broadcasting,
    loss,
    loss_backward,
    out_shape,
    whole_shape,
)
from aclhost.ops.pointwise.checks import (
    castable_from,
    computed_in,
    feasible,
    given,
    listed,
    ranks,
    readable,
)
from aclhost.ops.pointwise.declare import with_sample
from aclhost.ops.pointwise.deduction import is_floating
from aclhost.spec import math
from aclhost.spec.call import Call
from aclhost.spec.dtypes import FLOAT, FLOAT16, INT64
from aclhost.spec.expression import Element
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.rules import (
    Condition,
    Rule,
    done_when_empty,
    dtype_in,
    requires,
    same_dtype,
    shape_is,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Broadcast, WithoutFirst
from aclhost.spec.terms import DtypeOf, If, In, Not, Or, ValueOf, const, promoted

PAIR = ("self", "target")
GRADIENT = ("gradOutput", *PAIR)
_EMPTY = "Of nothing, the mean is NaN and the sum 0; without reduction nothing is written."
_ORDER = "Sums are in double, in an order that follows from the shapes alone."


def _torch_loss(name: str) -> Any:  # noqa: ANN401
    def reference(torch: Torch, self: Torch, target: Torch, reduction: int) -> Torch:
        whole = torch.broadcast_tensors(self, target)
        return getattr(torch.nn.functional, name)(*whole, reduction=WORDS[reduction])

    return reference


def _torch_gradient(name: str) -> Any:  # noqa: ANN401
    """By autograd; an upstream gradient of the broadcast shape is summed for a mean or a sum."""

    def reference(
        torch: Torch, grad_output: Torch, self: Torch, target: Torch, reduction: int
    ) -> Torch:
        g, x, y = torch.broadcast_tensors(grad_output, self, target)
        x = x.clone().requires_grad_()
        each = getattr(torch.nn.functional, name)(x, y, reduction="none")
        (each * g / (x.numel() if reduction == 1 else 1)).sum().backward()
        finite = bool(x.grad.isfinite().all())
        return x.grad if finite else NotImplemented  # torch's soft margin overflows

    return reference


def _pairing(forward: str, out: str) -> Gradient:
    """The target's gradient is the input's with the other sign."""
    return Gradient(
        forward, results={out: "self"}, given={"gradOutput": "out"}, opposite={out: "target"}
    )


def absolute(x: Element, y: Element) -> Element:
    """Integers wrap."""
    return abs(x - y)


def absolute_slope(g: Element, x: Element, y: Element, count: Element) -> Element:
    """0 where both are equal."""
    return math.sign(x - y) / count * g


def square(x: Element, y: Element) -> Element:
    """The squared difference."""
    return (x - y) * (x - y)


def square_slope(g: Element, x: Element, y: Element, count: Element) -> Element:
    """Twice the difference."""
    return 2 * (x - y) / count * g


def soft_margin(x: Element, y: Element) -> Element:
    """log(1 + exp(-x * y))."""
    return math.log1p_exp(-(x * y))


def soft_margin_slope(g: Element, x: Element, y: Element, count: Element) -> Element:
    """-y / (1 + exp(x * y))."""
    return -y * math.sigmoid(-(x * y)) / count * g


def _l1_dtypes() -> tuple[Rule, ...]:
    own, other, common = DtypeOf("self"), DtypeOf("target"), promoted(*PAIR)
    shown = (Shown("dtype", own), " and ", Shown("dtype", other))
    return (
        *when(NONE, requires(
            "floating", "self", Or(is_floating(own), Not(is_floating(other))),
            "self must have a floating dtype if target has one", shown, "Cast self.",
        )),
        *when(MEAN, requires(
            "floating", "self", Or(is_floating(own), is_floating(other)),
            "self or target must have a floating dtype", shown, "Cast self, or take the sum.",
        )),
        *computed_in("target", common, FLOAT, FLOAT16, INT64, TABLE[-1]),
        *castable_from("out", common),
    )  # fmt: skip


def _l1_loss() -> Operator:
    name = "aclnnL1Loss"
    op = loss(
        name, "Absolute error of each element, its mean or its sum.", absolute,
        (given(*PAIR, "out"), KNOWN_REDUCTION, _l1_dtypes(), broadcasting(*PAIR), out_shape(*PAIR),
         done_when_empty(*PAIR, unless=REDUCED),
         feasible(name, "out", PAIR, promoted(*PAIR)), readable(*PAIR)),
        _torch_loss("l1_loss"), dtypes=(*FLOATS, INT64), notes=(_EMPTY, _ORDER),
    )  # fmt: skip
    for reduction in (0, 2):
        op = with_sample(op, partial(_of_integers, reduction))
    return op


def _of_integers(reduction: int, call: Call) -> Call:
    return call.retyped(INT64, *PAIR).passing(reduction=reduction)


def _l1_loss_backward() -> Operator:
    name, common = "aclnnL1LossBackward", promoted(*GRADIENT)
    return loss_backward(
        name, "Gradient of the absolute error.", absolute_slope,
        (given(*GRADIENT, "gradInput"), KNOWN_REDUCTION, castable_from("gradInput", common),
         computed_in("target", common, *TABLE), ranks("gradInput"), broadcasting(*GRADIENT),
         whole_shape("gradInput", *GRADIENT), done_when_empty(*GRADIENT),
         feasible(name, "gradInput", GRADIENT, common), readable(*GRADIENT)),
        _torch_gradient("l1_loss"), out="gradInput",
        gradient=_pairing("aclnnL1Loss", "gradInput"),
        notes=("The slope of NaN is 0, as in torch.",),
    )  # fmt: skip


def _mse_loss(name: str) -> Operator:
    """MseLossOut reduces only the first dimension, and leaves results of nothing alone."""
    rows, first = name == "aclnnMseLossOut", WithoutFirst(Broadcast(PAIR))
    shapes = out_shape(*PAIR)
    if rows:
        words = "of the broadcast without its first dimension"
        shapes = (
            *when(NONE, whole_shape("out", *PAIR)),
            *when(REDUCED, shape_is("out", first, words)),
        )
    return loss(
        name, "Squared error of each element, its mean or its sum"
        f"{' over the first dimension' if rows else ''}.", square,
        (given(*PAIR, "out"), listed((*PAIR, "out"), *TABLE), KNOWN_REDUCTION,
         broadcasting(*PAIR), shapes, done_when_empty(*PAIR, unless=None if rows else REDUCED),
         feasible(name, "out", PAIR)),
        _torch_rows if rows else _torch_loss("mse_loss"),
        shape=first if rows else None, notes=(_ORDER,) if rows else (_EMPTY, _ORDER),
    )  # fmt: skip


def _torch_rows(torch: Torch, self: Torch, target: Torch, reduction: int) -> Torch:
    each = (self - target) ** 2
    if not each.dim():
        return each
    return (each, each.mean(0), each.sum(0))[reduction]


def _mse_loss_backward() -> Operator:
    name = "aclnnMseLossBackward"
    return loss_backward(
        name, "Gradient of the squared error.", square_slope,
        (given(*GRADIENT, "out"), same_dtype("gradOutput", "self"), same_dtype("target", "self"),
         dtype_in("self", *TABLE), dtype_in("out", *TABLE), KNOWN_REDUCTION,
         broadcasting(*GRADIENT),
         whole_shape("out", *GRADIENT),
         done_when_empty(*GRADIENT), feasible(name, "out", GRADIENT)),
        _torch_gradient("mse_loss"), out="out", gradient=_pairing("aclnnMseLoss", "out"),
    )  # fmt: skip


def _soft_margin_loss() -> Operator:
    name = "aclnnSoftMarginLoss"
    number = ValueOf("reduction")
    reduced = Condition(Not(In(number, (0,))), "reduction is not 0")
    return loss(
        name, "Logistic loss of each element's product, its mean or its sum.", soft_margin,
        (given(*PAIR, "out"), listed((*PAIR, "out"), *TABLE), broadcasting(*PAIR),
         out_shape(*PAIR, otherwise=reduced), done_when_empty(*PAIR, unless=REDUCED),
         feasible(name, "out", PAIR)),
        _torch_loss("soft_margin_loss"), reduction=If(In(number, (0, 1)), number, const(2)),
        ulps=128,
        notes=(_EMPTY, _ORDER,
               "A reduction other than 0 and 1 is a sum, as in upstream's code.",
               "Where exp(-self * target) overflows, the loss is finite; torch has infinity."),
    )  # fmt: skip


def _soft_margin_loss_backward() -> Operator:
    name = "aclnnSoftMarginLossBackward"
    return loss_backward(
        name, "Gradient of the logistic loss.", soft_margin_slope,
        (given(*GRADIENT, "out"), listed((*GRADIENT, "out"), *TABLE), broadcasting(*GRADIENT),
         whole_shape("out", *GRADIENT),
         done_when_empty("self"), feasible(name, "out", GRADIENT)),
        _torch_gradient("soft_margin_loss"), out="out", ulps=128,
        gradient=Gradient(
            "aclnnSoftMarginLoss", results={"out": "self"}, given={"gradOutput": "out"}
        ),
        notes=("A reduction other than 0, 1 and 2 counts as a sum; upstream leaves it open.",),
    )  # fmt: skip


OPS = (
    _l1_loss(),
    _l1_loss_backward(),
    _mse_loss("aclnnMseLoss"),
    _mse_loss("aclnnMseLossOut"),
    _mse_loss_backward(),
    _soft_margin_loss(),
    _soft_margin_loss_backward(),
)
