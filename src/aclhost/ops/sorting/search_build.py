# SPDX-License-Identifier: Apache-2.0
"""What searches in sorted sequences have in common."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.sorting.build import NUMBERS
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import DOUBLE, INT32, INT64, Category, DataType
from aclhost.spec.params import Flag, TensorIn
from aclhost.spec.rules import dtype_is, is_given, same_shape, when
from aclhost.spec.rules.base import Rule
from aclhost.spec.terms import If, Term, ValueOf, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
TYPES = (*NUMBERS, DOUBLE)
PLACES: Term = If(ValueOf("outInt32"), const(INT32), const(INT64))
ORDER = TensorIn("sorter", "The order in which sortedSequence is sorted.", optional=True)
_SORTER = is_given("sorter")
OUT_INT32 = Flag("outInt32", "INT32 results, else INT64.", default=False)
RIGHT = Flag("right", "Places are behind equal elements, else before them.", default=False)
CONST_FLAGS = (replace(OUT_INT32, is_const=True), replace(RIGHT, is_const=True))
STEPS_NOTE = "NaN is placed at the end. Nobody tests whether the sequence is sorted."


def out_type() -> tuple[Rule, ...]:
    """The dtype of places."""
    return dtype_is("out", PLACES, "dtype INT32 if outInt32 is true, else INT64")


def order_type() -> tuple[Rule, ...]:
    """The dtype of an order that is given."""
    return when(_SORTER, dtype_is("sorter", const(INT64), "dtype INT64"))


def order_shape() -> tuple[Rule, ...]:
    """A place for each element of the sequence."""
    return when(_SORTER, same_shape("sorter", "sortedSequence"))


def _place(sequence: Array, key: float, right: bool) -> int:
    """By the same steps as upstream, so that NaN is found where upstream finds it."""
    low, high = 0, len(sequence)
    while low < high:
        middle = (low + high) // 2
        value = sequence[middle]
        before = not value > key if right else not value >= key
        low, high = (middle + 1, high) if before else (low, middle)
    return low


def golden_places(
    sorted_sequence: Array, self: Array, out_int32: bool, right: bool, sorter: Ints | None = None
) -> Array:
    """Where keys belong in rows."""
    import numpy as np

    del out_int32
    if sorted_sequence.size == 0 or self.size == 0:
        return np.zeros(self.shape, np.int64)
    sequence = np.atleast_1d(sorted_sequence)
    if sorter is not None:
        sequence = np.take_along_axis(sequence, np.atleast_1d(np.asarray(sorter)), -1)
    keys = np.atleast_1d(self)
    rows = (
        sequence
        if sequence.ndim > 1
        else np.broadcast_to(sequence, (*keys.shape[:-1], len(sequence)))
    )
    found = np.zeros(keys.shape, np.int64)
    for at in np.ndindex(keys.shape):
        found[at] = _place(rows[at[:-1]], keys[at].item(), right)
    return found.reshape(self.shape)


def torch_places(
    torch: Torch,
    sorted_sequence: Torch,
    self: Torch,
    out_int32: bool,
    right: bool,
    sorter: Torch = None,
) -> Torch:
    """The same by torch."""
    if not sorted_sequence.shape or not sorted_sequence.numel():
        return NotImplemented
    common = torch.promote_types(sorted_sequence.dtype, self.dtype)
    return torch.searchsorted(
        sorted_sequence.to(common).contiguous(),
        self.to(common).contiguous(),
        out_int32=out_int32,
        right=right,
        sorter=sorter,
    )


def search_call(
    sequence: TensorArg,
    self: TensorArg,
    out_int32: bool = False,
    right: bool = False,
    sorter: TensorArg | None = None,
) -> Call:
    """Arguments of aclnnSearchSorted."""
    return Call(
        {
            "sortedSequence": sequence,
            "self": self,
            "outInt32": out_int32,
            "right": right,
            "sorter": sorter,
            "out": TensorArg(self.shape, INT32 if out_int32 else INT64),
        }
    )


def drawn_types(rng: Random, *types: DataType) -> tuple[DataType, DataType]:
    """Whose numbers a common dtype holds."""
    first = rng.choice(types)
    alike = [each for each in types if each.category is first.category]
    return first, rng.choice(alike)


def drawn_sequence(rng: Random, shape: tuple[int, ...], dtype: DataType) -> TensorArg:
    """Mostly a sorted one."""
    count = prod(shape)
    if len(shape) != 1 or dtype.category is not Category.FLOATING or rng.random() < 0.2:
        return TensorArg(shape, dtype, span=(0, 9))
    values = sorted(rng.choice((rng.randint(-30, 30) / 8, 1.0)) for _ in range(count))
    return TensorArg(shape, dtype, tuple(values))
