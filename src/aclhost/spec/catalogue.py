# SPDX-License-Identifier: Apache-2.0
"""Every name that upstream has, whether aclhost computes it or not; read on first use."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from aclhost.spec import products
from aclhost.spec.functions import Function, Parameter, functions, parameter, phases
from aclhost.spec.products import Product

SOURCE = "src/aclhost/spec/catalogue.json"
_SUMMARY = "Known by its name: aclhost does not compute it."
_COMPUTED = {
    "aclnnCalculateMatmulWeightSize": "How many elements a FLOAT16 weight takes in blocks.",
    "aclnnCalculateMatmulWeightSizeV2": "How many elements a weight takes in blocks.",
}


@dataclass(frozen=True)
class KnownOperator:
    """What upstream's public headers and documents say about an operator."""

    name: str
    group: str  # the family
    header: str  # under aclnnop/
    products: tuple[Product, ...]  # documented support; empty where no document tells
    params: tuple[Parameter, ...]  # of phase 1, without the two results

    @property
    def functions(self) -> tuple[Function, Function]:
        """The two C functions."""
        return phases(self.name, self.params, f"aclnnop/{self.header}", (_SUMMARY, _SUMMARY))


@cache
def operators() -> dict[str, KnownOperator]:
    """By name, in the order of the names."""
    return {name: _operator(name, row) for name, row in _data()["operators"].items()}


@cache
def operator(name: str) -> KnownOperator | None:
    """One of them, without reading all."""
    row = _data()["operators"].get(name)
    return _operator(name, row) if row else None


def own_operator(name: str, *parameters: str) -> KnownOperator:
    """One that upstream does not have: tensors of which the last is written, every product."""
    *read, written = parameters
    params = (*(Parameter("const aclTensor*", each) for each in read),
              Parameter("aclTensor*", written))  # fmt: skip
    return KnownOperator(name, "", "", products.ALL, params)


@cache
def single_functions() -> tuple[Function, ...]:
    """Functions in operators' headers that have one phase."""
    return tuple(
        replace(function, summary=_COMPUTED.get(function.name, _SUMMARY))
        for header, prototype in _data()["functions"]
        for function in functions(f"aclnnop/{header}", (prototype, _SUMMARY))
    )


def computed_functions() -> tuple[Function, ...]:
    """Those of them that aclhost has: native/operator/weight_size.cc."""
    return tuple(function for function in single_functions() if function.name in _COMPUTED)


def empty_headers() -> tuple[str, ...]:
    """Headers under aclnnop/ that programs include and that declare nothing of the catalogue."""
    return tuple(_data()["empty_headers"])


@cache
def runtime_functions() -> frozenset[str]:
    """The functions of the runtime's and the objects' public headers."""
    return frozenset(_data()["runtime_functions"])


@cache
def _data() -> dict[str, Any]:
    text = Path(__file__).with_name("catalogue.json").read_text(encoding="ascii")
    data: dict[str, Any] = json.loads(text)
    return data


def _operator(name: str, row: dict[str, Any]) -> KnownOperator:
    return KnownOperator(
        name,
        row["group"],
        row["header"],
        tuple(products.BY_KEY[key] for key in row["products"]),
        tuple(map(parameter, row["params"])),
    )
