# SPDX-License-Identifier: Apache-2.0
"""Arrays for operators that cope with any bits in any layout."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable

import ml_dtypes
import numpy as np


def unaligned(array: np.ndarray) -> np.ndarray:
    """A copy that begins at an odd address."""
    return np.frombuffer(bytearray(b"?" + array.tobytes()), array.dtype, offset=1).reshape(
        array.shape
    )


def before_a_wall(array: np.ndarray) -> np.ndarray:
    """A copy that ends where a page ends that may be touched."""
    pages = -(-array.nbytes // mmap.PAGESIZE) + 1
    memory = mmap.mmap(-1, pages * mmap.PAGESIZE)
    wall = ctypes.addressof(ctypes.c_char.from_buffer(memory)) + (pages - 1) * mmap.PAGESIZE
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(wall), mmap.PAGESIZE, 0) == 0  # no access
    offset = (pages - 1) * mmap.PAGESIZE - array.nbytes
    copy = np.frombuffer(memory, array.dtype, array.size, offset).reshape(array.shape)
    copy[...] = array
    return copy


def random_bits(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    """NaNs with payloads, infinities, subnormals; every integer."""
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    size = int(np.prod(shape)) * kind.itemsize
    return np.frombuffer(np.random.default_rng(seed).bytes(size), kind).reshape(shape)


# The same values or others, in all the ways a 5-D array can lie in memory.
VIEWS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "dense": lambda x: x,
    "transposed": lambda x: x.transpose(4, 1, 0, 3, 2).copy().transpose(2, 1, 4, 3, 0),
    "channels last": lambda x: np.moveaxis(np.moveaxis(x, 1, -1).copy(), -1, 1),
    "reversed": lambda x: x[::-1, ::-1, ::-1, ::-1, ::-1],
    "rows repeated": lambda x: np.broadcast_to(x[:1, :1, :1, :1], x.shape),
    "one element": lambda x: np.broadcast_to(x[:1, :1, :1, :1, :1], x.shape),
    "every other": lambda x: np.repeat(x, 2, -1)[..., 1::2],
    "cut out": lambda x: np.pad(x, 1)[1:-1, 1:-1, 1:-1, 1:-1, 1:-1],
    "unaligned": unaligned,
}
