# SPDX-License-Identifier: Apache-2.0
"""The arguments of a described call as C functions take them, in device memory."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from contextlib import ExitStack
from ctypes import c_char_p, c_double, c_int64, c_void_p
from typing import Any

import numpy as np

from aclhost import acl, aclnn
from aclhost.arrays import numpy_dtype
from aclhost.bench.workload import Array
from aclhost.spec.call import Argument, ScalarArg, TensorArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.params import Float, Parameter

_HOST_TO_DEVICE = 1


class CArgument(ctypes.Structure):
    """An Argument of aclhost.gen.call_table."""

    _fields_ = (
        ("tensor", c_void_p),
        ("scalar", c_void_p),
        ("integers", c_void_p),
        ("floats", c_void_p),
        ("bools", c_void_p),
        ("tensors", c_void_p),
        ("scalars", c_void_p),
        ("text", c_char_p),
        ("integer", c_int64),
        ("number", c_double),
    )


def c_argument(param: Parameter, given: Argument, value: object, end: ExitStack) -> CArgument:
    """One argument; `value` has the arrays of tensors. What it made goes when `end` does."""
    made = CArgument()
    if isinstance(param, Float):
        made.number = given
    elif isinstance(given, TensorArg):
        assert isinstance(value, np.ndarray)
        made.tensor = _tensor(given, value, end)
        end.callback(aclnn.aclDestroyTensor, made.tensor)
    elif isinstance(given, ScalarArg):
        made.scalar = _scalar(given)
        end.callback(aclnn.aclDestroyScalar, made.scalar)
    elif isinstance(given, DataType):
        made.integer = given.value
    elif isinstance(given, tuple):
        assert isinstance(value, list | tuple)
        _set_several(made, param.kind, given, value, end)
    elif isinstance(given, str):
        made.text = given.encode()
    elif given is not None:
        made.integer = int(given)
    return made


def _set_several(
    made: CArgument, kind: str, given: tuple[Any, ...], value: Sequence[Any], end: ExitStack
) -> None:
    """A list, which owns its members, or an array of numbers."""
    count = len(given)
    if kind in ("kTensorList", "kTensorListOut"):
        members = [_tensor(one, array, end) for one, array in zip(given, value, strict=True)]
        made.tensors = aclnn.aclCreateTensorList(members, count)
        end.callback(aclnn.aclDestroyTensorList, made.tensors)
    elif kind == "kScalarList":
        made.scalars = aclnn.aclCreateScalarList([*map(_scalar, given)], count)
        end.callback(aclnn.aclDestroyScalarList, made.scalars)
    elif kind == "kIntArray":
        made.integers = aclnn.aclCreateIntArray(given, count)
        end.callback(aclnn.aclDestroyIntArray, made.integers)
    elif kind == "kFloatArray":
        made.floats = aclnn.aclCreateFloatArray(given, count)
        end.callback(aclnn.aclDestroyFloatArray, made.floats)
    else:
        made.bools = aclnn.aclCreateBoolArray(given, count)
        end.callback(aclnn.aclDestroyBoolArray, made.bools)


def _tensor(given: TensorArg, array: Array, end: ExitStack) -> int:
    """Over a copy of the array in device memory."""
    assert array.flags.c_contiguous
    address = 0
    if array.size:
        address, status = acl.rt.malloc(array.nbytes, 0)
        assert status == 0
        end.callback(acl.rt.free, address)
        size, source = array.nbytes, array.ctypes.data
        assert acl.rt.memcpy(address, size, source, size, _HOST_TO_DEVICE) == 0
    shape = array.shape
    made = aclnn.aclCreateTensor(
        shape, len(shape), given.dtype.value, None, 0, given.format.value, shape, len(shape),
        address,
    )  # fmt: skip
    assert made != 0
    return made


def _scalar(given: Argument) -> int:
    assert isinstance(given, ScalarArg)
    dtype = numpy_dtype(given.dtype)
    value = given.value if dtype.kind == "c" else given.value.real
    return aclnn.aclCreateScalar(np.array(value).astype(dtype).tobytes(), given.dtype.value)
