# SPDX-License-Identifier: Apache-2.0
"""Functions that exist for clients to link and answer that they are not supported."""

from pathlib import Path

import pytest

from aclhost import acl
from aclhost.acl import _capi
from aclhost.spec import c_types, unsupported_api

# What else a function returns is 0.
ANSWERS = {
    "aclError": 207000,
    "void": None,
    "aclDataType": -1,
    "aclFormat": -1,
    "HcclResult": 5,  # HCCL_E_NOT_SUPPORT
    "acltdtTensorType": -1,
    "aclprofSubscribeOpFlag": -1,
}


def expected(returns):
    return ANSWERS.get(returns, None if is_address(returns) else 0)


def is_address(returns):
    return returns.endswith("*") or returns in c_types.HANDLE_TYPES


@pytest.mark.parametrize("header", unsupported_api.HEADERS)
def test_says_so(header):
    for function in unsupported_api.FUNCTIONS:
        if function.header == header:
            named = [p for p in function.parameters if p.name]
            zeros = [_capi.c_type(p.c_type)() for p in named]
            answer = getattr(_capi.library(), function.name)(*zeros)
            assert answer == expected(function.returns), function
            text = acl.get_recent_err_msg()
            assert function.name in text
            assert unsupported_api.REASONS[function.name] in text


def test_every_function_has_a_reason_of_its_own_group():
    names = [function.name for function in unsupported_api.FUNCTIONS]
    assert len(names) == len(set(names))
    reasons = [group.reason for group in unsupported_api.GROUPS]
    assert len(reasons) == len(set(reasons))
    assert all(len(reason) > 30 for reason in reasons)


def test_huge_memory_functions_do_nothing():
    library = _capi.library()
    assert library.InitHugeMemThreadLocal(None, False) == 0
    assert library.UnInitHugeMemThreadLocal(None, False) is None
    assert library.ReleaseHugeMem(None, False) is None


def test_the_page_lists_them():
    page = Path(__file__).parents[2] / "docs" / "runtime.md"
    assert unsupported_api.table() in page.read_text(encoding="utf-8")
