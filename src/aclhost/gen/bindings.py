# SPDX-License-Identifier: Apache-2.0
"""native/binding.cc: the Python functions of the native module, one for each operator."""

from __future__ import annotations

from collections.abc import Iterator

from aclhost import ops
from aclhost.gen.python_text import docstring, signature
from aclhost.gen.text import banner, c_string
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter, TensorOut

_FILE = """{banner}#include <nanobind/nanobind.h>

#include "binding/invocation.h"
{includes}

namespace nb = nanobind;

namespace aclhost::python {{
namespace {{
{functions}
}}  // namespace

void bind_operators(nb::module_& module) {{
{definitions}
}}

}}  // namespace aclhost::python
"""

_FUNCTION = """
nb::object {snake}({params}) {{
  Invocation<{short}Args> call;
  {short}Args& a = call.args;
{fills}
  return call.finish();
}}
"""


def _cpp_param(param: Parameter) -> str:
    return f"{param.binding_type} {param.python_name}"


def _fill(param: Parameter) -> str:
    if not param.binding_fill:
        return f"  a.{param.name} = {param.python_name};"
    arguments = (
        c_string(param.python_name),
        param.python_name,
        *param.binding_extra,
        f"&a.{param.name}",
    )
    return f"  call.{param.binding_fill}({', '.join(arguments)});"


def _out_fill(op: Operator, index: int, param: TensorOut) -> str:
    source = "out" if len(op.outputs) == 1 else f"call.member(out, {index}, {len(op.outputs)})"
    return f"  call.output({source}, &a.{param.name}, {param.shape_cpp}, {param.dtype_cpp});"


def _function(op: Operator) -> str:
    params = [_cpp_param(param) for param in op.python_params()]
    if op.outputs:
        params.append("nb::handle out")
    fills = [_fill(param) for param in op.python_params()]
    fills += [_out_fill(op, index, param) for index, param in enumerate(op.outputs)]
    return _FUNCTION.format(
        snake=op.snake_name,
        short=op.short_name,
        params=", ".join(params),
        fills="\n".join(fills),
    )


def _definition(op: Operator) -> str:
    arguments = []
    for param in op.python_params():
        default = param.binding_default
        name = f'nb::arg("{param.python_name}")'
        if param.binding_type == "nb::handle":
            name += ".none()"
        arguments.append(name if default is None else f"{name} = {default}")
    if op.outputs:
        arguments += ["nb::kw_only()", 'nb::arg("out").none() = nb::none()']
    return (
        f'  module.def("{op.snake_name}", &{op.snake_name}, {", ".join(arguments)},\n'
        f"      nb::sig({c_string('def ' + signature(op))}), {c_string(docstring(op))});"
    )


def emit() -> Iterator[tuple[str, str]]:
    """One file."""
    yield (
        "native/binding.cc",
        _FILE.format(
            banner=banner("src/aclhost/ops"),
            includes="\n".join(f'#include "ops/{op.snake_name}.h"' for op in ops.ALL),
            functions="".join(_function(op) for op in ops.ALL).rstrip(),
            definitions="\n".join(_definition(op) for op in ops.ALL),
        ),
    )
