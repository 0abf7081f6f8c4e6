# SPDX-License-Identifier: Apache-2.0
"""Where numbers were measured; without it they mean nothing."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from aclhost._native import instruction_set, thread_count


@dataclass(frozen=True)
class Machine:
    """A processor and the software on it."""

    cpu: str
    cores: int
    threads: int
    instruction_set: str
    load: float
    versions: dict[str, str]

    def same_as(self, other: Machine) -> bool:
        """Whether numbers of both belong into one table."""
        return replace(self, load=0.0) == replace(other, load=0.0)

    @property
    def line(self) -> str:
        """All of it, for the head of a table."""
        software = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return (
            f"{self.cpu}, {self.cores} cores, {self.threads} threads, {self.instruction_set}; "
            f"{software}; load {self.load:.1f} at the start"
        )


def this_machine(with_torch: bool) -> Machine:
    """The one that this process runs on."""
    packages = ("aclhost", "numpy", "torch") if with_torch else ("aclhost", "numpy")
    versions = {name: number for name in packages if (number := _version(name))}
    return Machine(
        cpu=_cpu_model(),
        cores=os.cpu_count() or 1,
        threads=thread_count(),
        instruction_set=instruction_set(),
        load=os.getloadavg()[0],
        versions={"Python": platform.python_version(), **versions},
    )


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cpu_model() -> str:
    """The kernel's name for it; on aarch64 it has none and the architecture must do."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
