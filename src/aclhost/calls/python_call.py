# SPDX-License-Identifier: Apache-2.0
"""Described calls as calls of the high-level Python functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import aclhost
from aclhost.arrays import NDArray
from aclhost.calls.values import make_output, make_storage, scalar_value
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.operator import Operator


class NotExpressibleError(Exception):
    """Formats, views outside their storage, dtypes without a NumPy name, a null output."""


def _array(op: Operator, tensor: TensorArg, *, output: bool) -> NDArray:
    if tensor.format is not op.python_label(len(tensor.shape)):
        raise NotExpressibleError(f"format {tensor.format}")
    if not tensor.dtype.numpy:
        raise NotExpressibleError(f"dtype {tensor.dtype}")
    if not tensor.backed:
        raise NotExpressibleError("a tensor without memory")
    if not tensor.inside_storage:
        raise NotExpressibleError("a view that leaves its storage")
    rng = np.random.default_rng(0)
    return (make_output(tensor) if output else make_storage(tensor, rng)).view


def _python_value(op: Operator, argument: Argument) -> Any:
    if isinstance(argument, TensorArg):
        return _array(op, argument, output=False)
    if isinstance(argument, ScalarArg):
        return scalar_value(argument)
    if isinstance(argument, tuple):
        return [_python_value(op, each) for each in argument]
    return argument.value if isinstance(argument, DataType) else argument


def _output(op: Operator, argument: Argument) -> Any:
    if isinstance(argument, tuple):
        return [_output(op, each) for each in argument]
    if not isinstance(argument, TensorArg):
        raise NotExpressibleError("a null output means a new one")
    return _array(op, argument, output=True)


def call_function(op: Operator, call: Call) -> tuple[Callable[..., Any], dict[str, Any], list[Any]]:
    """The function, its keyword arguments, and the arrays that it would write."""
    arguments = {
        param.python_name: _python_value(op, call.arguments[param.name])
        for param in op.python_params()
    }
    outputs: list[Any] = []
    for output in op.outputs:
        made_if, argument = getattr(output, "made_if", None), call.arguments[output.name]
        left_out = argument is None and made_if is not None and not made_if.evaluate(call)
        outputs.append(None if left_out else _output(op, argument))
    if outputs:
        arguments["out"] = outputs[0] if len(outputs) == 1 else tuple(outputs)
    return getattr(aclhost, op.snake_name), arguments, outputs
