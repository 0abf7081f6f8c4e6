# SPDX-License-Identifier: Apache-2.0
"""Finite differences of a forward's golden beside what its backward's golden says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np

from aclhost import ops
from aclhost.arrays import NDArray
from aclhost.calls.drawn import Arrays, inputs_of, torch_inputs
from aclhost.calls.values import expected
from aclhost.goldens import results_of
from aclhost.goldens.torch_reference import torch_reference
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import DOUBLE, FLOAT, Category
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter, Scalar

STEP = 1e-5


@dataclass(frozen=True)
class Slope:
    """One element's derivative: as the backward has it, and as the forward behaves."""

    place: str
    declared: float
    measured: float
    where: tuple[Pair, str, tuple[Any, ...]]

    def again(self, step: float) -> float:
        """Measured in other steps: the first may have crossed a bend."""
        pair, of, place = self.where
        return pair.measured(of, place, step)


def forward_calls(gradient: Gradient, rng: Random, count: int) -> list[Call]:
    """Calls of a forward on floats, which the goldens then compute in float64."""
    op, names = ops.BY_NAME[gradient.forward], tuple(gradient.results.values())
    if op.draw is not None:
        drawn = (op.draw(rng) for _ in range(20 * count))
        calls = [call for call in drawn if _on_floats(call, names)][:count]
    else:
        calls = [call for call in op.samples if _on_floats(call, names)]
    applies = gradient.where
    return [_widened(call) for call in calls if applies is None or applies(call.arguments)]


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


@dataclass(frozen=True)
class Pair:
    """A forward call, a weighted sum of its results, and what the backward says of that sum."""

    forward: Operator
    gradient: Gradient
    call: Call
    inputs: Arrays
    weights: Arrays  # by the forward's results
    declared: list[tuple[str, NDArray]]  # inputs of the forward and their gradients

    def objective(self, changed: Arrays) -> float:
        got = _results(self.forward, self.call, {**self.inputs, **changed})
        return sum(float(np.sum(weight * got[of])) for of, weight in self.weights.items())

    @property
    def has_slopes(self) -> bool:
        """No: infinite attributes, and calls without work."""
        sizes = all(values.size for _, values in self.declared)
        return sizes and bool(np.isfinite(self.objective({})))

    def measured(self, of: str, place: tuple[Any, ...], step: float = STEP) -> float:
        """The slope along one element of an input."""
        above, below = self.inputs[of].copy(), self.inputs[of].copy()
        above[place] += step
        below[place] -= step
        if of in self.gradient.normalised:
            above, below = _log_softmax(above), _log_softmax(below)
        return (self.objective({of: above}) - self.objective({of: below})) / (2 * step)


def pair_of(backward: Operator, call: Call, seed: int) -> Pair:
    """The goldens on a forward call with random values."""
    gradient = backward.gradient
    assert gradient is not None
    forward, rng = ops.BY_NAME[gradient.forward], np.random.default_rng(seed)
    inputs = inputs_of(forward, call, seed)
    inputs.update({name: _log_softmax(inputs[name]) for name in gradient.normalised})
    results = _results(forward, call, inputs)
    given = {name: rng.normal(size=results[of].shape) for name, of in gradient.given.items()}
    found = _backward(backward, gradient, {**call.arguments, **inputs, **results}, given)
    negated = [(of, -found[result]) for result, of in gradient.opposite.items()]
    gradients = [*((of, found[result]) for result, of in gradient.results.items()), *negated]
    declared = [
        (of, _sum_to(values, inputs[of].shape)) if values.size else (of, values)
        for of, values in gradients
        if inputs[of].dtype.kind == "f"  # integers have no slope
    ]
    weights = {of: given[name] for name, of in gradient.given.items()}
    return Pair(forward, gradient, call, inputs, weights, declared)


def slopes(backward: Operator, call: Call, seed: int, each: int = 6) -> Iterator[Slope]:
    """Some elements of every gradient that the backward gives for a forward call."""
    pair, rng = pair_of(backward, call, seed), np.random.default_rng(seed)
    if not pair.has_slopes:
        return
    for of, values in pair.declared:
        x = pair.inputs[of]
        slope = _through(x, values) if of in pair.gradient.normalised else values
        for flat in rng.permutation(x.size)[:each]:
            place = np.unravel_index(flat, x.shape)
            name = f"{of}{list(map(int, place))}"
            yield Slope(name, float(slope[place]), pair.measured(of, place), (pair, of, place))


def autograd(pair: Pair) -> Arrays | None:
    """The same gradients by torch; None where it has another rule or no derivative."""
    import torch

    if not pair.forward.reference or pair.gradient.normalised:
        return None
    arguments = torch_inputs(pair.forward, pair.call, pair.inputs)
    leaves = {of: arguments[pair.forward.parameter(of).python_name] for of, _ in pair.declared}
    for leaf in leaves.values():
        leaf.requires_grad_()
    try:
        results = torch_reference(pair.forward)(**arguments)
    except (RuntimeError, TypeError, NotImplementedError):
        return None
    if results is NotImplemented:
        return None
    several = results if isinstance(results, tuple | list) else (results,)
    names = [param.name for param in results_of(pair.forward)]
    total = sum(
        (each * torch.from_numpy(pair.weights[name]).reshape(each.shape)).sum()
        for name, each in zip(names, several, strict=False)
        if name in pair.weights
    )
    if not getattr(total, "requires_grad", False):
        return None
    total.backward()
    grads = {of: leaf.grad for of, leaf in leaves.items()}
    return (
        None
        if any(each is None for each in grads.values())
        else {of: each.numpy() for of, each in grads.items()}
    )


def _results(op: Operator, call: Call, inputs: Arrays) -> Arrays:
    written = (param.name for param in results_of(op))
    names = [name for name in written if call.arguments[name] is not None]
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
        if output.name not in gradient.results:  # one that nobody writes
            described[output.name] = None
            continue
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


def _log_softmax(x: NDArray) -> NDArray:
    result: NDArray = x - np.log(np.exp(x).sum(-1, keepdims=True))
    return result


def _through(x: NDArray, slope: NDArray) -> NDArray:
    """The derivative with respect to what the logarithms are the log-softmax of."""
    result: NDArray = slope - np.exp(x) * slope.sum(-1, keepdims=True)
    return result


def _sum_to(values: NDArray, shape: tuple[int, ...]) -> NDArray:
    """Adds up what belongs to elements that were broadcast."""
    values = values.sum(axis=tuple(range(values.ndim - len(shape))))
    axes = [axis for axis, length in enumerate(shape) if length == 1 < values.shape[axis]]
    result: NDArray = values.sum(axis=tuple(axes), keepdims=True)
    return result
