# SPDX-License-Identifier: Apache-2.0
"""`python -m campaign`: random calls of all operators for a while, then a table."""

from __future__ import annotations

import faulthandler
import itertools
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from aclhost import ops
from aclhost.jobs import PROBLEM, run_all
from aclhost.spec.operator import Operator
from campaign import replay as replays
from campaign.pieces import Piece, add, pieces, run_piece
from campaign.rounds import (
    ROUND,
    Tally,
    Told,
    round_seed,
    run_gradient_round,
    run_round,
    stream,
)
from campaign.tables import by_family, family_of, gradients, summary

_FILE = click.Path(path_type=Path)


def rounds(operators: list[Operator], cases: int | None) -> Iterator[tuple[Operator, int, int]]:
    """Operators in turn, each with the number and the size of its next round."""
    for number in itertools.count():
        size = ROUND if cases is None else min(ROUND, cases - number * ROUND)
        if size <= 0:
            return
        for op in operators:
            yield op, number, size


def run(
    operators: list[Operator], seed: int, seconds: float, cases: int | None, console: Console
) -> Tally:
    """Rounds until the time is over, or until every operator had its cases."""
    tally, begin = Tally(), time.monotonic()
    columns = (
        TextColumn("{task.description:27}"),
        BarColumn(None),
        TextColumn("{task.fields[done]} cases, {task.fields[failed]} failed"),
        TimeElapsedColumn(),
    )
    with stream() as handle, Progress(*columns, console=console) as progress:
        total = seconds if cases is None else cases * len(operators)
        bar = progress.add_task("", total=total, done=0, failed=0)
        done = itertools.count(1)

        def on_case() -> None:
            number = next(done)
            completed = time.monotonic() - begin if cases is None else number
            progress.update(bar, completed=completed, done=number, failed=len(tally.failures))

        for op, number, size in rounds(operators, cases):
            if cases is None and time.monotonic() - begin >= seconds:
                break
            progress.update(bar, description=op.short_name, failed=len(tally.failures))
            run_round(op, round_seed(seed, op, number), size, tally, handle, on_case)
            if op.gradient is not None:
                run_gradient_round(op, round_seed(seed, op, number), tally)
    return tally


def run_elsewhere(work: list[Piece], options: dict[str, Any], console: Console) -> Tally:
    """Rounds in other processes, on this machine or on a cluster's."""
    tally, by_key = Tally(), {piece.key: piece for piece in work}
    columns = (BarColumn(None), TextColumn("{task.fields[failed]} failed"), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("", total=len(work), failed=0)
        for key, row in run_all(run_piece, by_key, **options):
            if PROBLEM in row:
                tally.wrong_gradients.append(f"round {key}: {row[PROBLEM]}")
            else:
                add(tally, row)
            progress.update(bar, advance=1, failed=len(tally.told))
    return tally


def show(told: Told, console: Console, path: Path | None) -> None:
    """What went wrong, and how to see it again."""
    console.print(f"[red]{told.operator}, {told.route}:[/] {escape(told.reason)}")
    if path is not None:
        console.print(f"python -m campaign --replay {path}", markup=False, soft_wrap=True)
    console.print("from campaign.again import *", markup=False, soft_wrap=True)
    console.print(told.text, markup=False, highlight=False, soft_wrap=True)
    console.print()


@click.command()
@click.option("--seconds", default=180.0, show_default=True, help="How long to run.")
@click.option("--cases", type=int, help="How many cases of each operator, however long it takes.")
@click.option("--seed", type=int, help="Replays the campaign that printed it.")
@click.option("--operator", type=click.Choice([op.name for op in ops.ALL]), help="Only this one.")
@click.option("--family", "families", multiple=True, help="Only operators of these families.")
@click.option("--jobs", "-j", default=1, help="Processes; with --cases.")
@click.option("--dask", default="", metavar="ADDRESS", help="A Dask scheduler; with --cases.")
@click.option("--journal", type=_FILE, help="JSON lines that a cut-off run goes on from.")
@click.option("--failures", type=_FILE, help="A directory for failing cases, as .npz.")
@click.option("--replay", type=_FILE, help="Runs a failing case once more, and nothing else.")
def main(
    seconds: float, cases: int | None, seed: int | None, operator: str | None,
    families: tuple[str, ...], jobs: int, dask: str, journal: Path | None, failures: Path | None,
    replay: Path | None,
) -> None:  # fmt: skip
    """Random calls of every operator, against its golden and against torch."""
    faulthandler.enable()
    if replay is not None:
        replays.run(replay)
        return
    elsewhere = jobs > 1 or bool(dask) or journal is not None
    if elsewhere and cases is None:
        raise click.UsageError("--jobs, --dask and --journal need --cases")
    console = Console()
    seed = secrets.randbelow(2**32) if seed is None else seed
    console.print(f"seed {seed}")
    chosen = [
        op
        for op in ops.ALL
        if operator in (None, op.name) and (not families or family_of(op) in families)
    ]
    if elsewhere:
        work = pieces([op.name for op in chosen], seed, cases or 0, ROUND)
        options = {"processes": jobs, "dask": dask, "journal": journal}
        tally = run_elsewhere(work, options, console)
    else:
        tally = run(chosen, seed, seconds, cases, console)
        tally.told += [failure.told for failure in tally.failures]
    report(tally, console, failures)
    raise SystemExit(1 if tally.told or tally.wrong_gradients else 0)


def report(tally: Tally, console: Console, failures: Path | None) -> None:
    """A failure of each operator and dtype, and the tables."""
    first = {(told.operator, told.dtype): told for told in tally.told[::-1]}
    for number, told in enumerate(first.values()):
        path = None if failures is None else replays.write(failures, number, told)
        show(told, console, path)
    for wrong in tally.wrong_gradients:
        console.print(wrong, markup=False, soft_wrap=True)
    console.print(summary(tally))
    if tally.gradients:
        console.print(gradients(tally))
    console.print(by_family(tally))


if __name__ == "__main__":
    main()
