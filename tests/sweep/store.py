# SPDX-License-Identifier: Apache-2.0
"""The measured errors as a module of the package."""

from __future__ import annotations

import runpy
from pathlib import Path

PATH = Path(__file__).parents[2] / "src/aclhost/spec/measured_ulps.py"

TEXT = '''\
# SPDX-License-Identifier: Apache-2.0
"""The largest errors of the mathematical functions of float, in units of the last place.

Written by `python tests/sweep/run.py --store`. MAX_ULPS was measured with instruction set {widest},
of every STEPS-th float, where 1 means all, and for functions of two arguments each with a partner.
{all} give the same bits.
"""

MAX_ULPS: dict[str, float] = {{
{ulps}
}}

STEPS: dict[str, int] = {{
{steps}
}}
'''


def add(name: str, ulps: float, step: int, isas: list[str]) -> None:
    """Writes the module again, with the result of one more function."""
    present = runpy.run_path(str(PATH)) if PATH.exists() else {"MAX_ULPS": {}, "STEPS": {}}
    present["MAX_ULPS"][name] = ulps
    present["STEPS"][name] = step
    PATH.write_text(
        TEXT.format(
            widest=isas[-1],
            all=", ".join(isas).capitalize(),
            ulps=_rows(present["MAX_ULPS"]),
            steps=_rows(present["STEPS"]),
        )
    )


def _rows(values: dict[str, object]) -> str:
    return "\n".join(f'    "{name}": {values[name]},' for name in sorted(values))
