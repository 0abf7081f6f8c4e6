# SPDX-License-Identifier: Apache-2.0
"""What an operator's checks say about a described call, without the library.

The same walk as in `native/operator/rules.cc`, down to the letter of the message.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aclhost.spec import dtypes, formats
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.operator import Operator
from aclhost.spec.rules.base import Done, Rule, Shown
from aclhost.spec.shapes import ShapeTerm
from aclhost.spec.terms import Term

_FORMATS = {fmt.value: fmt for fmt in formats.ALL}


@dataclass(frozen=True)
class Outcome:
    """How the checks of one call end."""

    op: Operator
    call: Call
    rule: Rule | None = None  # the one that failed
    number: int = 0  # its position among the operator's rules, counted from 1
    idle: bool = False  # phase 1 succeeded early, with nothing to do
    phase: int = 1

    @property
    def status(self) -> int:
        """What the library returns."""
        return int(self.rule.code) if self.rule else 0

    @property
    def message(self) -> str:
        """What a user reads; searches for calls that pass never do."""
        return message(self.op, self.rule, self.call) if self.rule else ""


def evaluate(op: Operator, call: Call) -> Outcome:
    """The first rule that fails, or that nothing does."""
    number = 0
    for step in op.steps:
        if isinstance(step, Done):
            if step.condition.term.evaluate(call):
                return Outcome(op, call, idle=True)
            continue
        number += 1
        if _fails(step, call):
            return Outcome(op, call, step, number)
    for late, rule in enumerate(op.late_rules, number + 1):
        if _fails(rule, call):
            return Outcome(op, call, rule, late, phase=2)
    return Outcome(op, call)


def _fails(rule: Rule, call: Call) -> bool:
    if rule.condition is not None and not rule.condition.term.evaluate(call):
        return False
    return not rule.holds.evaluate(call)


def message(op: Operator, rule: Rule, call: Call) -> str:
    """What a user reads: operator, rule, got, product, what to do."""
    got = "".join(part if isinstance(part, str) else _shown(part, call) for part in rule.got)
    product = call.product
    return (
        f"{op.name}: {rule.sentence(product)}; got {got} (product {product.title}, "
        f"{product.default_soc}). {rule.advice}"
    )


def _shown(part: Shown, call: Call) -> str:
    of = part.of
    if isinstance(of, ShapeTerm):
        return _list(of.evaluate(call))
    if isinstance(of, Term):
        return _number(part.kind, of.evaluate(call))
    return call.product.title if part.kind == "product" else _argument(part.kind, call, of)


def _argument(kind: str, call: Call, name: str) -> str:
    if kind == "real":
        return f"{call.real(name):g}"
    if kind == "array":
        return _list(call.integers(name))
    if kind == "text":
        text = call.arguments[name]
        return f'"{text}"' if isinstance(text, str) else "a null pointer"
    return _layout(kind, call.first(name))


def _number(kind: str, value: int) -> str:
    if kind == "dtype":
        return dtypes.BY_VALUE[value].name
    return _FORMATS[value].name if kind == "format" else str(value)


def _layout(kind: str, tensor: object) -> str:
    if not isinstance(tensor, TensorArg):
        return "a null pointer"
    if kind == "strides":
        return f"strides {_list(tensor.element_strides)} for shape {_list(tensor.shape)}"
    first, last = tensor.reach()
    return (
        f"a view from element {first} to {last} of a storage of {tensor.storage_elements} elements"
    )


def _list(values: Iterable[int]) -> str:
    return f"[{', '.join(map(str, values))}]"
