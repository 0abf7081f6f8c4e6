# SPDX-License-Identifier: Apache-2.0
"""`aclhost bench`: the operators against torch, NumPy and the memory of this machine."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from aclhost.cli.completion import operators as offered
from aclhost.cli.console import give_up, output, say
from aclhost.spec import names

if TYPE_CHECKING:
    from aclhost.bench.cases import Case
    from aclhost.bench.machine import Machine
    from aclhost.bench.results import Run
    from aclhost.bench.runner import Effort

_NARROWEST = 130
_RESULTS, _TABLE = "results.json", "table.txt"


@click.command(short_help="Measure the operators on this machine.")
@click.option("--quick", is_flag=True, help="Fewer cases and rounds: a few minutes.")
@click.option(
    "--operator",
    metavar="NAME",
    shell_complete=offered,
    help="Only this one: elu_backward, aclnnEluBackward.",
)
@click.option(
    "--output",
    "directory",
    metavar="DIRECTORY",
    type=click.Path(path_type=Path, file_okay=False),
    help=f"Write {_RESULTS} (case by case), {_TABLE} and plots there.",
)
@click.option("--resume", is_flag=True, help=f"Leave out what {_RESULTS} has already.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="For each case; by default 1, with --quick 0.4.",
)
def bench(
    quick: bool,
    operator: str | None,
    directory: Path | None,
    resume: bool,
    seconds: float | None,
) -> None:
    """Measure the operators on this machine and print a table.

    torch, if it is installed, NumPy for element-wise operators, and a loop that streams as many
    bytes run in the same rounds.
    """
    # Here, because the other commands need not wait for NumPy.
    from aclhost.bench import runner
    from aclhost.bench.machine import this_machine

    operators = _operators(operator)
    if resume and directory is None:
        give_up("--resume needs the --output directory of the run to go on with")
    effort = runner.QUICK if quick else runner.FULL
    if seconds is not None:
        effort = replace(effort, seconds=seconds)
    with_torch = runner.use_torch()
    if with_torch:
        effort = replace(effort, pause=runner.torchs_pause())
    else:
        say("torch is not installed: there are no ratios to it")
    run = _run_to_fill(this_machine(with_torch), directory, resume)
    status = 0
    try:
        _measure(run, runner.chosen(operators, quick), effort, directory)
    except KeyboardInterrupt:
        status = 130  # what was measured until then is shown all the same
    except OSError as error:
        give_up(f"{error.filename}: {error.strerror}")
    _print(run, output())
    if directory is not None:
        _write_pictures(run, directory)
    sys.exit(status)


def _operators(wanted: str | None) -> tuple[str, ...]:
    """The functions to measure."""
    from aclhost.bench.cases import OPERATORS

    if wanted is None:
        return OPERATORS
    try:
        return (names.operator(wanted).snake_name,)
    except names.UnknownNameError as error:
        give_up(str(error))


def _run_to_fill(machine: Machine, directory: Path | None, resume: bool) -> Run:
    """A new run, or the one in the directory."""
    from aclhost.bench.results import Run

    new = Run(machine)
    if directory is None:
        return new
    path = directory / _RESULTS
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if not (resume and path.exists()):
            new.save(path)
            return new
        earlier = Run.from_json(path.read_text())
    except OSError as error:
        give_up(f"{error.filename}: {error.strerror}")
    except (ValueError, KeyError, TypeError) as error:
        give_up(f"{path} cannot be resumed: {error}")
    if not machine.same_as(earlier.machine):
        give_up(f"{path} is from elsewhere and cannot be resumed: {earlier.machine.line}")
    earlier.skipped.clear()  # they are looked at again
    return earlier


def _measure(run: Run, cases: list[Case], effort: Effort, directory: Path | None) -> None:
    """Adds to the run, case by case, under a progress bar on stderr."""
    from aclhost.bench import runner
    from aclhost.bench.cases import BY_HAND

    def keep() -> None:
        if directory is not None:
            run.save(directory / _RESULTS)

    done = {result.case for result in run.results}
    grown = {growth.operator for growth in run.growth}
    everything = dict.fromkeys(case.operator for case in cases)
    operators = [each for each in everything if each in BY_HAND] or list(everything)
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(cases) + len(operators))
        for case in cases:
            progress.update(task, description=case.name)
            if runner.too_large(case):
                run.skipped.append(f"{case.name}: skipped, too large for the available memory")
            elif case not in done:
                run.results.append(runner.measure(case, effort, "torch" in run.machine.versions))
                keep()
            progress.advance(task)
        for operator in operators:
            progress.update(task, description=f"{operator} growth")
            if operator not in grown:
                run.growth.append(runner.growth(operator, effort))
                keep()
            progress.advance(task)


def _print(run: Run, console: Console) -> None:
    from aclhost.bench import report

    console.width = max(console.width, _NARROWEST)  # a long line can be read, missing digits not
    for part in report.tables(run):
        console.print(part)


def _write_pictures(run: Run, directory: Path) -> None:
    """The table as text and the plots, if there can be any."""
    from aclhost.bench import plots

    say(f"wrote {directory / _RESULTS}")
    try:
        with (directory / _TABLE).open("w") as file:
            _print(run, Console(file=file, width=_NARROWEST))
        say(f"wrote {directory / _TABLE}")
        if reason := plots.missing():
            say(reason)
            return
        for path in plots.write_plots(run, directory):
            say(f"wrote {path}")
    except OSError as error:
        give_up(f"{error.filename}: {error.strerror}")
