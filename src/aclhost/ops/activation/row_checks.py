# SPDX-License-Identifier: Apache-2.0
"""What gated units on the first rows of a tensor share: checks, draws, and NumPy's SiLU."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING

from aclhost.spec.call import TensorArg
from aclhost.spec.dtypes import FLOAT, INT64
from aclhost.spec.rules import Rule, dtype_in, is_given, rank_at_most, rank_in, requires, when
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.status import Status
from aclhost.spec.terms import AtMost, Const, Contiguous, DimOf, Elements, Equal, Or, RealIs, Times

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

GROUPS = "groupIndexOptional"
WEIGHT = "weightOptional"
UNTOUCHED = "Rows behind the last group are not written."
SUM_OF_GROUPS = (
    "Sizes of groups are added exactly; more rows than there are mean all of them, less than none "
    "mean none. Upstream adds in float and trusts the sum."
)


def dtypes_of_options(*weights: str) -> tuple[Rule, ...]:
    """Sizes of groups are integers, weights floats."""
    return (
        *when(is_given(GROUPS), dtype_in(GROUPS, INT64)),
        *(rule for name in weights for rule in when(is_given(name), dtype_in(name, FLOAT))),
    )


def one_dimension() -> tuple[Rule, ...]:
    """Sizes of groups stand in a row."""
    return when(is_given(GROUPS), rank_in(GROUPS, 1))


def a_weight_for_each_row(x: str) -> tuple[Rule, ...]:
    """There are as many weights as rows."""
    rows = Equal(Times(Elements(WEIGHT), DimOf(x, Const(-1))), Elements(x))
    return when(
        is_given(WEIGHT),
        rank_at_most(WEIGHT, 8),
        requires(
            "one_for_each_row", WEIGHT, rows,
            f"{WEIGHT} must have an element for each row of {x}",
            (Shown("shape", ShapeOf(WEIGHT)), " for ", Shown("shape", ShapeOf(x))),
            "A row is the last dimension.",
        ),
    )  # fmt: skip


def clamp_is_off_or_positive() -> tuple[Rule, ...]:
    """-1 stands for no limit."""
    return requires(
        "off_or_positive", "clampLimit",
        Or(RealIs("clampLimit", "==", -1.0), RealIs("clampLimit", ">", 0.0)),
        "clampLimit must be -1, for none, or greater than 0", (Shown("real", "clampLimit"),),
        "Pass -1 for no limit.",
    )  # fmt: skip


def dense(*parameters: str) -> tuple[Rule, ...]:
    """What only the launch notices: a strided input (561000)."""
    return tuple(
        Rule(
            "contiguous", name, Contiguous(name), f"{name} must be contiguous",
            (Shown("strides", name),), f"Pass a contiguous copy of {name}.", Status.INNER,
        )
        for name in parameters
    )  # fmt: skip


def at_least_one_group() -> tuple[Rule, ...]:
    """The sizes of no groups make no sense."""
    return when(
        is_given(GROUPS),
        requires(
            "not_empty", GROUPS, AtMost(Const(1), Elements(GROUPS)), f"{GROUPS} must not be empty",
            (Shown("shape", ShapeOf(GROUPS)),), "Pass a null pointer for no groups.",
        ),
    )  # fmt: skip


def draw_groups(rng: Random, rows: int, *, all_rows: bool) -> TensorArg | None:
    """Sizes of some groups, sometimes none."""
    if rng.random() < 0.4:
        return None
    sizes = [rng.randint(0, rows) for _ in range(rng.randint(1, 4))]
    if all_rows:
        sizes.append(rows)
    return TensorArg((len(sizes),), INT64, values=tuple(sizes))


def rows_in(groups: Array | None, shape: tuple[int, ...]) -> int:
    """How many of the rows with these dimensions before them belong to groups."""
    rows = math.prod(shape)
    return rows if groups is None else max(min(int(groups.sum()), rows), 0)


def sigmoid(x: Array) -> Array:
    """In double precision, so that nothing overflows that matters."""
    import numpy as np

    return np.asarray(1 / (1 + np.exp(-x)))


def clipped(gate: Array, other: Array, limit: float) -> tuple[Array, Array]:
    """The gate from above, the other from both sides."""
    import numpy as np

    return np.minimum(gate, limit), np.minimum(np.maximum(other, -limit), limit)
