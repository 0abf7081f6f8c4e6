# SPDX-License-Identifier: Apache-2.0
"""docs/errors.md and docs/support.md: status codes, and products x dtypes x operators.

`python -m aclhost.gen.reference_pages docs` writes them; a test keeps the committed ones fresh.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from aclhost import ops
from aclhost.gen.pages import dtype_groups, table
from aclhost.gen.text import directory_argument
from aclhost.spec import catalogue, error_codes, products
from aclhost.spec.error_advice import ADVICE, Advice
from aclhost.spec.error_codes import ErrorCode

_FAMILIES = (
    ("Operators", error_codes.ACLNN),
    ("Runtime", error_codes.RT_LAYER),
    ("AscendCL", error_codes.ACL_LAYER),
    ("Graph engine", error_codes.GE_LAYER),
)

_ERRORS = """<!-- Generated from src/aclhost/spec/error_codes.py and error_advice.py: edit those
files, then run make docs. -->
# Status codes

`aclhost explain CODE` tells the same in a terminal. After a failure, `aclGetRecentErrMsg()` on the
same thread gives the reason in words and clears it.

## Codes that aclhost returns

{table}

{returned}

## All codes

A device can return any of these; aclhost has the names of all of them in its headers.

{all}
"""

_SUPPORT = """<!-- Generated from src/aclhost/ops: edit those files, then run make docs. -->
# Support matrix

Data types of each operator's first tensor on each product. The pages tell those of the other
tensors. The product follows ACLHOST_SOC:

{socs}

{matrix}

## Operators that upstream has

All have their headers, so that every program compiles; what is not computed
[has a placeholder](command.md#operators-that-aclhost-does-not-compute). `aclhost scan` tells which
of them a program uses.

{families}
"""


def errors() -> str:
    """The page of status codes."""
    codes = {code.value: code for code in reversed(error_codes.ALL)}
    returned = "\n\n".join(
        _explained(codes[value], advice) for value, advice in sorted(ADVICE.items())
    )
    rows = (
        (f"[{value}](#{value})", f"`{codes[value].name}`", codes[value].sentence)
        for value in sorted(ADVICE)
    )
    overview = table(("code", "name", "meaning"), rows)
    families = "\n\n".join(f"### {title}\n\n{_family(family)}" for title, family in _FAMILIES)
    return _ERRORS.format(table=overview, returned=returned, all=families)


def _explained(code: ErrorCode, advice: Advice) -> str:
    causes = "\n".join(f"- {cause}" for cause in advice.causes)
    return (
        f"### {code.value}\n\n**`{code.name}`**: {code.sentence}\n\nUsual causes:\n\n{causes}\n\n"
        f"What to do: {advice.remedy}{_rules(code.value)}"
    )


def _rules(value: int) -> str:
    rules = {f"`{rule.id}`" for op in ops.ALL for rule in op.rules if int(rule.code) == value}
    return f"\n\nRules that return it: {', '.join(sorted(rules))}." if rules else ""


def _family(codes: tuple[ErrorCode, ...]) -> str:
    rows = ((str(code.value), f"`{code.name}`", code.meaning) for code in codes)
    return table(("code", "name", "meaning"), rows)


def support() -> str:
    """The page with the matrix."""
    socs = table(
        ("product", "key", "for example"),
        ((product.title, product.key, f"`{product.default_soc}`") for product in products.ALL),
    )
    matrix = table(("operator", "family", "data types by product"), _matrix_rows())
    families = table(("family", "upstream", "computed"), _family_rows())
    return _SUPPORT.format(socs=socs, matrix=matrix, families=families)


def _family_rows() -> Iterator[tuple[str, ...]]:
    known = catalogue.operators()
    upstream = Counter(op.group for op in known.values())
    computed = Counter(known[op.name].group for op in ops.ALL if op.name in known)
    for group in sorted(upstream):
        yield group, str(upstream[group]), str(computed[group] or "")
    yield "all", str(upstream.total()), str(computed.total())


def _matrix_rows() -> Iterator[tuple[str, ...]]:
    for op in ops.ALL:
        groups = (
            f"{' '.join(product.key for product in on)}: {_chips(names)}"
            for names, on in dtype_groups(op).items()
        )
        yield f"[{op.name}](ops/{op.page})", op.family, "<br>".join(groups)


def _chips(names: str) -> str:
    return " ".join(f"`{name}`" for name in names.split(", ")) if names.isupper() else names


def emit() -> Iterator[tuple[str, str]]:
    """(file name, text) of both pages."""
    yield "errors.md", errors()
    yield "support.md", support()


def counted(readme: str) -> str:
    """The README with the number of operators that there are."""
    count = f"{len(ops.ALL)} of the {len(catalogue.operators())} aclnn"
    return re.sub(r"\d+ of the \d+ aclnn", count, readme)


def main() -> None:
    """Writes them, and the count in the README beside their directory."""
    directory = directory_argument(__doc__)
    for name, text in emit():
        (directory / name).write_text(text, encoding="utf-8")
    readme = directory.parent / "README.md"
    readme.write_text(counted(readme.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
