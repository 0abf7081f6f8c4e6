# SPDX-License-Identifier: Apache-2.0
"""`aclhost doctor`: whether everything is in place, and what is in the way."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from aclhost.cli.completion import operators
from aclhost.cli.console import give_up, output, print_json
from aclhost.spec import names

if TYPE_CHECKING:
    from aclhost.cli.health import Finding

_MARKS = {
    "ok": "[green]ok[/]",
    "note": "[cyan]note[/]",
    "warning": "[yellow]warning[/]",
    "problem": "[red]problem[/]",
}


@click.command(short_help="Check the installation and test each operator.")
@click.argument("tested", nargs=-1, metavar="[OPERATOR]...", shell_complete=operators)
@click.option("--all", "everything", is_flag=True, help="List the operators that pass, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(tested: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Show what is installed, what would be loaded, and test each OPERATOR, or all of them.

    The exit status is 1 if something is a problem.
    """
    # Here, because they import the declarations.
    from aclhost import ops
    from aclhost.cli import health

    try:
        chosen = tuple(map(names.operator, tested)) or ops.ALL
    except names.UnknownNameError as error:
        give_up(str(error))
    findings = list(health.examine(chosen))
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        shown = findings if everything or tested else health.without_passed(findings)
        _show(shown, health.verdict(findings))
    sys.exit(1 if _is_bad(findings) else 0)


def _is_bad(findings: list[Finding]) -> bool:
    return any(finding.level == "problem" for finding in findings)


def _show(findings: list[Finding], verdict: str) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        text = escape(finding.text)
        if finding.remedy:
            text += f"\n[dim]{escape(finding.remedy)}[/]"
        table.add_row(finding.topic, _MARKS[finding.level], text)
    console = output()
    console.print(table)
    console.print(f"\n[bold {'red' if _is_bad(findings) else 'green'}]{escape(verdict)}[/]")
