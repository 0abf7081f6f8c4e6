# SPDX-License-Identifier: Apache-2.0
"""JSON as other programs want it: without NaN and Infinity, which are strings here."""

from __future__ import annotations

import json
import math
from typing import Any


def dumps(value: Any, indent: int | None = None) -> str:  # noqa: ANN401
    """The text, on one line unless indented."""
    return json.dumps(_finite(value), indent=indent, allow_nan=False)


def _finite(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(key): _finite(each) for key, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value
