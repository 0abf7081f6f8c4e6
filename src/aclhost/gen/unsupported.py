# SPDX-License-Identifier: Apache-2.0
"""native/unsupported.cc: functions that answer 207000 and say why."""

from __future__ import annotations

from collections.abc import Iterator

from aclhost.gen.text import banner
from aclhost.spec import enums, unsupported_api
from aclhost.spec.functions import Function


def emit() -> Iterator[tuple[str, str]]:
    """One source."""
    head = banner(unsupported_api.SOURCE)
    includes = "".join(f'#include "{header}"\n' for header in unsupported_api.HEADERS)
    body = "".join(map(_function, unsupported_api.FUNCTIONS))
    yield "native/unsupported.cc", f'{head}{includes}#include "base/call.h"\n\n{body}'


def _function(function: Function) -> str:
    types = ", ".join(parameter.c_type for parameter in function.parameters)
    reason = unsupported_api.REASONS[function.name]
    answer = _answer(function.returns, f'aclhost::not_supported("{function.name}", "{reason}")')
    return f'extern "C" {function.returns} {function.name}({types}) {{ {answer} }}\n'


def _answer(returns: str, code: str) -> str:
    """The code where the function returns one; otherwise nothing, and the thread has the text."""
    if returns in ("aclError", "aclnnStatus"):
        return f"return {code};"
    if returns == "HcclResult":
        return f"{code}; return HCCL_E_NOT_SUPPORT;"
    if returns == "void":
        return f"{code};"
    # Enumerations that are returned have -1 for what is undefined.
    nothing = f"static_cast<{returns}>(-1)" if returns in enums.BY_NAME else "{}"
    return f"{code}; return {nothing};"
