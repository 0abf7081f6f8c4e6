# SPDX-License-Identifier: Apache-2.0
"""Rows of a matrix, and elements of a tensor as if it had one dimension."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import (
    COPIED,
    FORBIDDEN_NOTE,
    INDEX_NOTE,
    INDICES,
    NEW_BF16,
    NOTES,
    VALUES,
    WIDE,
    call_of,
    drawn_shape,
    indices,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, COMPLEX128, FLOAT, FLOAT16, INT32, INT64, UINT64, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, T910
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    inner,
    inside_storage,
    not_null,
    not_private,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Gathered, SameShape, ShapeOf, WithoutLast
from aclhost.spec.terms import And, AtMost, Const, DtypeOf, Empty, Not, Or, RankOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
_ROWS = Gathered("weight", Const(0), "indices", one_at_least=False)


def _golden_rows(weight: Array, indices: Ints) -> Array:
    return weight[indices]


def _rows_call(weight: tuple[int, ...], rows: TensorArg, dtype: DataType = FLOAT) -> Call:
    out = TensorArg((*rows.shape, *weight[1:]), dtype)
    return call_of(weight=TensorArg(weight, dtype), indices=rows, out=out)


def _drawn_rows(rng: Random) -> Call:
    weight = drawn_shape(rng, 2, 2)
    rows = indices(rng, drawn_shape(rng, 0, 3), weight[0])
    return _rows_call(weight, rows, rng.choice((*VALUES, BF16)))


_EMBEDDING = Operator(
    "aclnnEmbedding",
    summary="Takes rows of a matrix.",
    formula=f"`out[i] = weight[indices[i]]`. {COPIED}",
    params=(
        TensorIn("weight", "A row for each index.", chosen=True),
        TensorIn("indices", "Rows of weight."),
        TensorOut("out", "Result.", shape=_ROWS, dtype=DtypeOf("weight"), is_const=True),
    ),
    checks=(
        not_null("weight", "indices", "out"),
        dtype_in("weight", *VALUES, NEW_BF16),
        same_dtype("out", "weight"),
        dtype_in("indices", *INDICES),
        rank_at_most("weight", 8),
        rank_at_most("indices", 8),
        rank_at_most("out", 8),
        requires(
            "leading_lengths",
            "out",
            And(
                AtMost(Const(1), RankOf("out")),
                SameShape(WithoutLast(ShapeOf("out")), ShapeOf("indices")),
            ),
            "out must have the shape of indices and one more dimension",
            (Shown("shape", ShapeOf("out")), " for ", Shown("shape", ShapeOf("indices"))),
            "Append the length of a row.",
        ),
        done_when_empty("weight", "indices"),
        inside_storage("weight", "indices"),
        inner(shape_is("out", _ROWS, "of indices and then the length of a row of weight")),
    ),
    golden=_golden_rows,
    reference=lambda torch, weight, indices: torch.nn.functional.embedding(indices.long(), weight),
    draw=_drawn_rows,
    typical=lambda n: _rows_call(
        (max(n // 256, 1), 128), TensorArg((max(n // 128, 1),), INT64, span=(0, max(n // 256, 1)))
    ),
    samples=(
        _rows_call((4, 3), TensorArg((2, 2), INT64, (3, 0, 0, 1))),
        _rows_call((2, 5), TensorArg((3,), INT32, (1, 0, 1)), BF16),
        _rows_call((3, 2), TensorArg((), INT64, (2,)), COMPLEX128),
        _rows_call((3, 1), TensorArg((1,), INT32, (2,)), FLOAT16),
    ),
    notes=NOTES,
)


def _golden_flat(self: Array, index: Ints) -> Array:
    import numpy as np

    taken: Array = np.take(self, index)
    return taken


def _flat_call(self: tuple[int, ...], index: TensorArg, dtype: DataType = FLOAT) -> Call:
    return call_of(self=TensorArg(self, dtype), index=index, out=TensorArg(index.shape, dtype))


def _drawn_flat(rng: Random) -> Call:
    from math import prod

    self = drawn_shape(rng)
    index = indices(rng, drawn_shape(rng), prod(self), negative=True)
    return _flat_call(self, index, rng.choice((*VALUES, BF16)))


_TAKE = Operator(
    "aclnnTake",
    summary="Takes elements as if the tensor had one dimension.",
    formula=f"`out[i] = self.flat[index[i]]`. {COPIED}",
    params=(
        TensorIn("self", "What is read.", chosen=True),
        TensorIn("index", "Places in row-major order."),
        TensorOut("out", "Result.", shape=ShapeOf("index"), dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "index", "out"),
        dtype_in("self", *VALUES, *WIDE, NEW_BF16),
        same_dtype("out", "self"),
        dtype_in("index", *INDICES),
        rank_at_most("index", 8),
        same_shape("out", "index"),
        requires(
            "not_empty",
            "self",
            Or(Not(Empty("self")), Empty("index")),
            "self must not be empty unless index is",
            (Shown("shape", ShapeOf("self")),),
            "There is nothing that an index could point to.",
        ),
        not_private("self", "index", "out"),
        done_when_empty("self", "index"),
        supported_on(A950, A3, A2, T910),
        inside_storage("self", "index"),
    ),
    golden=_golden_flat,
    reference=lambda torch, self, index: torch.take(self, index.long()),
    draw=_drawn_flat,
    typical=lambda n: _flat_call((n,), TensorArg((n,), INT64, span=(0, n))),
    samples=(
        _flat_call((2, 3), TensorArg((2, 2), INT64, (5, 0, -1, 2))),
        _flat_call((4,), TensorArg((3,), INT32, (3, 1, 1)), UINT64),
        _flat_call((), TensorArg((2,), INT64, (0, 0)), FLOAT16),
        _flat_call((3,), TensorArg((), INT64, (1,)), BF16),
    ),
    notes=(
        INDEX_NOTE,
        FORBIDDEN_NOTE,
    ),
)

OPS = (_EMBEDDING, _TAKE)
