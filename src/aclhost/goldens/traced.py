# SPDX-License-Identifier: Apache-2.0
"""Point-wise operators on NumPy arrays: their traced functions in float64."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np

from aclhost.arrays import NDArray, numpy_dtype
from aclhost.goldens.convert import convert, plain, widened
from aclhost.spec import dtypes
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import Category, DataType
from aclhost.spec.expression import domain_of, summands
from aclhost.spec.numpy_evaluation import evaluate
from aclhost.spec.operator import Operator
from aclhost.spec.params import TENSORS, Choice, Parameter, Scalar
from aclhost.spec.pointwise import Pointwise, loop_dtype
from aclhost.spec.terms import Term

_COMPLEX = Category.COMPLEX


def call_of(op: Operator, named: Mapping[str, Any]) -> Call:
    """The call that these values, by upstream's names, describe; results as Python makes them."""
    call = Call({param.name: _described(param, named.get(param.name)) for param in op.params})
    for output in op.outputs:
        if named.get(output.name) is None and output.can_be_made:
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
        return ScalarArg(np.asarray(value).item(), _scalar_dtype(value))
    if isinstance(param, Choice) and isinstance(value, str):
        return param.words.index(value)
    if isinstance(value, ScalarArg | None):
        return value
    return tuple(value) if isinstance(value, list | tuple | np.ndarray) else value


def _scalar_dtype(value: Any) -> DataType:  # noqa: ANN401
    """As the Python functions take it: bool, int, float and complex have a dtype of their own."""
    plain_types = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
    return dtypes.BY_NUMPY[plain_types.get(type(value)) or np.asarray(value).dtype.name]


def pointwise(op: Operator, call: Call, named: Mapping[str, Any]) -> tuple[NDArray, ...]:
    """The traced function on NumPy arrays: reals in float64, integers in their own dtype.

    Values come by upstream's names; results are those of the written parameters, not yet rounded
    to any dtype.
    """
    kernel, computed, variant = _chosen(op, call)
    values = as_computed(op, call, named)
    results = tuple(map(np.asarray, kernel.golden(values, computed, variant)))
    return tuple(reduced(kernel, call, each) for each in kernel.joined(call, results))


def magnitudes(op: Operator, call: Call, named: Mapping[str, Any]) -> tuple[NDArray, ...]:
    """The largest finite term of the sum that each result is: rounding errors go by it.

    Infinity where infinite terms of a product of sums cancel: nobody knows what they leave.
    """
    kernel, computed, variant = _chosen(op, call)
    values = as_computed(op, call, named)
    results = kernel.expressions(domain_of(computed), variant)
    integers = computed.numpy if computed.category is Category.INTEGER else "int64"
    sums = (evaluate(summands(result), values, integers) for result in results)
    with np.errstate(all="ignore"):
        sizes = tuple(map(_largest, sums))
        return tuple(reduced(kernel, call, each) for each in kernel.joined(call, sizes))


def reduced(kernel: Pointwise, call: Call, values: NDArray) -> NDArray:
    """The function's values, or their mean or sum where the call wants it."""
    reduction = 0 if kernel.reduction is None else kernel.reduction.evaluate(call)
    if not reduction:
        return values
    values = np.broadcast_to(values, np.broadcast_shapes(*map(call.shape, kernel.inputs)))
    shape = call.shape(kernel.outputs[0])
    aligned = (*(1,) * (values.ndim - len(shape)), *shape[max(0, len(shape) - values.ndim) :])
    axes = tuple(
        axis for axis, length in enumerate(aligned) if length == 1 and values.shape[axis] != 1
    )
    with np.errstate(all="ignore"):
        sums = values.sum(axis=axes, keepdims=True)
        count = math.prod(values.shape[axis] for axis in axes)
        return np.asarray(sums / np.float64(count) if reduction == 1 else sums).reshape(shape)


def _largest(terms: tuple[NDArray, ...]) -> NDArray:
    finite = reduce(np.maximum, (np.where(np.isfinite(each), np.abs(each), 0) for each in terms))
    unknown = np.isnan(reduce(np.add, terms)) & ~reduce(np.logical_or, map(np.isnan, terms))
    return np.where(unknown, np.inf, finite)


def _chosen(op: Operator, call: Call) -> tuple[Pointwise, DataType, int]:
    kernel = op.kernel
    assert kernel is not None
    variant = 0 if kernel.variant is None else kernel.variant.evaluate(call)
    return kernel, dtypes.BY_VALUE[kernel.computed.evaluate(call)], variant


def as_computed(op: Operator, call: Call, named: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs and numbers as the function gets them, by upstream's names."""
    kernel, computed, _ = _chosen(op, call)
    values: dict[str, Any] = {}
    for position, (name, array) in enumerate(kernel.read(call, named).items()):
        if array is None:  # the variant does not look at it
            continue
        dtype = _dtype(kernel.input_dtype(position), call, computed)
        values[name] = widened(convert(np.asarray(array), dtype))
    for number in kernel.numbers:
        dtype = _dtype(number.dtype, call, loop_dtype(computed))
        argument = number.value.evaluate(call) if number.value else call.arguments[number.parameter]
        values[number.parameter] = _number(argument, dtype, number.absent)
    return values


def _dtype(term: Term | None, call: Call, otherwise: DataType) -> DataType:
    return otherwise if term is None else dtypes.BY_VALUE[term.evaluate(call)]


def _number(argument: Argument, dtype: DataType, absent: str) -> Any:  # noqa: ANN401
    if argument is None:
        return _limit(dtype, absent)
    of_complex = isinstance(argument, ScalarArg) and argument.dtype.category is _COMPLEX
    if of_complex and dtype.category is not _COMPLEX:
        return 0
    return widened(convert(np.asarray(plain(argument)), dtype))[()]


def _limit(dtype: DataType, absent: str) -> float | int:
    if not absent:
        return 0
    kind = numpy_dtype(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return int(limits.max if absent == "most" else limits.min)
    return math.inf if absent == "most" else -math.inf
