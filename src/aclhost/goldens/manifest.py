# SPDX-License-Identifier: Apache-2.0
"""Manifests: many calls in one file, a line each, as CSV or as JSON lines."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import aclhost
from aclhost.arrays import UnreadableArrayError
from aclhost.compare import Standard
from aclhost.compare.rows import Entry, Settings, check_tolerance, compare_arrays, row_of
from aclhost.goldens import files, results_of
from aclhost.goldens.files import Raw, Targets
from aclhost.goldens.manifest_lines import Word, lines_of
from aclhost.spec import described, names
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorList, TensorOut

__all__ = ["Line", "ManifestError", "Piece", "compute_line", "read_manifest", "targets"]

_OWN = ("operator", "name", "soc", "tolerance")  # columns that are no arguments
_TOLERANCES = tuple(field.name for field in fields(Standard))
_SHOWN = 20  # mistakes


class ManifestError(ValueError):
    """A manifest that cannot be run; the message names every line at fault."""


@dataclass(frozen=True)
class Line:
    """One call.

    Attributes:
        where: The file and the number of the line.
        name: The directory of the results, and how reports call the line.
        arguments: Texts by upstream's parameters; files are absolute, those of a list a tuple.
        device: Files with results of a device, by upstream's parameters.
        tolerance: What replaces the dtype's standard.

    """

    where: str
    name: str
    operator: str
    arguments: Mapping[str, str | tuple[str, ...]]
    device: Mapping[str, str]
    tolerance: Mapping[str, float]
    soc: str

    @property
    def files(self) -> list[Path]:
        """All that are read."""
        op = names.operator(self.operator)
        return [
            _file(file)
            for name, text in {**self.arguments, **self.device}.items()
            for file in files.files_of(op.parameter(name), text)
        ]


class Piece(NamedTuple):
    """A line, and what is wanted of it."""

    line: Line
    directory: Path
    kind: str

    @property
    def key(self) -> str:
        """Changes with the line and with its files."""
        states = [(str(path), os.stat(path)) for path in self.line.files]
        state = [(path, stat.st_size, stat.st_mtime_ns) for path, stat in states]
        line = replace(self.line, where="")
        digest = hashlib.sha256(repr((line, str(self.directory), self.kind, state)).encode())
        return f"{self.line.name} {digest.hexdigest()[:16]}"


def read_manifest(path: Path, soc: str = "") -> list[Line]:
    """The calls of a manifest; paths in it are relative to it.

    Args:
        path: A file of JSON lines if its first character is a brace, else CSV with a head.
        soc: For lines that have none.

    Raises:
        ManifestError: it cannot be read, or lines of it are wrong.

    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text"
        raise ManifestError(f"{path}: {reason}") from None
    lines: list[Line] = []
    wrong: list[str] = []
    taken: dict[str, int] = {}
    for number, found in lines_of(text):
        try:
            if isinstance(found, str):
                raise described.MalformedError(found)
            line = _line(f"{path}, line {number}", number, found, path.parent.absolute(), soc)
            if line.name in taken:
                raise described.MalformedError(
                    f"line {taken[line.name]} has the name {line.name!r}, too"
                )
            taken[line.name] = number
            lines.append(line)
        except ValueError as error:
            wrong.append(f"{path}, line {number}: {error}")
    if wrong:
        more = [f"and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
        raise ManifestError("\n".join([*wrong[:_SHOWN], *more]))
    if not lines:
        raise ManifestError(f"{path}: no line has a call")
    return lines


def _line(where: str, number: int, found: dict[str, Word], base: Path, soc: str) -> Line:
    words = {key: _one(key, found[key]) for key in _OWN if key in found}
    if "operator" not in words:
        raise described.MalformedError("names no operator")
    op = names.operator(words["operator"])
    given = _given(op, {key: word for key, word in found.items() if key not in _OWN})
    needed = files.missing(op, given)
    if needed:
        raise described.MalformedError(f"{op.name} needs {', '.join(p.name for p in needed)}")
    written = {param.name for param in results_of(op) if isinstance(param, TensorOut)}
    device = {
        name for name in written & given.keys() if files.files_of(op.parameter(name), given[name])
    }
    name = str(Path(words.get("name", f"{op.snake_name}-{number}")))  # one way to write each
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise described.MalformedError(f"the name {name!r} leaves the directory of the results")
    chosen = words.get("soc", soc)
    line = Line(
        where,
        name,
        op.name,
        {key: _based(op, key, text, base) for key, text in given.items() if key not in written},
        {key: str(base / _one(key, given[key])) for key in given if key in device},
        _tolerance(words.get("tolerance", "")),
        names.soc(chosen) if chosen else "",
    )
    _check(op, line)
    return line


def _one(key: str, word: Word) -> str:
    if isinstance(word, tuple):
        raise described.MalformedError(f"{key} is one text, not a list")
    return word


def _given(op: Operator, words: Mapping[str, Word]) -> dict[str, Word]:
    """By upstream's parameters; texts stay a list only where it is one of files."""
    given = files.by_parameter(op, words)
    return {
        name: word if isinstance(op.parameter(name), TensorList) else _typed(word)
        for name, word in given.items()
    }


def _typed(word: Word) -> str:
    return ",".join(word) if isinstance(word, tuple) else word


def _based(op: Operator, name: str, word: Word, base: Path) -> Word:
    """Files of an argument, below the manifest's directory."""
    found = tuple(str(base / file) for file in files.files_of(op.parameter(name), word))
    if isinstance(op.parameter(name), TensorList):
        return found or word
    return found[0] if found else word


def _file(text: str) -> Path:
    """Without the dtype of a raw file, or the name of an array."""
    stem, colon, _ = text.rpartition(":")
    return Path(stem if colon and not os.path.exists(text) else text)


def _check(op: Operator, line: Line) -> None:
    """What can be seen without computing: files that are missing, numbers that are none."""
    for path in line.files:
        if not path.is_file():
            raise UnreadableArrayError(f"{path}: no such file")
    for name, text in line.arguments.items():
        param = op.parameter(name)
        if isinstance(text, str) and not files.files_of(param, text):
            described.argument(param, text)


def _tolerance(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for word in text.replace(",", " ").split():
        name, _, number = word.partition("=")
        key = name.replace("-", "_")
        try:
            found[key] = float(number)
        except ValueError:
            key = ""
        if key not in _TOLERANCES:
            raise described.MalformedError(
                f"tolerance {word}: write NAME=NUMBER with one of {', '.join(_TOLERANCES)}"
            )
        check_tolerance(f"tolerance {name}", key, found[key])
    return found


def targets(piece: Piece) -> list[Path]:
    """Files that the results of a line go to; of lists, those that are there."""
    op = names.operator(piece.line.operator)
    if piece.kind != "npy":
        return [piece.directory / f"{op.snake_name}.{piece.kind}"]
    names_of = [param.name for param in results_of(op)]
    there = (path for name in names_of for path in piece.directory.glob(f"{name}.*.npy"))
    return [*(piece.directory / f"{name}.npy" for name in names_of), *sorted(there)]


def compute_line(piece: Piece) -> dict[str, Any]:
    """Computes a line, writes its results, and compares; the entries as plain data."""
    return row_of(_entries(piece))


def _entries(piece: Piece) -> list[Entry]:
    line = piece.line
    op = names.operator(line.operator)
    try:
        arguments = files.values(op, line.arguments, Raw())
        results = files.compute(op, arguments, line.soc)
        inputs = frozenset(path.resolve() for path in line.files)
        # Whether files were there before is for who began: this line may have been begun elsewhere.
        files.write(op, piece.directory, piece.kind, results, Targets(inputs, force=True))
        given = {
            name: Raw().load(op.parameter(name), Path(text)) for name, text in line.device.items()
        }
    except aclhost.AclnnError as error:
        return [_problem(line, f"{error.status}: {error}")]
    except OSError as error:
        return [_problem(line, f"{error.filename or piece.directory}: {error.strerror}")]
    except MemoryError:
        return [_problem(line, "the result does not fit into memory")]
    except (ValueError, TypeError) as error:
        return [_problem(line, str(error).splitlines()[0])]
    settings = Settings({"": line.tolerance})
    return [
        compare_arrays(
            f"{line.name}:{result.name}",
            given.get(result.name, result.native),
            result.exact,
            settings,
        )
        for result in results
    ]


def _problem(line: Line, reason: str) -> Entry:
    return Entry(line.name, problem=f"{line.where}: {reason}", readable=False)
