# SPDX-License-Identifier: Apache-2.0
"""Operators on plain values: by the native kernels, and by their definitions in float64."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import aclhost
from aclhost.arrays import NDArray
from aclhost.goldens.convert import convert, plain, widened
from aclhost.goldens.traced import as_computed, call_of, magnitudes, pointwise, reduced
from aclhost.spec.operator import Operator
from aclhost.spec.params import (
    Double,
    Float,
    Parameter,
    Scalar,
    ScalarList,
    TensorInOut,
    TensorListInOut,
    TensorOut,
)

__all__ = [
    "as_computed", "call_of", "convert", "magnitudes", "native", "plain", "pointwise", "reduced",
    "reference", "results_of", "widened",
]  # fmt: skip


def results_of(op: Operator) -> tuple[Parameter, ...]:
    """The parameters that an operator writes, in order."""
    written = (TensorOut, TensorInOut, TensorListInOut)
    return tuple(param for param in op.params if isinstance(param, written))


def native(op: Operator, arguments: Mapping[str, Any]) -> tuple[NDArray, ...]:
    """What the library computes; arguments by Python names, inputs stay as they are.

    Raises:
        AclnnError: the operator refuses the arguments.

    """
    values = dict(arguments)
    for param in op.params:
        given = values.get(param.python_name)
        if isinstance(param, TensorInOut) and given is not None:
            values[param.python_name] = np.array(given)
        elif isinstance(param, TensorListInOut) and given is not None:
            values[param.python_name] = [*map(np.array, given)]
    return _several(getattr(aclhost, op.snake_name)(**values))


def reference(op: Operator, arguments: Mapping[str, Any]) -> tuple[NDArray, ...]:
    """What the operator's definition gives in float64; integers stay integers."""
    if op.kernel is not None:
        named = {param.name: arguments.get(param.python_name) for param in op.params}
        return pointwise(op, call_of(op, named), named)
    assert op.golden is not None
    values = {
        param.python_name: _exact(param, arguments[param.python_name])
        for param in op.params
        if not isinstance(param, TensorOut)
    }
    with np.errstate(all="ignore"):
        return _several(op.golden(**values))


def _several(results: Any) -> tuple[NDArray, ...]:  # noqa: ANN401
    """All arrays, members of lists included."""
    if isinstance(results, tuple | list):
        return tuple(array for each in results for array in _several(each))
    return (np.asarray(results),)


def _exact(param: Parameter, value: Any) -> Any:  # noqa: ANN401
    """Numbers as the operator sees them: scalars and floats arrive in single precision.

    Of what is only written, goldens ask for shape and dtype.
    """
    if isinstance(param, TensorInOut) and not param.reads:
        return value
    if isinstance(value, list | tuple):
        return tuple(_exact(param, each) for each in value)
    single = isinstance(param, Float) and not isinstance(param, Double)
    if value is not None and (single or isinstance(param, Scalar | ScalarList)):
        return float(np.float32(value))
    return widened(value) if isinstance(value, np.ndarray) else value
