# SPDX-License-Identifier: Apache-2.0
"""C functions that exist so that clients link and load, and answer that they are not supported.

A function that works is no longer listed in not_supported.json but declared with a summary.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from aclhost.spec.functions import Function, functions

SOURCE = "src/aclhost/spec/not_supported.json"
_FILE = Path(__file__).with_name("not_supported.json")


@dataclass(frozen=True)
class Group:
    """Functions that are missing for one reason, which each of them tells."""

    name: str
    reason: str
    functions: tuple[Function, ...]


def _groups() -> tuple[Group, ...]:
    return tuple(
        Group(
            row["group"],
            row["reason"],
            tuple(
                function
                for header, prototypes in row["functions"].items()
                for function in functions(
                    header, *((each, "Not supported.") for each in prototypes)
                )
            ),
        )
        for row in json.loads(_FILE.read_text(encoding="ascii"))
    )


GROUPS = _groups()
FUNCTIONS = tuple(function for group in GROUPS for function in group.functions)
REASONS = {function.name: group.reason for group in GROUPS for function in group.functions}
HEADERS = tuple(sorted({function.header for function in FUNCTIONS}))  # acl_base_mdl.h first


def table() -> str:
    """What docs/runtime.md lists, in Markdown."""
    rows = "".join(
        f"| {each.name} | {len(each.functions)} | `{each.functions[0].name}` | {each.reason} |\n"
        for each in GROUPS
    )
    return f"| group | functions | for example | because |\n| --- | --- | --- | --- |\n{rows}"
