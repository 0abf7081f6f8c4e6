# SPDX-License-Identifier: Apache-2.0
"""A tensor several times along its dimensions."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.shape.build import (
    COMPLEX,
    EIGHT_BITS,
    NEW_BF16,
    NEWER,
    REALS,
    SELF,
    Dtypes,
    known_to_torch,
    some_shape,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX128,
    FLOAT,
    FLOAT8_E5M2,
    INT32,
    UINT16,
    UINT32,
    UINT64,
    DataType,
)
from aclhost.spec.moved import Tiled
from aclhost.spec.operator import Operator
from aclhost.spec.params import IntArray, TensorOut
from aclhost.spec.products import A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    at_most_values,
    done_when,
    dtype_in,
    fits_shape,
    inner,
    inside_storage,
    none_negative,
    not_null,
    only_on,
    rank_at_most,
    requires,
    same_dtype,
    same_format_unless_nd,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import (
    AtMost,
    Const,
    DtypeOf,
    Empty,
    Equal,
    EveryItem,
    LengthOf,
    Not,
    RankOf,
    any_of,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_DTYPES: Dtypes = (
    *REALS,
    *COMPLEX,
    UINT32,
    UINT64,
    NEW_BF16,
    *EIGHT_BITS,
    only_on(UINT16, *NEWER, P310P),
)
_TILED = Tiled("self", "repeats")
_WORDS = "of self, times repeats"
_NONE = Condition(Equal(LengthOf("repeats"), Const(0)), "repeats is empty")
_SOME = Condition(Not(_NONE.term), "repeats is not empty")
_NOTHING = Condition(
    any_of(Empty("self"), Empty("out"), Not(EveryItem("repeats", least=1))),
    "`self` or `out` is empty, or repeats holds a 0",
)


def _call(shape: tuple[int, ...], dtype: DataType, repeats: tuple[int, ...]) -> Call:
    call = Call({"self": TensorArg(shape, dtype), "repeats": repeats})
    return call.passing(out=TensorArg(_TILED.evaluate(call), dtype))


def _draw(rng: Random) -> Call:
    shape = some_shape(rng)
    count = rng.randint(len(shape), len(shape) + 2)
    repeats = tuple(rng.choice((1, 1, 2, 3, 0 if rng.random() < 0.1 else 1)) for _ in range(count))
    return _call(shape, rng.choice((*REALS, *COMPLEX, BF16, UINT16, UINT32, UINT64)), repeats)


def _golden(self: Array, repeats: Ints) -> Array:
    import numpy as np

    return np.tile(self, tuple(repeats))


def _torch(torch: Any, self: Any, repeats: Ints) -> Any:  # noqa: ANN401
    return self.repeat(*repeats) if known_to_torch(torch, self) and repeats else NotImplemented


OP = Operator(
    "aclnnRepeat",
    summary="A tensor several times along each dimension.",
    formula=(
        "Index `i` of `out` along a dimension is index `i mod length` of `self`, which gets "
        "leading dimensions of length 1 for the values of `repeats` that it has no dimension for."
    ),
    params=(
        SELF,
        IntArray("repeats", "How often, for each dimension of out.", length=1),
        TensorOut("out", "Result.", shape=_TILED, dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "repeats", "out"),
        dtype_in("self", *_DTYPES),
        same_dtype("out", "self"),
        rank_at_most("self", 8),
        requires(
            "enough_repeats",
            "repeats",
            AtMost(RankOf("self"), LengthOf("repeats")),
            "repeats must have at least one value for each dimension of self",
            (Shown("array", "repeats"), " for ", Shown("shape", ShapeOf("self"))),
            "Pass 1 for a dimension that stays as it is.",
        ),
        none_negative("repeats"),
        at_most_values("repeats", 8),
        done_when(_NOTHING),
        supported_on(*NEWER, P310P, T910),
        inside_storage("self"),
        when(_SOME, shape_is("out", _TILED, _WORDS)),
        when(
            _NONE,
            inner(fits_shape("out", _TILED, _WORDS)),
            same_format_unless_nd("out", "self"),
        ),
    ),
    golden=_golden,
    reference=_torch,
    samples=(
        _call((3, 2), FLOAT, (2, 4)),
        _call((3, 2), BF16, (2, 4, 2)),
        _call((), BOOL, ()),
        _call((), INT32, (3,)),
        _call((2, 1, 3), COMPLEX128, (1, 5, 1)),
        _call((2, 2), UINT16, (0, 2)),
        _call((2,), FLOAT, (1, 1, 2, 1, 1, 1, 1, 3)),
        _call((2,), FLOAT8_E5M2, (2,)).on(A950),
    ),
    draw=_draw,
    typical=lambda n: _call((max(n // 1024, 1), 256), FLOAT, (2, 2)),
    notes=(
        "The document allows at most four values above 1, three where the first is 1; neither "
        "upstream's phase 1 nor aclhost looks at that.",
    ),
)
