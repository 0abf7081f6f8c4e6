# SPDX-License-Identifier: Apache-2.0
"""C's names in Python; a module of its own, because pyACL needs them and no operators."""

from __future__ import annotations

import re
from functools import cache
from keyword import iskeyword

# Acronyms that run into the next word.
_ACRONYMS = {
    "AdamWV2": "AdamW_V2",
    "NLLLoss": "NllLoss",
    "SWhere": "S_Where",
    "TopKTopP": "Top_K_Top_P",
}


@cache
def snake_case(name: str) -> str:
    """`selfOrResult` -> `self_or_result`; `SmoothL1Loss` -> `smooth_l1_loss`."""
    for acronym, word in _ACRONYMS.items():
        name = name.replace(acronym, word)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def not_keyword(name: str) -> str:
    """`lambda` -> `lambda_`."""
    return f"{name}_" if iskeyword(name) else name
