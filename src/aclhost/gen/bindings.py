# SPDX-License-Identifier: Apache-2.0
"""native/binding.cc: the Python functions of the native module, one for each operator."""

from __future__ import annotations

from collections.abc import Iterator

from aclhost import ops
from aclhost.gen.python_text import docstring, text_signature
from aclhost.gen.text import banner, c_string
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter

_FILE = """{banner}#include <nanobind/nanobind.h>

#include "binding/functions.h"

namespace nb = nanobind;

namespace aclhost {{
{operators}
}}  // namespace aclhost

namespace aclhost::python {{
namespace {{
{parameters}
}}  // namespace

const int kFunctionCount = {count};
const FunctionInfo kFunctions[] = {{
{functions}
}};

void bind_operators(nb::module_& module) {{
  prepare_functions();
  static PyMethodDef methods[] = {{
{methods}
      {{nullptr, nullptr, 0, nullptr}},
  }};
  if (PyModule_AddFunctions(module.ptr(), methods) < 0) throw nb::python_error();
}}

}}  // namespace aclhost::python
"""


def _parameter(param: Parameter) -> str:
    fallback = "nullptr" if param.python_default is None else c_string(param.python_default)
    return f'{{"{param.python_name}", {fallback}}}'


def _parameters(op: Operator) -> str:
    params = op.python_params()
    rows = [*map(_parameter, params), *(['{"out", "None"}'] if op.outputs else [])]
    places = [params.index(param) if param in params else -1 for param in op.params]
    return (
        f"const Parameter {op.snake_name}_parameters[] = {{{', '.join(rows)}}};\n"
        f"const int16_t {op.snake_name}_positions[] = {{{', '.join(map(str, places))}}};"
    )


def _function(op: Operator) -> str:
    positional = len(op.python_params())
    count = positional + bool(op.outputs)
    return (
        f'    {{&{op.name}_operator, "{op.snake_name}", {op.snake_name}_parameters, {count}, '
        f"{positional}, {op.snake_name}_positions, {len(op.outputs)}, "
        f"{str(op.labelled).lower()}}},"
    )


def _method(number: int, op: Operator) -> str:
    name = op.snake_name
    doc = c_string(f"{text_signature(op)}\n--\n\n{docstring(op)}")
    return f'      method<{number}>("{name}",\n          {doc}),'


def emit() -> Iterator[tuple[str, str]]:
    """One file."""
    yield (
        "native/binding.cc",
        _FILE.format(
            banner=banner("src/aclhost/ops"),
            operators="\n".join(f"extern const Operator {op.name}_operator;" for op in ops.ALL),
            parameters="\n".join(map(_parameters, ops.ALL)),
            count=len(ops.ALL),
            functions="\n".join(map(_function, ops.ALL)),
            methods="\n".join(_method(number, op) for number, op in enumerate(ops.ALL)),
        ),
    )
