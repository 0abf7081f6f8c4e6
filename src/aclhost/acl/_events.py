# SPDX-License-Identifier: Apache-2.0
"""Events, named as in pyACL; found under acl.rt."""

from __future__ import annotations

import ctypes

from aclhost.acl import _capi


def create_event() -> tuple[int, int]:
    """(event with a time stamp, ret)."""
    return _capi.handle("aclrtCreateEvent")


def create_event_with_flag(flag: int) -> tuple[int, int]:
    """(event, ret)."""
    return _capi.handle("aclrtCreateEventWithFlag", flag)


def create_event_ex_with_flag(flag: int) -> tuple[int, int]:
    """(event that counts as done until it is recorded, ret)."""
    return _capi.handle("aclrtCreateEventExWithFlag", flag)


def destroy_event(event: int) -> int:
    """Destroys an event, even a pending one."""
    return _capi.status("aclrtDestroyEvent", event)


def record_event(event: int, stream: int) -> int:
    """Marks the work queued so far."""
    return _capi.status("aclrtRecordEvent", event, stream)


def reset_event(event: int, stream: int) -> int:
    """Makes an event of the SYNC kind unrecorded again."""
    return _capi.status("aclrtResetEvent", event, stream)


def stream_wait_event(stream: int, event: int) -> int:
    """Lets later work of the stream wait for the event."""
    return _capi.status("aclrtStreamWaitEvent", stream, event)


def synchronize_event(event: int) -> int:
    """Waits for an event."""
    return _capi.status("aclrtSynchronizeEvent", event)


def synchronize_event_with_timeout(event: int, timeout: int) -> int:
    """Waits at most so many milliseconds; -1 for ever."""
    return _capi.status("aclrtSynchronizeEventWithTimeout", event, timeout)


def query_event(event: int) -> tuple[int, int]:
    """(0 when it has happened, ret); the old form."""
    return _capi.output("aclrtQueryEvent", ctypes.c_int, event)


def query_event_status(event: int) -> tuple[int, int]:
    """(1 when it has happened, ret)."""
    return _capi.output("aclrtQueryEventStatus", ctypes.c_int, event)


def query_event_wait_status(event: int) -> tuple[int, int]:
    """(0 when every waiting stream has got past it, ret)."""
    return _capi.output("aclrtQueryEventWaitStatus", ctypes.c_int, event)


def event_elapsed_time(start_event: int, end_event: int) -> tuple[float, int]:
    """(milliseconds between two events, ret)."""
    cell = ctypes.c_float()
    ret = _capi.status("aclrtEventElapsedTime", ctypes.byref(cell), start_event, end_event)
    return cell.value, ret


def event_get_timestamp(event: int) -> tuple[int, int]:
    """(microseconds, ret)."""
    return _capi.output("aclrtEventGetTimestamp", ctypes.c_uint64, event)
