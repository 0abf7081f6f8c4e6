# SPDX-License-Identifier: Apache-2.0
"""Elements and slices at the places that an index names."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import (
    COPIED,
    FORBIDDEN_NOTE,
    INDEX_NOTE,
    INDICES,
    NEGATIVE_NOTE,
    NEW_BF16,
    NOTES,
    REALS,
    VALUES,
    WIDE,
    call_of,
    drawn_axis,
    drawn_shape,
    indices,
    lengths_fit,
    placed,
    rank_of,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import (
    BF16,
    COMPLEX128,
    FLOAT,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT8_E8M0,
    FLOAT16,
    INT8,
    INT32,
    INT64,
    UINT16,
    UINT32,
    UINT64,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    axis_in_rank,
    done_when_empty,
    dtype_in,
    has_elements,
    inside_storage,
    not_null,
    not_private,
    only_on,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Gathered, ShapeOf
from aclhost.spec.terms import AtMost, Const, DimOf, DtypeOf, Empty, Equal, Not, Or, RankOf, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
_DIM = ValueOf("dim")
_SLICES = Gathered("self", _DIM, "index")
_SLICE_WORDS = "of self with the shape of index in place of dimension dim"
_SELF = TensorIn("self", "What is read.", chosen=True)
_INDEX = TensorIn("index", "Places along dim.")
_OUT = TensorOut("out", "Result.", shape=_SLICES, dtype=DtypeOf("self"))


def _golden_slices(self: Array, dim: int, index: Ints) -> Array:
    import numpy as np

    if np.ndim(self) == 0:
        return self
    table, axis, places = placed(self, dim, index)
    return np.take(table, np.atleast_1d(places), axis=axis)


def _torch_slices(torch: Torch, self: Torch, dim: int, index: Torch) -> Torch:
    if self.ndim == 0:
        return self
    axis = dim % self.ndim
    slices = torch.index_select(self, axis, index.long().reshape(-1) % self.shape[axis])
    return slices.reshape(*self.shape[:axis], *(index.shape or (1,)), *self.shape[axis + 1 :])


def _slices_call(
    self: tuple[int, ...], dim: int, index: TensorArg, dtype: DataType = FLOAT
) -> Call:
    axis = dim % max(len(self), 1)
    out = (*self[:axis], *(index.shape or (1,)), *self[axis + 1 :]) if self else ()
    return call_of(self=TensorArg(self, dtype), dim=dim, index=index, out=TensorArg(out, dtype))


def _drawn_slices(rng: Random, most: int, dtypes: tuple[DataType, ...], negative: bool) -> Call:
    self = drawn_shape(rng)
    dim, length = drawn_axis(rng, self)
    index = indices(rng, drawn_shape(rng, 0, most if self else 0), length, negative=negative)
    return _slices_call(self, dim, index, rng.choice(dtypes))


def _typical_slices(n: int) -> Call:
    rows, columns = matrix_shape(n)
    return _slices_call((rows, columns), 0, TensorArg((rows,), INT64, span=(0, rows)))


_GATHER_V2 = Operator(
    "aclnnGatherV2",
    summary="Takes slices along a dimension.",
    formula=f"`out[..., i, ...] = self[..., index[i], ...]` at dimension dim. {COPIED}",
    params=(_SELF, Int("dim", "The dimension that index points into."), _INDEX, _OUT),
    checks=(
        not_null("self", "index", "out"),
        same_dtype("out", "self"),
        dtype_in("self", *VALUES, NEW_BF16, only_on(UINT16, A950)),
        dtype_in("index", *INDICES),
        rank_at_most("self", 8),
        rank_at_most("index", 8),
        axis_in_rank("dim", "self", of_scalars=True),
        shape_is("out", _SLICES, _SLICE_WORDS),
        done_when_empty("self", "index"),
        supported_on(A950, A3, A2, P310P, T910),
        inside_storage("self", "index"),
    ),
    golden=_golden_slices,
    reference=_torch_slices,
    draw=lambda rng: _drawn_slices(rng, 2, (*VALUES, BF16), negative=True),
    typical=_typical_slices,
    samples=(
        _slices_call((3, 2, 2), 1, TensorArg((3,), INT64, (1, 0, -1))),
        _slices_call((4, 3), -2, TensorArg((2, 2), INT32, (3, 0, 0, 2)), FLOAT16),
        _slices_call((2, 3), 1, TensorArg((), INT64, (2,)), COMPLEX128),
        _slices_call((), 0, TensorArg((), INT64, (0,))),
    ),
    notes=(
        INDEX_NOTE,
        FORBIDDEN_NOTE,
        "A self without dimensions is copied where the first index is 0; others are not looked at.",
    ),
)

_INDEX_SELECT = Operator(
    "aclnnIndexSelect",
    summary="Takes slices along a dimension, by a list of indices.",
    formula=f"`out[..., i, ...] = self[..., index[i], ...]` at dimension dim. {COPIED}",
    params=(_SELF, Int("dim", "The dimension that index points into."), _INDEX, _OUT),
    checks=(
        not_null("self", "index", "out"),
        dtype_in("self", *VALUES, *WIDE, NEW_BF16),
        same_dtype("out", "self"),
        dtype_in("index", *INDICES),
        not_private("self", "index", "out"),
        requires(
            "scalar_out",
            "out",
            Or(Not(Equal(RankOf("self"), Const(0))), Equal(RankOf("out"), Const(0))),
            "out must have no dimensions where self has none",
            (Shown("shape", ShapeOf("out")),),
            "Create out with shape [].",
        ),
        rank_at_most("self", 8),
        axis_in_rank("dim", "self", of_scalars=True),
        rank_at_most("index", 1),
        when(
            Condition(Not(Or(Empty("self"), Empty("index"))), "neither self nor index is empty"),
            shape_is("out", _SLICES, _SLICE_WORDS),
        ),
        done_when_empty("self", "index"),
        supported_on(A950, A3, A2, P310P, T910),
        inside_storage("self", "index"),
    ),
    golden=_golden_slices,
    reference=_torch_slices,
    draw=lambda rng: _drawn_slices(rng, 1, (*VALUES, BF16), negative=False),
    typical=_typical_slices,
    samples=(
        _slices_call((3, 2, 2), 1, TensorArg((3,), INT64, (1, 0, 1))),
        _slices_call((4, 3), -1, TensorArg((2,), INT32, (2, 0)), UINT64),
        _slices_call((2, 3), 0, TensorArg((), INT64, (1,)), BF16),
        _slices_call((), -1, TensorArg((1,), INT64, (0,)), INT8),
    ),
    notes=NOTES,
)


def _golden_each(self: Array, dim: int, index: Ints) -> Array:
    """Torch's gather: self is cut to the index but along dim."""
    import numpy as np

    table, axis, places = placed(self, dim, np.atleast_1d(index))
    cut = tuple(
        slice(None) if i == axis else slice(length) for i, length in enumerate(places.shape)
    )
    return np.take_along_axis(table[cut], places, axis=axis).reshape(np.shape(index))


def _torch_each(torch: Torch, self: Torch, dim: int, index: Torch) -> Torch:
    if self.dtype in (torch.uint16, torch.uint32, torch.uint64):
        return NotImplemented  # torch moves none of these
    length = self.shape[dim] if self.ndim else 1
    return torch.gather(self, dim, index.long() % length)


def _each_call(self: tuple[int, ...], dim: int, index: TensorArg, dtype: DataType = FLOAT) -> Call:
    out = TensorArg(index.shape, dtype)
    return call_of(self=TensorArg(self, dtype), dim=dim, index=index, out=out)


def _drawn_each(rng: Random) -> Call:
    self = drawn_shape(rng)
    dim, length = drawn_axis(rng, self)
    axis = dim % max(len(self), 1)
    shape = tuple(
        rng.randint(1, 5 if i == axis else each) for i, each in enumerate(self)
    )  # fmt: skip
    dtype = rng.choice((*REALS, BF16, UINT16, UINT32))
    return _each_call(self, dim, indices(rng, shape, length, negative=True), dtype)


def _typical_each(n: int) -> Call:
    shape = matrix_shape(n)
    return _each_call(shape, 1, TensorArg(shape, INT64, span=(0, shape[1])))


_GATHER = Operator(
    "aclnnGather",
    summary="Takes elements along a dimension, each by an index of its own.",
    formula=(
        "`out[i, j, k] = self[index[i, j, k], j, k]` for dim 0 of three dimensions, and so on. "
        f"{COPIED}"
    ),
    params=(
        _SELF,
        Int("dim", "The dimension that index points into.", spelling="const int64_t"),
        _INDEX,
        TensorOut("out", "Result.", shape=ShapeOf("index"), dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "index", "out"),
        dtype_in(
            "self",
            *REALS,
            *WIDE,
            NEW_BF16,
            *(only_on(each, A950) for each in (FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E8M0)),
        ),
        when(has_elements("index"), dtype_in("index", *INDICES)),
        same_dtype("out", "self"),
        requires(
            "same_rank",
            "index",
            Equal(rank_of("self"), rank_of("index")),
            "index must have as many dimensions as self",
            (Shown("shape", ShapeOf("index")), " and ", Shown("shape", ShapeOf("self"))),
            "Reshape index; a single element may have no or one dimension.",
        ),
        rank_at_most("self", 8),
        rank_at_most("out", 8),
        same_shape("out", "index"),
        axis_in_rank("dim", "self", of_scalars=True),
        when(
            has_elements("index"),
            lengths_fit("index", "self", _DIM, but=", but for dimension dim"),
            requires(
                "dim_has_places",
                "self",
                Or(Equal(RankOf("self"), Const(0)), AtMost(Const(1), DimOf("self", _DIM))),
                "dimension dim of self must be greater than 0",
                (Shown("shape", ShapeOf("self")),),
                "There is nothing that an index could point to.",
            ),
        ),
        done_when_empty("index", "self"),
        supported_on(A3, A2),
        inside_storage("self", "index"),
    ),
    golden=_golden_each,
    reference=_torch_each,
    draw=_drawn_each,
    typical=_typical_each,
    samples=(
        _each_call((3, 3), 0, TensorArg((2, 2), INT64, (0, 2, 1, -3))),
        _each_call((2, 3, 2), -2, TensorArg((1, 4, 2), INT32, (0, 2, 1, 0, 0, 2, 1, 1)), FLOAT16),
        _each_call((4,), 0, TensorArg((), INT64, (3,)), UINT32),
        _each_call((), 0, TensorArg((2,), INT64, (0, -1)), BF16),
    ),
    notes=(INDEX_NOTE, NEGATIVE_NOTE),
)

OPS = (_GATHER_V2, _INDEX_SELECT, _GATHER)
