# SPDX-License-Identifier: Apache-2.0
"""Results of products as INT8: scales and offsets share 64 bits."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from aclhost.spec.dtypes import FLOAT, INT8, INT64, UINT64
from aclhost.spec.rules import (
    Condition,
    Rule,
    dtype_in,
    inner,
    is_given,
    rank_in,
    requires,
    same_dtype,
    same_shape,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, SameShape, ShapeOf
from aclhost.spec.terms import (
    Const,
    DimOf,
    Empty,
    Equal,
    Not,
    Or,
    Present,
    RankOf,
    Term,
    all_of,
    any_of,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Rules = tuple[Rule, ...]
SCALE, OFFSET = "quantScaleOptional", "quantOffsetOptional"
QUANTISED = Present(SCALE)
_FIRST_OF_OFFSET, _SIGN_OF_OFFSET = 37, 256  # nine bits


def packed(scale: float, offset: int = 0) -> int:
    """A scale in the lower half, of which 19 bits count, and an offset above."""
    bits: int = struct.unpack("<I", struct.pack("<f", scale))[0]
    return (bits & 0xFFFFE000) | 1 << 46 | (offset & 0x1FF) << _FIRST_OF_OFFSET


def quantise(values: Array, scales: Array) -> Array:
    """Rounded to even, moved, and kept within INT8."""
    import numpy as np

    bits = np.asarray(scales).astype(np.uint64)
    factor = (bits & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.float32).astype(float)
    offset = (bits >> np.uint64(_FIRST_OF_OFFSET) & np.uint64(0x1FF)).astype(np.int64)
    offset = np.where(offset >= _SIGN_OF_OFFSET, offset - 2 * _SIGN_OF_OFFSET, offset)
    return np.asarray(np.clip(np.rint(values * factor) + offset, -128, 127))


def result_dtype(like: str) -> Rules:
    """INT8 where there are scales."""
    plain = Condition(Not(QUANTISED), f"{SCALE} is null")
    return (*when(is_given(SCALE), dtype_in("y", INT8)), *when(plain, same_dtype("y", like)))


def scale_dtypes() -> Rules:
    """Those of what is given."""
    return (
        *(rule for name in (SCALE, OFFSET) for rule in when(is_given(name), rank_in(name, 1, 2))),
        *requires(
            "needs_scale", OFFSET, Or(QUANTISED, Not(Present(OFFSET))),
            f"{OFFSET} must be null where {SCALE} is", ("a tensor",), "Leave it out.",
        ),
        *when(is_given(SCALE), dtype_in(SCALE, UINT64, INT64)),
    )  # fmt: skip


def scale_shapes(columns: Term) -> Rules:
    """One, or one for each column."""
    length = DimOf(SCALE, Const(0))
    flat = all_of(
        Equal(RankOf(SCALE), Const(1)),
        any_of(*(Equal(length, each) for each in (Const(0), Const(1), columns))),
    )
    row = SameShape(ShapeOf(SCALE), Lengths((Const(1), columns)))
    offsets = Condition(Present(OFFSET), f"{OFFSET} is given")
    return (
        *when(is_given(SCALE), requires(
            "scale_shape", SCALE, Or(flat, row), f"{SCALE} must have the shape [1], [n] or [1, n]",
            (Shown("shape", ShapeOf(SCALE)),), "Pass one for each column, or one for all.",
        )),
        *when(offsets, same_shape(OFFSET, SCALE)),
    )  # fmt: skip


def late() -> Rules:
    """What only the inner operator refuses."""
    return inner(
        when(is_given(SCALE), requires(
            "scale_shape", SCALE, Not(Empty(SCALE)), f"{SCALE} must have an element",
            (Shown("shape", ShapeOf(SCALE)),), "Pass one scale for all columns.",
        )),
        when(is_given(OFFSET), dtype_in(OFFSET, FLOAT)),
    )  # fmt: skip
