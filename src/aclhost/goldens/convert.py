# SPDX-License-Identifier: Apache-2.0
"""Conversions between dtypes as aclnnCast makes them, on NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from aclhost.arrays import NDArray, numpy_dtype
from aclhost.spec import dtypes
from aclhost.spec.call import Argument, ScalarArg
from aclhost.spec.dtypes import DataType

_PAIR = numpy_dtype(dtypes.COMPLEX32)


def plain(argument: Argument) -> Any:  # noqa: ANN401
    """A described argument that is no tensor, as the Python functions take it."""
    if isinstance(argument, DataType):
        return numpy_dtype(argument)
    if isinstance(argument, tuple):
        return tuple(map(plain, argument))
    if not isinstance(argument, ScalarArg):
        return argument
    kind = numpy_dtype(argument.dtype)
    value = argument.value if kind.kind == "c" else argument.value.real
    return np.array(value).astype(kind)[()]


def convert(array: NDArray, dtype: DataType) -> NDArray:
    """What aclnnCast makes of the values: integers wrap, floats saturate at 32 or 64 bits.

    COMPLEX32, which NumPy does not know, is four bytes: a float16 and another one.
    """
    target = numpy_dtype(dtype)
    if array.dtype == target:
        return array
    if array.dtype == _PAIR:
        array = widened(array)
    with np.errstate(all="ignore"):
        if dtype is dtypes.COMPLEX32:
            pairs = np.stack((array.real, array.imag), -1).astype(np.float16)
            return pairs.view(_PAIR)[..., 0]
        if dtype is dtypes.BOOL:
            return np.asarray(array != 0)
        if array.dtype.kind == "c" and target.kind != "c":
            array = array.real
        if array.dtype.kind in "biuc" or target.kind not in "iu":
            return np.asarray(array.astype(target))
        return _truncated(array, dtype)


def _truncated(array: NDArray, dtype: DataType) -> NDArray:
    """Floats as integers: towards zero, then what the width that the device converts to can hold.

    NaN is 0. Types up to 32 bits keep the low bits of a saturated INT32, UINT32 those of an INT64.
    """
    target = numpy_dtype(dtype)
    bits = 32 if target.itemsize < 4 or dtype is dtypes.INT32 else 64
    least, most = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    if dtype is dtypes.UINT64:
        most = 2**64 - 1
    numbers = np.nan_to_num(array.astype(np.float64), nan=0.0).ravel()
    whole = [max(least, min(most, int(value))) % 2**64 for value in numbers.clip(-1e30, 1e30)]
    return np.array(whole, np.uint64).astype(target).reshape(array.shape)


def widened(array: NDArray) -> NDArray:
    """Reals as float64, complex numbers as complex128, others as they are."""
    if array.dtype == _PAIR:
        halves = np.ascontiguousarray(array)[..., None].view(np.float16).astype(np.float64)
        return np.asarray(halves.view(np.complex128)[..., 0])
    if array.dtype.kind in "biu":
        return array
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
