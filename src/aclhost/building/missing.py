# SPDX-License-Identifier: Apache-2.0
"""What a compiler misses, and whether aclhost has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from aclhost import ops
from aclhost.building import toolkit
from aclhost.gen import op_headers
from aclhost.spec import catalogue, runtime_api
from aclhost.spec.functions import Function
from aclhost.spec.names import suggestion

_HEADER = re.compile(r"fatal error: '?([^':]+\.h(?:pp)?)'?(?::| file) ?(?:No such file|not found)")
_UNDECLARED = re.compile(
    r"error: (?:use of undeclared identifier )?.?'?[`'\u2018](\w+)[`'\u2019]"
    r"(?: was not declared| has not been declared| undeclared|$)|"
    r"use of undeclared identifier '(\w+)'",
    re.MULTILINE,
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:) [`'\u2018]?(\w+)")


def explain(compiler_output: str) -> list[str]:
    """One sentence for each header or function that is missing."""
    plain = _COLOUR.sub("", compiler_output)
    found = [
        *(_header(name) for name in _HEADER.findall(plain)),
        *(_function(a or b) for a, b in _UNDECLARED.findall(plain)),
        *(_symbol(name) for name in _UNDEFINED.findall(plain)),
    ]
    return list(dict.fromkeys(sentence for sentence in found if sentence))


@cache
def _functions() -> dict[str, str]:
    """Every C function and the header that declares it."""
    operators = (each for op in ops.ALL for each in op.functions)
    declared = (*runtime_api.FUNCTIONS, *operators, *_single())
    return {each.name: _header_to_include(each.header) for each in declared}


def _single() -> tuple[Function, ...]:
    return (*catalogue.computed_functions(), *op_headers.known_only())


def _header_to_include(header: str) -> str:
    return "acl/acl.h" if header.startswith("acl/") else header  # it includes its neighbours


def _headers() -> Iterator[str]:
    include = toolkit.prefix() / "include"
    for path in sorted(include.rglob("*.h")):
        if path.parent.name != "level2":  # the same once more
            yield str(path.relative_to(include))


def _ours(name: str) -> bool:
    return name.startswith("acl")


def _header(name: str) -> str:
    known = list(_headers())
    same = [path for path in known if Path(path).name == Path(name).name]
    if same:
        return f'{name}: aclhost has it as "{same[0]}"; include it so'
    if not _ours(Path(name).name) and not _ours(name):
        return ""
    names = {Path(path).stem.removeprefix("aclnn_"): path for path in known}
    hint = suggestion(Path(name).stem.removeprefix("aclnn_"), names)
    for stem, path in names.items():
        hint = hint.replace(f"mean {stem}?", f"mean {path}?")
    return f"{name}: aclhost does not have this header{hint}"


def _function(name: str) -> str:
    if name in _functions():
        return f'{name}: aclhost has it; add #include "{_functions()[name]}"'
    return _absent(name)


def _symbol(name: str) -> str:
    if name in _functions():
        return f"{name}: aclhost has it; link with the flags of aclhost config --libs"
    return _absent(name)


def _absent(name: str) -> str:
    if not _ours(name):
        return ""
    return f"{name}: aclhost does not have this name{suggestion(name, _functions())}"
