# SPDX-License-Identifier: Apache-2.0
"""`python -m campaign`: random calls of all operators for a while, then a table."""

from __future__ import annotations

import faulthandler
import itertools
import secrets
import time
from collections.abc import Iterator

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from aclhost import ops
from aclhost.spec.operator import Operator
from campaign.rounds import ROUND, Failure, Tally, round_seed, run_round, stream


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
    return tally


def summary(tally: Tally) -> Table:
    """Operator by dtype."""
    table = Table("operator", "dtype", box=box.SIMPLE_HEAD)
    for heading in ("cases", "torch", "failed", "worst ulp"):
        table.add_column(heading, justify="right")
    for (op, dtype), row in sorted(tally.rows.items()):
        counts = map(str, (row.cases, row.with_torch, row.failures))
        table.add_row(op, dtype, *counts, f"{row.worst:.2g}", style="red" if row.failures else "")
    table.add_section()
    rows = list(tally.rows.values())
    counts = (sum(getattr(row, of) for row in rows) for of in ("cases", "with_torch", "failures"))
    worst = max((row.worst for row in rows), default=0.0)
    table.add_row("all", "", *map(str, counts), f"{worst:.2g}", style="bold")
    return table


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
def main(seconds: float, cases: int | None, seed: int | None, operator: str | None) -> None:
    """Random calls of every operator, against its golden and against torch."""
    faulthandler.enable()
    console = Console()
    seed = secrets.randbelow(2**32) if seed is None else seed
    console.print(f"seed {seed}")
    chosen = [op for op in ops.ALL if operator in (None, op.name)]
    tally = run(chosen, seed, seconds, cases, console)
    first = {
        (failure.case.op.name, failure.case.dtype): failure for failure in tally.failures[::-1]
    }
    for failure in first.values():
        show(failure, console)
    console.print(summary(tally))
    raise SystemExit(1 if tally.failures else 0)


if __name__ == "__main__":
    main()
