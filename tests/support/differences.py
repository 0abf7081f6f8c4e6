# SPDX-License-Identifier: Apache-2.0
"""Finite differences of a forward's golden beside what its backward's golden says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np

from aclhost import ops
from aclhost.golden import results_of
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import DOUBLE, FLOAT, Category
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter, Scalar
from support.drawn import Arrays, inputs_of
from support.values import expected

STEP = 1e-5


@dataclass(frozen=True)
class Slope:
    """One element's derivative: as the backward has it, and as the forward behaves."""

    place: str
    declared: float
    measured: float


def forward_calls(gradient: Gradient, rng: Random, count: int) -> list[Call]:
    """Calls of a forward on floats, which the goldens then compute in float64."""
    op, names = ops.BY_NAME[gradient.forward], tuple(gradient.results.values())
    if op.draw is not None:
        drawn = (op.draw(rng) for _ in range(20 * count))
        calls = [call for call in drawn if _on_floats(call, names)][:count]
    else:
        calls = [call for call in op.samples if _on_floats(call, names)]
    return [_widened(call) for call in calls]


def _on_floats(call: Call, names: tuple[str, ...]) -> bool:
    tensors = (tensor for tensor in call.arguments.values() if isinstance(tensor, TensorArg))
    others = (tensor.dtype for tensor in tensors if tensor.dtype.category is Category.FLOATING)
    return set(others) == {FLOAT} and all(
        isinstance(each := call.arguments[name], TensorArg) and each.dtype is FLOAT
        for name in names
    )


def _widened(call: Call) -> Call:
    return call.passing(
        **{
            name: replace(argument, dtype=DOUBLE)
            for name, argument in call.arguments.items()
            if isinstance(argument, TensorArg) and argument.dtype is FLOAT
        }
    )


def slopes(backward: Operator, call: Call, seed: int, each: int = 6) -> Iterator[Slope]:
    """Some elements of every gradient that the backward gives for a forward call."""
    gradient = backward.gradient
    assert gradient is not None
    forward, rng = ops.BY_NAME[gradient.forward], np.random.default_rng(seed)
    inputs = inputs_of(forward, call, seed)
    inputs.update({name: _log_softmax(inputs[name]) for name in gradient.normalised})
    results = _results(forward, call, inputs)
    weights = {name: rng.normal(size=results[of].shape) for name, of in gradient.given.items()}
    declared = _backward(backward, gradient, {**call.arguments, **inputs, **results}, weights)

    def objective(**changed: np.ndarray) -> float:
        got = _results(forward, call, {**inputs, **changed})
        return sum(float(np.sum(weights[g] * got[of])) for g, of in gradient.given.items())

    if not np.isfinite(objective()) or not all(map(np.size, declared.values())):
        return  # infinite attributes, and calls without work
    negated = [(of, -declared[result]) for result, of in gradient.opposite.items()]
    for of, values in [*((of, declared[r]) for r, of in gradient.results.items()), *negated]:
        x = inputs[of]
        if x.dtype.kind != "f":
            continue  # integers have no slope
        for flat in rng.permutation(x.size)[:each]:
            place = np.unravel_index(flat, x.shape)
            above, below = x.copy(), x.copy()
            above[place] += STEP
            below[place] -= STEP
            slope = _sum_to(values, x.shape)
            if of in gradient.normalised:
                above, below, slope = _log_softmax(above), _log_softmax(below), _through(x, slope)
            measured = (objective(**{of: above}) - objective(**{of: below})) / (2 * STEP)
            yield Slope(f"{of}{list(map(int, place))}", float(slope[place]), measured)


def _results(op: Operator, call: Call, inputs: Arrays) -> Arrays:
    names = [param.name for param in results_of(op)]
    values = (np.asarray(value) for value in expected(op, call, inputs))
    return dict(zip(names, values, strict=True))


def _backward(op: Operator, gradient: Gradient, forward: dict[str, Any], given: Arrays) -> Arrays:
    """The backward's golden on what the forward took and gave."""
    arguments: dict[str, Any] = {}
    for param in op.python_params():
        known = param.name in given
        arguments[param.name] = given[param.name] if known else gradient.value(param.name, forward)
    inputs = {n: np.asarray(v) for n, v in arguments.items() if isinstance(v, np.ndarray)}
    described: dict[str, Any] = {}
    for param in op.python_params():
        described[param.name] = _described(param, arguments[param.name])
    for output in op.outputs:
        shape = forward[gradient.results[output.name]].shape
        if output.can_be_made:
            shape = output.shape_term.evaluate(Call(described))
        described[output.name] = TensorArg(shape, DOUBLE)
    return _results(op, Call(described), inputs)


def _described(param: Parameter, value: Any) -> Any:
    if isinstance(param, Scalar) and isinstance(value, float):
        return ScalarArg(value)
    if not isinstance(value, np.ndarray):
        return value
    from aclhost.spec import dtypes

    return TensorArg(value.shape, dtypes.BY_NUMPY[value.dtype.name])


def _log_softmax(x: np.ndarray) -> np.ndarray:
    result: np.ndarray = x - np.log(np.exp(x).sum(-1, keepdims=True))
    return result


def _through(x: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """The derivative with respect to what the logarithms are the log-softmax of."""
    result: np.ndarray = slope - np.exp(x) * slope.sum(-1, keepdims=True)
    return result


def _sum_to(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Adds up what belongs to elements that were broadcast."""
    values = values.sum(axis=tuple(range(values.ndim - len(shape))))
    axes = [axis for axis, length in enumerate(shape) if length == 1 < values.shape[axis]]
    return values.sum(axis=tuple(axes), keepdims=True)
