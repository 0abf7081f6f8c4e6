# SPDX-License-Identifier: Apache-2.0
"""What operators on indices have in common."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    DataType,
)
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import Rule, only_on, requires
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import LengthsFit, ShapeOf
from aclhost.spec.terms import Const, Equal, If, RankOf, Term

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Rules = tuple[Rule, ...]
Shape = tuple[int, ...]

NEWER = (A950, A3, A2)
NEW_BF16 = only_on(BF16, *NEWER)
REALS = (FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL)
VALUES = (*REALS, COMPLEX64, COMPLEX128)
INDICES = (INT32, INT64)
WIDE = (UINT16, UINT32, UINT64)
INDEX_NOTE = (
    "An index out of range touches no memory outside: the element is left out, and the next "
    "synchronisation of the stream returns 507015; in Python the call raises AclnnError."
)
NEGATIVE_NOTE = "Negative indices count from the end."
NOTES = (INDEX_NOTE, "Negative indices are out of range.")  # of most operators
FORBIDDEN_NOTE = (
    f"{NEGATIVE_NOTE} The documents forbid them; upstream's code asks its kernel to allow them."
)
COPIED = "Values are copied bit by bit."


def rank_of(tensor: str) -> Term:
    """The rank; a single element counts as a tensor of one dimension."""
    return If(Equal(RankOf(tensor), Const(0)), Const(1), RankOf(tensor))


def lengths_fit(parameter: str, other: str, axis: Term, but: str) -> Rules:
    """No dimension is longer than the other's, but along an axis."""
    return requires(
        "lengths_fit",
        parameter,
        LengthsFit(parameter, other, axis),
        f"dimensions of {parameter} must be at most as long as those of {other}{but}",
        (Shown("shape", ShapeOf(parameter)), " and ", Shown("shape", ShapeOf(other))),
        f"Cut or extend {parameter}.",
    )


def drawn_shape(rng: Random, least: int = 0, most: int = 4) -> Shape:
    """Of some rank, with elements."""
    return tuple(rng.randint(1, 5) for _ in range(rng.randint(least, most)))


def drawn_axis(rng: Random, shape: Shape) -> tuple[int, int]:
    """An axis, perhaps counted from the end, and its length."""
    rank = max(len(shape), 1)
    axis = rng.randrange(-rank, rank)
    return axis, shape[axis] if shape else 1


def indices(
    rng: Random, shape: Shape, length: int, *, negative: bool = False, dtype: DataType | None = None
) -> TensorArg:
    """Indices into an axis of that length."""
    span = (-length if negative else 0, length)
    return TensorArg(shape, dtype or rng.choice(INDICES), span=span)


def call_of(**arguments: object) -> Call:
    """Arguments by upstream's names."""
    return Call(arguments)  # type: ignore[arg-type]


def placed(self: Array, axis: int, index: Ints) -> tuple[Array, int, Ints]:
    """A tensor of at least one dimension, an axis from its start, and indices without signs."""
    import numpy as np

    table = np.array(self).reshape(np.shape(self) or (1,))
    axis %= table.ndim
    return table, axis, np.asarray(index).astype(np.int64) % max(table.shape[axis], 1)


def coordinates(axis: int, places: Ints) -> tuple[Ints, ...]:
    """Where elements go that have indices of their own along an axis."""
    import numpy as np

    return tuple(
        places if i == axis else grid for i, grid in enumerate(np.indices(np.shape(places)))
    )


def in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function for an operator whose self is called selfRef."""
    return lambda *head, self_ref, **others: function(*head, self=self_ref, **others)


def as_in_place(call: Call, out: str = "out") -> Call:
    """The same call of the twin, whose self is called selfRef and which has no result."""
    arguments = {
        "selfRef" if name == "self" else name: each
        for name, each in call.arguments.items()
        if name != out
    }
    return Call(arguments, call.product)
