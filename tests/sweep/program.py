# SPDX-License-Identifier: Apache-2.0
"""Builds the program that compares functions with references, and runs it."""

from __future__ import annotations

import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FUNCTIONS = Path(__file__).with_name("functions.h")
_SCHEDULED = ("-fschedule-insns", "-fsched-pressure")
# As CMakeLists.txt compiles generated kernels.
WARNINGS = ("-Wall", "-Wextra", "-Wno-psabi", "-Werror")
FLAGS = ("-std=c++17", "-O3", *WARNINGS, *_SCHEDULED, "-fno-thread-jumps")
FLOAT_FLAGS = ("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
AVX2 = ("-mavx2", "-mfma", "-mf16c")
AVX512 = ("-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mfma", "-mf16c")
ISAS: dict[str, tuple[str, ...]] = {
    "baseline": (),
    "avx2": AVX2,
    "avx512": (*AVX512, "-mprefer-vector-width=512"),
}


def isas() -> list[str]:
    """The instruction sets of this machine, the widest last."""
    if platform.machine() != "x86_64":
        return ["baseline"]
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    has = set(next(line for line in lines if line.startswith("flags")).split())
    return [isa for isa in ISAS if all(flag[2:] in has for flag in ISAS[isa] if "=" not in flag)]


def vectorised(report: str, listing: Path) -> frozenset[str]:
    """The functions at whose places in the listing the compiler reports a vectorised loop."""
    lines, name = listing.read_text().splitlines(), re.escape(listing.name)
    places = re.findall(rf"{name}:(\d+):(\d+): optimized: +loop vectorized", report)
    entry = re.compile(r"(?:UN|BIN)ARY\((\w+)")
    found = (entry.match(lines[int(line) - 1], int(column) - 1) for line, column in places)
    return frozenset(match[1] for match in found if match)


def compiled(source: str, isa: str, folder: Path) -> tuple[Path, str]:
    """A program of this directory for an instruction set, and what the compiler vectorised."""
    folder.mkdir(parents=True, exist_ok=True)
    path, report = folder / f"{Path(source).stem}-{isa}", folder / f"report-{source}-{isa}"
    options = [*FLAGS, *FLOAT_FLAGS, *ISAS[isa], f"-DACLHOST_ISA={isa}", f"-I{ROOT / 'native'}"]
    options.append(f"-fopt-info-vec={report}")
    subprocess.run(["g++", *options, Path(__file__).with_name(source), "-o", path], check=True)
    return path, report.read_text()


@dataclass(frozen=True)
class Result:
    """What the program says of one function."""

    ulps: float
    worst: tuple[str, str]  # the bits of the inputs with the largest error
    checksum: str  # of all results


@dataclass(frozen=True)
class Program:
    """The program for one instruction set."""

    isa: str
    path: Path
    vectorised: frozenset[str]  # the functions whose loops the compiler vectorised

    @classmethod
    def build(cls, isa: str, folder: Path) -> Program:
        """Compiles it into a folder."""
        path, report = compiled("sweep.cpp", isa, folder)
        return cls(isa, path, vectorised(report, FUNCTIONS))

    def names(self) -> dict[str, str]:
        """The functions and whether they are unary or binary."""
        lines = self._run("names").splitlines()
        return {name: arity for arity, name in map(str.split, lines)}

    def errors(self, name: str, step: int) -> Result:
        """The largest error of every step-th float."""
        ulps, left, right, checksum = self._run("errors", name, str(step)).split()
        return Result(float(ulps), (left, right), checksum)

    def checksum(self, name: str, step: int) -> str:
        """Of the results, without references."""
        return self._run("bits", name, str(step)).split()[-1]

    def _run(self, *arguments: str) -> str:
        done = subprocess.run([self.path, *arguments], check=True, text=True, capture_output=True)
        return done.stdout
