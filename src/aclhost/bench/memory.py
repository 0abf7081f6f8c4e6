# SPDX-License-Identifier: Apache-2.0
"""How much memory a call takes besides its arrays."""

from __future__ import annotations

import ctypes
import resource
from collections.abc import Callable
from functools import cache
from pathlib import Path

from aclhost.bench.workload import Call

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


def peak_extra(call: Call) -> int:
    """By how many bytes the process grew during the call, at the most.

    The kernel counts pages, and threads report theirs in lots: a few hundred KiB are noise. Where
    the kernel does not let the peak be reset, only growth past all earlier peaks is seen.
    """
    _return_free_memory()
    try:
        _CLEAR.write_text(_RESET_PEAK)
        before = _kib("VmRSS")
        call()
        return max(_kib("VmHWM") - before, 0) * 1024
    except OSError:
        before = _peak_rss()
        call()
        return (_peak_rss() - before) * 1024


def available() -> int:
    """Bytes that can be had without swapping."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 1 << 62


def _peak_rss() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _kib(field: str) -> int:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1])
    raise OSError(f"no {field} in {_STATUS}")


def _return_free_memory() -> None:
    """What malloc kept from earlier calls would hide what this one takes. Only glibc can."""
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
