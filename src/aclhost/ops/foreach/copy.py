# SPDX-License-Identifier: Apache-2.0
"""Copies of one list to another."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.foreach.checks import as_many, shaped_like
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import random_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    DataType,
)
from aclhost.spec.each import Each
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorList, TensorListOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    Condition,
    done_when,
    dtype_in,
    each,
    inner,
    inside_storage,
    not_null,
    not_private,
    rank_at_most,
    refused_unless_on,
    requires,
    same_dtype,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOfMember
from aclhost.spec.status import Status
from aclhost.spec.terms import MEMBER, And, Const, DtypeOf, Equal, In, LengthOf, Or, Position

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DTYPES = (
    FLOAT, FLOAT16, BF16, INT32, INT8, UINT8, INT16, UINT16, UINT32, INT64, DOUBLE, BOOL,
)  # fmt: skip
_SHORT = (FLOAT16, BF16)
_X, _OUT = DtypeOf("x"), DtypeOf("out")


def _golden(x: Sequence[Array]) -> list[Array]:
    """Rounded by whoever compares."""
    return list(x)


def _call(shapes: Sequence[tuple[int, ...]], x: DataType, out: DataType) -> Call:
    tensors = {
        name: tuple(TensorArg(shape, dtype) for shape in shapes)
        for name, dtype in (("x", x), ("out", out))
    }
    return Call(dict(tensors))


def _drawn(rng: Random) -> Call:
    pairs = [*((dtype, dtype) for dtype in _DTYPES), *((FLOAT, short) for short in _SHORT),
             *((short, FLOAT) for short in _SHORT)]  # fmt: skip
    shapes = [random_shape(rng) for _ in range(rng.randint(1, 5))]
    return _call(shapes, *rng.choice(pairs)).on(rng.choice((A2, A950)))


_FITS = requires(
    "dtype_pair",
    "out",
    Or(
        Equal(_OUT, _X),
        Or(
            And(In(_X, (FLOAT,)), In(_OUT, _SHORT)),
            And(In(_X, _SHORT), In(_OUT, (FLOAT,))),
        ),
    ),
    "out must have the dtype of x, or one of them FLOAT and the other FLOAT16 or BF16",
    (Shown("dtype", _X), " and ", Shown("dtype", _OUT)),
    "Create out with a dtype that x is copied to.",
)

OP = Operator(
    "aclnnForeachCopy",
    summary="Copies every tensor of a list, FLOAT also from and to FLOAT16 and BF16.",
    formula="`out[i] = x[i]`",
    params=(
        TensorList("x", "Tensors."),
        TensorListOut(
            "out", "Copies, one for each member.", shape=ShapeOfMember("x", Position()),
            dtype=_X, count=LengthOf("x"),
        ),
    ),
    checks=(
        not_null("x", "out"),
        as_many("out", "x"),
        refused_unless_on(A950, A3, A2),
        tuple(
            rule.with_code(Status.PARAM_INVALID)
            for name in ("x", "out")
            for rule in each(name, not_null(MEMBER))
        ),
        done_when(Condition(Equal(LengthOf("x"), Const(0)), "x has no members")),
        dtype_in("x", *_DTYPES),
        each("x", same_dtype(MEMBER, "x")),
        each("out", same_dtype(MEMBER, "out")),
        _FITS,
        each("x", rank_at_most(MEMBER, 8)),
        each("out", rank_at_most(MEMBER, 8)),
        each("x", not_private(MEMBER)),
        each("out", not_private(MEMBER)),
        supported_on(A950, A2),
        inner(shaped_like("out", "x")),
        each("x", inside_storage(MEMBER)),
    ),
    each=Each("aclnnInplaceCopy", ("out[i]", "x[i]")),
    golden=_golden,
    elementwise=("x",),
    reference=lambda torch, x: [each.clone() for each in x],
    draw=_drawn,
    typical=lambda elements: _call([(max(elements // 4, 1),)] * 4, FLOAT, FLOAT),
    samples=(
        *(_call([(2, 3), (4,), ()], dtype, dtype) for dtype in _DTYPES),
        _call([(2, 3), (4,)], FLOAT, BF16),
        _call([(2, 3), (4,)], FLOAT16, FLOAT),
    ),
    formats="Labels are ignored, except that private formats are refused.",
    notes=(
        "Upstream's code copies to tensors of other shapes, too, as many elements as x has; "
        "aclhost asks for the same shapes.",
        "The document does not list the copy from BF16 to FLOAT; upstream's code makes it.",
    ),
)  # fmt: skip
