# SPDX-License-Identifier: Apache-2.0
"""Devices, contexts, streams and memory, named as in pyACL."""

from __future__ import annotations

import ctypes

from aclhost import _capi


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


def destroy_stream(stream: int) -> int:
    """Waits for a stream, then destroys it."""
    return _capi.status("aclrtDestroyStream", stream)


def synchronize_stream(stream: int) -> int:
    """Waits for a stream (0: the default one); returns its first error."""
    return _capi.status("aclrtSynchronizeStream", stream)


def synchronize_device() -> int:
    """Waits for every stream of the current context."""
    return _capi.status("aclrtSynchronizeDevice")


def malloc(size: int, policy: int) -> tuple[int, int]:
    """Allocates device memory; (address, ret)."""
    return _capi.handle("aclrtMalloc", size, policy)


def free(dev_ptr: int) -> int:
    """Frees device memory."""
    return _capi.status("aclrtFree", dev_ptr)


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
