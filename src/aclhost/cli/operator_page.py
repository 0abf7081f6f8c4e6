# SPDX-License-Identifier: Apache-2.0
"""Everything about one operator, as plain values and on the terminal."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from aclhost.gen.listing import summary
from aclhost.gen.pages import direction, dtype_names, step_rows
from aclhost.gen.python_text import signature, wrapped_signature
from aclhost.spec import products
from aclhost.spec.operator import Operator


def as_data(op: Operator) -> dict[str, Any]:
    """Everything that the page of an operator says, as plain values."""
    return {
        **summary(op),
        "signature": f"aclhost.{signature(op)}",
        "formula": op.formula,
        "parameters": [
            {
                "name": param.name,
                "python": param.python_name,
                "c_type": param.c_type,
                "direction": direction(param),
                "doc": param.doc,
                "default": param.python_default,
            }
            for param in op.params
        ],
        "checks": [
            {
                "number": number,
                "status": int(rule.code),
                "rule": rule.id,
                "parameter": rule.parameter,
                "sentence": rule.sentence(),
                "advice": rule.advice,
                "phase": 2 if rule in op.late_rules else 1,
            }
            for number, rule in enumerate(op.rules, 1)
        ],
        "formats": op.formats,
        "determinism": op.determinism,
        "notes": list(op.notes),
        "source": op.source,
    }


def show(console: Console, op: Operator) -> None:
    """Prints it."""
    console.print(f"[bold]{op.name}[/]  {op.summary}")
    console.print(f'[dim]#include "aclnnop/{op.header}"[/]')
    _section(console, "Python", escape(wrapped_signature(op)))
    _section(console, "What it computes", Markdown(op.formula))
    _section(console, "Parameters", _parameters(op))
    _section(console, "Data types by product", _dtypes(op))
    _section(console, "Checks, in order; the first failure decides", _checks(op))
    _section(console, "Formats", op.formats)
    _section(console, "Determinism", op.determinism)
    if op.notes:
        _section(console, "Differences and limits", Markdown("\n".join(f"- {n}" for n in op.notes)))


def _section(console: Console, title: str, body: RenderableType) -> None:
    console.print()
    console.print(f"[bold cyan]{title}[/]")
    console.print(Padding(body, (0, 0, 0, 2)))


def _parameters(op: Operator) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("name", "C type", "", "meaning", "default"):
        table.add_column(head, no_wrap=head == "name", overflow="fold")
    for param in op.params:
        row = (param.c_type, direction(param), param.doc, param.python_default or "")
        table.add_row(f"[bold]{param.name}[/]", *row)
    return table


def _dtypes(op: Operator) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, caption=products.KEYS, caption_justify="left"
    )
    table.add_column("", no_wrap=True)
    for tensor in op.tensors:
        table.add_column(tensor.name, overflow="fold")
    for product in products.ALL:
        cells = (dtype_names(op, tensor, product) for tensor in op.tensors)
        table.add_row(product.key, *cells)
    return table


def _checks(op: Operator) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("status", no_wrap=True)
    table.add_column("rule")
    for number, status, _, sentence, _ in step_rows(op):
        table.add_row(number, status, sentence.replace("`", ""))
    return table
