# SPDX-License-Identifier: Apache-2.0
"""`aclhost compare`: two results, or two directories of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from aclhost.arrays import numpy_dtype, write_all
from aclhost.cli import compare_text
from aclhost.cli.console import give_up, output, print_json, reason_of
from aclhost.compare import pairs as pairing
from aclhost.compare import part, texts
from aclhost.compare.pairs import Pair
from aclhost.compare.report import html_report
from aclhost.compare.rows import (
    Entry,
    Settings,
    check_tolerance,
    compare_all,
    compare_pair,
    failed_before,
    json_line,
    row,
)
from aclhost.spec import names

_NUMBER = "[DTYPE=]NUMBER"
_DIFFERENT, _CANNOT = 1, 2
_MANY = 200  # pairs, from which processes are worth their start
_FILE = click.Path(path_type=Path)


@click.command("compare", short_help="Compare two results, or two directories of them.")
@click.argument("actual", type=_FILE)
@click.argument("expected", type=_FILE)
@click.option("--rtol", multiple=True, metavar=_NUMBER, help="Relative tolerance.")
@click.option("--atol", multiple=True, metavar=_NUMBER, help="Absolute tolerance.")
@click.option(
    "--outliers", multiple=True, metavar=_NUMBER, help="Fraction of elements that may be bad."
)
@click.option(
    "--max-ulp", multiple=True, metavar=_NUMBER, help="The largest distance allowed, in ulps."
)
@click.option(
    "--cosine", multiple=True, metavar=_NUMBER, help="The smallest cosine similarity allowed."
)
@click.option(
    "--dtype", help="Use the ulps and the tolerances of this dtype; it is also that of .bin files."
)
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="How many bad elements to list.",
)
@click.option(
    "--match", metavar="REGEX", help="Pair files by what the groups match; skip other files."
)
@click.option(
    "--map", "mapping", type=_FILE, help="Pair as the lines ACTUAL,EXPECTED of this file say."
)
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1),
    help="Number of processes; by default one per processor.",
)
@click.option(
    "--dask", default="", metavar="ADDRESS", help="Use the workers of this Dask scheduler."
)
@click.option("--journal", type=_FILE, help="Record progress in this file, and resume from it.")
@click.option("--baseline", type=_FILE, help="Ignore failures that are in this file of --jsonl.")
@click.option("--all", "everything", is_flag=True, help="List the pairs that pass, too.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing; only set the exit status.")
@click.option("--html", type=_FILE, help="Write a report with plots of the failures.")
@click.option("--jsonl", type=_FILE, help="Write a line of JSON for each pair; - is stdout.")
@click.option("--junit", type=_FILE, help="Write a JUnit file, a test for each pair.")
@click.option("--markdown", type=_FILE, help="Write a summary for a CI job; - is stdout.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare_command(
    actual: Path,
    expected: Path,
    dtype: str | None,
    worst: int,
    match: str | None,
    mapping: Path | None,
    jobs: int | None,
    dask: str,
    journal: Path | None,
    baseline: Path | None,
    everything: bool,
    quiet: bool,
    as_json: bool,
    html: Path | None,
    jsonl: Path | None,
    junit: Path | None,
    markdown: Path | None,
    **tolerances: tuple[str, ...],
) -> None:
    """Compare ACTUAL, for example an NPU dump, with EXPECTED, for example a golden.

    Both are files (.npy, .npz, .pt, .bin; FILE:NAME picks an array of several) or directories,
    whose files pair by name; suffixes and timestamps need not agree. Without tolerances, the
    coarser dtype of a pair decides: two ulps for float16 and bfloat16, 64 for float32, equality
    for integers. A tolerance holds for all dtypes, or, written as float16=0.01, for one; options
    can be repeated.

    For directories, the failures are listed, worst first. The exit status is 0 if everything
    passes, 1 if something differs, 2 if something cannot be compared.
    """
    try:
        kind = None if dtype is None else names.dtype(dtype)
        settings = Settings(_tolerances(tolerances), kind, worst)
        known = failed_before(baseline) if baseline is not None else set()
        if mapping is not None:
            pairs = pairing.read_map(mapping, actual, expected)
        else:
            pairs = pairing.find(actual, expected, match)
    except ValueError as error:
        give_up(str(error), _CANNOT)
    try:
        entries = _entries(pairs, settings, jobs, dask, journal)
    except OSError as error:
        give_up(reason_of(error), _CANNOT)
    if not entries:
        give_up(f"neither {actual} nor {expected} holds an array", _CANNOT)
    if len(entries) == 1 and entries[0].comparison is None and not actual.is_dir():
        give_up(entries[0].problem, status_of(entries, known))
    reports = Reports(str(actual), str(expected), entries, known)
    reports.write(html, jsonl, junit, markdown)
    if as_json:
        print_json([row(entry) for entry in entries])
    elif not quiet and not reports.printed:
        _show(entries, known, everything)
    sys.exit(status_of(entries, known))


def status_of(entries: list[Entry], known: set[str]) -> int:
    """0 if all pass, 1 if something differs, 2 if something cannot be compared."""
    verdicts = {entry.verdict for entry in entries if entry.name not in known}
    return _CANNOT if "error" in verdicts else _DIFFERENT if "fail" in verdicts else 0


def _show(entries: list[Entry], known: set[str], everything: bool) -> None:
    if len(entries) == 1 and entries[0].comparison is not None:
        compare_text.show(output(), entries[0].comparison)
    else:
        compare_text.show_summary(output(), entries, known, everything)


def _tolerances(options: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, float]]:
    result: dict[str, dict[str, float]] = {}
    for name, given in options.items():
        option = f"--{name.replace('_', '-')}"
        for text in given:
            dtype, _, number = text.rpartition("=")
            try:
                value = float(number)
            except ValueError:
                raise ValueError(f"{option} {text}: write a number, or DTYPE=NUMBER") from None
            check_tolerance(option, name, value)
            key = part(numpy_dtype(names.dtype(dtype))).name if dtype else ""
            result.setdefault(key, {})[name] = value
    return result


def _entries(
    pairs: list[Pair], settings: Settings, jobs: int | None, dask: str, journal: Path | None
) -> list[Entry]:
    """All rows, under a bar on stderr where somebody watches."""
    if jobs is None:
        jobs = len(os.sched_getaffinity(0)) if len(pairs) >= _MANY else 1
    watched = Console(stderr=True)
    columns = (TextColumn("comparing"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    found: dict[int, list[Entry]] = {}
    with Progress(
        *columns, console=watched, disable=not watched.is_terminal, transient=True
    ) as progress:
        if len(pairs) == 1 and not dask and journal is None:
            task = progress.add_task("", total=None)
            return compare_pair(pairs[0], settings, _elements(progress, task))
        task = progress.add_task("", total=len(pairs))
        for place, entries in compare_all(pairs, settings, jobs, dask, journal):
            found[place] = entries
            progress.advance(task)
    return [entry for place in sorted(found) for entry in found[place]]


def _elements(progress: Progress, task: Any) -> Callable[[int, int], None]:  # noqa: ANN401
    def update(done: int, total: int) -> None:
        progress.update(task, completed=done, total=total)

    return update


@dataclass
class Reports:
    """The files of one run."""

    actual: str  # what is compared, for titles
    expected: str
    entries: list[Entry]
    known: set[str]
    printed: bool = False  # one of them went to stdout

    def write(
        self, html: Path | None, jsonl: Path | None, junit: Path | None, markdown: Path | None
    ) -> None:
        """Those that are wanted."""
        if html is not None:
            self._put(html, html_report(self.entries, self.actual, self.expected))
        if jsonl is not None:
            self._put(jsonl, "".join(map(json_line, self.entries)))
        if junit is not None:
            self._put(junit, texts.junit(self.entries, self.known))
        if markdown is not None:
            self._put(markdown, texts.markdown(self.entries, self.known))

    def _put(self, path: Path, text: str) -> None:
        if str(path) == "-":
            self.printed = True
            click.echo(text, nl=False)
            return
        try:
            write_all({path: text.encode()})
        except OSError as error:
            give_up(f"{path}: {error.strerror}", _CANNOT)
