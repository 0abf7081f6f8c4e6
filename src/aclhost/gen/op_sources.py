# SPDX-License-Identifier: Apache-2.0
"""native/ops/* and native/kernels/*: each operator's description, C functions and kernel.

Three files for each file of declarations: tables and C functions, compiled once; kernels, compiled
for each instruction set; and for kernels that are written by hand, their arguments by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from aclhost import ops
from aclhost.gen.check_tables import Steps, TermTable, number
from aclhost.gen.loops import kernel_source
from aclhost.gen.text import banner, c_string
from aclhost.spec.operator import Operator
from aclhost.spec.params import (
    Choice,
    IntArray,
    Parameter,
    SizedTensorOut,
    TensorInOut,
    TensorListOut,
    TensorOut,
)

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

_TABLES = """{banner}#include <cstdint>

{includes}
#include "operator/launch.h"

namespace aclhost {{

namespace baseline {{
{kernels}
}}
#if defined(__x86_64__) && !defined(ACLHOST_BASELINE_ONLY)
namespace avx2 {{
{kernels}
}}
namespace avx512 {{
{kernels}
}}
#define KERNELS(name) {{baseline::name, avx2::name, avx512::name}}
#else
#define KERNELS(name) {{baseline::name, baseline::name, baseline::name}}
#endif

namespace {{

const TermCode code[] = {{{code}}};
const char* const words[] = {{{words}}};
{operators}
}}  // namespace
{descriptors}
}}  // namespace aclhost
{functions}"""

_OPERATOR = """
{steps}const ParamInfo {name}_params[] = {{
    {params}}};
CallCounter {name}_counter("{name}");
"""

_DESCRIPTOR = """
extern const Operator {name}_operator;
const Operator {name}_operator = {{
    "{name}", {name}_params, {param_count}, {name}_steps, {step_count}, {early}, {late_count},
    code, words, {workspace}, KERNELS(kernel_{name}), &{name}_counter}};
"""

_FUNCTIONS = """
extern "C" aclnnStatus {name}GetWorkspaceSize({params}, uint64_t* workspaceSize,
    aclOpExecutor** executor) {{
  const aclhost::Given given[] = {{{names}}};
  return aclhost::phase_one(aclhost::{name}_operator, given, workspaceSize, executor);
}}

extern "C" aclnnStatus {name}(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream) {{
  return aclhost::phase_two("{name}", workspace, workspaceSize, executor, stream);
}}
"""

_KERNELS = """{banner}{includes}

namespace aclhost {{
{operators}inline namespace ACLHOST_ISA {{
{kernels}
}}  // namespace ACLHOST_ISA
}}  // namespace aclhost
"""

_KERNEL = """
Status run(const {short}Args& args);
Status kernel_{name}(const Args& args) {{ return run({short}Args(args)); }}
"""

_EACH = """
Status kernel_{base}(const Args& args);
Status kernel_{name}(const Args& args) {{
  static constexpr EachSource sources[] = {{{sources}}};
  return run_each(args, {base}_operator, kernel_{base}, sources);
}}
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


def by_module() -> Iterator[tuple[str, list[Operator]]]:
    """The operators of each file of declarations."""
    ordered = sorted(ops.ALL, key=lambda op: (op.source, op.snake_name))
    for source, members in groupby(ordered, key=lambda op: op.source):
        yield source, list(members)


def file_stem(source: str) -> str:
    """`src/aclhost/ops/loss/smooth_l1.py` -> `loss_smooth_l1`."""
    return source.partition("aclhost/ops/")[2].removesuffix(".py").replace("/", "_")


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


def _param(op: Operator, param: Parameter, table: TermTable) -> str:
    words, length, shape, dtype, count = "nullptr", 0, -1, -1, -1
    if isinstance(param, Choice):
        words = f"{op.name}_{param.name}_words"
    if isinstance(param, IntArray):
        length = param.length
    if isinstance(param, TensorOut) and param.can_be_made:
        shape = table.position(op, param.shape_term)
        dtype = table.position(op, param.dtype_term)
    if isinstance(param, TensorListOut) and param.count is not None:
        count = table.position(op, param.count)
    if isinstance(param, TensorOut) and param.made_if is not None:
        count = table.position(op, param.made_if)
    if isinstance(param, TensorInOut) and param.read_if is not None:
        count = table.position(op, param.read_if)
    flags = (
        op.reads_all(param), isinstance(param, SizedTensorOut), op.is_elementwise(param)
    )  # fmt: skip
    return (
        f'{{"{param.name}", "{param.python_name}", ParamKind::{param.kind}, '
        f"{', '.join(str(flag).lower() for flag in flags)}, "
        f"{length}, {words}, {shape}, {dtype}, {count}}}"
    )


def _operator(op: Operator, table: TermTable) -> str:
    choices = "".join(
        f"const char* const {op.name}_{param.name}_words[] = {{"
        f"{', '.join(map(c_string, param.words))}, nullptr}};\n"
        for param in op.params
        if isinstance(param, Choice)
    )
    return _OPERATOR.format(
        name=op.name,
        steps=choices + Steps(op, table).source(),
        params=",\n    ".join(_param(op, param, table) for param in op.params),
    )


def _tables(source: str, members: list[Operator], table: TermTable) -> str:
    operators = "".join(_operator(op, table) for op in members)
    headers = sorted({op.header for op in members})
    return _TABLES.format(
        banner=banner(source),
        includes="\n".join(f'#include "aclnnop/{header}"' for header in headers),
        kernels="\n".join(f"Status kernel_{op.name}(const Args& args);" for op in members),
        code=", ".join(map(number, table.code)),
        words=", ".join(map(c_string, table.words)) or "nullptr",
        operators=operators,
        descriptors="".join(
            _DESCRIPTOR.format(
                name=op.name,
                param_count=len(op.params),
                step_count=len(op.steps) + len(op.late_rules),
                early=op.early,
                late_count=len(op.late_rules),
                workspace=op.workspace_bytes,
            )
            for op in members
        ),
        functions="".join(
            _FUNCTIONS.format(
                name=op.name,
                params=", ".join(param.c_declaration for param in op.params),
                names=", ".join(param.name for param in op.params),
            )
            for op in members
        ),
    )


def _kernels(source: str, members: list[Operator], table: TermTable) -> str:
    if all(op.kernel is not None for op in members):
        return kernel_source(source, members, table.position)
    headers = [f"ops/{op.snake_name}.h" for op in members if op.each is None]
    bases = sorted({op.each.base for op in members if op.each is not None})
    return _KERNELS.format(
        banner=banner(source),
        includes="\n".join(
            f'#include "{header}"'
            for header in (*(["engines/each.h"] if bases else []), "simd/isa.h", *headers)
        ),
        operators="".join(f"extern const Operator {base}_operator;\n" for base in bases),
        kernels="".join(map(_kernel, members)),
    )


def _kernel(op: Operator) -> str:
    if op.each is None:
        return _KERNEL.format(short=op.short_name, name=op.name)
    index = {param.name: position for position, param in enumerate(op.params)}
    sources = (
        f"{{From::{come}, {index.get(name, -1)}, {number!r}}}"
        for come, name, number in op.each.read()
    )
    return _EACH.format(base=op.each.base, name=op.name, sources=", ".join(sources))


def emit() -> Iterator[tuple[str, str]]:
    """The files of every file of declarations."""
    for source, members in by_module():
        table = TermTable()
        kernels = _kernels(source, members, table)
        yield f"native/kernels/{file_stem(source)}.cc", kernels
        yield f"native/ops/{file_stem(source)}.cc", _tables(source, members, table)
        for op in members:
            if op.kernel is None and op.each is None:
                yield f"native/ops/{op.snake_name}.h", _args(op)
