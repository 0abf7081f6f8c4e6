# SPDX-License-Identifier: Apache-2.0
"""The random numbers of goldens: Philox 4x32-10 in NumPy, and what operators make of its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_LOW = 2**32 - 1


def philox(seed: int, low: Array | int, high: Array | int) -> Array:
    """The four words of the counters high * 2^64 + low, along a new last axis."""
    import numpy as np

    half, low_half = np.uint64(32), np.uint64(_LOW)
    low, high = np.broadcast_arrays(_unsigned(low), _unsigned(high))
    a, b, c, d = low & low_half, low >> half, high & low_half, high >> half
    keys = [seed & _LOW, seed >> 32 & _LOW]
    for _ in range(10):
        first, second = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        a, b, c, d = (
            (second >> half) ^ b ^ np.uint64(keys[0]), second & low_half,
            (first >> half) ^ d ^ np.uint64(keys[1]), first & low_half,
        )  # fmt: skip
        keys = [(keys[0] + 0x9E3779B9) & _LOW, (keys[1] + 0xBB67AE85) & _LOW]
    return np.stack((a, b, c, d), axis=-1).astype(np.uint32)


def _unsigned(value: Array | int) -> Array:
    import numpy as np

    return np.asarray(value & (2**64 - 1) if isinstance(value, int) else value, np.uint64)


def blocks(count: int) -> Array:
    """Numbers of as many blocks as have so many words."""
    import numpy as np

    return np.arange(-(-count // 4), dtype=np.uint64)


def words_in_order(seed: int, offset: int, count: int) -> Array:
    """The upper half of the counter is the offset, the lower one counts blocks."""
    return philox(seed, blocks(count), offset).ravel()[:count]


def words_of_sequences(seed: int, place: int, count: int) -> Array:
    """The lower half of the counter is the place, the upper one counts blocks."""
    return philox(seed, place, blocks(count)).ravel()[:count]


def unit(words: Array, bits: int = 23) -> Array:
    """Numbers in [0, 1) from the low bits."""
    import numpy as np

    return np.asarray((words & np.uint32(2**bits - 1)) / 2.0**bits)


def positive_unit(words: Array) -> Array:
    """Numbers in (0, 1] from all bits, rounded to float."""
    import numpy as np

    return np.asarray(words.astype(np.float32) * np.float32(2**-32) + np.float32(2**-33))


def normal(words: Array, count: int) -> Array:
    """Standard normal numbers, two from each pair of words; the angle is rounded to float."""
    import numpy as np

    pairs = unit(words).reshape(-1, 2)
    radius = np.sqrt(-2 * np.log(np.maximum(pairs[:, 0], np.float64(np.float32(1e-7)))))
    angle = (pairs[:, 1].astype(np.float32) * np.float32(2 * np.pi)).astype(np.float64)
    both = np.stack((radius * np.sin(angle), radius * np.cos(angle)), axis=-1)
    return np.asarray(both.ravel()[:count])
