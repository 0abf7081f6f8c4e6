# SPDX-License-Identifier: Apache-2.0
"""Variables that are updated in place: rows of them, or stretches of each batch."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import COPIED, INDICES, NEW_BF16, NOTES, call_of, drawn_shape, indices
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import (
    BF16,
    FLOAT,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT16,
    HIFLOAT8,
    INT8,
    INT32,
    INT64,
    UINT8,
    DataType,
)
from aclhost.spec.moved import WithAxis
from aclhost.spec.operator import Operator
from aclhost.spec.params import NEVER, Flag, Int, TensorIn, TensorInOut
from aclhost.spec.products import A2, A3, A950, T910
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    in_tiling,
    inner,
    inside_storage,
    not_null,
    only_on,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    same_rank,
    shape_is,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Gathered, SameShape, ShapeOf
from aclhost.spec.terms import (
    AtMost,
    Const,
    DimOf,
    Empty,
    Equal,
    If,
    Not,
    Or,
    RankOf,
    Sum,
    Times,
    ValueOf,
    all_of,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
Shape = tuple[int, ...]
_ROWS = Gathered("varRef", Const(0), "indices", one_at_least=False)
_NUMBERS = (FLOAT16, FLOAT, INT32, INT8, UINT8)
# NumPy's function, torch's reduction, and the formula.
_COMBINED = {
    "Max": ("maximum", "amax", "max(varRef[indices[i]], updates[i])"),
    "Min": ("minimum", "amin", "min(varRef[indices[i]], updates[i])"),
    "Mul": ("multiply", "prod", "varRef[indices[i]] * updates[i]"),
}


def _rows_call(shape: Shape, index: TensorArg, dtype: DataType = FLOAT) -> Call:
    return call_of(
        varRef=TensorArg(shape, dtype),
        indices=index,
        updates=TensorArg((*index.shape, *shape[1:]), dtype),
        useLocking=False,
    ).on(A950)


def _drawn_rows(rng: Random) -> Call:
    shape = drawn_shape(rng, 1, 3)
    index = indices(rng, drawn_shape(rng, 1, 2), shape[0])
    return _rows_call(shape, index, rng.choice(_NUMBERS))


def _typical_rows(n: int) -> Call:
    shape = matrix_shape(n)
    return _rows_call(shape, TensorArg((shape[0],), INT64, span=(0, shape[0])))


_ROW_PARAMS = (
    TensorInOut("varRef", "What is there first, and where the result is put."),
    TensorIn("indices", "Rows of varRef, in any shape."),
    TensorIn("updates", "A row for each index."),
    Flag("useLocking", "Not looked at.", default=False),
)
_ROW_CHECKS = (
    not_null("varRef", "indices", "updates"),
    dtype_in("varRef", *_NUMBERS),
    dtype_in("indices", *INDICES),
    same_dtype("updates", "varRef"),
    done_when_empty("varRef", "indices", "updates"),
    supported_on(A950),
    inside_storage("varRef", "indices", "updates"),
    in_tiling(
        rank_at_least("varRef", 1),
        shape_is("updates", _ROWS, "of indices and then that of a row of varRef"),
    ),
)


def _scatter_rows(name: str) -> Operator:
    """One of the operators that TensorFlow knows."""
    function, reduction, formula = _COMBINED[name]

    def golden(var_ref: Array, indices: Ints, updates: Array, use_locking: bool) -> Array:
        import numpy as np

        result = np.array(var_ref)
        getattr(np, function).at(result, indices, updates)
        return result

    def reference(
        torch: Torch, var_ref: Torch, indices: Torch, updates: Torch, use_locking: bool
    ) -> Torch:
        rows = var_ref.reshape(var_ref.shape[0], -1)
        places = indices.long().reshape(-1, 1).expand(-1, rows.shape[1])
        combined = rows.scatter_reduce(0, places, updates.reshape(places.shape), reduction)
        return combined.reshape(var_ref.shape)

    return Operator(
        f"aclnnScatter{name}",
        summary="Combines rows of a variable with updates, in place.",
        formula=(
            f"`varRef[indices[i]] = {formula}`, in the order of indices. FLOAT16 is combined as "
            "FLOAT and rounded once; integers wrap around."
        ),
        params=_ROW_PARAMS,
        checks=_ROW_CHECKS,
        golden=golden,
        reference=reference,
        ulps=8,
        draw=_drawn_rows,
        typical=_typical_rows,
        samples=(
            _rows_call((3, 2), TensorArg((2, 2), INT64, (2, 0, 2, 1))),
            _rows_call((4,), TensorArg((3,), INT32, (3, 1, 3)), FLOAT16),
            _rows_call((2, 1, 2), TensorArg((1,), INT32, (1,)), UINT8),
        ),
        notes=(
            *NOTES,
            "Upstream generates this interface from the operator's definition; of its checks, "
            "those that the document lists are made.",
        ),
    )


_AXIS = ValueOf("axis")
_RANK = RankOf("data")
_LENGTH = DimOf("updates", _AXIS)


def _golden_stretches(data: Array, indices: Ints, updates: Array, axis: int) -> Array:
    import numpy as np

    result, places = np.array(data), np.atleast_1d(indices)
    along = axis % result.ndim
    for i, place in enumerate(places):
        batch, start = place if places.ndim == 2 else (i, place)
        key = [slice(None)] * result.ndim
        key[along] = slice(start, start + updates.shape[along])
        result[(batch, *key[1:])] = updates[i]
    return result


def _stretch_call(
    data: Shape, index: TensorArg, axis: int, length: int, dtype: DataType = FLOAT
) -> Call:
    updates = list(data)
    updates[0] = index.shape[0] if index.shape else 1
    updates[axis] = length
    return call_of(
        data=TensorArg(data, dtype),
        indices=index,
        updates=TensorArg(tuple(updates), dtype),
        axis=axis,
    )


def _drawn_stretches(rng: Random) -> Call:
    data = drawn_shape(rng, 2, 4)
    axis = rng.choice((*range(1, len(data)), *range(1 - len(data), 0)))
    length, count = rng.randint(1, data[axis]), rng.randint(1, data[0])
    starts = [rng.randint(0, data[axis] - length) for _ in range(count)]
    batches = rng.sample(range(data[0]), count)
    pairs = tuple(value for pair in zip(batches, starts, strict=True) for value in pair)
    kind = rng.choice((INT32, INT64))
    index = rng.choice(
        (TensorArg((count,), kind, tuple(starts)), TensorArg((count, 2), kind, pairs))
    )
    dtype = rng.choice((INT8, FLOAT16, FLOAT, BF16, INT32))
    return _stretch_call(data, index, axis, length, dtype)


def _typical_stretches(n: int) -> Call:
    """Keys and values of a new token in 16 sequences of 64 heads' channels."""
    length = max(n // (16 * 1024), 2)
    return _stretch_call((16, 8, length, 128), TensorArg((16,), INT64, span=(0, length)), -2, 1)


_UPDATE = Operator(
    "aclnnInplaceScatterUpdate",
    summary="Puts a stretch into each batch at an offset of its own, in place.",
    formula=(
        "`data[i, ..., indices[i] + k, ...] = updates[i, ..., k, ...]` along axis, or with pairs "
        f"`data[indices[i, 0], ..., indices[i, 1] + k, ...]`. {COPIED}"
    ),
    params=(
        TensorInOut("data", "What is there first, and where updates are put.", read_if=NEVER),
        TensorIn("indices", "An offset for each batch of updates, or a batch and an offset."),
        TensorIn("updates", "Stretches."),
        Int("axis", "The dimension that offsets count along, not 0."),
    ),
    checks=(
        not_null("data", "indices", "updates"),
        dtype_in(
            "data", INT8, FLOAT16, FLOAT, INT32, NEW_BF16,
            *(only_on(dtype, A950) for dtype in (UINT8, FLOAT8_E4M3FN, FLOAT8_E5M2, HIFLOAT8)),
        ),
        dtype_in("indices", *INDICES),
        same_dtype("updates", "data"),
        requires(
            "not_empty",
            "data",
            Not(Or(Empty("data"), Or(Empty("updates"), Empty("indices")))),
            "neither data nor indices nor updates must be empty",
            (Shown("shape", ShapeOf("data")), " and ", Shown("shape", ShapeOf("updates"))),
            "Skip the call when there is nothing to do.",
        ),
        same_rank("updates", "data"),
        requires(
            "one_batch",
            "updates",
            Or(
                Not(Equal(RankOf("indices"), Const(0))),
                Equal(DimOf("updates", Const(0)), Const(1)),
            ),
            "updates must have one batch where indices has no dimensions",
            (Shown("shape", ShapeOf("updates")),),
            "Pass an offset for each batch.",
        ),
        rank_at_most("indices", 2),
        supported_on(A950, A3, A2, T910),
        inside_storage("data", "indices", "updates"),
        inner(
            rank_at_most("data", 8),
            requires(
                "axis_in_rank",
                "axis",
                all_of(
                    Not(Equal(_AXIS, Const(0))),
                    AtMost(Sum(Times(_RANK, Const(-1)), Const(1)), _AXIS),
                    AtMost(Sum(_AXIS, Const(1)), _RANK),
                ),
                "axis must be a dimension of data other than the first",
                (Shown("integer", _AXIS), " for rank ", Shown("integer", _RANK)),
                "Pass -2 for a cache of keys or values.",
            ),
            requires(
                "batches_fit",
                "updates",
                all_of(
                    Or(
                        Equal(RankOf("indices"), Const(0)),
                        Equal(DimOf("updates", Const(0)), DimOf("indices", Const(0))),
                    ),
                    AtMost(DimOf("updates", Const(0)), DimOf("data", Const(0))),
                    If(
                        Equal(RankOf("indices"), Const(2)),
                        Equal(DimOf("indices", Const(1)), Const(2)),
                        Const(1),
                    ),
                ),
                "updates must have as many batches as indices has offsets or pairs, and not more "
                "than data has",
                (Shown("shape", ShapeOf("updates")), " and ", Shown("shape", ShapeOf("indices"))),
                "Pass an offset, or a batch and an offset, for each batch.",
            ),
            requires(
                "stretches_fit",
                "updates",
                all_of(
                    SameShape(
                        WithAxis(WithAxis(ShapeOf("updates"), _AXIS, Const(0)), Const(0), Const(0)),
                        WithAxis(WithAxis(ShapeOf("data"), _AXIS, Const(0)), Const(0), Const(0)),
                    ),
                    AtMost(_LENGTH, DimOf("data", _AXIS)),
                ),
                "updates must have the lengths of data, but for the first dimension and a shorter "
                "stretch along axis",
                (Shown("shape", ShapeOf("updates")), " and ", Shown("shape", ShapeOf("data"))),
                "Reshape updates.",
            ),
        ),
    ),
    golden=_golden_stretches,
    draw=_drawn_stretches,
    typical=_typical_stretches,
    samples=(
        _stretch_call((2, 2, 4, 3), TensorArg((2,), INT64, (3, 0)), -2, 1),
        _stretch_call((2, 5), TensorArg((1, 2), INT32, (1, 2)), 1, 3, BF16),
        _stretch_call((3, 4), TensorArg((), INT64, (1,)), -1, 2, INT8),
        _stretch_call((3, 4), TensorArg((1,), INT64, (1,)), -1, 2, UINT8).on(A950),
    ),
    notes=(*NOTES, "Batches that name the same place do so in order; upstream promises none."),
)  # fmt: skip

OPS = (*map(_scatter_rows, _COMBINED), _UPDATE)
