# SPDX-License-Identifier: Apache-2.0
"""Matrix products that are added to what their result holds."""

from __future__ import annotations

import numpy as np
import pytest

import aclhost


@pytest.mark.parametrize("k", [0, 1, 33, 255, 256, 257])
@pytest.mark.parametrize("sizes", [(3, 5, 7), (1, 70, 90), (2, 1, 40), (1, 150, 1), (4, 33, 64)])
def test_bits_are_those_of_a_result_elsewhere(sizes: tuple[int, int, int], k: int) -> None:
    """Up to 256 terms BLAS adds; nothing beside the result changes."""
    rng, (batches, m, n) = np.random.default_rng(5), sizes
    a, b = (rng.normal(size=each).astype("f4") for each in ((batches, m, k), (batches, k, n)))
    for axes in ((0, 1, 2), (0, 2, 1), (2, 1, 0)):
        room = (
            rng.normal(size=[sizes[i] + 2 for i in axes]).astype("f4").transpose(np.argsort(axes))
        )
        inner = room[1:-1, 1:-1, 1:-1]
        for beta, alpha in ((1, 1), (1, 2), (3, 1)):
            wanted = room.copy("K")
            elsewhere = wanted[1:-1, 1:-1, 1:-1]
            aclhost.baddbmm(inner.copy(), a, b, beta, alpha, 0, out=elsewhere)
            aclhost.inplace_baddbmm(inner, a, b, beta, alpha, 0)
            assert np.array_equal(room, wanted)


@pytest.mark.parametrize("size", [5, 70])
def test_an_addend_that_is_the_result_turned(size: int) -> None:
    a, c = np.random.default_rng(5).integers(-9, 9, (2, size, size)).astype("f4")
    wanted = a @ a + c.T
    aclhost.addmm(c.T, a, a, 1, 1, 0, out=c)
    assert np.array_equal(c, wanted)
