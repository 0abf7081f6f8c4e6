# SPDX-License-Identifier: Apache-2.0
"""What was measured, as values that go to JSON and come back."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from aclhost.bench.cases import Case
from aclhost.bench.machine import Machine

_FORMAT = 2
QUIET = 0.15  # cores that others may use; at 0.6 torch's times were seen to be useless


@dataclass(frozen=True)
class Result:
    """One case. Times are medians in seconds per call; None is what could not be measured."""

    case: Case
    rounds: int
    seconds: float
    torch_seconds: float | None
    ratio: float | None
    numpy_seconds: float | None
    numpy_ratio: float | None
    streaming_fraction: float | None
    bytes_moved: int
    streaming_bytes_per_second: float
    peak_extra_bytes: int
    foreign_cores: float  # busy with other processes meanwhile
    note: str = ""

    @property
    def disturbed(self) -> bool:
        return self.foreign_cores > QUIET

    @property
    def bytes_per_second(self) -> float:
        return self.bytes_moved / self.seconds


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
        return json.dumps({"format": _FORMAT, **asdict(self)}, indent=1) + "\n"

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
        return cls(
            Machine(**data["machine"]),
            [_result(**entry) for entry in data["results"]],
            [_growth(**entry) for entry in data["growth"]],
            data["skipped"],
        )


def _result(case: dict[str, Any], **numbers: Any) -> Result:  # noqa: ANN401
    return Result(Case(**{**case, "shape": tuple(case["shape"])}), **numbers)


def _growth(operator: str, variant: str, seconds_per_element: dict[str, float]) -> Growth:
    """JSON has no numbers as keys."""
    return Growth(operator, variant, {int(n): time for n, time in seconds_per_element.items()})
