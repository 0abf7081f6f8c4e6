# SPDX-License-Identifier: Apache-2.0
"""Functions that exist for clients to link and answer that they are not supported."""

import pytest

from aclhost import acl
from aclhost.acl import _capi
from aclhost.spec import unsupported_api


@pytest.mark.parametrize("function", unsupported_api.FUNCTIONS, ids=lambda f: f.name)
def test_says_so(function):
    zeros = [0 if p.c_type.endswith("_t") else None for p in function.parameters]
    arguments = [
        _capi.c_type(p.c_type)(0) if zero is None and not p.c_type.endswith("*") else zero
        for p, zero in zip(function.parameters, zeros, strict=True)
    ]
    assert _capi.status(function.name, *arguments) == 207000
    assert function.name in acl.get_recent_err_msg()


def test_huge_memory_functions_do_nothing():
    library = _capi.library()
    assert library.InitHugeMemThreadLocal(None, False) == 0
    assert library.UnInitHugeMemThreadLocal(None, False) is None
    assert library.ReleaseHugeMem(None, False) is None
