# SPDX-License-Identifier: Apache-2.0
"""`aclhost bench`: the operators against torch and against the memory of this machine."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from aclhost import _names
from aclhost.cli.completion import operators as offered
from aclhost.cli.console import give_up, output, say

if TYPE_CHECKING:
    from aclhost.bench.cases import Case
    from aclhost.bench.results import Run
    from aclhost.bench.runner import Effort

_NARROWEST = 120


@click.command(short_help="Measure the operators on this machine.")
@click.option("--quick", is_flag=True, help="Fewer cases and rounds: one or two minutes.")
@click.option(
    "--operator",
    metavar="NAME",
    shell_complete=offered,
    help="Only this one: elu_backward, aclnnEluBackward.",
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write results here.")
@click.option("--plots", type=click.Path(path_type=Path), help="Write PNG plots to this directory.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="For each case; by default 1, with --quick 0.4.",
)
def bench(
    quick: bool,
    operator: str | None,
    json_file: Path | None,
    plots: Path | None,
    seconds: float | None,
) -> None:
    """Measure the operators on this machine and print a table.

    torch, if it is installed, and a loop that streams as many bytes run in the same rounds.
    """
    # Here, because the other commands need not wait for NumPy.
    from aclhost.bench import plots as pictures
    from aclhost.bench import runner
    from aclhost.bench.machine import this_machine
    from aclhost.bench.results import Run

    operators = _operators(operator)
    if plots is not None and (reason := pictures.missing()):
        give_up(reason)
    effort = runner.QUICK if quick else runner.FULL
    if seconds is not None:
        effort = replace(effort, seconds=seconds)
    with_torch = runner.use_torch()
    if not with_torch:
        say("torch is not installed: there are no ratios, only fractions of the streaming limit")
    run = Run(this_machine(with_torch))
    status = 0
    try:
        _measure(run, runner.chosen(operators, quick), effort)
    except KeyboardInterrupt:
        status = 130  # what was measured until then is shown all the same
    _print(run)
    try:
        if json_file is not None:
            json_file.write_text(run.to_json())
        for path in pictures.write_plots(run, plots) if plots is not None else ():
            say(f"wrote {path}")
    except OSError as error:
        give_up(f"{error.filename}: {error.strerror}")
    sys.exit(status)


def _operators(wanted: str | None) -> tuple[str, ...]:
    """The functions to measure."""
    from aclhost.bench.cases import OPERATORS

    if wanted is None:
        return OPERATORS
    try:
        return (_names.operator(wanted).snake_name,)
    except _names.UnknownNameError as error:
        give_up(str(error))


def _measure(run: Run, cases: list[Case], effort: Effort) -> None:
    """Adds to the run, case by case, under a progress bar on stderr."""
    from aclhost.bench import runner

    operators = list(dict.fromkeys(case.operator for case in cases))
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(cases) + 1)
        for case in cases:
            progress.update(task, description=case.name)
            if runner.too_large(case):
                run.skipped.append(f"{case.name}: skipped, too large for the available memory")
            else:
                run.results.append(runner.measure(case, effort, "torch" in run.machine.versions))
            progress.advance(task)
        progress.update(task, description="growth")
        run.growth.extend(runner.growth(operators, effort))
        progress.advance(task)


def _print(run: Run) -> None:
    from aclhost.bench import report

    console = output()
    console.width = max(console.width, _NARROWEST)  # a long line can be read, missing digits not
    for part in report.tables(run):
        console.print(part)
