# SPDX-License-Identifier: Apache-2.0
"""What a campaign shows at its end."""

from __future__ import annotations

from rich import box
from rich.table import Table

from aclhost import ops
from aclhost.campaign.rounds import Row, Tally

_COUNTS = ("cases", "with_torch", "failures")


def summary(tally: Tally) -> Table:
    """Operator by dtype."""
    table = _table("operator", "dtype")
    for (op, dtype), row in sorted(tally.rows.items()):
        counts = map(str, (row.cases, row.with_torch, row.failures))
        table.add_row(op, dtype, *counts, f"{row.worst:.2g}", style="red" if row.failures else "")
    table.add_section()
    table.add_row("all", "", *_sums(list(tally.rows.values())), style="bold")
    return table


def by_family(tally: Tally) -> Table:
    """Family by dtype."""
    families = {op.short_name: op.family for op in ops.ALL}
    rows: dict[tuple[str, str], list[Row]] = {}
    for (op, dtype), row in tally.rows.items():
        rows.setdefault((families[op], dtype), []).append(row)
    table = _table("family", "dtype")
    for names, members in sorted(rows.items()):
        table.add_row(*names, *_sums(members))
    return table


def gradients(tally: Tally) -> Table:
    """Backward by backward."""
    table = Table("backward", box=box.SIMPLE_HEAD)
    for heading in ("calls", "slopes", "torch", "failed", "worst, of what may be"):
        table.add_column(heading, justify="right")
    for op, row in sorted(tally.gradients.items()):
        counts = map(str, (row.calls, row.slopes, row.with_torch, row.failures))
        table.add_row(op, *counts, f"{row.worst:.2g}", style="red" if row.failures else "")
    table.add_section()
    rows = list(tally.gradients.values())
    sums = (sum(getattr(row, of) for row in rows) for of in ("calls", "slopes", *_COUNTS[1:]))
    worst = max((row.worst for row in rows), default=0.0)
    table.add_row("all", *map(str, sums), f"{worst:.2g}", style="bold")
    return table


def _table(*names: str) -> Table:
    table = Table(*names, box=box.SIMPLE_HEAD)
    for heading in ("cases", "torch", "failed", "worst ulp"):
        table.add_column(heading, justify="right")
    return table


def _sums(rows: list[Row]) -> tuple[str, ...]:
    worst = max((row.worst for row in rows), default=0.0)
    return *(str(sum(getattr(row, of) for row in rows)) for of in _COUNTS), f"{worst:.2g}"
