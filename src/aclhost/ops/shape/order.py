# SPDX-License-Identifier: Apache-2.0
"""The elements of a tensor in another order, or in another shape."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.shape.build import (
    COMPLEX,
    EIGHT_BITS,
    LIKE_SELF,
    NEW_BF16,
    NEWER,
    PLAIN,
    REALS,
    SAME_FORMAT,
    SELF,
    UNSIGNED,
    Dtypes,
    Rules,
    call_like,
    known_to_torch,
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
    DOUBLE,
    FLOAT,
    FLOAT8_E5M2,
    INT8,
    UINT16,
    UINT64,
    DataType,
)
from aclhost.spec.moved import Flattened, Permuted
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, IntArray, TensorOut
from aclhost.spec.products import A2, A3, A950, T910
from aclhost.spec.rules import (
    at_least,
    axes_in_rank,
    distinct_axes,
    done_when_empty,
    dtype_in,
    fits_shape,
    inner,
    inside_storage,
    not_null,
    only_on,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    same_format_unless_nd,
    same_rank,
    same_shape,
    shape_is,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import (
    And,
    AtMost,
    Const,
    DimOf,
    Divided,
    DtypeOf,
    Empty,
    Equal,
    If,
    LengthOf,
    RankOf,
    Sum,
    Times,
    ValueOf,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_PERMUTED = Permuted("self", "dims")
_FLATTENED = Flattened("self", ValueOf("axis"))
_PERMUTE_DTYPES: Dtypes = (
    *REALS,
    *UNSIGNED,
    COMPLEX64,
    NEW_BF16,
    *EIGHT_BITS,
    *on_newer(COMPLEX128),
)


def _permuted(self: TensorArg, dims: tuple[int, ...]) -> Call:
    call = call_like(self=self, dims=dims)
    return call.passing(out=TensorArg(_PERMUTED.evaluate(call), self.dtype))


def _draw_permute(rng: Random) -> Call:
    shape = some_shape(rng, most=5)
    dims = rng.sample(range(len(shape)), len(shape))
    places = tuple(axis - rng.choice((0, len(shape))) for axis in dims)
    dtype = rng.choice((*REALS, *UNSIGNED, *COMPLEX, BF16))
    return _permuted(TensorArg(shape, dtype), places)


def _permute(self: Array, dims: Ints) -> Array:
    return self.transpose([axis % self.ndim for axis in dims])


PERMUTE = Operator(
    "aclnnPermute",
    summary="Dimensions in another order.",
    formula="Dimension `i` of `out` is dimension `dims[i]` of `self`.",
    params=(
        SELF,
        IntArray("dims", "Dimensions of self; below 0 from the end.", length=1),
        TensorOut("out", "Result.", shape=_PERMUTED, dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "dims", "out"),
        dtype_in("self", *_PERMUTE_DTYPES),
        dtype_in("out", *_PERMUTE_DTYPES),
        same_dtype("out", "self"),
        same_rank("out", "self"),
        rank_at_most("self", 8),
        requires(
            "one_for_each_dimension",
            "dims",
            Equal(LengthOf("dims"), RankOf("self")),
            "dims must have one value for each dimension of self",
            (Shown("array", "dims"), " for ", Shown("shape", ShapeOf("self"))),
            "Name every dimension.",
        ),
        axes_in_rank("dims", "self"),
        distinct_axes("dims", "self"),
        inner(
            requires(
                "empty_result",
                "out",
                If(Empty("self"), Empty("out"), Const(1)),
                "out must be empty when self is",
                (Shown("shape", ShapeOf("out")),),
                "Create out with the lengths of self.",
            )
        ),
        done_when_empty("self"),
        supported_on(*NEWER, T910),
        inside_storage("self"),
        fits_shape("out", _PERMUTED, "of self, in the order of dims"),
        same_format_unless_nd("out", "self"),
    ),
    golden=_permute,
    reference=lambda _, self, dims: self.permute(*dims) if self.dim() else NotImplemented,
    samples=(
        _permuted(TensorArg((2, 3, 5)), (2, 0, 1)),
        _permuted(TensorArg((4, 3), BF16), (-1, 0)),
        _permuted(TensorArg((), BOOL), ()),
        _permuted(TensorArg((2, 0, 3), UINT16), (1, 0, 2)),
        _permuted(TensorArg((1, 2, 3, 4), COMPLEX128), (3, 1, 0, 2)),
        _permuted(TensorArg((2, 3), FLOAT8_E5M2), (1, 0)).on(A950),
    ),
    draw=_draw_permute,
    typical=lambda n: _permuted(TensorArg(matrix_shape(n)), (1, 0)),
    formats=SAME_FORMAT,
    notes=("The shape of out is not compared with that of an empty self; it must be empty.",),
)


def _flattened(self: TensorArg, axis: int) -> Call:
    call = call_like(self=self, axis=axis)
    return call.passing(out=TensorArg(_FLATTENED.evaluate(call), self.dtype))


def _draw_flatten(rng: Random) -> Call:
    shape = some_shape(rng)
    rank = max(len(shape), 1)
    dtype = rng.choice((*PLAIN, BF16, *UNSIGNED))
    return _flattened(TensorArg(shape, dtype), rng.randrange(-rank, rank))


def _flatten(self: Array, axis: int) -> Array:
    from math import prod

    place = axis % max(self.ndim, 1)
    return self.reshape(prod(self.shape[:place]), prod(self.shape[place:]))


def _axis_of_one() -> Rules:
    """A tensor without dimensions counts as if it had one."""
    rank, axis = If(RankOf("self"), RankOf("self"), Const(1)), ValueOf("axis")
    return requires(
        "axis_in_rank",
        "axis",
        And(AtMost(Times(rank, Const(-1)), axis), AtMost(Sum(axis, Const(1)), rank)),
        "axis must be a dimension of self, from -rank to rank - 1",
        (Shown("integer", axis), " for rank ", Shown("integer", RankOf("self"))),
        "Pass 1 for one row for each index of the first dimension.",
    )


FLATTEN = Operator(
    "aclnnFlatten",
    summary="A tensor as a matrix.",
    formula="Dimensions before `axis` become the rows of `out`, those from it on the columns.",
    params=(
        SELF,
        Int("axis", "The first dimension of a row; below 0 from the end.", default=1),
        TensorOut("out", "Result.", shape=_FLATTENED, dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "out"),
        same_dtype("out", "self"),
        dtype_in("self", *PLAIN, *UNSIGNED, NEW_BF16),
        rank_at_most("self", 8),
        _axis_of_one(),
        shape_is("out", _FLATTENED, "of two lengths: elements before axis, and from it on"),
        done_when_empty("self"),
        inside_storage("self"),
    ),
    golden=_flatten,
    reference=lambda torch, self, axis: torch.reshape(
        self, _flatten(torch.empty(self.shape).numpy(), axis).shape
    ),
    samples=(
        _flattened(TensorArg((2, 3, 5)), 1),
        _flattened(TensorArg((2, 3, 5), BF16), -1),
        _flattened(TensorArg((), INT8), 0),
        _flattened(TensorArg((2, 0), UINT64), 1),
        _flattened(TensorArg((4, 3), BOOL, strides=(1, 4)), 0),
    ),
    draw=_draw_flatten,
    typical=lambda n: _flattened(TensorArg((max(n // 4096, 1), 64, 64)), 1),
)


def _draw_shuffle(rng: Random) -> Call:
    shape, groups = some_shape(rng, least=3, most=5, longest=4), rng.randint(1, 4)
    shape = (shape[0], groups * rng.randint(1, 3), *shape[2:])
    dtype = rng.choice((*REALS, *COMPLEX, BF16))
    return call_like("self", self=TensorArg(shape, dtype), groups=groups)


def _shuffle(self: Array, groups: int) -> Array:
    n, channels, *rest = self.shape
    return self.reshape(n, groups, channels // groups, *rest).swapaxes(1, 2).reshape(self.shape)


def _torch_shuffle(torch: Any, self: Any, groups: int) -> Any:  # noqa: ANN401
    return torch.channel_shuffle(self, groups) if known_to_torch(torch, self) else NotImplemented


def _shuffled(groups: int, *shape: int, dtype: DataType = FLOAT) -> Call:
    return call_like("self", self=TensorArg(shape, dtype), groups=groups)


_CHANNELS = DimOf("self", Const(1))

CHANNEL_SHUFFLE = Operator(
    "aclnnChannelShuffle",
    summary="Channels of several groups taking turns.",
    formula=(
        "Dimension 1 of `self` as a matrix of `groups` rows, transposed: channel "
        "`i * groups + g` of `out` is channel `g * (channels / groups) + i`."
    ),
    params=(SELF, Int("groups", "How many groups of channels there are."), LIKE_SELF),
    checks=(
        not_null("self", "out"),
        same_dtype("out", "self"),
        dtype_in("self", *REALS, *COMPLEX, only_on(BF16, A950, A3, A2)),
        at_least("groups", 1),
        requires(
            "divisible",
            "groups",
            Equal(Times(Divided(_CHANNELS, ValueOf("groups")), ValueOf("groups")), _CHANNELS),
            "groups must divide the length of dimension 1 of self",
            (Shown("integer", ValueOf("groups")), " for ", Shown("shape", ShapeOf("self"))),
            "Pass a divisor of the number of channels.",
        ),
        same_shape("out", "self"),
        rank_at_most("self", 7),
        rank_at_least("self", 3),
        done_when_empty("self"),
        supported_on(*NEWER, T910),
        inside_storage("self"),
    ),
    golden=_shuffle,
    reference=_torch_shuffle,
    samples=(
        _shuffled(2, 1, 4, 3),
        _shuffled(3, 2, 6, 2, 2, dtype=BF16),
        _shuffled(1, 2, 3, 1, dtype=DOUBLE),
        _shuffled(2, 0, 2, 2, dtype=COMPLEX64),
    ),
    draw=_draw_shuffle,
    typical=lambda n: _shuffled(4, 8, 64, max(n // 512, 1)),
)

OPS = (PERMUTE, FLATTEN, CHANNEL_SHUFFLE)
