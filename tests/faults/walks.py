# SPDX-License-Identifier: Apache-2.0
"""Compiles walk.cpp and runs it."""

from __future__ import annotations

import re
from pathlib import Path

from support.programs import clean_environment, run

from aclhost.building import toolkit

KINDS = ("malloc", "mmap", "thread")


def compiled(directory: Path) -> Path:
    """The program, compiled as users would."""
    program = directory / "walk"
    flags = ["-std=c++17", "-g", "-Wall", "-Wextra", "-Werror", *toolkit.cflags()]
    source = Path(__file__).with_name("walk.cpp")
    run(["g++", source, "-o", program, *flags, *toolkit.libs(), "-pthread", "-ldl"])
    return program


def walk(program: Path, kind: str, **variables: object) -> int:
    """How many failures there were; all of them must have been borne."""
    environment = toolkit.environment(clean_environment(**variables))
    done = run([program, kind], env=environment, timeout=600)
    figures = re.fullmatch(rf"{kind}: (\d+) failures, 0 wrong\n", done.stdout)
    assert figures is not None, done.stdout
    return int(figures.group(1))
