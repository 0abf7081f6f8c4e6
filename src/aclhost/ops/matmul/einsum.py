# SPDX-License-Identifier: Apache-2.0
"""Sums of products by the letters of an equation; upstream knows two of them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.matmul.build import call_of
from aclhost.ops.pointwise.declare import known
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import (
    FLOAT,
    FLOAT16,
    INT16,
    INT32,
    INT64,
    UINT16,
    UINT32,
    UINT64,
    DataType,
)
from aclhost.spec.formats import ND
from aclhost.spec.matrices import EquationIs
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorList, TensorOut, Text
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    Condition,
    Rule,
    done_when_empty,
    dtype_in,
    each,
    format_in,
    inner,
    inside_storage,
    not_null,
    only_on,
    rank_in,
    requires,
    same_dtype,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import (
    FirstLength,
    Lengths,
    ShapeIf,
    ShapeOfMember,
    ShapeTerm,
    WithoutFirst,
)
from aclhost.spec.terms import (
    MEMBER,
    AtMost,
    Const,
    DtypeOf,
    Equal,
    EveryDim,
    LengthOf,
    Not,
    Position,
    Term,
    all_of,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Rules = tuple[Rule, ...]
_INTEGERS = (INT16, INT32, INT64, UINT16, UINT32, UINT64)
_LISTED = (FLOAT16, only_on(FLOAT, A950, A3, A2), *_INTEGERS)
_SUMS, _OUTER = "abcd,abced->abce", "a,b->ab"
_FIRST, _SECOND = (ShapeOfMember("tensors", Const(place)) for place in (0, 1))


def _dim(shape: ShapeTerm, axis: int) -> Term:
    for _ in range(axis):
        shape = WithoutFirst(shape)
    return FirstLength(shape)


_SUMS_SHAPE = Lengths((*(_dim(_FIRST, axis) for axis in range(3)), _dim(_SECOND, 3)))
_OUTER_SHAPE = Lengths((_dim(_FIRST, 0), _dim(_SECOND, 0)))
_IS_SUMS = Condition(EquationIs("equation", (_SUMS,)), f'equation is "{_SUMS}"')
_IS_OUTER = Condition(EquationIs("equation", (_OUTER,)), f'equation is "{_OUTER}"')


def _ranks(first: int, second: int, result: int) -> Rules:
    def but(place: int) -> Condition:
        other = Not(Equal(Position(), Const(place)))
        return Condition(other, f"number {1 - place}")

    return (
        *each("tensors", rank_in(MEMBER, first), but=but(0)),
        *each("tensors", rank_in(MEMBER, second), but=but(1)),
        *rank_in("output", result),
    )


def _lengths_agree() -> Rules:
    pairs = ((0, 0), (1, 1), (2, 2), (3, 4))
    same = all_of(*(Equal(_dim(_FIRST, a), _dim(_SECOND, b)) for a, b in pairs))
    got = (Shown("shape", _FIRST), " and ", Shown("shape", _SECOND))
    exists = all_of(EveryDim("tensors", least=1), AtMost(Const(1), _dim(_SECOND, 3)))
    return (
        *requires("same_length", "tensors", same, "lengths of the same letter must be equal", got,
                  "Correct the equation or the shapes."),
        *requires("dims_positive", "tensors", exists, "all lengths must be greater than 0", got,
                  "Skip the call when there is nothing to compute."),
    )  # fmt: skip


def _golden(tensors: list[Array], equation: str) -> Array:
    import numpy as np

    return np.asarray(np.einsum(equation, *tensors))


def _call(first: TensorArg, second: TensorArg, out: tuple[int, ...], equation: str) -> Call:
    return call_of(tensors=(first, second), equation=equation, output=TensorArg(out, first.dtype))


def _sums(a: int, b: int, c: int, d: int, e: int, dtype: DataType = FLOAT) -> Call:
    first, second = TensorArg((a, b, c, d), dtype), TensorArg((a, b, c, e, d), dtype)
    return _call(first, second, (a, b, c, e), _SUMS)


def _outer(a: int, b: int, dtype: DataType = FLOAT) -> Call:
    return _call(TensorArg((a,), dtype), TensorArg((b,), dtype), (a, b), "i,j->ij")


def _draw(rng: Random) -> Call:
    dtype = rng.choice((FLOAT, FLOAT16, *_INTEGERS))
    if rng.random() < 0.4:
        return _outer(rng.randint(1, 20), rng.randint(1, 20), dtype)
    a, b, c, d, e = (rng.choice((1, rng.randint(2, 5))) for _ in range(5))
    return _sums(a, b, c, d, e, dtype)


def _torch(torch: Any, tensors: list[Any], equation: str) -> Any:  # noqa: ANN401
    return torch.einsum(equation, *(each.double() for each in tensors))


OP = Operator(
    "aclnnEinsum",
    summary="Sums of products by the letters of an equation.",
    formula=f"`output = einsum(equation, tensors[0], tensors[1])`, for `{_SUMS}` and `{_OUTER}` "
    "with any letters",
    params=(
        TensorList("tensors", "Two tensors."),
        Text("equation", "Letters of both and of the result.", is_const=True),
        TensorOut(
            "output", "Result.", shape=ShapeIf(_IS_SUMS.term, _SUMS_SHAPE, _OUTER_SHAPE),
            dtype=DtypeOf("tensors"),
        ),
    ),
    checks=(
        not_null("tensors"),
        each("tensors", not_null(MEMBER)),
        not_null("output", "equation"),
        each("tensors", dtype_in(MEMBER, *_LISTED), format_in(MEMBER, ND)),
        dtype_in("output", *_LISTED),
        requires(
            "length_in", "tensors", Equal(LengthOf("tensors"), Const(2)),
            "tensors must have 2 members", (Shown("integer", LengthOf("tensors")),),
            "Pass two tensors.",
        ),
        each("tensors", same_dtype(MEMBER, "tensors")),
        same_dtype("output", "tensors"),
        requires(
            "equation", "equation", EquationIs("equation", (_SUMS, _OUTER)),
            f'equation must be "{_SUMS}" or "{_OUTER}", with any letters',
            (Shown("text", "equation"),), "Use aclnnMatmul or aclnnBatchMatMul for others.",
        ),
        when(_IS_SUMS, _ranks(4, 5, 4), _lengths_agree()),
        when(_IS_OUTER, _ranks(1, 1, 2)),
        supported_on(*known("aclnnEinsum").products),
        each("tensors", inside_storage(MEMBER)),
        inner(when(_IS_SUMS, shape_is("output", _SUMS_SHAPE, "that the equation tells"))),
        inner(when(_IS_OUTER, shape_is("output", _OUTER_SHAPE, "that the equation tells"))),
        done_when_empty("output"),
    ),
    golden=_golden,
    reference=_torch,
    summed=("tensors",),
    ulps=4,
    draw=_draw,
    typical=lambda n: _sums(4, 8, 16, 64, max(n // 32768, 1)),
    samples=(
        _sums(2, 1, 3, 4, 2), _sums(1, 2, 2, 3, 2, INT32), _outer(3, 2), _outer(2, 4, FLOAT16),
        _outer(3, 3, UINT16),
    ),
    notes=("Integers are computed exactly and wrap; upstream takes them through FLOAT16.",),
)  # fmt: skip
