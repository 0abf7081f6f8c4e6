# SPDX-License-Identifier: Apache-2.0
"""What `aclhost compare` does: pairs in, tables, reports and an exit status out."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

import click

from aclhost.arrays import numpy_dtype, write_all
from aclhost.cli.console import bar, give_up, output, print_json, reason_of
from aclhost.compare import pairs as pairing
from aclhost.compare import part
from aclhost.compare.pairs import Pair
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

_DIFFERENT, _CANNOT = 1, 2
_MANY = 200  # pairs, from which processes are worth their start


class Wanted(NamedTuple):
    """What is compared, and how."""

    actual: Path
    expected: Path
    match: str | None
    mapping: Path | None
    dtype: str | None
    worst: int
    tolerances: Mapping[str, tuple[str, ...]]
    jobs: int | None
    dask: str
    journal: Path | None
    baseline: Path | None


class Shown(NamedTuple):
    """What is printed, and which files are written."""

    everything: bool
    quiet: bool
    as_json: bool
    html: Path | None
    jsonl: Path | None
    junit: Path | None
    markdown: Path | None


def run(wanted: Wanted, shown: Shown) -> NoReturn:
    """Compares all pairs and ends the command."""
    try:
        settings = _settings(wanted)
        known = failed_before(wanted.baseline) if wanted.baseline is not None else set()
        pairs = _pairs(wanted)
    except ValueError as error:
        give_up(str(error), _CANNOT)
    try:
        entries = _entries(pairs, settings, wanted)
    except OSError as error:
        give_up(reason_of(error), _CANNOT)
    if not entries:
        give_up(f"neither {wanted.actual} nor {wanted.expected} holds an array", _CANNOT)
    if len(entries) == 1 and entries[0].comparison is None and not wanted.actual.is_dir():
        give_up(entries[0].problem, status_of(entries, known))
    reports = Reports(str(wanted.actual), str(wanted.expected), entries, known)
    reports.write(shown.html, shown.jsonl, shown.junit, shown.markdown)
    if shown.as_json:
        print_json([row(entry) for entry in entries])
    elif not shown.quiet and not reports.printed:
        _show(entries, known, shown.everything)
    sys.exit(status_of(entries, known))


def _settings(wanted: Wanted) -> Settings:
    kind = None if wanted.dtype is None else names.dtype(wanted.dtype)
    return Settings(_tolerances(wanted.tolerances), kind, wanted.worst)


def _pairs(wanted: Wanted) -> list[Pair]:
    if wanted.mapping is not None:
        return pairing.read_map(wanted.mapping, wanted.actual, wanted.expected)
    return pairing.find(wanted.actual, wanted.expected, wanted.match)


def status_of(entries: list[Entry], known: set[str]) -> int:
    """0 if all pass, 1 if something differs, 2 if something cannot be compared."""
    verdicts = {entry.verdict for entry in entries if entry.name not in known}
    return _CANNOT if "error" in verdicts else _DIFFERENT if "fail" in verdicts else 0


def _show(entries: list[Entry], known: set[str], everything: bool) -> None:
    from aclhost.cli import compare_text

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


def _entries(pairs: list[Pair], settings: Settings, wanted: Wanted) -> list[Entry]:
    """All rows, under a bar on stderr where somebody watches."""
    jobs, dask, journal = wanted.jobs, wanted.dask, wanted.journal
    if len(pairs) == 1 and not dask and journal is None:
        with bar("comparing") as update:
            return compare_pair(pairs[0], settings, update)
    if jobs is None:
        jobs = len(os.sched_getaffinity(0)) if len(pairs) >= _MANY else 1
    found: dict[int, list[Entry]] = {}
    with bar("comparing", len(pairs)) as update:
        for place, entries in compare_all(pairs, settings, jobs, dask, journal):
            found[place] = entries
            update(len(found), len(pairs))
    return [entry for place in sorted(found) for entry in found[place]]


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
        # Here, because most runs write none.
        from aclhost.compare import texts
        from aclhost.compare.report import html_report

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
