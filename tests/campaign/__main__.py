# SPDX-License-Identifier: Apache-2.0
"""`python -m campaign`: random calls of all operators for a while, then a table."""

from __future__ import annotations

import faulthandler
import itertools
import secrets
import time
from collections.abc import Iterator

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from aclhost import ops
from aclhost.spec.operator import Operator
from campaign.rounds import (
    ROUND,
    Failure,
    Tally,
    round_seed,
    run_gradient_round,
    run_round,
    stream,
)
from campaign.tables import by_family, family_of, gradients, summary


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


def show(failure: Failure, console: Console) -> None:
    """What went wrong, and a program that shows it again."""
    console.print(f"[red]{failure.case.op.name}, {failure.case.route}:[/] {escape(failure.reason)}")
    console.print("from campaign.again import *", markup=False, soft_wrap=True)
    console.print(repr(failure.case), markup=False, highlight=False, soft_wrap=True)
    console.print()


@click.command()
@click.option("--seconds", default=180.0, show_default=True, help="How long to run.")
@click.option("--cases", type=int, help="How many cases of each operator, however long it takes.")
@click.option("--seed", type=int, help="Replays the campaign that printed it.")
@click.option("--operator", type=click.Choice([op.name for op in ops.ALL]), help="Only this one.")
@click.option("--family", "families", multiple=True, help="Only operators of these families.")
def main(
    seconds: float, cases: int | None, seed: int | None, operator: str | None,
    families: tuple[str, ...],
) -> None:  # fmt: skip
    """Random calls of every operator, against its golden and against torch."""
    faulthandler.enable()
    console = Console()
    seed = secrets.randbelow(2**32) if seed is None else seed
    console.print(f"seed {seed}")
    chosen = [
        op
        for op in ops.ALL
        if operator in (None, op.name) and (not families or family_of(op) in families)
    ]
    tally = run(chosen, seed, seconds, cases, console)
    first = {
        (failure.case.op.name, failure.case.dtype): failure for failure in tally.failures[::-1]
    }
    for failure in first.values():
        show(failure, console)
    for wrong in tally.wrong_gradients:
        console.print(wrong, markup=False, soft_wrap=True)
    console.print(summary(tally))
    if tally.gradients:
        console.print(gradients(tally))
    console.print(by_family(tally))
    raise SystemExit(1 if tally.failures or tally.wrong_gradients else 0)


if __name__ == "__main__":
    main()
