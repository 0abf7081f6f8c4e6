# SPDX-License-Identifier: Apache-2.0
"""What `import aclhost` costs a program that imports NumPy anyway."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from statistics import median

from benchmarks.figures import Figure, report

PROCESSES = 15
_PROGRAM = """
import time
start = time.perf_counter()
import numpy
middle = time.perf_counter()
import aclhost
print(middle - start, time.perf_counter() - middle)
"""


def measure(processes: int = PROCESSES) -> Iterator[Figure]:
    """Medians over processes of their own."""
    pairs = [_times() for _ in range(processes)]
    yield Figure("import, numpy", median(pair[0] for pair in pairs) * 1e3, "ms")
    yield Figure("import, aclhost after numpy", median(pair[1] for pair in pairs) * 1e3, "ms")


def _times() -> tuple[float, float]:
    command = [sys.executable, "-c", _PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    numpy, ours = map(float, done.stdout.split())
    return numpy, ours


if __name__ == "__main__":
    report(measure)
