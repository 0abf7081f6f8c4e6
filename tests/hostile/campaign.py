# SPDX-License-Identifier: Apache-2.0
"""Compiles hostile.cpp and runs it with a seed."""

from __future__ import annotations

import re
from pathlib import Path

from support.programs import clean_environment, run

from aclhost.building import toolkit

SCHEDULES: dict[str, dict[str, str]] = {
    "normal": {},
    "blocking": {"ASCEND_LAUNCH_BLOCKING": "1"},
    "stress": {"ACLHOST_STRESS": "1"},
}


def compiled(directory: Path) -> Path:
    """The program, compiled as users would."""
    program = directory / "hostile"
    flags = ["-std=c++17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", *toolkit.cflags()]
    source = Path(__file__).with_name("hostile.cpp")
    run(["g++", source, "-o", program, *flags, *toolkit.libs(), "-pthread"])
    return program


def hostile_calls(program: Path, seed: int, threads: int, calls: int, schedule: str) -> int:
    """How many of the calls succeeded; none may have crashed, hung or made up a code."""
    variables = {"ACLHOST_DEVICE_MEMORY": "1G", **SCHEDULES[schedule]}
    environment = toolkit.environment(clean_environment(**variables))
    done = run([program, seed, threads, calls], env=environment, timeout=600)
    figures = re.fullmatch(r"\d+ calls, (\d+) succeeded, 0 undocumented\n", done.stdout)
    assert figures is not None, done.stdout
    assert done.stderr == ""
    return int(figures.group(1))
