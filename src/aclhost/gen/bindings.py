# SPDX-License-Identifier: Apache-2.0
"""native/binding.cc: the Python functions of the native module, one for each operator."""

from __future__ import annotations

from collections.abc import Iterator

from aclhost import ops
from aclhost.gen.python_text import docstring, text_signature
from aclhost.gen.text import banner, c_string
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter, TensorOut

_FILE = """{banner}#include <nanobind/nanobind.h>

#include "binding/invocation.h"
#include "binding/signature.h"
{includes}

namespace nb = nanobind;

namespace aclhost::python {{
namespace {{
{functions}
}}  // namespace

void bind_operators(nb::module_& module) {{
{preparations}
  static PyMethodDef methods[] = {{
{methods}
      {{nullptr, nullptr, 0, nullptr}},
  }};
  if (PyModule_AddFunctions(module.ptr(), methods) < 0) throw nb::python_error();
}}

}}  // namespace aclhost::python
"""

_FUNCTION = """
Signature {snake}_signature("{snake}", {positional}, {{{parameters}}});

nb::object {snake}(PyObject* const* given) {{
  Invocation<{short}Args, {tensors}> call;
  {short}Args& a = call.args;
{fills}
  return call.finish();
}}
"""


def _parameter(param: Parameter) -> str:
    fallback = f", {c_string(param.python_default)}" if param.python_default is not None else ""
    return f'{{"{param.python_name}"{fallback}}}'


def _fill(index: int, param: Parameter) -> str:
    arguments = (
        c_string(param.python_name),
        f"given[{index}]",
        *param.binding_extra,
        f"&a.{param.name}",
    )
    return f"  call.{param.binding_fill}({', '.join(arguments)});"


def _out_fill(op: Operator, index: int, param: TensorOut) -> str:
    source = f"given[{len(op.python_params())}]"
    if len(op.outputs) > 1:
        source = f"call.member({source}, {index}, {len(op.outputs)})"
    described = f"[&] {{ return row_major_view({param.shape_cpp}, {param.dtype_cpp}); }}"
    return f"  call.{param.binding_fill}({source}, &a.{param.name}, {described});"


def _function(op: Operator) -> str:
    params = op.python_params()
    parameters = [_parameter(param) for param in params]
    if op.outputs:
        parameters.append('{"out", "None"}')
    fills = [_fill(index, param) for index, param in enumerate(params)]
    fills += [_out_fill(op, index, param) for index, param in enumerate(op.outputs)]
    return _FUNCTION.format(
        snake=op.snake_name,
        short=op.short_name,
        tensors=len(op.tensors),
        positional=len(params),
        parameters=", ".join(parameters),
        fills="\n".join(fills),
    )


def _method(op: Operator) -> str:
    name = op.snake_name
    doc = c_string(f"{text_signature(op)}\n--\n\n{docstring(op)}")
    return f'      method<{name}_signature, {name}>("{name}",\n          {doc}),'


def emit() -> Iterator[tuple[str, str]]:
    """One file."""
    yield (
        "native/binding.cc",
        _FILE.format(
            banner=banner("src/aclhost/ops"),
            includes="\n".join(f'#include "ops/{op.snake_name}.h"' for op in ops.ALL),
            functions="".join(_function(op) for op in ops.ALL).rstrip(),
            preparations="\n".join(f"  {op.snake_name}_signature.prepare();" for op in ops.ALL),
            methods="\n".join(_method(op) for op in ops.ALL),
        ),
    )
