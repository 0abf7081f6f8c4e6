# SPDX-License-Identifier: Apache-2.0
"""native/kernels/*: the loops of point-wise operators, and the kernels that run them.

One file for each module of declarations, compiled once for each instruction set. Operators of a
module that compute the same share their loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aclhost.gen.cpp_expressions import c_type, loop_body
from aclhost.gen.text import banner
from aclhost.spec.dtypes import DataType
from aclhost.spec.expression import Domain, domain_of
from aclhost.spec.formula import formula
from aclhost.spec.operator import Operator
from aclhost.spec.pointwise import NumberFrom, Pointwise
from aclhost.spec.terms import Term
from aclhost.spec.views import AsColumn, ViewTerm

Position = Callable[[Operator, Term | ViewTerm], int]  # of a term in the operator's code

# Functions of a few operators, for whose sake not every loop is to be compiled again.
_HEADERS = {
    "loops::HalfLoop<": "engines/loops_halves.h",
    "loops::RowLoop<": "engines/loops_rows.h",
    "loops::multiply_arrays(": "engines/loops_products.h",
    "loops::power_arrays(": "engines/loops_powers.h",
    "math::digamma_of_array(": "simd/math_gamma.h",
    "math::lgamma_of_array(": "simd/math_gamma.h",
    "math::normal_cdf(": "simd/math_normal.h",
}

_SOURCE = """{banner}#include "engines/loops.h"
{headers}
namespace aclhost {{
inline namespace ACLHOST_ISA {{
{functions}
}}  // namespace ACLHOST_ISA
}}  // namespace aclhost
"""

_LOOP = """
// {formula}
template <typename T>
static void {name}([[maybe_unused]] const void* const* in, void* const* out, int64_t n,
    [[maybe_unused]] const Number* numbers) {{
{body}
}}
"""

_KERNEL = """
Status kernel_{name}(const Args& args) {{
  static constexpr TypedLoop loops[] = {{
{loops}
  }};
{tables}
  static constexpr PointwiseKernel kernel = {{
      {computed}, {variant}, loops, {dtypes}, {reduction}, {inputs}, {outputs}, {numbers}}};
  return run_pointwise(args, kernel);
}}
"""

_ABSENT = {"": "kZero", "least": "kLeast", "most": "kMost"}


def kernel_source(module_source: str, ops: list[Operator], position: Position) -> str:
    """The C++ file of the point-wise operators that one module declares."""
    loops = _Loops()
    kernels = [_kernel(op, loops, position) for op in ops]
    functions = "".join((*loops.templates, *kernels))
    headers = dict.fromkeys(header for call, header in _HEADERS.items() if call in functions)
    return _SOURCE.format(
        banner=banner(module_source),
        headers="".join(f'#include "{header}"\n' for header in headers),
        functions=functions,
    )


class _Loops:
    """The templates of a file, each body once."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.templates: list[str] = []

    def name_of(
        self,
        op: Operator,
        kernel: Pointwise,
        domain: Domain,
        variant: int,
        *,
        halves: bool = False,
        in_row: bool = False,
    ) -> str:
        results = kernel.expressions(domain, variant)
        body = loop_body(results, domain, halves=halves, in_row=in_row)
        if body not in self.names:
            number = f"_{variant}" if kernel.variants else ""
            of = "halves" if halves else domain.name.lower()
            end = "_in_row" if in_row else ""
            self.names[body] = f"{op.snake_name}{number}_of_{of}{end}"
            text = "; ".join(formula(results))
            self.templates.append(_LOOP.format(formula=text, name=self.names[body], body=body))
        return self.names[body]


def _kernel(op: Operator, loops: _Loops, position: Position) -> str:
    kernel = op.kernel
    assert isinstance(kernel, Pointwise)
    kernel.check()
    numbers = [_number(op, number, position) for number in kernel.numbers]
    tables = (
        _table("TensorSource", "inputs", list(_tensors(op, kernel, position))),
        _table("TensorSource", "outputs", list(_results(op, kernel, position))),
        _table("NumberSource", "numbers", numbers),
    )
    return _KERNEL.format(
        name=op.name,
        loops="\n".join(_typed_loops(op, kernel, loops)),
        tables="\n".join(filter(None, tables)),
        computed=position(op, kernel.computed),
        variant=_position(op, kernel.variant, position),
        dtypes=len(kernel.loop_dtypes) + len(kernel.narrow_dtypes) + len(kernel.half_dtypes),
        reduction=_position(op, kernel.reduction, position),
        inputs="inputs" if kernel.inputs else "{}",
        outputs="outputs",
        numbers="numbers" if numbers else "{}",
    )


def _typed_loops(op: Operator, kernel: Pointwise, loops: _Loops) -> Iterator[str]:
    for variant in range(len(kernel.functions)):
        for dtype in (*kernel.loop_dtypes, *kernel.narrow_dtypes):
            loop = "nullptr"
            if not kernel.keeps(dtype, variant):
                name = loops.name_of(op, kernel, domain_of(dtype), variant)
                loop = f"{name}<{c_type(dtype)}>"
            reads = kernel.inputs_read(domain_of(dtype), variant)
            row_loop = _row_loop(op, kernel, loops, dtype, variant)
            yield f"      {{{dtype.c_name}, {loop}, {reads}{row_loop}}},"
        for dtype in kernel.half_dtypes:
            loop = _half_loop(op, kernel, loops, dtype, variant)
            row_loop = _row_loop(op, kernel, loops, dtype, variant)
            yield f"      {{{dtype.c_name}, {loop}, {len(kernel.inputs)}{row_loop}}},"


def _row_loop(op: Operator, kernel: Pointwise, loops: _Loops, dtype: DataType, variant: int) -> str:
    """One more field for operators whose first input is a column: it need not be spread."""
    if not kernel.inputs or not isinstance(kernel.view_of(kernel.inputs[0]), AsColumn):
        return ""
    name = loops.name_of(op, kernel, domain_of(dtype), variant, in_row=True)
    if dtype in kernel.half_dtypes:
        return f", loops::HalfRowLoop<{c_type(dtype)}, {name}<float>>::run"
    return f", loops::RowLoop<{c_type(dtype)}, {name}<{c_type(dtype)}>>::run"


def _half_loop(
    op: Operator, kernel: Pointwise, loops: _Loops, dtype: DataType, variant: int
) -> str:
    if not kernel.is_brief(variant):
        return "nullptr"
    name = loops.name_of(op, kernel, Domain.REAL, variant, halves=True)
    counts = f"{len(kernel.inputs)}, {len(kernel.outputs)}"
    return f"loops::HalfLoop<{c_type(dtype)}, {name}<float>, {counts}>::run"


def _table(of: str, name: str, rows: list[str]) -> str:
    return f"  static constexpr {of} {name}[] = {{{', '.join(rows)}}};" if rows else ""


def _tensors(op: Operator, kernel: Pointwise, position: Position) -> Iterator[str]:
    for i, name in enumerate(kernel.inputs):
        yield _source(op, kernel, name, kernel.input_dtype(i), position)


def _results(op: Operator, kernel: Pointwise, position: Position) -> Iterator[str]:
    for i, name in enumerate(kernel.outputs):
        yield _source(op, kernel, name, kernel.result_dtype(i), position)


def _source(
    op: Operator, kernel: Pointwise, name: str, dtype: Term | None, position: Position
) -> str:
    view = kernel.view_of(name)
    return _row(
        _index(op, kernel.parameter_of(name)),
        _position(op, dtype, position),
        "kWhole" if view is None else position(op, view),
    )


def _number(op: Operator, number: NumberFrom, position: Position) -> str:
    dtype, value = (_position(op, term, position) for term in (number.dtype, number.value))
    parameter = _index(op, number.parameter) if number.value is None else -1
    return _row(parameter, dtype, f"Absent::{_ABSENT[number.absent]}", value)


def _row(*fields: int | str) -> str:
    return f"{{{', '.join(map(str, fields))}}}"


def _position(op: Operator, term: Term | None, position: Position) -> int | str:
    return "kComputed" if term is None else position(op, term)


def _index(op: Operator, name: str) -> int:
    return [param.name for param in op.params].index(name)
