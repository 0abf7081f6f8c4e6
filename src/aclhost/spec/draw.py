# SPDX-License-Identifier: Apache-2.0
"""Pieces of the calls that declarations draw at random, and of common ones of any size."""

from __future__ import annotations

from random import Random

_RANK = 4
_LENGTH = 7
_EMPTY = 0.05  # of all shapes


def random_shape(rng: Random, rank: int | None = None) -> tuple[int, ...]:
    """Of a given rank or up to 4; seldom empty, often with axes of length 1."""
    rank = rng.randint(0, _RANK) if rank is None else rank
    shape = [rng.choice((1, rng.randint(2, _LENGTH))) for _ in range(rank)]
    if shape and rng.random() < _EMPTY:
        shape[rng.randrange(rank)] = 0
    return tuple(shape)


def eighths(rng: Random, low: int, high: int) -> float:
    """A number that every floating dtype holds, as long as it is small."""
    return rng.randint(8 * low, 8 * high) / 8


def matrix_shape(elements: int) -> tuple[int, int]:
    """Almost a square with about so many elements."""
    rows = max(int(elements**0.5), 1)
    return rows, elements // rows
