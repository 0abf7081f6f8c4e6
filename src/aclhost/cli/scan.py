# SPDX-License-Identifier: Apache-2.0
"""`aclhost scan`: which names of AscendCL a program uses, and which aclhost computes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from aclhost.cli.console import output, print_json, say

if TYPE_CHECKING:
    from rich.table import Table

    from aclhost.scan import Report, Use

_STYLES = {"computed": "green", "known": "yellow", "unknown": "red"}


@click.command(short_help="List the AscendCL names that sources and binaries use.")
@click.argument(
    "paths",
    nargs=-1,
    required=True,
    metavar="PATH...",
    type=click.Path(exists=True, path_type=Path),
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def scan(paths: tuple[Path, ...], as_json: bool) -> None:
    """List the aclnn and acl functions that PATHs use: computed, known, unknown.

    Reads C, C++ and Python sources and ELF binaries, directories with all that is in them.

    The exit status is 0 if aclhost computes all of them, 1 if not, 2 if a PATH cannot be read.
    """
    from aclhost.scan import scan as scan_paths  # slow to import: only this command needs it

    report = scan_paths(paths)
    if as_json:
        print_json(_as_data(report))
    elif report.uses:
        output().print(_table(report))
    else:
        say(f"no names of AscendCL in {report.files} files")
    for problem in report.problems:
        say(problem)
    sys.exit(2 if report.problems else 0 if report.complete else 1)


def _counts(report: Report) -> dict[str, dict[str, int]]:
    from aclhost.scan import Kind, State

    return {
        kind: {state: report.count(kind, state) for state in get_args(State)}
        for kind in get_args(Kind)
    }


def _as_data(report: Report) -> dict[str, Any]:
    names = [
        {
            "name": use.name,
            "kind": use.kind,
            "state": use.state,
            "count": use.count,
            "files": [str(file) for file in use.files],
        }
        for use in report.uses
    ]
    return {
        "complete": report.complete,
        "files": report.files,
        "counts": _counts(report),
        "names": names,
        "problems": report.problems,
    }


def _table(report: Report) -> Table:
    from rich import box
    from rich.table import Table

    totals = (
        f"{kind}: " + ", ".join(f"{number} {state}" for state, number in states.items())
        for kind, states in _counts(report).items()
    )
    caption = f"{report.files} files; {'; '.join(totals)}"
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=caption, caption_justify="left")
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("uses", justify="right")
    table.add_column("in", overflow="fold")
    for use in report.uses:
        state = f"[{_STYLES[use.state]}]{use.state}[/]"
        table.add_row(use.name, state, str(use.count), _places(use))
    return table


def _places(use: Use) -> str:
    from rich.markup import escape

    more = f" and {len(use.files) - 1} more" if len(use.files) > 1 else ""
    return f"{escape(str(use.files[0]))}{more}"
