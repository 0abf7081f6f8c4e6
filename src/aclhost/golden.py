# SPDX-License-Identifier: Apache-2.0
"""Operators on plain values: by the native kernels, and by their definitions in float64."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import aclhost
from aclhost.arrays import NDArray, numpy_dtype
from aclhost.spec import dtypes
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.operator import Operator
from aclhost.spec.params import (
    TENSORS,
    Choice,
    Double,
    Float,
    Parameter,
    Scalar,
    TensorInOut,
    TensorOut,
)
from aclhost.spec.pointwise import loop_dtype
from aclhost.spec.terms import Term

__all__ = ["native", "plain", "reference", "results_of"]


def results_of(op: Operator) -> tuple[Parameter, ...]:
    """The parameters that an operator writes, in order."""
    return tuple(param for param in op.params if isinstance(param, TensorOut | TensorInOut))


def native(op: Operator, arguments: Mapping[str, Any]) -> tuple[NDArray, ...]:
    """What the library computes; arguments by Python names, inputs stay as they are.

    Raises:
        AclnnError: the operator refuses the arguments.

    """
    values = dict(arguments)
    for param in op.params:
        if isinstance(param, TensorInOut):
            values[param.python_name] = np.array(values[param.python_name])
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


def call_of(op: Operator, named: Mapping[str, Any]) -> Call:
    """The call that these values, by upstream's names, describe; results as Python makes them."""
    call = Call({param.name: _described(param, named.get(param.name)) for param in op.params})
    for output in op.outputs:
        if named.get(output.name) is None and (output.shape or output.like):
            dtype = dtypes.BY_VALUE[output.dtype_term.evaluate(call)]
            shape = output.shape_term.evaluate(call)
            call = call.passing(**{output.name: TensorArg(shape, dtype)})
    return call


def _described(param: Parameter, value: Any) -> Argument:  # noqa: ANN401
    if isinstance(param, TENSORS):
        if value is None:
            return None
        array = np.asarray(value)
        return TensorArg(array.shape, dtypes.BY_NUMPY[array.dtype.name])
    if isinstance(param, Scalar) and value is not None and not isinstance(value, ScalarArg):
        return ScalarArg(np.asarray(value)[()], _scalar_dtype(value))
    if isinstance(param, Choice) and isinstance(value, str):
        return param.words.index(value)
    if isinstance(value, ScalarArg | None):
        return value
    return tuple(value) if isinstance(value, list | tuple | np.ndarray) else value  # type: ignore[no-any-return]


def _scalar_dtype(value: Any) -> dtypes.DataType:  # noqa: ANN401
    """As the Python functions take it: bool, int, float and complex have a dtype of their own."""
    plain_types = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
    return dtypes.BY_NUMPY[plain_types.get(type(value)) or np.asarray(value).dtype.name]


def pointwise(op: Operator, call: Call, named: Mapping[str, Any]) -> tuple[NDArray, ...]:
    """The traced function on NumPy arrays: reals in float64, integers in their own dtype.

    Values come by upstream's names; results are not yet rounded to any dtype.
    """
    kernel = op.kernel
    assert kernel is not None
    computed = dtypes.BY_VALUE[kernel.computed.evaluate(call)]
    values: dict[str, Any] = {}
    for position, name in enumerate(kernel.inputs):
        dtype = _dtype(kernel.input_dtype(position), call, computed)
        values[name] = widened(convert(np.asarray(named[name]), dtype))
    for number in kernel.numbers:
        dtype = _dtype(number.dtype, call, loop_dtype(computed))
        values[number.parameter] = _number(call.arguments[number.parameter], dtype, number.absent)
    variant = 0 if kernel.variant is None else kernel.variant.evaluate(call)
    with np.errstate(all="ignore"):
        return tuple(map(np.asarray, kernel.golden(values, computed, variant)))


def _dtype(term: Term | None, call: Call, otherwise: dtypes.DataType) -> dtypes.DataType:
    return otherwise if term is None else dtypes.BY_VALUE[term.evaluate(call)]


def _number(argument: Argument, dtype: dtypes.DataType, absent: str) -> Any:  # noqa: ANN401
    if argument is None:
        return _limit(dtype, absent)
    return widened(convert(np.asarray(plain(argument)), dtype))[()]


def _limit(dtype: dtypes.DataType, absent: str) -> float | int:
    if not absent:
        return 0
    kind = numpy_dtype(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return int(limits.max if absent == "most" else limits.min)
    return math.inf if absent == "most" else -math.inf


def convert(array: NDArray, dtype: dtypes.DataType) -> NDArray:
    """What aclnnCast makes of the values: integers wrap, floats saturate at 32 or 64 bits."""
    target = numpy_dtype(dtype)
    if array.dtype == target:
        return array
    with np.errstate(all="ignore"):
        if dtype is dtypes.BOOL:
            return np.asarray(array != 0)
        if array.dtype.kind == "c" and target.kind != "c":
            array = array.real
        if array.dtype.kind in "biuc" or target.kind not in "iu":
            return array.astype(target)
        wide = np.trunc(np.nan_to_num(array.astype(np.float64), nan=0.0))
        bits = 64 if target.itemsize == 8 else 32
        least, most = (
            (0, 2**64 - 1) if dtype is dtypes.UINT64 else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        )
        exact = np.vectorize(lambda x: max(least, min(most, int(x))), otypes=[object])
        clamped = exact(np.clip(wide, -1e30, 1e30)) if wide.size else wide
        return (
            (np.asarray(clamped) % 2 ** (8 * target.itemsize))
            .astype(f"u{target.itemsize}")
            .astype(target)
        )


def widened(array: NDArray) -> NDArray:
    """Reals as float64, complex numbers as complex128, others as they are."""
    if array.dtype.kind in "biu":
        return array
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def plain(argument: Argument) -> Any:  # noqa: ANN401
    """A described argument that is no tensor, as the Python functions take it."""
    if not isinstance(argument, ScalarArg):
        return argument
    kind = numpy_dtype(argument.dtype)
    value = argument.value if kind.kind == "c" else argument.value.real
    return np.array(value).astype(kind)[()]


def _several(results: Any) -> tuple[NDArray, ...]:  # noqa: ANN401
    return tuple(map(np.asarray, results if isinstance(results, tuple) else (results,)))


def _exact(param: Parameter, value: Any) -> Any:  # noqa: ANN401
    """Numbers as the operator sees them: scalars and floats arrive in single precision."""
    if isinstance(param, Scalar) or (isinstance(param, Float) and not isinstance(param, Double)):
        return float(np.float32(value))
    if isinstance(value, np.ndarray) and value.dtype.kind not in "?biu":
        return value.astype(np.float64)
    return value
