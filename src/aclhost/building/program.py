# SPDX-License-Identifier: Apache-2.0
"""From C++ files to a program: compiling, linking, and finding the program of last time."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import aclhost
from aclhost.building import cache, toolkit

_LINKER = re.compile(rb"ld returned \d|linker command failed|collect2: ")
_COMPILER = re.compile(rb"(?:\berror|fatal error)(?:\x1b\[[0-9;]*[mK])*: (?!ld returned|linker)")


class BuildError(Exception):
    """The compiler or the linker refused; what they said, and how they were called."""

    def __init__(self, output: bytes, command: list[str]) -> None:
        super().__init__("the build failed")
        self.output, self.command = output, command
        of_compiler = re.sub(rb"(?m)^collect2: .*$|^.*linker command failed.*$", b"", output)
        self.is_link = bool(_LINKER.search(output)) and not _COMPILER.search(of_compiler)


@dataclass(frozen=True)
class Recipe:
    """How a program is compiled."""

    compiler: list[str]
    std: str
    flags: list[str] = field(default_factory=list)

    def command(self, files: list[Path], program: Path) -> list[str]:
        return [*self.to_objects(files), "-o", str(program), *toolkit.libs()]

    def to_objects(self, files: list[Path]) -> list[str]:
        options = [f"-std={self.std}", "-O1", "-g", *toolkit.cflags()]
        if sys.stderr.isatty():  # the compiler itself writes into a pipe
            options.append("-fdiagnostics-color=always")
        sources = [str(file.resolve()) for file in files]
        return [*self.compiler, *options, *sources, *self.flags]


def build(
    recipe: Recipe, files: list[Path], build_in: Path, pass_on: Callable[[bytes], None]
) -> Path:
    """Compiles and links.

    Raises:
        BuildError: one of both failed.

    """
    program = build_in / files[0].stem
    command = recipe.command(files, program)
    done = subprocess.run(command, check=False, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise BuildError(done.stderr, command)
    pass_on(done.stderr)
    return program


def entry_for(recipe: Recipe, files: list[Path]) -> Path | None:
    """Where the program is or will be kept; None where nothing can be."""
    try:
        version = subprocess.run(
            [*recipe.compiler, "--version"], check=False, capture_output=True, text=True
        ).stdout
        words = [version, aclhost.__version__, *recipe.command(files, Path("program"))]
        return cache.directory() / cache.key(words, files)
    except OSError:
        return None


def parts(recipe: Recipe, files: list[Path]) -> list[Path] | None:
    """The headers of a program, without those of the system, as the compiler tells them."""
    sources = [file for file in files if file.suffix not in (".o", ".a")]
    if not sources:
        return []
    done = subprocess.run(
        [*recipe.to_objects(sources), "-MM"], check=False, capture_output=True, text=True
    )
    if done.returncode != 0:
        return None
    rules = done.stdout.replace("\\\n", " ")
    words = re.findall(r"(?:[^\s\\]|\\.)+", rules)
    names = [re.sub(r"\\(.)", r"\1", word) for word in words if not word.endswith(":")]
    found = {Path(name) for name in names}
    return sorted(found) if all(path.is_file() for path in found) else None
