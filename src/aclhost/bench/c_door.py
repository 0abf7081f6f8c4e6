# SPDX-License-Identifier: Apache-2.0
"""An operator through its C functions: both phases and a synchronisation, in a compiled loop.

Its tensors are copies of the workload's arrays in device memory, with the same strides.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

import numpy as np

from aclhost import acl, aclnn
from aclhost._native import CLoop
from aclhost.arrays import numpy_dtype
from aclhost.bench.workload import Array, Workload
from aclhost.building import toolkit
from aclhost.spec import dtypes
from aclhost.spec.call import ScalarArg, TensorArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Choice, Double, Float, Parameter

_HOST_TO_DEVICE = 1
_WORD = (1 << 64) - 1


class CCall:
    """A call, and many of them without Python in between."""

    def __init__(self, operator: str, loop: CLoop) -> None:
        self._operator, self._loop = operator, loop

    def __call__(self) -> None:
        self.repeated(1)

    def repeated(self, count: int) -> None:
        """So many calls, one after the other.

        Raises:
            RuntimeError: one of them failed.

        """
        if status := self._loop.run(count):
            raise RuntimeError(f"{self._operator} through C gives {status}")


@contextmanager
def c_call(workload: Workload) -> Iterator[CCall]:
    """The workload's call, on a stream of its own for the length of the block."""
    op = workload.operator
    with ExitStack() as end:
        _succeed(acl.rt.set_device(0))
        end.callback(acl.rt.reset_device, 0)
        stream, status = acl.rt.create_stream()
        _succeed(status)
        end.callback(acl.rt.destroy_stream, stream)
        words, numbers = _arguments(workload, end)
        phase_one, phase_two = _address(f"{op.name}GetWorkspaceSize"), _address(op.name)
        loop = CLoop(phase_one, phase_two, words, numbers, stream)
        end.callback(loop.free)
        yield CCall(op.name, loop)


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(str(toolkit.library()))


def _address(function: str) -> int:
    return ctypes.cast(getattr(_library(), function), ctypes.c_void_p).value or 0


def _succeed(status: int) -> None:
    if status != 0:
        raise RuntimeError(f"the runtime gives {status}")


def _arguments(workload: Workload, end: ExitStack) -> tuple[list[int], list[float]]:
    """Those of phase 1: words, which are addresses and integers, and numbers."""
    words, numbers = [], []
    described = workload.described.arguments if workload.described else workload.values
    for param in workload.operator.params:
        given, value = described[param.name], workload.values[param.name]
        if isinstance(param, Float):
            numbers.append(_number(param, given))
        else:
            words.append(_word(workload.operator, param, given, value, end) & _WORD)
    return words, numbers


def _number(param: Float, value: Any) -> float:  # noqa: ANN401
    """As a register has it: a float is the lower half of a double."""
    if isinstance(param, Double):
        return float(value)
    return float(struct.unpack("<d", struct.pack("<f4x", value))[0])


def _word(op: Operator, param: Parameter, given: Any, value: Any, end: ExitStack) -> int:  # noqa: ANN401
    """An integer, or the address of something that goes when `end` does."""
    if isinstance(value, np.ndarray) and param.kind.startswith("kTensor"):
        made = _tensor(op, given, value, end)
        end.callback(aclnn.aclDestroyTensor, made)
    elif param.kind == "kScalar" and given is not None:
        made = _scalar(given)
        end.callback(aclnn.aclDestroyScalar, made)
    elif isinstance(given, tuple | list):
        made = _several(op, param.kind, given, value, end)
    elif isinstance(given, str) and not isinstance(param, Choice):
        text = ctypes.create_string_buffer(given.encode())
        end.callback(lambda: text)  # lives as long
        made = ctypes.addressof(text)
    else:
        made = _integer(param, given)
    return made


def _integer(param: Parameter, given: Any) -> int:  # noqa: ANN401
    """A null pointer is 0."""
    if isinstance(given, DataType):
        return given.value
    if isinstance(param, Choice) and isinstance(given, str):
        return param.words.index(given)
    return int(given or 0)


def _several(
    op: Operator, kind: str, given: Sequence[Any], value: Sequence[Any], end: ExitStack
) -> int:
    """A list, which owns its members, or an array of numbers."""
    count = len(given)
    if kind in ("kTensorList", "kTensorListOut"):
        members = [_tensor(op, one, array, end) for one, array in zip(given, value, strict=True)]
        made, destroy = aclnn.aclCreateTensorList(members, count), aclnn.aclDestroyTensorList
    elif kind == "kScalarList":
        scalars = [*map(_scalar, given)]
        made, destroy = aclnn.aclCreateScalarList(scalars, count), aclnn.aclDestroyScalarList
    elif kind == "kIntArray":
        made, destroy = aclnn.aclCreateIntArray(given, count), aclnn.aclDestroyIntArray
    elif kind == "kFloatArray":
        made, destroy = aclnn.aclCreateFloatArray(given, count), aclnn.aclDestroyFloatArray
    else:
        made, destroy = aclnn.aclCreateBoolArray(given, count), aclnn.aclDestroyBoolArray
    end.callback(destroy, made)
    return made


def _tensor(op: Operator, given: Any, array: Array, end: ExitStack) -> int:  # noqa: ANN401
    """Over a copy of the array in device memory; its elements are dense in some order of axes."""
    address = 0
    if array.size:
        address, status = acl.rt.malloc(array.nbytes, 0)
        _succeed(status)
        end.callback(acl.rt.free, address)
        size, source = array.nbytes, array.ctypes.data
        _succeed(acl.rt.memcpy(address, size, source, size, _HOST_TO_DEVICE))
    if isinstance(given, TensorArg):
        dtype, label = given.dtype, given.format
    else:
        dtype, label = dtypes.BY_NUMPY[array.dtype.name], op.python_label(array.ndim)
    shape, storage = array.shape, (array.size,)
    if array.flags.c_contiguous:
        strides, storage = None, shape
    else:
        strides = tuple(step // array.itemsize for step in array.strides)
    made = aclnn.aclCreateTensor(
        shape, len(shape), dtype.value, strides, 0, label.value, storage, len(storage), address
    )
    if made == 0:
        raise RuntimeError(f"{op.name}: no tensor of shape {shape}")
    return made


def _scalar(given: Any) -> int:  # noqa: ANN401
    scalar = given if isinstance(given, ScalarArg) else ScalarArg(given)
    dtype = numpy_dtype(scalar.dtype)
    value = scalar.value if dtype.kind == "c" else scalar.value.real
    return aclnn.aclCreateScalar(np.array(value).astype(dtype).tobytes(), scalar.dtype.value)
