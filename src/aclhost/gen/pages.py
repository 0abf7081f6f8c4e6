# SPDX-License-Identifier: Apache-2.0
"""docs/ops/*.md: a reference page for each operator, and the support matrix.

`python -m aclhost.gen.pages docs/ops` writes them; a test keeps the committed ones fresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from aclhost import ops
from aclhost.gen.cpp_example import cpp_example
from aclhost.gen.python_example import python_example
from aclhost.gen.python_text import wrapped_signature
from aclhost.gen.related import related
from aclhost.gen.text import directory_argument
from aclhost.spec import dtypes, products
from aclhost.spec.expression import Call, Domain, Input
from aclhost.spec.measured_ulps import MAX_ULPS, STEPS
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter, TensorIn, TensorInOut, TensorListInOut, TensorOut
from aclhost.spec.products import Product
from aclhost.spec.rules.base import Done, Rule

_PAGE = """<!-- Generated from {source}: edit that file, then run make docs. -->
# {name}

{summary}

{related}

```c
#include "aclnnop/{header}"

aclnnStatus {name}GetWorkspaceSize({c_params},
    uint64_t* workspaceSize, aclOpExecutor** executor);
aclnnStatus {name}(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
```

```python
{signature}
```

## What it computes

{formula}

## Example

```python
{python_example}
```

```cpp
{cpp_example}
```

## Parameters

{params}

## Data types by product

{dtypes}

## Checks

In this order; the first failure decides. `workspaceSize` and `executor` themselves must not be null
(161001), and a handle that is not alive is refused with 161002. After a failure both results are
left untouched.

{checks}

## Formats, empty tensors, determinism

{formats} Strides may be any, zero and negative included, and so may offsets.

{determinism}{workspace}
{notes}"""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [list(head)]
    lines.append(["---"] * len(lines[0]))
    lines += [list(row) for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def direction(param: Parameter) -> str:
    """Whether the operator reads the parameter, writes it, or both."""
    if isinstance(param, TensorInOut | TensorListInOut):
        return "in and out"
    return "out" if isinstance(param, TensorOut) else "in"


def _workspace(op: Operator) -> str:
    if op.workspace_bytes == 0:
        return ""
    return (
        f"\n\nPhase 1 asks for a workspace of {op.workspace_bytes} bytes, as upstream does for"
        " larger ones; phase 2 without it returns 161001, with less of it 161002."
    )


def _params(op: Operator) -> str:
    rows = (
        (f"`{p.name}`", f"`{p.c_type}`", direction(p), p.doc, p.python_default or "")
        for p in op.params
    )
    return table(("name", "C type", "", "meaning", "default in Python"), rows)


def dtype_names(op: Operator, param: Parameter, product: Product) -> str:
    """The dtypes of a tensor on a product, as a phrase."""
    if product not in op.products:
        return "not supported"
    rule = op.dtype_rule(param.name)
    allowed = rule.dtypes(product) if rule else None
    return "by the checks" if allowed is None else ", ".join(map(str, allowed))


def _dtypes(op: Operator) -> str:
    rows = (
        (product.title, *(dtype_names(op, tensor, product) for tensor in op.tensors))
        for product in products.ALL
    )
    return table(("product", *(f"`{tensor.name}`" for tensor in op.tensors)), rows)


def step_rows(op: Operator) -> Iterator[tuple[str, ...]]:
    """(number, status, parameter, rule, what to do) for every step in order."""
    number = 0
    for step in op.steps:
        if isinstance(step, Done):
            yield ("", "0", "", f"{step.condition.english}: nothing to do, nothing is written", "")
        else:
            number += 1
            yield (str(number), str(int(step.code)), *_rule_cells(step))
    for late, rule in enumerate(op.late_rules, number + 1):
        yield (str(late), f"{int(rule.code)} from phase 2", *_rule_cells(rule))


def _folded(rows: Iterable[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Null pointers that are looked for one after the other share a row."""
    for is_null, members in groupby(rows, key=lambda row: row[3].endswith("must not be null")):
        folded = list(members)
        if not is_null or len(folded) == 1:
            yield from folded
            continue
        advice = "Create it before the call and check that its creation succeeded."
        names = ", ".join(row[2] for row in folded)
        numbers = f"{folded[0][0]} to {folded[-1][0]}"
        yield numbers, folded[0][1], names, "each of these must not be null", advice


def _rule_cells(rule: Rule) -> tuple[str, str, str]:
    return (f"`{rule.parameter}`" if rule.parameter else "", rule.sentence(), rule.advice)


def page(op: Operator) -> str:
    """The reference page of one operator."""
    return _PAGE.format(
        source=op.source,
        name=op.name,
        summary=op.summary,
        related=related(op),
        python_example=python_example(op),
        cpp_example=cpp_example(op),
        header=op.header,
        c_params=",\n    ".join(param.c_declaration for param in op.params),
        signature=wrapped_signature(op),
        formula=op.formula,
        params=_params(op),
        dtypes=_dtypes(op),
        checks=table(("", "status", "parameter", "rule", "what to do"), _folded(step_rows(op))),
        formats=op.formats,
        determinism=op.determinism,
        workspace=_workspace(op),
        notes=_notes((*op.notes, *_measured_error(op))),
    )


def _notes(notes: tuple[str, ...]) -> str:
    lines = "".join(f"- {note}\n" for note in notes)
    return f"\n## Notes\n\n{lines}" if lines else ""


def _measured_error(op: Operator) -> Iterator[str]:
    """Where the operator is one of the functions that the sweep measures."""
    if op.kernel is None or dtypes.FLOAT not in op.kernel.loop_dtypes:
        return
    result = op.kernel.expressions(Domain.REAL)[0]
    if not isinstance(result, Call) or not all(isinstance(x, Input) for x in result.arguments):
        return
    name = result.operation.name
    if name in MAX_ULPS:
        floats = f"every {STEPS[name]}th float" if STEPS[name] > 1 else "all floats"
        yield f"The largest error measured in FLOAT, over {floats}, is {MAX_ULPS[name]:g} ulp."


def first_tensor(op: Operator) -> Parameter:
    """The tensor that an overview is about: an input, or the result where there is none."""
    if op.each is not None:
        return op.parameter(op.each.walks_over[0])
    kinds = (TensorIn, TensorInOut, TensorListInOut)
    inputs = (param for param in op.params if isinstance(param, kinds))
    return next(inputs, None) or op.outputs[0]


def dtype_groups(op: Operator) -> dict[str, list[Product]]:
    """The dtypes of the first tensor, each list with the products that have just these."""
    groups: dict[str, list[Product]] = {}
    for product in op.products:
        groups.setdefault(dtype_names(op, first_tensor(op), product), []).append(product)
    return groups


def index() -> str:
    """The operators by family, with links to the pages."""
    families: dict[str, list[Operator]] = {}
    for op in ops.ALL:
        families.setdefault(op.family, []).append(op)
    sections = (
        f"## {name}\n\n{len(members)} operators.\n\n"
        + table(
            ("operator", "what it computes"),
            ((f"[{op.name}]({op.page})", op.summary) for op in members),
        )
        for name, members in sorted(families.items())
    )
    return (
        "<!-- Generated from src/aclhost/ops: edit those files, then run make docs. -->\n"
        f"# Operators\n\n{len(ops.ALL)} operators in {len(families)} families. The "
        "[support matrix](../support.md) has their data types by product.\n\n"
        + "\n\n".join(sections)
        + "\n"
    )


def emit() -> Iterator[tuple[str, str]]:
    """(file name, text) of every page."""
    yield "index.md", index()
    for op in ops.ALL:
        yield op.page, page(op)


def main() -> None:
    """Writes the pages and removes those of operators that are gone."""
    directory = directory_argument(__doc__)
    directory.mkdir(parents=True, exist_ok=True)
    pages = dict(emit())
    for stale in {path.name for path in directory.glob("*.md")} - pages.keys():
        (directory / stale).unlink()
    for name, text in pages.items():
        (directory / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
