# SPDX-License-Identifier: Apache-2.0
"""Puts a run where the repository keeps it: `python -m benchmarks.publish build/bench`.

One file in benchmarks/results, three pictures in docs/benchmark, and what stands between two marks
in docs/benchmark.md. The directory is one that `make bench` or `make bench-quick` wrote.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from aclhost.bench import plots
from aclhost.bench.page import page
from aclhost.bench.results import Result, Run
from benchmarks.figures import Figure, load

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- results of a run: benchmarks.publish writes them -->", "<!-- end of results -->"
RESULTS, PICTURES, PAGE = "benchmarks/results", "docs/benchmark", "docs/benchmark.md"
_DIGITS = 3
_TIGHT = (",", ":")
_COLUMNS = ("kind", "Python", "C", "torch", "ratio", "C ratio", "NumPy ratio", "foreign cores")


def publish(directory: Path, root: Path = ROOT) -> list[Path]:
    """Replaces what an earlier run left under the root; tells what was written."""
    run, figures = Run.from_json((directory / "results.json").read_text()), load(directory)
    results = _emptied(root / RESULTS) / "results.json"
    results.write_text(compact(run, figures))
    pictures = plots.write_plots(run, _emptied(root / PICTURES))
    shown = [f"{Path(PICTURES).name}/{path.name}" for path in pictures]
    text = page(run, shown) + _further(figures)
    _replace_between(root / PAGE, text)
    return [results, *pictures, root / PAGE]


def compact(run: Run, figures: Sequence[Figure]) -> str:
    """What the page is made of, in JSON: one line for each operator, whose rows name their kinds.

    Times are microseconds. A row of a case that others disturbed ends with the cores they used. The
    roofline cannot be drawn again from it: bytes, operations and the roofs are left out.
    """
    kinds: dict[str, int] = {}
    operators: dict[str, list[list[float | None]]] = {}
    for result in run.results:
        kind = result.case.name.removeprefix(result.case.operator).strip()
        rows = operators.setdefault(result.case.operator, [])
        rows.append([kinds.setdefault(kind, len(kinds)), *map(_rounded, _numbers(result))])
    head = {
        "machine": asdict(run.machine),
        "figures": [asdict(figure) for figure in figures],
        "growth": [asdict(one) for one in run.growth],
        "skipped": run.skipped,
        "columns": _COLUMNS,
        "kinds": list(kinds),
    }
    lines = (f'"{name}":{json.dumps(rows, separators=_TIGHT)}' for name, rows in operators.items())
    listed = ",\n".join(lines)
    return f'{json.dumps(head)[:-1]}, "operators": {{\n{listed}\n}}}}\n'


def _numbers(result: Result) -> list[float | None]:
    """Without what is missing at the end."""
    seconds = (result.seconds, result.c_seconds, result.torch_seconds)
    found = [
        *(None if time is None else time * 1e6 for time in seconds),
        result.ratio, result.c_ratio, result.numpy_ratio,
        result.foreign_cores if result.disturbed else None,
    ]  # fmt: skip
    while found[-1] is None:
        found.pop()
    return found


def _rounded(value: float | None) -> float | None:
    if value is None or value >= 100:
        return value if value is None else round(value)
    return float(f"{value:.{_DIGITS}g}")


def _emptied(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    for path in directory.iterdir():
        path.unlink()
    return directory


def _further(figures: Sequence[Figure]) -> str:
    """Those of the other scripts, as a table."""
    if not figures:
        return ""
    rows = (f"| {figure.name} | {figure.value:.3g} {figure.unit} |" for figure in figures)
    return "\n".join(["", "### Further figures", "", "| figure | |", "| --- | --- |", *rows, ""])


def _replace_between(path: Path, text: str) -> None:
    before, begin, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{path} lacks its marks: {BEGIN} and {END}")
    path.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}")


def main() -> None:
    """The directory is the only argument."""
    for path in publish(Path(sys.argv[1])):
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
