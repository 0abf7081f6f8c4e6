# SPDX-License-Identifier: Apache-2.0
"""The operators, in families. A new file needs no registration: every `OP` and `OPS` is found."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from aclhost.spec.operator import Operator

_HERE = Path(__file__).parent


def _declared() -> Iterator[Operator]:
    for path in _HERE.rglob("[a-z]*.py"):
        module = import_module(".".join((__name__, *path.relative_to(_HERE).with_suffix("").parts)))
        if hasattr(module, "OP"):
            yield module.OP
        yield from getattr(module, "OPS", ())


ALL: tuple[Operator, ...] = tuple(sorted(_declared(), key=lambda op: op.snake_name))
BY_NAME = {op.name: op for op in ALL}
