# SPDX-License-Identifier: Apache-2.0
"""One case: a call, and the way it takes. As Python text it can be run again."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import inf, nan  # noqa: F401 - names that the text of a case may use
from typing import Any

import campaign.elementwise as elementwise
import campaign.volumes as volumes
from campaign.tensors import random_input
from hypothesis import strategies as st

from aclhost.spec import dtypes, formats, products
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.formats import ND, Format
from aclhost.spec.operator import Operator
from aclhost.spec.products import Product

ROUTES = ("python", "new result", "C ABI")
_SHARED = {"elu": elementwise.elu, "inplace_elu": elementwise.elu}


@dataclass(frozen=True)
class Case:
    """A call of an operator through one of ROUTES."""

    op: Operator
    route: str
    call: Call

    @property
    def dtype(self) -> DataType:
        return self.call.tensor(self.op.tensors[0].name).dtype

    def __str__(self) -> str:
        return f'check("{self.op.name}", "{self.route}", {_text(self.call)})'


def _text(value: Any) -> str:
    """Source text; of tensors and calls only what is not as usual."""
    if isinstance(value, DataType | Format):
        return f"{type(value).__name__.lower()}s.{value.name}".replace("datatypes", "dtypes")
    if isinstance(value, Product):
        return f"products.{value.key}"
    if isinstance(value, Call):
        arguments = ", ".join(f"{name}={_text(each)}" for name, each in value.arguments.items())
        return f"Call(dict({arguments}), {_text(value.product)})"
    if isinstance(value, TensorArg | ScalarArg):
        given = {field.name: getattr(value, field.name) for field in fields(value)}
        usual = {field.name: field.default for field in fields(value)}
        parts = [f"{name}={_text(each)}" for name, each in given.items() if each != usual[name]]
        return f"{type(value).__name__}({', '.join(parts)})"
    return repr(value)


def read(text: str) -> tuple[str, str, Call]:
    """What a case's text says: operator, route and call."""
    names = {
        "Call": Call, "TensorArg": TensorArg, "ScalarArg": ScalarArg, "inf": inf, "nan": nan,
        "dtypes": dtypes, "formats": formats, "products": products, "check": lambda *parts: parts,
    }  # fmt: skip
    parts: tuple[str, str, Call] = eval(text, names)
    return parts


@st.composite
def _like_a_sample(draw: st.DrawFn, op: Operator) -> Call:
    """For operators without a strategy of their own: a declared sample with other values."""
    call = draw(st.sampled_from(op.samples))
    for param in op.tensors:
        tensor = call.tensor(param.name)
        if op.reads(param) and tensor.values is None:
            drawn = random_input(draw, tensor.shape, tensor.dtype)
            call = call.passing(**{param.name: replace(tensor, values=drawn.values)})
    return call


def calls(op: Operator) -> st.SearchStrategy[Call]:
    """Random valid calls of an operator."""
    name = op.snake_name
    for module in (elementwise, volumes):
        if strategy := _SHARED.get(name) or getattr(module, name, None):
            return strategy(op)
    return _like_a_sample(op)


@st.composite
def cases(draw: st.DrawFn, op: Operator) -> Case:
    """Random calls by random routes; only the C ABI knows format labels."""
    call = draw(calls(op))
    labelled = any(call.tensor(param.name).format is not ND for param in op.tensors)
    return Case(op, "C ABI" if labelled else draw(st.sampled_from(ROUTES)), call)
