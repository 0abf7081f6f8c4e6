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


def threads_for(count: int) -> int:
    """How many threads of upstream's share so many elements."""
    return int(256 * min(max(-(-count // 256), 1), 624))


def word_of_threads(seed: int, thread: Array | int, place: Array | int) -> Array:
    """Word `place` of the sequence of each thread; the upper half of the counter is the thread."""
    import numpy as np

    places = _unsigned(place)
    blocks_of_four = philox(seed, places // np.uint64(4), thread)
    chosen = np.broadcast_to(places % np.uint64(4), blocks_of_four.shape[:-1])
    return np.take_along_axis(blocks_of_four, chosen[..., None].astype(np.int64), -1)[..., 0]


def words_in_rows(seed: int, first: int, count: int, number: int = 0, each: int = 1) -> Array:
    """Word number of `each` ones that every element has, rows of elements being as many as threads.

    Words are counted from `first` on.
    """
    import numpy as np

    row, thread = np.divmod(np.arange(count, dtype=np.uint64), np.uint64(threads_for(count)))
    place = (row * np.uint64(each) + np.uint64(number)) + np.uint64(first % 2**64)
    return word_of_threads(seed, thread, place)


def whole_blocks(offset: int) -> int:
    """As many words as an offset tells, rounded up to whole blocks."""
    return -(-(offset % 2**64) // 4) * 4
