# SPDX-License-Identifier: Apache-2.0
"""`aclhost doctor`: whether everything is in place, and what is in the way."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click
from rich.markup import escape
from rich.table import Table

from aclhost.cli import health
from aclhost.cli.console import output, print_json

_MARKS = {
    "ok": "[green]ok[/]",
    "note": "[cyan]note[/]",
    "warning": "[yellow]warning[/]",
    "problem": "[red]problem[/]",
}


@click.command(short_help="Check the installation and test each operator.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(as_json: bool) -> None:
    """Show what is installed, what would be loaded, and test each operator.

    The exit status is 1 if something is a problem.
    """
    findings = list(health.examine())
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
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
        bad = any(finding.level == "problem" for finding in findings)
        console.print(f"\n[bold {'red' if bad else 'green'}]{escape(health.verdict(findings))}[/]")
    sys.exit(1 if any(finding.level == "problem" for finding in findings) else 0)
