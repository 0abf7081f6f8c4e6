# SPDX-License-Identifier: Apache-2.0
"""pyACL's functions that follow from their C prototypes: inputs in C's order, outputs before ret.

pyacl.json has upstream's Python names. Functions that take or give structures, lists or Python
functions are written by hand in aclhost.acl.
"""

from __future__ import annotations

import json
from pathlib import Path

from aclhost.spec import c_types, enums, runtime_api
from aclhost.spec.functions import Function, Parameter

SOURCE = "src/aclhost/spec/pyacl.json"
_MODULES: dict[str, dict[str, str]] = json.loads(
    Path(__file__).with_suffix(".json").read_text(encoding="ascii")
)
_INTEGERS = (
    "int8_t", "uint8_t", "int16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "size_t", "bool",
)  # fmt: skip


def functions(module: str) -> dict[str, Function]:
    """By Python name."""
    return {name: runtime_api.BY_NAME[c_name] for name, c_name in _MODULES[module].items()}


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
