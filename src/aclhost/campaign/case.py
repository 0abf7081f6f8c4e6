# SPDX-License-Identifier: Apache-2.0
"""One case: a call, and the way it takes. As Python text it can be run again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from hypothesis import strategies as st

from aclhost.calls.values import computed_dtype, named
from aclhost.campaign import elementwise, volumes
from aclhost.campaign.declared import declared
from aclhost.campaign.pointwise import is_valid, pointwise
from aclhost.campaign.tensors import values
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import BY_NUMPY, BY_VALUE, Category, DataType
from aclhost.spec.family import with_results
from aclhost.spec.formats import Format
from aclhost.spec.operator import Operator
from aclhost.spec.products import Product

ROUTES = ("python", "new result", "C ABI")
KNOWN = {
    **vars(elementwise),
    **vars(volumes),
    "inplace_elu": elementwise.elu,
}


@dataclass(frozen=True, repr=False)
class Case:
    """A call of an operator through one of ROUTES."""

    op: Operator
    route: str
    call: Call

    @property
    def dtype(self) -> DataType:
        """The one that is computed in."""
        if self.op.kernel is not None:
            return BY_VALUE[self.op.kernel.computed.evaluate(self.call)]
        first = next(
            tensor.dtype
            for tensor in named(self.call.arguments).values()
            if isinstance(tensor, TensorArg)
        )
        if first.category is not Category.FLOATING or self.op.snake_name not in KNOWN:
            return first
        return BY_NUMPY[computed_dtype(self.op, self.call).name]

    def __repr__(self) -> str:
        return f'check("{self.op.name}", "{self.route}", {_text(self.call)})'


def _text(value: Any) -> str:
    """Source text; of tensors and calls only what is not as usual."""
    if isinstance(value, DataType | Format):
        return f"{type(value).__name__.lower()}s.{value.name}".replace("datatypes", "dtypes")
    if isinstance(value, Product):
        return f"products.{value.key}"
    if isinstance(value, Call):
        arguments = ", ".join(f'"{name}": {_text(each)}' for name, each in value.arguments.items())
        return f"Call({{{arguments}}}, {_text(value.product)})"
    if isinstance(value, TensorArg | ScalarArg):
        given = {field.name: getattr(value, field.name) for field in fields(value)}
        usual = {field.name: field.default for field in fields(value)}
        parts = [f"{name}={_text(each)}" for name, each in given.items() if each != usual[name]]
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, tuple) and any(isinstance(each, TensorArg | ScalarArg) for each in value):
        return f"({''.join(f'{_text(each)}, ' for each in value)})"
    return repr(value)


def _like_a_sample(draw: st.DrawFn, op: Operator) -> Call:
    """For operators that no function here knows: a declared sample with other values."""
    call = draw(st.sampled_from(op.samples))
    for param in op.tensors:
        tensor = call.arguments[param.name]
        if isinstance(tensor, TensorArg) and op.reads(param) and tensor.values is None:
            drawn = values(draw, tensor.shape, tensor.dtype)
            call = call.passing(**{param.name: replace(tensor, values=drawn)})
    return call


def random_call(draw: st.DrawFn, op: Operator) -> Call:
    """A valid call of the operator: by the function of its name, if there is one."""
    function: Callable[[st.DrawFn, Operator], Call] = KNOWN.get(op.snake_name, _usual(op))
    return function(draw, op)


def _usual(op: Operator) -> Callable[[st.DrawFn, Operator], Call]:
    if op.kernel is not None:
        return pointwise
    return _like_a_sample if op.draw is None else declared


def _routes(op: Operator, call: Call) -> tuple[str, ...]:
    """Only the C ABI knows other labels, and a new result may have another dtype than allowed."""
    tensors = [each for each in call.arguments.values() if isinstance(each, TensorArg)]
    if any(tensor.format is not op.python_label(len(tensor.shape)) for tensor in tensors):
        return ("C ABI",)
    makes = all(output.can_be_made for output in op.outputs)
    if makes and (op.snake_name in KNOWN or is_valid(op, with_results(op, call))):
        return ROUTES
    return tuple(route for route in ROUTES if route != "new result")


def cases(op: Operator) -> st.SearchStrategy[Case]:
    """Random calls by random routes."""

    @st.composite
    def case(draw: st.DrawFn) -> Case:
        call = random_call(draw, op)
        return Case(op, draw(st.sampled_from(_routes(op, call))), call)

    return case()
