# SPDX-License-Identifier: Apache-2.0
"""The C functions as Python callables, typed from the same declarations as the headers."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from aclhost import ops
from aclhost.building import toolkit
from aclhost.spec import c_types, enums, pyacl, runtime_api
from aclhost.spec.functions import Function, Parameter

_CType: TypeAlias = "type[ctypes._SimpleCData[Any]] | type[ctypes.Structure]"
_FIELD = re.compile(r"(?P<type>.+) (?P<name>\w+)(?:\[(?P<length>\w+)\])?")
_MACROS = {member.name: member.value for group in enums.MACROS for member in group.members}

_RUNTIME = {function.name: function for function in runtime_api.FUNCTIONS}
_ADDRESSES = (
    *c_types.HANDLE_TYPES,
    *(name for names in c_types.HANDLES_OF_HEADERS.values() for name in names),
    *c_types.CALLBACK_TYPES,
)
_SCALARS: dict[str, type[ctypes._SimpleCData[Any]]] = {
    "aclError": ctypes.c_int,
    "aclnnStatus": ctypes.c_int32,
    "aclFloat16": ctypes.c_uint16,
    "int": ctypes.c_int,
    "char": ctypes.c_char,
    "int8_t": ctypes.c_int8,
    "uint8_t": ctypes.c_uint8,
    "int16_t": ctypes.c_int16,
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "size_t": ctypes.c_size_t,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "bool": ctypes.c_bool,
}


def c_type(text: str) -> _CType:
    """The ctypes equivalent of a type as C spells it. Pointers and handles are addresses."""
    name = text.removeprefix("const ").removesuffix(" const")
    if name == "char*":
        return ctypes.c_char_p
    if name.endswith("*") or name in _ADDRESSES:
        return ctypes.c_void_p
    if name in c_types.STRUCTS:
        return _structure(name)
    if name == "HcclConfigValue":
        return ctypes.c_int32  # a union of nothing else
    return ctypes.c_int if name in enums.BY_NAME else _SCALARS[name]


@cache
def _structure(name: str) -> type[ctypes.Structure]:
    fields = [_field(text) for text in c_types.STRUCTS[name]]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


def _field(text: str) -> tuple[str, Any]:
    match = _FIELD.fullmatch(text)
    if match is None:
        raise ValueError(f"not a field: {text}")
    kind: Any = c_type(match["type"])
    length = match["length"]
    if length is None:
        return match["name"], kind
    return match["name"], kind * (_MACROS[length] if length in _MACROS else int(length))


@cache
def library() -> Any:  # noqa: ANN401
    """The toolkit's library, loaded once; in strict mode it learns which lines call it.

    That takes the native module, which a Python of another version cannot load: there, what
    strict mode reports names no lines of Python.
    """
    if os.environ.get("ACLHOST_STRICT") != "1":
        return _loaded()
    try:
        from aclhost._native import forget_python_frames, note_python_frames
    except ModuleNotFoundError:
        return _loaded()
    return _Noting(_loaded(), note_python_frames, forget_python_frames)


class _Noting:
    """Notes where in Python a call comes from before ctypes gives up the interpreter's lock."""

    def __init__(
        self, loaded: ctypes.CDLL, note: Callable[[], None], forget: Callable[[], None]
    ) -> None:
        self._loaded, self._note, self._forget = loaded, note, forget

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(self._loaded, name)

        def call(*arguments: object) -> Any:  # noqa: ANN401
            self._note()
            try:
                return function(*arguments)
            finally:
                self._forget()

        setattr(self, name, call)
        return call


class _Typed(ctypes.CDLL):
    """Every declared function has its types from its first use on."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name.startswith("__"):
            raise AttributeError(name)
        function = self[name]
        declared = _declared(name)
        if declared is not None:
            function.restype = None if declared.returns == "void" else c_type(declared.returns)
            named = (each for each in declared.parameters if each.name)  # not an ellipsis
            function.argtypes = [c_type(parameter.c_type) for parameter in named]
        setattr(self, name, function)  # typed: other threads may take it from here
        return function


def _declared(name: str) -> Function | None:
    operator = name.removesuffix("GetWorkspaceSize")
    if operator not in ops.BY_NAME:
        return _RUNTIME.get(name)
    return next((each for each in ops.BY_NAME[operator].functions if each.name == name), None)


def _loaded() -> ctypes.CDLL:
    return _Typed(str(toolkit.library()))


def c_string(text: str | None, parameter: str) -> bytes | None:
    """A text for a C function; None is the null pointer."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError(f"{parameter}: expected a str or None, got {type(text).__name__}")
    if "\0" in text:
        raise ValueError(f"{parameter}: holds a null character")
    return os.fsencode(text)


def status(name: str, *arguments: object) -> int:
    """Calls a function that returns nothing but a status."""
    return int(getattr(library(), name)(*arguments))


def output(name: str, kind: type[ctypes._SimpleCData[Any]], *arguments: object) -> tuple[Any, int]:
    """Calls a function whose last parameter is written; returns (value, status)."""
    cell = kind()
    code = status(name, *arguments, ctypes.byref(cell))
    return cell.value, code


def handle(name: str, *arguments: object) -> tuple[int, int]:
    """Calls a function whose first parameter receives a handle or address; 0 where none came."""
    cell = ctypes.c_void_p()
    code = status(name, ctypes.byref(cell), *arguments)
    return cell.value or 0, code


class Cell:
    """Room for what a C function writes."""

    def __init__(self, c_name: str) -> None:
        self.room: Any = c_type(c_name)()


def call(name: str, *arguments: object) -> Any:  # noqa: ANN401
    """Calls a function; cells among the arguments are written, and come before what it returns."""
    passed = [ctypes.byref(each.room) if isinstance(each, Cell) else each for each in arguments]
    returned = getattr(library(), name)(*passed)
    if returned is None and runtime_api.BY_NAME[name].returns != "void":
        returned = 0  # an address
    written = [each.room.value or 0 for each in arguments if isinstance(each, Cell)]
    return (*written, returned) if written else returned


def call_without_arguments(name: str) -> Any:  # noqa: ANN401
    """Calls a function that looks at none of its arguments, with the outputs that it has."""
    return call(name, *(_nothing(each) for each in runtime_api.BY_NAME[name].parameters))


def refused(name: str) -> int:
    """The status of a function that looks at none of its arguments, without its outputs."""
    answer = call_without_arguments(name)
    status: int = answer[-1] if isinstance(answer, tuple) else answer
    return status


def _nothing(parameter: Parameter) -> Cell | int | None:
    if pyacl.is_output(parameter):
        return Cell(pyacl.written_type(parameter))
    addresses = (ctypes.c_void_p, ctypes.c_char_p)
    return None if c_type(parameter.c_type) in addresses else 0
