# SPDX-License-Identifier: Apache-2.0
"""Calls that follow from declarations: common calls, or samples of point-wise operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from aclhost import goldens
from aclhost.bench import peers, workload
from aclhost.bench.workload import (
    BROADCAST,
    CONTIGUOUS,
    LAYOUTS,
    TRANSPOSED,
    Array,
    Workload,
    new_array,
    random_array,
    reversed_axes,
)
from aclhost.spec import dtypes
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import Category, DataType
from aclhost.spec.evaluate import evaluate
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorInOut, TensorListInOut
from aclhost.spec.products import DEFAULT, Product

# Numbers that make work: samples have powers of 1 and 0 decimals, of which torch makes copies.
_NUMBERS: dict[str, tuple[str, float]] = {
    "pow_tensor_scalar": ("exponent", 2.5),
    "inplace_pow_tensor_scalar": ("exponent", 2.5),
    "pow_scalar_tensor": ("self", 2.5),
    "round_decimals": ("decimals", 2),
    "inplace_round_decimals": ("decimals", 2),
}

_FEW = 1000  # elements; enough to see whether a call is allowed

BY_PYTHON_NAME = {
    name: op
    for name, op in workload.BY_PYTHON_NAME.items()
    if op.kernel is not None or op.typical is not None
}


def product_of(op: Operator) -> Product:
    """The default one, or the first that has the operator."""
    return DEFAULT if DEFAULT in op.products else op.products[0]


def dtypes_of(operator: str) -> tuple[str, ...]:
    """Those of the first tensor that NumPy has; float32 comes first."""
    op = BY_PYTHON_NAME[operator]
    found = _samples(op) if op.typical is None else _allowed(op)
    return tuple(sorted(found, key=lambda dtype: dtype != "float32"))


@cache
def _samples(op: Operator) -> dict[str, Call]:
    """For each dtype a sample whose tensors all have one shape, or the first of these retyped."""
    found: dict[str, Call] = {}
    for sample in op.samples:
        tensors = list(_tensors(sample))
        plain = all(each.dtype.numpy and each.shape == tensors[0].shape for each in tensors)
        if plain and sample.product is product_of(op):
            found.setdefault(tensors[0].dtype.numpy, sample)
    first = next(iter(found.values()))
    for dtype in dtypes.ALL:
        if dtype.numpy and dtype.numpy not in found:
            retyped = _retyped(first, dtype)
            if _is_work(op, retyped):
                found[dtype.numpy] = retyped
    return found


@cache
def _allowed(op: Operator) -> tuple[str, ...]:
    """What the tensors of the common call may be; its own dtype comes first."""
    call = _typical(op, _FEW)
    first = next(_tensors(call)).dtype
    others = [dtype for dtype in dtypes.ALL if dtype.numpy and dtype is not first]
    allowed = (dtype for dtype in others if _is_work(op, _retyped(call, dtype)))
    return (first.numpy, *(dtype.numpy for dtype in allowed))


def _typical(op: Operator, elements: int) -> Call:
    assert op.typical is not None
    return op.typical(elements).on(product_of(op))


def _is_work(op: Operator, call: Call) -> bool:
    outcome = evaluate(op, call)
    return outcome.rule is None and not outcome.idle


def _tensors(call: Call) -> Iterator[TensorArg]:
    """All of them, members of lists included."""
    for argument in call.arguments.values():
        for member in argument if isinstance(argument, tuple) else (argument,):
            if isinstance(member, TensorArg):
                yield member


def _retyped(call: Call, dtype: DataType) -> Call:
    """Another dtype for all tensors that have the dtype of the first."""
    first = next(_tensors(call)).dtype

    def changed(argument: Argument) -> Any:  # noqa: ANN401
        if isinstance(argument, tuple):
            return tuple(map(changed, argument))
        if isinstance(argument, TensorArg) and argument.dtype is first:
            return replace(argument, dtype=dtype)
        return argument

    return call.passing(**{name: changed(each) for name, each in call.arguments.items()})


def described(op: Operator, dtype: str, elements: int, layout: str = CONTIGUOUS) -> Call:
    """With about so many elements; for other layouts than the contiguous, along several axes."""
    if op.typical is not None:
        call = _retyped(_typical(op, elements), dtypes.BY_NUMPY[dtype])
    else:
        sample = _samples(op)[dtype]
        names = [name for name, each in sample.arguments.items() if isinstance(each, TensorArg)]
        rows = int(elements**0.5)
        shape = (elements,) if layout == CONTIGUOUS else (rows, elements // rows)
        call = _working(op, sample.reshaped(shape, *names))
    return _one_row(op, call) if layout == BROADCAST else call


def _working(op: Operator, call: Call) -> Call:
    """With a number that makes work, which is whole where the sample's is an integer."""
    if op.snake_name not in _NUMBERS:
        return call
    name, number = _NUMBERS[op.snake_name]
    given = call.arguments[name]
    if not isinstance(given, ScalarArg):
        return call.passing(**{name: int(number)})
    whole = given.dtype.category is not Category.FLOATING
    return call.passing(**{name: replace(given, value=int(number) if whole else number)})


def _one_row(op: Operator, call: Call) -> Call:
    """The last of several inputs of a point-wise operator has one row, which is broadcast."""
    assert op.kernel is not None
    name = op.kernel.inputs[-1]
    given = call.tensor(name)
    return call.reshaped((1, *given.shape[1:]), name)


@cache
def layouts_of(operator: str) -> tuple[str, ...]:
    """Contiguous, and what else means something and the checks allow."""
    op = BY_PYTHON_NAME[operator]
    allowed = (True, _can_be_transposed(op), _can_be_broadcast(op))
    return tuple(layout for layout, can in zip(LAYOUTS, allowed, strict=True) if can)


def _can_be_transposed(op: Operator) -> bool:
    """Whether some input has several axes, and the checks let them lie in any order."""
    if op.typical is None:
        return True
    call = _typical(op, _FEW)
    changes = {
        param.name: replace(given, strides=_reversed_strides(given.shape))
        for param in op.tensors
        if op.reads(param)
        and isinstance(given := call.arguments[param.name], TensorArg)
        and sum(length > 1 for length in given.shape) > 1
    }
    return bool(changes) and _is_work(op, call.passing(**changes))


def _can_be_broadcast(op: Operator) -> bool:
    """Whether one of several inputs of a point-wise operator may have one row."""
    kernel = op.kernel
    if kernel is None or kernel.views or len(kernel.inputs) < 2:
        return False
    call = described(op, dtypes_of(op.snake_name)[0], _FEW, TRANSPOSED)
    given = call.arguments[kernel.inputs[-1]]
    if not isinstance(given, TensorArg) or len(given.shape) < 2 or given.shape[0] == 1:
        return False
    return _is_work(op, _one_row(op, call))


def _reversed_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    return TensorArg(shape[::-1]).row_major[::-1]


def values_of(op: Operator, call: Call, transposed: bool = False) -> dict[str, Any]:
    """What a call passes, by parameter: arrays, and plain values."""
    results = {output.name for output in op.outputs}
    return {
        param.name: _value(
            call.arguments[param.name],
            seed,
            transposed=transposed and op.reads(param),
            written=param.name in results,
        )
        for seed, param in enumerate(op.params)
    }


def prepared(operator: str, dtype: str, elements: int, layout: str) -> Workload:
    """The operator's call of the dtype, with about so many elements."""
    op = BY_PYTHON_NAME[operator]
    call = described(op, dtype, elements, layout)
    values = values_of(op, call, layout == TRANSPOSED)
    return Workload(
        op, values, _moved(op, values), lambda: peers.torch_call(op, values), described=call
    )


def _value(argument: Argument, seed: int, *, transposed: bool, written: bool) -> Any:  # noqa: ANN401
    if isinstance(argument, tuple):
        return [_value(each, seed, transposed=transposed, written=written) for each in argument]
    if not isinstance(argument, TensorArg):
        return goldens.plain(argument)
    if written:
        return new_array(argument.shape, argument.dtype.numpy)
    array = _input(argument, seed)
    return reversed_axes(array, array.ndim) if transposed and array.ndim > 1 else array


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
