# SPDX-License-Identifier: Apache-2.0
"""What is known without importing the declarations.

python/aclhost/operators.json: what `aclhost ops` lists. python/aclhost/_declared.py: which module
of `aclhost.ops` declares an operator, so that one can be imported without the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from aclhost import ops
from aclhost.gen.pages import dtype_groups
from aclhost.spec.operator import Operator
from aclhost.spec.products import Product


def summary(op: Operator) -> dict[str, Any]:
    """The operator in a few plain values."""
    return {
        "name": op.name,
        "python": op.snake_name,
        "header": f"aclnnop/{op.header}",
        "summary": op.summary,
        "products": [product.key for product in op.products],
        "dtypes": {
            tensor.name: {
                product.key: _dtype_list(op, tensor.name, product) for product in op.products
            }
            for tensor in op.tensors
        },
    }


def _dtype_list(op: Operator, tensor: str, product: Product) -> list[str] | None:
    rule = op.dtype_rule(tensor)
    return None if rule is None else [str(dtype) for dtype in rule.dtypes(product) or ()]


def _row(op: Operator) -> dict[str, Any]:
    groups = {names: [product.key for product in on] for names, on in dtype_groups(op).items()}
    parameters = [param.name for param in op.params]
    return {"summary": summary(op), "groups": groups, "parameters": parameters}


def emit() -> Iterator[tuple[str, str]]:
    """Two files, an operator in each line."""
    rows = ",\n".join(json.dumps(_row(op)) for op in ops.ALL)
    source = "Generated from src/aclhost/ops: edit those files."
    text = f'{{"source": "{source}", "operators": [\n{rows}\n]}}\n'
    yield "python/aclhost/operators.json", text
    modules = "".join(
        f'    "{name}": "{module}",\n' for name, module in ops.declaring_modules().items()
    )
    yield "python/aclhost/_declared.py", f"# {source}\nMODULES = {{\n{modules}}}\n"
