# SPDX-License-Identifier: Apache-2.0
"""What the operators of attention share: layouts, and a golden without tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aclhost.spec.rules import Rule, requires
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import (
    AtMost,
    Const,
    DimOf,
    Divided,
    Equal,
    If,
    Term,
    TextIs,
    any_of,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Rules = tuple[Rule, ...]

BY_HEAD = TextIs("inputLayout", ("BNSD", "BNSD_BSND"))
FLAT = TextIs("inputLayout", ("BSH", "SBH"))
_LATE_BATCH = TextIs("inputLayout", ("SBH",))

CAUSAL, CAUSAL_FROM_END, BAND_FROM_END, PREFIX, PREFIX_COMPRESSED = 2, 3, 4, 5, 6
WIDEST = 768  # head
COMPRESSED = 2048  # rows and columns of the mask that stands for a triangle


@dataclass(frozen=True)
class Axes:
    """Lengths of a tensor in the layout that the call names; heads of a flat one are given."""

    name: str
    given_heads: Term

    def dim(self, axis: int) -> Term:
        return DimOf(self.name, Const(axis))

    @property
    def batches(self) -> Term:
        return If(_LATE_BATCH, self.dim(1), self.dim(0))

    @property
    def rows(self) -> Term:
        return If(BY_HEAD, self.dim(2), If(_LATE_BATCH, self.dim(0), self.dim(1)))

    @property
    def heads(self) -> Term:
        return If(FLAT, self.given_heads, If(BY_HEAD, self.dim(1), self.dim(2)))

    @property
    def width(self) -> Term:
        return If(FLAT, Divided(self.dim(2), self.given_heads), self.dim(3))


def equal(parameter: str, first: Term, second: Term, words: str) -> Rules:
    """Two lengths are the same."""
    return requires(
        "same_length", parameter, Equal(first, second), f"{parameter} must have {words}",
        (Shown("integer", first), " instead of ", Shown("integer", second)),
        f"Create {parameter} with that length.",
    )  # fmt: skip


def widest(width: Term) -> Rules:
    """Heads are not wider than kernels take."""
    return requires(
        "width", "query", AtMost(width, Const(WIDEST)),
        f"heads must have at most {WIDEST} elements", (Shown("integer", width),),
        "Split the heads.",
    )  # fmt: skip


def has_values(width: Term) -> Rules:
    """Heads of value are not empty."""
    return requires(
        "width", "value", AtMost(Const(1), width), "heads of value must have an element",
        (Shown("integer", width),), "Pass values.",
    )  # fmt: skip


def length_is_one_of(parameter: str, axis: int, lengths: tuple[Term, ...], words: str) -> Rules:
    """A dimension has one of these lengths."""
    length = DimOf(parameter, Const(axis))
    return requires(
        "length_in", parameter, any_of(*(Equal(length, each) for each in lengths)),
        f"dimension {axis} of {parameter} must be {words}", (Shown("shape", ShapeOf(parameter)),),
        f"Create {parameter} with that length.",
    )  # fmt: skip


def to_heads(array: Array, layout: str, heads: int) -> Array:
    """As [batches, heads, rows, width]."""
    if layout.startswith("BN"):
        return array
    if array.ndim == 3:
        array = array.reshape(*array.shape[:2], heads, array.shape[2] // heads)
    return array.transpose((1, 2, 0, 3) if layout == "SBH" else (0, 2, 1, 3))


def from_heads(array: Array, layout: str) -> Array:
    """Back to a layout."""
    if layout.startswith("BN"):
        return array
    turned = array.transpose((2, 0, 1, 3) if layout == "SBH" else (0, 2, 1, 3))
    return turned.reshape(*turned.shape[:2], -1) if layout in ("BSH", "SBH") else turned


def seen(
    mode: int, queries: int, keys: int, before: int, after: int, prefix: int | None = None
) -> Array:
    """Which keys each query sees by its place."""
    import numpy as np

    place, key = np.arange(queries)[:, None], np.arange(keys)[None]
    if mode in (CAUSAL_FROM_END, BAND_FROM_END, PREFIX_COMPRESSED):
        place = place + keys - queries
    if mode in (0, BAND_FROM_END):
        return (key >= place - before) & (key <= place + after)
    if mode in (CAUSAL, CAUSAL_FROM_END):
        return key <= place
    if mode == PREFIX_COMPRESSED:
        return (key <= place) | (key < (prefix or 0))
    return np.ones((queries, keys), bool)


def shares(scores: Array) -> tuple[Array, Array, Array]:
    """Softmax of rows, with the largest scores and the sums; rows without scores give 0."""
    import numpy as np

    largest = np.fmax.reduce(scores, -1, keepdims=True, initial=-np.inf)
    powers = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    sums = powers.sum(-1, keepdims=True)
    return np.where(sums == 0, 0, powers / np.where(sums == 0, 1, sums)), largest, sums


def repeat_heads(array: Array, heads: int) -> Array:
    """Keys or values for each head of the query."""
    return array.repeat(heads // array.shape[1], 1) if array.shape[1] else array
