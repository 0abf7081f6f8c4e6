# SPDX-License-Identifier: Apache-2.0
"""More than 2^31 elements, and positions past 2^31. Needs 5 GiB of memory and a few minutes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import aclhost

pytestmark = pytest.mark.slow

PAST = 2**31
WIDE = (3, 27_000, 27_000)  # one volume, 2.19e9 positions
SMALL = (8, 64, 64)
MANY = PAST // int(np.prod(SMALL)) + 3  # so many small volumes


def far_indices() -> np.ndarray:
    """Positions on both sides of 2^31, up to the last."""
    last = int(np.prod(WIDE)) - 1
    return np.array([0, 5, PAST - 1, PAST, PAST + 1, last - 1, last, 77]).reshape(1, 1, 1, 2, 4)


def random_bytes(count: int) -> np.ndarray:
    return np.frombuffer(np.random.default_rng(0).bytes(count), np.int8)


def blocks(count: int, size: int = 4096) -> Iterator[slice]:
    """Volumes by blocks, so that comparing needs no second copy."""
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


def test_unpooling_into_one_large_volume() -> None:
    values = np.arange(1, 9, dtype=np.int8).reshape(1, 1, 1, 2, 4)
    indices = far_indices()
    result = aclhost.max_unpool3d(values, indices, WIDE).ravel()
    assert np.array_equal(result[indices.ravel()], values.ravel())
    assert np.count_nonzero(result) == 8


def test_gathering_from_one_large_volume() -> None:
    indices = far_indices()
    gradient = np.zeros(int(np.prod(WIDE)), np.int8)
    gradient[indices.ravel()] = np.arange(1, 9)
    small = np.zeros(indices.shape, np.int8)
    result = aclhost.max_unpool3d_backward(gradient.reshape(1, 1, *WIDE), small, indices, WIDE)
    assert np.array_equal(result.ravel(), np.arange(1, 9))


def test_an_index_just_outside() -> None:
    indices = far_indices()
    indices[0, 0, 0, 0, 1] = np.prod(WIDE)
    gradient = np.broadcast_to(np.int8(3), (1, 1, *WIDE))
    out = np.zeros(indices.shape, np.int8)
    with pytest.raises(aclhost.AclnnError, match=r"2187000000") as caught:
        aclhost.max_unpool3d_backward(gradient, out.copy(), indices, WIDE, out=out)
    assert caught.value.status == 507015
    assert out.ravel().tolist() == [3, 0, 3, 3, 3, 3, 3, 3]


@pytest.fixture
def permutation() -> np.ndarray:
    """The same indices for all volumes; stride 0 spares 16 GiB."""
    places = np.random.default_rng(1).permutation(int(np.prod(SMALL))).reshape(SMALL)
    return np.broadcast_to(places, (MANY, 1, *SMALL))


def test_unpooling_many_volumes(permutation: np.ndarray) -> None:
    values = random_bytes(permutation.size).reshape(permutation.shape)
    result = aclhost.max_unpool3d(values, permutation, SMALL).reshape(MANY, -1)
    places = permutation[0].ravel()
    for block in blocks(MANY):
        assert np.array_equal(result[block][:, places], values[block].reshape(-1, places.size))


def test_gathering_from_many_volumes(permutation: np.ndarray) -> None:
    gradient = random_bytes(permutation.size).reshape(permutation.shape)
    small = np.broadcast_to(np.int8(0), permutation.shape)
    result = aclhost.max_unpool3d_backward(gradient, small, permutation, SMALL)
    flat, places = gradient.reshape(MANY, -1), permutation[0].ravel()
    for block in blocks(MANY):
        assert np.array_equal(result[block].reshape(-1, places.size), flat[block][:, places])


@pytest.fixture
def far_apart() -> np.ndarray:
    """Four elements, 2^31 elements apart; the pages between them are never touched."""
    memory = np.zeros(3 * PAST + 1, np.float16)
    memory[[0, PAST, 2 * PAST, 3 * PAST]] = [-1, 2, 3, -4]
    steps = [each * memory.itemsize for each in (0, 0, 2 * PAST, 0, PAST)]
    return np.lib.stride_tricks.as_strided(memory, (1, 1, 2, 1, 2), steps)


def test_strides_past_the_limit(far_apart: np.ndarray) -> None:
    close = far_apart.copy()
    for function, arguments in (
        (aclhost.elu, ()),
        (aclhost.upsample_nearest3d, ((4, 1, 3),)),
        (aclhost.upsample_nearest3d_backward, ((2, 1, 2), (1, 1, 1, 1, 2))),
        (aclhost.max_unpool3d, (np.array([3, 1, 2, 0]).reshape(close.shape), (1, 2, 2))),
        (aclhost.smooth_l1_loss, (close * 2, "none")),
        (aclhost.smooth_l1_loss, (close * 2, "sum")),
    ):
        assert np.array_equal(function(far_apart, *arguments), function(close, *arguments))
    for far, near in zip(
        aclhost.max_pool3d_with_argmax(far_apart, (1, 1, 2)),
        aclhost.max_pool3d_with_argmax(close, (1, 1, 2)),
        strict=True,
    ):
        assert np.array_equal(far, near)


def test_writing_with_strides_past_the_limit(far_apart: np.ndarray) -> None:
    close = far_apart.copy()
    aclhost.elu_backward(close, close, 2.0, out=far_apart)
    assert np.array_equal(far_apart, aclhost.elu_backward(close, close, 2.0))
