# SPDX-License-Identifier: Apache-2.0
"""native/ops/*.cc and native/kernels/*: each operator's description, C functions and kernel.

Tables and C functions, one file for each family, are compiled once; kernels for each instruction
set: the loops of a file of declarations in a file of their own, the calls of kernels that are
written by hand in one for the family. Compiling a small file is reading headers: hence so few.
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
{modules}
}}  // namespace aclhost
{functions}"""

_MODULE = """
// {source}
namespace {{

const TermCode {stem}_code[] = {{{code}}};
const char* const {stem}_words[] = {{{words}}};
{operators}
}}  // namespace
{descriptors}"""

_OPERATOR = """
{steps}const ParamInfo {name}_params[] = {{
    {params}}};
CallCounter {name}_counter("{name}");
"""

_DESCRIPTOR = """
extern const Operator {name}_operator;
const Operator {name}_operator = {{
    "{name}", {name}_params, {param_count}, {name}_steps, {step_count}, {early}, {late_count},
    {stem}_code, {stem}_words, {workspace}, {blocked}, KERNELS(kernel_{name}), &{name}_counter}};
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

_CALLS = """{banner}{includes}

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


def file_stem(source: str) -> str:
    """`src/aclhost/ops/loss/smooth_l1.py` -> `loss_smooth_l1`."""
    return source.partition("aclhost/ops/")[2].removesuffix(".py").replace("/", "_")


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


def _module(source: str, members: list[Operator], table: TermTable) -> str:
    stem = file_stem(source)
    operators = "".join(_operator(op, table) for op in members)
    return _MODULE.format(
        source=source,
        stem=stem,
        code=", ".join(map(number, table.code)),
        words=", ".join(map(c_string, table.words)) or "nullptr",
        operators=operators,
        descriptors="".join(
            _DESCRIPTOR.format(
                stem=stem,
                name=op.name,
                param_count=len(op.params),
                step_count=len(op.steps) + len(op.late_rules),
                early=op.early,
                late_count=len(op.late_rules),
                workspace=op.workspace_bytes,
                blocked=op.params.index(op.parameter(op.blocked)) if op.blocked else -1,
            )
            for op in members
        ),
    )


def _tables(source: str, members: list[Operator], modules: list[str]) -> str:
    headers = sorted({op.header for op in members})
    return _TABLES.format(
        banner=banner(source),
        includes="\n".join(f'#include "aclnnop/{header}"' for header in headers),
        kernels="\n".join(f"Status kernel_{op.name}(const Args& args);" for op in members),
        modules="".join(modules),
        functions="".join(
            _FUNCTIONS.format(
                name=op.name,
                params=", ".join(param.c_declaration for param in op.params),
                names=", ".join(param.name for param in op.params),
            )
            for op in members
        ),
    )


def _calls(source: str, members: list[Operator]) -> str:
    headers = [f"ops/{op.snake_name}.h" for op in members if op.each is None]
    bases = sorted({op.each.base for op in members if op.each is not None})
    return _CALLS.format(
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
        f"{{From::{come.value}, {index.get(name, -1)}, {number!r}}}"
        for come, name, number in op.each.read()
    )
    return _EACH.format(base=op.each.base, name=op.name, sources=", ".join(sources))


def _family(members: list[Operator]) -> Iterator[tuple[str, str]]:
    family = members[0].family
    modules, calling = [], []
    for source, group in groupby(members, key=lambda op: op.source):
        declared = list(group)
        table = TermTable()
        if all(op.kernel is not None for op in declared):
            loops = kernel_source(source, declared, table.position)
            yield f"native/kernels/{file_stem(source)}.cc", loops
        else:
            calling += declared
        modules.append(_module(source, declared, table))
    sources = sorted({op.source for op in members})
    folder = sources[0] if len(sources) == 1 else f"src/aclhost/ops/{family}/*.py"
    yield f"native/ops/{family}.cc", _tables(folder, members, modules)
    if calling:
        yield f"native/kernels/{family}_calls.cc", _calls(folder, calling)


def emit() -> Iterator[tuple[str, str]]:
    """The files of every family."""
    ordered = sorted(ops.ALL, key=lambda op: (op.source, op.snake_name))
    for _, members in groupby(ordered, key=lambda op: op.family):
        yield from _family(list(members))
