# SPDX-License-Identifier: Apache-2.0
"""Failed cases as files: the case in words, its arrays, and what went wrong."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any
from zipfile import BadZipFile
from zlib import error as BadDataError  # noqa: N812

import numpy as np

from aclhost.calls.python_call import NotExpressibleError, call_function
from aclhost.campaign.again import read_case
from aclhost.campaign.case import Case
from aclhost.campaign.rounds import Told


def write(directory: Path, told: Told) -> Path:
    """`OPERATOR-DTYPE-HASH.npz`: the text of the case, what went wrong, the arrays that go in."""
    directory.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(told.text.encode()).hexdigest()[:8]
    path = directory / f"{told.operator}-{told.dtype}-{digest}.npz"
    np.savez(path, case=told.text, reason=told.reason, **_arrays(read_case(told.text)))
    return path


def read(path: Path) -> Case:
    """The case of a file.

    Raises:
        ValueError: the file is no failed case.
        OSError: it cannot be read.

    """
    try:
        with np.load(path) as saved:
            return read_case(str(saved["case"]))
    except (BadZipFile, BadDataError, EOFError, KeyError, ValueError, TypeError, AttributeError):
        raise ValueError(f"{path}: not a failed case of aclhost campaign") from None


def _arrays(case: Case) -> dict[str, Any]:
    try:
        _, arguments, _ = call_function(case.op, case.call)
    except NotExpressibleError:  # the text alone has it
        return {}
    return {
        f"argument_{name}": value
        for name, value in arguments.items()
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufc"
    }
