# SPDX-License-Identifier: Apache-2.0
"""Expressions as text that a reader understands: `x / (1 + exp(-x))`.

Python's operators and precedence. What occurs more than once, and is long, gets a letter:
`g * s * (1 + x * (1 - s)) with s = sigmoid(x)`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from aclhost.spec.expression import Call, Constant, Convert, Expression, Input, Number, parts, walk

_ATOM = 13
_LONG = 8  # characters from which a repeated expression is named
_LETTERS = "stuvwabcdefghkpqrxyz"
_UNARY, _POWER = 11, 12


def formula(results: Iterable[Expression]) -> tuple[str, ...]:
    """The text of each result; the last ends with what they share."""
    results = tuple(results)
    names = _shared(results)
    texts = [_text(result, names) for result in results]
    shared = ", ".join(f"{letter} = {_text(node, names, True)}" for node, letter in names.items())
    return (*texts[:-1], f"{texts[-1]} with {shared}" if shared else texts[-1])


def _shown(node: Expression) -> Expression:
    """Without conversions that nobody wrote."""
    while isinstance(node, Convert) and not node.shown:
        node = node.value
    return node


def _shared(results: tuple[Expression, ...]) -> dict[Expression, str]:
    """Letters for repeated long expressions, in the order in which they are needed."""
    nodes = [node for node in walk(results) if _shown(node) is node]
    uses = Counter(_shown(part) for node in nodes for part in parts(node))
    uses.update(_shown(result) for result in results)
    taken = {node.name for node in nodes if isinstance(node, Input | Number)}
    letters = (letter for letter in _LETTERS if letter not in taken)
    names: dict[Expression, str] = {}
    for node in nodes:
        if uses[node] > 1 and isinstance(node, Call) and len(_text(node, names)) >= _LONG:
            names[node] = next(letters)
    return names


def _text(node: Expression, names: Mapping[Expression, str], whole: bool = False) -> str:
    return _with_precedence(_shown(node), names, whole)[0]


def _with_precedence(
    node: Expression, names: Mapping[Expression, str], whole: bool = False
) -> tuple[str, int]:
    """The text and how tightly it binds; `whole` spells out what has a name."""
    if not whole and node in names:
        return names[node], _ATOM
    if isinstance(node, Input | Number):
        return node.name, _ATOM
    if isinstance(node, Constant):
        return _constant(node)
    if isinstance(node, Convert):
        return f"{node.kind.domain.name.lower()}({_text(node.value, names)})", _ATOM
    assert isinstance(node, Call)
    operation = node.operation
    if "{0}" not in operation.formula:
        arguments = ", ".join(_text(argument, names) for argument in node.arguments)
        return f"{operation.formula}({arguments})", _ATOM
    operands = []
    for position, argument in enumerate(node.arguments):
        text, binds = _with_precedence(_shown(argument), names)
        operands.append(text if binds >= _needed(node, position) else f"({text})")
    return operation.formula.format(*operands), operation.precedence


def _needed(node: Call, position: int) -> int:
    """How tightly an operand must bind to stand without parentheses."""
    precedence = node.operation.precedence
    if precedence == _POWER:
        return _UNARY if position else _ATOM
    return precedence + position


def _constant(node: Constant) -> tuple[str, int]:
    value = node.value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    text = repr(value)
    return text, _UNARY if text.startswith("-") else _ATOM
