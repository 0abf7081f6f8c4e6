# SPDX-License-Identifier: Apache-2.0
"""Failed cases as files: the case in words, its arrays, and how to run it once more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from support.python_call import NotExpressible, call_function

from campaign import again
from campaign.case import Case
from campaign.rounds import Told


def write(directory: Path, number: int, told: Told) -> Path:
    """`FILE.npz`: the text of the case, what went wrong, and the arrays that go in."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{told.operator}-{number}.npz"
    np.savez(path, case=told.text, reason=told.reason, **_arrays(told.text))
    return path


def run(path: Path) -> None:
    """Raises what the case raised, or says that all is well."""
    with np.load(path) as saved:
        text = str(saved["case"])
    eval(text, vars(again))


def _arrays(text: str) -> dict[str, Any]:
    case: Case = eval(text, {**vars(again), "check": again.case})
    try:
        _, arguments, _ = call_function(case.op, case.call)
    except NotExpressible:  # the text alone has it
        return {}
    return {
        f"argument_{name}": value
        for name, value in arguments.items()
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufc"
    }
