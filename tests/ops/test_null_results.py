# SPDX-License-Identifier: Apache-2.0
"""Where phase 1 has no place for its results: most operators say so first, some twins later."""

from __future__ import annotations

import ctypes

import pytest
from support.broken import Broken, broken_calls

from aclhost import ops
from aclhost.acl import _capi
from aclhost.calls import abi
from aclhost.spec.operator import Operator
from aclhost.spec.status import Status

EARLY = {op.short_name: op.early for op in ops.ALL if op.early}
LATER = 2  # rules of each operator that are broken although nobody gets to them


def test_twins_that_check_before_they_call_the_other() -> None:
    """Upstream's twins that look at arguments before the function that they pass them on to."""
    assert EARLY == {
        "InplaceAdd": 4, "InplaceCosh": 2, "InplaceDiv": 4, "InplaceDivMod": 4,
        "InplaceEqTensor": 4, "InplaceErfc": 2, "InplaceLog": 3, "InplaceReciprocal": 2,
        "InplaceSqrt": 2,
    }  # fmt: skip


@pytest.mark.usefixtures("no_leaks")
@pytest.mark.parametrize("op", ops.ALL, ids=lambda op: op.name)
def test_order(op: Operator) -> None:
    found = broken_calls(op)
    early = [found[number][0] for number in range(1, op.early + 1)]
    later = [calls[0] for number, calls in sorted(found.items()) if number > op.early]
    for missing in ("workspaceSize", "executor"):
        for each in early:
            assert _code(each, missing) == each.rule.code
        for each in later[:LATER]:
            assert _code(each, missing) == Status.PARAM_NULLPTR


def _code(broken: Broken, missing: str) -> int:
    results = {
        "workspaceSize": ctypes.byref(ctypes.c_uint64()),
        "executor": ctypes.byref(ctypes.c_void_p()),
        missing: None,
    }
    function = getattr(_capi.library(), f"{broken.op.name}GetWorkspaceSize")
    with abi.prepared_call(broken.op, broken.call) as prepared:
        handles = (prepared.handles[param.name] for param in broken.op.params)
        code: int = function(*handles, results["workspaceSize"], results["executor"])
    return code
