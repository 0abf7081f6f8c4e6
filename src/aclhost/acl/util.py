# SPDX-License-Identifier: Apache-2.0
"""Addresses of Python objects, named as in pyACL. An address lives as long as its object."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from aclhost.constants import ACL_ERROR_INVALID_PARAM

_Arguments = TypeVar("_Arguments")

_threads: dict[int, threading.Thread] = {}


def start_thread(
    function: Callable[[_Arguments], object], arguments: _Arguments
) -> tuple[int, int]:
    """Runs function(arguments) on a new thread; (thread id for subscribe_report, ret)."""
    thread = threading.Thread(target=function, args=(arguments,), daemon=True)
    thread.start()
    assert thread.ident is not None  # it has been started
    _threads[thread.ident] = thread
    return thread.ident, 0


def stop_thread(thread_id: int) -> int:
    """Waits for a thread that was started here; its function has to return by itself."""
    thread = _threads.pop(thread_id, None)
    if thread is None:
        return ACL_ERROR_INVALID_PARAM
    thread.join()
    return 0


def bytes_to_ptr(data: bytes) -> int:
    """Address of the payload itself, so that a copy to it changes the bytes object."""
    address = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value
    assert address is not None  # only a null c_char_p has no address
    return address


def ptr_to_bytes(ptr: int, size: int) -> bytes:
    """A copy of the memory."""
    return ctypes.string_at(ptr, size)


def numpy_to_ptr(array: npt.NDArray[Any]) -> int:
    """Address of the first element."""
    return array.ctypes.data


def numpy_contiguous_to_ptr(array: npt.NDArray[Any]) -> tuple[int, npt.NDArray[Any]]:
    """(address, the array or its contiguous copy); keep the second while using the first."""
    contiguous = np.ascontiguousarray(array)
    return contiguous.ctypes.data, contiguous


def ptr_to_numpy(ptr: int, shape: Sequence[int], npy_type: int) -> npt.NDArray[Any]:
    """A view of the memory; `npy_type` is a type number of NumPy's C interface."""
    dtype = _dtype_of_number(npy_type)
    size = prod(shape) * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(ptr)
    return np.ndarray(shape, dtype=dtype, buffer=memoryview(memory))


def _dtype_of_number(number: int) -> np.dtype[Any]:
    for code in np.typecodes["All"]:
        dtype = np.dtype(code)
        if dtype.num == number and dtype.itemsize > 0 and not dtype.hasobject:
            return dtype
    raise ValueError(f"NumPy has no fixed-size type with number {number}")
