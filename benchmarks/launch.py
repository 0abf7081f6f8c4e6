# SPDX-License-Identifier: Apache-2.0
"""What launching through C costs besides the kernel, also while all cores are busy.

One thread computes each call of elu_backward (launch.cpp): on one stream, in chains without
synchronisation, on several streams, and so large that the host goes on meanwhile. Then operators
that once suffered from launching, against torch, on one thread each.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from aclhost.bench import runner
from aclhost.bench.cases import Case
from benchmarks import native
from benchmarks.figures import Figure, report

SIZES = (16, 1000, 4096, 32768, 100000, 1000000)
CHAINS = (16, 1000, 4096)
CASES = (
    Case("upsample_nearest3d_backward", "x2", "float32", "4096", (1, 8, 8, 8, 8)),
    Case("upsample_nearest3d_backward", "x2", "float16", "4096", (1, 8, 8, 8, 8)),
    Case("max_unpool3d_backward", "local", "float32", "32768", (1, 8, 16, 16, 16)),
    Case("elu_backward", "exp", "float32", "100000", (100_000,)),
    Case("smooth_l1_loss_backward", "none", "float32", "100000", (100_000,)),
    Case("max_pool3d_with_argmax_backward", "2/2", "float16", "262144", (1, 8, 32, 32, 32)),
    Case("max_pool3d_with_argmax_backward", "2/2", "bfloat16", "262144", (1, 8, 32, 32, 32)),
    Case("elu_backward", "exp", "float32", "1000000", (1_000_000,)),
)
_ROUNDS = 101
_SPIN = "while True: pass"


def measure(rounds: int = _ROUNDS, effort: runner.Effort = runner.FULL) -> Iterator[Figure]:
    """In an idle machine, in a busy one, and against torch."""
    yield from launches("launch", rounds)
    with busy():
        yield from launches("launch, cores busy", rounds)
    if runner.use_torch():
        for case in CASES:
            yield against_torch(case, effort)


def launches(title: str, rounds: int) -> Iterator[Figure]:
    """All that the program prints."""
    for name, value in native.run("launch.cpp", str(rounds)):
        yield Figure(f"{title}, {name}", value, "us")


def against_torch(case: Case, effort: runner.Effort) -> Figure:
    """The time of torch's call over that through C."""
    ratio = runner.measure(case, effort, with_torch=True).c_ratio
    assert ratio is not None
    return Figure(f"launch, {case.name}", ratio, "x torch")


@contextmanager
def busy() -> Iterator[list[subprocess.Popen[bytes]]]:
    """A process on every core that does nothing but run."""
    spinning = [
        subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-c", _SPIN])
        for core in sorted(os.sched_getaffinity(0))
    ]
    try:
        yield spinning
    finally:
        for process in spinning:
            process.kill()
            process.wait()


if __name__ == "__main__":
    os.environ["ACLHOST_NUM_THREADS"] = "1"  # read at the first call
    report(measure)
