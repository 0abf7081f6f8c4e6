# SPDX-License-Identifier: Apache-2.0
"""Lists of tensors, each member treated alike."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.draw import random_shape
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT32, INT64, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import ScalarList, TensorList, TensorListOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    Condition,
    Rule,
    done_when,
    dtype_in,
    each,
    in_tiling,
    inside_storage,
    not_null,
    rank_at_most,
    requires,
    same_dtype,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import SameShape, ShapeOf, ShapeOfMember
from aclhost.spec.terms import (
    MEMBER,
    Const,
    DtypeOf,
    Equal,
    In,
    LengthOf,
    Not,
    Position,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DTYPES = (FLOAT, FLOAT16, BF16, INT32)
_WHOLE = In(DtypeOf("x"), (INT32,))
_NOTHING = Condition(Equal(LengthOf("x"), Const(0)), "x has no members")


def _golden(x: Sequence[Array], scalars: Sequence[float]) -> list[Array]:
    """Pair by pair."""
    return [tensor + scalar for tensor, scalar in zip(x, scalars, strict=True)]


def _as_many(parameter: str) -> tuple[Rule, ...]:
    return requires(
        "as_many",
        parameter,
        Equal(LengthOf(parameter), LengthOf("x")),
        f"{parameter} must have as many members as x",
        (
            Shown("integer", LengthOf(parameter)),
            " for ",
            Shown("integer", LengthOf("x")),
        ),
        "Pass one for each tensor.",
    )


def _shaped_like_x() -> tuple[Rule, ...]:
    same = requires(
        "same_shape",
        MEMBER,
        SameShape(ShapeOf(MEMBER), ShapeOfMember("x", Position())),
        f"{MEMBER} must have the shape of its counterpart in x",
        (),
        f"Create {MEMBER} with these shapes.",
    )
    return each("out", same)


def _call(shapes: Sequence[tuple[int, ...]], dtype: DataType) -> Call:
    tensors = tuple(TensorArg(shape, dtype) for shape in shapes)
    numbers = (
        ScalarArg(i, INT64) if dtype is INT32 else ScalarArg(i - 1.5) for i, _ in enumerate(shapes)
    )
    return Call({"x": tensors, "scalars": tuple(numbers), "out": tensors})


def _drawn(rng: Random) -> Call:
    return _call([random_shape(rng) for _ in range(rng.randint(1, 5))], rng.choice(_DTYPES))


OP = Operator(
    "aclnnForeachAddScalarList",
    summary="Adds a number of its own to every tensor of a list.",
    formula="`out[i] = x[i] + scalars[i]`",
    params=(
        TensorList("x", "Tensors."),
        ScalarList("scalars", "Numbers, one for each tensor."),
        TensorListOut(
            "out", "Results.", shape=ShapeOfMember("x", Position()), dtype=DtypeOf("x"),
            count=LengthOf("x"), is_const=True,
        ),
    ),
    checks=(
        not_null("x", "scalars", "out"),
        each("x", not_null(MEMBER)),
        each("out", not_null(MEMBER)),
        done_when(_NOTHING),
        dtype_in("x", *_DTYPES),
        when(Condition(_WHOLE, "x is INT32"), dtype_in("scalars", INT64)),
        when(Condition(Not(_WHOLE), "x is not INT32"), dtype_in("scalars", FLOAT)),
        same_dtype("out", "x"),
        supported_on(A950, A3, A2),
        each("x", inside_storage(MEMBER)),
        in_tiling(
            _as_many("scalars"),
            _as_many("out"),
            each("x", same_dtype(MEMBER, "x"), rank_at_most(MEMBER, 8)),
            each("out", same_dtype(MEMBER, "x")),
            _shaped_like_x(),
        ),
    ),
    golden=_golden,
    elementwise=("x",),
    reference=lambda torch, x, scalars: tuple(torch._foreach_add(x, scalars)),
    draw=_drawn,
    typical=lambda elements: _call([(max(elements // 4, 1),)] * 4, FLOAT),
    samples=(
        _call([(2, 3), (4,)], FLOAT),
        _call([(3,), (), (1, 2)], INT32),
        _call([(2, 2)] * 3, FLOAT16),
        _call([(5,)], BF16),
    ),
    notes=(
        "FLOAT16 and BF16 are added in float and rounded once; INT32 wraps.",
        "The document lets tensors of out have more elements than those of x; aclhost asks for the "
        "same shapes. It looks at the dtype of the first scalar only.",
    ),
)  # fmt: skip
