# SPDX-License-Identifier: Apache-2.0
"""Sampling by a grid, in NumPy: which elements every position depends on, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_LINEAR, _NEAREST, _CUBIC = range(3)
_ZEROS, _BORDER, _REFLECTION = range(3)


@dataclass(frozen=True)
class Axis:
    """How the coordinates of one axis are read."""

    size: int
    mode: int
    padding: int
    align: bool

    def elements(self, coordinate: Array) -> list[tuple[Array, Array, Array]]:
        """Places, their weights, and how these follow the coordinate."""
        scale = (self.size - 1 if self.align else self.size) / 2
        place = (
            (coordinate + 1) / 2 * coordinate.dtype.type(self.size - 1)
            if self.align
            else ((coordinate + 1) * coordinate.dtype.type(self.size) - 1) / 2
        )
        if self.mode == _CUBIC:
            return self._cubic(place, scale)
        place, follows = self._bounded(place)
        if self.mode == _NEAREST:
            return [(np.rint(place), np.ones(place.shape), np.zeros(place.shape))]
        floor = np.floor(place)
        rest = place.astype(np.float64) - floor
        return [(floor, 1 - rest, -follows * scale), (floor + 1, rest, follows * scale)]

    def _cubic(self, place: Array, scale: float) -> list[tuple[Array, Array, Array]]:
        floor = np.floor(place)
        rest, found = place.astype(np.float64) - floor, []
        for k in range(-1, 3):
            weight, slope = _keys(k - rest)
            found.append((self._bounded(floor + k)[0], weight, -slope * scale))
        return found

    def _bounded(self, place: Array) -> tuple[Array, Array]:
        """Where a place outside is looked up, and whether it moves with its coordinate."""
        follows = np.ones(place.shape)
        if self.padding == _REFLECTION:
            place, follows = self._reflected(place)
        if self.padding == _ZEROS:
            return place, follows
        moves = (place > 0) & (place < self.size - 1)
        return np.clip(np.nan_to_num(place), 0, self.size - 1), np.where(moves, follows, 0)

    def _reflected(self, place: Array) -> tuple[Array, Array]:
        first = place.dtype.type(0 if self.align else -0.5)
        span = place.dtype.type(self.size - 1 if self.align else self.size)
        if span == 0:
            return np.zeros_like(place), np.zeros(place.shape)
        distance = np.abs(place - first)
        odd = np.floor(distance / span) % 2 != 0
        extra = np.fmod(distance, span)
        signs = np.where(odd, -1, 1) * np.where(place < first, -1, 1)
        return np.where(odd, span - extra, extra) + first, signs


def _keys(distance: Array) -> tuple[Array, Array]:
    """Keys' cubic kernel with a = -0.75, and its derivative."""
    a, d, sign = -0.75, np.abs(distance), np.sign(distance)
    inner = ((a + 2) * d**3 - (a + 3) * d**2 + 1, 3 * (a + 2) * d**2 - 2 * (a + 3) * d)
    outer = (a * (d**3 - 5 * d**2 + 8 * d - 4), a * (3 * d**2 - 10 * d + 8))
    return np.where(d <= 1, inner[0], outer[0]), np.where(d <= 1, inner[1], outer[1]) * sign


@dataclass(frozen=True)
class Tap:
    """One element for every position of a batch's grids."""

    index: tuple[Array, ...]  # of the sampled axes; 0 where there is none
    inside: Array
    weight: Array
    slopes: tuple[Array, ...]  # by the components of the grid


def taps(
    grid: Array, sizes: tuple[int, ...], mode: int, padding: int, align: bool
) -> Iterator[Tap]:
    """All elements that positions depend on.

    Places are found in float where the grid holds nothing but floats, as the operators do.
    """
    with np.errstate(all="ignore"):
        narrow = grid.astype(np.float32)
        real = narrow if np.array_equal(narrow, grid, equal_nan=True) else grid
        axes = [
            Axis(size, mode, padding, align).elements(real[..., component])
            for component, size in enumerate(reversed(sizes))
        ]
    for combination in product(*axes):
        places = [place for place, _, _ in reversed(combination)]
        inside = np.all(
            [(place >= 0) & (place < size) for place, size in zip(places, sizes, strict=True)],
            axis=0,
        )
        index = tuple(np.where(inside, place, 0).astype(int) for place in places)
        weights = [weight for _, weight, _ in combination]
        slopes = []
        for by, (_, _, slope) in enumerate(combination):
            others = [weight for other, weight in enumerate(weights) if other != by]
            slopes.append(slope * np.prod(others, axis=0))
        yield Tap(index, inside, np.prod(weights, axis=0), tuple(slopes))
