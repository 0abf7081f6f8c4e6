# SPDX-License-Identifier: Apache-2.0
"""What a call costs besides computing: elu_backward of 16 elements, checks included.

The kernel's own time, which is subtracted, comes from a loop in C++ (overhead.cpp).
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from timeit import Timer

import numpy as np

from aclhost.bench import runner
from aclhost.bench.workload import random_array, tensor
from benchmarks import native
from benchmarks.figures import Figure, report

ELEMENTS = 16
_CALLS = 20_000
_REPEATS = 15
_STATEMENT = "elu_backward(grad, x, 1.0, 1.0, 1.0, True, out=out)"


def measure(calls: int = _CALLS) -> Iterator[Figure]:
    """For each kind of array, the whole call and what is not the kernel."""
    kernel = dict(native.run("overhead.cpp"))
    yield Figure("call, kernel alone, float32", kernel["kernel float32"], "us")
    yield Figure("call, kernel alone, bfloat16", kernel["kernel bfloat16"], "us")
    kinds = {"NumPy": ("float32", False), "ml_dtypes bfloat16": ("bfloat16", False)}
    if runner.use_torch():
        kinds["torch"] = ("float32", True)
    for name, (dtype, as_tensors) in kinds.items():
        whole = call_time(dtype, as_tensors, calls)
        yield Figure(f"call, {name}, whole", whole, "us")
        yield Figure(f"call, {name}, over the kernel", whole - kernel[f"kernel {dtype}"], "us")
    yield Figure("call, C ABI, both phases and synchronisation", kernel["c abi"], "us")


def call_time(dtype: str, as_tensors: bool, calls: int = _CALLS) -> float:
    """Microseconds of a call as a program writes it."""
    import aclhost

    arrays = {
        name: random_array((ELEMENTS,), dtype, seed)
        for seed, name in enumerate(("grad", "x", "out"))
    }
    operands = {name: tensor(array) if as_tensors else array for name, array in arrays.items()}
    timer = Timer(_STATEMENT, globals={"elu_backward": aclhost.elu_backward, **operands})
    times = timer.repeat(_REPEATS, calls)
    assert np.isfinite(arrays["out"].astype(np.float64)).all()
    return median(times) / calls * 1e6


if __name__ == "__main__":
    report(measure)
