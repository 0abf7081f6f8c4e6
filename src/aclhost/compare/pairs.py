# SPDX-License-Identifier: Apache-2.0
"""Which file is compared with which: two files, or those of two directories by their names."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from aclhost.arrays import SUFFIXES, UnreadableArrayError, is_readable

# Seconds to nanoseconds since 1970, and dates with a time, as dumps carry them in their names.
_TIMESTAMP = re.compile(
    r"[._-]?(?<!\d)(?:1\d{9}(?:\d{3}){0,3}|20\d{6}[._T-]?\d{6}\d*|20\d\d-\d\d-\d\d[._T-]\d\d[-:]\d\d[-:]\d\d)(?!\d)"
)


class Pair(NamedTuple):
    """Two files and the name of both; a side that is missing is None."""

    name: str
    actual: Path | None
    expected: Path | None


def find(actual: Path, expected: Path, match: str | None = None) -> list[Pair]:
    """The pairs of two files or two directories.

    Args:
        actual: A file or a directory, with all that is in it.
        expected: The same on the other side.
        match: A regular expression, searched for in the names below the directories. Files pair
            whose groups agree, or all that matched where it has no group; others are left out.

    Raises:
        ValueError: there are none, the expression is wrong, or a name is not unique.

    """
    if actual.is_dir() != expected.is_dir():
        directory = actual if actual.is_dir() else expected
        other = expected if actual.is_dir() else actual
        if not other.exists():
            raise UnreadableArrayError(f"{other}: no such file or directory")
        raise UnreadableArrayError(f"{directory} is a directory and {other} is a file")
    if not actual.is_dir():
        return [Pair(actual.name, actual, expected)]
    first, second = _files(actual), _files(expected)
    pairs = _by_name(first, second) if match is None else _by_expression(first, second, match)
    if not pairs:
        what = f"that matches {match}" if match else ""
        kinds = ", ".join(SUFFIXES)
        raise UnreadableArrayError(f"neither directory holds a {kinds} file {what}".rstrip())
    return pairs


def read_map(file: Path, actual: Path, expected: Path) -> list[Pair]:
    """The pairs of a file: lines of `ACTUAL,EXPECTED` or of JSON with these keys.

    Paths are relative to the two directories.

    Raises:
        ValueError: the file cannot be read, or a line names no pair.

    """
    try:
        lines = file.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text"
        raise UnreadableArrayError(f"{file}: {reason}") from None
    pairs = []
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            one, two = _mapped(line, f"{file}, line {number}")
            pairs.append(Pair(_label(Path(one)), actual / one, expected / two))
    if not pairs:
        raise UnreadableArrayError(f"{file} names no pair")
    return pairs


def _mapped(line: str, where: str) -> tuple[str, str]:
    if line.lstrip().startswith("{"):
        try:
            row = json.loads(line)
            return str(row["actual"]), str(row["expected"])
        except (ValueError, KeyError):
            raise UnreadableArrayError(
                f'{where}: write {{"actual": FILE, "expected": FILE}}'
            ) from None
    cells = [cell.strip() for cell in next(csv.reader([line], skipinitialspace=True))]
    if len(cells) != 2 or not all(cells):
        raise UnreadableArrayError(f"{where}: write ACTUAL,EXPECTED")
    return cells[0], cells[1]


def _files(directory: Path) -> dict[Path, Path]:
    """By their names below the directory."""
    paths = sorted(path for path in directory.rglob("*") if is_readable(path))
    return {path.relative_to(directory): path for path in paths}


def _by_name(actual: dict[Path, Path], expected: dict[Path, Path]) -> list[Pair]:
    """By whole names; what is left without suffixes, and then without timestamps."""
    partners = {name: name for name in actual if name in expected}
    for key in (_without_suffix, _without_time):
        _match(partners, actual, expected, key)
    left = set(expected) - set(partners.values())
    stems = {_without_time(name) for name in partners}
    # `aclhost golden` writes each result in float64, too; no device has that file.
    left = {name for name in left if _without_time(name).removesuffix(".float64") not in stems}
    pairs = [
        Pair(_label(name), actual[name], expected[partners[name]] if name in partners else None)
        for name in actual
    ]
    return sorted([*pairs, *(Pair(_label(name), None, expected[name]) for name in left)])


def _match(
    partners: dict[Path, Path],
    actual: Iterable[Path],
    expected: Iterable[Path],
    key: Callable[[Path], str],
) -> None:
    """Adds partners by a key, in the order of their names where several share one."""
    taken = set(partners.values())
    left = defaultdict(list)
    for name in expected:
        if name not in taken:
            left[key(name)].append(name)
    wanting = defaultdict(list)
    for name in actual:
        if name not in partners:
            wanting[key(name)].append(name)
    for word, names in wanting.items():
        partners.update(zip(names, left[word], strict=False))


def _without_suffix(name: Path) -> str:
    # The time at the end of a dump is none.
    return str(name.with_suffix("")) if name.suffix in SUFFIXES else str(name)


def _without_time(name: Path) -> str:
    return _TIMESTAMP.sub("", _without_suffix(name))


def _by_expression(actual: dict[Path, Path], expected: dict[Path, Path], match: str) -> list[Pair]:
    try:
        expression = re.compile(match)
    except re.error as error:
        raise ValueError(f"--match {match}: {error}") from None
    first, second = (_keyed(files, expression) for files in (actual, expected))
    return [Pair(key, first.get(key), second.get(key)) for key in sorted({*first, *second})]


def _keyed(files: dict[Path, Path], expression: re.Pattern[str]) -> dict[str, Path]:
    result: dict[str, Path] = {}
    for name, path in files.items():
        found = expression.search(str(name))
        if found is None:
            continue
        groups = [group for group in found.groups() if group is not None]
        key = " ".join(groups) or found[0]
        if key in result:
            raise ValueError(f"--match gives {result[key]} and {path} the same name, {key!r}")
        result[key] = path
    return result


def _label(name: Path) -> str:
    return _without_suffix(name)
