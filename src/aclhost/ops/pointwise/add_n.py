# SPDX-License-Identifier: Apache-2.0
"""The sum of any number of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import random_shape
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT32, INT64, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorList, TensorOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    Condition,
    done_when,
    dtype_in,
    each,
    inner,
    inside_storage,
    not_null,
    not_private,
    nothing_in,
    rank_at_most,
    refused_unless_on,
    same_dtype,
    same_shape,
    shaped_like_first,
    supported_on,
    when,
)
from aclhost.spec.terms import MEMBER, DtypeOf, Equal

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DTYPES = (INT32, INT64, FLOAT16, BF16, FLOAT)
_SAME = Condition(
    Equal(DtypeOf("tensors"), DtypeOf("out")), "the first of tensors has the dtype of out"
)


def golden(tensors: Sequence[Array]) -> Array:
    """One after the other."""
    import numpy as np

    total = np.array(tensors[0])
    for each_one in tensors[1:]:
        total = total + each_one
    return total


def _call(count: int, shape: tuple[int, ...], dtype: DataType) -> Call:
    tensor = TensorArg(shape, dtype)
    return Call({"tensors": (tensor,) * count, "out": tensor})


def _drawn(rng: Random) -> Call:
    return _call(rng.randint(1, 6), random_shape(rng), rng.choice(_DTYPES))


OP = Operator(
    "aclnnAddN",
    summary="Adds tensors of one shape.",
    formula="`out = tensors[0] + tensors[1] + ...`, in this order",
    params=(
        TensorList("tensors", "What is added."),
        TensorOut("out", "Result.", like="tensors"),
    ),
    checks=(
        not_null("tensors"),
        each("tensors", not_null(MEMBER)),
        not_null("out"),
        when(
            _SAME,
            refused_unless_on(A950, A3, A2),
            each("tensors", dtype_in(MEMBER, *_DTYPES), rank_at_most(MEMBER, 8)),
            rank_at_most("out", 8),
            shaped_like_first("tensors"),
            same_shape("out", "tensors"),
            not_private("tensors"),
        ),
        done_when(nothing_in("tensors")),
        supported_on(A3, A2),
        each("tensors", inside_storage(MEMBER)),
        inner(same_dtype("out", "tensors")),
    ),
    golden=golden,
    reference=lambda _, tensors: sum(tensors[1:], start=tensors[0]),
    summed=("tensors",),
    draw=_drawn,
    typical=lambda elements: _call(3, (elements,), FLOAT),
    samples=(
        _call(2, (2, 3), FLOAT),
        _call(3, (4,), INT32),
        _call(1, (), BF16),
        _call(5, (2, 1, 2), FLOAT16),
    ),
    formats="Labels are ignored, except that a private one of the first tensor is refused.",
    notes=(
        "FLOAT16 and BF16 are added in float and rounded once; integers wrap.",
        "Upstream means to refuse an out of another dtype with 161002, but goes on without its "
        "other checks and fails with 561103; so does aclhost.",
        "The dtypes of the other tensors are not compared with that of out, by upstream neither; "
        "aclhost converts them.",
    ),
)
