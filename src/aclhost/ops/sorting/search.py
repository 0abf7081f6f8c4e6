# SPDX-License-Identifier: Apache-2.0
"""Places in sorted sequences."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from aclhost.ops.sorting.build import NEWER, NUMBERS
from aclhost.ops.sorting.search_build import (
    CONST_FLAGS,
    ORDER,
    OUT_INT32,
    PLACES,
    RIGHT,
    STEPS_NOTE,
    TYPES,
    drawn_sequence,
    drawn_types,
    golden_places,
    order_shape,
    order_type,
    out_type,
    search_call,
    torch_places,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import random_shape
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, INT32, INT64
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.products import A950, T910
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    has_elements,
    inside_storage,
    not_null,
    rank_at_most,
    rank_in,
    refused_unless_on,
    requires,
    same_shape,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import SameShape, ShapeOf, WithoutLast
from aclhost.spec.status import Status
from aclhost.spec.terms import And, Const, DimOf, Equal, Not, Or, RankOf, any_of


def _draw(rng: Random) -> Call:
    types = drawn_types(rng, *TYPES)
    keys = random_shape(rng)
    rows = len(keys) > 1 and rng.random() < 0.6
    length = rng.choice((1, 2, rng.randint(3, 40), rng.randint(3, 40)))
    shape = (*keys[:-1], length) if rows else (length,)
    sorter = TensorArg(shape, INT64, span=(0, length)) if rng.random() < 0.3 else None
    flags = rng.random() < 0.5, rng.random() < 0.5
    self = TensorArg(keys, types[1], span=(0, 9) if rng.random() < 0.7 else None)
    return search_call(drawn_sequence(rng, shape, types[0]), self, *flags, sorter)


def _typical(n: int) -> Call:
    ordered = tuple(i // 8 for i in range(1000))  # of any dtype
    return search_call(TensorArg((1000,), FLOAT, ordered), TensorArg((n,), span=(0, 126)))


_SEARCH_SORTED = Operator(
    "aclnnSearchSorted",
    summary="Where elements belong in sorted sequences.",
    formula=(
        "`out[i]` is the first j with `sortedSequence[j] >= self[i]`, with right "
        "`sortedSequence[j] > self[i]`"
    ),
    params=(
        TensorIn("sortedSequence", "One sequence, or a row for each row of self."),
        TensorIn("self", "What is looked for."),
        OUT_INT32,
        RIGHT,
        ORDER,
        TensorOut("out", "Places.", shape=ShapeOf("self"), dtype=PLACES),
    ),
    checks=(
        not_null("sortedSequence", "self", "out"),
        dtype_in("sortedSequence", *TYPES),
        dtype_in("self", *TYPES),
        out_type(),
        order_type(),
        rank_at_most("sortedSequence", 8),
        rank_at_most("self", 8),
        same_shape("out", "self"),
        order_shape(),
        requires(
            "one_sequence",
            "sortedSequence",
            Or(
                Not(And(Equal(RankOf("self"), Const(1)), Equal(DimOf("self", Const(0)), Const(1)))),
                Equal(RankOf("sortedSequence"), Const(1)),
            ),
            "sortedSequence must have one dimension where self has a single element in one",
            (Shown("shape", ShapeOf("sortedSequence")),),
            "Reshape self to the rank of sortedSequence.",
        ),
        requires(
            "same_rows",
            "self",
            any_of(
                Equal(RankOf("sortedSequence"), Const(1)),
                And(
                    Equal(RankOf("sortedSequence"), RankOf("self")),
                    SameShape(WithoutLast(ShapeOf("sortedSequence")), WithoutLast(ShapeOf("self"))),
                ),
            ),
            "self must agree with sortedSequence but for the last dimension, unless that has one",
            (Shown("shape", ShapeOf("self")), " and ", Shown("shape", ShapeOf("sortedSequence"))),
            "Pass one sequence, or one for each row of self.",
        ),
        done_when_empty("self"),
        supported_on(*NEWER, T910),
        when(
            has_elements("sortedSequence"),
            inside_storage("sortedSequence", "self"),
            inside_storage("sorter"),
        ),
    ),
    golden=golden_places,
    reference=torch_places,
    draw=_draw,
    typical=_typical,
    samples=(
        search_call(
            TensorArg((2, 3), FLOAT, (1, 2, 3, 4, 5, 6)), TensorArg((2, 2), FLOAT, (2, 9, 4, 1))
        ),
        search_call(
            TensorArg((4,), INT32, (1, 3, 3, 7)), TensorArg((2, 2), INT64, (3, 8, 0, 3)), True, True
        ),
        search_call(
            TensorArg((3,), FLOAT16, (5, 1, 3)),
            TensorArg((4,), FLOAT16, (1, 2, 4, 6)),
            sorter=TensorArg((3,), INT64, (1, 2, 0)),
        ),
        search_call(TensorArg((2,), DOUBLE, (0, 1)), TensorArg((), DOUBLE, (0.5,))),
        search_call(TensorArg((0,)), TensorArg((3,))),
    ),
    notes=(
        STEPS_NOTE,
        "A sorter out of range touches no memory outside and counts as 0; the next "
        "synchronisation of the stream returns 507015, and in Python the call raises AclnnError.",
        "Without elements in sortedSequence all places are 0.",
    ),
)

_BUCKET_TYPES = (*NUMBERS, BF16)


def _bucket_call(
    self: TensorArg, boundaries: TensorArg, out_int32: bool = False, right: bool = False
) -> Call:
    made = search_call(boundaries, self, out_int32, right)
    names = {"self": "self", "boundaries": "sortedSequence", "outInt32": "outInt32"}
    names |= {"right": "right", "out": "out"}
    return Call({name: made.arguments[other] for name, other in names.items()}, A950)


def _draw_bucket(rng: Random) -> Call:
    types = drawn_types(rng, *_BUCKET_TYPES)
    self = TensorArg(random_shape(rng), types[0], span=(0, 9))
    if not self.shape:
        self = replace(self, dtype=types[1])
    flags = rng.random() < 0.5, rng.random() < 0.5
    return _bucket_call(self, drawn_sequence(rng, (rng.randint(0, 30),), types[1]), *flags)


_BUCKETIZE = Operator(
    "aclnnBucketize",
    summary="Which interval between sorted boundaries elements belong to.",
    formula=(
        "`out[i]` is the first j with `boundaries[j] >= self[i]`, with right "
        "`boundaries[j] > self[i]`"
    ),
    params=(
        TensorIn("self", "What is looked for."),
        TensorIn("boundaries", "Sorted boundaries."),
        *CONST_FLAGS,
        TensorOut("out", "Intervals.", shape=ShapeOf("self"), dtype=PLACES),
    ),
    checks=(
        tuple(rule.with_code(Status.INNER) for rule in refused_unless_on(A950)),
        not_null("self", "boundaries", "out"),
        dtype_in("self", *_BUCKET_TYPES),
        dtype_in("boundaries", *_BUCKET_TYPES),
        out_type(),
        rank_at_most("self", 8),
        same_shape("out", "self"),
        rank_in("boundaries", 1),
        done_when_empty("self"),
        when(
            has_elements("boundaries"),
            inside_storage("self", "boundaries"),
        ),
    ),
    golden=lambda self, boundaries, out_int32, right: golden_places(
        boundaries, self, out_int32, right
    ),
    reference=lambda torch, self, boundaries, out_int32, right: torch_places(
        torch, boundaries, self, out_int32, right
    ),
    draw=_draw_bucket,
    typical=lambda n: _bucket_call(
        TensorArg((n,), span=(0, 100)), TensorArg((100,), FLOAT, tuple(range(100)))
    ),
    samples=(
        _bucket_call(TensorArg((2, 2), FLOAT, (0.5, 2, 3, 9)), TensorArg((3,), FLOAT, (1, 2, 3))),
        _bucket_call(TensorArg((3,), INT32, (1, 2, 5)), TensorArg((2,), INT32, (1, 5)), True, True),
        _bucket_call(TensorArg((), FLOAT16, (0.5,)), TensorArg((2,), FLOAT16, (0, 1))),
        _bucket_call(TensorArg((3,), BF16), TensorArg((0,), BF16)),
    ),
    notes=(STEPS_NOTE, "Without boundaries all results are 0."),
)

OPS = (_SEARCH_SORTED, _BUCKETIZE)
