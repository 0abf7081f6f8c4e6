# SPDX-License-Identifier: Apache-2.0
"""What a page links to: the operator's family, its gradient or forward, torch's function."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from aclhost import ops
from aclhost.spec.operator import Operator


def related(op: Operator) -> str:
    """One line of links."""
    return " ".join(_sentences(op))


def _sentences(op: Operator) -> Iterator[str]:
    yield f"Family: [{op.family}](index.md#{op.family})."
    if op.gradient is not None:
        yield f"Forward: {_link(ops.BY_NAME[op.gradient.forward])}."
    if backwards := _backwards().get(op.name):
        yield f"Gradient: {', '.join(map(_link, backwards))}."
    if op.name in _torch_names():
        yield f"In torch: `{_torch_names()[op.name]}`."


def _link(op: Operator) -> str:
    return f"[{op.name}]({op.page})"


@cache
def _backwards() -> dict[str, list[Operator]]:
    found: dict[str, list[Operator]] = {}
    for op in ops.ALL:
        if op.gradient is not None:
            found.setdefault(op.gradient.forward, []).append(op)
    return found


@cache
def _torch_names() -> dict[str, str]:
    text = files("aclhost.spec").joinpath("torch_names.json").read_text(encoding="utf-8")
    names: dict[str, str] = json.loads(text)
    return names
