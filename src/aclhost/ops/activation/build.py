# SPDX-License-Identifier: Apache-2.0
"""What rows of the family share: tables of dtypes, checks in common orders, and gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from aclhost.ops.pointwise.checks import Rules, delivered, given, listed, ranks, shape_of
from aclhost.ops.pointwise.declare import NEW_BF16, Checks, Row, Torch, declare, known
from aclhost.ops.pointwise.unary import Unary, own
from aclhost.ops.pointwise.unary_checks import gives, gives_same, in_order, ranks_then_shape, takes
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.expression import Element
from aclhost.spec.gradient import Derived, Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.rules import inside_storage, same_dtype
from aclhost.spec.status import Status
from aclhost.spec.terms import DtypeOf, Term

FLOATS = (FLOAT, FLOAT16, BF16)
TABLE = (FLOAT, FLOAT16, NEW_BF16)
ONE_DTYPE = in_order(takes(*TABLE), gives(*TABLE), gives_same, ranks_then_shape)
GRADIENT = "gradOutput"

_DOCS = {
    GRADIENT: "Gradient of the forward's result.",
    "self": "The forward's input.",
    "output": "The forward's result.",
    "result": "The forward's result.",
    "buffer": "Not looked at.",
    "gradInput": "Gradient of the forward's input.",
    "out": "Gradient of the forward's input.",
}
_RESULTS = ("output", "result")


def aten(name: str) -> Callable[..., Any]:
    """A function of torch that has no other name."""
    return lambda torch, *arguments: getattr(torch.ops.aten, name)(*arguments)


def functional(name: str) -> Callable[..., Any]:
    """One of torch.nn.functional."""
    return lambda torch, *arguments: getattr(torch.nn.functional, name)(*arguments)


def differentiated(function: Callable[..., Any]) -> Callable[..., Any]:
    """What torch's autograd makes of a function of torch, the input and numbers."""

    def reference(torch: Torch, gradient: Torch, x: Torch, *numbers: Torch) -> Torch:
        x = x.detach().requires_grad_()
        function(torch, x, *numbers).backward(gradient)
        return x.grad

    return reference


def same_shapes(*tensors: str) -> Rules:
    """All have the shape of the last one."""
    *others, last = tensors
    return tuple(rule for each in others for rule in shape_of(each, last))


def same_dtypes(*tensors: str) -> Rules:
    """All have the dtype of the last one."""
    *others, last = tensors
    return tuple(rule for each in others for rule in same_dtype(each, last))


def equal_pair(gradient: str, x: str, out: str, *first: str) -> Rules:
    """Three tensors of one dtype of the table and of one shape."""
    return (
        *given(gradient, x, out),
        *listed((*first, gradient, x), *TABLE),
        *same_dtypes(gradient, out, x),
        *ranks(gradient, x),
        *same_shapes(gradient, out, x),
    )


def readable_161001(*inputs: str) -> Rules:
    """What leaves its storage is reported like a null pointer."""
    return tuple(rule.with_code(Status.PARAM_NULLPTR) for rule in inside_storage(*inputs))


def backward(
    name: str,
    forward: str,
    function: Callable[..., Element],
    reference: Callable[..., Any],
    checks: Checks | None = None,
    *,
    inputs: tuple[str, str] = (GRADIENT, "self"),
    out: str = "gradInput",
    computed: Term | None = None,
    dtypes: tuple[DataType, ...] = FLOATS,
    renamed: Mapping[str, str] | None = None,
    derived: Mapping[str, Derived] | None = None,
    broadcasts: bool = False,
    **more: Any,  # noqa: ANN401
) -> Operator:
    """The gradient of a forward operator with respect to its first input.

    Without checks of its own, tensors of one dtype and one shape.
    """
    gradient, kept = inputs
    x, *_, y = (param.name for param in known(forward, "self", "out").params)
    checks = checks or (equal_pair(*inputs, out), delivered(name, out, inputs))
    saved = {kept: y if kept in _RESULTS else x, **(renamed or {})}
    return declare(Row(
        name, f"Gradient of {forward} with respect to its input.", checks, function, inputs, out,
        computed or DtypeOf(kept), dtypes, reference, docs=_DOCS, broadcasts=broadcasts,
        gradient=Gradient(forward, {out: x}, {gradient: y}, saved, derived or {}), **more,
    ))  # fmt: skip


def activation(
    name: str,
    summary: str,
    function: Callable[..., Element],
    derivative: Callable[..., Element],
    reference: str,
    *,
    ulps: float = 2,
) -> tuple[Operator, ...]:
    """An operator, its in-place twin and its gradient, of tensors of one dtype and one shape.

    The derivative is a function of the result's gradient and of the input; the reference is the
    name of a function in torch, whose autograd is that of the gradient.
    """
    forward = Unary(
        name, summary, function, ONE_DTYPE, reference, computed=own, result=own, ulps=ulps
    )
    theirs = differentiated(lambda torch, x: reduce(getattr, reference.split("."), torch)(x))
    gradient = backward(f"{name}Backward", name, derivative, theirs, ulps=ulps)
    return (*forward.operators(), gradient)
