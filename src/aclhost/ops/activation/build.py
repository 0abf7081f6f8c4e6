# SPDX-License-Identifier: Apache-2.0
"""What rows of the family share: tables of dtypes, checks in common orders, and gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aclhost.ops.pointwise.checks import Rules, given, listed, ranks, shape_of
from aclhost.ops.pointwise.declare import NEW_BF16, Checks, Row, Torch, declare, known
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.expression import Element
from aclhost.spec.gradient import Derived, Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.rules import inside_storage, same_dtype
from aclhost.spec.status import Status
from aclhost.spec.terms import DtypeOf, Term

FLOATS = (FLOAT, FLOAT16, BF16)
TABLE = (FLOAT, FLOAT16, NEW_BF16)
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
    checks: Checks,
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
    """The gradient of a forward operator with respect to its first input."""
    gradient, kept = inputs
    x, y = known(forward).params[0].name, known(forward).params[-1].name
    saved = {kept: y if kept in _RESULTS else x, **(renamed or {})}
    return declare(Row(
        name, f"Gradient of {forward} with respect to its input.", checks, function, inputs, out,
        computed or DtypeOf(kept), dtypes, reference, docs=_DOCS, broadcasts=broadcasts,
        gradient=Gradient(forward, {out: x}, {gradient: y}, saved, derived or {}), **more,
    ))  # fmt: skip
