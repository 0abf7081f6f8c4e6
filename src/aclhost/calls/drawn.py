# SPDX-License-Identifier: Apache-2.0
"""Drawn calls of written-out operators: laid out at random, run, and compared with the golden."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np

import aclhost
from aclhost.arrays import NDArray
from aclhost.calls.python_call import call_function
from aclhost.calls.values import (
    expected,
    flat,
    magnitudes,
    make_storage,
    named,
    single,
    ulp_distance,
)
from aclhost.goldens import plain, results_of, widened
from aclhost.goldens.torch_reference import torch_arguments, torch_attribute, torch_reference
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT16, Category, DataType
from aclhost.spec.evaluate import evaluate
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorList

Arrays = dict[str, Any]  # by upstream's names; of a list, a list of arrays
_INEXACT = (Category.FLOATING, Category.COMPLEX)
_SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan)


def valid_draw(op: Operator, rng: Random) -> Call:
    """A drawn call that nothing refuses, with tensors that lie in memory as they like."""
    assert op.draw is not None
    call = op.draw(rng)
    outcome = evaluate(op, call)
    assert outcome.rule is None, (op.name, outcome, call)
    written = {param.name for param in results_of(op)}

    def moved(name: str, argument: Any) -> Any:
        if isinstance(argument, tuple):
            return tuple(moved(name, each) for each in argument)
        if not isinstance(argument, TensorArg):
            return argument
        return laid_out(argument, rng, repeats=name not in written)

    tensors = {name: moved(name, argument) for name, argument in call.arguments.items()}
    elsewhere = call.passing(**tensors)
    return elsewhere if evaluate(op, elsewhere).rule is None else call


def laid_out(tensor: TensorArg, rng: Random, *, repeats: bool) -> TensorArg:
    """The tensor elsewhere in memory: with gaps, axes in another order, backwards, repeated."""
    rank, fixed = len(tensor.shape), tensor.strides is not None or tensor.values is not None
    if fixed or 0 in tensor.shape or rng.random() < 0.4:
        return tensor
    order = list(range(rank))
    if rng.random() < 0.5:
        rng.shuffle(order)
    strides, step = [0] * rank, rng.choice((1, 1, 2, 3))
    for axis in reversed(order):
        strides[axis] = step
        step *= max(tensor.shape[axis], 1) + rng.choice((0, 0, 1))
    offset = rng.choice((0, 1, 5))
    if repeats and rank and rng.random() < 0.15:
        strides[rng.randrange(rank)] = 0
    if rank and rng.random() < 0.2:
        axis = rng.randrange(rank)
        offset += strides[axis] * max(tensor.shape[axis] - 1, 0)
        strides[axis] = -strides[axis]
    return replace(tensor, strides=tuple(strides), offset=offset)


def described_results(op: Operator, call: Call) -> dict[str, TensorArg]:
    """What the operator writes, members of lists one by one; nothing for a null pointer."""
    results = {param.name: call.arguments[param.name] for param in results_of(op)}
    return named({name: each for name, each in results.items() if each is not None})


@dataclass(frozen=True)
class Comparison:
    """A result, what it should be, and how far it is off in ulps of its dtype."""

    name: str
    dtype: DataType
    got: NDArray
    wanted: NDArray
    ulps: float

    def allowed(self, op: Operator) -> float:
        if self.dtype.category not in _INEXACT:
            return 0.0
        return 1.0 if self.dtype in (FLOAT16, BF16) else op.ulps


def inputs_of(op: Operator, call: Call, seed: int) -> Arrays:
    """Values of everything that is read, by upstream's names."""
    rng = np.random.default_rng(seed)
    found: Arrays = {}
    for param in op.python_params():
        argument = call.arguments[param.name]
        if isinstance(argument, TensorArg):
            found[param.name] = make_storage(argument, rng).view.copy()
        elif isinstance(param, TensorList) and isinstance(argument, tuple):
            members = (each for each in argument if isinstance(each, TensorArg))
            found[param.name] = [make_storage(each, rng).view.copy() for each in members]
    return found


def sprinkle(call: Call, inputs: Arrays, rng: Random) -> None:
    """Puts a few infinities, NaNs and zeros among values that nobody restricted."""
    for name, array in inputs.items():
        if isinstance(array, list):
            continue
        tensor = call.tensor(name)
        plain = tensor.span is None and tensor.values is None and array.size
        if tensor.dtype.category is Category.FLOATING and plain:
            for _ in range(1 + array.size // 16):
                place = tuple(rng.randrange(length) for length in array.shape)
                array[place] = rng.choice(_SPECIAL)
                if 0 in tensor.element_strides:
                    array[...] = array[place]


def python_results(op: Operator, call: Call, inputs: Arrays) -> list[NDArray]:
    """What the Python function gives for these values in the call's layouts."""
    with aclhost.soc(call.product.default_soc):
        function, arguments, _ = call_function(op, call)
        for param in op.python_params():
            if param.name in inputs:
                _fill(arguments[param.python_name], inputs[param.name])
        returned = function(**arguments)
    return flat(returned)


def _fill(to: Any, values: Any) -> None:
    if isinstance(values, list):
        for member, each in zip(to, values, strict=True):
            _fill(member, each)
    else:
        to[...] = values


def compare(op: Operator, call: Call, inputs: Arrays, results: list[NDArray]) -> list[Comparison]:
    """Each result beside the golden's."""
    wanted = expected(op, call, inputs)
    sizes = magnitudes(op, call, inputs, wanted)
    comparisons = []
    tensors = described_results(op, call).items()
    for (name, tensor), got, golden, size in zip(tensors, results, wanted, sizes, strict=True):
        dtype, exact = tensor.dtype, np.asarray(golden).reshape(got.shape)
        if dtype.category in _INEXACT:
            scale = np.maximum(np.abs(np.asarray(size).reshape(got.shape)), op.ulps_from)
            off = ulp_distance(got, exact, got.dtype, scale)
        else:
            off = 0.0 if np.array_equal(got, exact.astype(got.dtype)) else math.inf
        comparisons.append(Comparison(name, dtype, got, exact, off))
    return comparisons


def torch_results(op: Operator, call: Call, inputs: Arrays) -> list[NDArray] | None:
    """What torch gives in double precision; None where it has another rule."""
    import torch

    arguments = torch_inputs(op, call, inputs)
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        results = torch_reference(op)(**arguments)
    finally:
        torch.set_default_dtype(usual)
    if results is NotImplemented:
        return None
    several = results if isinstance(results, tuple | list) else (results,)
    return [(each if each.is_complex() else each.double()).numpy() for each in several]


def torch_inputs(op: Operator, call: Call, inputs: Arrays) -> dict[str, Any]:
    """What the reference takes, by Python names: tensors in double precision."""
    return {
        param.python_name: _torch_value(call.arguments[param.name], inputs.get(param.name))
        for param in torch_arguments(op)
    }


def _torch_value(value: Argument, array: Any) -> Any:
    import torch

    if isinstance(array, list):
        return [_torch_value(value, each) for each in array]
    if array is not None:
        return torch.from_numpy(np.array(widened(array)))
    if isinstance(value, ScalarArg):
        return single(value)
    return torch_attribute(plain(value))
