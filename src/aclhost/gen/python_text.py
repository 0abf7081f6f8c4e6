# SPDX-License-Identifier: Apache-2.0
"""How an operator looks in Python: signature and docstring, shared by stub, binding and page."""

from __future__ import annotations

from aclhost.spec.operator import Operator
from aclhost.spec.params import TENSORS, Parameter, TensorList, TensorListInOut, TensorListOut


def _parameter(param: Parameter) -> str:
    default = "" if param.python_default is None else f" = {param.python_default}"
    absent = " | None" if param.python_default == "None" else ""
    return f"{param.python_name}: {param.python_type}{absent}{default}"


def _out(op: Operator) -> str:
    default = " | None = None" if all(output.can_be_made for output in op.outputs) else ""
    given = result_type(op).replace("tuple[ArrayT, ...]", "Sequence[ArrayT]")
    return f"out: {given}{default}"


def _without_out(op: Operator) -> str:
    if not all(output.can_be_made for output in op.outputs):
        return "; nothing else tells the size"
    has_input = any(isinstance(param, (*TENSORS, TensorList)) for param in op.python_params())
    return f"; made anew{', like the first input,' if has_input else ''} if None"


def result_type(op: Operator) -> str:
    """What the function returns: an array, or a tuple of them."""
    overwritten = [param for param in op.params if isinstance(param, TensorListInOut)]
    types = [*map(_returned, op.outputs or overwritten)] or ["ArrayT"]
    return types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"


def _returned(output: Parameter) -> str:
    several = isinstance(output, TensorListOut | TensorListInOut)
    return "tuple[ArrayT, ...]" if several else "ArrayT"


def _parameters(op: Operator) -> list[str]:
    """Required parameters in C order, then those with defaults, then `out` by keyword."""
    params = [_parameter(param) for param in op.python_params()]
    return [*params, "*", _out(op)] if op.outputs else params


def signature(op: Operator) -> str:
    """On one line, as a stub has it."""
    return f"{op.snake_name}({', '.join(_parameters(op))}) -> {result_type(op)}"


def text_signature(op: Operator) -> str:
    """As CPython wants it at the start of a builtin's documentation: no types."""
    params = [
        param.python_name + ("" if param.python_default is None else f"={param.python_default}")
        for param in op.python_params()
    ]
    if op.outputs:
        params += ["*", "out=None"]
    return f"{op.snake_name}($module, {', '.join(params)})"


def wrapped_signature(op: Operator) -> str:
    """One parameter a line, as a page has it."""
    lines = "".join(f"    {param},\n" for param in _parameters(op))
    return f"aclhost.{op.snake_name}(\n{lines}) -> {result_type(op)}"


def docstring(op: Operator) -> str:
    """Summary, parameters, result, errors."""
    lines = [op.summary, "", f"{op.name} on the CPU. Arrays go in without a copy.", "", "Args:"]
    lines += [f"    {param.python_name}: {param.doc}" for param in op.python_params()]
    if op.outputs:
        names = " and ".join(output.name for output in op.outputs)
        lines.append(f"    out: Where {names} is written{_without_out(op)}.")
        lines += ["", "Returns:", *(f"    {output.doc}" for output in op.outputs)]
    else:
        lines += ["", "Returns:", f"    {op.params[0].python_name} itself."]
    lines += ["", "Raises:", "    AclnnError: an argument breaks one of the operator's rules."]
    return "\n".join(lines)
