# SPDX-License-Identifier: Apache-2.0
"""Random operators: known answers, and what holds whatever the numbers are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclhost
from aclhost.ops.random.dropout_v3 import kept_by_threads
from aclhost.spec import philox

# Counter (low and high half), key, words: the test vectors that Random123 publishes.
KNOWN = (
    (0, 0, 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    (2**64 - 1, 2**64 - 1, 2**64 - 1, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        0x85A308D3243F6A88, 0x0370734413198A2E, 0x299F31D0A4093822,
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)  # fmt: skip


@pytest.mark.parametrize(("low", "high", "key", "words"), KNOWN)
def test_golden_words(low: int, high: int, key: int, words: tuple[int, ...]) -> None:
    assert tuple(philox.philox(key, low, high).tolist()) == words


def test_known_numbers() -> None:
    """The first block of seed and offset 0."""
    made = aclhost.inplace_uniform(np.empty(4, np.float32))
    words = np.array(KNOWN[0][3])
    np.testing.assert_array_equal(made, (words % 2**23) / 2.0**23)
    with aclhost.soc("Ascend950PR_9599"):
        whole = aclhost.inplace_random_without_from_to(np.empty(1, np.int64))
    assert whole[0] == ((int(words[0]) << 32) + int(words[1])) % 2**63


def test_bits_of_masks() -> None:
    """A mask keeps element i with bit i mod 8 of byte i div 8, and pads with zeros."""
    mask = aclhost.dropout_gen_mask([130], 0.5, seed=3)
    assert mask.shape == (32,)
    kept = np.unpackbits(mask, bitorder="little").astype(bool)
    assert not kept[130:].any()
    x = np.arange(1, 131, dtype=np.float32)
    np.testing.assert_array_equal(aclhost.dropout_do_mask(x, mask, 0.5), x * kept[:130] * 2)
    result, same = aclhost.dropout(x, 0.5, seed=3)
    np.testing.assert_array_equal(same, mask)
    np.testing.assert_array_equal(result, x * kept[:130] * 2)


def test_normal_numbers_are_exact() -> None:
    """Far more of them than walks draw, without a mean that hides anything."""
    made = aclhost.inplace_normal(np.empty(200_001, np.float32), seed=11, offset=3)
    wanted = philox.normal(philox.words_in_order(11, 3, made.size + 1), made.size)
    off = np.abs(made - wanted) / np.spacing(np.abs(wanted).astype(np.float32))
    assert np.max(off) <= 4
    assert np.max(np.abs(made)) < 5.68


def test_double_holds_floats() -> None:
    for function in (aclhost.inplace_uniform, aclhost.inplace_normal):
        single, double = (function(np.empty(1000, t), seed=4) for t in (np.float32, np.float64))
        np.testing.assert_array_equal(double, single)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_uniform_stays_below_its_end(dtype: Any) -> None:
    made = aclhost.inplace_uniform(np.empty(100_000, dtype), seed=9)
    assert made.min() >= 0
    assert made.max() < 1


@pytest.mark.parametrize("bounds", [(-3e38, 3e38), (0.0, 1e39), (-1e39, 0.0)])
def test_uniform_refuses_what_no_float_is_wide_enough_for(bounds: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="within the range of FLOAT"):
        aclhost.inplace_uniform(np.empty(8, np.float32), *bounds)


def test_uniform_over_all_positive_floats() -> None:
    made = aclhost.inplace_uniform(np.empty(1000, np.float32), 0.0, float(np.finfo("f4").max))
    assert np.isfinite(made).all()


def test_many_samples_begin_as_few_do() -> None:
    """Where many are drawn, categories are found in another way."""
    weights = np.random.default_rng(3).random(700).astype(np.float32)
    weights[[0, 5, 6, 699]] = 0
    few = aclhost.multinomial(weights, 4000, True, seed=5)
    many = aclhost.multinomial(weights, 20_000, True, seed=5)
    np.testing.assert_array_equal(many[:4000], few)
    assert weights[many].min() > 0


def test_certain_outcomes() -> None:
    x = np.empty(1000, np.float32)
    assert not aclhost.bernoulli(x, 0.0, seed=5).any()
    assert aclhost.bernoulli(x, 1.0, seed=5).all()


@pytest.mark.parametrize("n", [1, 2, 255, 1000, 160_000, 400_000])
def test_permutations_are_complete(n: int) -> None:
    made = aclhost.randperm(n, seed=7)
    np.testing.assert_array_equal(np.sort(made), np.arange(n))
    assert n < 3 or (made != np.arange(n)).any()


@pytest.mark.parametrize("n", [*range(1, 50), 256, 257, 2047, 2048, 2049, 4095, 4097, 200_000])
def test_permutations_are_the_goldens(n: int) -> None:
    """Beside whole vectors of keys, parts that are sorted apart, and rows of threads."""
    wanted = aclhost.ops.BY_NAME["aclnnRandperm"].golden
    assert wanted is not None
    np.testing.assert_array_equal(aclhost.randperm(n, 3, 5), wanted(n, 3, 5))


def test_integers_near_a_bound() -> None:
    """In float, the largest of these would round to the end of the interval."""
    made = aclhost.inplace_random(np.empty(1_000_000, np.int32), 1_000_000, 1_000_010, seed=2)
    assert made.min() == 1_000_000
    assert made.max() == 1_000_009


def test_mean_broadcasts() -> None:
    mean, out = np.array([10.0, -10.0], np.float32), np.empty((500, 2), np.float32)
    with aclhost.soc("Ascend950PR_9599"):
        aclhost.normal_tensor_float(mean, 1.0, seed=1, out=out)
        plain = aclhost.normal_float_float(np.empty((500, 2), np.float32), seed=1)
    np.testing.assert_allclose(out, plain + mean, rtol=0, atol=2e-6)


@pytest.mark.parametrize("replacement", [True, False])
def test_no_weight_no_draw(replacement: bool) -> None:
    weights = np.array([0, 1, 0, 2, 0], np.float32)
    made = aclhost.multinomial(np.tile(weights, (1000, 1)), 2, replacement, seed=6)
    assert set(np.unique(made)) == {1, 3}


def test_dropped_infinities() -> None:
    """Only the dropout of Ascend 950 multiplies by its mask."""
    x = np.full(128, np.inf, np.float32)
    mask = np.zeros(16, np.uint8)
    assert not aclhost.dropout_backward(x, mask, 2.0).any()
    with aclhost.soc("Ascend950PR_9599"):
        assert np.isnan(aclhost.dropout_v3_grad(x, mask, 2.0)).all()


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("count", [3, 30, 260, 4104, 300_000, 2_600_008])
def test_masks_of_vectors(dtype: str, count: int) -> None:
    """As many elements as fill 16 bytes share a thread; the longest take several rows of them."""
    with aclhost.soc("Ascend950PR_9599"):
        x = np.ones(count, dtype)
        made, mask = aclhost.dropout_v3(x, p=0.25, seed=7, offset=4)
    kept = kept_by_threads(count, x.itemsize, 0.25, 7, 4)
    np.testing.assert_array_equal(np.unpackbits(mask, bitorder="little")[:count], kept)
    np.testing.assert_array_equal(made != 0, kept)
