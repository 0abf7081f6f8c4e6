# SPDX-License-Identifier: Apache-2.0
"""Calls that follow from declarations: common calls, or samples of point-wise operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, reduce
from typing import Any

import numpy as np

import aclhost
from aclhost import goldens, ops
from aclhost.bench.workload import (
    Array,
    Call,
    Workload,
    new_array,
    random_array,
    reversed_axes,
    tensor,
    written_out,
)
from aclhost.goldens.torch_reference import (
    torch_arguments,
    torch_attribute,
    torch_function,
    torch_reference,
)
from aclhost.spec import dtypes
from aclhost.spec.call import Argument, TensorArg
from aclhost.spec.call import Call as Described
from aclhost.spec.dtypes import DataType
from aclhost.spec.evaluate import evaluate
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorInOut, TensorListInOut
from aclhost.spec.products import DEFAULT

_FEW = 1000  # elements; enough to see whether a dtype is allowed

BY_PYTHON_NAME = {
    op.snake_name: op
    for op in ops.ALL
    if (op.kernel is not None or op.typical is not None) and DEFAULT in op.products
}


def dtypes_of(operator: str) -> tuple[str, ...]:
    """Those of the first tensor on the default product that NumPy has; float32 comes first."""
    op = BY_PYTHON_NAME[operator]
    found = _samples(op) if op.typical is None else _allowed(op)
    return tuple(sorted(found, key=lambda dtype: dtype != "float32"))


def _samples(op: Operator) -> dict[str, Described]:
    """The first sample of each dtype whose tensors all have one shape."""
    found: dict[str, Described] = {}
    for sample in op.samples:
        tensors = list(_tensors(sample))
        plain = all(each.dtype.numpy and each.shape == tensors[0].shape for each in tensors)
        if plain and sample.product is DEFAULT:
            found.setdefault(tensors[0].dtype.numpy, sample)
    return found


@cache
def _allowed(op: Operator) -> tuple[str, ...]:
    """What the tensors of the common call may be; its own dtype comes first."""
    assert op.typical is not None
    call = op.typical(_FEW)
    first = next(_tensors(call)).dtype
    others = [dtype for dtype in dtypes.ALL if dtype.numpy and dtype is not first]
    allowed = (dtype for dtype in others if _is_work(op, _retyped(call, dtype)))
    return (first.numpy, *(dtype.numpy for dtype in allowed))


def _is_work(op: Operator, call: Described) -> bool:
    outcome = evaluate(op, call)
    return outcome.rule is None and not outcome.idle


def _tensors(call: Described) -> Iterator[TensorArg]:
    """All of them, members of lists included."""
    for argument in call.arguments.values():
        for member in argument if isinstance(argument, tuple) else (argument,):
            if isinstance(member, TensorArg):
                yield member


def _retyped(call: Described, dtype: DataType) -> Described:
    """Another dtype for all tensors that have the dtype of the first."""
    first = next(_tensors(call)).dtype

    def changed(argument: Argument) -> Any:  # noqa: ANN401
        if isinstance(argument, tuple):
            return tuple(map(changed, argument))
        if isinstance(argument, TensorArg) and argument.dtype is first:
            return replace(argument, dtype=dtype)
        return argument

    return call.passing(**{name: changed(each) for name, each in call.arguments.items()})


def described(op: Operator, dtype: str, elements: int, strided: bool = False) -> Described:
    """With about so many elements; what is strided has axes that can lie the other way round."""
    if op.typical is not None:
        return _retyped(op.typical(elements), dtypes.BY_NUMPY[dtype])
    sample = _samples(op)[dtype]
    names = [name for name, each in sample.arguments.items() if isinstance(each, TensorArg)]
    rows = int(elements**0.5)
    return sample.reshaped((rows, elements // rows) if strided else (elements,), *names)


def can_be_strided(operator: str) -> bool:
    """Whether some input has several axes, and the checks let them lie in any order."""
    op = BY_PYTHON_NAME[operator]
    if op.typical is None:
        return True
    call = op.typical(_FEW)
    changes = {
        param.name: replace(given, strides=_reversed_strides(given.shape))
        for param in op.tensors
        if op.reads(param)
        and isinstance(given := call.arguments[param.name], TensorArg)
        and sum(length > 1 for length in given.shape) > 1
    }
    return bool(changes) and _is_work(op, call.passing(**changes))


def _reversed_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    return TensorArg(shape[::-1]).row_major[::-1]


def values_of(op: Operator, call: Described, strided: bool = False) -> dict[str, Any]:
    """What a call passes, by parameter: arrays, and plain values."""
    results = {output.name for output in op.outputs}
    return {
        param.name: _value(
            call.arguments[param.name],
            seed,
            strided=strided and op.reads(param),
            written=param.name in results,
        )
        for seed, param in enumerate(op.params)
    }


def workload(operator: str, dtype: str, elements: int, strided: bool) -> Workload:
    """The operator's call of the dtype, with about so many elements."""
    op = BY_PYTHON_NAME[operator]
    values = values_of(op, described(op, dtype, elements, strided), strided)
    return Workload(own_call(op, values), _moved(op, values), lambda: _torch_call(op, values))


def _value(argument: Argument, seed: int, *, strided: bool, written: bool) -> Any:  # noqa: ANN401
    if isinstance(argument, tuple):
        return [_value(each, seed, strided=strided, written=written) for each in argument]
    if not isinstance(argument, TensorArg):
        return goldens.plain(argument)
    if written:
        return new_array(argument.shape, argument.dtype.numpy)
    array = _input(argument, seed)
    return reversed_axes(array, array.ndim) if strided and array.ndim > 1 else array


def _input(argument: TensorArg, seed: int) -> Array:
    if argument.values is None:
        return random_array(argument.shape, argument.dtype.numpy, seed, argument.span)
    room = new_array(argument.shape, argument.dtype.numpy)
    room[...] = np.reshape(argument.values, argument.shape).astype(room.dtype)
    return room


def _moved(op: Operator, values: Mapping[str, Any]) -> int:
    """Bytes that are read or written once."""
    total = 0
    for param in op.params:
        given = values[param.name]
        arrays = given if isinstance(given, list) else [given]
        overwritten = isinstance(param, TensorInOut | TensorListInOut)
        times = 2 if overwritten and op.reads(param) else 1
        total += times * sum(each.nbytes for each in arrays if isinstance(each, np.ndarray))
    return total


def own_call(op: Operator, values: Mapping[str, Any]) -> Call:
    """Of the Python function, with its results given."""
    function = getattr(aclhost, op.snake_name)
    given = [values[param.name] for param in op.python_params()]
    results = tuple(values[output.name] for output in op.outputs)
    if not results:
        return written_out(function, *given)
    return written_out(function, *given, out=results if len(results) > 1 else results[0])


def _torch_call(op: Operator, values: Mapping[str, Any]) -> Call:
    """On the same memory, with `out` or in place where torch has that; else on fresh memory."""
    arguments = {
        param.python_name: _torch_value(values[param.name]) for param in torch_arguments(op)
    }
    if op.peer:
        return written_out(torch_function(op.peer), **arguments)
    if not op.reference:
        raise NotImplementedError("it has no such function")
    if not isinstance(op.reference, str):
        return written_out(torch_reference(op), **arguments)
    function = reduce(getattr, op.reference.split("."), _torch())
    given = list(arguments.values())
    if not op.outputs:
        return written_out(getattr(_torch(), f"{op.reference}_", function), *given)
    results = tuple(tensor(values[output.name]) for output in op.outputs)
    into = written_out(function, *given, out=results if len(results) > 1 else results[0])
    return into if _works(into) else written_out(function, *given)


def _torch() -> Any:  # noqa: ANN401
    """Only where it is wanted: importing it takes seconds."""
    import torch

    return torch


def _works(call: Call) -> bool:
    """Whether torch's function takes `out`, and of this dtype."""
    try:
        call()
    except (TypeError, RuntimeError):
        return False
    return True


def _torch_value(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, np.ndarray):
        return tensor(value)
    return [*map(_torch_value, value)] if isinstance(value, list) else torch_attribute(value)
