# SPDX-License-Identifier: Apache-2.0
"""Blocks of written pages, and whether their commands print what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# The one of this interpreter, wherever its script is.
PYTEST = f'pytest() {{ "{sys.executable}" -m pytest -p no:cacheprovider "$@"; }}'
_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    language: str
    title: str
    text: str


def blocks(page: Path) -> list[Block]:
    return [Block(*match) for match in _BLOCK.findall(page.read_text())]


def commands(text: str) -> Iterator[tuple[str, str]]:
    """(command, expected output) of a console block; commands without `$ ` are only shown."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


def normal(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def assert_prints(command: str, expected: str, directory: Path) -> None:
    scripts = sysconfig.get_path("scripts")
    environment = {**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}", "COLUMNS": "80"}
    done = subprocess.run(
        ["bash", "-c", f"{PYTEST}\n{command}"], cwd=directory, env=environment, check=False,
        text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    # Tables are as wide as the terminal; a reader does not count the spaces.
    pattern = re.escape(normal(expected)).replace(re.escape("..."), ".*")
    pattern = pattern.replace(".*\\\n", ".*").replace("\\\n.*", ".*")  # or nothing at all
    pattern = re.sub(r"(\\ )+", r"\\s+", pattern)
    assert re.fullmatch(pattern, normal(done.stdout), re.DOTALL), f"$ {command}\n{done.stdout}"
