# SPDX-License-Identifier: Apache-2.0
"""`aclhost ops`: the operators, from the same declarations as the library."""

from __future__ import annotations

from typing import Any

import click
from rich import box
from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from aclhost import _names, ops
from aclhost.cli.completion import operators
from aclhost.cli.console import give_up, output, print_json
from aclhost.gen.pages import direction, dtype_groups, dtype_names, step_rows
from aclhost.gen.python_text import signature, wrapped_signature
from aclhost.spec import products
from aclhost.spec.operator import Operator

_KEYS = ", ".join(f"{product.key}: {product.title}" for product in products.ALL)


@click.command("ops", short_help="List the operators, or show one of them.")
@click.argument("name", required=False, metavar="[NAME]", shell_complete=operators)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def ops_command(name: str | None, as_json: bool) -> None:
    """List the operators, or show NAME: parameters, checks with codes, formulas, notes.

    NAME is the C name or the Python name, with or without aclnn: aclnnElu, elu_backward.
    """
    if name is None:
        if as_json:
            print_json([_summary(op) for op in ops.ALL])
        else:
            output().print(_overview())
        return
    try:
        op = _names.operator(name)
    except _names.UnknownNameError as error:
        give_up(str(error))
    if as_json:
        print_json(as_data(op))
    else:
        _show(output(), op)


def _overview() -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=_KEYS, caption_justify="left")
    table.add_column("operator", style="bold", no_wrap=True)
    table.add_column("dtypes of the first tensor")
    table.add_column("products")
    for op in ops.ALL:
        name = op.name
        for names, on in dtype_groups(op).items():
            table.add_row(name, names, ", ".join(product.key for product in on))
            name = ""
    return table


def _summary(op: Operator) -> dict[str, Any]:
    return {
        "name": op.name,
        "python": op.snake_name,
        "header": f"aclnnop/{op.header}",
        "summary": op.summary,
        "products": [product.key for product in op.products],
        "dtypes": {
            tensor.name: {
                product.key: _dtype_list(op, tensor.name, product) for product in op.products
            }
            for tensor in op.tensors
        },
    }


def _dtype_list(op: Operator, tensor: str, product: products.Product) -> list[str] | None:
    rule = op.dtype_rule(tensor)
    return None if rule is None else [str(dtype) for dtype in rule.dtypes(product) or ()]


def as_data(op: Operator) -> dict[str, Any]:
    """Everything that the page of an operator says, as plain values."""
    return {
        **_summary(op),
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


def _show(console: Console, op: Operator) -> None:
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
        table.add_column(head, no_wrap=head == "name")
    for param in op.params:
        row = (param.c_type, direction(param), param.doc, param.python_default or "")
        table.add_row(f"[bold]{param.name}[/]", *row)
    return table


def _dtypes(op: Operator) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=_KEYS, caption_justify="left")
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
