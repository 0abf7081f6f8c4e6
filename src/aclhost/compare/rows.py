# SPDX-License-Identifier: Apache-2.0
"""Pairs in, rows out: what a comparison of many files computes, in this process or another.

Everything here can be pickled, and a row is plain data, so that whoever runs pairs elsewhere can
write its rows as JSON lines.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from aclhost import plain_json
from aclhost.arrays import NDArray, UnreadableArrayError, load, numpy_dtype
from aclhost.compare import (
    Comparison,
    Element,
    HeatMap,
    Standard,
    coarser,
    compare,
    part,
    standard_for,
)
from aclhost.compare.pairs import Pair
from aclhost.compare.sums import Progress
from aclhost.jobs import PROBLEM, Row, run_all
from aclhost.spec.dtypes import DataType

__all__ = [
    "Entry", "Settings", "check_tolerance", "compare_all", "compare_arrays", "compare_pair",
    "entries_of", "failed_before", "json_line", "pack", "row", "row_of", "unpack",
]  # fmt: skip

Tolerances = Mapping[str, Mapping[str, float]]  # by dtype; "" stands for all
Verdict = Literal["pass", "fail", "error"]


@dataclass(frozen=True)
class Settings:
    """How pairs are compared."""

    tolerances: Tolerances = field(default_factory=dict)
    dtype: DataType | None = None  # of raw files, and whose ulps and standard count
    worst: int = 5


@dataclass(frozen=True)
class Entry:
    """One pair: compared, or the reason why not.

    Attributes:
        readable: False if a file could not be read; otherwise a problem is a difference, too: of
            shapes, or a file that only one side has.

    """

    name: str
    comparison: Comparison | None = None
    problem: str = ""
    readable: bool = True

    @property
    def passed(self) -> bool:
        return self.comparison is not None and self.comparison.passed

    @property
    def verdict(self) -> Verdict:
        if not self.readable:
            return "error"
        return "pass" if self.passed else "fail"

    @property
    def reasons(self) -> tuple[str, ...]:
        return (self.problem,) if self.comparison is None else self.comparison.failures

    @property
    def badness(self) -> tuple[bool, bool, bool, float, float]:
        """Orders the worst first: what could not be compared, NaN and infinities, shares."""
        found = self.comparison
        if found is None:
            return self.readable, self.passed, False, 0.0, 0.0
        broken = found.nan_mismatches + found.inf_mismatches
        count = max(found.count, 1)
        return self.readable, self.passed, True, -broken / count, -found.outliers / count


def check_tolerance(what: str, name: str, value: float) -> None:
    """Raises ValueError for a number that a tolerance of this name cannot have."""
    if name == "cosine" and not value <= 1:
        raise ValueError(f"{what} is {value:g}; it must be 1 or less")
    if name != "cosine" and not value >= 0:
        raise ValueError(f"{what} is {value:g}; it must be 0 or more")


def compare_all(
    pairs: Sequence[Pair],
    settings: Settings,
    jobs: int = 1,
    dask: str = "",
    journal: Path | None = None,
) -> Iterator[tuple[int, list[Entry]]]:
    """The place of each pair with its rows, as so many processes or a Dask cluster finish them."""
    places: dict[str, int] = {}
    for place, pair in enumerate(pairs):
        key = _key(pair, settings)
        while key in places:  # a list can name a pair twice
            key += " again"
        places[key] = place
    # Workers of a cluster are in directories of their own.
    sent = [_absolute(pair) for pair in pairs] if dask else pairs
    pieces = {key: (sent[place], settings) for key, place in places.items()}
    for key, found in run_all(_entries_of, pieces, processes=jobs, dask=dask, journal=journal):
        yield places[key], entries_of(found, pairs[places[key]].name)


def _absolute(pair: Pair) -> Pair:
    name, *paths = pair
    return Pair(name, *(None if path is None else path.absolute() for path in paths))


def _key(pair: Pair, settings: Settings) -> str:
    """Changes with the files and with how they are compared."""
    files = [_state(path) for path in (pair.actual, pair.expected)]
    digest = hashlib.sha256(repr((settings, files)).encode()).hexdigest()
    return f"{pair.name} {digest[:16]}"


def _state(path: Path | None) -> tuple[str, int, int]:
    if path is None:
        return "", 0, 0
    try:
        state = os.stat(path)
    except OSError:  # who reads it will say so
        return str(path), 0, 0
    return str(path.absolute()), state.st_size, state.st_mtime_ns


def _entries_of(piece: tuple[Pair, Settings]) -> dict[str, Any]:
    return row_of(compare_pair(*piece))


def row_of(entries: Sequence[Entry]) -> Row:
    """Entries as plain data; with something unreadable it is a problem, and is tried again."""
    unread = [entry.problem for entry in entries if not entry.readable]
    found: Row = {"entries": [pack(entry) for entry in entries]}
    return {**found, PROBLEM: unread[0]} if unread else found


def entries_of(found: Row, name: str) -> list[Entry]:
    """The entries of a finished piece, or one that tells why it was not finished."""
    if "entries" not in found:
        return [Entry(name, problem=f"{name}: {found[PROBLEM]}", readable=False)]
    return [unpack(entry) for entry in found["entries"]]


def pack(entry: Entry) -> dict[str, Any]:
    """An entry as plain data, whole."""
    return asdict(entry)


def unpack(data: Mapping[str, Any]) -> Entry:
    """The entry that pack() made the data of; JSON has made lists of tuples."""
    found = data["comparison"]
    if found is None:
        return Entry(**data)
    heat_map = found["heat_map"]
    if heat_map is not None:
        cells = tuple(map(tuple, heat_map["cells"]))
        heat_map = HeatMap(cells, heat_map["rows"], heat_map["columns"])
    comparison = Comparison(
        **{
            **found,
            "shape": tuple(found["shape"]),
            "standard": Standard(**found["standard"]),
            "failures": tuple(found["failures"]),
            "worst": tuple(
                Element(**{**each, "index": tuple(each["index"])}) for each in found["worst"]
            ),
            "points": tuple(map(tuple, found["points"])),
            "heat_map": heat_map,
        }
    )
    return Entry(**{**data, "comparison": comparison})


def compare_pair(pair: Pair, settings: Settings, progress: Progress | None = None) -> list[Entry]:
    """The rows of one pair: a file can hold several arrays."""
    name, actual, expected = pair
    if actual is None or expected is None:
        side = "actual" if actual is None else "expected"
        return [Entry(name, problem=f"{name}: only one side has it; no {side} file")]
    try:
        first, second = load(actual, settings.dtype), load(expected, settings.dtype)
    except UnreadableArrayError as error:
        return [Entry(name, problem=str(error), readable=False)]
    _take_shapes(actual, first, second)
    _take_shapes(expected, second, first)
    if len(first) == len(second) == 1:  # names of single arrays need not agree
        first, second = {"": next(iter(first.values()))}, {"": next(iter(second.values()))}
    return [
        _compare_key(name, key, first, second, settings, progress)
        for key in sorted(first.keys() | second.keys())
    ]


def _compare_key(
    name: str, key: str, first: dict[str, NDArray], second: dict[str, NDArray],
    settings: Settings, progress: Progress | None,
) -> Entry:  # fmt: skip
    label = f"{name}:{key}" if key else name
    if key not in first or key not in second:
        side = "actual" if key not in first else "expected"
        return Entry(label, problem=f"{label}: only one side has it; no {side} array")
    return compare_arrays(label, first[key], second[key], settings, progress)


def _take_shapes(path: Path, raw: dict[str, NDArray], other: dict[str, NDArray]) -> None:
    """A raw file knows no shape; the other side does."""
    if path.suffix != ".bin" or len(other) != 1:
        return
    (shaped,) = other.values()
    for key, array in raw.items():
        if array.size == shaped.size:
            raw[key] = array.reshape(shaped.shape)


def compare_arrays(
    label: str,
    actual: NDArray,
    expected: NDArray,
    settings: Settings,
    progress: Progress | None = None,
) -> Entry:
    """The row of two arrays."""
    try:
        given = None if settings.dtype is None else part(numpy_dtype(settings.dtype))
        kind = given or coarser(actual.dtype, expected.dtype)
        changes = {
            **settings.tolerances.get("", {}),
            **settings.tolerances.get(kind.name, {}),
        }
        standard: Standard = replace(standard_for(kind), **changes)
        found = compare(
            actual, expected,
            standard=standard, dtype=kind, worst=settings.worst, progress=progress,
        )  # fmt: skip
    except ValueError as error:
        readable = actual.shape != expected.shape
        return Entry(label, problem=f"{label}: {error}", readable=readable)
    return Entry(label, found)


def row(entry: Entry) -> dict[str, Any]:
    """An entry as plain data, without what only plots need."""
    found = asdict(entry.comparison) if entry.comparison is not None else {}
    for plot in ("points", "heat_map"):
        found.pop(plot, None)
    return {
        "name": entry.name,
        "verdict": entry.verdict,
        "passed": entry.passed,
        "problem": entry.problem or None,
        **found,
    }


def json_line(entry: Entry) -> str:
    """A row as one line of JSON; numbers that JSON does not have are strings."""
    return plain_json.dumps(row(entry)) + "\n"


def failed_before(file: Path) -> set[str]:
    """The names of the pairs that did not pass, of a file of JSON lines.

    Raises:
        ValueError: the file cannot be read.

    """
    try:
        rows = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
        return {each["name"] for each in rows if not each["passed"]}
    except OSError as error:
        raise UnreadableArrayError(f"{file}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise UnreadableArrayError(f"{file}: not what aclhost compare --jsonl writes") from None
