# SPDX-License-Identifier: Apache-2.0
"""The library's own threads against oneTBB's, which needs `pip install tbb-devel`."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks import native
from benchmarks.figures import Figure, report

_RUNS = 3  # in turns, because the machine's speed changes
_PREFIX = Path(sys.prefix)


def missing() -> str | None:
    """Why there is nothing to measure, or None."""
    if (_PREFIX / "include" / "tbb" / "parallel_for.h").exists():
        return None
    return "the comparison with oneTBB needs its headers: pip install tbb-devel"


def measure(runs: int = _RUNS) -> Iterator[Figure]:
    """Medians over runs, each in a process of its own."""
    libraries = _PREFIX / "lib"
    flags = [f"-I{_PREFIX / 'include'}", f"-L{libraries}", "-ltbb", f"-Wl,-rpath,{libraries}"]
    found: defaultdict[str, list[float]] = defaultdict(list)
    for _ in range(runs):
        for pool in ("own", "tbb"):
            for name, value in native.run("pools.cpp", pool, flags=flags):
                found[f"pool, {pool}, {name}"].append(value)
    for name, values in found.items():
        yield Figure(name, median(values), "us")


if __name__ == "__main__":
    if reason := missing():
        sys.exit(reason)
    report(measure)
