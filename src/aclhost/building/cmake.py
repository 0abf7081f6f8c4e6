# SPDX-License-Identifier: Apache-2.0
"""Building a CMake project against the toolkit, and finding the program it makes."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from aclhost.spec.names import suggestion


class ProjectError(ValueError):
    """A project that cannot be built or run; the message says what to do."""


class Project:
    """A source directory and a build directory of ours; the former is not touched."""

    def __init__(
        self,
        source: Path,
        build: Path,
        compiler: list[str],
        std: str,
        flags: list[str],
        libraries: list[str],
        environment: dict[str, str],
    ) -> None:
        if not (source / "CMakeLists.txt").is_file():
            raise ProjectError(f"{source}: a directory without CMakeLists.txt; name its files")
        if shutil.which("cmake") is None:
            raise ProjectError("cmake is not installed; pip install cmake, or name the files")
        self._source, self._build = source.resolve(), build
        self._environment = {**environment, "CXX": " ".join(compiler)}
        self._options = [
            f"-DCMAKE_CXX_STANDARD={std.lower().removeprefix('c++').removeprefix('gnu++')}",
            # Strict mode names files and lines.
            f"-DCMAKE_CXX_FLAGS={' '.join(['-g', *flags])}",
            "-DCMAKE_C_FLAGS=-g",
            # CMake puts these behind everything that a target links.
            f"-DCMAKE_CXX_STANDARD_LIBRARIES={shlex.join(libraries)}",
        ]

    def build(self, tell: Callable[[list[str]], None]) -> subprocess.CompletedProcess[bytes]:
        """Configures and builds; the result is of the step that failed, or of the last one."""
        self._tell = tell
        # CMake answers this file with the targets and where their programs are.
        query = self._build / ".cmake/api/v1/query"
        query.mkdir(parents=True, exist_ok=True)
        (query / "codemodel-v2").touch()
        configure = ["cmake", "-S", str(self._source), "-B", str(self._build), *self._options]
        done = self._run(configure)
        if done.returncode != 0:
            return done
        jobs = str(os.cpu_count() or 1)
        return self._run(["cmake", "--build", str(self._build), "--parallel", jobs])

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[bytes]:
        self._tell(command)
        return subprocess.run(
            command, check=False, env=self._environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def program(self, name: str | None) -> Path:
        """The only program of the project, or the one of this name."""
        programs = dict(self._programs())
        if not programs:
            raise ProjectError(f"{self._source} builds no program (add_executable)")
        if name is None and len(programs) == 1:
            return next(iter(programs.values()))
        if name is None:
            names = ", ".join(sorted(programs))
            raise ProjectError(f"{self._source} has the programs {names}; pick one with --target")
        if name not in programs:
            hint = suggestion(name, programs) or f"; there are {', '.join(sorted(programs))}"
            raise ProjectError(f"{self._source} has no program {name!r}{hint}")
        return programs[name]

    def _programs(self) -> Iterator[tuple[str, Path]]:
        reply = self._build / ".cmake/api/v1/reply"
        model = json.loads(max(reply.glob("codemodel-*.json"), key=_time).read_text())
        for each in model["configurations"][0]["targets"]:  # not those of an earlier build
            target = json.loads((reply / each["jsonFile"]).read_text())
            if target["type"] == "EXECUTABLE":
                yield target["name"], self._build / target["artifacts"][0]["path"]


def _time(path: Path) -> float:
    return path.stat().st_mtime
