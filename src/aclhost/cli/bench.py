# SPDX-License-Identifier: Apache-2.0
"""`aclhost bench`: the operators against torch, NumPy and the memory of this machine."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from aclhost.cli.completion import operators as offered
from aclhost.cli.console import give_up, say
from aclhost.spec import names

if TYPE_CHECKING:
    from rich.progress import Progress

    from aclhost.bench.cases import Case
    from aclhost.bench.machine import Machine
    from aclhost.bench.results import Run
    from aclhost.bench.runner import Effort

_RESULTS, _TABLE, _PAGE = "results.json", "table.txt", "report.md"
_SAVE_EVERY = 30.0  # seconds; thousands of cases make a long file


@click.command(short_help="Measure the operators on this machine.")
@click.option("--quick", is_flag=True, help="One case of each operator: a few minutes.")
@click.option(
    "--operator",
    metavar="NAME",
    shell_complete=offered,
    help="Only this one: elu_backward, aclnnEluBackward.",
)
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.Choice(("tiny", "medium", "large")),
    help="Only cases of this size; may be given again for another.",
)
@click.option(
    "--output",
    "directory",
    metavar="DIRECTORY",
    type=click.Path(path_type=Path, file_okay=False),
    help=f"Write {_RESULTS} (every half minute), {_TABLE}, {_PAGE} and plots there.",
)
@click.option("--resume", is_flag=True, help=f"Leave out what {_RESULTS} has already.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="For each case at most, unless its calls are long; by default 0.4, with --quick 0.1.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    help="Stop after so long, with what there is until then.",
)
def bench(
    quick: bool,
    operator: str | None,
    sizes: tuple[str, ...],
    directory: Path | None,
    resume: bool,
    seconds: float | None,
    minutes: float | None,
) -> None:
    """Measure the operators on this machine and print a table.

    The Python function, both C functions in a compiled loop, torch if it is installed, NumPy
    where torch has no such function, and a loop that streams as many bytes run in the same rounds.
    """
    # Here, because the other commands need not wait for NumPy.
    from aclhost.bench import report, runner
    from aclhost.bench.machine import this_machine

    operators = _operators(operator)
    if resume and directory is None:
        give_up("--resume needs the --output directory of the run to go on with")
    cases = runner.chosen(operators, quick, sizes)
    if not cases:
        give_up(f"--quick has one case of each operator, and none is {' or '.join(sizes)}")
    effort = runner.QUICK if quick else runner.FULL
    if sizes and "large" not in sizes:
        effort = replace(effort, growth_sizes=())
    pace = effort.pace if seconds is None else replace(effort.pace, seconds=seconds)
    with_torch = runner.use_torch()
    if with_torch:
        pace = replace(pace, pause=runner.torchs_pause())
    else:
        say("torch is not installed, so nothing is compared with it")
    effort = replace(effort, pace=pace)
    run = _run_to_fill(this_machine(with_torch), directory, resume)
    end = None if minutes is None else monotonic() + 60 * minutes
    status = 0
    try:
        _measure(run, cases, effort, directory, end)
    except KeyboardInterrupt:
        status = 130  # what was measured until then is shown all the same
    except OSError as error:
        give_up(f"{error.filename}: {error.strerror}")
    for line in report.lines(run):
        click.echo(line)
    if directory is not None:
        _write_pictures(run, directory)
    sys.exit(status)


def _operators(wanted: str | None) -> tuple[str, ...]:
    """The functions to measure."""
    from aclhost.bench.cases import OPERATORS, WITHOUT

    if wanted is None:
        return OPERATORS
    try:
        found = names.operator(wanted).snake_name
    except names.UnknownNameError as error:
        give_up(str(error))
    if found in WITHOUT:
        give_up(f"{found} is not measured: {WITHOUT[found]}")
    return (found,)


def _run_to_fill(machine: Machine, directory: Path | None, resume: bool) -> Run:
    """A new run, or the one in the directory."""
    from aclhost.bench import runner
    from aclhost.bench.results import Run

    new = Run(machine, runner.peak())
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


def _measure(
    run: Run, cases: list[Case], effort: Effort, directory: Path | None, end: float | None
) -> None:
    """Adds to the run, case by case, under a progress bar on stderr."""
    from aclhost.bench import runner

    saved = monotonic()
    done = {result.case for result in run.results}
    grown = {growth.operator for growth in run.growth}
    wanted = _growing(cases) if effort.growth_sizes else []
    growing = [operator for operator in wanted if operator not in grown]
    lot = runner.Lot(run.results, effort, "torch" in run.machine.versions)
    with _progress() as progress:
        task = progress.add_task("", total=len(cases) + len(growing))
        try:
            for operator in growing:
                progress.update(task, description=f"{operator} growth", advance=1)
                run.growth.append(runner.growth(operator, effort))
            for case in cases:
                progress.update(task, description=case.name, advance=1)
                if end is not None and monotonic() >= end:
                    run.skipped.append("the time is up: --resume measures the rest")
                    break
                if runner.too_large(case):
                    run.skipped.append(f"{case.name}: skipped, too large for the available memory")
                elif case not in done:
                    lot.add(case)
                if directory is not None and monotonic() - saved >= _SAVE_EVERY:
                    run.save(directory / _RESULTS)
                    saved = monotonic()
            lot.end()
        except BaseException:
            lot.break_off()
            raise
        finally:
            if directory is not None:
                run.save(directory / _RESULTS)


def _growing(cases: list[Case]) -> list[str]:
    """The operators to look at as arrays grow: of all that are measured a few, or the only one."""
    from aclhost.bench.cases import GROWING

    operators = dict.fromkeys(case.operator for case in cases)
    return [each for each in GROWING if each in operators] or list(operators)


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _write_pictures(run: Run, directory: Path) -> None:
    """The table as text, the plots, if there can be any, and the page that shows them."""
    from aclhost.bench import plots, report
    from aclhost.bench.page import page

    say(f"wrote {directory / _RESULTS}")
    try:
        (directory / _TABLE).write_text("".join(f"{line}\n" for line in report.lines(run)))
        say(f"wrote {directory / _TABLE}")
        reason = plots.missing()
        pictures = [] if reason else plots.write_plots(run, directory)
        (directory / _PAGE).write_text(
            f"# Benchmark\n\n{page(run, [path.name for path in pictures])}"
        )
        for path in (*pictures, directory / _PAGE):
            say(f"wrote {path}")
        if reason:
            say(reason)
    except OSError as error:
        give_up(f"{error.filename}: {error.strerror}")
