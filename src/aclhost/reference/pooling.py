# SPDX-License-Identifier: Apache-2.0
"""Which positions of a volume each pooling window sees."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def _triple(values: Sequence[int]) -> tuple[int, ...]:
    return tuple(values) * 3 if len(values) == 1 else tuple(values)


def _axis(length: int, k: int, s: int, p: int, d: int, ceil_mode: bool) -> npt.NDArray[np.int64]:
    """Positions by window along one axis; -1 for those outside."""
    count = (length + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
    if ceil_mode and (count - 1) * s >= length + p:
        count -= 1
    positions = np.arange(count)[:, None] * s - p + np.arange(k) * d
    return np.where((positions >= 0) & (positions < length), positions, -1)


def pool_windows(
    shape: Sequence[int],
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> tuple[npt.NDArray[np.int64], tuple[int, ...]]:
    """Flat positions, a row for each window in row-major order, and the pooled shape."""
    arrays = (kernel_size, stride or kernel_size, padding, dilation)
    kernels, strides, paddings, dilations = map(_triple, arrays)
    axes = [
        _axis(shape[-3:][i], kernels[i], strides[i], paddings[i], dilations[i], ceil_mode)
        for i in range(3)
    ]
    height, width = shape[-2:]
    rows = [
        [
            -1 if min(position) < 0 else (position[0] * height + position[1]) * width + position[2]
            for position in itertools.product(*window)
        ]
        for window in itertools.product(*axes)
    ]
    return np.array(rows, np.int64), (*shape[:-3], *(len(axis) for axis in axes))
