# SPDX-License-Identifier: Apache-2.0
"""Shifts of which only the last rows are given: the others have what lies as far behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclhost.ops.attention.build import CAUSAL, CAUSAL_FROM_END
from aclhost.spec.rules import Condition, Rule, requires, when
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import AtMost, Const, Equal, Term, ValueOf, all_of, any_of

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

LAST_ROWS = 1024
NOTE = (
    "A shift of 1024 rows holds the last ones; rows before them have the values of the same "
    "distance between query and key, row i those of row i % 1024. Upstream decides which row by "
    "the block: only where values depend on the distance alone are results the same."
)


def is_causal(given: Term, rows: Term, *more: Term) -> Term:
    """Whether no query sees a later key; rows and keys are as many."""
    mode, before, after = (ValueOf(name) for name in ("sparseMode", "preTokens", "nextTokens"))
    triangle = any_of(*(Equal(mode, Const(each)) for each in (CAUSAL, CAUSAL_FROM_END)))
    band = all_of(Equal(mode, Const(0)), AtMost(rows, before), Equal(after, Const(0)))
    return all_of(given, any_of(triangle, band, *more))


def last_rows_rules(shift: str, when_held: Term, same: tuple[Rule, ...],
                    causal: Term) -> tuple[Rule, ...]:  # fmt: skip
    """What such a shift asks of the call."""
    return when(
        Condition(when_held, f"{shift} has only the last {LAST_ROWS} rows"),
        same,
        requires(
            "causal", "sparseMode", causal, "no query may see a later key",
            (Shown("integer", ValueOf("sparseMode")), ", nextTokens ",
             Shown("integer", ValueOf("nextTokens"))),
            "Pass a mask and sparseMode 2, or all rows of the shift.",
        ),
    )  # fmt: skip


def all_rows(shift: Array, rows: int, columns: int) -> Array:
    """The whole matrix that stands behind the last rows."""
    import numpy as np

    held, width = shift.shape[-2:]
    first, row = width - held, np.arange(rows)
    place = np.where(row >= first, row - first, row % held)
    column = np.arange(columns)[None] + (first + place - row)[:, None]
    whole: Array = shift[..., place[:, None], np.minimum(column, width - 1)]
    return whole
