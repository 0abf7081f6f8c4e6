# SPDX-License-Identifier: Apache-2.0
"""Huawei's AscendCL runtime and aclnn operators, re-implemented for the CPU.

The operators are functions here, by the snake_case of their C names: `aclhost.elu_backward`.
`aclhost.aclnn` has the two-phase functions as in C, `aclhost.acl` the runtime as in pyACL.
"""

from __future__ import annotations

import os

from aclhost._errors import AclnnError

try:
    from aclhost._functions import *  # noqa: F403
    from aclhost._native import (
        call_counts,
        finish_imports,
        live_objects,
        select_soc,
        soc_name,
    )
    from aclhost._soc import soc
except ModuleNotFoundError as missing:
    # The generator imports the declarations from a source tree, before anything is built.
    if missing.name not in ("aclhost._functions", "aclhost._native"):
        raise
else:
    os.register_at_fork(before=finish_imports)

__version__ = "0.1.0"

__all__ = ["AclnnError", "call_counts", "live_objects", "select_soc", "soc", "soc_name"]
