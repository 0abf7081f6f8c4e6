# SPDX-License-Identifier: Apache-2.0
"""Devices, contexts, streams and memory, named as in pyACL."""

from __future__ import annotations

import ctypes

from aclhost.acl import _capi, _runtime
from aclhost.acl._callbacks import (
    launch_callback,
    process_report,
    set_exception_info_callback,
    subscribe_report,
    unsubscribe_report,
)
from aclhost.acl._events import (
    create_event,
    create_event_ex_with_flag,
    create_event_with_flag,
    destroy_event,
    event_elapsed_time,
    event_get_timestamp,
    query_event,
    query_event_status,
    query_event_wait_status,
    record_event,
    reset_event,
    stream_wait_event,
    synchronize_event,
    synchronize_event_with_timeout,
)
from aclhost.acl._runtime import *  # noqa: F403
from aclhost.acl._structures import (
    device_get_uuid,
    get_device_utilization_rate,
    get_mem_uce_info,
    get_stream_attribute,
    ipc_mem_get_export_key,
    ipc_mem_set_import_pid,
    malloc_for_task_scheduler,
    malloc_host_with_cfg,
    malloc_physical,
    malloc_with_cfg,
    mem_get_allocation_granularity,
    mem_set_pid_to_shareable_handle,
    mem_uce_repair,
    notify_batch_reset,
    notify_get_export_key,
    notify_set_import_pid,
    pointer_get_attributes,
    set_stream_attribute,
)

__all__ = [
    "create_context",
    "create_event",
    "create_event_ex_with_flag",
    "create_event_with_flag",
    "create_stream",
    "create_stream_with_config",
    "ctx_get_sys_param_opt",
    "ctx_set_sys_param_opt",
    "destroy_context",
    "destroy_event",
    "destroy_stream",
    "destroy_stream_force",
    "device_get_uuid",
    "event_elapsed_time",
    "event_get_timestamp",
    "free",
    "free_host",
    "free_with_dev_sync",
    "get_context",
    "get_device",
    "get_device_count",
    "get_device_utilization_rate",
    "get_last_error",
    "get_mem_info",
    "get_mem_uce_info",
    "get_run_mode",
    "get_stream_attribute",
    "get_sys_param_opt",
    "get_version",
    "ipc_mem_get_export_key",
    "ipc_mem_set_import_pid",
    "launch_callback",
    "malloc",
    "malloc_align32",
    "malloc_cached",
    "malloc_for_task_scheduler",
    "malloc_host",
    "malloc_host_with_cfg",
    "malloc_physical",
    "malloc_with_cfg",
    "mem_get_allocation_granularity",
    "mem_set_pid_to_shareable_handle",
    "mem_uce_repair",
    "memcpy",
    "memcpy_async",
    "memset",
    "memset_async",
    "notify_batch_reset",
    "notify_get_export_key",
    "notify_set_import_pid",
    "peek_at_last_error",
    "pointer_get_attributes",
    "process_report",
    "query_event",
    "query_event_status",
    "query_event_wait_status",
    "record_event",
    "reset_device",
    "reset_device_force",
    "reset_event",
    "set_context",
    "set_device",
    "set_exception_info_callback",
    "set_stream_attribute",
    "set_sys_param_opt",
    "stream_query",
    "stream_wait_event",
    "subscribe_report",
    "synchronize_device",
    "synchronize_device_with_timeout",
    "synchronize_event",
    "synchronize_event_with_timeout",
    "synchronize_stream",
    "synchronize_stream_with_timeout",
    "unsubscribe_report",
]
__all__ += _runtime.__all__


def set_device(device_id: int) -> int:
    """Makes the device's primary context current."""
    return _capi.status("aclrtSetDevice", device_id)


def reset_device(device_id: int) -> int:
    """Undoes one set_device."""
    return _capi.status("aclrtResetDevice", device_id)


def reset_device_force(device_id: int) -> int:
    """Undoes every set_device."""
    return _capi.status("aclrtResetDeviceForce", device_id)


def get_device() -> tuple[int, int]:
    """(device of the current context, ret)."""
    return _capi.output("aclrtGetDevice", ctypes.c_int32)


def get_device_count() -> tuple[int, int]:
    """(number of devices, ret)."""
    return _capi.output("aclrtGetDeviceCount", ctypes.c_uint32)


def get_run_mode() -> tuple[int, int]:
    """(0 on a device or 1 on the host, ret)."""
    return _capi.output("aclrtGetRunMode", ctypes.c_int)


def get_version() -> tuple[int, int, int, int]:
    """(major, minor, patch, ret)."""
    cells = [ctypes.c_int32() for _ in range(3)]
    ret = _capi.status("aclrtGetVersion", *map(ctypes.byref, cells))
    major, minor, patch = (cell.value for cell in cells)
    return major, minor, patch, ret


def create_context(device_id: int) -> tuple[int, int]:
    """Creates a context and makes it current; (context, ret)."""
    return _capi.handle("aclrtCreateContext", device_id)


def destroy_context(context: int) -> int:
    """Destroys a created context."""
    return _capi.status("aclrtDestroyContext", context)


def set_context(context: int) -> int:
    """Switches this thread's context."""
    return _capi.status("aclrtSetCurrentContext", context)


def get_context() -> tuple[int, int]:
    """(current context of this thread, ret)."""
    return _capi.handle("aclrtGetCurrentContext")


def create_stream() -> tuple[int, int]:
    """(stream, ret)."""
    return _capi.handle("aclrtCreateStream")


def create_stream_with_config(priority: int, flag: int) -> tuple[int, int]:
    """(stream, ret)."""
    return _capi.handle("aclrtCreateStreamWithConfig", priority, flag)


def destroy_stream(stream: int) -> int:
    """Waits for a stream, then destroys it."""
    return _capi.status("aclrtDestroyStream", stream)


def synchronize_stream(stream: int) -> int:
    """Waits for a stream (0: the default one); returns its first error."""
    return _capi.status("aclrtSynchronizeStream", stream)


def destroy_stream_force(stream: int) -> int:
    """Destroys a stream without waiting."""
    return _capi.status("aclrtDestroyStreamForce", stream)


def synchronize_stream_with_timeout(stream: int, timeout: int) -> int:
    """Waits at most so many milliseconds; -1 for ever."""
    return _capi.status("aclrtSynchronizeStreamWithTimeout", stream, timeout)


def stream_query(stream: int) -> tuple[int, int]:
    """(0 when a stream has finished its work, ret)."""
    return _capi.output("aclrtStreamQuery", ctypes.c_int, stream)


def synchronize_device_with_timeout(timeout: int) -> int:
    """Waits for the device at most so many milliseconds; -1 for ever."""
    return _capi.status("aclrtSynchronizeDeviceWithTimeout", timeout)


def synchronize_device() -> int:
    """Waits for every stream of the current context."""
    return _capi.status("aclrtSynchronizeDevice")


def malloc(size: int, policy: int) -> tuple[int, int]:
    """Allocates device memory; (address, ret)."""
    return _capi.handle("aclrtMalloc", size, policy)


def free(dev_ptr: int) -> int:
    """Frees device memory."""
    return _capi.status("aclrtFree", dev_ptr)


def malloc_align32(size: int, policy: int) -> tuple[int, int]:
    """Allocates device memory without padding; (address, ret)."""
    return _capi.handle("aclrtMallocAlign32", size, policy)


def malloc_cached(size: int, policy: int) -> tuple[int, int]:
    """Allocates cached device memory; (address, ret)."""
    return _capi.handle("aclrtMallocCached", size, policy)


def free_with_dev_sync(dev_ptr: int) -> int:
    """Waits for the device, then frees."""
    return _capi.status("aclrtFreeWithDevSync", dev_ptr)


def malloc_host(size: int) -> tuple[int, int]:
    """Allocates pinned host memory; (address, ret)."""
    return _capi.handle("aclrtMallocHost", size)


def free_host(host_ptr: int) -> int:
    """Frees pinned host memory."""
    return _capi.status("aclrtFreeHost", host_ptr)


def memcpy(dst: int, dest_max: int, src: int, count: int, kind: int) -> int:
    """Copies at once, without waiting for any stream."""
    return _capi.status("aclrtMemcpy", dst, dest_max, src, count, kind)


def memset(dev_ptr: int, max_count: int, value: int, count: int) -> int:
    """Fills memory with one byte."""
    return _capi.status("aclrtMemset", dev_ptr, max_count, value, count)


def memcpy_async(dst: int, dest_max: int, src: int, count: int, kind: int, stream: int) -> int:
    """Queues a copy."""
    return _capi.status("aclrtMemcpyAsync", dst, dest_max, src, count, kind, stream)


def memset_async(dev_ptr: int, max_count: int, value: int, count: int, stream: int) -> int:
    """Queues a fill with one byte."""
    return _capi.status("aclrtMemsetAsync", dev_ptr, max_count, value, count, stream)


def get_mem_info(attr: int) -> tuple[int, int, int]:
    """(free bytes, total bytes, ret)."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    ret = _capi.status("aclrtGetMemInfo", attr, ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value, ret


def peek_at_last_error(level: int) -> int:
    """Last runtime-layer error of this thread."""
    return _capi.status("aclrtPeekAtLastError", level)


def get_last_error(level: int) -> int:
    """Last runtime-layer error of this thread; clears it."""
    return _capi.status("aclrtGetLastError", level)


def set_sys_param_opt(opt: int, value: int) -> int:
    """Sets an option of the process."""
    return _capi.status("aclrtSetSysParamOpt", opt, value)


def get_sys_param_opt(opt: int) -> tuple[int, int]:
    """(option of the process, ret)."""
    return _capi.output("aclrtGetSysParamOpt", ctypes.c_int64, opt)


def ctx_set_sys_param_opt(opt: int, value: int) -> int:
    """Sets an option of the current context."""
    return _capi.status("aclrtCtxSetSysParamOpt", opt, value)


def ctx_get_sys_param_opt(opt: int) -> tuple[int, int]:
    """(option of the current context, ret)."""
    return _capi.output("aclrtCtxGetSysParamOpt", ctypes.c_int64, opt)
