# SPDX-License-Identifier: Apache-2.0
"""Operators with gradients as torch functions: what the declarations say is all it takes."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import torch
from torch.autograd.function import once_differentiable

import aclhost
from aclhost import ops
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator

Context: TypeAlias = Any  # torch lets a Function hang what it likes on it


def apply(name: str, **arguments: Any) -> Any:  # noqa: ANN401
    """What the operator gives; gradients come from the operators that are declared as its own.

    `arguments` go by Python names and hold everything that the gradients take.
    """
    return _Pair.apply(name, tuple(arguments), *arguments.values())  # type: ignore[no-untyped-call]


@cache
def gradients_of(name: str) -> tuple[tuple[Operator, Gradient], ...]:
    """The backward operators of a forward one."""
    return tuple((op, op.gradient) for op in ops.ALL if op.gradient and op.gradient.forward == name)


class _Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Context, name: str, names: tuple[str, ...], *values: object) -> Any:  # noqa: ANN401
        op = ops.BY_NAME[name]
        arguments = {key: _detached(value) for key, value in zip(names, values, strict=True)}
        returned = getattr(aclhost, op.snake_name)(**arguments)
        results = returned if isinstance(returned, tuple) else (returned,)
        there = (each for each in results if each is not None)
        ctx.mark_non_differentiable(*(each for each in there if not each.is_floating_point()))
        ctx.op, ctx.names = op, names
        ctx.values = [None if isinstance(value, torch.Tensor) else value for value in values]
        tensors = [value if isinstance(value, torch.Tensor) else None for value in values]
        ctx.save_for_backward(*tensors, *results)
        return returned

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, *slopes: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        op: Operator = ctx.op
        count = len(ctx.names)
        saved = [_detached(tensor) for tensor in ctx.saved_tensors]
        known = dict.fromkeys((param.name for param in op.params), None)
        by_python_name = {param.python_name: param.name for param in op.params}
        for key, value, tensor in zip(ctx.names, ctx.values, saved[:count], strict=True):
            known[by_python_name[key]] = value if tensor is None else tensor
        outputs = [output.name for output in op.outputs]
        last = slice(-len(outputs), None)  # after what is overwritten
        known.update(zip(outputs, saved[count:][last], strict=True))
        wanted = {
            by_python_name[key]
            for key, needed in zip(ctx.names, ctx.needs_input_grad[2:], strict=True)
            if needed
        }
        found = _gradients(op, known, dict(zip(outputs, slopes[last], strict=True)), wanted)
        return None, None, *(found.get(by_python_name[key]) for key in ctx.names)


def _gradients(
    op: Operator, known: dict[str, Any], slopes: dict[str, torch.Tensor], wanted: set[str]
) -> dict[str, torch.Tensor]:
    """Gradients of the wanted inputs, by upstream's names."""
    found: dict[str, torch.Tensor] = {}
    for backward, gradient in gradients_of(op.name):
        if wanted.isdisjoint((*gradient.results.values(), *gradient.opposite.values())):
            continue
        results = _run(backward, gradient, known, slopes)
        for result, of in gradient.results.items():
            if results[result] is not None:
                found[of] = _fitted(results[result], known[of])
        for result, of in gradient.opposite.items():
            found[of] = _fitted(results[result].neg(), known[of])
    return {name: slope for name, slope in found.items() if name in wanted}


def _run(
    backward: Operator,
    gradient: Gradient,
    known: dict[str, Any],
    slopes: dict[str, torch.Tensor],
) -> dict[str, Any]:
    """What the backward gives; None where it was not asked."""
    arguments = {
        param.python_name: slopes[gradient.given[param.name]].detach()
        if param.name in gradient.given
        else gradient.value(param.name, known)
        for param in backward.python_params()
    }
    if not all(output.can_be_made for output in backward.outputs):
        made = [torch.empty_like(known[gradient.results[out.name]]) for out in backward.outputs]
        arguments["out"] = tuple(made) if len(made) > 1 else made[0]
    returned = getattr(aclhost, backward.snake_name)(**arguments)
    results = returned if isinstance(returned, tuple) else (returned,)
    return dict(zip((output.name for output in backward.outputs), results, strict=True))


def _fitted(slope: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Adds up what belongs to elements that were broadcast."""
    return slope.sum_to_size(like.shape).to(like.dtype)


def _detached(value: Any) -> Any:  # noqa: ANN401
    return value.detach() if isinstance(value, torch.Tensor) else value
