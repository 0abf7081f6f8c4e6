# SPDX-License-Identifier: Apache-2.0
"""How the command speaks: errors in one line on stderr, results on stdout."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

import click

from aclhost import plain_json

if TYPE_CHECKING:
    from rich.console import Console

# What a table needs where nobody looks at a terminal: lines of a log are not wrapped at 80.
_WIDTH_OF_A_PIPE = 120


def say(text: str) -> None:
    """One line on stderr, under the command's name."""
    from rich.console import Console

    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print("[bold red]aclhost:[/]", end=" ")
    console.print(text, markup=False)


def give_up(text: str, status: int = 1) -> NoReturn:
    """Says why, and ends the command."""
    say(text)
    sys.exit(status)


def reason_of(error: OSError) -> str:
    """In words, without a number."""
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)


@contextmanager
def results_arrive(status: int) -> Iterator[None]:
    """Ends the command with this status and a line on stderr if stdout is closed or full."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (until the process ends)
    if sys.stdout is None:
        give_up("standard output is closed", status)
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OSError as error:
        _leave_unwritten()
        give_up(f"{error.filename or 'standard output'}: {error.strerror}", status)


def _leave_unwritten() -> None:
    """Lets Python end without another try to write what is left."""
    with suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def output() -> Console:
    """The console for results; colours only where they can be seen."""
    from rich.console import Console

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without the bullet of a list
    return Console(width=None if sys.stdout.isatty() else width(), highlight=False)


def width() -> int:
    """Of the terminal, or of what a pipe gets."""
    fallback = (80 if sys.stdout.isatty() else _WIDTH_OF_A_PIPE, 24)
    return shutil.get_terminal_size(fallback).columns


def print_json(value: Any) -> None:  # noqa: ANN401
    """On stdout, with one trailing newline."""
    click.echo(plain_json.dumps(value, indent=2))


@contextmanager
def bar(word: str, total: int | None = None) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr where somebody watches; gives a function of what is done and of all."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (TextColumn(word), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda done, total: progress.update(task, completed=done, total=total)
