# SPDX-License-Identifier: Apache-2.0
"""What a name of AscendCL is, and whether aclhost has it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Literal

from aclhost import ops
from aclhost.spec import c_types, catalogue, enums, pyacl, runtime_api, unsupported_api

Kind = Literal["operator", "runtime"]
State = Literal["computed", "known", "unknown"]

NAME = re.compile(r"\b[aA]cl[a-z]*[A-Z]\w*")
_TYPES = {
    "aclError", "aclnnStatus", "aclFloat16",
    *enums.BY_NAME, *c_types.HANDLE_TYPES, *c_types.OBJECT_TYPES, *c_types.CALLBACK_TYPES,
}  # fmt: skip


@dataclass(frozen=True)
class Mention:
    """A name in a file."""

    name: str
    used: bool = True  # called, passed on or asked for by its name; a type would not be


@dataclass(frozen=True)
class Identity:
    """What a mention stands for; the two phases of an operator are one."""

    name: str
    kind: Kind
    state: State


def identify(mention: Mention) -> Identity | None:
    """None for types, and for what only looks like a function of AscendCL."""
    name = mention.name
    operator = name.removesuffix("GetWorkspaceSize")
    if name.startswith("acl."):
        return Identity(name, "runtime", _state_in_pyacl(name))
    if name in _runtime():
        return Identity(name, "runtime", _runtime()[name])
    if operator in _operators():
        return Identity(operator, "operator", _operators()[operator])
    if not mention.used or not name.startswith("acl") or name in _TYPES:
        return None
    if re.match("aclnn[A-Z]", name):
        return Identity(operator, "operator", "unknown")
    return Identity(name, "runtime", "unknown")


def _state_in_pyacl(name: str) -> State:
    value: object = import_module("aclhost.acl")
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
    if value is None:
        return "unknown"
    return "computed" if pyacl.is_supported(name) else "known"


@cache
def _runtime() -> dict[str, State]:
    unsupported = {function.name for function in unsupported_api.FUNCTIONS}
    states: dict[str, State] = dict.fromkeys(catalogue.runtime_functions(), "known")
    for name in runtime_api.BY_NAME:
        states[name] = "known" if name in unsupported else "computed"
    return states


@cache
def _operators() -> dict[str, State]:
    single = (function.name for function in catalogue.single_functions())
    states: dict[str, State] = dict.fromkeys((*catalogue.operators(), *single), "known")
    computed = (function.name for function in catalogue.computed_functions())
    states.update(dict.fromkeys((*ops.BY_NAME, *computed), "computed"))
    return states
