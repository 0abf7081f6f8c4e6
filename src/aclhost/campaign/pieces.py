# SPDX-License-Identifier: Apache-2.0
"""A round as a piece of work that any process can do, and its outcome as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from aclhost import ops
from aclhost.campaign.gradients import GradientRow
from aclhost.campaign.rounds import (
    ROUND,
    Row,
    Tally,
    Told,
    round_seed,
    run_gradient_round,
    run_round,
    stream,
)
from aclhost.jobs.journal import read_journal


class Piece(NamedTuple):
    """One round of one operator."""

    operator: str
    seed: int  # of the campaign
    number: int
    size: int

    @property
    def key(self) -> str:
        """Names the round in a journal."""
        return f"{self.operator} {self.seed} {self.number} {self.size}"

    @property
    def command(self) -> str:
        """Runs the round, and those before it, in one process."""
        cases = self.number * ROUND + self.size
        return f"aclhost campaign --operator {self.operator} --seed {self.seed} --cases {cases}"


def journal_seed(journal: Path) -> int | None:
    """The seed of the campaign that a journal tells of; None of an empty one.

    Raises:
        ValueError: the journal is that of something else.

    """
    for key in read_journal(journal):
        words = key.split()
        if len(words) != len(Piece._fields) or words[0] not in ops.BY_NAME:
            raise ValueError(f"{journal} is not the journal of a campaign")
        return int(words[1])
    return None


def run_piece(piece: Piece) -> dict[str, Any]:
    """The outcome of a round."""
    op, tally = ops.BY_NAME[piece.operator], Tally()
    seed = round_seed(piece.seed, op, piece.number)
    with stream() as handle:
        run_round(op, seed, piece.size, tally, handle)
        if op.gradient is not None:
            run_gradient_round(op, seed, tally)
    return {
        "rows": [[*key, asdict(row)] for key, row in tally.rows.items()],
        "failures": [asdict(failure.told) for failure in tally.failures],
        "gradients": {name: asdict(row) for name, row in tally.gradients.items()},
        "wrong_gradients": tally.wrong_gradients,
    }


def add(tally: Tally, row: dict[str, Any]) -> None:
    """The outcome of one more round."""
    for operator, dtype, counts in row["rows"]:
        _sum(tally.rows.setdefault((operator, dtype), Row()), counts)
    for name, counts in row["gradients"].items():
        _sum(tally.gradients.setdefault(name, GradientRow()), counts)
    tally.told += [Told(**failure) for failure in row["failures"]]
    tally.wrong_gradients += row["wrong_gradients"]


def _sum(total: Row | GradientRow, counts: dict[str, Any]) -> None:
    for name, count in counts.items():
        before = getattr(total, name)
        setattr(total, name, max(before, count) if name == "worst" else before + count)


def pieces(operators: Iterable[str], seed: int, cases: int, size: int) -> list[Piece]:
    """So many cases of each operator, in rounds of that size."""
    return [
        Piece(operator, seed, number, min(size, cases - first))
        for number, first in enumerate(range(0, cases, size))
        for operator in operators
    ]
