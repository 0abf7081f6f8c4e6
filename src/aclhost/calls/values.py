# SPDX-License-Identifier: Apache-2.0
"""Calls turned into arrays, and what the golden says about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from aclhost import goldens
from aclhost.arrays import NDArray, finfo, numpy_dtype
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import COMPLEX32, Category, promote
from aclhost.spec.operator import Operator

SENTINEL = 0xA5  # every byte of an output before the call

# Distance from the golden, in units in the last place of the dtype the operator computes in.
# Float32 arithmetic rounds several times before the one rounding that 16-bit results see.
ULPS = {"float32": 16, "float64": 16, "float16": 1, "bfloat16": 1}


@dataclass
class Storage:
    """A tensor's memory and the view that the call describes."""

    memory: NDArray
    view: NDArray


def _strided(memory: NDArray, tensor: TensorArg) -> NDArray:
    size = memory.dtype.itemsize
    strides = [step * size for step in tensor.element_strides]
    return np.ndarray(
        tensor.shape, memory.dtype, memory, offset=tensor.offset * size, strides=strides
    )


def random_values(tensor: TensorArg, dtype: np.dtype[Any], rng: np.random.Generator) -> NDArray:
    """Numbers of the tensor's span, or ordinary ones."""
    if dtype.kind == "b":
        return rng.integers(0, 2, tensor.shape).astype(dtype)
    if dtype.kind == "c":
        return (rng.normal(0, 2, tensor.shape) + 1j * rng.normal(0, 2, tensor.shape)).astype(dtype)
    if dtype.kind in "iu":
        first, last = tensor.span or (0, 100)
        return rng.integers(int(first), int(last), tensor.shape).astype(dtype)
    if tensor.span is not None:
        return rng.uniform(*tensor.span, tensor.shape).astype(dtype)
    return rng.normal(0, 2, tensor.shape).astype(dtype)


def _memory(tensor: TensorArg) -> NDArray:
    """As many bytes as the storage has, each of them the sentinel."""
    dtype = numpy_dtype(tensor.dtype)
    size = tensor.storage_elements * dtype.itemsize if tensor.backed else 0
    return np.frombuffer(bytes([SENTINEL]) * size, dtype=dtype).copy()


def make_storage(tensor: TensorArg, rng: np.random.Generator) -> Storage:
    """Memory with the given values, or random ones."""
    memory = _memory(tensor)
    if not (tensor.backed and tensor.inside_storage):
        return Storage(memory, memory[:0])
    view = _strided(memory, tensor)
    if tensor.dtype is COMPLEX32:
        numbers = rng.normal(0, 2, (2, *tensor.shape))
        view[...] = goldens.convert(numbers[0] + 1j * numbers[1], COMPLEX32)
    elif memory.dtype.type is not np.void:  # the kind of ml_dtypes' types is V, too
        given = tensor.values
        view[...] = (
            random_values(tensor, memory.dtype, rng)
            if given is None
            else np.array(given).reshape(tensor.shape).astype(memory.dtype)
        )
    return Storage(memory, view)


def scalar_value(argument: ScalarArg) -> Any:
    """The scalar as NumPy holds it in its dtype."""
    dtype = numpy_dtype(argument.dtype)
    value = argument.value if dtype.kind == "c" else argument.value.real
    return np.array(value).astype(dtype)[()]


def single(argument: ScalarArg) -> float:
    """The scalar as most operators see it; those that take complex ones have traced functions."""
    assert not isinstance(argument.value, complex)
    return float(np.float32(argument.value))


def make_output(tensor: TensorArg) -> Storage:
    """Memory in which every byte is the sentinel."""
    memory = _memory(tensor)
    usable = tensor.backed and tensor.inside_storage
    return Storage(memory, _strided(memory, tensor) if usable else memory[:0])


def _golden_arguments(op: Operator, call: Call, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Integers as they are, floats as float64, scalars as the float that the operator sees."""
    arguments: dict[str, Any] = {}
    for param in op.params:
        value: Any = call.arguments[param.name]
        if param in op.outputs:
            continue
        if isinstance(value, TensorArg):
            array = inputs.get(param.name)
            if array is None:  # only written; goldens ask for shape and dtype
                array = np.zeros(value.shape, numpy_dtype(value.dtype))
            value = array if not op.reads(param) else goldens.widened(array)
        elif isinstance(value, tuple):
            value = _golden_members(value, inputs.get(param.name))
        elif isinstance(value, ScalarArg):
            value = single(value)
        elif param.c_type == "float":
            value = float(np.float32(value))
        arguments[param.python_name] = value
    return arguments


def _golden_members(values: tuple[Any, ...], arrays: Any) -> Any:
    """Of a list of tensors or scalars; arrays of numbers stay as they are."""
    if arrays is not None:
        return [goldens.widened(array) for array in arrays]
    return tuple(single(each) if isinstance(each, ScalarArg) else each for each in values)


def expected(op: Operator, call: Call, inputs: Mapping[str, Any]) -> list[NDArray]:
    """The golden's results, one for each output."""
    if op.kernel is not None:
        plain = {name: goldens.plain(each) for name, each in call.arguments.items()}
        return list(goldens.pointwise(op, call, {**plain, **inputs}))
    assert op.golden is not None
    with np.errstate(all="ignore"):
        results = op.golden(**_golden_arguments(op, call, inputs))
    return flat(results)


def flat(results: Any) -> list[NDArray]:
    """All arrays of a result, of several, or of lists of them; none of what was left out."""
    if results is None:
        return []
    if isinstance(results, tuple | list):
        return [array for each in results for array in flat(each)]
    return [np.asarray(results)]


def member_name(parameter: str, position: int) -> str:
    """What a list's member is called."""
    return f"{parameter}[{position}]"


def named(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """All arguments, members of lists one by one under names of their own."""
    found: dict[str, Any] = {}
    for name, argument in arguments.items():
        if isinstance(argument, tuple | list):
            found |= {member_name(name, i): member for i, member in enumerate(argument)}
        else:
            found[name] = argument
    return found


def grouped(members: Mapping[str, Any]) -> dict[str, Any]:
    """The reverse: members of lists as lists."""
    found: dict[str, Any] = {}
    for name, member in members.items():
        parameter, bracket, _ = name.partition("[")
        if bracket:
            found.setdefault(parameter, []).append(member)
        else:
            found[name] = member
    return found


def magnitudes(
    op: Operator, call: Call, inputs: Mapping[str, Any], wanted: list[NDArray]
) -> list[NDArray]:
    """What errors are measured against: for sums, those of the terms' magnitudes."""
    if op.kernel is not None:
        plain = {name: goldens.plain(each) for name, each in call.arguments.items()}
        terms = goldens.magnitudes(op, call, {**plain, **inputs})
        with np.errstate(invalid="ignore"):
            return [
                np.fmax(np.fmax(np.abs(value), size), op.ulps_from)
                for value, size in zip(wanted, terms, strict=True)
            ]
    if not op.summed:
        return (
            [np.fmax(np.abs(value), op.ulps_from) for value in wanted] if op.ulps_from else wanted
        )
    sizes = {name: _sizes(array) if name in op.summed else array for name, array in inputs.items()}
    return expected(replace(op, golden=op.terms or op.golden), call, sizes)


def _sizes(arrays: Any) -> Any:
    return [*map(np.abs, arrays)] if isinstance(arrays, list) else np.abs(arrays)


def computed_dtype(op: Operator, call: Call) -> np.dtype[Any]:
    """The dtype that results are rounded to before the cast to the output."""
    floats = [
        tensor.dtype
        for param in op.tensors
        if param not in op.outputs
        and isinstance(tensor := call.arguments[param.name], TensorArg)
        and tensor.dtype.category is Category.FLOATING
    ]
    return numpy_dtype(reduce(promote, floats)) if floats else np.dtype(np.float64)


def ulp_distance(
    got: NDArray, wanted: NDArray, dtype: np.dtype[Any], scale: NDArray | None = None
) -> float:
    """The largest distance in ulps of dtype, at the scale of the values if no other is given.

    Equal infinities and NaNs count 0. Complex numbers are compared part by part.
    """
    if got.dtype.kind == "c":
        parts = ((got.real, wanted.real), (got.imag, wanted.imag))
        return max(ulp_distance(ours, exact, ours.dtype, scale) for ours, exact in parts)
    with np.errstate(all="ignore"):
        rounded = wanted.astype(dtype).astype(np.float64)
        actual = got.astype(np.float64)
        same = (actual == rounded) | (np.isnan(actual) & np.isnan(rounded))
        info = finfo(dtype)
        size = np.abs(rounded if scale is None else scale)
        exponent = np.floor(np.log2(np.maximum(size, float(info.tiny))))
        spacing = np.exp2(exponent - info.nmant)
        distance = np.where(same, 0.0, np.abs(actual - rounded) / spacing)
    return float(np.max(np.nan_to_num(distance, nan=np.inf), initial=0.0))
