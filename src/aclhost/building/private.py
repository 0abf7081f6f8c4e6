# SPDX-License-Identifier: Apache-2.0
"""Commands that see the toolkit at a fixed place, alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from aclhost.building import presented

_PROGRAM = Path(__file__).with_name("private_mounts.py")


def command(place: Path, words: list[str]) -> list[str]:
    """The command that runs `words` so."""
    made = json.dumps(presented.links())
    return [sys.executable, "-I", str(_PROGRAM), str(place), made, *words]
