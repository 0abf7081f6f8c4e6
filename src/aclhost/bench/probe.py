# SPDX-License-Identifier: Apache-2.0
"""The streaming limit: how fast this machine adds two arrays into a third, at this moment."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from time import perf_counter

import numpy as np

from aclhost.bench.workload import Call

_STREAMS = 3 * np.dtype(np.float32).itemsize  # bytes for one element of a + b -> c
_TRIALS = 5


@contextmanager
def streaming(moved: int, threads: int) -> Iterator[Call]:
    """A loop that moves that many bytes, on as many threads as make it fastest.

    NumPy's ufuncs let go of the interpreter's lock, so halves of arrays add up in parallel. For
    small arrays handing the parts to threads costs more than it saves.
    """
    length = max(moved // _STREAMS, 1)
    a, b, c = (np.ones(length, np.float32) for _ in range(3))
    alone: Call = partial(np.add, a, b, out=c)
    with ThreadPoolExecutor(max(threads - 1, 1)) as pool:
        parts = [
            partial(np.add, *(array[part] for array in (a, b)), out=c[part])
            for part in _parts(length, threads)
        ]

        def shared() -> None:
            others = [pool.submit(part) for part in parts[1:]]
            parts[0]()
            for other in others:
                other.result()

        yield min((alone, shared), key=_best_time) if threads > 1 else alone


def _parts(length: int, count: int) -> list[slice]:
    borders = [length * k // count for k in range(count + 1)]
    return [slice(*borders[k : k + 2]) for k in range(count)]


def _best_time(call: Call) -> float:
    times = []
    for _ in range(_TRIALS):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return min(times)
