# SPDX-License-Identifier: Apache-2.0
"""The corpus: small programs with one mistake each, and correct ones that look like it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support.programs import clean_environment, run

from aclhost.building import toolkit

FOLDER = Path(__file__).parent
FINDINGS_STATUS = 66
_PROGRAM = re.compile(r'^(MISTAKE|FATAL_MISTAKE|CORRECT)\((\w+)(?:, "([a-z ]+)")?\)', re.MULTILINE)


@dataclass(frozen=True)
class Program:
    """One of the programs in a file."""

    file: str
    kind: str
    name: str
    title: str  # of the finding, empty for correct programs

    def lines(self) -> range:
        """Where it stands in its file."""
        lines = (FOLDER / self.file).read_text().splitlines()
        begin = next(i for i, line in enumerate(lines) if f"({self.name}" in line)
        end = next(
            i for i in range(begin, len(lines)) if lines[i].endswith("}") and lines[i][0] != " "
        )
        return range(begin + 1, end + 2)


def programs(kind: str) -> list[Program]:
    """All of a kind: MISTAKE, FATAL_MISTAKE or CORRECT."""
    return [
        Program(path.name, *match.groups(default=""))
        for path in sorted(FOLDER.glob("*.cpp"))
        for match in _PROGRAM.finditer(path.read_text())
        if match[1] == kind
    ]


def build(source: Path, target: Path, *flags: str) -> Path:
    """Compiles a program; flags come after the usual ones."""
    include = [f"-I{FOLDER.parent / 'clients'}", f"-I{FOLDER}"]
    usual = ["-std=c++17", "-g", "-O0", "-pthread", *include, *toolkit.cflags()]
    run(["g++", source, "-o", target, *usual, *flags, *toolkit.libs()])
    return target


@cache
def built(file: str, folder: Path) -> Path:
    """A file of the corpus, compiled once."""
    return build(FOLDER / file, folder / Path(file).stem)


def environment(**variables: str) -> dict[str, str]:
    """Strict mode, with two devices."""
    return clean_environment(ACLHOST_STRICT="1", ACLHOST_DEVICES="2", **variables)


def titles(text: str) -> list[str]:
    """The findings of a run, from its standard error."""
    return re.findall(r"^aclhost strict: ([a-z ]+):", text, re.MULTILINE)
