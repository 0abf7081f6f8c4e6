# SPDX-License-Identifier: Apache-2.0
"""Distributions of random operators: fixed seeds, so that a test passes always or never."""

from __future__ import annotations

from collections.abc import Callable
from math import erf, erfc, exp, sqrt
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import aclhost

COUNT = 100_000
SEEDS = (1, 2026, -7)
LEAST = 1e-3  # chance of what is still accepted; some 200 are looked at
Numbers = np.ndarray[Any, Any]


def chi_squared(seen: Numbers, expected: Numbers | float, freedom: int = 0) -> float:
    """The chance of counts at least as far off, by the approximation of Wilson and Hilferty."""
    freedom = freedom or seen.size - 1
    distance = float(np.sum((seen - expected) ** 2 / expected))
    spread = 2 / (9 * freedom)
    return 0.5 * erfc(((distance / freedom) ** (1 / 3) - (1 - spread)) / sqrt(2 * spread))


def kolmogorov_smirnov(shares: Numbers) -> float:
    """The chance of numbers in [0, 1] that are at least as unevenly spread."""
    ordered, count = np.sort(shares.astype(np.float64)), shares.size
    above = np.max(np.arange(1, count + 1) / count - ordered)
    below = np.max(ordered - np.arange(count) / count)
    distance = max(above, below) * (sqrt(count) + 0.12 + 0.11 / sqrt(count))
    terms = (2 * (-1) ** (k - 1) * exp(-2 * (k * distance) ** 2) for k in range(1, 101))
    return min(max(sum(terms), 0.0), 1.0)


def binomial(ones: int, count: int, chance: float) -> float:
    """The chance of a count of ones at least as far off."""
    return erfc(abs(ones - count * chance) / sqrt(2 * count * chance * (1 - chance)))


def normal_shares(numbers: Numbers) -> Numbers:
    """What part of a standard normal distribution lies below each."""
    return np.array([0.5 * (1 + erf(number / sqrt(2))) for number in numbers.tolist()])


def cells(first: Numbers, second: Numbers, each: int = 16) -> float:
    """How likely pairs of numbers in [0, 1) are not more uneven than these."""
    place = (first * each).astype(int) * each + (second * each).astype(int)
    return chi_squared(np.bincount(place, minlength=each * each), first.size / each**2)


def uniform(seed: int, offset: int = 0, dtype: Any = np.float32) -> Numbers:
    return aclhost.inplace_uniform(np.empty(COUNT, dtype), seed=seed % 2**63, offset=offset)


def exponential(seed: int, offset: int = 0) -> Numbers:
    made = np.empty(COUNT, np.float32)
    aclhost.sim_thread_exponential(made, COUNT, 1.0, seed=seed, offset=offset)
    return np.exp(-made.astype(np.float64))


def of_narrow(dtype: Any, seed: int) -> float:
    numbers = uniform(seed, dtype=dtype).astype(np.float64)
    return chi_squared(np.bincount((numbers * 128).astype(int), minlength=128), COUNT / 128)


def normal(seed: int, offset: int = 0) -> Numbers:
    made = aclhost.inplace_normal(np.empty(COUNT, np.float32), 3.0, 2.0, seed=seed, offset=offset)
    return (made.astype(np.float64) - 3) / 2


def normal_of_tensors(seed: int) -> float:
    mean, std = np.linspace(-5, 5, COUNT), np.linspace(0.5, 3, COUNT)
    with aclhost.soc("Ascend950PR_9599"):
        made = aclhost.normal_tensor_tensor(mean, std, seed=seed)
    return kolmogorov_smirnov(normal_shares((made - mean) / std))


def bernoulli(chance: float, seed: int) -> float:
    made = aclhost.bernoulli(np.empty(COUNT, np.float32), chance, seed=seed)
    return binomial(int(made.sum()), COUNT, chance)


def bernoulli_tensor(seed: int) -> float:
    chances = np.linspace(0.05, 0.95, COUNT, dtype=np.float32)
    made = aclhost.bernoulli_tensor(np.empty(COUNT, np.float32), chances, seed=seed)
    parts, variances = made - chances, chances * (1 - chances)
    scores = parts.reshape(50, -1).sum(1) / np.sqrt(variances.reshape(50, -1).sum(1))
    return kolmogorov_smirnov(normal_shares(scores))


def mask_bits(seed: int, offset: int = 0, drop: float = 0.3) -> Numbers:
    mask = aclhost.dropout_gen_mask([COUNT], drop, seed=seed, offset=offset)
    return np.unpackbits(mask, bitorder="little")[:COUNT]


def mask_by_bit(seed: int) -> float:
    """Ones and zeros in each of the eight places of a byte."""
    ones = mask_bits(seed).reshape(-1, 8).sum(0)
    each = COUNT / 8 * np.repeat([0.7, 0.3], 8)
    return chi_squared(np.append(ones, COUNT // 8 - ones), each, freedom=8)


def dropout(seed: int) -> float:
    kept, _ = aclhost.dropout(np.ones(COUNT, np.float32), 0.3, seed=seed)
    return binomial(int(np.count_nonzero(kept)), COUNT, 0.7)


def dropout_v3(seed: int) -> float:
    with aclhost.soc("Ascend950PR_9599"):
        kept, _ = aclhost.dropout_v3(np.ones(COUNT, np.float32), p=0.3, seed=seed)
    return binomial(int(np.count_nonzero(kept)), COUNT, 0.7)


def randperm_orders(seed: int) -> float:
    """All orders of four numbers."""
    made = np.array([aclhost.randperm(4, seed, 4 * i) for i in range(4800)])
    return chi_squared(np.bincount(made @ (64, 16, 4, 1), minlength=256)[_ORDERS], 4800 / 24)


_ORDERS = [
    64 * a + 16 * b + 4 * c + d
    for a in range(4) for b in range(4) for c in range(4) for d in range(4)
    if len({a, b, c, d}) == 4
]  # fmt: skip


def randperm_places(seed: int) -> float:
    """The first tenth of a permutation is spread over all numbers."""
    return kolmogorov_smirnov((aclhost.randperm(COUNT, seed)[: COUNT // 10] + 0.5) / COUNT)


def integers(seed: int) -> float:
    made = aclhost.inplace_random(np.empty(COUNT, np.int32), -37, 63, seed=seed)
    return chi_squared(np.bincount(made + 37, minlength=100), COUNT / 100)


def any_integers(dtype: Any, bits: int, seed: int) -> float:
    with aclhost.soc("Ascend950PR_9599"):
        made = aclhost.inplace_random_without_from_to(np.empty(COUNT, dtype), seed=seed)
    return chi_squared(np.bincount(made >> (bits - 7), minlength=128), COUNT / 128)


def multinomial(seed: int) -> float:
    weights = np.arange(1, 21, dtype=np.float32)
    made = aclhost.multinomial(weights, COUNT, replacement=True, seed=seed)
    return chi_squared(np.bincount(made, minlength=20), COUNT * weights / weights.sum())


def multinomial_once(place: int, seed: int) -> float:
    """Without replacement: the first or the second category of pairs from three."""
    weights = np.tile(np.array([1, 2, 3], np.float32), (20_000, 1))
    made = aclhost.multinomial(weights, 2, seed=seed)[:, place]
    first = np.array([1, 2, 3]) / 6
    second = [sum(first[j] * first[i] / (1 - first[j]) for j in range(3) if j != i)
              for i in range(3)]  # fmt: skip
    chances = first if place == 0 else np.array(second)
    return chi_squared(np.bincount(made, minlength=3), 20_000 * chances)


STATISTICS: dict[str, Callable[[int], float]] = {
    "InplaceUniform, Kolmogorov-Smirnov": lambda seed: kolmogorov_smirnov(uniform(seed)),
    "InplaceUniform, chi-squared of 1000": lambda seed: chi_squared(
        np.bincount((uniform(seed) * 1000).astype(int), minlength=1000), COUNT / 1000
    ),
    "InplaceUniform FLOAT16, chi-squared": lambda seed: of_narrow(np.float16, seed),
    "InplaceUniform BF16, chi-squared": lambda seed: of_narrow(ml_dtypes.bfloat16, seed),
    "InplaceNormal, Kolmogorov-Smirnov": lambda seed: kolmogorov_smirnov(
        normal_shares(normal(seed))
    ),
    "NormalTensorTensor, Kolmogorov-Smirnov": normal_of_tensors,
    "Bernoulli 0.1": lambda seed: bernoulli(0.1, seed),
    "Bernoulli 0.5": lambda seed: bernoulli(0.5, seed),
    "Bernoulli 0.9": lambda seed: bernoulli(0.9, seed),
    "BernoulliTensor, scores of 50 parts": bernoulli_tensor,
    "DropoutGenMask, ones": lambda seed: binomial(int(mask_bits(seed).sum()), COUNT, 0.7),
    "DropoutGenMask, chi-squared of bits": mask_by_bit,
    "Dropout, kept": dropout,
    "DropoutV3, kept": dropout_v3,
    "Randperm, chi-squared of orders": randperm_orders,
    "Randperm, Kolmogorov-Smirnov": randperm_places,
    "InplaceRandom, chi-squared": integers,
    "InplaceRandomWithoutFromTo INT8": lambda seed: any_integers(np.int8, 7, seed),
    "InplaceRandomWithoutFromTo INT64": lambda seed: any_integers(np.int64, 63, seed),
    "Multinomial, chi-squared": multinomial,
    "Multinomial once, first": lambda seed: multinomial_once(0, seed),
    "Multinomial once, second": lambda seed: multinomial_once(1, seed),
    "SimThreadExponential, Kolmogorov-Smirnov": lambda seed: kolmogorov_smirnov(exponential(seed)),
    "uniform: neighbours": lambda seed: cells(uniform(seed)[:-1:2], uniform(seed)[1::2]),
    "uniform: next offset": lambda seed: cells(uniform(seed, 8), uniform(seed, 9)),
    "uniform: next seed": lambda seed: cells(uniform(seed), uniform(seed + 1)),
    "normal: next offset": lambda seed: cells(
        normal_shares(normal(seed, 8)), normal_shares(normal(seed, 9))
    ),
    "mask: next offset": lambda seed: chi_squared(
        np.bincount(2 * mask_bits(seed, 8) + mask_bits(seed, 9), minlength=4),
        COUNT * np.array([0.09, 0.21, 0.21, 0.49]),
    ),
    "exponential: next block": lambda seed: cells(
        exponential(seed, 8) * (1 - 1e-9), exponential(seed, 12) * (1 - 1e-9)
    ),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_distribution(name: str) -> None:
    for seed in SEEDS:
        assert STATISTICS[name](seed) > LEAST, seed


def test_statistics_notice() -> None:
    """What is off by little would not pass."""
    numbers = uniform(1).astype(np.float64)
    assert kolmogorov_smirnov(numbers**1.03) < LEAST
    assert chi_squared(np.bincount((numbers**1.1 * 100).astype(int)), COUNT / 100) < LEAST
    assert kolmogorov_smirnov(normal_shares(1.03 * normal(1))) < LEAST
    assert binomial(int(mask_bits(1, drop=0.31).sum()), COUNT, 0.7) < LEAST
    assert cells(numbers, (numbers + 0.05 * uniform(2)) % 1) < LEAST


def test_statistics_accept_numpy() -> None:
    generator = np.random.default_rng(5)
    assert kolmogorov_smirnov(generator.random(COUNT)) > LEAST
    assert chi_squared(np.bincount(generator.integers(0, 50, COUNT)), COUNT / 50) > LEAST
