# SPDX-License-Identifier: Apache-2.0
"""What adaptive pools share: their windows in words, and calls."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from aclhost.spec.call import Call
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType

FORMULA = (
    "Window o of an axis with I positions and O windows takes those from `floor(o * I / O)` to "
    "`ceil((o + 1) * I / O) - 1`; neighbours may share a position."
)
Sizes = tuple[tuple[int, ...], tuple[int, ...]]  # lengths and numbers of windows
Make = Callable[[DataType, tuple[int, ...], Sizes], Call]


def samples(make: Make, spatial: int) -> tuple[Call, ...]:
    """Each dtype, overlapping windows, more windows than positions, one window."""
    several = ((5, 4, 6)[:spatial], (3, 4, 2)[:spatial])
    return (
        *(make(dtype, (1, 2), several) for dtype in (FLOAT, FLOAT16, BF16)),
        make(FLOAT, (2,), ((2, 3, 2)[:spatial], (3, 5, 2)[:spatial])),
        make(FLOAT, (2, 1), ((3, 2, 2)[:spatial], (1,) * spatial)),
    )


def drawn(make: Make, spatial: int, *dtypes: DataType) -> Callable[[Random], Call]:
    """Any lengths."""

    def draw(rng: Random) -> Call:
        lengths, pooled = (tuple(rng.randint(1, 8) for _ in range(spatial)) for _ in range(2))
        lead = rng.choice(((2,), (1, 3), (2, 1)))
        return make(rng.choice(dtypes or (FLOAT, FLOAT16, BF16)), lead, (lengths, pooled))

    return draw


def typical(make: Make, spatial: int) -> Callable[[int], Call]:
    """As the last layer of an image classifier has it; uneven windows."""
    sizes = ((14, 14), (6, 6)) if spatial == 2 else ((8, 14, 14), (3, 6, 6))
    size = 196 if spatial == 2 else 1568
    return lambda n: make(FLOAT, (1, max(n // size, 1)), sizes)
