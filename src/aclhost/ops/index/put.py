# SPDX-License-Identifier: Apache-2.0
"""Elements that are put into a tensor as if it had one dimension."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import INDICES, NEW_BF16, NOTES, VALUES, call_of, drawn_shape, indices
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, COMPLEX64, FLOAT, INT32, INT64, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, TensorIn, TensorInOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    done_when_empty,
    dtype_in,
    inside_storage,
    is_set,
    not_null,
    rank_at_most,
    requires,
    same_dtype,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import SameCount, ShapeOf
from aclhost.spec.terms import Empty, Not, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
Shape = tuple[int, ...]


def _golden(self_ref: Array, index: Ints, source: Array, accumulate: bool) -> Array:
    import numpy as np

    result = np.array(self_ref)
    places, values = np.ravel(index), np.ravel(source)
    if accumulate:
        np.add.at(result.reshape(-1), places, values)
    else:
        result.reshape(-1)[places] = values
    return result


def _torch(torch: Torch, self_ref: Torch, index: Torch, source: Torch, accumulate: bool) -> Torch:
    if accumulate and self_ref.dtype is torch.bool:
        return NotImplemented  # torch counts
    return self_ref.put(index.long().reshape(source.shape), source, accumulate)


def _call(
    self: Shape, index: TensorArg, source: Shape, dtype: DataType = FLOAT, *, accumulate: bool
) -> Call:
    return call_of(
        selfRef=TensorArg(self, dtype),
        index=index,
        source=TensorArg(source, dtype),
        accumulate=accumulate,
    )


def _drawn(rng: Random) -> Call:
    from math import prod

    self, shape, accumulate = drawn_shape(rng), drawn_shape(rng), rng.random() < 0.5
    source = rng.choice((shape, (prod(shape),)))
    dtype = rng.choice(VALUES if accumulate else (*VALUES, BF16))
    index = indices(rng, shape, prod(self))
    return _call(self, index, source, dtype, accumulate=accumulate)


_ADDS = is_set("accumulate")
_PUT = Operator(
    "aclnnInplacePut",
    summary="Puts elements as if the tensor had one dimension, or adds them.",
    formula=(
        "`selfRef.flat[index[i]] = source[i]`, or `+=` with accumulate, in row-major order; "
        "FLOAT16 is added as FLOAT and rounded once."
    ),
    params=(
        TensorInOut(
            "selfRef",
            "What is there first, and where elements are put.",
            read_if=ValueOf("accumulate"),
        ),
        TensorIn("index", "Places in row-major order."),
        TensorIn("source", "As many elements as index has."),
        Flag("accumulate", "Whether elements are added.", default=False),
    ),
    checks=(
        not_null("selfRef", "index", "source"),
        when(_ADDS, dtype_in("selfRef", *VALUES)),
        when(
            Condition(Not(ValueOf("accumulate")), "accumulate is false"),
            dtype_in("selfRef", *VALUES, NEW_BF16),
        ),
        dtype_in("index", *INDICES),
        same_dtype("source", "selfRef"),
        rank_at_most("selfRef", 8),
        rank_at_most("index", 8),
        requires(
            "as_many_elements",
            "source",
            SameCount(ShapeOf("source"), ShapeOf("index")),
            "source must have as many elements as index",
            (Shown("shape", ShapeOf("source")), " and ", Shown("shape", ShapeOf("index"))),
            "Pass one element for each index.",
        ),
        done_when_empty("index"),
        requires(
            "not_empty",
            "selfRef",
            Not(Empty("selfRef")),
            "selfRef must not be empty unless index is",
            (Shown("shape", ShapeOf("selfRef")),),
            "There is nothing that an index could point to.",
        ),
        supported_on(A950, A3, A2, P310P, T910),
        inside_storage("selfRef", "index", "source"),
    ),
    golden=_golden,
    reference=_torch,
    summed=("selfRef", "source"),
    ulps=4,
    draw=_drawn,
    typical=lambda n: _call((n,), TensorArg((n,), INT64, span=(0, n)), (n,), accumulate=True),
    samples=(
        _call((2, 3), TensorArg((2, 2), INT64, (5, 0, 5, 2)), (4,), accumulate=True),
        _call((4,), TensorArg((3,), INT32, (3, 1, 1)), (3,), BF16, accumulate=False),
        _call((), TensorArg((), INT64, (0,)), (1,), COMPLEX64, accumulate=True),
    ),
    notes=NOTES,
)

OPS = (_PUT,)
