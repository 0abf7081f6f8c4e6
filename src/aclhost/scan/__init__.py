# SPDX-License-Identifier: Apache-2.0
"""Which names of AscendCL programs use, and which of them aclhost computes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from aclhost.scan import cpp, elf, python
from aclhost.scan.names import Identity, Kind, Mention, State, identify

__all__ = ["Kind", "Report", "State", "Use", "scan"]

_CPP = {
    ".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".inl",
}  # fmt: skip
_PYTHON = {".py", ".pyi"}


@dataclass
class Use:
    """A name, how often it occurs, and in which files."""

    name: str
    kind: Kind
    state: State
    count: int = 0
    files: list[Path] = field(default_factory=list)


@dataclass
class Report:
    """What a scan found."""

    files: int = 0  # that were read
    uses: list[Use] = field(default_factory=list)  # what is missing first, then by frequency
    problems: list[str] = field(default_factory=list)  # files that could not be read

    def count(self, kind: Kind, state: State) -> int:
        """Different names of a kind in a state."""
        return sum(use.kind == kind and use.state == state for use in self.uses)

    @property
    def complete(self) -> bool:
        """Whether aclhost computes all that is used."""
        return all(use.state == "computed" for use in self.uses)


def scan(paths: Iterable[Path]) -> Report:
    """Reads files, and directories with all that is in them."""
    report = Report()
    found: dict[Identity, Use] = {}
    for path, mention in _mentions(paths, report):
        identity = identify(mention)
        if identity is None:
            continue
        use = found.setdefault(identity, Use(identity.name, identity.kind, identity.state))
        use.count += 1
        if path not in use.files:
            use.files.append(path)
    order: tuple[State, ...] = ("unknown", "known", "computed")
    report.uses = sorted(
        found.values(), key=lambda use: (order.index(use.state), use.kind, -use.count, use.name)
    )
    return report


def _mentions(paths: Iterable[Path], report: Report) -> Iterator[tuple[Path, Mention]]:
    sources: dict[Path, str] = {}
    for path in _files(paths):
        try:
            data = path.read_bytes()
            if data.startswith(elf.MAGIC):
                read = [Mention(each.name) for each in elf.symbols(data) if not each.defined]
            elif path.suffix in _PYTHON:
                read = list(python.mentions(data.decode(errors="replace")))
            else:
                sources[path] = cpp.without_comments(data.decode(errors="replace"))
                read = []
        except (OSError, SyntaxError, ValueError) as error:
            report.problems.append(f"{path}: {error}")
            continue
        report.files += 1
        yield from ((path, mention) for mention in read)
    pastes = cpp.pasting_macros(sources.values())
    for path, text in sources.items():
        yield from ((path, mention) for mention in cpp.mentions(text, pastes))


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    """What was named, and in directories the sources and binaries; each once."""
    seen = set()
    for path in paths:
        for file in _in_directory(path) if path.is_dir() else (path,):
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield file


def _in_directory(root: Path) -> Iterator[Path]:
    for directory, names, files in os.walk(root):
        names[:] = sorted(name for name in names if not name.startswith((".", "__pycache__")))
        for file in sorted(Path(directory) / name for name in files):
            if file.suffix in _CPP | _PYTHON or _is_binary(file):
                yield file


def _is_binary(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(len(elf.MAGIC)) == elf.MAGIC
    except OSError:
        return False
