# SPDX-License-Identifier: Apache-2.0
"""The operators, one file each. A new file needs no registration: every `OP` here is found."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from aclhost.spec.operator import Operator


def _declared() -> tuple[Operator, ...]:
    names = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    return tuple(import_module(f"{__name__}.{name}").OP for name in names)


ALL: tuple[Operator, ...] = _declared()
BY_NAME = {op.name: op for op in ALL}
