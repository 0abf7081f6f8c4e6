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


def window_maxima(
    self: npt.NDArray[np.float64], positions: npt.NDArray[np.int64], spatial: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Every window as a row of candidates: the first maximum, or else the last NaN."""
    volumes = self.reshape(-1, int(np.prod(self.shape[-spatial:])))
    values = np.where(positions < 0, -np.inf, volumes[:, positions])
    last = values.shape[-1] - 1 - values[..., ::-1].argmax(-1)
    best = np.where(np.isnan(values).any(-1), last, values.argmax(-1))
    rows = np.arange(len(positions))
    inside = (positions >= 0).argmax(-1)
    best = np.where(positions[rows, best] < 0, inside, best)  # padding ties with a real -inf
    maxima = np.take_along_axis(values, best[..., None], -1)
    return maxima, np.maximum(positions[rows, best], 0)


def collected(
    gradients: npt.NDArray[np.float64],
    indices: npt.NDArray[np.int64],
    shape: Sequence[int],
    spatial: int,
) -> npt.NDArray[np.float64]:
    """Each volume collects its gradients at their indices."""
    size = int(np.prod(shape[-spatial:]))
    result = np.zeros((int(np.prod(shape)) // max(size, 1), size))
    rows = np.arange(len(result))[:, None]
    positions = indices.reshape(len(result), -1)
    np.add.at(result, (rows, positions), gradients.reshape(len(result), -1))
    return result.reshape(tuple(shape))
