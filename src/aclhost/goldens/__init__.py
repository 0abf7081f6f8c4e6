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
    "as_computed", "call_of", "convert", "magnitudes", "native", "native_results", "plain",
    "pointwise", "reduced", "reference", "results_of", "widened",
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
    return _several(_native(op, arguments))


def native_results(op: Operator, arguments: Mapping[str, Any]) -> dict[str, NDArray]:
    """The same by upstream's names; the members of a list are NAME.0, NAME.1 and so on.

    Raises:
        AclnnError: the operator refuses the arguments.

    """
    params, returned = results_of(op), _native(op, arguments)
    each = returned if isinstance(returned, tuple) and len(params) > 1 else (returned,)
    found: dict[str, NDArray] = {}
    for param, value in zip(params, each, strict=True):
        if isinstance(value, list | tuple):
            found |= {f"{param.name}.{place}": array for place, array in enumerate(value)}
        elif value is not None:
            found[param.name] = np.asarray(value)
    return found


def _native(op: Operator, arguments: Mapping[str, Any]) -> Any:  # noqa: ANN401
    values = dict(arguments)
    for param in op.params:
        given = values.get(param.python_name)
        if isinstance(param, TensorInOut) and given is not None:
            values[param.python_name] = np.array(given)
        elif isinstance(param, TensorListInOut) and given is not None:
            values[param.python_name] = [*map(np.array, given)]
    return getattr(aclhost, op.snake_name)(**values)


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
    """All arrays, members of lists included; nothing of what was left out."""
    if results is None:
        return ()
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
