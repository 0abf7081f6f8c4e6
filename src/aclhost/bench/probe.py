# SPDX-License-Identifier: Apache-2.0
"""The streaming limit: how fast this machine adds two arrays into a third, at this moment.

The loop is native, runs on the threads of the operators and writes past the cache where they do. So
an operator that moves as many bytes in the same time leaves nothing to gain but fewer bytes.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from aclhost._native import stream_add
from aclhost.bench.workload import Call

_STREAMS = 3 * np.dtype(np.float32).itemsize  # bytes for one element of a + b -> c


def streaming(moved: int) -> Call:
    """A call that moves that many bytes."""
    length = max(moved // _STREAMS, 1)
    return partial(stream_add, *(np.ones(length, np.float32) for _ in range(3)))
