# SPDX-License-Identifier: Apache-2.0
"""The generated list of operators: the declarations take too long to import for a list."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from aclhost.spec import catalogue


@cache
def rows() -> list[dict[str, Any]]:
    """The summary of each operator, and its dtypes in groups of products."""
    text = files("aclhost").joinpath("operators.json").read_text()
    found: list[dict[str, Any]] = json.loads(text)["operators"]
    return found


def names() -> list[str]:
    """The C name and the Python name of each."""
    return [row["summary"][key] for row in rows() for key in ("name", "python")]


def parameters(name: str) -> list[str]:
    """Of the operator with this name, as people write it; none of one that is not computed."""
    wanted = _key(name)
    return next((row["parameters"] for row in rows() if _key(row["summary"]["name"]) == wanted), [])


def _key(name: str) -> str:
    return name.lower().removeprefix("aclnn").removesuffix("getworkspacesize").replace("_", "")


def is_name(text: str) -> bool:
    """Whether it is the whole name of an operator, as people write it; computed or only known."""
    return _key(text) in {_key(name) for name in (*names(), *catalogue.operators())}


def having(text: str) -> list[dict[str, Any]]:
    """The operators with this in their names; several words must all be in it."""
    words = [_key(word) for word in text.split()]
    return [row for row in rows() if all(word in _key(row["summary"]["name"]) for word in words)]
