# SPDX-License-Identifier: Apache-2.0
"""The inner product of two vectors."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.matmul.build import call_of, drawn_length
from aclhost.ops.pointwise.declare import NEW_BF16, known
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT8, INT32, UINT8, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.rules import (
    dtype_in,
    inside_storage,
    not_null,
    rank_in,
    same_dtype,
    same_shape,
    supported_on,
)
from aclhost.spec.shapes import Rank0
from aclhost.spec.terms import DtypeOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DTYPES = (FLOAT, FLOAT16, INT8, INT32, UINT8)


def _golden(self: Array, tensor: Array) -> Array:
    import numpy as np

    return np.asarray((self * tensor).sum(dtype=np.asarray(self).dtype))


def _call(length: int, dtype: DataType = FLOAT) -> Call:
    vector = TensorArg((length,), dtype)
    return call_of(self=vector, tensor=vector, out=TensorArg((), dtype))


def _draw(rng: Random) -> Call:
    return _call(drawn_length(rng), rng.choice((*_DTYPES, BF16)))


OP = Operator(
    "aclnnDot",
    summary="The inner product of two vectors.",
    formula="`out = self[0] * tensor[0] + self[1] * tensor[1] + ...`",
    params=(
        TensorIn("self", "First vector."),
        TensorIn("tensor", "Second vector."),
        TensorOut("out", "A single element.", shape=Rank0(), dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "tensor", "out"),
        same_dtype("tensor", "self"),
        same_dtype("out", "self"),
        dtype_in("self", *_DTYPES, NEW_BF16),
        rank_in("self", 1),
        rank_in("tensor", 1),
        same_shape("tensor", "self"),
        rank_in("out", 0),
        supported_on(*known("aclnnDot").products),
        inside_storage("self", "tensor"),
    ),
    golden=_golden,
    reference=lambda torch, self, tensor: torch.dot(self, tensor),
    summed=("self", "tensor"),
    ulps=4,
    draw=_draw,
    typical=_call,
    samples=(
        _call(3),
        _call(5, FLOAT16),
        _call(4, BF16),
        _call(9, INT32),
        _call(7, INT8),
        _call(0),
    ),
    notes=("Sums of integers wrap. Vectors without elements give 0.",),
)
