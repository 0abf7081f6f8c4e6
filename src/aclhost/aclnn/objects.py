# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: N802, N803
"""Tensors, scalars, arrays, lists and executors: C names, C argument order.

Handles are plain integers; 0 and None are null. Functions with results return them first and the
status last. Where C takes a pointer to numbers, any sequence of numbers goes in.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import byref, c_bool, c_float, c_int, c_int64, c_uint64, c_void_p
from functools import cache
from typing import Any, cast

from aclhost.acl._capi import c_string, library, output, status

__all__ = [
    "aclCreateBoolArray",
    "aclCreateFloatArray",
    "aclCreateIntArray",
    "aclCreateScalar",
    "aclCreateScalarList",
    "aclCreateTensor",
    "aclCreateTensorList",
    "aclDestroyAclOpExecutor",
    "aclDestroyBoolArray",
    "aclDestroyFloatArray",
    "aclDestroyIntArray",
    "aclDestroyScalar",
    "aclDestroyScalarList",
    "aclDestroyTensor",
    "aclDestroyTensorList",
    "aclGetBoolArraySize",
    "aclGetDataType",
    "aclGetFloatArraySize",
    "aclGetFormat",
    "aclGetIntArraySize",
    "aclGetRawTensorAddr",
    "aclGetScalarListSize",
    "aclGetStorageShape",
    "aclGetTensorListSize",
    "aclGetViewOffset",
    "aclGetViewShape",
    "aclGetViewStrides",
    "aclInitTensor",
    "aclSetAclOpExecutorRepeatable",
    "aclSetDynamicInputTensorAddr",
    "aclSetDynamicOutputTensorAddr",
    "aclSetDynamicTensorAddr",
    "aclSetInputTensorAddr",
    "aclSetOutputTensorAddr",
    "aclSetRawTensorAddr",
    "aclSetTensorAddr",
    "aclnnFinalize",
    "aclnnInit",
]

Handle = int | None


def _numbers(
    kind: type[ctypes._SimpleCData[Any]], values: Sequence[Any] | None, count: int
) -> ctypes.Array[Any] | None:
    """A C array of the first `count` values; null stays null.

    Raises:
        ValueError: fewer values than the count says; C would read past their end.

    """
    if values is None:
        return None
    if count > len(values):
        raise ValueError(f"a count of {count} goes with only {len(values)} values")
    return (kind * count)(*values[:count])


def _create(name: str, *arguments: object) -> int:
    return getattr(library(), name)(*arguments) or 0


def aclCreateTensor(
    viewDims: Sequence[int] | None,
    viewDimsNum: int,
    dataType: int,
    stride: Sequence[int] | None,
    offset: int,
    format: int,
    storageDims: Sequence[int] | None,
    storageDimsNum: int,
    tensorData: Handle,
) -> int:
    """A tensor over device memory; 0 if it cannot be described."""
    return _create(
        "aclCreateTensor",
        _numbers(c_int64, viewDims, viewDimsNum),
        viewDimsNum,
        dataType,
        _numbers(c_int64, stride, viewDimsNum),
        offset,
        format,
        _numbers(c_int64, storageDims, storageDimsNum),
        storageDimsNum,
        tensorData,
    )


def aclInitTensor(
    tensor: Handle,
    viewDims: Sequence[int] | None,
    viewDimsNum: int,
    dataType: int,
    stride: Sequence[int] | None,
    offset: int,
    format: int,
    storageDims: Sequence[int] | None,
    storageDimsNum: int,
    tensorDataAddr: Handle,
) -> int:
    """Describes an existing tensor anew."""
    return status(
        "aclInitTensor",
        tensor,
        _numbers(c_int64, viewDims, viewDimsNum),
        viewDimsNum,
        dataType,
        _numbers(c_int64, stride, viewDimsNum),
        offset,
        format,
        _numbers(c_int64, storageDims, storageDimsNum),
        storageDimsNum,
        tensorDataAddr,
    )


def aclCreateScalar(value: bytes | None, dataType: int) -> int:
    """A scalar from the bytes of its value, as C reads them through a pointer."""
    # Sixteen bytes is the largest scalar; a shorter value is never read past its end.
    memory = None if value is None else ctypes.create_string_buffer(value, max(16, len(value)))
    return _create("aclCreateScalar", memory, dataType)


def aclCreateIntArray(value: Sequence[int] | None, size: int) -> int:
    """An array of int64."""
    return _create("aclCreateIntArray", _numbers(c_int64, value, size), size)


def aclCreateFloatArray(value: Sequence[float] | None, size: int) -> int:
    """An array of float."""
    return _create("aclCreateFloatArray", _numbers(c_float, value, size), size)


def aclCreateBoolArray(value: Sequence[bool] | None, size: int) -> int:
    """An array of bool."""
    return _create("aclCreateBoolArray", _numbers(c_bool, value, size), size)


def aclCreateTensorList(value: Sequence[Handle] | None, size: int) -> int:
    """A list that owns its tensors."""
    return _create("aclCreateTensorList", _numbers(c_void_p, value, size), size)


def aclCreateScalarList(value: Sequence[Handle] | None, size: int) -> int:
    """A list that owns its scalars."""
    return _create("aclCreateScalarList", _numbers(c_void_p, value, size), size)


def aclDestroyTensor(tensor: Handle) -> int:
    """Ends a tensor; its memory stays."""
    return status("aclDestroyTensor", tensor)


def aclDestroyScalar(scalar: Handle) -> int:
    """Ends a scalar."""
    return status("aclDestroyScalar", scalar)


def aclDestroyIntArray(array: Handle) -> int:
    """Ends an array."""
    return status("aclDestroyIntArray", array)


def aclDestroyFloatArray(array: Handle) -> int:
    """Ends an array."""
    return status("aclDestroyFloatArray", array)


def aclDestroyBoolArray(array: Handle) -> int:
    """Ends an array."""
    return status("aclDestroyBoolArray", array)


def aclDestroyTensorList(array: Handle) -> int:
    """Ends a list and its tensors."""
    return status("aclDestroyTensorList", array)


def aclDestroyScalarList(array: Handle) -> int:
    """Ends a list and its scalars."""
    return status("aclDestroyScalarList", array)


@cache
def _delete_array() -> Callable[[c_void_p], None]:
    """C++'s delete[], with which callers release what the shape getters hand out."""
    release = ctypes.CDLL("libstdc++.so.6")._ZdaPv
    release.argtypes, release.restype = [c_void_p], None
    return cast("Callable[[c_void_p], None]", release)


def _int64s(name: str, tensor: Handle) -> tuple[list[int], int]:
    values, count = ctypes.POINTER(c_int64)(), c_uint64()
    code = status(name, tensor, byref(values), byref(count))
    if code:
        return [], code
    result = values[: count.value]
    _delete_array()(ctypes.cast(values, c_void_p))
    return result, code


def aclGetViewShape(tensor: Handle) -> tuple[list[int], int]:
    """(shape, status)."""
    return _int64s("aclGetViewShape", tensor)


def aclGetStorageShape(tensor: Handle) -> tuple[list[int], int]:
    """(shape of the storage, status)."""
    return _int64s("aclGetStorageShape", tensor)


def aclGetViewStrides(tensor: Handle) -> tuple[list[int], int]:
    """(strides in elements, status)."""
    return _int64s("aclGetViewStrides", tensor)


def aclGetViewOffset(tensor: Handle) -> tuple[int, int]:
    """(offset in elements, status)."""
    return output("aclGetViewOffset", c_int64, tensor)


def aclGetFormat(tensor: Handle) -> tuple[int, int]:
    """(format, status)."""
    return output("aclGetFormat", c_int, tensor)


def aclGetDataType(tensor: Handle) -> tuple[int, int]:
    """(dtype, status)."""
    return output("aclGetDataType", c_int, tensor)


def aclGetRawTensorAddr(tensor: Handle) -> tuple[int, int]:
    """(address of the storage, status)."""
    address, code = output("aclGetRawTensorAddr", c_void_p, tensor)
    return address or 0, code


def aclGetIntArraySize(array: Handle) -> tuple[int, int]:
    """(size, status)."""
    return output("aclGetIntArraySize", c_uint64, array)


def aclGetFloatArraySize(array: Handle) -> tuple[int, int]:
    """(size, status)."""
    return output("aclGetFloatArraySize", c_uint64, array)


def aclGetBoolArraySize(array: Handle) -> tuple[int, int]:
    """(size, status)."""
    return output("aclGetBoolArraySize", c_uint64, array)


def aclGetTensorListSize(tensorList: Handle) -> tuple[int, int]:
    """(size, status)."""
    return output("aclGetTensorListSize", c_uint64, tensorList)


def aclGetScalarListSize(scalarList: Handle) -> tuple[int, int]:
    """(size, status)."""
    return output("aclGetScalarListSize", c_uint64, scalarList)


def aclSetRawTensorAddr(tensor: Handle, addr: Handle) -> int:
    """Moves a tensor to another storage."""
    return status("aclSetRawTensorAddr", tensor, addr)


def aclSetAclOpExecutorRepeatable(executor: Handle) -> int:
    """Lets phase 2 run many times; the executor must then be destroyed."""
    return status("aclSetAclOpExecutorRepeatable", executor)


def aclDestroyAclOpExecutor(executor: Handle) -> int:
    """Ends an executor."""
    return status("aclDestroyAclOpExecutor", executor)


def aclSetInputTensorAddr(executor: Handle, index: int, tensor: Handle, addr: Handle) -> int:
    """Moves an input of a prepared call."""
    return status("aclSetInputTensorAddr", executor, index, tensor, addr)


def aclSetOutputTensorAddr(executor: Handle, index: int, tensor: Handle, addr: Handle) -> int:
    """Moves an output of a prepared call."""
    return status("aclSetOutputTensorAddr", executor, index, tensor, addr)


def aclSetTensorAddr(executor: Handle, index: int, tensor: Handle, addr: Handle) -> int:
    """Moves a tensor of a prepared call."""
    return status("aclSetTensorAddr", executor, index, tensor, addr)


def aclSetDynamicInputTensorAddr(
    executor: Handle, irIndex: int, relativeIndex: int, tensors: Handle, addr: Handle
) -> int:
    """Moves one tensor of an input list of a prepared call."""
    return status("aclSetDynamicInputTensorAddr", executor, irIndex, relativeIndex, tensors, addr)


def aclSetDynamicOutputTensorAddr(
    executor: Handle, irIndex: int, relativeIndex: int, tensors: Handle, addr: Handle
) -> int:
    """Moves one tensor of an output list of a prepared call."""
    return status("aclSetDynamicOutputTensorAddr", executor, irIndex, relativeIndex, tensors, addr)


def aclSetDynamicTensorAddr(
    executor: Handle, irIndex: int, relativeIndex: int, tensors: Handle, addr: Handle
) -> int:
    """Moves one tensor of a list of a prepared call."""
    return status("aclSetDynamicTensorAddr", executor, irIndex, relativeIndex, tensors, addr)


def aclnnInit(configPath: str | None) -> int:
    """Starts the operators alone; optional."""
    return status("aclnnInit", c_string(configPath, "configPath"))


def aclnnFinalize() -> int:
    """Ends what aclnnInit started."""
    return status("aclnnFinalize")
