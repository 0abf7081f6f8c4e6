# SPDX-License-Identifier: Apache-2.0
"""Weights in the order of the matrix unit, which here is the order that they have."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.matmul.build import call_of
from aclhost.ops.pointwise.declare import known
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT8_E4M3FN, FLOAT16, HIFLOAT8, INT8, UINT8, DataType
from aclhost.spec.formats import ND
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorInOut
from aclhost.spec.products import A2, A3, A950, P310P
from aclhost.spec.rules import (
    Condition,
    done_when_empty,
    dtype_in,
    format_in,
    inside_storage,
    not_null,
    only_on,
    rank_at_most,
    rank_in,
    supported_on,
    when,
)
from aclhost.spec.terms import DtypeOf, Equal, Not, Or, ProductIn, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NEWER = (A950, A3, A2)
_WEIGHT = "mmWeightRef"
_MANY = Or(Equal(DtypeOf(_WEIGHT), const(INT8)), ProductIn((A3, A2)))
_SEVERAL = Condition(_MANY, f"{_WEIGHT} is INT8 or the product is {A3} or {A2}")
_TWO = Condition(Not(_MANY), f"{_WEIGHT} is not INT8 and the product neither {A3} nor {A2}")


def _call(shape: tuple[int, ...], dtype: DataType = FLOAT16) -> Call:
    return call_of(mmWeightRef=TensorArg(shape, dtype))


def _golden(mm_weight_ref: Array) -> Array:
    return mm_weight_ref


def _draw(rng: Random) -> Call:
    shape = tuple(rng.randint(1, 20) for _ in range(rng.randint(2, 6)))
    return _call(shape, rng.choice((FLOAT16, BF16, INT8, UINT8)))


OP = Operator(
    "aclnnTransMatmulWeight",
    summary="Prepares a weight for aclnnMm and others that take the format FRACTAL_NZ.",
    formula=f"`{_WEIGHT}` keeps its elements",
    params=(TensorInOut(_WEIGHT, "The weight, two dimensions or batches of them."),),
    checks=(
        not_null(_WEIGHT),
        dtype_in(
            _WEIGHT, FLOAT16,
            *(only_on(each, *_NEWER) for each in (BF16, FLOAT8_E4M3FN, HIFLOAT8, UINT8)),
            only_on(INT8, *_NEWER, P310P),
        ),
        format_in(_WEIGHT, ND),
        rank_at_most(_WEIGHT, 8),
        done_when_empty(_WEIGHT),
        when(_SEVERAL, rank_in(_WEIGHT, 2, 3, 4, 5, 6)),
        when(_TWO, rank_in(_WEIGHT, 2)),
        supported_on(*known("aclnnTransMatmulWeight").products),
        inside_storage(_WEIGHT),
    ),
    blocked=_WEIGHT,
    golden=_golden,
    reference=lambda torch, mm_weight_ref: mm_weight_ref.clone(),
    draw=_draw,
    typical=lambda n: _call((max(n // 256, 1), 256)),
    samples=(
        _call((3, 4)), _call((16, 16), BF16), _call((2, 3, 4), INT8),
        _call((2, 2)).on(A950),
    ),
    notes=(
        "Phase 1 relabels the tensor, as upstream's does: the storage's format is FRACTAL_NZ and "
        "aclGetStorageShape tells the shape of its blocks, [..., columns / c, rows / 16, 16, c] "
        "with c = 16, for 8 bits 32. The view's shape, strides and format stay.",
        "Upstream moves elements into these blocks. Operators here read a weight with the label "
        "FRACTAL_NZ by its shape and strides, so nothing has to move.",
        "The memory must still have the size that aclnnCalculateMatmulWeightSizeV2 tells.",
    ),
)  # fmt: skip
