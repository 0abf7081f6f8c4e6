# SPDX-License-Identifier: Apache-2.0
"""Operators of several operands: what they share, so that each is a row.

A row is written once for an operator and its in-place twin: as a function of the name of the first
tensor and of that of the result, which are the same tensor in the twin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from aclhost.ops.pointwise.build import pointwise_operator
from aclhost.spec import catalogue, dtypes
from aclhost.spec.call import Call
from aclhost.spec.catalogue import KnownOperator
from aclhost.spec.dtypes import (
    BF16,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    DataType,
)
from aclhost.spec.expression import Element
from aclhost.spec.family import LateSamples, with_results
from aclhost.spec.functions import Parameter as CParameter
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import (
    Choice,
    Flag,
    Float,
    Parameter,
    Scalar,
    TensorIn,
    TensorInOut,
    TensorOut,
    Text,
)
from aclhost.spec.pointwise import NumberFrom, Pointwise
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import Step, only_on
from aclhost.spec.shapes import Broadcast, ShapeTerm
from aclhost.spec.terms import Term

REALS = (FLOAT, FLOAT16, BF16, DOUBLE)
INTEGERS = (INT8, UINT8, INT16, INT32, INT64)
COMPLEX = (COMPLEX64, COMPLEX128)
NUMBERS = (*REALS, *INTEGERS, dtypes.BOOL, *COMPLEX)
NEW_BF16 = only_on(BF16, A950, A3, A2)

_DOCS = {
    "self": "First operand.",
    "selfRef": "First operand, overwritten with the result.",
    "other": "Second operand.",
    "alpha": "Factor.",
    "value": "Factor.",
    "exponent": "Exponent.",
    "clipValueMin": "Lower bound.",
    "clipValueMax": "Upper bound.",
    "max": "Upper bound.",
    "mode": "Rounding of the quotient.",
    "out": "Result.",
}
_MODES = ("real", "trunc", "floor")

Checks = tuple[tuple[Step, ...], ...]
Torch = Any  # the module


@dataclass(frozen=True)
class Row:
    """What is special about an operator."""

    name: str
    summary: str
    checks: Checks
    function: Callable[..., Element]  # of the inputs, then the numbers
    inputs: tuple[str, ...]
    out: str  # one of the inputs in an in-place operator
    computed: Term
    dtypes: tuple[DataType, ...]
    reference: Callable[..., Any]  # of torch and the function's arguments, then the choice
    numbers: tuple[str | NumberFrom, ...] = ()
    result: Term | None = None  # the dtype of a new result; None: as computed
    rounded: Term | None = None  # what the result is rounded to before it is cast to out
    variants: tuple[Callable[..., Element], ...] = ()
    variant: Term | None = None
    cases: tuple[str, ...] = ()  # for the page: when each of the functions is taken
    mixed: tuple[DataType, ...] = ()  # dtypes of a sample's inputs
    ulps: float = 2
    formula: str = ""
    notes: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    broadcasts: bool = True
    docs: dict[str, str] = field(default_factory=dict)
    params: tuple[Parameter, ...] = ()  # of which the C type tells too little
    result_shape: ShapeTerm | None = None  # of a new result; None: what the inputs broadcast to
    ulps_from: float = 0.0
    gradient: Gradient | None = None


def known(name: str, *parameters: str) -> KnownOperator:
    """What the catalogue says about an operator; one that it does not have has these parameters."""
    operator = catalogue.operator(name)
    if operator is None and parameters:
        return catalogue.own_operator(name, *parameters)
    assert operator is not None, name
    return operator


def declare(row: Row) -> Operator:
    """The operator, its C types as in the catalogue."""
    numbers = tuple(NumberFrom(each) if isinstance(each, str) else each for each in row.numbers)
    stated = {param.name: param for param in row.params}
    names = dict.fromkeys((*row.inputs, *stated, row.out))
    params = tuple(
        stated.get(each.name) or _parameter(row, each) for each in known(row.name, *names).params
    )
    given = (*row.inputs, *(each.parameter for each in numbers))
    choices = tuple(each.name for each in params if isinstance(each, Choice | Flag | Text))
    kernel = Pointwise(
        row.inputs, (row.out,), numbers, row.computed, row.function, row.dtypes,
        results=row.rounded, variants=row.variants, variant=row.variant,
    )  # fmt: skip
    cases = (f"- {case}: {kernel.formula(i)}" for i, case in enumerate(row.cases))
    op = pointwise_operator(
        row.name,
        row.summary,
        params,
        row.checks,
        kernel,
        reference=_by_position(row.reference, [
            each.python_name for name in (*given, *choices) for each in params if each.name == name
        ]),
        ulps=row.ulps,
        ulps_from=row.ulps_from,
        notes=row.notes,
        shapes=_sample_shapes(row),
        formula=row.formula or "\n".join(cases),
        gradient=row.gradient,
    )  # fmt: skip
    if any(rule.id == "not_private" for rule in op.rules):
        op = replace(op, formats="Labels are ignored, except that private formats are refused.")
    return with_sample(op, lambda call: _mixed(row, call)) if row.mixed else op


def with_twin(
    make: Callable[[str, str, str], Operator], early: int = 0
) -> tuple[Operator, Operator]:
    """The operator and its in-place twin, from a function of prefix, first tensor and result.

    Upstream's twin makes so many checks before it calls the other one's phase 1.
    """
    twin = make("aclnnInplace", "selfRef", "selfRef")
    return make("aclnn", "self", "out"), replace(twin, early=early)


def _parameter(row: Row, declared: CParameter) -> Parameter:
    name, c_type = declared.name, declared.c_type
    doc, optional = row.docs.get(name) or _DOCS[name], name in row.optional
    is_const = c_type.startswith("const")
    if name == row.out:
        if name in row.inputs:
            return TensorInOut(name, doc, is_const=is_const)
        result = row.result or row.computed
        shape = row.result_shape or Broadcast(row.inputs)
        return TensorOut(name, doc, shape=shape, dtype=result, is_const=is_const)
    if "aclTensor" in c_type:
        return TensorIn(name, doc, optional=optional, is_const=is_const)
    if "aclScalar" in c_type:
        return Scalar(name, doc, 1 if name in ("alpha", "value") else None, optional=optional)
    if c_type == "float":
        return Float(name, doc)
    return Choice(name, doc, _MODES, _MODES[0], c_integer=c_type)


def _by_position(function: Callable[..., Any], names: list[str]) -> Callable[..., Any]:
    """The reference as a function of torch and of arguments by their Python names."""

    def reference(torch: Torch, **arguments: Any) -> Any:  # noqa: ANN401
        return function(torch, *(arguments[name] for name in names if name in arguments))

    return reference


def _sample_shapes(row: Row) -> tuple[tuple[int, ...], ...]:
    if len(row.inputs) == 1 or not row.broadcasts:
        return ()
    first = (2, 4, 3) if row.out in row.inputs else (2, 1, 3)
    return (first, (4, 1), (1,))


def with_sample(op: Operator, change: Callable[[Call], Call]) -> Operator:
    """The operator with one sample more: the first one, changed."""
    return replace(
        op, samples=LateSamples(lambda: (*op.samples, with_results(op, change(op.samples[0]))))
    )


def _mixed(row: Row, call: Call) -> Call:
    for name, dtype in zip(row.inputs, row.mixed, strict=False):
        call = call.retyped(dtype, name)
    return call
