# SPDX-License-Identifier: Apache-2.0
"""Which C++ compiler there is."""

from __future__ import annotations

import os
import shlex
import shutil

COMPILERS = ("g++", "c++", "clang++")


def compiler() -> list[str] | None:
    """The compiler's command: $CXX, or the first that is installed; None if there is none."""
    try:
        chosen = shlex.split(os.environ.get("CXX", ""))
    except ValueError:  # an open quotation
        return None
    if chosen:
        return chosen if shutil.which(chosen[0]) else None
    return next(([name] for name in COMPILERS if shutil.which(name)), None)
