# SPDX-License-Identifier: Apache-2.0
"""`aclhost golden --manifest`: many calls, in processes or on a cluster, and one report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple, NoReturn

from aclhost.cli import compare_text
from aclhost.cli.compare_run import Reports, status_of
from aclhost.cli.console import bar, output, print_json, reason_of, say
from aclhost.compare.rows import Entry, entries_of, row
from aclhost.goldens.files import Targets
from aclhost.goldens.manifest import Piece, compute_line, read_manifest, targets
from aclhost.jobs import PROBLEM, run_all
from aclhost.jobs.journal import Journal, read_journal

_CANNOT = 2


class Run(NamedTuple):
    """What was asked for."""

    manifest: Path
    directory: Path
    kind: str
    soc: str
    force: bool
    jobs: int
    dask: str
    journal: Path | None


def run_manifest(
    run: Run, as_json: bool, html: Path | None, jsonl: Path | None, junit: Path | None,
    markdown: Path | None,
) -> NoReturn:  # fmt: skip
    """Computes all lines and ends the command."""
    try:
        lines = read_manifest(run.manifest, run.soc)
        directory = run.directory.absolute()
        wanted = (Piece(line, directory / line.name, run.kind) for line in lines)
        pieces = {piece.key: piece for piece in wanted}
        _begin(run, pieces)
        entries = _entries(run, pieces)
    except OSError as error:
        _give_up(reason_of(error))
    except ValueError as error:
        _give_up(str(error))
    reports = Reports("results", str(run.manifest), entries, set())
    reports.write(html, jsonl, junit, markdown)
    if as_json:
        print_json([row(entry) for entry in entries])
    elif not reports.printed:
        compare_text.show_summary(output(), entries, set(), everything=False)
        written = len(pieces) - sum(entry.verdict == "error" for entry in entries)
        calls = "1 call" if written == 1 else f"{written} calls"
        output().print(f"results of {calls} are in {run.directory}", soft_wrap=True)
    sys.exit(status_of(entries, set()))


def _give_up(text: str) -> NoReturn:
    for line in text.splitlines():
        say(line)
    sys.exit(_CANNOT)


def _begin(run: Run, pieces: dict[str, Piece]) -> None:
    """Nothing is computed if a file would be overwritten, but for those of the same journal."""
    known = read_journal(run.journal) if run.journal is not None else {}
    mark = f"into {run.directory.absolute()}"
    done = {key for key in pieces if PROBLEM not in known.get(key, {PROBLEM: ""})}
    own = Targets(force=run.force or mark in known)
    for key, piece in pieces.items():
        if key not in done:
            own.check(targets(piece))
    if run.journal is not None and mark not in known:
        with Journal(run.journal) as journal:
            journal.write(mark, {})


def _gone(pieces: dict[str, Piece]) -> set[str]:
    """Keys of what has no file, whatever a journal says."""
    return {
        key for key, piece in pieces.items() if not any(path.exists() for path in targets(piece))
    }


def _entries(run: Run, pieces: dict[str, Piece]) -> list[Entry]:
    """All rows in the order of the lines, under a bar on stderr where somebody watches."""
    found: dict[str, list[Entry]] = {}
    with bar("computing", len(pieces)) as update:
        for key, done in run_all(
            compute_line, pieces, processes=run.jobs, dask=run.dask, journal=run.journal,
            again=_gone(pieces),
        ):  # fmt: skip
            found[key] = entries_of(done, pieces[key].line.name)
            update(len(found), len(pieces))
    return [entry for key in pieces for entry in found[key]]
