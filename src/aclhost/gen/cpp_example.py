# SPDX-License-Identifier: Apache-2.0
"""A C++ function around both phases of an operator, as its page shows it."""

from __future__ import annotations

import math
from textwrap import fill

from aclhost.gen.samples import shown_sample
from aclhost.spec.call import Argument, ScalarArg
from aclhost.spec.dtypes import BOOL, DOUBLE, FLOAT, INT32, INT64
from aclhost.spec.operator import Operator
from aclhost.spec.params import (
    BoolArray,
    Dtype,
    FloatArray,
    IntArray,
    Parameter,
    Scalar,
    ScalarList,
    Text,
)

_FUNCTION = """#include "acl/acl.h"
#include "aclnnop/{header}"

int run_{snake_name}({tensors}, aclrtStream stream) {{
{made}  uint64_t workspaceSize = 0;
  aclOpExecutor* executor = nullptr;
  int status = {name}GetWorkspaceSize(
      {arguments}, &workspaceSize, &executor);
  void* workspace = nullptr;
  if (status == 0 && workspaceSize > 0) {{
    status = aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST);
  }}
  if (status == 0) status = {name}(workspace, workspaceSize, executor, stream);
  if (status == 0) status = aclrtSynchronizeStream(stream);
  if (workspace != nullptr) aclrtFree(workspace);
{ended}  return status;  // if it is not 0, aclGetRecentErrMsg() says why
}}"""

_SCALARS = {
    FLOAT: "float", DOUBLE: "double", INT64: "int64_t", INT32: "int32_t", BOOL: "bool"
}  # fmt: skip
_ARRAYS: dict[type[Parameter], tuple[str, str]] = {
    IntArray: ("int64_t", "IntArray"),
    FloatArray: ("float", "FloatArray"),
    BoolArray: ("bool", "BoolArray"),
}


def cpp_example(op: Operator) -> str:
    """The function takes the tensors; scalars and arrays are those of a sample."""
    call = shown_sample(op)
    if call is None:
        return ""
    pieces = {param.name: _piece(param, call.arguments[param.name]) for param in op.params}
    declared = op.functions[0].parameters
    text = _FUNCTION.format(
        header=op.header,
        snake_name=op.snake_name,
        name=op.name,
        tensors=", ".join(f"{p.c_type} {p.name}" for p in declared if "aclTensor" in p.c_type),
        made="".join(made for made, _, _ in pieces.values()),
        arguments=", ".join(named for _, named, _ in pieces.values()),
        ended="".join(ended for _, _, ended in pieces.values()),
    )
    return "\n".join(map(_wrapped, text.splitlines()))


def _wrapped(line: str) -> str:
    indent = " " * (len(line) - len(line.lstrip()) + (0 if line.endswith("executor);") else 4))
    return fill(line, 98, subsequent_indent=indent, break_on_hyphens=False)


def _piece(param: Parameter, argument: Argument) -> tuple[str, str, str]:
    """What is made before the call, how the call names it, what ends it."""
    if "aclTensor" in param.c_type:
        return "", param.name, ""
    if argument is None:
        return "", "nullptr", ""
    return _made(param, argument)


def _made(param: Parameter, argument: Argument) -> tuple[str, str, str]:
    if isinstance(param, Scalar):
        return _scalar(param.name, argument)
    if isinstance(param, ScalarList):
        return _scalar_list(param.name, argument)
    for kind, (element, word) in _ARRAYS.items():
        if isinstance(param, kind):
            return _array(param.name, argument, element, word)
    if isinstance(param, Text):
        return f'  char {param.name}[] = "{argument}";\n', param.name, ""
    return "", f"ACL_{argument}" if isinstance(param, Dtype) else _number(argument), ""


def _scalar(name: str, argument: Argument) -> tuple[str, str, str]:
    assert isinstance(argument, ScalarArg)
    dtype = argument.dtype if argument.dtype in _SCALARS else FLOAT
    made = f"  {_SCALARS[dtype]} {name}Value = {_number(argument.value)};\n"
    made += f"  aclScalar* {name} = aclCreateScalar(&{name}Value, ACL_{dtype});\n"
    return made, name, f"  aclDestroyScalar({name});\n"


def _scalar_list(name: str, argument: Argument) -> tuple[str, str, str]:
    assert isinstance(argument, tuple)
    values = ", ".join(map(_number, argument))
    made = f"  float {name}Values[] = {{{values}}};\n"
    made += f"  const aclScalar* {name}Members[{len(argument)}];\n"
    made += f"  for (int i = 0; i < {len(argument)}; ++i) {{\n"
    made += f"    {name}Members[i] = aclCreateScalar(&{name}Values[i], ACL_FLOAT);\n  }}\n"
    made += f"  aclScalarList* {name} = aclCreateScalarList({name}Members, {len(argument)});\n"
    return made, name, f"  aclDestroyScalarList({name});  // and its members\n"


def _array(name: str, argument: Argument, element: str, word: str) -> tuple[str, str, str]:
    values = argument if isinstance(argument, tuple) else (argument,)
    numbers = ", ".join(map(_number, values)) or "0"
    made = f"  const {element} {name}Values[] = {{{numbers}}};\n"
    made += f"  acl{word}* {name} = aclCreate{word}({name}Values, {len(values)});\n"
    return made, name, f"  aclDestroy{word}({name});\n"


def _number(value: object) -> str:
    if isinstance(value, ScalarArg):
        value = value.value
    if isinstance(value, complex):
        value = value.real
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return "NAN" if math.isnan(value) else f"{'-' if value < 0 else ''}INFINITY"
    return repr(value)
