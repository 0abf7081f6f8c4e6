# SPDX-License-Identifier: Apache-2.0
"""The gradient of taking rows of a matrix."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import INDEX_NOTE, NEW_BF16, call_of, drawn_shape
from aclhost.spec.call import Call, TensorArg
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
    DataType,
)
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Int, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, T910
from aclhost.spec.rules import (
    dtype_in,
    inside_storage,
    not_null,
    not_private,
    rank_at_most,
    requires,
    shape_is,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ElementsOf, Lengths, ShapeOf, WithoutLast
from aclhost.spec.terms import (
    And,
    AtMost,
    Const,
    DimOf,
    DtypeOf,
    Elements,
    Equal,
    Or,
    RankOf,
    ValueOf,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
_NONE = -1  # as unsigned as it is, upstream's clients pass it
_FLOATS = (FLOAT, FLOAT16)
_PLACES = (FLOAT16, FLOAT, DOUBLE, INT8, UINT8, INT16, INT32, INT64, BOOL)
_WIDTH = DimOf("grad", Const(-1))
_ROWS = Lengths((ValueOf("numWeights"), _WIDTH))


def _golden(
    grad: Array, indices: Ints, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Array:
    import numpy as np

    places = np.asarray(indices).astype(np.int64).ravel()
    rows = np.asarray(grad).reshape(places.size, np.shape(grad)[-1])
    out = np.zeros((num_weights, np.shape(grad)[-1]))
    for place in set(places.tolist()) - {padding_idx}:
        mine = rows[places == place]
        out[place] = mine.sum(0) / (len(mine) if scale_grad_by_freq else 1)
    return out


def _torch_gradient(
    torch: Torch,
    grad: Torch,
    indices: Torch,
    num_weights: int,
    padding_idx: int,
    scale_grad_by_freq: bool,
) -> Torch:
    return torch.ops.aten.embedding_dense_backward(
        grad, indices.long(), num_weights, padding_idx, scale_grad_by_freq
    )


def _call(
    indices: TensorArg,
    weights: int,
    width: int,
    dtype: DataType = FLOAT,
    *,
    padding: int = _NONE,
    scaled: bool = False,
    out: DataType | None = None,
) -> Call:
    return call_of(
        grad=TensorArg((*indices.shape, width), dtype),
        indices=indices,
        numWeights=weights,
        paddingIdx=padding,
        scaleGradByFreq=scaled,
        out=TensorArg((weights, width), out or dtype),
    )


def _drawn(rng: Random) -> Call:
    weights = rng.randint(1, 6)
    dtype = rng.choice((INT32, INT64, INT64, INT16, UINT8))
    places = TensorArg(drawn_shape(rng, 1, 3), dtype, span=(0, weights))
    return _call(
        places,
        weights,
        rng.randint(1, 6),
        rng.choice((*_FLOATS, BF16)),
        padding=rng.choice((_NONE, rng.randrange(weights))),
        scaled=rng.random() < 0.4,
        out=rng.choice((None, None, *_FLOATS)),
    )


OP = Operator(
    "aclnnEmbeddingDenseBackward",
    summary="Adds up the gradients of rows that were taken from a matrix.",
    formula=(
        "`out[k]` is the sum of `grad[i]` over all i with `indices[i] = k`, divided by their "
        "number with scaleGradByFreq, and 0 for k = paddingIdx. Sums are FLOAT, in the order of "
        "indices, and rounded once."
    ),
    params=(
        TensorIn("grad", "A row for each index."),
        TensorIn("indices", "Which rows of the matrix were taken."),
        Int("numWeights", "How many rows it has.", signed=False),
        Int("paddingIdx", "A row without gradient; none has that number by default.",
            default=_NONE, signed=False),
        Flag("scaleGradByFreq", "Whether to divide by how often a row was taken.", default=False),
        TensorOut("out", "Result.", shape=_ROWS, dtype=DtypeOf("grad"), is_const=True),
    ),
    checks=(
        not_null("grad", "indices", "out"),
        dtype_in("grad", *_FLOATS, NEW_BF16),
        dtype_in("indices", *_PLACES),
        dtype_in("out", *_FLOATS, NEW_BF16),
        rank_at_most("grad", 8),
        rank_at_most("indices", 8),
        rank_at_most("out", 8),
        requires(
            "row_for_each_index",
            "grad",
            And(
                AtMost(Const(1), RankOf("grad")),
                Or(
                    Equal(_WIDTH, Const(0)),
                    Equal(ElementsOf(WithoutLast(ShapeOf("grad"))), Elements("indices")),
                ),
            ),
            "grad must have a row for each index",
            (Shown("shape", ShapeOf("grad")), " and ", Shown("shape", ShapeOf("indices"))),
            "Append the length of a row to the shape of indices.",
        ),
        shape_is("out", _ROWS, "[numWeights, length of a row of grad]"),
        not_private("grad", "indices", "out"),
        supported_on(A950, A3, A2, T910),
        inside_storage("grad", "indices"),
    ),
    golden=_golden,
    reference=_torch_gradient,
    summed=("grad",),
    ulps=4,
    gradient=Gradient(
        forward="aclnnEmbedding",
        results={"out": "weight"},
        given={"grad": "out"},
        derived={
            "numWeights": lambda forward: forward["weight"].shape[0],
            "paddingIdx": lambda forward: _NONE,
            "scaleGradByFreq": lambda forward: False,
        },
    ),
    draw=_drawn,
    typical=lambda n: _call(
        TensorArg((max(n // 128, 1),), INT64, span=(0, max(n // 256, 1))), max(n // 256, 1), 128
    ),
    samples=(
        _call(TensorArg((2, 2), INT64, (3, 0, 0, 1)), 4, 3),
        _call(TensorArg((3,), INT32, (1, 0, 1)), 2, 5, BF16, padding=0, scaled=True),
        _call(TensorArg((2,), FLOAT, (1, 1)), 3, 2, FLOAT16, out=FLOAT),
        _call(TensorArg((0,), INT64), 2, 2),
    ),
    notes=(
        INDEX_NOTE,
        "Negative indices are out of range. Floating ones are rounded towards 0.",
    ),
)  # fmt: skip
