# SPDX-License-Identifier: Apache-2.0
"""The runtime with pyACL's names and conventions: outputs first, status last, handles as ints.

    stream, ret = acl.rt.create_stream()

As in pyACL, no call raises because of a status; every caller looks at `ret`.
"""

from __future__ import annotations

import ctypes

from aclhost.acl import _capi, op, rt, util

__all__ = [
    "create_data_buffer",
    "data_type_size",
    "destroy_data_buffer",
    "finalize",
    "finalize_reference",
    "get_data_buffer_addr",
    "get_data_buffer_size",
    "get_recent_err_msg",
    "get_soc_name",
    "init",
    "op",
    "rt",
    "util",
]


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
    text: bytes | None = _capi.library().aclGetRecentErrMsg()
    return None if text is None else text.decode(errors="replace")


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
