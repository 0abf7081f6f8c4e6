# SPDX-License-Identifier: Apache-2.0
"""The cross product."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.matmul.build import call_of
from aclhost.ops.pointwise.declare import COMPLEX, INTEGERS, NEW_BF16, known
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import random_shape
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, INT32, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    Rule,
    axis_in_rank,
    broadcastable,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    on_products,
    rank_at_most,
    requires,
    same_dtype,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Broadcast, ShapeOf
from aclhost.spec.terms import AtMost, Const, DimOf, Equal, If, RankOf, Sum, Term, Times, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NAME = "aclnnLinalgCross"
_DTYPES = (FLOAT, FLOAT16, DOUBLE, *INTEGERS, *COMPLEX)
_DIM = ValueOf("dim")
_FROM_END = If(
    AtMost(Const(0), _DIM), Sum(_DIM, Times(RankOf("self"), Const(-1))), _DIM
)  # the same axis of the result


def _three(parameter: str, axis: Term) -> tuple[Rule, ...]:
    return requires(
        "three_parts", parameter, Equal(DimOf(parameter, axis), Const(3)),
        f"{parameter} must have length 3 along dim", (Shown("shape", ShapeOf(parameter)),),
        "Only vectors of three numbers have a cross product.",
    )  # fmt: skip


def _axis(self: Array, other: Array, dim: int) -> tuple[Array, Array, int]:
    """Both of the result's shape, and the axis of the vectors."""
    import numpy as np

    axis = dim if dim < 0 else dim - self.ndim
    first, second = np.broadcast_arrays(self, other)
    return first, second, axis


def _golden(self: Array, other: Array, dim: int) -> Array:
    import numpy as np

    first, second, axis = _axis(self, other, dim)
    return np.asarray(np.cross(first, second, axis=axis))


def _terms(self: Array, other: Array, dim: int) -> Array:
    import numpy as np

    first, second, axis = _axis(self, other, dim)
    pairs = np.roll(first, -1, axis) * np.roll(second, -2, axis)
    return np.asarray(pairs + np.roll(first, -2, axis) * np.roll(second, -1, axis))


def _call(first: tuple[int, ...], second: tuple[int, ...], dim: int, dtype: DataType) -> Call:
    from aclhost.spec.shapes import broadcast

    return call_of(
        self=TensorArg(first, dtype), other=TensorArg(second, dtype), dim=dim,
        out=TensorArg(broadcast([first, second])[0], dtype),
    )  # fmt: skip


def _draw(rng: Random) -> Call:
    shape = list(random_shape(rng, rng.randint(1, 4)))
    axis = rng.randrange(len(shape))
    shape[axis] = 3
    other = [rng.choice((each, 1)) if i != axis else each for i, each in enumerate(shape)]
    dim = rng.choice((axis, axis - len(shape)))
    dtype = rng.choice((*_DTYPES, BF16))
    if rng.random() < 0.3:
        return _call(tuple(other), tuple(shape), dim, dtype)
    return _call(tuple(shape), tuple(other[rng.randint(0, axis) :]), dim, dtype)


OP = Operator(
    _NAME,
    summary="The cross product of vectors of three numbers.",
    formula="`out = [y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2]`",
    params=(
        TensorIn("self", "First factors [x1, y1, z1] along dim."),
        TensorIn("other", "Second factors [x2, y2, z2]; broadcasts with self."),
        Int("dim", "Dimension of self along which the vectors lie.", default=-1),
        TensorOut("out", "Result.", like="self", shape=Broadcast(("self", "other"))),
    ),
    checks=(
        not_null("self", "other", "out"),
        dtype_in("self", *_DTYPES, NEW_BF16),
        same_dtype("other", "self"),
        same_dtype("out", "self"),
        rank_at_most("self", 8),
        rank_at_most("other", 8),
        rank_at_most("out", 8),
        broadcastable("other", "self"),
        shape_is("out", Broadcast(("self", "other")), "to which self and other broadcast"),
        axis_in_rank("dim", "self"),
        done_when_empty("out"),
        supported_on(*known(_NAME).products),
        inside_storage("self", "other"),
        when(on_products(A3, A2, P310B, P310P, T910), _three("out", _FROM_END)),
        when(on_products(A950), _three("self", _DIM)),
    ),
    golden=_golden,
    terms=_terms,
    reference=lambda torch, self, other, dim: torch.linalg.cross(
        *torch.broadcast_tensors(self, other), dim=dim if dim < 0 else dim - self.ndim
    ),
    summed=("self", "other"),
    draw=_draw,
    typical=lambda n: _call((n // 3 + 1, 3), (n // 3 + 1, 3), -1, FLOAT),
    samples=(
        _call((2, 3), (2, 3), -1, FLOAT),
        _call((3, 4), (3, 1), 0, FLOAT16),
        _call((3,), (2, 3), 0, INT32),
        _call((2, 3), (2, 3), 1, BF16),
        *(_call((2, 3), (2, 3), -1, dtype) for dtype in (DOUBLE, *COMPLEX)),
    ),
    notes=(
        "Products of integers wrap.",
        "A self without length 3 along dim that broadcasts to it is refused on Ascend 950 only.",
    ),
)
