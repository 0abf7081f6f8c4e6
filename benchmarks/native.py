# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs the C++ programs of this directory against the installed library."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import aclhost

HERE = Path(__file__).parent
ROOT = HERE.parent
_BUILD = ROOT / "build" / "benchmarks"
# What the library uses inside and does not export.
_SOURCES = (str(ROOT / "native/base/parallel.cc"),)
_LIBRARIES = Path(aclhost.__file__).parent / "toolkit" / "lib64"


def run(source: str, *arguments: str, flags: Sequence[str] = ()) -> list[tuple[str, float]]:
    """Its lines, each a name, a tab and a number."""
    program = _compile(source, flags)
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    pairs = (line.rsplit("\t", 1) for line in done.stdout.splitlines())
    return [(name, float(value)) for name, value in pairs]


def _compile(source: str, flags: Sequence[str]) -> Path:
    """The headers of the operators' structures are generated, not installed."""
    generated = _BUILD / "gen"
    subprocess.run([sys.executable, "-m", "aclhost.gen", str(generated)], check=True)
    program = _BUILD / Path(source).stem
    includes = (ROOT / "native", generated / "include", generated / "native")
    subprocess.run(
        [
            "g++", "-std=c++17", "-O3", "-march=native", str(HERE / source), *_SOURCES,
            "-o", str(program), *(f"-I{path}" for path in includes), *flags,
            f"-L{_LIBRARIES}", "-laclhost", "-lpthread", f"-Wl,-rpath,{_LIBRARIES}",
        ],
        check=True,
    )  # fmt: skip
    return program
