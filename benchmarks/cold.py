# SPDX-License-Identifier: Apache-2.0
"""A call of 1e5 elements when nothing ran for 20 ms, so that all threads sleep."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import sleep

from aclhost.bench import runner
from aclhost.bench.cases import Case
from aclhost.bench.rounds import time_once
from aclhost.bench.workload import Call
from benchmarks.figures import Figure, ninetieth, report

IDLE = 0.02
CALLS = 100
ELEMENTS = 100_000


def measure(calls: int = CALLS) -> Iterator[Figure]:
    """Median and ninetieth percentile for both."""
    with_torch = runner.use_torch()
    workload = Case("elu_backward", "result", "float32", "medium", (ELEMENTS,)).prepare()
    yield from _figures("aclhost", workload.call, calls)
    if with_torch:
        yield from _figures("torch", workload.peer(), calls)


def _figures(name: str, call: Call, calls: int) -> Iterator[Figure]:
    call()
    times = [_after_idling(call) for _ in range(calls)]
    yield Figure(f"cold call, {name}, median", median(times) * 1e6, "us")
    yield Figure(f"cold call, {name}, p90", ninetieth(times) * 1e6, "us")


def _after_idling(call: Call) -> float:
    sleep(IDLE)
    return time_once(call)


if __name__ == "__main__":
    report(measure)
