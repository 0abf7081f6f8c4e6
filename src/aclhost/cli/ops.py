# SPDX-License-Identifier: Apache-2.0
"""`aclhost ops`: the operators, from the same declarations as the library."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Any

import click

from aclhost.cli import listing
from aclhost.cli.completion import operators
from aclhost.cli.console import give_up, output, print_json, width
from aclhost.spec import names, products

_NARROWEST = 20


@click.command("ops", short_help="List the operators, or show one of them.")
@click.argument("name", required=False, metavar="[NAME]", shell_complete=operators)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def ops_command(name: str | None, as_json: bool) -> None:
    """List the operators, or show NAME: parameters, checks with codes, formulas, notes.

    NAME is the C name or the Python name, with or without aclnn: aclnnElu, elu_backward. A part
    of names lists the operators that have it: aclhost ops pool.
    """
    rows = listing.rows() if name is None else listing.having(name)
    if name is None or (rows and not listing.is_name(name)):
        if as_json:
            print_json([row["summary"] for row in rows])
        else:
            click.echo("\n".join(_overview(rows)))
        return
    # Here, because it imports the declarations.
    from aclhost.cli import operator_page

    try:
        op = names.operator(name)
    except names.UnknownNameError as error:
        give_up(str(error))
    if as_json:
        print_json(operator_page.as_data(op))
    else:
        operator_page.show(output(), op)


def _overview(rows: list[dict[str, Any]]) -> Iterator[str]:
    """A table by hand: rich needs longer for it than for all the rest."""
    cells = [
        (row["summary"]["name"] if first else "", dtypes, ", ".join(on))
        for row in rows
        for first, (dtypes, on) in _numbered(row["groups"])
    ]
    head = ("operator", "dtypes of the first tensor", "products")
    widths = [max(len(row[column]) for row in (head, *cells)) for column in (0, 2)]
    middle = max(width() - sum(widths) - 4, _NARROWEST)
    for name, dtypes, on in (head, *cells):
        for number, line in enumerate(wrap(dtypes, middle)):
            last = on if number == 0 else ""
            shown = click.style(f"{name if number == 0 else '':{widths[0]}}", bold=True)
            yield f"{shown}  {line:{middle}}  {last}".rstrip()
    yield ""
    yield f"{len(rows)} operator{'' if len(rows) == 1 else 's'}"
    yield from wrap(products.KEYS, width())


def _numbered(groups: dict[str, list[str]]) -> Iterator[tuple[bool, tuple[str, list[str]]]]:
    for number, group in enumerate(groups.items()):
        yield number == 0, group
