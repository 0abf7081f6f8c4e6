# SPDX-License-Identifier: Apache-2.0
"""python/aclhost/acl/_*.py: pyACL's functions that follow from C prototypes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from aclhost.spec import pyacl
from aclhost.spec.functions import Function, Parameter
from aclhost.spec.python_names import not_keyword, snake_case

_HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Generated from {source}: edit that file.
# ruff: noqa: E501
"""{title}"""

from __future__ import annotations

from typing import Any

from aclhost.acl import {helper}

__all__ = [
{names}]
'''
_RUNTIME = "Devices, streams, events and memory, called as C does."
_NOT_SUPPORTED = "Names that clients look up; each says that it is not supported (207000)."
_DUMPS = "Dumps, called as C does; all other names say that they are not supported (207000)."


def emit() -> Iterator[tuple[str, str]]:
    """The modules."""
    yield _module("_runtime", _RUNTIME, {"rt": _function, "rt_not_supported": _without_arguments})
    yield _module("_single_operators", _DUMPS, {"op_dumps": _function, "op": _without_arguments})
    yield _module("_models", _DUMPS, {"mdl_dumps": _function, "mdl": _without_arguments})
    yield _module("_descriptions", _NOT_SUPPORTED, {"tensor_descriptions": _without_arguments})
    yield _module("prof", _NOT_SUPPORTED, {"prof": _without_arguments})
    yield _module("blas", _NOT_SUPPORTED, {"blas": _without_arguments})
    yield from map(_unit, pyacl.UNITS)


def _module(
    name: str, title: str, parts: dict[str, Callable[[str, Function], str]]
) -> tuple[str, str]:
    named = {part: pyacl.functions(part) for part in parts}
    head = _head(pyacl.SOURCE, title, "_capi", (name for part in named.values() for name in part))
    texts = [
        _refusal_of(each, function, answer)
        if (answer := pyacl.answer(part, each))
        else parts[part](each, function)
        for part, functions in named.items()
        for each, function in functions.items()
    ]
    return f"python/aclhost/acl/{name}.py", head + "".join(texts)


def _head(source: str, title: str, helper: str, names: Iterable[str]) -> str:
    listed = "".join(f'    "{each}",\n' for each in sorted(names))
    return _HEAD.format(source=source, title=title, helper=helper, names=listed)


def _unit(unit: str) -> tuple[str, str]:
    """A module whose functions know no C functions."""
    answers = pyacl.answers(unit)
    head = _head(pyacl.UNITS_SOURCE, _NOT_SUPPORTED, "_refusals", answers)
    reason = f'\n_REASON = "{pyacl.reason(unit)}"\n'
    texts = (
        _refusal(name, "", f'_refusals.refuse("acl.{unit}.{name}", _REASON)', answer)
        for name, answer in answers.items()
    )
    return f"python/aclhost/acl/{unit}.py", head + reason + "".join(texts)


def _refusal_of(name: str, function: Function, answer: str) -> str:
    return _refusal(name, f" by {function.name}", f'_capi.refused("{function.name}")', answer)


def _refusal(name: str, by: str, call: str, answer: str) -> str:
    return (
        f"\n\ndef {name}(*arguments: object) -> Any:  # noqa: ANN401\n"
        f'    """Not supported{by}."""\n'
        f"    {'ret = ' if 'ret' in answer else ''}{call}\n"
        f"    return {answer}\n"
    )


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
