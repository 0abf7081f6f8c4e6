# SPDX-License-Identifier: Apache-2.0
"""Calls of point-wise operators, as their declarations and samples have them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np

import aclhost
from aclhost import golden, ops
from aclhost.bench.workload import (
    Call,
    Workload,
    line,
    new_array,
    tensor,
    written_out,
)
from aclhost.golden.torch_reference import torch_arguments, torch_reference
from aclhost.spec.call import Call as Sample
from aclhost.spec.call import TensorArg
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter, TensorInOut
from aclhost.spec.products import DEFAULT

BY_PYTHON_NAME = {
    op.snake_name: op for op in ops.ALL if op.kernel is not None and DEFAULT in op.products
}


def dtypes_of(operator: str) -> tuple[str, ...]:
    """Those of the first tensor on the default product that NumPy has; float32 comes first."""
    found = _samples(BY_PYTHON_NAME[operator])
    return tuple(sorted(found, key=lambda dtype: dtype != "float32"))


def _samples(op: Operator) -> dict[str, Sample]:
    """The first sample of each dtype whose tensors all have one shape."""
    found: dict[str, Sample] = {}
    for sample in op.samples:
        tensors = [each for each in sample.arguments.values() if isinstance(each, TensorArg)]
        plain = all(each.dtype.numpy and each.shape == tensors[0].shape for each in tensors)
        if plain and sample.product is DEFAULT:
            found.setdefault(tensors[0].dtype.numpy, sample)
    return found


def workload(operator: str, dtype: str, elements: int, strided: bool) -> Workload:
    """The sample of the dtype, with so many elements."""
    op = BY_PYTHON_NAME[operator]
    results = {output.name for output in op.outputs}
    values: dict[str, Any] = {}
    for seed, (name, argument) in enumerate(_samples(op)[dtype].arguments.items()):
        if isinstance(argument, TensorArg):
            array = line(elements, argument.dtype.numpy, seed, strided)
            values[name] = (
                new_array(array.shape, argument.dtype.numpy) if name in results else array
            )
        else:
            values[name] = golden.plain(argument)
    return Workload(
        _own_call(op, values),
        sum(values[param.name].nbytes * _times_moved(param) for param in _tensors(op, values)),
        lambda: _torch_call(op, values),
    )


def _tensors(op: Operator, values: Mapping[str, Any]) -> list[Parameter]:
    return [param for param in op.tensors if values[param.name] is not None]


def _times_moved(param: Parameter) -> int:
    return 2 if isinstance(param, TensorInOut) else 1


def _own_call(op: Operator, values: Mapping[str, Any]) -> Call:
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
    return None if value is None else np.asarray(value).item()
