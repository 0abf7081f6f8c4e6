# SPDX-License-Identifier: Apache-2.0
"""native/ops/*.h: the arguments by name of each operator whose kernel is written by hand."""

from __future__ import annotations

from collections.abc import Iterator

from aclhost import ops
from aclhost.gen.text import banner
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter, SizedTensorOut

_ARGS = """{banner}#pragma once

#include "base/status.h"
#include "operator/args.h"
{sized}
namespace aclhost {{

struct {short}Args {{
  static constexpr const char* kOperator = "{name}";

  explicit {short}Args(const Args& args)
      : {initialisers} {{}}

{fields}
}};

}}  // namespace aclhost
"""

_GETTERS = {
    "kTensorIn": "tensor",
    "kTensorOut": "tensor",
    "kTensorInOut": "tensor",
    "kTensorList": "tensor_list",
    "kTensorListOut": "tensor_list",
    "kScalar": "scalar",
    "kScalarList": "scalar_list",
    "kIntArray": "int_array",
    "kFloatArray": "float_array",
    "kBoolArray": "bool_array",
    "kText": "text",
    "kFlag": "integer",
    "kInt": "integer",
    "kDtype": "integer",
    "kFloat": "real",
    "kDouble": "real",
}


def emit() -> Iterator[tuple[str, str]]:
    """A header for each of them."""
    for op in ops.ALL:
        if op.kernel is None and op.each is None:
            yield f"native/ops/{op.snake_name}.h", _args(op)


def _getter(index: int, param: Parameter) -> str:
    value = f"args.{_GETTERS[param.kind]}({index})"
    plain = param.kind in ("kFlag", "kInt", "kDtype", "kFloat", "kDouble")
    return f"static_cast<{param.field_type}>({value})" if plain else value


def _is_sized(op: Operator) -> bool:
    return any(isinstance(param, SizedTensorOut) for param in op.params)


def _args(op: Operator) -> str:
    initialisers = (f"{p.name}({_getter(i, p)})" for i, p in enumerate(op.params))
    return _ARGS.format(
        banner=banner(op.source),
        sized='#include "operator/sized_results.h"\n' if _is_sized(op) else "",
        short=op.short_name,
        name=op.name,
        initialisers=",\n        ".join(initialisers),
        fields="\n".join(f"  {param.field_type} {param.name};" for param in op.params),
    )
