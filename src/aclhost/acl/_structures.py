# SPDX-License-Identifier: Apache-2.0
"""Functions of acl.rt that take or give C structures, as dictionaries, or lists and texts."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

from aclhost.acl import _capi
from aclhost.spec.python_names import snake_case

_MAX_KEY = 1024


class _Location(ctypes.Structure):
    _fields_ = (("id", ctypes.c_uint32), ("type", ctypes.c_int))


class _PhysicalMemory(ctypes.Structure):
    _fields_ = (
        ("handleType", ctypes.c_int),
        ("allocationType", ctypes.c_int),
        ("memAttr", ctypes.c_int),
        ("location", _Location),
        ("reserve", ctypes.c_uint64),
    )


class _PointerAttributes(ctypes.Structure):
    _fields_ = (
        ("location", _Location),
        ("pageSize", ctypes.c_uint32),
        ("rsv", ctypes.c_uint32 * 4),
    )


class _AttributeValue(ctypes.Union):
    _fields_ = (
        ("moduleId", ctypes.c_uint16),
        ("deviceId", ctypes.c_uint32),
        ("rsv", ctypes.c_uint8 * 8),
    )


class _MallocAttribute(ctypes.Structure):
    _fields_ = (("attr", ctypes.c_int), ("value", _AttributeValue))


class _MallocConfig(ctypes.Structure):
    _fields_ = (("attrs", ctypes.POINTER(_MallocAttribute)), ("numAttrs", ctypes.c_size_t))


class _Utilization(ctypes.Structure):
    _fields_ = (
        ("cubeUtilization", ctypes.c_int32),
        ("vectorUtilization", ctypes.c_int32),
        ("aicpuUtilization", ctypes.c_int32),
        ("memoryUtilization", ctypes.c_int32),
        ("utilizationExtend", ctypes.c_void_p),
    )


class _Uuid(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_uint8 * 16),)


class _BrokenMemory(ctypes.Structure):
    _fields_ = (
        ("addr", ctypes.c_void_p),
        ("len", ctypes.c_size_t),
        ("reserved", ctypes.c_size_t * 14),
    )


class _StreamValue(ctypes.Union):
    _fields_ = (
        ("failureMode", ctypes.c_uint64),
        ("overflowSwitch", ctypes.c_uint32),
        ("userCustomTag", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32 * 4),
    )


# By the number of the attribute; all others are "reserved".
_STREAM_FIELDS = ("failureMode", "overflowSwitch", "userCustomTag")


def _filled(target: Any, values: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """A structure from a dictionary with C's names; KeyError for a name that it does not have."""
    known = {name for name, _ in target._fields_}
    for name, value in values.items():
        if name not in known:
            raise KeyError(f"{name} is none of {', '.join(sorted(known))}")
        field = getattr(target, name)
        if isinstance(value, Mapping):
            _filled(field, value)
        elif isinstance(field, ctypes.Array):
            field[: len(value)] = list(value)
        else:
            setattr(target, name, value)
    return target


def _taken(source: Any) -> Any:  # noqa: ANN401
    """A dictionary from a structure, with pyACL's spelling of the names."""
    if isinstance(source, ctypes.Array):
        return list(source)
    if not isinstance(source, ctypes.Structure):
        return source or 0
    return {snake_case(name): _taken(getattr(source, name)) for name, *_ in source._fields_}


def _integers(kind: Any, values: Sequence[int]) -> Any:  # noqa: ANN401
    return (kind * len(values))(*values)


def pointer_get_attributes(ptr: int) -> tuple[dict[str, Any], int]:
    """(location, page size, ret) of an address."""
    cell = _PointerAttributes()
    ret = _capi.status("aclrtPointerGetAttributes", ptr, ctypes.byref(cell))
    return _taken(cell), ret


def get_device_utilization_rate(device_id: int) -> tuple[dict[str, int], int]:
    """(how busy a device is, in per cent; ret)."""
    cell = _Utilization()
    ret = _capi.status("aclrtGetDeviceUtilizationRate", device_id, ctypes.byref(cell))
    return _taken(cell), ret


def device_get_uuid(device_id: int) -> tuple[dict[str, list[int]], int]:
    """(the identity of a device, ret)."""
    cell = _Uuid()
    ret = _capi.status("aclrtDeviceGetUuid", device_id, ctypes.byref(cell))
    return _taken(cell), ret


def malloc_physical(size: int, prop: Mapping[str, Any], flags: int) -> tuple[int, int]:
    """(a handle of memory without an address, ret)."""
    wish = _filled(_PhysicalMemory(), prop)
    return _capi.handle("aclrtMallocPhysical", size, ctypes.byref(wish), flags)


def mem_get_allocation_granularity(prop: Mapping[str, Any], option: int) -> tuple[int, int]:
    """(what sizes of physical memory must be multiples of, ret)."""
    wish, cell = _filled(_PhysicalMemory(), prop), ctypes.c_size_t()
    name = "aclrtMemGetAllocationGranularity"
    ret = _capi.status(name, ctypes.byref(wish), option, ctypes.byref(cell))
    return cell.value, ret


def _wishes(cfg: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """None for no wishes."""
    if not cfg:
        return None
    listed = [_filled(_MallocAttribute(), each) for each in cfg["attrs"]]
    if cfg["numAttrs"] != len(listed):
        raise KeyError(f"numAttrs is {cfg['numAttrs']}, and attrs has {len(listed)}")
    return ctypes.byref(_MallocConfig((_MallocAttribute * len(listed))(*listed), len(listed)))


def malloc_with_cfg(size: int, policy: int, cfg: Mapping[str, Any]) -> tuple[int, int]:
    """(device memory, ret); an empty dictionary has no wishes."""
    return _capi.handle("aclrtMallocWithCfg", size, policy, _wishes(cfg))


def malloc_for_task_scheduler(size: int, policy: int, cfg: Mapping[str, Any]) -> tuple[int, int]:
    """(device memory, ret); an empty dictionary has no wishes."""
    return _capi.handle("aclrtMallocForTaskScheduler", size, policy, _wishes(cfg))


def malloc_host_with_cfg(size: int, cfg: Mapping[str, Any]) -> tuple[int, int]:
    """(pinned host memory, ret); an empty dictionary has no wishes."""
    return _capi.handle("aclrtMallocHostWithCfg", size, _wishes(cfg))


def set_stream_attribute(stream: int, attribute: int, value: Mapping[str, Any]) -> int:
    """Gives a stream another failure mode, overflow switch or tag."""
    wish = _filled(_StreamValue(), value)
    return _capi.status("aclrtSetStreamAttribute", stream, attribute, ctypes.byref(wish))


def get_stream_attribute(stream: int, attribute: int) -> tuple[dict[str, Any], int]:
    """(the value under its name, ret)."""
    cell = _StreamValue()
    ret = _capi.status("aclrtGetStreamAttribute", stream, attribute, ctypes.byref(cell))
    known = attribute < len(_STREAM_FIELDS)
    name = _STREAM_FIELDS[attribute] if known else "reserved"
    return {name: _taken(getattr(cell, name))}, ret


def mem_set_pid_to_shareable_handle(shareable_handle: int, pids: Sequence[int]) -> int:
    """Names the processes that may import it."""
    array = _integers(ctypes.c_int32, pids)
    return _capi.status("aclrtMemSetPidToShareableHandle", shareable_handle, array, len(pids))


def ipc_mem_set_import_pid(key: str, pids: Sequence[int]) -> int:
    """Names the processes that may import it."""
    array = _integers(ctypes.c_int32, pids)
    text = _capi.c_string(key, "key")
    return _capi.status("aclrtIpcMemSetImportPid", text, array, len(pids))


def notify_set_import_pid(notify: int, pids: Sequence[int]) -> int:
    """Names the processes that may import it."""
    array = _integers(ctypes.c_int32, pids)
    return _capi.status("aclrtNotifySetImportPid", notify, array, len(pids))


def notify_batch_reset(notifies: Sequence[int]) -> int:
    """Makes all of them unrecorded."""
    array = _integers(ctypes.c_void_p, notifies)
    return _capi.status("aclrtNotifyBatchReset", array, len(notifies))


def get_mem_uce_info(device_id: int, array_size: int) -> tuple[list[dict[str, Any]], int]:
    """(where memory of a device is broken, ret)."""
    found, count = (_BrokenMemory * array_size)(), ctypes.c_size_t()
    name = "aclrtGetMemUceInfo"
    ret = _capi.status(name, device_id, ctypes.byref(found), array_size, ctypes.byref(count))
    return [_taken(each) for each in found[: count.value]], ret


def mem_uce_repair(device_id: int, broken: Sequence[Mapping[str, Any]]) -> int:
    """Mends what get_mem_uce_info found."""
    array = (_BrokenMemory * len(broken))(*(_filled(_BrokenMemory(), each) for each in broken))
    return _capi.status("aclrtMemUceRepair", device_id, ctypes.byref(array), len(broken))


def ipc_mem_get_export_key(dev_ptr: int, size: int, length: int, flags: int) -> tuple[str, int]:
    """(the name under which other processes import the memory, ret)."""
    text = _room(length)
    ret = _capi.status("aclrtIpcMemGetExportKey", dev_ptr, size, text, length, flags)
    return text.value.decode(), ret


def notify_get_export_key(notify: int, length: int, flags: int) -> tuple[str, int]:
    """(the name under which other processes import it, ret)."""
    text = _room(length)
    ret = _capi.status("aclrtNotifyGetExportKey", notify, text, length, flags)
    return text.value.decode(), ret


def _room(length: int) -> Any:  # noqa: ANN401
    if not 0 <= length < _MAX_KEY:
        raise ValueError(f"length: expected less than {_MAX_KEY}, got {length}")
    return ctypes.create_string_buffer(length + 1)
