# SPDX-License-Identifier: Apache-2.0
"""Calls of operators on lists: samples, drawn ones, common ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import TYPE_CHECKING

from aclhost.spec import dtypes
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.draw import random_shape
from aclhost.spec.dtypes import DOUBLE, FLOAT, FLOAT16, INT8, INT32, INT64, Category, DataType
from aclhost.spec.evaluate import evaluate
from aclhost.spec.family import with_results
from aclhost.spec.operator import Operator
from aclhost.spec.params import Parameter, Scalar, ScalarList, TensorIn
from aclhost.spec.products import A2, A950, Product

if TYPE_CHECKING:
    from aclhost.ops.foreach.build import Row

_NUMBERS = (FLOAT, INT64, FLOAT16, INT32, dtypes.BF16, INT8, DOUBLE)
_SHAPES = ((2, 3), (4,), ())
Allowed = tuple[Product, DataType, DataType]  # the dtype of the tensors, that of the numbers
Shapes = Sequence[tuple[int, ...]]


def samples(op: Operator, row: Row) -> tuple[Call, ...]:
    """One for each dtype of the tensors and of the numbers, on the first product that has both."""
    first: dict[tuple[DataType, DataType], Call] = {}
    for product, dtype, number in _allowed(op, row):
        call = _call(op, row, _SHAPES, (product, dtype, number), Random(0))
        first.setdefault((dtype, number), call)
    return tuple(first.values())


def draw(op: Operator, row: Row, rng: Random) -> Call:
    """Up to 5 members."""
    shapes = [random_shape(rng) for _ in range(rng.randint(1, 5))]
    return _call(op, row, shapes, rng.choice(_allowed(op, row)), rng)


def typical(op: Operator, row: Row, elements: int) -> Call:
    """Four members, of FLOAT if possible."""
    allowed = sorted(_allowed(op, row), key=lambda each: (each[0] is not A2, each[1] is not FLOAT))
    return _call(op, row, [(max(elements // 4, 1),)] * 4, allowed[0], Random(0))


@cache
def _allowed(op: Operator, row: Row) -> tuple[Allowed, ...]:
    return tuple(
        (product, dtype, number)
        for product in (A2, A950)
        for dtype in dtypes.ALL
        for number in (_NUMBERS if _has_number(op) else (FLOAT,))
        if _is_allowed(op, _call(op, row, _SHAPES, (product, dtype, number), Random(0)))
    )


def _has_number(op: Operator) -> bool:
    return any(isinstance(param, Scalar | ScalarList | TensorIn) for param in op.params)


def _is_allowed(op: Operator, call: Call) -> bool:
    return evaluate(op, call).rule is None


def _call(op: Operator, row: Row, shapes: Shapes, which: Allowed, rng: Random) -> Call:
    product, dtype, number = which
    whole = dtype.category is Category.INTEGER
    span = row.whole_span if whole else row.span
    tensors = tuple(TensorArg(shape, dtype, span=span) for shape in shapes)
    arguments: dict[str, Argument] = {}
    for param in op.params:
        if "TensorList" in param.kind:
            arguments[param.name] = tensors
        else:
            arguments[param.name] = _number(row, param, len(shapes), number, rng)
    return with_results(op, Call(arguments, product))


def _number(row: Row, param: Parameter, count: int, dtype: DataType, rng: Random) -> Argument:
    if isinstance(param, TensorIn):
        shape = (count,) if param.name in row.each.walks_over else (1,)
        return TensorArg(shape, dtype, span=row.number_span)
    values = _values(row, dtype, rng)
    if isinstance(param, ScalarList):
        return tuple(ScalarArg(next(values), dtype) for _ in range(count))
    return ScalarArg(next(values), dtype)


def _values(row: Row, dtype: DataType, rng: Random) -> Iterator[float]:
    """Multiples of 1/8 that are easy to hold."""
    low, high = (int(8 * bound) for bound in row.number_span)
    while True:
        value = rng.randrange(low, high) / 8
        yield int(value) if dtype.category is Category.INTEGER else value
