# SPDX-License-Identifier: Apache-2.0
"""The runtime with pyACL's names and conventions: outputs first, status last, handles as ints.

    stream, ret = acl.rt.create_stream()

As in pyACL, no call raises because of a status; every caller looks at `ret`.
"""

from __future__ import annotations

import ctypes

from aclhost.acl import (
    _capi,
    _descriptions,
    _refusals,
    blas,
    fv,
    himpi,
    mdl,
    media,
    op,
    prof,
    rt,
    util,
)
from aclhost.acl._descriptions import *  # noqa: F403

__all__ = [
    "app_log",
    "blas",
    "create_data_buffer",
    "data_type_size",
    "destroy_data_buffer",
    "finalize",
    "finalize_reference",
    "float16_to_float",
    "float_to_float16",
    "fv",
    "get_cann_attribute",
    "get_cann_attribute_list",
    "get_cann_version",
    "get_data_buffer_addr",
    "get_data_buffer_size",
    "get_data_buffer_size_v2",
    "get_device_capability",
    "get_recent_err_msg",
    "get_soc_name",
    "get_version",
    "get_version_str",
    "himpi",
    "init",
    "mdl",
    "media",
    "op",
    "prof",
    "rt",
    "update_data_buffer",
    "util",
]
__all__ += _descriptions.__all__

_VERSION_FIELDS = (
    "version", "major_version", "minor_version", "release_version", "patch_version", "reserved",
)  # fmt: skip
_TEXT_SIZE = 128  # of a version


def init(config_path: str | None = None) -> int:
    """Starts ACL, with a JSON configuration file if one is named."""
    return _capi.status("aclInit", _capi.c_string(config_path, "config_path"))


def finalize() -> int:
    """Ends ACL, however often it was started."""
    return _capi.status("aclFinalize")


def finalize_reference() -> tuple[int, int]:
    """Undoes one init; (remaining count, ret)."""
    return _capi.output("aclFinalizeReference", ctypes.c_uint64)


def get_recent_err_msg() -> str | None:
    """Error text of this thread, newest first, and clears it; None where nothing happened."""
    return _refusals.taken()


def get_soc_name() -> str | None:
    """Name of the SoC whose behaviour is reproduced; None for an unknown ACLHOST_SOC."""
    name: bytes | None = _capi.library().aclrtGetSocName()
    return None if name is None else name.decode()


def data_type_size(data_type: int) -> int:
    """Bytes of one element, as upstream counts them."""
    return _capi.status("aclDataTypeSize", data_type)


def create_data_buffer(ptr: int, size: int) -> int:
    """A handle that keeps an address and a size."""
    return int(_capi.library().aclCreateDataBuffer(ptr, size) or 0)


def destroy_data_buffer(buffer: int) -> int:
    """Frees the pair, not the memory."""
    return _capi.status("aclDestroyDataBuffer", buffer)


def get_data_buffer_addr(buffer: int) -> int:
    """The address."""
    return int(_capi.library().aclGetDataBufferAddr(buffer) or 0)


def get_data_buffer_size(buffer: int) -> int:
    """The size."""
    return _capi.status("aclGetDataBufferSizeV2", buffer)


def get_data_buffer_size_v2(buffer: int) -> int:
    """The size."""
    return _capi.status("aclGetDataBufferSizeV2", buffer)


def update_data_buffer(buffer: int, ptr: int, size: int) -> int:
    """Another address and size for a buffer."""
    return _capi.status("aclUpdateDataBuffer", buffer, ptr, size)


def get_version() -> tuple[int, int, int, int]:
    """(major, minor, patch, ret)."""
    return rt.get_version()


def float16_to_float(value: int) -> float:
    """The bits of half precision as a number; infinity and NaN are finite, as upstream's."""
    return float(_capi.library().aclFloat16ToFloat(value))


def float_to_float16(value: float) -> int:
    """The bits of the nearest number of half precision, saturating."""
    return int(_capi.library().aclFloatToFloat16(value))


def get_cann_attribute_list() -> tuple[list[int], int, int]:
    """(attributes, how many, ret)."""
    address, count = ctypes.c_void_p(), ctypes.c_size_t()
    ret = _capi.status("aclGetCannAttributeList", ctypes.byref(address), ctypes.byref(count))
    if ret != 0 or not address.value:
        return [], 0, ret
    return list((ctypes.c_int * count.value).from_address(address.value)), count.value, ret


def get_cann_attribute(attribute: int) -> tuple[int, int]:
    """(1 if the toolkit has it, ret)."""
    return _capi.output("aclGetCannAttribute", ctypes.c_int32, attribute)


def get_device_capability(device_id: int, device_info: int) -> tuple[int, int]:
    """(value, ret)."""
    return _capi.output("aclGetDeviceCapability", ctypes.c_int64, device_id, device_info)


def get_cann_version(package: int) -> tuple[dict[str, str], int]:
    """(texts by field, ret)."""
    fields = [ctypes.c_char * _TEXT_SIZE for _ in _VERSION_FIELDS]
    cell = type(
        "_Version",
        (ctypes.Structure,),
        {"_fields_": list(zip(_VERSION_FIELDS, fields, strict=True))},
    )()
    ret = _capi.status("aclsysGetCANNVersion", package, ctypes.byref(cell))
    return {name: getattr(cell, name).decode() for name in _VERSION_FIELDS}, ret


def get_version_str(package: str) -> tuple[str, int]:
    """(version of a package, ret)."""
    text = ctypes.create_string_buffer(_TEXT_SIZE)
    name = ctypes.create_string_buffer(_capi.c_string(package, "package") or b"")
    ret = _capi.status("aclsysGetVersionStr", name, text)
    return text.value.decode(), ret


def app_log(level: int, text: str) -> None:
    """Writes to upstream's log; aclhost has none, and keeps quiet."""
    _capi.library().aclAppLog(level, b"", b"", 0, b"%s", _capi.c_string(text, "text"))
