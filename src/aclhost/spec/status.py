# SPDX-License-Identifier: Apache-2.0
"""The status codes that a check can decide on."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """Codes returned by phase 1, with upstream's names."""

    PARAM_NULLPTR = 161001
    PARAM_INVALID = 161002
    RUNTIME_ERROR = 361001
    INNER = 561000
    INNER_TILING_ERROR = 561002
    INNER_NULLPTR = 561103
