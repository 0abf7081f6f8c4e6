# SPDX-License-Identifier: Apache-2.0
"""How an operator on lists is put together from the operator that its members go through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aclhost.ops.foreach.calls import draw, samples, typical
from aclhost.ops.foreach.checks import Dtypes, Lists, generated, stated
from aclhost.spec import catalogue
from aclhost.spec.catalogue import KnownOperator
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.each import Each, Source
from aclhost.spec.family import LateSamples
from aclhost.spec.operator import Operator, Reference
from aclhost.spec.params import (
    Parameter,
    Scalar,
    ScalarList,
    TensorIn,
    TensorList,
    TensorListInOut,
    TensorListOut,
)
from aclhost.spec.rules import Step
from aclhost.spec.shapes import ShapeOfMember, ShapeTerm
from aclhost.spec.status import Status
from aclhost.spec.terms import DtypeOf, LengthOf, Position

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

FLOATS: Dtypes = (FLOAT, FLOAT16, BF16)
_PREFIX = "aclnnForeach"
_ROUNDED = "FLOAT16 and BF16 are computed in float and rounded once; integers wrap."
_SIZES = (
    "The document lets tensors of out have more elements than those of x; aclhost asks for the "
    "same shapes."
)
_DOCS = {
    "out": "Results, one for each member.",
    "alpha": "Factor of the second operand.",
    "weight": "How far to go from the first to the second.",
    "scalar": "Number for all members.",
    "scalars": "Numbers, one for each member.",
    "roundMode": "How to round, a number from 1 to 7.",
}


@dataclass(frozen=True, eq=False)
class Row:
    """What is special about an operator on lists."""

    name: str  # what follows aclnnForeach
    summary: str
    formula: str  # of member i
    base: str  # what follows aclnn
    sources: tuple[Source, ...]  # of the arguments of base: aclhost.spec.each
    reference: Reference
    dtypes: Dtypes = FLOATS
    numbers: Mapping[DataType, Dtypes] = field(default_factory=dict)  # beside a tensor's dtype
    stated: bool = False  # whether upstream's phase 1 is written by hand
    count_code: Status = Status.PARAM_INVALID  # for lists of other lengths, where it is stated
    inner: Dtypes = ()  # what is left of `dtypes` for upstream's inner operator
    checks: tuple[tuple[Step, ...], ...] = ()  # more of them
    span: tuple[float, float] | None = None  # of the tensors' values in drawn calls
    whole_span: tuple[float, float] | None = None  # of integers
    number_span: tuple[float, float] = (-2.0, 3.0)
    summed: bool = False  # whether results are sums, and errors go by their terms
    golden: Callable[..., Any] | None = None
    written: bool = False  # whether native/kernels has a kernel instead of base
    result_shape: ShapeTerm | None = None  # of a new result; None: as the member
    ulps: float = 2
    notes: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        return _PREFIX + self.name

    @property
    def known(self) -> KnownOperator:
        known = catalogue.operator(self.full_name)
        assert known is not None, self.name
        return known

    @property
    def each(self) -> Each:
        return Each(f"aclnn{self.base}", self.sources)

    def params(self) -> tuple[Parameter, ...]:
        """In the words of the catalogue."""
        return tuple(self._param(each.name, each.c_type) for each in self.known.params)

    def _param(self, name: str, c_type: str) -> Parameter:
        doc, is_const = _DOCS.get(name, "Tensors."), c_type.startswith("const")
        if name == "out":
            x = self.each.walks_over[0]
            shape = self.result_shape or ShapeOfMember(x, Position())
            return TensorListOut(
                name, doc, shape=shape, dtype=DtypeOf(x), count=LengthOf(x), is_const=is_const
            )
        if "aclScalarList" in c_type:
            return ScalarList(name, doc)
        if "aclTensorList" not in c_type:
            return Scalar(name, doc) if "aclScalar" in c_type else TensorIn(name, doc)
        if "Inplace" in self.name and name in ("x", "x1"):
            return TensorListInOut(name, "Tensors, overwritten with the results.")
        return TensorList(name, doc)


def declare(row: Row) -> Operator:
    """The operator."""
    params = row.params()
    lists = tuple(param.name for param in params if type(param) is TensorList)
    checked = Lists(
        params,
        row.each.walks_over,
        row.dtypes,
        row.numbers,
        shaped=row.result_shape is None,
    )
    checks = (
        stated(checked, row.known.products, row.inner, row.count_code)
        if row.stated
        else generated(checked, row.known.products)
    )
    shaped = (_SIZES,) if not row.stated and any(p.name == "out" for p in params) else ()
    op: Operator = Operator(
        row.full_name,
        summary=row.summary,
        formula=f"`{row.formula}`",
        params=params,
        checks=(*checks, *row.checks),
        samples=LateSamples(lambda: samples(op, row)),
        each=None if row.written else row.each,
        golden=row.golden or _golden(row.each),
        terms=_magnitudes(row.each) if row.summed else None,
        summed=lists if row.summed else (),
        reference=row.reference,
        ulps=row.ulps,
        elementwise=lists,
        draw=lambda rng: draw(op, row, rng),
        typical=lambda elements: typical(op, row, elements),
        formats="Labels are ignored, except that private formats are refused."
        if row.stated
        else "Any format label is accepted and ignored.",
        notes=(_ROUNDED, *shaped, *row.notes),
    )
    return op


def _golden(each: Each) -> Callable[..., list[Array]]:
    def golden(**arguments: Any) -> list[Array]:  # noqa: ANN401
        """Member by member."""
        from aclhost.goldens.members import by_members

        return by_members(each, arguments)

    return golden


def _magnitudes(each: Each) -> Callable[..., list[Array]]:
    def largest_terms(**arguments: Any) -> list[Array]:  # noqa: ANN401
        from aclhost.goldens import magnitudes
        from aclhost.goldens.members import by_members

        return by_members(each, arguments, magnitudes)

    return largest_terms
