# SPDX-License-Identifier: Apache-2.0
"""Objects that export DLPack, down to capsules written by hand."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

FLOAT, CPU, READ_ONLY = 2, 1, 1


class Legacy:
    """Before DLPack 1.0: no version can be asked for, and none is told."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self) -> Any:
        return self.array.__dlpack__()

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class Versioned(Legacy):
    """DLPack 1.x."""

    def __dlpack__(self, *, max_version: Any = None) -> Any:
        return self.array.__dlpack__(max_version=max_version)


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class _VersionedManaged(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class Handmade:
    """A float32 vector whose description the test may falsify."""

    def __init__(self, values: Any, *, major: int = 0, flags: int = 0, **fields: Any) -> None:
        self.memory = np.array(values, np.float32)
        self._shape = (ctypes.c_int64 * 1)(self.memory.size)
        tensor = _Tensor(
            data=self.memory.ctypes.data, device_type=CPU, rank=1, code=FLOAT, bits=32, lanes=1,
            shape=self._shape,
        )  # fmt: skip
        for name, value in fields.items():
            setattr(tensor, name, value)
        if major:
            self._managed: Any = _VersionedManaged(major=major, flags=flags, tensor=tensor)
            self._name = b"dltensor_versioned"
        else:
            self._managed = _Managed(tensor=tensor)
            self._name = b"dltensor"
        self.capsule = _new_capsule(ctypes.addressof(self._managed), self._name, None)

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule
