# SPDX-License-Identifier: Apache-2.0
"""Pairs in, rows out: what a comparison of many files computes, in this process or another.

Everything here can be pickled, and a row is plain data, so that whoever runs pairs elsewhere can
write its rows as JSON lines.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from aclhost import plain_json
from aclhost.arrays import NDArray, UnreadableArrayError, load, numpy_dtype
from aclhost.compare import Comparison, Standard, coarser, compare, part, standard_for
from aclhost.compare.pairs import Pair
from aclhost.compare.sums import Progress
from aclhost.jobs import PROBLEM, run_all
from aclhost.spec.dtypes import DataType

__all__ = ["Entry", "Settings", "compare_all", "compare_pair", "failed_before", "json_line", "row"]

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
    def badness(self) -> tuple[bool, bool, float]:
        """Orders the worst first: what could not be read, then failures by their share."""
        found = self.comparison
        share = math.inf if found is None else found.outliers / max(found.count, 1)
        return self.readable, self.passed, -share


def compare_all(
    pairs: Sequence[Pair], settings: Settings, jobs: int = 1, dask: str = ""
) -> Iterator[tuple[int, list[Entry]]]:
    """The place of each pair with its rows, as so many processes or a Dask cluster finish them."""
    pieces = {str(place): (pair, settings) for place, pair in enumerate(pairs)}
    for place, found in run_all(_entries_of, pieces, processes=jobs, dask=dask):
        pair = pairs[int(place)]
        problem = Entry(pair.name, problem=found.get(PROBLEM, ""), readable=False)
        yield int(place), found.get("entries", [problem])


def _entries_of(piece: tuple[Pair, Settings]) -> dict[str, Any]:
    return {"entries": compare_pair(*piece)}


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
    return _compare_arrays(label, first[key], second[key], settings, progress)


def _take_shapes(path: Path, raw: dict[str, NDArray], other: dict[str, NDArray]) -> None:
    """A raw file knows no shape; the other side does."""
    if path.suffix != ".bin" or len(other) != 1:
        return
    (shaped,) = other.values()
    for key, array in raw.items():
        if array.size == shaped.size:
            raw[key] = array.reshape(shaped.shape)


def _compare_arrays(
    label: str, actual: NDArray, expected: NDArray, settings: Settings, progress: Progress | None
) -> Entry:
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
