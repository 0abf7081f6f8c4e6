# SPDX-License-Identifier: Apache-2.0
"""Names in Python sources: attributes of a library, strings that are a name, calls of pyACL."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from aclhost.scan.names import NAME, Mention


def mentions(text: str) -> Iterator[Mention]:
    """Every name.

    Raises:
        SyntaxError: the text is no Python.

    """
    tree = ast.parse(text)
    called = {id(node.func): node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        name = _name(node)
        if name is not None and NAME.fullmatch(name):
            attribute = isinstance(node, ast.Attribute) and name.startswith("aclnn")
            used = isinstance(node, ast.Constant) or attribute or id(node) in called
            yield Mention(name, used)
    if any(map(_imports_acl, ast.walk(tree))):
        names = filter(None, map(_dotted, called.values()))
        yield from (Mention(name) for name in names if name.startswith("acl."))


def _name(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None


def _imports_acl(node: ast.AST) -> bool:
    """Whether `acl` is pyACL from here on."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return False
    return any((alias.asname or alias.name) == "acl" for alias in node.names)


def _dotted(node: ast.expr) -> str | None:
    """`a.b.c`, or None for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (owner := _dotted(node.value)):
        return f"{owner}.{node.attr}"
    return None
