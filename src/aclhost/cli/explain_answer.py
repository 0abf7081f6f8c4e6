# SPDX-License-Identifier: Apache-2.0
"""What `aclhost explain` finds out and prints."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from aclhost.cli.console import give_up, output, print_json
from aclhost.explaining import Code, Explanation, Verdict, explain_call, explain_code, is_code
from aclhost.spec import names, products
from aclhost.spec.operator import Operator
from aclhost.spec.params import TENSORS, TensorOut

_ABSENT = ("product", "soc", "exists", "accepted")
_COMMON = 12  # rules that are listed


def answer(what: str, arguments: tuple[str, ...], soc: str | None, as_json: bool) -> None:
    """Explains a code, or a call; a call that is refused ends the command with 1."""
    if not arguments and is_code(what):
        _show_codes(_or_give_up(explain_code, what).codes, as_json)
        return
    op: Operator = _or_give_up(names.operator, what)
    if not arguments:
        needed = " ".join(
            f"'{p.name}=float32[2,3]'" if isinstance(p, TENSORS) else f"{p.name}=..."
            for p in op.params
            if p.python_default is None and not (isinstance(p, TensorOut) and p.can_be_made)
        )
        give_up(f"describe the call: aclhost explain {op.name} {needed}")
    on = products.ALL if soc in (None, "all") else (_or_give_up(names.product, soc),)
    try:
        found = explain_call(op, arguments, on)
    except ValueError as error:
        give_up(str(error))
    if as_json:
        print_json([_data(verdict) for verdict in found.verdicts])
    else:
        _show(found)
    sys.exit(0 if found.accepted else 1)


def _or_give_up(find: Any, text: str) -> Any:  # noqa: ANN401
    try:
        return find(text)
    except names.UnknownNameError as error:
        give_up(str(error))


def _show_codes(codes: tuple[Code, ...], as_json: bool) -> None:
    if as_json:
        print_json([asdict(code) for code in codes])
        return
    console = output()
    for code in codes:
        console.print(f"[bold]{code.value}[/]  [bold]{code.name}[/]")
        console.print(f"  {code.sentence}", soft_wrap=True)
        if not code.returned:
            console.print("  aclhost never returns this code; a device does.", soft_wrap=True)
        remedy = (code.remedy,) if code.remedy else ()
        for title, lines in (("Usual causes", code.causes), ("What to do", remedy)):
            if lines:
                console.print(f"\n[bold cyan]{title}[/]")
                for line in lines:
                    console.print(f"  - {escape(line)}", soft_wrap=True)
        if code.rules:
            console.print("\n[bold cyan]Rules that return it[/]")
            console.print(f"  {_rules(code.rules)}", soft_wrap=True)
            console.print("  aclhost ops NAME lists the checks of one operator.", soft_wrap=True)


def _rules(by_operator: Mapping[str, list[str]]) -> str:
    """The most common, with the number of operators that have them; JSON has all."""
    counts = Counter(rule for rules in by_operator.values() for rule in set(rules))
    ordered = sorted(counts, key=lambda rule: (-counts[rule], rule))
    listed = ", ".join(f"{rule} ({counts[rule]})" for rule in ordered[:_COMMON])
    more = f" and {len(ordered) - _COMMON} more" if len(ordered) > _COMMON else ""
    operators = "1 operator" if len(by_operator) == 1 else f"{len(by_operator)} operators"
    return f"{listed}{more}, of {operators}"


def _data(verdict: Verdict) -> dict[str, Any]:
    """A product that does not have the operator says nothing else."""
    data = asdict(verdict)
    return data if verdict.exists else {key: data[key] for key in _ABSENT}


def _show(found: Explanation) -> None:
    console = output()
    console.print(f"[bold]{found.operator}[/], as described")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("product", "status", "check", "parameter", "rule"):
        table.add_column(head, overflow="fold")
    for verdict in sorted(found.verdicts, key=lambda each: not each.exists):
        table.add_row(verdict.title, *_cells(verdict))
    console.print(table)
    for message in found.messages:
        console.print(f"[red]x[/] {escape(message)}", soft_wrap=True)


def _cells(verdict: Verdict) -> tuple[str, ...]:
    if not verdict.exists:
        return ("[dim]-[/]", "", "", "[dim]does not have the operator[/]")
    if verdict.accepted:
        return ("[green]ok[/]", "", "", "")
    where = f"{verdict.number}" + (" (phase 2)" if verdict.phase == 2 else "")
    return (f"[red]{verdict.status}[/]", where, verdict.parameter or "", verdict.rule or "")
