# SPDX-License-Identifier: Apache-2.0
"""The generated list of operators: the declarations take too long to import for a list."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def rows() -> list[dict[str, Any]]:
    """The summary of each operator, and its dtypes in groups of products."""
    text = files("aclhost").joinpath("operators.json").read_text()
    found: list[dict[str, Any]] = json.loads(text)["operators"]
    return found


def names() -> list[str]:
    """The C name and the Python name of each."""
    return [row["summary"][key] for row in rows() for key in ("name", "python")]
