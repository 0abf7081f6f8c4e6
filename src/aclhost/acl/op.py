# SPDX-License-Identifier: Apache-2.0
"""Single operators through the graph engine: only what clients call before they use aclnn."""

from __future__ import annotations


def set_model_dir(model_dir: str) -> int:
    """Accepts a directory of compiled operators, of which there are none here."""
    if not isinstance(model_dir, str):
        raise TypeError("model_dir must be a str")
    return 0
