# SPDX-License-Identifier: Apache-2.0
"""What `aclhost compare` prints: one comparison with all its numbers, or the failures of many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from aclhost.compare import Comparison
from aclhost.compare.rows import Entry

_BAR = 40


def show(console: Console, found: Comparison) -> None:
    """All about one pair."""
    shape = " x ".join(map(str, found.shape)) or "scalar"
    verdict = "[bold green]PASS[/]" if found.passed else "[bold red]FAIL[/]"
    console.print(f"{verdict}  {shape}, {found.dtype}: {found.equal} of {found.count} equal")
    for reason in found.failures:
        console.print(f"  [red]x[/] {escape(reason)}", soft_wrap=True)
    numbers = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("", "max", "mean"):
        numbers.add_column(head, justify="right" if head else "left")
    numbers.add_row("absolute", f"{found.max_absolute:.4g}", f"{found.mean_absolute:.4g}")
    numbers.add_row("relative", f"{found.max_relative:.4g}", f"{found.mean_relative:.4g}")
    numbers.add_row("ulp", f"{found.max_ulp:g}", "")
    console.print(numbers)
    console.print(
        f"cosine similarity {found.cosine:.9f}; "
        f"NaN mismatches {found.nan_mismatches}, Inf mismatches {found.inf_mismatches}"
    )
    console.print()
    _histogram(console, "ulps apart", found.ulps)
    _histogram(console, "absolute error", found.decades)
    _worst(console, found)


def _histogram(console: Console, title: str, counts: Mapping[str, int]) -> None:
    """Bars are linear in the count; one bad element among millions still has a mark."""
    total = max(sum(counts.values()), 1)
    most = max([*counts.values(), 1])
    console.print(f"[bold cyan]{title}[/]  {'elements':>{_BAR + 11 - len(title) + 10}}")
    for label, count in counts.items():
        filled = 0 if not count else max(1, round(_BAR * count / most))
        bar = f"[blue]{'#' * filled}[/]{'.' * (_BAR - filled)}"
        console.print(f"  {label:>9} {bar} {count:>10} {count / total:>8.3%}")
    console.print()


def _worst(console: Console, found: Comparison) -> None:
    if not found.worst:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="worst", title_justify="left")
    for head in ("index", "actual", "expected", "absolute", "relative", "ulp"):
        table.add_column(head, justify="left" if head == "index" else "right")
    for element in found.worst:
        values = (element.actual, element.expected, element.absolute, element.relative)
        index = ", ".join(map(str, element.index))
        table.add_row(escape(f"[{index}]"), *(f"{v:.8g}" for v in values), f"{element.ulps:g}")
    console.print(table)


def show_summary(
    console: Console, entries: Sequence[Entry], known: set[str], everything: bool
) -> None:
    """Failures first, and only failures unless everything is wanted; then how many pass."""
    ordered = sorted(entries, key=lambda entry: entry.badness)
    new = [entry for entry in ordered if not entry.passed and entry.name not in known]
    shown = ordered if everything else new
    if shown:
        console.print(_summary(shown))
    for entry in shown:
        if entry.comparison is None:
            console.print(f"[red]x[/] {escape(entry.problem)}", soft_wrap=True)
    passed = sum(entry.passed for entry in entries)
    console.print(f"{passed} of {len(entries)} pass")
    if known:
        before = len(entries) - passed - len(new)
        console.print(f"{len(new)} failed that did not before; {before} failed before, too")


def _summary(entries: Sequence[Entry]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("pair", "", "elements", "bad", "max abs", "max rel", "max ulp", "cosine"):
        left = head in ("pair", "")
        table.add_column(head, justify="left" if left else "right", overflow="fold")
    for entry in entries:
        colour = "green" if entry.passed else "red"
        table.add_row(escape(entry.name), f"[{colour}]{entry.verdict}[/]", *_cells(entry))
    return table


def _cells(entry: Entry) -> tuple[str, ...]:
    found = entry.comparison
    if found is None:
        return ("",) * 6
    return (
        str(found.count),
        str(found.outliers),
        f"{found.max_absolute:.3g}",
        f"{found.max_relative:.3g}",
        f"{found.max_ulp:g}",
        f"{found.cosine:.6f}",
    )
