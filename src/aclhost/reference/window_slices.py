# SPDX-License-Identifier: Apache-2.0
"""Average pools window by window, for goldens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from aclhost.spec.terms import window_count

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Span:
    """One window along one axis: the positions it sees, and how many it has with the padding."""

    begin: int
    end: int
    padded: int


def values(array: Sequence[int], spatial: int) -> tuple[int, ...]:
    """One value stands for all axes."""
    return tuple(array) * spatial if len(array) == 1 else tuple(array)


def sliding(
    lengths: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    ceil_mode: bool,
) -> list[list[Span]]:
    """The windows of each axis."""
    spatial = len(lengths)
    arrays = zip(
        lengths,
        values(kernel, spatial),
        values(stride or kernel, spatial),
        values(padding, spatial),
        strict=False,
    )
    axes = []
    for n, k, s, p in arrays:
        count = window_count(n, k, s, (p, p), 1, ceil_mode, towards_zero=True)
        starts = (o * s - p for o in range(count))
        axes.append([Span(max(a, 0), min(a + k, n), min(a + k, n + p) - a) for a in starts])
    return axes


def adaptive(lengths: Sequence[int], pooled: Sequence[int]) -> list[list[Span]]:
    """As even as whole numbers allow."""

    def axis(n: int, m: int) -> Iterator[Span]:
        for o in range(m):
            begin, end = o * n // m, -(-(o + 1) * n // m)
            yield Span(begin, end, end - begin)

    return [list(axis(n, m)) for n, m in zip(lengths, pooled, strict=True)]


def means(
    axes: list[list[Span]], with_padding: bool, divisor: int
) -> Iterator[tuple[Any, Any, int]]:
    """Each window: its place among them, what it sees, and what its mean is divided by.

    Both are the end of an index.
    """
    for place in product(*(range(len(axis)) for axis in axes)):
        spans = [axis[i] for axis, i in zip(axes, place, strict=True)]
        counted = prod(s.padded if with_padding else s.end - s.begin for s in spans)
        yield (..., *place), (..., *(slice(s.begin, s.end) for s in spans)), divisor or counted


def average(
    self: Array, axes: list[list[Span]], with_padding: bool = False, divisor: int = 0
) -> Array:
    """The mean of every window."""
    spatial = len(axes)
    out = np.zeros((*self.shape[:-spatial], *map(len, axes)))
    for place, seen, by in means(axes, with_padding, divisor):
        out[place] = self[seen].sum(axis=tuple(range(-spatial, 0))) / by
    return out


def spread(
    gradients: Array,
    shape: Sequence[int],
    axes: list[list[Span]],
    with_padding: bool = False,
    divisor: int = 0,
) -> Array:
    """The gradient: every window gives each of its positions an equal share."""
    result, ones = np.zeros(shape), (1,) * len(axes)
    for place, seen, by in means(axes, with_padding, divisor):
        share = gradients[place] / by
        result[seen] += share.reshape(*share.shape, *ones)
    return result


def ragged_positions(
    lengths: Sequence[int], axes: list[list[Span]]
) -> tuple[npt.NDArray[np.int64], tuple[int, ...]]:
    """Flat positions by window, -1 where others have more; and how many windows there are."""
    numbers = np.arange(prod(lengths)).reshape(tuple(lengths))
    rows = [numbers[seen].ravel() for _, seen, _ in means(axes, False, 1)]
    table = np.full((len(rows), max(map(len, rows), default=0)), -1, np.int64)
    for row, places in zip(table, rows, strict=True):
        row[: len(places)] = places
    return table, tuple(map(len, axes))
