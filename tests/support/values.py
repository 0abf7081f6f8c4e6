# SPDX-License-Identifier: Apache-2.0
"""Calls turned into arrays, and what the golden says about them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.operator import Operator

SENTINEL = 0xA5  # every byte of an output before the call

# Distance from the golden, in units in the last place of the dtype the operator computes in.
# Float32 arithmetic rounds several times before the one rounding that 16-bit results see.
ULPS = {"float32": 16, "float64": 16, "float16": 1, "bfloat16": 1}


def numpy_dtype(dtype: DataType) -> np.dtype[Any]:
    """NumPy's dtype; raw bytes of the right size for types NumPy does not know."""
    if dtype.numpy:
        return np.dtype(getattr(ml_dtypes, dtype.numpy, None) or dtype.numpy)
    return np.dtype(f"V{max(dtype.bits // 8, 1)}")


@dataclass
class Storage:
    """A tensor's memory and the view that the call describes."""

    memory: np.ndarray
    view: np.ndarray


def _strided(memory: np.ndarray, tensor: TensorArg) -> np.ndarray:
    size = memory.dtype.itemsize
    strides = [step * size for step in tensor.element_strides]
    return np.ndarray(
        tensor.shape, memory.dtype, memory, offset=tensor.offset * size, strides=strides
    )


def make_storage(tensor: TensorArg, rng: np.random.Generator) -> Storage:
    """Memory with the given values, or random ones around zero."""
    dtype = numpy_dtype(tensor.dtype)
    memory = np.frombuffer(
        bytes([SENTINEL]) * (tensor.storage_elements * dtype.itemsize), dtype=dtype
    ).copy()
    view = _strided(memory, tensor) if tensor.inside_storage else memory[:0]
    if dtype.kind != "V" and tensor.inside_storage:
        count = math.prod(tensor.shape)
        values = rng.normal(0, 2, count) if tensor.values is None else np.array(tensor.values)
        view[...] = values.reshape(tensor.shape).astype(dtype)
    return Storage(memory, view)


def scalar_value(argument: ScalarArg) -> Any:
    """The scalar as NumPy holds it in its dtype."""
    dtype = numpy_dtype(argument.dtype)
    value = argument.value if dtype.kind == "c" else argument.value.real
    return np.array(value).astype(dtype)[()]


def make_output(tensor: TensorArg) -> Storage:
    """Memory in which every byte is the sentinel."""
    dtype = numpy_dtype(tensor.dtype)
    size = tensor.storage_elements * dtype.itemsize
    memory = np.frombuffer(bytes([SENTINEL]) * size, dtype=dtype).copy()
    return Storage(memory, _strided(memory, tensor))


def expected(op: Operator, call: Call, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
    """The golden's result, rounded to the operator's dtype; the cast to the output is exact."""
    arguments: dict[str, Any] = {}
    for param in op.params:
        argument = call.arguments[param.name]
        if param in op.outputs:
            continue
        if isinstance(argument, TensorArg):
            arguments[param.python_name] = inputs[param.name].astype(np.float64)
        elif isinstance(argument, ScalarArg):
            arguments[param.python_name] = float(np.float32(argument.value))
        else:
            arguments[param.python_name] = argument
    with np.errstate(all="ignore"):
        return np.asarray(op.golden(**arguments))


def ulp_distance(got: np.ndarray, wanted: np.ndarray, dtype: np.dtype[Any]) -> float:
    """The largest distance in ulps of dtype; equal infinities and NaNs count 0."""
    with np.errstate(all="ignore"):
        rounded = wanted.astype(dtype).astype(np.float64)
        actual = got.astype(np.float64)
        same = (actual == rounded) | (np.isnan(actual) & np.isnan(rounded))
        info = ml_dtypes.finfo(dtype)
        exponent = np.floor(np.log2(np.maximum(np.abs(rounded), float(info.tiny))))
        spacing = np.exp2(exponent - info.nmant)
        distance = np.where(same, 0.0, np.abs(actual - rounded) / spacing)
    return float(np.max(np.nan_to_num(distance, nan=np.inf), initial=0.0))
