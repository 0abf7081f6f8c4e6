# SPDX-License-Identifier: Apache-2.0
"""How a C type of a header is declared, and the types that header_types.json lists.

The types that programs use most are written out in enums.py and c_types.py, with a summary.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Constant:
    """One enumerator or macro. Hexadecimal values are flags that may be combined."""

    name: str
    value: int
    hexadecimal: bool = False

    @property
    def literal(self) -> str:
        return f"0x{self.value:X}" if self.hexadecimal else str(self.value)


@dataclass(frozen=True)
class Enumeration:
    """One C enum, declared by one header."""

    name: str
    header: str
    summary: str
    members: tuple[Constant, ...]


@dataclass(frozen=True)
class MacroGroup:
    """Macros that belong together, declared by one header."""

    header: str
    summary: str
    members: tuple[Constant, ...]


@dataclass(frozen=True)
class CType:
    """A type that is spelled out in a header."""

    header: str
    summary: str
    text: str


_FILE = Path(__file__).with_suffix(".json")
_ENTRIES: list[tuple[str, dict[str, Any]]] = [
    (header, entry)
    for header, entries in json.loads(_FILE.read_text(encoding="ascii")).items()
    for entry in entries
]


def _constants(values: dict[str, int | str]) -> tuple[Constant, ...]:
    """A value in quotes is hexadecimal."""
    return tuple(
        Constant(name, int(str(value), 0), isinstance(value, str)) for name, value in values.items()
    )


def _field(field: str | dict[str, Any], indent: str) -> str:
    if isinstance(field, str):
        # Arrays without a length are everybody's extension of C++.
        return f"{indent}{'__extension__ ' if field.endswith('[]') else ''}{field};\n"
    members = "".join(_field(each, indent + "  ") for each in field["fields"])
    name = field["union"]
    head = "union" if name else "__extension__ union"  # one without a name, of C99
    return f"{indent}{head} {{\n{members}{indent}}}{' ' if name else ''}{name};\n"


def _compound(keyword: str, entry: dict[str, Any]) -> str:
    name = entry[keyword]
    members = "".join(_field(field, "  ") for field in entry["fields"])
    return f"typedef {keyword} {name} {{\n{members}}} {name};"


def _type_text(entry: dict[str, Any]) -> str:
    match entry:
        case {"opaque": name}:
            return f"typedef struct {name} {name};"
        case {"callback": name, "returns": returns, "parameters": parameters}:
            return f"typedef {returns} (*{name})({', '.join(parameters)});"
        case {"array": name, "of": item, "length": length}:
            return f"typedef {item} {name}[{length}];"
        case {"text_macros": values}:
            return "\n".join(f'#define {name} "{text}"' for name, text in values.items())
        case {"struct": _}:
            return _compound("struct", entry)
    return _compound("union", entry)


_COMPOSED = ("opaque", "callback", "struct", "union", "array", "text_macros")

ENUMERATIONS = tuple(
    Enumeration(entry["enum"], header, "", _constants(entry["members"]))
    for header, entry in _ENTRIES
    if "enum" in entry
)
MACROS = tuple(
    MacroGroup(header, "", _constants(entry["macros"]))
    for header, entry in _ENTRIES
    if "macros" in entry
)
# In the order of the file: a type follows those that it is made of.
TYPES = tuple(
    CType(header, "", _type_text(entry))
    for header, entry in _ENTRIES
    if any(kind in entry for kind in _COMPOSED)
)
CALLBACKS = tuple(entry["callback"] for _, entry in _ENTRIES if "callback" in entry)
STRUCTS: dict[str, list[str]] = {
    entry["struct"]: entry["fields"] for _, entry in _ENTRIES if "struct" in entry
}
