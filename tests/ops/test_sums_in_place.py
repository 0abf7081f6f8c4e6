# SPDX-License-Identifier: Apache-2.0
"""Matrix products that are added to what their result holds."""

from __future__ import annotations

import numpy as np
import pytest
from support.interpreter import said

import aclhost

# Prints how many sums of up to 256 terms have other bits than those in a result elsewhere.
PROGRAM = """
import numpy as np
import aclhost

rng, others = np.random.default_rng(5), 0
for k in (127, 128, 129, 200, 256):
    a, b, c = (rng.normal(size=each).astype("f4") for each in ((40, k), (k, 50), (40, 50)))
    wanted = aclhost.addmm(c.copy(), a, b, 1, 1, 0)
    others += np.count_nonzero(aclhost.inplace_addmm(c, a, b, 1, 1, 0) != wanted)
print(others)
"""


@pytest.mark.parametrize("k", [0, 1, 33, 255, 256, 257])
@pytest.mark.parametrize("sizes", [(3, 5, 7), (1, 70, 90), (2, 1, 40), (1, 150, 1), (4, 33, 64)])
def test_bits_are_those_of_a_result_elsewhere(sizes: tuple[int, int, int], k: int) -> None:
    """BLAS adds up to 256 terms; nothing beside the result changes."""
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


def test_bits_on_processors_without_avx2() -> None:
    """A kernel of OpenBLAS for these takes no more than 128 terms at once."""
    assert said(PROGRAM, OPENBLAS_CORETYPE="Prescott", ACLHOST_ISA="baseline") == "0\n"


@pytest.mark.parametrize("alpha", [0, 1])
@pytest.mark.parametrize("k", [0, 3])
def test_a_negative_zero_and_no_terms(k: int, alpha: int) -> None:
    c, a, b = np.full((5, 7), -0.0, "f4"), np.zeros((5, k), "f4"), np.zeros((k, 7), "f4")
    aclhost.inplace_addmm(c, a, b, 1, alpha, 0)
    assert not np.signbit(c).any()
