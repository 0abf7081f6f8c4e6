# SPDX-License-Identifier: Apache-2.0
"""Callbacks, named as in pyACL; found under acl.rt."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from aclhost.acl import _capi

_Arguments = TypeVar("_Arguments")

_pending: dict[int, Callable[[], object]] = {}
_keys = itertools.count(1)


def _run(key: int) -> None:
    """The one function behind all callbacks; the user data says what is meant."""
    _pending.pop(key)()


_RUN = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_run)


def subscribe_report(thread_id: int, stream: int) -> int:
    """Names the thread that runs a stream's callbacks."""
    return _capi.status("aclrtSubscribeReport", thread_id, stream)


def unsubscribe_report(thread_id: int, stream: int) -> int:
    """Undoes subscribe_report."""
    return _capi.status("aclrtUnSubscribeReport", thread_id, stream)


def process_report(timeout: int) -> int:
    """Waits for one callback and runs it on this thread."""
    return _capi.status("aclrtProcessReport", timeout)


def launch_callback(
    function: Callable[[_Arguments], object], arguments: _Arguments, block_type: int, stream: int
) -> int:
    """Queues function(arguments) for the thread that subscribed to the stream."""
    key = next(_keys)
    _pending[key] = partial(function, arguments)
    ret = _capi.status("aclrtLaunchCallback", _RUN, key, block_type, stream)
    if ret != 0:
        del _pending[key]
    return ret


_EXCEPTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_exception_callback: list[object] = []


def set_exception_info_callback(function: Callable[[int], object] | None = None) -> int:
    """Names the function that gets the address of what is known about a failed task; or none."""
    if function is not None and not callable(function):
        raise TypeError("function must be callable or None")
    chosen = None if function is None else _EXCEPTION(function)
    ret = _capi.status("aclrtSetExceptionInfoCallback", chosen)
    if ret == 0:
        _exception_callback[:] = [chosen]  # C keeps its address
    return ret
