# SPDX-License-Identifier: Apache-2.0
"""The operators, in families. A new file needs no registration: every `OP` and `OPS` is found.

`ALL` has them in the order of their Python names and imports every file. `BY_NAME[name]` imports
only the file that declares the operator, once the build has listed which one that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aclhost.spec.operator import Operator

    ALL: tuple[Operator, ...]

_HERE = Path(__file__).parent


class _ByName(Mapping[str, "Operator"]):
    """The operators by their C names, in the order of `ALL`."""

    def __getitem__(self, name: str) -> Operator:
        return _in_module(_modules()[name])[name]

    def __contains__(self, name: object) -> bool:
        return name in _modules()

    def __iter__(self) -> Iterator[str]:
        return iter(_modules())

    def __len__(self) -> int:
        return len(_modules())


BY_NAME = _ByName()


def __getattr__(name: str) -> tuple[Operator, ...]:
    if name == "ALL":
        return _all()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _all() -> tuple[Operator, ...]:
    return tuple(_in_module(module)[name] for name, module in declaring_modules().items())


@cache
def declaring_modules() -> dict[str, str]:
    """Which module each operator is found in, by looking into all; ordered by Python names."""
    paths = (path.relative_to(_HERE).with_suffix("") for path in _HERE.rglob("[a-z]*.py"))
    modules = (".".join(path.parts) for path in paths)
    found = [(op, module) for module in modules for op in _in_module(module).values()]
    found.sort(key=lambda each: each[0].snake_name)
    return {op.name: module for op, module in found}


@cache
def _modules() -> Mapping[str, str]:
    """The same, as the build has written it down: gen/listing.py."""
    try:
        written: dict[str, str] = import_module("aclhost._declared").MODULES
    except ModuleNotFoundError:
        return declaring_modules()
    return written


@cache
def _in_module(name: str) -> dict[str, Operator]:
    module: Any = import_module(f"{__name__}.{name}")
    found = (*([module.OP] if hasattr(module, "OP") else []), *getattr(module, "OPS", ()))
    return {op.name: op for op in found}
