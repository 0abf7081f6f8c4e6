# SPDX-License-Identifier: Apache-2.0
"""native/unsupported.cc: functions that answer 207000 and say so."""

from __future__ import annotations

from collections.abc import Iterator

from aclhost.gen.text import banner
from aclhost.spec import unsupported_api
from aclhost.spec.functions import Function

_FUNCTION = """
extern "C" {returns} {name}({types}) {{ return aclhost::not_supported("{name}"); }}
"""


def emit() -> Iterator[tuple[str, str]]:
    """One source."""
    head = banner("src/aclhost/spec/unsupported_api.py")
    body = "".join(map(_function, unsupported_api.FUNCTIONS))
    yield (
        "native/unsupported.cc",
        f'{head}#include "acl/acl_rt.h"\n#include "base/call.h"\n{body}',
    )


def _function(function: Function) -> str:
    types = ", ".join(parameter.c_type for parameter in function.parameters)
    return _FUNCTION.format(returns=function.returns, name=function.name, types=types)
