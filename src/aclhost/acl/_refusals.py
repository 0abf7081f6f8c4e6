# SPDX-License-Identifier: Apache-2.0
"""What functions tell that exist in Python only, beside what the library tells."""

from __future__ import annotations

import os
import threading
from datetime import datetime

from aclhost.acl import _capi
from aclhost.constants import ACL_ERROR_RT_FEATURE_NOT_SUPPORT

_MAX_LINES = 64  # a client that never asks must not grow without bound


class _Texts(threading.local):
    older = ""  # newest first, as the library has them


_texts = _Texts()


def refuse(name: str, reason: str) -> int:
    """The status of a function that is not supported; the thread has the text."""
    texts = "\n".join(filter(None, (_text(name, reason), _from_library(), _texts.older)))
    _texts.older = "\n".join(texts.splitlines()[:_MAX_LINES])
    return ACL_ERROR_RT_FEATURE_NOT_SUPPORT


def taken() -> str | None:
    """All texts of this thread, which has none afterwards."""
    text = "\n".join(filter(None, (_from_library(), _texts.older)))
    _texts.older = ""
    return text or None


def _from_library() -> str | None:
    text: bytes | None = _capi.library().aclGetRecentErrMsg()
    return None if text is None else text.decode(errors="replace")


def _text(name: str, reason: str) -> str:
    # The library counts in local time, with points before milliseconds and microseconds.
    now = datetime.now()
    time = f"{now:%Y-%m-%d-%H:%M:%S}.{now.microsecond // 1000:03}.{now.microsecond % 1000:03}"
    return (
        f"[PID:{os.getpid()}] {time} Runtime_Error(EE1001): {name} returns"
        f" {ACL_ERROR_RT_FEATURE_NOT_SUPPORT}: aclhost does not provide this function, which"
        f" exists so that programs find it: {reason}"
    )
