# SPDX-License-Identifier: Apache-2.0
"""pyACL's functions that follow from their C prototypes: inputs in C's order, outputs before ret.

pyacl.json has upstream's Python names, C's, and behind a colon what functions that refuse give back
where that does not follow; ret is the status. Functions that take or give structures, lists or
Python functions are written by hand in aclhost.acl. pyacl_units.json has the modules for units that
only cards have, by what their functions give back; no C functions here stand behind them.
"""

from __future__ import annotations

import json
from pathlib import Path

from aclhost.spec import c_types, enums, runtime_api, unsupported_api
from aclhost.spec.functions import Function, Parameter

SOURCE = "src/aclhost/spec/pyacl.json"
_MODULES: dict[str, dict[str, str]] = json.loads(
    Path(__file__).with_suffix(".json").read_text(encoding="ascii")
)
UNITS_SOURCE = "src/aclhost/spec/pyacl_units.json"
_UNITS = json.loads(Path(__file__).with_name("pyacl_units.json").read_text(encoding="ascii"))
UNITS = tuple(_UNITS)
_INTEGERS = (
    "int8_t", "uint8_t", "int16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "size_t", "bool",
)  # fmt: skip


def functions(module: str) -> dict[str, Function]:
    """By Python name."""
    return {name: runtime_api.BY_NAME[_c_name(row)] for name, row in _MODULES[module].items()}


def _c_name(row: str) -> str:
    return row.partition(":")[0]


def answer(module: str, name: str) -> str:
    """The expression that a function gives back; empty where it follows from the prototype."""
    return _MODULES[module][name].partition(": ")[2]


def reason(unit: str) -> str:
    """Why nothing of it is supported."""
    text: str = _UNITS[unit]["reason"]
    return text


def answers(unit: str) -> dict[str, str]:
    """By Python name, the expression that its function gives back; ret is the status."""
    by_answer: dict[str, list[str]] = _UNITS[unit]["answers"]
    return {name: answer for answer, names in by_answer.items() for name in names}


def is_supported(name: str) -> bool:
    """Whether a name such as acl.rt.malloc, which aclhost.acl has, does more than to refuse."""
    _, *modules, function = name.split(".")
    module = modules[0] if modules else "tensor_descriptions"
    c_names = {
        _c_name(row)
        for part, rows in _MODULES.items()
        for each, row in rows.items()
        if each == function and part.startswith(module)
    }
    return module not in _UNITS and c_names.isdisjoint(unsupported_api.REASONS)


def is_output(parameter: Parameter) -> bool:
    """Whether the C function writes a number, a handle or an address there."""
    target = parameter.c_type.removesuffix(" const")
    if not target.endswith("*") or target.startswith("const "):
        return False
    written = written_type(parameter)
    return (
        written.endswith("*")
        or written in _INTEGERS
        or written in c_types.HANDLE_TYPES
        or written in enums.BY_NAME
    )


def written_type(parameter: Parameter) -> str:
    """Of what is_output() says."""
    return parameter.c_type.removesuffix(" const").removesuffix("*")
