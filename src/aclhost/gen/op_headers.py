# SPDX-License-Identifier: Apache-2.0
"""include/aclnnop/*.h: the public prototypes of the operators."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from aclhost import ops
from aclhost.gen.text import c_banner
from aclhost.spec.functions import Function

_HEADER = """{banner}#ifndef {guard}
#define {guard}

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {{
#endif

{prototypes}
#ifdef __cplusplus
}}
#endif

#endif
"""


def _prototype(function: Function) -> str:
    text = f"ACLNN_API {function.prototype};"
    wrapped = textwrap.fill(text, 100, subsequent_indent="    ", break_long_words=False)
    return f"/* {function.summary} */\n{wrapped}\n"


def emit() -> Iterator[tuple[str, str]]:
    """One header for each name; some hold two operators."""
    for header in sorted({op.header for op in ops.ALL}):
        members = [op for op in ops.ALL if op.header == header]
        yield (
            f"include/aclnnop/{header}",
            _HEADER.format(
                banner=c_banner(" and ".join(op.source for op in members)),
                guard=f"ACLNNOP_{header.upper().replace('.', '_')}_",
                prototypes="\n".join(_prototype(f) for op in members for f in op.functions),
            ),
        )
