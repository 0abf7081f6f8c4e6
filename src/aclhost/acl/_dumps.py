# SPDX-License-Identifier: Apache-2.0
"""Dumps into files, or to a Python function; found under acl.mdl."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

from aclhost.acl import _capi
from aclhost.constants import ACL_DUMP_MAX_FILE_PATH_LENGTH

_TAKEN, _NOT_TAKEN = 0, -1


class _Chunk(ctypes.Structure):
    _fields_ = (
        ("file_name", ctypes.c_char * ACL_DUMP_MAX_FILE_PATH_LENGTH),
        ("buf_len", ctypes.c_uint32),
        ("is_last_chunk", ctypes.c_uint32),
        ("offset", ctypes.c_int64),
        ("flag", ctypes.c_int32),
        ("data_buf", ctypes.c_uint8 * 0),  # as many as buf_len says
    )


_chosen: list[Callable[[dict[str, Any]], object]] = []


def _take(address: int, _length: int) -> int:
    """The one function behind all registered ones; it outlives any call of a writing thread."""
    chunk = _Chunk.from_address(address)
    described = {
        "file_name": chunk.file_name.decode(errors="surrogateescape"),
        "data_buf": address + _Chunk.data_buf.offset,
        "buf_len": chunk.buf_len,
        "is_last_chunk": chunk.is_last_chunk,
        "offset": chunk.offset,
        "flag": chunk.flag,
    }
    try:
        for function in _chosen:
            function(described)
    except Exception:  # the caller is C, and is told
        sys.excepthook(*sys.exc_info())
        return _NOT_TAKEN
    return _TAKEN


_TAKE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32)(_take)


def set_dump(dump_cfg_path: str | None = None) -> int:
    """Begins dumps as a file says."""
    return _capi.status("aclmdlSetDump", _capi.c_string(dump_cfg_path, "dump_cfg_path"))


def dump_reg_callback(function: Callable[[dict[str, Any]], object], flag: int) -> int:
    """Names the function that gets dumps, each described by a dictionary with its address."""
    if not callable(function):
        raise TypeError("function must be callable")
    ret = _capi.status("acldumpRegCallback", _TAKE, flag)
    if ret == 0:
        _chosen[:] = [function]
    return ret


def dump_unreg_callback() -> None:
    """Dumps go into files again."""
    _capi.library().acldumpUnregCallback()
    _chosen.clear()
