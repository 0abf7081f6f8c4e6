# SPDX-License-Identifier: Apache-2.0
"""python/aclhost/acl/_*.py: pyACL's functions that follow from C prototypes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aclhost.spec import pyacl
from aclhost.spec.functions import Function, Parameter
from aclhost.spec.params import not_keyword, snake_case

_HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Generated from {source}: edit that file.
# ruff: noqa: E501
"""{title}"""

from __future__ import annotations

from typing import Any

from aclhost.acl import _capi

__all__ = [
{names}]
'''
_RUNTIME = "Devices, streams, events and memory, called as C does."
_NOT_SUPPORTED = "Names that clients look up; each says that it is not supported (207000)."


def emit() -> Iterator[tuple[str, str]]:
    """The modules."""
    yield _module("_runtime", _RUNTIME, {"rt": _function, "rt_not_supported": _without_arguments})
    yield _module("_single_operators", _NOT_SUPPORTED, {"op": _without_arguments})
    yield _module("_models", _NOT_SUPPORTED, {"mdl": _without_arguments})
    yield _module("_descriptions", _NOT_SUPPORTED, {"tensor_descriptions": _without_arguments})


def _module(
    name: str, title: str, parts: dict[str, Callable[[str, Function], str]]
) -> tuple[str, str]:
    named = {part: pyacl.functions(part) for part in parts}
    names = sorted(each for functions in named.values() for each in functions)
    head = _HEAD.format(
        source=pyacl.SOURCE, title=title, names="".join(f'    "{each}",\n' for each in names)
    )
    texts = [
        parts[part](each, function)
        for part, functions in named.items()
        for each, function in functions.items()
    ]
    return f"python/aclhost/acl/{name}.py", head + "".join(texts)


def _function(name: str, function: Function) -> str:
    inputs = [each for each in function.parameters if not pyacl.is_output(each)]
    parameters = ", ".join(f"{_python_name(each)}: {_python_type(each)}" for each in inputs)
    arguments = "".join(f", {_argument(each)}" for each in function.parameters)
    outputs = len(function.parameters) - len(inputs)
    returns = f"tuple[{', '.join(['int'] * (outputs + 1))}]" if outputs else "int"
    return (
        f"\n\ndef {name}({parameters}) -> {returns}:\n"
        f'    """{function.name}."""\n'
        f'    result: {returns} = _capi.call("{function.name}"{arguments})\n'
        "    return result\n"
    )


def _without_arguments(name: str, function: Function) -> str:
    return (
        f"\n\ndef {name}(*arguments: object) -> Any:  # noqa: ANN401\n"
        f'    """{function.name}: not supported."""\n'
        f'    return _capi.call_without_arguments("{function.name}")\n'
    )


def _python_name(parameter: Parameter) -> str:
    return not_keyword(snake_case(parameter.name))


def _is_text(parameter: Parameter) -> bool:
    return parameter.c_type == "const char*"


def _python_type(parameter: Parameter) -> str:
    return "str | None" if _is_text(parameter) else "int"


def _argument(parameter: Parameter) -> str:
    if pyacl.is_output(parameter):
        return f'_capi.Cell("{pyacl.written_type(parameter)}")'
    name = _python_name(parameter)
    return f'_capi.c_string({name}, "{name}")' if _is_text(parameter) else name
