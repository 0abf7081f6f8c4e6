# SPDX-License-Identifier: Apache-2.0
"""A call of an operator's Python function, as its page shows it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from textwrap import fill

from aclhost.gen.samples import shown_sample
from aclhost.spec import products
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import BOOL, FLOAT, Category, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter

_NUMPY_OWN = ("float", "int", "uint", "complex")  # the other names are those of ml_dtypes
_LONGEST = 96


def python_example(op: Operator) -> str:
    """A program; empty where no sample is a plain call."""
    call = shown_sample(op)
    if call is None:
        return ""
    given = [param for param in op.python_params() if _differs(param, call)]
    lines = [
        f"{param.python_name} = {_text(call.arguments[param.name])}"
        for param in given
        if _has_tensors(param, call)
    ]
    arguments = list(_arguments(op, call, given))
    if not all(output.can_be_made for output in op.outputs):
        made = [_empty(call.arguments[output.name]) for output in op.outputs]
        lines.append(f"out = {made[0] if len(made) == 1 else '(' + ', '.join(made) + ')'}")
        arguments.append("out=out")
    lines.append(f"result = aclhost.{op.snake_name}({', '.join(arguments)})")
    if call.product is not products.DEFAULT:
        lines[-1:] = [f'with aclhost.soc("{call.product.default_soc}"):', f"    {lines[-1]}"]
    return _program([*lines, "print(result)"])


def _program(lines: list[str]) -> str:
    text = "\n".join(map(_wrapped, lines))
    imports = [name for name in ("ml_dtypes", "numpy") if f"{name}.".replace("numpy", "np") in text]
    heads = [f"import {name}{' as np' if name == 'numpy' else ''}\n" for name in imports]
    return "".join(heads) + "\nimport aclhost\n\n".removeprefix("" if heads else "\n") + text


def _wrapped(line: str) -> str:
    return fill(line, _LONGEST, subsequent_indent="    ", break_on_hyphens=False)


def _arguments(op: Operator, call: Call, given: list[Parameter]) -> Iterator[str]:
    """The first tensors by place, everything else by name."""
    in_place = True
    for param, expected in zip(given, op.python_params(), strict=False):
        in_place = in_place and param is expected and _has_tensors(param, call)
        text = param.python_name if _has_tensors(param, call) else _text(call.arguments[param.name])
        yield text if in_place else f"{param.python_name}={text}"


def _differs(param: Parameter, call: Call) -> bool:
    """From what the function takes when nothing is said."""
    value = call.arguments[param.name]
    if param.python_default is None:
        return True
    plain = value.value if isinstance(value, ScalarArg) else value
    return param.python_default not in (repr(plain), str(plain))


def _has_tensors(param: Parameter, call: Call) -> bool:
    value = call.arguments[param.name]
    members = value if isinstance(value, tuple) else (value,)
    return any(isinstance(member, TensorArg) for member in members)


def _text(argument: Argument) -> str:
    if isinstance(argument, TensorArg):
        return _array(argument)
    if isinstance(argument, ScalarArg):
        return _number(argument.value, argument.dtype)
    if isinstance(argument, tuple):
        return f"[{', '.join(map(_member, argument))}]"
    if isinstance(argument, DataType):
        return f'"{argument.numpy}"' if argument.numpy else str(argument.value)
    if isinstance(argument, str):
        return f'"{argument}"'
    return _number(argument, FLOAT) if isinstance(argument, float) else repr(argument)


def _member(member: Argument) -> str:
    """In a list, a number alone does not say its dtype."""
    if isinstance(member, ScalarArg):
        return f"{_dtype(member.dtype)}({_text(member)})"
    return _text(member)


def _number(value: complex | float, dtype: DataType) -> str:
    if isinstance(value, complex):
        return repr(value)
    if dtype is BOOL:
        return repr(bool(value))
    if dtype.category is Category.INTEGER:
        return repr(int(value))
    return repr(value) if math.isfinite(value) else f"np.{value}" if value > 0 else "-np.inf"


def _dtype(dtype: DataType) -> str:
    if dtype is BOOL:
        return "bool"
    own = dtype.numpy.rstrip("0123456789") in _NUMPY_OWN and dtype.numpy not in ("int4", "uint4")
    return f"{'np' if own else 'ml_dtypes'}.{dtype.numpy}"


def _array(tensor: TensorArg) -> str:
    count, kind = math.prod(tensor.shape), _dtype(tensor.dtype)
    shape = f"({tensor.shape[0]},)" if len(tensor.shape) == 1 else f"{tensor.shape}"
    turned = "" if len(tensor.shape) == 1 else f".reshape{tensor.shape or '(())'}"
    if tensor.values is not None:
        if count > 1 and len(set(tensor.values)) == 1:
            return f"np.full({shape}, {_number(tensor.values[0], tensor.dtype)}, {kind})"
        values = ", ".join(_number(value, tensor.dtype) for value in tensor.values)
        return f"np.array([{values}], {kind}){turned}"
    if tensor.dtype is BOOL:
        return f"(np.arange({count}) % 2 == 0){turned}"
    if tensor.dtype.category is Category.INTEGER:
        first, last = map(int, tensor.span or (0, min(count, 100)))
        wrapped = (
            f"np.arange({count})"
            if last - first >= count
            else f"np.arange({count}) % {last - first}"
        )
        moved = f"({wrapped} + {first})" if first else f"({wrapped})" if "%" in wrapped else wrapped
        return f"{moved}.astype({kind}){turned}"
    low, high = tensor.span or (-2.0, 2.0)
    return f"np.linspace({low:g}, {high:g}, {count}, endpoint=False).astype({kind}){turned}"


def _empty(argument: Argument) -> str:
    if isinstance(argument, tuple):
        return f"[{', '.join(map(_empty, argument))}]"
    if not isinstance(argument, TensorArg):
        return "None"
    return f"np.empty({argument.shape}, {_dtype(argument.dtype)})"
