# SPDX-License-Identifier: Apache-2.0
"""What operators on the order of elements have in common."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import TensorArg
from aclhost.spec.draw import random_shape
from aclhost.spec.dtypes import (
    BF16,
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
from aclhost.spec.params import Int, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import Rule, axis_in_rank, on_products, only_on, requires, supported_on
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf, ShapeTerm
from aclhost.spec.terms import (
    And,
    AtMost,
    Const,
    DimOf,
    DtypeOf,
    Equal,
    If,
    In,
    Not,
    RankOf,
    Term,
    ValueOf,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

NEWER = (A950, A3, A2)
OLDER = on_products(A3, A2, P310B, P310P, T910)
SUPPORTED = supported_on(*NEWER, P310P, T910)
NUMBERS = (FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8)
NEW_BF16 = only_on(BF16, *NEWER)
WIDE = (UINT16, UINT32, UINT64)
NEW_WIDE = tuple(only_on(each, A950) for each in WIDE)
SELF = TensorIn("self", "Input.")
DIM = Int("dim", "Dimension along which is sorted.", default=-1)
DIM_IN_RANK = axis_in_rank("dim", "self", of_scalars=True)
SELF_LENGTH = If(RankOf("self"), DimOf("self", ValueOf("dim")), Const(1))
ORDER_NOTE = (
    "NaN is larger than every number, and zeros of both signs are equal. Equal elements keep "
    "their order, with the first index first."
)
T910_NOTE = "Atlas training series: FLOAT is not rounded to FLOAT16, as upstream does there."


def indices_out(name: str, shape: ShapeTerm) -> TensorOut:
    """Positions along the dimension."""
    return TensorOut(name, "Indices.", shape=shape, dtype=const(INT64))


def not_single_bf16(length: Term, words: str, *, of_scalars: bool = False) -> tuple[Rule, ...]:
    """A length is not 1 where self is BF16; without dimensions it has none, or `of_scalars` one."""
    single = Equal(length, Const(1)) if of_scalars else And(RankOf("self"), Equal(length, Const(1)))
    return requires(
        "bf16_length",
        "self",
        Not(And(In(DtypeOf("self"), (BF16,)), single)),
        f"{words} of self must not be 1 for BF16",
        (Shown("shape", ShapeOf("self")),),
        "Cast self to FLOAT, or copy it: a single element is in order.",
    )


def k_in_range(least: int) -> tuple[Rule, ...]:
    """The number of elements is at most the length of the dimension."""
    k = ValueOf("k")
    return requires(
        "k_in_range",
        "k",
        And(AtMost(Const(least), k), AtMost(k, SELF_LENGTH)),
        f"k must be from {least} to the length of dimension dim of self",
        (Shown("integer", k), " for ", Shown("shape", ShapeOf("self"))),
        "Choose k by the shape of self.",
    )


def is_sorted_by_torch(self: Any) -> bool:  # noqa: ANN401
    """Whether torch has a sort for the dtype of its tensor."""
    return str(self.dtype) not in ("torch.uint16", "torch.uint32", "torch.uint64")


def one_of_row(found: Any, self: Any, dim: int, keep: bool) -> Any:  # noqa: ANN401
    """What torch found along a dimension, which it kept; not if it had several to choose from."""
    if bool(((self == found[0]).sum(dim) > 1).any()):
        return NotImplemented
    return tuple(found) if keep else tuple(each.squeeze(dim) for each in found)


def drawn_self(rng: Random, *types: DataType, empty: bool = True) -> TensorArg:
    """Small tensors, sometimes with long rows, often with equal elements."""
    shape = random_shape(rng)
    if rng.random() < 0.25:
        shape = rng.choice(((700,), (2, 600), (300, 3), (20000,)))
    if not empty:
        shape = tuple(max(length, 1) for length in shape)
    self = TensorArg(shape, rng.choice(types))
    return replace(self, span=(0, 5)) if rng.random() < 0.4 else self


def several_of_bf16(self: TensorArg, dim: int) -> TensorArg:
    """BF16 only where the dimension is longer than 1."""
    single = (self.shape or (1,))[dim] == 1
    return replace(self, dtype=FLOAT16) if single and self.dtype is BF16 else self


def drawn_dim(rng: Random, self: TensorArg) -> int:
    """By either of its names."""
    rank = max(len(self.shape), 1)
    return rng.randint(-rank, rank - 1)


def order_of(self: Array, dim: int, descending: bool) -> tuple[Array, Array]:
    """Values and indices of a stable sort of an array with at least one dimension."""
    import numpy as np

    rows = np.moveaxis(np.atleast_1d(self), dim, -1)
    if descending:
        places = rows.shape[-1] - 1 - np.argsort(rows[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    else:
        places = np.argsort(rows, axis=-1, kind="stable")
    values = np.take_along_axis(rows, places, -1)
    return np.moveaxis(values, -1, dim), np.moveaxis(places, -1, dim)
