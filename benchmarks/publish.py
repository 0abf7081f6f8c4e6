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
from aclhost.bench.results import Run
from benchmarks.figures import Figure, load

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- results of a run: benchmarks.publish writes them -->", "<!-- end of results -->"
RESULTS, PICTURES, PAGE = "benchmarks/results", "docs/benchmark", "docs/benchmark.md"
_DIGITS = 3


def publish(directory: Path, root: Path = ROOT) -> list[Path]:
    """Replaces what an earlier run left under the root; tells what was written."""
    run, figures = Run.from_json((directory / "results.json").read_text()), load(directory)
    results = _emptied(root / RESULTS) / "results.json"
    kept = json.loads(run.to_json(_DIGITS))
    rows = kept.pop("results")
    head = json.dumps({**kept, "figures": [asdict(figure) for figure in figures]})
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    results.write_text(f'{head[:-1]}, "results": [\n{lines}\n]}}\n')
    pictures = plots.write_plots(run, _emptied(root / PICTURES))
    shown = [f"{Path(PICTURES).name}/{path.name}" for path in pictures]
    text = page(run, shown) + _further(figures)
    _replace_between(root / PAGE, text)
    return [results, *pictures, root / PAGE]


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
