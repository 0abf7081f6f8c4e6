# SPDX-License-Identifier: Apache-2.0
"""What was measured, as values that go to JSON and come back."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from aclhost.bench.cases import Case
from aclhost.bench.machine import Machine
from aclhost.bench.workload import CONTIGUOUS

_FORMAT = 3
QUIET = 0.15  # cores that others may use; at 0.6 torch's times were seen to be useless


@dataclass(frozen=True)
class Result:
    """One case. Times are medians in seconds per call; None is what could not be measured."""

    case: Case
    rounds: int
    seconds: float  # of the Python function
    c_seconds: float  # of both C phases and a synchronisation
    torch_seconds: float | None
    ratio: float | None  # median over rounds of torch's time over that of the Python function
    c_ratio: float | None  # the same over that of the C functions
    c_over_python: float | None  # median over rounds, too
    numpy_seconds: float | None
    numpy_ratio: float | None
    streaming_fraction: float | None
    bytes_moved: int
    operations: int | None  # of arithmetic, see aclhost.bench.operations
    streaming_bytes_per_second: float | None
    peak_extra_bytes: int
    foreign_cores: float  # busy with other processes meanwhile
    note: str = ""

    @property
    def disturbed(self) -> bool:
        return self.foreign_cores > QUIET

    @property
    def bytes_per_second(self) -> float:
        return self.bytes_moved / self.seconds


def on_roofline(case: Case) -> bool:
    """Whether its arithmetic is counted: of a tiny call it says nothing, of a layout no more."""
    return case.layout == CONTIGUOUS and case.size != "tiny"


@dataclass(frozen=True)
class Growth:
    """Seconds per element of one operator, by number of elements."""

    operator: str
    variant: str
    seconds_per_element: dict[int, float]


@dataclass(frozen=True)
class Run:
    """All that one run of the benchmark found."""

    machine: Machine
    peak: float = 0.0  # operations per second that a matrix product reached
    results: list[Result] = field(default_factory=list)
    growth: list[Growth] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @property
    def disturbance(self) -> str:
        """A sentence, or nothing if the machine was left alone."""
        count = sum(result.disturbed for result in self.results)
        if count == 0:
            return ""
        return (
            f"{count} of {len(self.results)} cases ran while other processes were busy (marked ?): "
            "their ratios and fractions are not to be relied on"
        )

    def save(self, path: Path) -> None:
        """Writes or replaces the file; whoever reads it finds a whole one at any time."""
        unfinished = path.with_name(f".{path.name}")
        unfinished.write_text(self.to_json())
        os.replace(unfinished, path)

    def to_json(self) -> str:
        """One line for each case."""
        head = {"format": _FORMAT, "machine": asdict(self.machine), "peak": self.peak}
        tail = {"growth": [asdict(one) for one in self.growth], "skipped": self.skipped}
        rows = (json.dumps(_row(result), separators=(",", ":")) for result in self.results)
        parts = [
            *(f'"{key}": {json.dumps(value)}' for key, value in head.items()),
            f'"columns": {json.dumps(_COLUMNS)}',
            '"results": [\n' + ",\n".join(rows) + "\n]",
            *(f'"{key}": {json.dumps(value)}' for key, value in tail.items()),
        ]
        return "{\n" + ",\n".join(parts) + "\n}\n"

    @classmethod
    def from_json(cls, text: str) -> Run:
        """The same run again.

        Raises:
            ValueError: the text is of another format.

        """
        data = json.loads(text)
        found = data.get("format") if isinstance(data, dict) else None
        if found != _FORMAT:
            raise ValueError(f"format {found} of results is not {_FORMAT}")
        rows = (dict(zip(data["columns"], row, strict=True)) for row in data["results"])
        return cls(
            Machine(**data["machine"]),
            data["peak"],
            [_result(row) for row in rows],
            [_growth(**entry) for entry in data["growth"]],
            data["skipped"],
        )


_OF_CASE = tuple(each.name for each in fields(Case))
_OF_RESULT = tuple(each.name for each in fields(Result) if each.name != "case")
_COLUMNS = (*_OF_CASE, *_OF_RESULT)


def _row(result: Result) -> list[Any]:
    return [
        *(getattr(result.case, name) for name in _OF_CASE),
        *(getattr(result, name) for name in _OF_RESULT),
    ]


def _result(row: dict[str, Any]) -> Result:
    case = {name: row[name] for name in _OF_CASE}
    numbers = {name: row[name] for name in _OF_RESULT}
    return Result(Case(**{**case, "shape": tuple(case["shape"])}), **numbers)


def _growth(operator: str, variant: str, seconds_per_element: dict[str, float]) -> Growth:
    """JSON has no numbers as keys."""
    return Growth(operator, variant, {int(n): time for n, time in seconds_per_element.items()})
