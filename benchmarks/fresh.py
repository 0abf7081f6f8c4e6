# SPDX-License-Identifier: Apache-2.0
"""Results that the call allocates: 3.4e7 elements, dropped before the next call."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from statistics import median

import aclhost
from aclhost.bench import runner
from aclhost.bench.rounds import Pace, quotient, take_turns
from aclhost.bench.workload import Call, aten, random_array, tensor
from benchmarks.figures import Figure, report

ELEMENTS = 1 << 25
ROUNDS = 9
DTYPES = ("float32", "float16")


def measure(elements: int = ELEMENTS, rounds: int = ROUNDS) -> Iterator[Figure]:
    """The result variant of elu_backward, which computes least."""
    with_torch = runner.use_torch()
    for dtype in DTYPES:
        contenders = _contenders(dtype, elements, with_torch)
        times = take_turns(contenders, Pace(1e-9, rounds), spinning=("torch",))
        for name, column in times.items():
            yield Figure(f"fresh output, {dtype}, {name}", median(column) * 1e3, "ms")
        if with_torch:
            ratio = quotient(times, "torch", "aclhost")
            assert ratio is not None
            yield Figure(f"fresh output, {dtype}, ratio", ratio, "x")


def _contenders(dtype: str, elements: int, with_torch: bool) -> dict[str, Call]:
    grad, x = (random_array((elements,), dtype, seed) for seed in (0, 1))
    scalars = (1.0, 1.0, 1.0, True)
    found: dict[str, Call] = {"aclhost": partial(aclhost.elu_backward, grad, x, *scalars)}
    if with_torch:
        found["torch"] = aten("elu_backward", "default", tensor(grad), *scalars, tensor(x))
    return found


if __name__ == "__main__":
    report(measure)
