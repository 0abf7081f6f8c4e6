# SPDX-License-Identifier: Apache-2.0
"""A C++ table through which a program calls any operator with arguments that it got as values.

For the programs of tests/cross and benchmarks; the build does not need it.
"""

from __future__ import annotations

from aclhost import ops
from aclhost.spec.operator import Operator
from aclhost.spec.params import Float, Parameter

# Members of an Argument by the type that a pointer leads to; all other types are numbers.
POINTERS = {
    "aclTensor": "tensor",
    "aclScalar": "scalar",
    "aclIntArray": "integers",
    "aclFloatArray": "floats",
    "aclBoolArray": "bools",
    "aclTensorList": "tensors",
    "aclScalarList": "scalars",
    "char": "text",
}
HEADER = """\
#include <cstdint>
#include <vector>

#include "acl/acl.h"
{includes}

struct Argument {{
  aclTensor* tensor = nullptr;
  aclScalar* scalar = nullptr;
  aclIntArray* integers = nullptr;
  aclFloatArray* floats = nullptr;
  aclBoolArray* bools = nullptr;
  aclTensorList* tensors = nullptr;
  aclScalarList* scalars = nullptr;
  char* text = nullptr;
  int64_t integer = 0;
  double number = 0;
}};
using Arguments = std::vector<Argument>;

struct Operator {{
  const char* name;
  aclnnStatus (*phase_one)(const Arguments&, uint64_t*, aclOpExecutor**);
  aclnnStatus (*phase_two)(void*, uint64_t, aclOpExecutor*, aclrtStream);
}};

const Operator kOperators[] = {{
{rows}
}};
"""


def _argument(number: int, param: Parameter) -> str:
    if param.c_type.endswith("*"):
        kind = param.c_type.removeprefix("const ").removesuffix("*")
        return f"a[{number}].{POINTERS[kind]}"
    member = "number" if isinstance(param, Float) else "integer"
    return f"static_cast<{param.c_type.removeprefix('const ')}>(a[{number}].{member})"


def _row(op: Operator) -> str:
    arguments = ", ".join(_argument(number, param) for number, param in enumerate(op.params))
    call = f"{op.name}GetWorkspaceSize({arguments}, size, executor)"
    phase_one = (
        f"[](const Arguments& a, uint64_t* size, aclOpExecutor** executor) {{ return {call}; }}"
    )
    return f'    {{"{op.name}", {phase_one}, {op.name}}},'


def header() -> str:
    """Its text; operators in the order of ops.ALL."""
    includes = "\n".join(f'#include "aclnnop/{op.header}"' for op in ops.ALL)
    return HEADER.format(includes=includes, rows="\n".join(map(_row, ops.ALL)))
