# SPDX-License-Identifier: Apache-2.0
"""Programs that pull away what a call needs: memory, threads, processes, events."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.programs import clean_environment, run

from aclhost.building import toolkit

HERE = Path(__file__).parent
NORMAL: dict[str, str] = {}
STRESS = {"ACLHOST_STRESS": "3"}
RUNS = [
    ("freed_meanwhile", NORMAL),
    ("freed_meanwhile", STRESS),
    ("blocked_stream", NORMAL),
    ("ended_threads", NORMAL),
    ("ended_threads", STRESS),
    ("fork_early", NORMAL),
]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("reliability")
    flags = ["-std=c++17", "-g", "-Wall", "-Wextra", "-Werror", *toolkit.cflags()]
    for name in {name for name, _ in RUNS}:
        source, program = HERE / f"{name}.cpp", directory / name
        run(["g++", source, "-o", program, *flags, *toolkit.libs(), "-pthread"])
    return directory


@pytest.mark.parametrize(("name", "mode"), RUNS)
def test_program(programs: Path, name: str, mode: dict[str, str]) -> None:
    environment = toolkit.environment(clean_environment(**mode))
    done = run([programs / name], env=environment, timeout=300)
    assert (done.stdout, done.stderr) == ("ok\n", "")
