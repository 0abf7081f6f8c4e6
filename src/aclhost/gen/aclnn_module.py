# SPDX-License-Identifier: Apache-2.0
"""python/aclhost/aclnn/operators.py: the two-phase functions with the C names and order."""

from __future__ import annotations

from collections.abc import Iterator

from aclhost import ops
from aclhost.spec.operator import Operator
from aclhost.spec.python_names import not_keyword

_HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Generated from src/aclhost/ops: edit those files.
# ruff: noqa: N802, N803, E501
"""Both phases of every operator: C names, C argument order, outputs first and status last.

Handles are plain integers, as in pyACL; 0 and None are null.
"""

from __future__ import annotations

from ctypes import byref, c_uint64, c_void_p

from aclhost.acl._capi import library, status

'''

_PAIR = '''
def {name}GetWorkspaceSize({params}) -> tuple[int, int, int]:
    """Phase 1. {summary}

    Returns (workspaceSize, executor, status); after a failure the first two are 0.
    """
    workspace_size, executor = c_uint64(), c_void_p()
    code: int = library().{name}GetWorkspaceSize(
        {arguments}, byref(workspace_size), byref(executor)
    )
    return workspace_size.value, executor.value or 0, code


def {name}(
    workspace: int | None, workspaceSize: int, executor: int | None, stream: int | None
) -> int:
    """Phase 2: queues what phase 1 prepared on the stream. Returns the status."""
    return status("{name}", workspace, workspaceSize, executor, stream)

'''


def _pair(op: Operator) -> str:
    return _PAIR.format(
        name=op.name,
        summary=op.summary,
        params=", ".join(
            f"{not_keyword(param.name)}: {param.two_phase_type}" for param in op.params
        ),
        arguments=", ".join(not_keyword(param.name) for param in op.params),
    )


def emit() -> Iterator[tuple[str, str]]:
    """One module."""
    names = [name for op in ops.ALL for name in (op.name, f"{op.name}GetWorkspaceSize")]
    exports = "".join(f'    "{name}",\n' for name in sorted(names))
    yield (
        "python/aclhost/aclnn/operators.py",
        f"{_HEAD}__all__ = [\n{exports}]\n\n"
        + "".join(_pair(op) for op in ops.ALL).rstrip()
        + "\n",
    )
