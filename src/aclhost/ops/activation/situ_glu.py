# SPDX-License-Identifier: Apache-2.0
"""Gated units whose gate, and whose other half if wished, saturate like tanh."""

from __future__ import annotations

from typing import Any

from aclhost.ops.activation.gated import (
    DIM,
    HALVED,
    Gated,
    half,
    half_shape,
    halved,
    operators,
    sigmoid_and_rest,
    supported,
)
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.gradient import Gradient
from aclhost.spec.math import sigmoid, tanh
from aclhost.spec.params import Double, Flag, TensorIn, TensorOut
from aclhost.spec.rules import (
    Step,
    axis_in_rank,
    done_when_empty,
    dtype_in,
    in_tiling,
    inside_storage,
    not_null,
    same_dtype,
    same_shape,
)
from aclhost.spec.terms import Not, RealIs, ValueOf
from aclhost.spec.views import Views, halves

Torch = Any

_ATTRIBUTES = (
    HALVED,
    Double("beta", "Where the gate saturates.", default=1.0),
    Double("linearBeta", "Where the other half saturates; nowhere unless above 0.", default=0.0),
    Flag("activateLeft", "Whether the gate is the first half.", default=True),
)
_DRAWN: dict[str, tuple[Any, ...]] = {
    "beta": (1.0, 2.5, -0.75), "linearBeta": (0.0, 1.5, -1.0), "activateLeft": (True, False),
}  # fmt: skip
_SATURATES = RealIs("linearBeta", ">", 0.0)
_WORDS = "The second form holds for linearBeta > 0. gate and up are the halves of x along dim: "
_NOTES = ("Upstream compares only the rank and the halved dimension of the smaller tensor.",)


def _views(tensor: str, gate: str, up: str) -> Views:
    return halves(tensor, DIM, gate, up, first=Not(ValueOf("activateLeft")))


def _gate(gate: Element, beta: Element) -> Element:
    return beta * tanh(gate / beta) * sigmoid(gate)


def _situ(gate: Element, up: Element, beta: Element, linear: Element) -> Element:
    """The other half as it is."""
    return _gate(gate, beta) * up


def _situ_saturated(gate: Element, up: Element, beta: Element, linear: Element) -> Element:
    """Both halves saturate."""
    return _gate(gate, beta) * (linear * tanh(up / linear))


def _slope_of_tanh(x: Element) -> Element:
    """1 - tanh(x)^2 without cancellation."""
    s, rest = sigmoid_and_rest(2 * x)
    return 4 * s * rest


def _slope_of_gate(scale: Element, gate: Element, beta: Element) -> Element:
    (s, rest), x = sigmoid_and_rest(gate), gate / beta
    return scale * s * _slope_of_tanh(x) + scale * s * rest * (beta * tanh(x))


def _situ_grad(
    grad: Element, gate: Element, up: Element, beta: Element, linear: Element
) -> tuple[Element, Element]:
    """Of the gate, then of the other half."""
    return _slope_of_gate(grad * up, gate, beta), grad * _gate(gate, beta)


def _situ_grad_saturated(
    grad: Element, gate: Element, up: Element, beta: Element, linear: Element
) -> tuple[Element, Element]:
    """The same where both saturate."""
    x = up / linear
    return (
        _slope_of_gate(grad * (linear * tanh(x)), gate, beta),
        grad * _gate(gate, beta) * _slope_of_tanh(x),
    )


def _torch_situ(
    torch: Torch, x: Torch, dim: int, beta: float, linear_beta: float, activate_left: bool
) -> Torch:
    gate, up = x.chunk(2, dim) if activate_left else reversed(x.chunk(2, dim))
    if linear_beta > 0:
        up = linear_beta * torch.tanh(up / linear_beta)
    return beta * torch.tanh(gate / beta) * torch.sigmoid(gate) * up


def _torch_situ_grad(torch: Torch, grad_y: Torch, x: Torch, **attributes: Torch) -> Torch:
    x = x.clone().requires_grad_()
    _torch_situ(torch, x, **attributes).backward(grad_y)
    return x.grad


def _checks(name: str, *tensors: str) -> tuple[tuple[Step, ...], ...]:
    """Of functions that upstream generates: the tiling looks at shapes."""
    first, *others = tensors
    small = tensors[0] if len(tensors) > 2 else "out"
    return (
        not_null(*tensors), dtype_in(first, FLOAT, FLOAT16, BF16),
        *(same_dtype(each, first) for each in others), supported(name), done_when_empty("out"),
        in_tiling(axis_in_rank("dim", "x"), halved("x"), half_shape(small, "x")),
        () if small == "out" else same_shape("out", "x"),
        inside_storage(*(each for each in tensors if each != "out")),
    )  # fmt: skip


OPS = operators(
    Gated(
        "aclnnSituGlu", "Gated unit: a saturating SiLU of one half times the other.",
        (TensorIn("x", "Both halves."), *_ATTRIBUTES, half("out", "x")),
        _checks("aclnnSituGlu", "x", "out"),
        _situ, ("gate", "up"), ("out",), _views("x", "gate", "up"), _torch_situ,
        numbers=("beta", "linearBeta"), variants=(_situ_saturated,), variant=_SATURATES,
        words=f"{_WORDS}gate is the first one if activateLeft", attributes=_DRAWN, ulps=6,
        notes=_NOTES,
    ),
    Gated(
        "aclnnSituGluGrad", "Gradient of the saturating gated unit.",
        (TensorIn("gradY", "Gradient of the result."), TensorIn("x", "Both halves."), *_ATTRIBUTES,
         TensorOut("out", "Gradient of x.", like="x", is_const=True)),
        _checks("aclnnSituGluGrad", "gradY", "x", "out"),
        _situ_grad, ("gradY", "gate", "up"), ("grad_gate", "grad_up"),
        (*_views("x", "gate", "up"), *_views("out", "grad_gate", "grad_up")), _torch_situ_grad,
        numbers=("beta", "linearBeta"), variants=(_situ_grad_saturated,), variant=_SATURATES,
        words=f"{_WORDS}gate is the first one if activateLeft. grad_gate and grad_up are those of "
              "out", attributes=_DRAWN, ulps=8,
        gradient=Gradient("aclnnSituGlu", {"out": "x"}, {"gradY": "out"}), notes=_NOTES,
    ),
)  # fmt: skip
