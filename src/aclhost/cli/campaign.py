# SPDX-License-Identifier: Apache-2.0
"""`aclhost campaign`: random calls of the operators for a while, then tables."""

from __future__ import annotations

import faulthandler
import itertools
import secrets
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from aclhost.cli.completion import operators as complete_operators
from aclhost.cli.console import give_up, output, print_json, reason_of
from aclhost.jobs import PROBLEM, run_all
from aclhost.spec import names

# Only for types, and else where they are used: help and completion need not wait for them.
if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from aclhost.campaign.pieces import Piece
    from aclhost.campaign.rounds import Tally, Told
    from aclhost.spec.operator import Operator

_FILE = click.Path(path_type=Path)
_FAILED, _CANNOT = 1, 2


class _Where(NamedTuple):
    """What does the work, and where it is written down."""

    processes: int
    dask: str
    journal: Path | None


@click.command("campaign", short_help="Try the operators with random calls.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=180.0,
    show_default=True,
    help="How long to run.",
)
@click.option(
    "--cases", type=click.IntRange(1), help="How many cases of each operator, instead of a time."
)
@click.option("--seed", type=click.IntRange(0), help="Repeat the campaign that printed this seed.")
@click.option(
    "--operator", "chosen", multiple=True, metavar="NAME", shell_complete=complete_operators,
    help="Only this one; can be repeated.",
)  # fmt: skip
@click.option("--family", "families", multiple=True, help="Only this family; can be repeated.")
@click.option(
    "--jobs", "-j", type=click.IntRange(1), default=1, help="Number of processes; needs --cases."
)
@click.option(
    "--dask",
    default="",
    metavar="ADDRESS",
    help="Use the workers of this Dask scheduler; needs --cases.",
)
@click.option("--journal", type=_FILE, help="Record progress in this file, and resume from it.")
@click.option(
    "--failures", type=_FILE, default=Path("campaign-failures"), show_default=True,
    help="Directory for failing cases.",
)  # fmt: skip
@click.option("--replay", type=_FILE, metavar="FILE.npz", help="Run one failing case once more.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def campaign(
    seconds: float, cases: int | None, seed: int | None, chosen: tuple[str, ...],
    families: tuple[str, ...], jobs: int, dask: str, journal: Path | None, failures: Path,
    replay: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Call the operators at random and compare the results with their definitions.

    \b
    aclhost campaign                                        # all operators, three minutes
    aclhost campaign --operator elu --cases 1000
    aclhost campaign --cases 200 --jobs 8 --journal run.jsonl
    aclhost campaign --cases 5000 --dask tcp://scheduler:8786 --journal run.jsonl

    Shapes, dtypes, products, strides, offsets, values and the way of the call (C or Python) are
    drawn by hypothesis (pip install 'aclhost[campaign]'). Every result is compared with the
    definition in float64 and, where torch is installed and has the function, with torch; memory
    around the results must not change. A failing case is made as small as possible and written
    to a file, with the command that runs it once more.

    The exit status is 1 if a case fails, 2 if the campaign cannot run.
    """  # noqa: D301 - click reads the \b character
    _need_hypothesis()
    faulthandler.enable()
    if replay is not None:
        _replay(replay)
    if cases is None and (jobs > 1 or dask or journal is not None):
        raise click.UsageError("--jobs, --dask and --journal need --cases")
    try:
        found = _operators(chosen, families)
        seed = _seed(seed, journal)
        if not as_json:
            output().print(f"seed {seed}")
        tally = _run(found, seed, seconds, cases, _Where(jobs, dask, journal))
        _report(tally, seed, failures, as_json)
    except OSError as error:
        give_up(reason_of(error), _CANNOT)
    except ValueError as error:
        give_up(str(error), _CANNOT)
    sys.exit(_FAILED if tally.told or tally.wrong_gradients or tally.problems else 0)


def _need_hypothesis() -> None:
    try:
        import hypothesis  # noqa: F401
    except ModuleNotFoundError:
        give_up("campaign needs hypothesis: pip install 'aclhost[campaign]'", _CANNOT)


def _replay(path: Path) -> None:
    from aclhost.campaign import again, replay

    try:
        case = replay.read(path)
    except OSError as error:
        give_up(f"{path}: {error.strerror}", _CANNOT)
    except ValueError as error:
        give_up(str(error), _CANNOT)
    try:
        outcome = again.run(case)
    except Exception as error:
        give_up(f"{case.op.name}, {case.route}: {type(error).__name__}: {error}", _FAILED)
    torch = "as torch says, too" if outcome.with_torch else "torch was not asked"
    output().print(f"{case.op.name}, {case.route}: passes, {outcome.ulps:.3g} ulp off; {torch}")
    sys.exit(0)


def _operators(chosen: tuple[str, ...], families: tuple[str, ...]) -> list[Operator]:
    from aclhost import ops

    known = sorted({op.family for op in ops.ALL})
    for family in families:
        if family not in known:
            hint = names.suggestion(family, known) or f"; there are {', '.join(known)}"
            raise ValueError(f"no family {family!r}{hint}")
    wanted = [names.operator(name) for name in chosen] or ops.ALL
    found = [op for op in wanted if not families or op.family in families]
    if not found:
        raise ValueError("no operator of these names is in these families")
    return found


def _seed(given: int | None, journal: Path | None) -> int:
    """A campaign that goes on has the seed that it had."""
    from aclhost.campaign.pieces import journal_seed

    before = None if journal is None else journal_seed(journal)
    if given is not None:
        return given
    return secrets.randbelow(2**32) if before is None else before


def _run(
    operators: list[Operator], seed: int, seconds: float, cases: int | None, where: _Where
) -> Tally:
    from aclhost.campaign.pieces import pieces
    from aclhost.campaign.rounds import ROUND

    if cases is not None and where != _Where(1, "", None):
        return _elsewhere(pieces([op.name for op in operators], seed, cases, ROUND), where)
    return _here(operators, seed, seconds, cases)


def _rounds(operators: list[Operator], cases: int | None) -> Iterator[tuple[Operator, int, int]]:
    """Operators in turn, each with the number and the size of its next round."""
    from aclhost.campaign.rounds import ROUND

    for number in itertools.count():
        size = ROUND if cases is None else min(ROUND, cases - number * ROUND)
        if size <= 0:
            return
        for op in operators:
            yield op, number, size


def _here(operators: list[Operator], seed: int, seconds: float, cases: int | None) -> Tally:
    """Rounds in this process until the time is over, or until every operator had its cases."""
    from aclhost.campaign.rounds import Tally, round_seed, run_gradient_round, run_round, stream

    tally, begin = Tally(), time.monotonic()
    with stream() as handle, _progress("{task.description:27}") as progress:
        total = seconds if cases is None else cases * len(operators)
        bar = progress.add_task("", total=total, done=0, failed=0)
        done = itertools.count(1)

        def on_case() -> None:
            number = next(done)
            completed = time.monotonic() - begin if cases is None else number
            progress.update(bar, completed=completed, done=number, failed=len(tally.failures))

        for op, number, size in _rounds(operators, cases):
            if cases is None and time.monotonic() - begin >= seconds:
                break
            progress.update(bar, description=op.short_name, failed=len(tally.failures))
            run_round(op, round_seed(seed, op, number), size, tally, handle, on_case)
            if op.gradient is not None:
                run_gradient_round(op, round_seed(seed, op, number), tally)
    tally.told += [failure.told for failure in tally.failures]
    return tally


def _elsewhere(work: list[Piece], where: _Where) -> Tally:
    """Rounds in other processes, on this machine or on a cluster's."""
    from aclhost.campaign.pieces import add, run_piece
    from aclhost.campaign.rounds import Tally

    tally, by_key = Tally(), {piece.key: piece for piece in work}
    with _progress() as progress:
        bar = progress.add_task("", total=len(work), done=0, failed=0)
        done = 0
        for key, row in run_all(
            run_piece, by_key, processes=where.processes, dask=where.dask, journal=where.journal
        ):
            if PROBLEM in row:
                tally.problems.append(f"{by_key[key].command}: {row[PROBLEM]}")
            else:
                add(tally, row)
            done += by_key[key].size
            progress.update(bar, advance=1, done=done, failed=len(tally.told))
    return tally


def _progress(*first: str) -> Progress:
    """A bar on stderr, where somebody watches."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        *map(TextColumn, first),
        BarColumn(None),
        TextColumn("{task.fields[done]} cases, {task.fields[failed]} failed"),
        TimeElapsedColumn(),
    )
    watched = Console(stderr=True)
    return Progress(*columns, console=watched, disable=not watched.is_terminal)


def _report(tally: Tally, seed: int, failures: Path, as_json: bool) -> None:
    """A failing case of each operator and dtype, and the tables."""
    from aclhost.campaign import replay, tables

    first = {(told.operator, told.dtype): told for told in tally.told[::-1]}
    written = [(told, replay.write(failures, told)) for told in first.values()]
    if as_json:
        print_json(_data(tally, seed, written))
        return
    console = output()
    for told, path in written:
        _show(told, path, console)
    for line in (*tally.wrong_gradients, *tally.problems):
        console.print(line, markup=False, soft_wrap=True)
    console.print(tables.summary(tally))
    if tally.gradients:
        console.print(tables.gradients(tally))
    console.print(tables.by_family(tally))


def _show(told: Told, path: Path, console: Console) -> None:
    """What went wrong, and how to see it again."""
    from rich.markup import escape

    console.print(f"[red]{told.operator}, {told.route}:[/] {escape(told.reason)}", soft_wrap=True)
    console.print(f"aclhost campaign --replay {path}", markup=False, soft_wrap=True)
    console.print("from aclhost.campaign.again import *", markup=False, soft_wrap=True)
    console.print(told.text, markup=False, soft_wrap=True)
    console.print()


def _data(tally: Tally, seed: int, written: list[tuple[Told, Path]]) -> dict[str, Any]:
    files = {(told.operator, told.dtype): str(path) for told, path in written}
    return {
        "seed": seed,
        "rows": [
            {"operator": operator, "dtype": dtype, **asdict(row)}
            for (operator, dtype), row in sorted(tally.rows.items())
        ],
        "failures": [
            {**asdict(told), "file": files[told.operator, told.dtype]} for told, _ in written
        ],
        "gradients": {name: asdict(row) for name, row in sorted(tally.gradients.items())},
        "wrong_gradients": tally.wrong_gradients,
        "problems": tally.problems,
    }
