# SPDX-License-Identifier: Apache-2.0
"""A call described in words: `self=bfloat16[2,3]`, `alpha=1.5`, `kernelSize=2,2,2`.

| parameter | how it is written |
| --- | --- |
| tensor | DTYPE[SIZES], then any of :FORMAT, :strides=..., :offset=N, :storage=N |
| scalar | VALUE or VALUE:DTYPE |
| list of tensors, or of scalars | the same, with commas between them |
| array of integers, floats or bools | 1,2,3, or [] |
| bool, integer, float, text | true, 1, 0.5, BSND |
| null pointer | null |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from aclhost.spec import dtypes, names
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import COMPLEX64, FLOAT, INT64, Category, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import (
    TENSORS,
    BoolArray,
    Choice,
    Dtype,
    Flag,
    Float,
    FloatArray,
    IntArray,
    Parameter,
    Scalar,
    ScalarList,
    TensorList,
    TensorListOut,
    TensorOut,
    Text,
)

_LISTS = (TensorList, TensorListOut, ScalarList, IntArray, FloatArray, BoolArray)
_BETWEEN_TENSORS = re.compile(r",\s*(?=[\w.]+\[)")
_TENSOR = re.compile(r"(?P<dtype>[\w.]+)\[(?P<shape>[^\]]*)\]")
_INT64 = (-(2**63), 2**63 - 1)
_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


class MalformedError(ValueError):
    """A description that cannot be read; the message says how to write it."""


def describe(op: Operator, words: Iterable[str]) -> Call:
    """A call from `name=value` words. Parameters with a default may be left out.

    Raises:
        MalformedError: a word cannot be read, or a parameter is missing.
        UnknownNameError: no parameter, dtype or format has the name.

    """
    given: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise MalformedError(f"{word!r} is not of the form NAME=VALUE")
        param = names.parameter(op, name)
        if param.name in given:
            raise MalformedError(f"{param.name} is given twice")
        given[param.name] = value
    return Call(_arguments(op, given))


def _arguments(op: Operator, given: Mapping[str, str]) -> dict[str, Argument]:
    known: dict[str, Argument] = {
        param.name: argument(param, given[param.name]) for param in op.params if param.name in given
    }
    shapes = (each.shape for each in known.values() if isinstance(each, TensorArg))
    rank = len(next(shapes, ()))
    for param in op.params:
        has_default = not isinstance(param, TensorOut) and param.python_default is not None
        if param.name not in known and has_default:
            known[param.name] = default(param, rank)
    needed = [param for param in op.params if _is_needed(param, known)]
    if needed:
        examples = " ".join(f"{param.name}={_example(param)}" for param in needed)
        names_of = ", ".join(param.name for param in needed)
        raise MalformedError(f"{op.name} needs {names_of}; add {examples}")
    for param in op.params:
        if param.name not in known:
            known[param.name] = _result(op, param, known)
    return {param.name: known[param.name] for param in op.params}


def _is_needed(param: Parameter, known: Mapping[str, Argument]) -> bool:
    if param.name in known:
        return False
    if isinstance(param, TensorListOut):
        return True
    return not isinstance(param, TensorOut) or not (param.can_be_made or param.python_default)


def _example(param: Parameter) -> str:
    if isinstance(param, TensorList | TensorListOut):
        return "'float32[2,3],float32[2,3]'"
    return "'float32[2,3]'" if isinstance(param, TENSORS) else "..."


def _result(op: Operator, param: Parameter, known: Mapping[str, Argument]) -> Argument:
    """A result as Python would make it, worked out from the arguments."""
    assert isinstance(param, TensorOut)
    call = Call(known)
    if not param.can_be_made or (param.made_if is not None and not param.made_if.evaluate(call)):
        return None
    try:
        shape, dtype = param.shape_term.evaluate(call), param.dtype_term.evaluate(call)
        made = TensorArg(tuple(shape), dtypes.BY_VALUE[dtype], backed=False)
        like = known.get(param.like) if param.like else None
        if isinstance(like, TensorArg) and len(like.shape) == len(shape):
            return replace(made, format=like.format)
        return made
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError):
        # The other arguments make no sense; the checks, which come first, say which.
        like = known.get(param.like) if param.like else None
        if isinstance(like, TensorArg):
            return TensorArg(like.shape, like.dtype, format=like.format, backed=False)
    raise MalformedError(
        f"{op.name}: nothing tells what {param.name} is like; add {param.name}={_example(param)}"
    )


def default(param: Parameter, rank: int) -> Argument:
    """The default of a parameter, as an argument, where the first tensor has this rank."""
    value = getattr(param, "default", None)
    if isinstance(param, Scalar):
        if isinstance(value, int):  # as Python's own numbers are passed
            return ScalarArg(value, INT64)
        return ScalarArg(value if value is not None else 0.0)
    if isinstance(param, Choice):
        return param.words.index(param.default)
    if isinstance(param, IntArray):
        length = param.length_for(rank)
        return (value,) * length if isinstance(value, int) else tuple(value or ())
    return value


def argument(param: Parameter, text: str) -> Argument:
    """One value as the parameter's kind writes it."""
    if text.lower() in ("null", "none", "nullptr"):
        return None
    try:
        return _value(param, text)
    except (names.UnknownNameError, MalformedError):
        raise
    except ValueError:
        kind = param.c_type.removeprefix("const ").removesuffix("*")
        raise MalformedError(f"{param.name}={text} cannot be read as {kind}") from None


def _value(param: Parameter, text: str) -> Argument:
    if isinstance(param, _LISTS):
        return _list(param, "" if text == "[]" else text)
    if isinstance(param, TENSORS):
        return tensor(param.name, text)
    if isinstance(param, Scalar):
        return _scalar(param.name, text)
    if isinstance(param, Flag):
        return _flag(param.name, text)
    if isinstance(param, Choice):
        return _choice(param, text)
    return _plain_value(param, text)


def _list(param: Parameter, text: str) -> Argument:
    if isinstance(param, TensorList | TensorListOut):
        texts = _BETWEEN_TENSORS.split(text) if text else []
        return tuple(tensor(param.name, each) for each in texts)
    if isinstance(param, IntArray):
        return _integers(text.strip("[]()"))
    words = [word for word in re.split("[, ]+", text) if word]
    if isinstance(param, ScalarList):
        return tuple(_scalar(param.name, word) for word in words)
    if isinstance(param, FloatArray):
        return tuple(map(float, words))
    return tuple(_flag(param.name, word) for word in words)


def _flag(name: str, text: str) -> bool:
    if text.lower() not in _BOOLEANS:
        raise MalformedError(f"{name}={text}: write true or false")
    return _BOOLEANS[text.lower()]


def _plain_value(param: Parameter, text: str) -> Argument:
    if isinstance(param, Text):
        return text
    if isinstance(param, Dtype):
        return names.dtype(text)
    return float(text) if isinstance(param, Float) else _integer(text)


def _choice(param: Choice, text: str) -> int:
    if text in param.words:
        return param.words.index(text)
    try:
        return _integer(text)
    except ValueError:
        words = ", ".join(param.words)
        raise MalformedError(f"{param.name}={text}: write {words} or a number") from None


def _scalar(name: str, text: str) -> ScalarArg:
    number, _, dtype = text.partition(":")
    value = complex(number) if "j" in number else float(number)
    kind = names.dtype(dtype) if dtype else COMPLEX64 if "j" in number else FLOAT
    if kind.category is Category.INTEGER and not _fits(value, kind):
        raise MalformedError(f"{name}={text}: {number} does not fit {kind}")
    return ScalarArg(value, kind)


def _fits(value: complex | float, kind: DataType) -> bool:
    if isinstance(value, complex) or not value.is_integer():
        return False
    if kind.name.startswith("U"):
        return 0 <= value < 1 << kind.bits
    return -(1 << kind.bits - 1) <= value < 1 << kind.bits - 1


def tensor(name: str, text: str) -> TensorArg:
    """A tensor from `DTYPE[SIZES]:FORMAT:strides=...:offset=N:storage=N`."""
    head, *rest = text.split(":")
    match = _TENSOR.fullmatch(head)
    if match is None:
        raise MalformedError(
            f"{name}={text}: write a tensor as DTYPE[SIZES], for example float32[2,3]"
        )
    shape = _integers(match["shape"])
    if any(size < 0 for size in shape):
        raise MalformedError(f"{name}={text}: sizes are 0 or more")
    result = TensorArg(shape, names.dtype(match["dtype"]), backed=False)
    for part in rest:
        result = _with_part(name, result, part)
    if not _INT64[0] <= result.storage_elements <= _INT64[1]:
        raise MalformedError(f"{name}={text}: more elements than 64 bits can count")
    return result


def _with_part(name: str, tensor: TensorArg, part: str) -> TensorArg:
    key, equals, value = part.partition("=")
    if not equals:
        return replace(tensor, format=names.tensor_format(part))
    if key == "strides":
        strides = _integers(value)
        if len(strides) != len(tensor.shape):
            raise MalformedError(f"{name}: {len(tensor.shape)} sizes need as many strides")
        return replace(tensor, strides=strides)
    if key == "offset":
        return replace(tensor, offset=_integer(value))
    if key == "storage":
        return replace(tensor, storage=_integer(value))
    hint = names.suggestion(key, ("strides", "offset", "storage"))
    raise MalformedError(f"{name}: no tensor property {key!r}{hint}")


def _integer(text: str) -> int:
    value = int(text)
    if not _INT64[0] <= value <= _INT64[1]:
        raise MalformedError(f"{text} does not fit 64 bits")
    return value


def _integers(text: str) -> tuple[int, ...]:
    return tuple(_integer(part) for part in re.split(r"[,x ]+", text.strip()) if part)
