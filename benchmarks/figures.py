# SPDX-License-Identifier: Apache-2.0
"""Single numbers with a name, and the way of every script here from them to a screen and a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import quantiles

FILE = "figures.json"


@dataclass(frozen=True)
class Figure:
    """One measured number."""

    name: str
    value: float
    unit: str

    @property
    def line(self) -> str:
        """The name, then the number where numbers of other lines stand."""
        return f"{self.name:<60} {self.value:>9.3g} {self.unit}"


def ninetieth(values: list[float]) -> float:
    """What nine of ten values stay below."""
    return quantiles(values, n=10)[-1]


def report(measure: Callable[[], Iterable[Figure]]) -> None:
    """For scripts: prints what is measured, and adds it to figures.json of argv's directory."""
    found = list(measure())
    for figure in found:
        print(figure.line)
    if len(sys.argv) > 1:
        add(Path(sys.argv[1]), found)


def add(directory: Path, found: Iterable[Figure]) -> None:
    """Keeps figures; those of the same name are replaced."""
    by_name = {figure.name: figure for figure in (*load(directory), *found)}
    text = json.dumps([asdict(figure) for figure in by_name.values()], indent=1)
    (directory / FILE).write_text(text + "\n")


def load(directory: Path) -> list[Figure]:
    """What was kept."""
    path = directory / FILE
    return [Figure(**entry) for entry in json.loads(path.read_text())] if path.exists() else []
