# SPDX-License-Identifier: Apache-2.0
"""`aclhost explain`: what a status means, and what the library would say about a call."""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import Any

import click
from rich import box
from rich.markup import escape
from rich.table import Table

from aclhost import ops
from aclhost.cli.completion import call_arguments, codes_and_operators, socs
from aclhost.cli.console import give_up, output, print_json
from aclhost.spec import described, names, products
from aclhost.spec.error_advice import ADVICE
from aclhost.spec.error_codes import ErrorCode
from aclhost.spec.evaluate import Outcome, evaluate
from aclhost.spec.operator import Operator
from aclhost.spec.params import TENSORS, TensorOut
from aclhost.spec.products import Product


@click.command(short_help="Explain a status code, or check a described call.")
@click.argument("what", metavar="CODE|NAME", shell_complete=codes_and_operators)
@click.argument("arguments", nargs=-1, metavar="[ARG=VALUE]...", shell_complete=call_arguments)
@click.option(
    "--soc", help="A product (A2) or SoC (Ascend910B1); all if not given.", shell_complete=socs
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def explain(what: str, arguments: tuple[str, ...], soc: str | None, as_json: bool) -> None:
    """Explain a status CODE, or check a call of NAME without running it.

    \b
    aclhost explain 161002
    aclhost explain EZ1001
    aclhost explain aclnnEluBackward 'gradOutput=bf16[2,3]' 'selfOrResult=bf16[2,3]'
    aclhost explain elu 'self=float[2,3]:strides=1,2' alpha=1:INT64 --soc A2

    A tensor is DTYPE[SIZES], then any of :FORMAT :strides=1,2 :offset=N :storage=N; a scalar is
    VALUE or VALUE:DTYPE; null is a null pointer. What has a default may be left out, and so may
    results: they are worked out. Shells want brackets to be quoted.

    The exit status is 1 if some product that has the operator refuses the call.
    """  # noqa: D301 - click reads the \b character
    if not arguments and _is_code(what):
        _explain_code(_or_give_up(names.status_codes, what), as_json)
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
    _explain_call(op, arguments, on, as_json)


def _or_give_up(find: Any, text: str) -> Any:  # noqa: ANN401
    try:
        return find(text)
    except names.UnknownNameError as error:
        give_up(str(error))


def _is_code(text: str) -> bool:
    return text.lstrip("-").isdigit() or (text.isupper() and "_" in text) or names.is_family(text)


def _explain_code(codes: tuple[ErrorCode, ...], as_json: bool) -> None:
    found = [_code_data(code) for code in codes]
    if as_json:
        print_json(found)
        return
    console = output()
    for data in found:
        console.print(f"[bold]{data['value']}[/]  [bold]{data['name']}[/]")
        console.print(f"  {data['sentence']}", soft_wrap=True)
        if not data["returned"]:
            console.print("  aclhost never returns this code; a device does.", soft_wrap=True)
        for title, lines in (("Usual causes", data["causes"]), ("What to do", data["remedy"])):
            if lines:
                console.print(f"\n[bold cyan]{title}[/]")
                for line in [lines] if isinstance(lines, str) else lines:
                    console.print(f"  - {escape(line)}", soft_wrap=True)
        if data["rules"]:
            console.print("\n[bold cyan]Rules that return it[/]")
            for name, rules in data["rules"].items():
                console.print(f"  [bold]{name}[/]: {', '.join(rules)}", soft_wrap=True)


def _code_data(code: ErrorCode) -> dict[str, Any]:
    advice = ADVICE.get(code.value)
    rules: dict[str, list[str]] = defaultdict(list)
    for op in ops.ALL:
        for rule in op.rules:
            if int(rule.code) == code.value and rule.id not in rules[op.name]:
                rules[op.name].append(rule.id)
    return {
        "value": code.value,
        "name": code.name,
        "meaning": code.meaning,
        "sentence": code.sentence,
        "returned": code.value == 0 or advice is not None,
        "causes": list(advice.causes) if advice else [],
        "remedy": advice.remedy if advice else "",
        "rules": {name: found for name, found in rules.items() if found},
    }


def _explain_call(
    op: Operator, words: tuple[str, ...], on: tuple[Product, ...], as_json: bool
) -> None:
    try:
        call = described.describe(op, words)
        there = [product for product in on if product in op.products or len(on) == 1]
        outcomes = {product: evaluate(op, call.on(product)) for product in there}
    except ValueError as error:
        give_up(str(error))
    absent = tuple(product for product in on if product not in there)
    if as_json:
        print_json(
            [
                _outcome_data(each, outcomes[each]) if each in outcomes else _absent_data(each)
                for each in on
            ]
        )
    else:
        _show(op, outcomes, absent)
    sys.exit(1 if any(outcome.rule for outcome in outcomes.values()) else 0)


def _absent_data(product: Product) -> dict[str, Any]:
    """A product that does not have the operator, which is no refusal."""
    return {"product": product.key, "soc": product.default_soc, "exists": False, "accepted": None}


def _outcome_data(product: Product, outcome: Outcome) -> dict[str, Any]:
    rule = outcome.rule
    return {
        "product": product.key,
        "soc": product.default_soc,
        "exists": True,
        "accepted": rule is None,
        "status": outcome.status,
        "phase": outcome.phase if rule else None,
        "number": outcome.number or None,
        "rule": rule.id if rule else None,
        "parameter": rule.parameter if rule else None,
        "message": outcome.message,
    }


def _show(op: Operator, outcomes: dict[Product, Outcome], absent: tuple[Product, ...]) -> None:
    console = output()
    console.print(f"[bold]{op.name}[/], as described")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("product", "status", "check", "parameter", "rule"):
        table.add_column(head, overflow="fold")
    for product, outcome in outcomes.items():
        table.add_row(product.title, *_cells(outcome))
    for product in absent:
        table.add_row(product.title, "[dim]-[/]", "", "", "[dim]does not have the operator[/]")
    console.print(table)
    for message in dict.fromkeys(_text(*each) for each in outcomes.items() if each[1].rule):
        console.print(f"[red]x[/] {escape(message)}", soft_wrap=True)


def _cells(outcome: Outcome) -> tuple[str, ...]:
    rule = outcome.rule
    if rule is None:
        return ("[green]ok[/]", "", "", "")
    where = f"{outcome.number}" + (" (phase 2)" if outcome.phase == 2 else "")
    return (f"[red]{outcome.status}[/]", where, rule.parameter, rule.id)


def _text(product: Product, outcome: Outcome) -> str:
    """The message without the product, which the table tells; so equal reasons print once."""
    return outcome.message.replace(f" (product {product.title}, {product.default_soc})", "")
