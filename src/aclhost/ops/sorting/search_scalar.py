# SPDX-License-Identifier: Apache-2.0
"""The place of a number in a sorted sequence."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.sorting.search_build import (
    CONST_FLAGS,
    ORDER,
    PLACES,
    STEPS_NOTE,
    TYPES,
    drawn_sequence,
    golden_places,
    order_shape,
    order_type,
    out_type,
    torch_places,
)
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import FLOAT, FLOAT16, INT32, INT64
from aclhost.spec.operator import Operator
from aclhost.spec.params import Scalar, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, T910
from aclhost.spec.rules import (
    dtype_in,
    has_elements,
    inside_storage,
    not_null,
    rank_at_most,
    rank_in,
    requires,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, ShapeOf
from aclhost.spec.terms import Const, Empty, Not

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints


def _call(sequence: TensorArg, key: float, *flags: bool, out: tuple[int, ...] = (1,)) -> Call:
    out_int32, right = flags
    return Call(
        {
            "sortedSequence": sequence,
            "self": ScalarArg(key),
            "outInt32": out_int32,
            "right": right,
            "sorter": None,
            "out": TensorArg(out, INT32 if out_int32 else INT64),
        }
    )


def _golden(
    sorted_sequence: Array, self: float, out_int32: bool, right: bool, sorter: Ints | None = None
) -> Array:
    import numpy as np

    key = np.array([self]).astype(sorted_sequence.dtype)
    return golden_places(sorted_sequence, key, out_int32, right, sorter)


def _draw(rng: Random) -> Call:
    sequence = drawn_sequence(rng, (rng.randint(1, 40),), rng.choice(TYPES))
    call = _call(
        sequence, rng.randint(0, 80) / 8, rng.random() < 0.5, rng.random() < 0.5,
        out=rng.choice(((), (1,), (1, 1))),
    )  # fmt: skip
    sorter = TensorArg(sequence.shape, INT64, span=(0, sequence.shape[0]))
    return call.passing(sorter=sorter) if rng.random() < 0.3 else call


OP = Operator(
    "aclnnSearchSorteds",
    summary="Where a number belongs in a sorted sequence.",
    formula=(
        "`out` is the first j with `sortedSequence[j] >= self`, with right "
        "`sortedSequence[j] > self`"
    ),
    params=(
        TensorIn("sortedSequence", "The sequence."),
        Scalar("self", "What is looked for, as FLOAT, then in the dtype of sortedSequence."),
        *CONST_FLAGS,
        ORDER,
        TensorOut("out", "The place.", shape=Lengths((Const(1),)), dtype=PLACES),
    ),
    checks=(
        not_null("sortedSequence", "self", "out"),
        requires(
            "not_empty", "out", Not(Empty("out")), "out must have an element",
            (Shown("shape", ShapeOf("out")),), "Create out with shape [1].",
        ),
        dtype_in("sortedSequence", *TYPES),
        out_type(),
        order_type(),
        rank_at_most("sortedSequence", 8),
        order_shape(),
        rank_in("sortedSequence", 1),
        supported_on(A3, A2, T910),
        when(
            has_elements("sortedSequence"),
            inside_storage("sortedSequence", "sorter"),
        ),
    ),
    golden=_golden,
    reference=lambda torch, sorted_sequence, self, out_int32, right, sorter: torch_places(
        torch, sorted_sequence, torch.tensor([self]).to(sorted_sequence.dtype), out_int32, right,
        sorter,
    ),
    draw=_draw,
    typical=lambda n: _call(TensorArg((n,), span=(0, 9)), 5.0, False, False),
    samples=(
        _call(TensorArg((4,), FLOAT, (1, 3, 5, 7)), 4.0, False, False),
        _call(TensorArg((3,), INT32, (1, 3, 3)), 3.5, True, True, out=()),
        _call(TensorArg((3,), FLOAT16, (5, 1, 3)), 1.0, False, True).passing(
            sorter=TensorArg((3,), INT64, (1, 2, 0))
        ),
        _call(TensorArg((0,)), 4.0, False, False),
    ),
    notes=(
        STEPS_NOTE,
        "Of an out with several elements only the first is written.",
        "A sorter out of range counts as 0; the next synchronisation of the stream returns 507015.",
    ),
)  # fmt: skip
