# SPDX-License-Identifier: Apache-2.0
"""How fast bare loops are that do only what an operator cannot do without (floors.cpp).

A target that asks for more than they reach is out of reach on this machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import native
from benchmarks.figures import Figure, report


def measure(rounds: int = 15) -> Iterator[Figure]:
    """Of memory in fractions, of what stays in the cache in ns."""
    for name, value in native.run("floors.cpp", str(rounds), flags=["-DACLHOST_ISA=native"]):
        yield Figure(name, value, "of it" if "MiB" in name else "ns")


if __name__ == "__main__":
    report(measure)
