# SPDX-License-Identifier: Apache-2.0
"""Elements that move along their dimensions: backwards, or around."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.shape.build import (
    COMPLEX,
    LIKE_SELF,
    NEW_BF16,
    NEWER,
    REALS,
    SAME_FORMAT,
    SELF,
    UNSIGNED,
    Dtypes,
    call_like,
    on_newer,
    some_shape,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT32,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import IntArray, TensorIn, TensorOut
from aclhost.spec.products import A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    as_many_values,
    axes_in_rank,
    distinct_axes,
    done_when_empty,
    dtype_in,
    inside_storage,
    length_in,
    not_null,
    only_on,
    rank_at_most,
    same_dtype,
    same_format_unless_nd,
    same_shape,
    supported_on,
    when,
)
from aclhost.spec.terms import Const, Equal, LengthOf, Not, RankOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_FLIP_DTYPES: Dtypes = (*REALS, *COMPLEX, NEW_BF16, *(only_on(dtype, A950) for dtype in UNSIGNED))
_ROLL_DTYPES: Dtypes = (
    *(FLOAT, FLOAT16, INT8, UINT8, INT32, UINT32, BOOL, INT64),
    *on_newer(BF16, INT16),
    only_on(COMPLEX64, A950),
)
_NO_DIMS = Condition(Equal(LengthOf("dims"), Const(0)), "dims is empty")
_DIMS = Condition(Not(_NO_DIMS.term), "dims is not empty")


def _draw_flip(rng: Random) -> Call:
    shape = some_shape(rng)
    rank = max(len(shape), 1)
    axes = rng.sample(range(rank), rng.randint(0, rank))
    dims = tuple(axis - rng.choice((0, rank)) for axis in axes)
    dtype = rng.choice((*REALS, *COMPLEX, BF16))
    return call_like("self", self=TensorArg(shape, dtype), dims=dims)


def _flip(self: Array, dims: Ints) -> Array:
    import numpy as np

    return np.flip(self, tuple(dims)) if self.ndim else self


def _flipped(dims: tuple[int, ...], *shape: int, dtype: DataType = FLOAT) -> Call:
    return call_like("self", self=TensorArg(shape, dtype), dims=dims)


FLIP = Operator(
    "aclnnFlip",
    summary="Reverses dimensions.",
    formula="`out[..., i, ...] = self[..., length - 1 - i, ...]` along each of `dims`.",
    params=(SELF, IntArray("dims", "Dimensions; below 0 from the end.", length=1), LIKE_SELF),
    checks=(
        not_null("self", "dims", "out"),
        same_dtype("out", "self"),
        dtype_in("self", *_FLIP_DTYPES),
        same_shape("out", "self"),
        rank_at_most("self", 8),
        axes_in_rank("dims", "self"),
        distinct_axes("dims", "self"),
        done_when_empty("self"),
        supported_on(*NEWER),
        inside_storage("self"),
    ),
    golden=_flip,
    reference=lambda _, self, dims: self.flip(list(dims)) if self.dim() else NotImplemented,
    samples=(
        _flipped((1,), 2, 3),
        _flipped((0, -1), 2, 3, 4, dtype=COMPLEX128),
        _flipped((), 3, dtype=BF16),
        _flipped((0,), dtype=INT64),
        _flipped((-2,), 3, 2, dtype=BOOL),
        _flipped((0,), 3, dtype=UINT32).on(A950),
    ),
    draw=_draw_flip,
    typical=lambda n: _flipped((1,), *matrix_shape(n)),
)


def _rolled(shape: tuple[int, ...], dtype: DataType, shifts: Ints, dims: Ints) -> Call:
    return call_like("x", x=TensorArg(shape, dtype), shifts=tuple(shifts), dims=tuple(dims))


def _draw_roll(rng: Random) -> Call:
    shape = some_shape(rng)
    dtype = rng.choice((FLOAT, FLOAT16, BF16, INT8, INT16, UINT8, INT32, BOOL, INT64))
    if not shape or rng.random() < 0.3:
        return _rolled(shape, dtype, (rng.randint(-9, 9),), ())
    dims = [rng.randrange(-len(shape), len(shape)) for _ in range(rng.randint(1, 3))]
    return _rolled(shape, dtype, [rng.randint(-9, 9) for _ in dims], dims)


def _roll(x: Array, shifts: Ints, dims: Ints) -> Array:
    import numpy as np

    return np.roll(x, tuple(shifts), tuple(dims)) if len(dims) else np.roll(x, shifts[0])


ROLL = Operator(
    "aclnnRoll",
    summary="Moves elements along dimensions; what leaves at the end comes in at the start.",
    formula=(
        "Element `i` of `x` becomes element `(i + shifts[k]) mod length` along `dims[k]`; without "
        "`dims`, of the tensor as one row."
    ),
    params=(
        TensorIn("x", "Input."),
        IntArray("shifts", "How far.", length=1),
        IntArray("dims", "Dimensions; below 0 from the end.", length=1),
        TensorOut("out", "Result.", like="x"),
    ),
    checks=(
        not_null("x", "shifts", "dims", "out"),
        dtype_in("x", *_ROLL_DTYPES),
        dtype_in("out", *_ROLL_DTYPES),
        same_dtype("out", "x"),
        same_shape("out", "x"),
        when(_DIMS, as_many_values("shifts", "dims")),
        when(_NO_DIMS, length_in("shifts", 1)),
        rank_at_most("x", 8),
        done_when_empty("x"),
        when(
            Condition(Equal(RankOf("x"), Const(0)), "x has no dimensions"),
            length_in("dims", 0),
        ),
        axes_in_rank("dims", "x"),
        supported_on(*NEWER, P310P, T910),
        inside_storage("x"),
        same_format_unless_nd("out", "x"),
    ),
    golden=_roll,
    reference=lambda torch, x, shifts, dims: (
        torch.roll(x, tuple(shifts), tuple(dims)) if x.dim() else NotImplemented
    ),
    samples=(
        _rolled((4, 2), FLOAT, (1,), (0,)),
        _rolled((3, 4, 5), BF16, (-2, 7, 1), (2, 0, -1)),
        _rolled((3, 4), BOOL, (5,), ()),
        _rolled((), INT64, (3,), ()),
        _rolled((2, 3), UINT32, (0,), (1,)).on(T910),
        _rolled((3,), COMPLEX64, (1,), (0,)).on(A950),
    ),
    draw=_draw_roll,
    typical=lambda n: _rolled(matrix_shape(n), FLOAT, (3, 5), (0, 1)),
    formats=SAME_FORMAT,
)

OPS = (FLIP, ROLL)
