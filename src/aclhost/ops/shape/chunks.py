# SPDX-License-Identifier: Apache-2.0
"""Tensors that are cut into chunks, which are joined row by row."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.shape.build import NEWER, on_newer, some_shape
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, TensorList, TensorOut
from aclhost.spec.rules import (
    Condition,
    at_least,
    done_when,
    dtype_in,
    each,
    fits_shape,
    inner,
    inside_storage,
    not_null,
    not_private,
    one_of,
    rank_at_least,
    rank_at_most,
    same_dtype,
    when,
)
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import (
    MEMBER,
    Const,
    DimOf,
    Divided,
    DtypeOf,
    EachMember,
    ElementsFrom,
    Empty,
    Equal,
    If,
    In,
    LengthOf,
    Sum,
    SumOver,
    Times,
    ValueOf,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DTYPES = (FLOAT, FLOAT16, BF16)
_LISTED = on_newer(*_DTYPES)
_ROWS = ValueOf("numChunks")
_CHUNK = Divided(Sum(DimOf(MEMBER, Const(0)), Sum(_ROWS, Const(-1))), _ROWS)
_COLUMNS = SumOver(
    "tensors", If(Empty(MEMBER), Const(0), Times(_CHUNK, ElementsFrom(MEMBER, Const(1))))
)
_SHAPE = Lengths((_ROWS, _COLUMNS))
_SINGLE = Condition(In(DtypeOf("tensors"), (FLOAT,)), "tensors are FLOAT")


def _padded(tensor: Array, rows: int) -> Array:
    """A row for each chunk; zeros fill the last ones."""
    import numpy as np

    flat = tensor.reshape(len(tensor), -1)
    chunk = -(-len(flat) // rows)
    padded = np.zeros((rows * chunk, flat.shape[1]))
    padded[: len(flat)] = flat
    return padded.reshape(rows, -1)


def _golden(tensors: list[Array], dim: int, num_chunks: int) -> Array:
    import numpy as np

    rows = [_padded(each, num_chunks) for each in tensors if each.size]
    return np.concatenate([np.zeros((num_chunks, 0)), *rows], axis=1)


def _torch(torch: Any, tensors: Any, dim: int, num_chunks: int) -> Any:  # noqa: ANN401
    if any(each.numel() == 0 for each in tensors):
        return NotImplemented
    return torch._chunk_cat(tensors, dim, num_chunks)


def _call(
    shapes: tuple[tuple[int, ...], ...],
    rows: int,
    dtype: DataType = FLOAT,
    out: Any = None,  # noqa: ANN401
) -> Call:
    tensors = tuple(TensorArg(shape, dtype) for shape in shapes)
    call = Call({"tensors": tensors, "dim": 0, "numChunks": rows})
    return call.passing(out=TensorArg(_SHAPE.evaluate(call), out or dtype))


def _draw(rng: Random) -> Call:
    shapes = (some_shape(rng, least=1, longest=7) for _ in range(rng.randint(1, 5)))
    return _call(((rng.randint(1, 9), 2), *shapes), rng.randint(1, 4), rng.choice(_DTYPES))


OP = Operator(
    "aclnnChunkCat",
    summary="Cuts tensors into equally many chunks and joins those of one number.",
    formula="Row `i` of `out` is chunk `i` of `tensors[0]` as one row, then that of `tensors[1]`, "
    "and so on. Chunks of a tensor are equally long; zeros fill the last ones.",
    params=(
        TensorList("tensors", "Tensors of one dtype."),
        Int("dim", "The dimension that is cut; only 0.", default=0),
        Int("numChunks", "How many chunks.", default=1),
        TensorOut("out", "Result.", shape=_SHAPE, dtype=DtypeOf("tensors")),
    ),
    checks=(
        one_of("dim", 0),
        not_null("tensors"),
        done_when(Condition(Equal(LengthOf("tensors"), Const(0)), "tensors has no members")),
        each("tensors", not_null(MEMBER)),
        not_null("out"),
        dtype_in("tensors", *_LISTED),
        each("tensors", same_dtype(MEMBER, "tensors")),
        dtype_in("out", *_LISTED),
        when(_SINGLE, dtype_in("out", FLOAT)),
        each("tensors", not_private(MEMBER)),
        not_private("out"),
        each("tensors", rank_at_most(MEMBER, 8)),
        each("tensors", rank_at_least(MEMBER, 1)),
        done_when(Condition(EachMember("tensors", Empty(MEMBER)), "no tensor has elements")),
        each("tensors", inside_storage(MEMBER)),
        inner(at_least("numChunks", 1)),
        fits_shape("out", _SHAPE, "of numChunks rows, as long as a chunk of each tensor"),
    ),
    golden=_golden,
    reference=_torch,
    draw=_draw,
    typical=lambda n: _call(((n // 2,), (n // 256, 128)), 8),
    samples=(
        _call(((4, 3), (2, 2)), 2),
        _call(((5,), (3, 2, 2)), 3, FLOAT16),
        _call(((2, 3), (0, 3)), 4, BF16),
        _call(((3, 2),), 2, FLOAT16, FLOAT),
        _call(((0, 2),), 2),
    ),
    formats="Labels are ignored, except that private formats are refused.",
    notes=(
        "A numChunks below 1 gives 561103; upstream divides by it.",
        f"Only {', '.join(map(str, NEWER))} know the operator.",
    ),
)
