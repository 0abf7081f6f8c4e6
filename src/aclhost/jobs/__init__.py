# SPDX-License-Identifier: Apache-2.0
"""Many independent pieces of work: in processes of this machine, or on a Dask cluster.

A piece has a key and comes back as a row, a dictionary that JSON can hold. Rows are written to a
journal as they arrive, so that a run that was cut off goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeAlias

from aclhost.jobs.journal import Journal, read_journal

Row: TypeAlias = dict[str, Any]
Work: TypeAlias = Callable[[Any], Row]  # of a module, so that other processes find it
PROBLEM = "problem"  # the key of a row that tells why there is no other


def run_all(
    work: Work,
    pieces: Mapping[str, Any],
    *,
    processes: int = 1,
    dask: str = "",
    journal: Path | None = None,
    again: Collection[str] = (),
) -> Iterator[tuple[str, Row]]:
    """Does every piece once and yields (key, row), in the order in which they are done.

    Args:
        work: What is done; a failure becomes a row with a `problem`.
        pieces: What it is done with, by keys that stay the same from run to run.
        processes: How many, on this machine; 1 is this process itself.
        dask: The address of a Dask scheduler, whose workers do it instead.
        journal: A file of JSON lines. Rows that are there are yielded and not done again, unless
            they tell of a problem.
        again: Keys that are done in any case.

    Raises:
        OSError: the journal cannot be read or written, or the scheduler does not answer.

    """
    known = read_journal(journal) if journal is not None else {}
    wanted = pieces.keys() - set(again)
    done = {key: row for key, row in known.items() if key in wanted and PROBLEM not in row}
    yield from done.items()
    left = {key: piece for key, piece in pieces.items() if key not in done}
    with nullcontext() if journal is None else Journal(journal) as written:
        for key, row in _done(work, left, processes, dask):
            if written is not None:
                written.write(key, row)
            yield key, row


def _done(
    work: Work, pieces: Mapping[str, Any], processes: int, dask: str
) -> Iterator[tuple[str, Row]]:
    if dask:
        from aclhost.jobs import cluster

        return cluster.run(work, pieces, dask)
    if processes > 1:
        from aclhost.jobs import local

        return local.run(work, pieces, processes)
    return ((key, attempt(work, piece)) for key, piece in pieces.items())


def attempt(work: Work, piece: Any) -> Row:  # noqa: ANN401
    """The row of a piece, or of what went wrong with it."""
    try:
        return work(piece)
    except Exception as error:
        return {PROBLEM: f"{type(error).__name__}: {error}"}
