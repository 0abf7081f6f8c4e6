# SPDX-License-Identifier: Apache-2.0
"""include/aclnnop/*.h: the prototypes of every operator that upstream has.

Older programs include them from aclnnop/level2, where toolkits have them once more.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from aclhost import ops
from aclhost.gen.text import c_banner
from aclhost.spec import catalogue, runtime_api
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


def emit() -> Iterator[tuple[str, str]]:
    """One header for each name; some hold several operators, a few none."""
    prototypes: dict[str, list[str]] = {name: [] for name in catalogue.empty_headers()}
    sources: dict[str, dict[str, None]] = {}
    for source, function in _declarations():
        header = function.header.removeprefix("aclnnop/")
        prototypes.setdefault(header, []).append(_prototype(function))
        sources.setdefault(header, {})[source] = None
    for header, texts in sorted(prototypes.items()):
        yield (
            f"include/aclnnop/{header}",
            _HEADER.format(
                banner=c_banner(" and ".join(sources.get(header, (catalogue.SOURCE,)))),
                guard=f"ACLNNOP_{header.upper().replace('.', '_')}_",
                prototypes="\n".join(texts),
            ),
        )
        yield (
            f"public/include/aclnnop/level2/{header}",
            f'{c_banner("src/aclhost/gen/op_headers.py")}#include "../{header}"\n',
        )


def known_only() -> tuple[Function, ...]:
    """The functions of the catalogue that nothing here computes."""
    known = (each for op in catalogue.operators().values() for each in op.functions)
    operators = {each.name for op in ops.ALL for each in op.functions}
    single = {each.name for each in catalogue.computed_functions()}
    computed = operators | single | runtime_api.BY_NAME.keys()
    return tuple(
        each for each in (*known, *catalogue.single_functions()) if each.name not in computed
    )


def _declarations() -> Iterator[tuple[str, Function]]:
    """Each function with the file that tells about it."""
    for op in ops.ALL:
        for function in op.functions:
            yield op.source, function
    for function in (*catalogue.computed_functions(), *known_only()):
        yield catalogue.SOURCE, function


def _prototype(function: Function) -> str:
    """A summary and the prototype, wrapped between parameters."""
    glued = f"ACLNN_API {function.prototype};".replace(" ", "\0").replace(",\0", ", ")
    wrapped = textwrap.fill(glued, 100, subsequent_indent="    ", break_long_words=False)
    return f"/* {function.summary} */\n{wrapped}\n".replace("\0", " ")
