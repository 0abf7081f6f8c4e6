# SPDX-License-Identifier: Apache-2.0
"""How a C function is declared: a prototype as text, taken apart once."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PROTOTYPE = re.compile(r"(?P<returns>[\w ]+\*?) (?P<name>\w+)\((?P<parameters>.*)\)")
_PARAMETER = re.compile(r"(?P<type>.*\W)(?P<name>\w+)")


@dataclass(frozen=True)
class Parameter:
    """One parameter, with its type as C spells it."""

    c_type: str
    name: str


@dataclass(frozen=True)
class Function:
    """One exported function."""

    name: str
    returns: str
    parameters: tuple[Parameter, ...]
    header: str
    summary: str

    @property
    def prototype(self) -> str:
        """The C declaration, without the semicolon."""
        parameters = ", ".join(f"{p.c_type} {p.name}".strip() for p in self.parameters)
        return f"{self.returns} {self.name}({parameters or 'void'})"


def functions(header: str, *rows: tuple[str, str]) -> tuple[Function, ...]:
    """Rows of (C prototype, summary)."""
    return tuple(_parse(header, prototype, summary) for prototype, summary in rows)


def phases(
    name: str, params: tuple[Parameter, ...], header: str, summaries: tuple[str, str]
) -> tuple[Function, Function]:
    """The two functions of an operator."""
    results = (Parameter("uint64_t*", "workspaceSize"), Parameter("aclOpExecutor**", "executor"))
    launch = (
        Parameter("void*", "workspace"),
        Parameter("uint64_t", "workspaceSize"),
        Parameter("aclOpExecutor*", "executor"),
        Parameter("aclrtStream", "stream"),
    )
    first, second = summaries
    return (
        Function(f"{name}GetWorkspaceSize", "aclnnStatus", (*params, *results), header, first),
        Function(name, "aclnnStatus", launch, header, second),
    )


def _parse(header: str, prototype: str, summary: str) -> Function:
    match = _PROTOTYPE.fullmatch(prototype)
    if match is None:
        raise ValueError(f"not a C prototype: {prototype}")
    texts = [text.strip() for text in match["parameters"].split(",") if text]
    parameters = tuple(parameter(text) for text in texts)
    return Function(match["name"], match["returns"], parameters, header, summary)


def parameter(text: str) -> Parameter:
    """One parameter as C declares it; an ellipsis has no name."""
    if text == "...":
        return Parameter(text, "")
    match = _PARAMETER.fullmatch(text)
    if match is None:
        raise ValueError(f"not a C parameter: {text}")
    return Parameter(match["type"].strip(), match["name"])
