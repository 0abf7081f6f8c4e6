# SPDX-License-Identifier: Apache-2.0
"""Failed cases once more: from their text, read without running it, or typed into Python.

from aclhost.campaign.again import *
check("aclnnElu", "python", Call(...))
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from math import inf, nan
from typing import Any

from aclhost import ops
from aclhost.campaign import check as checks
from aclhost.campaign.case import Case
from aclhost.campaign.check import Outcome
from aclhost.campaign.rounds import stream
from aclhost.spec import dtypes, formats, products
from aclhost.spec.call import Call, ScalarArg, TensorArg

__all__ = [
    "Call",
    "ScalarArg",
    "TensorArg",
    "check",
    "dtypes",
    "formats",
    "inf",
    "nan",
    "products",
]


def _case(op: str, route: str, call: Call) -> Case:
    return Case(ops.BY_NAME[op], route, call)


def check(op: str, route: str, call: Call) -> Outcome:
    """Runs the case; raises what it raised."""
    return run(_case(op, route, call))


def run(case: Case) -> Outcome:
    """The same."""
    with stream() as handle:
        return checks.check(case, handle)


_NUMBERS = {"inf": inf, "nan": nan}
_MODULES = {"dtypes": dtypes, "formats": formats, "products": products}
_MADE: dict[str, Callable[..., Any]] = {
    "check": _case, "Call": Call, "TensorArg": TensorArg, "ScalarArg": ScalarArg,
}  # fmt: skip


def read_case(text: str) -> Case:
    """The case that a text describes; a file from elsewhere can make nothing else happen.

    Raises:
        ValueError: the text is not that of a case.

    """
    try:
        case = _read(ast.parse(text, mode="eval").body)
    except (SyntaxError, TypeError, KeyError, AttributeError, RecursionError):
        case = None
    if not isinstance(case, Case):
        raise ValueError("this is not the text of a case")
    return case


def _read(node: ast.expr) -> Any:  # noqa: PLR0911 (one for each kind)
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return _NUMBERS[node.id]
        case ast.Tuple() | ast.List():
            return tuple(map(_read, node.elts))
        case ast.Dict():
            keys = [_read(key) for key in node.keys if key is not None]
            return dict(zip(keys, map(_read, node.values), strict=True))
        case ast.UnaryOp(op=ast.USub()):
            return -_read(node.operand)
        case ast.BinOp(op=ast.Add()):  # a complex number
            return _read(node.left) + _read(node.right)
        case ast.BinOp(op=ast.Sub()):
            return _read(node.left) - _read(node.right)
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return getattr(_MODULES[module], name)
        case ast.Call(func=ast.Name(id=name)):
            named = {each.arg: _read(each.value) for each in node.keywords if each.arg}
            return _MADE[name](*map(_read, node.args), **named)
    raise TypeError(type(node).__name__)
