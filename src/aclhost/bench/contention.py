# SPDX-License-Identifier: Apache-2.0
"""Whether other processes used the machine while something was measured.

It matters more to some than to others: on a busy machine torch's small calls took milliseconds
instead of microseconds, in a process of their own as well. Probably its threads wait for one that
the scheduler has put aside. A ratio measured then says nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import perf_counter, process_time

_STAT = Path("/proc/stat")
_IDLE_COLUMNS = (3, 4)  # idle, and idle while waiting for a disk
_COUNTED_COLUMNS = 8  # guests, which follow, are part of user time already


class Others:
    """Counts the time of processors that went to others since it was made."""

    def __init__(self) -> None:
        self._start = perf_counter()
        self._foreign = _busy_seconds() - process_time()

    def seconds(self) -> float:
        """Since it was made."""
        return perf_counter() - self._start

    def cores(self) -> float:
        """How many cores were busy elsewhere, on average; what a hypervisor took is included."""
        foreign = _busy_seconds() - process_time() - self._foreign
        return max(foreign / self.seconds(), 0.0)


def _busy_seconds() -> float:
    """Of all cores together."""
    ticks = [int(word) for word in _STAT.read_text().split("\n", 1)[0].split()[1:]]
    busy = sum(ticks[:_COUNTED_COLUMNS]) - sum(ticks[column] for column in _IDLE_COLUMNS)
    return busy / os.sysconf("SC_CLK_TCK")
