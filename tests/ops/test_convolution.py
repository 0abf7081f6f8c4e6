# SPDX-License-Identifier: Apache-2.0
"""Convolutions: bits of any geometry, and how much memory they take."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.interpreter import said

import aclhost
from aclhost.bench import memory

# Prints checksums of convolutions and of gradients of their inputs, of many geometries.
PROGRAM = r"""
import hashlib, json, random
import numpy as np
import aclhost

def of(rng, *shape):
    return rng.normal(size=shape).astype("f4")

def bits(array):
    return hashlib.sha256(array.tobytes()).hexdigest()

draw, rng, found = random.Random(4), np.random.default_rng(5), []
while len(found) < 30:
    axes, groups = draw.choice((1, 2, 2, 3)), draw.choice((1, 1, 2, 6))
    channels, maps = groups * draw.randint(1, 9), groups * draw.randint(1, 20)
    lengths, kernel, stride, dilation, padding = (
        [draw.randint(*span) for _ in range(axes)]
        for span in ((1, 24), (1, 4), (1, 3), (1, 2), (0, 3)))
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    if any(n + 2 * p < r for n, p, r in zip(lengths, padding, reach)):
        continue
    image = of(rng, draw.randint(1, 3), channels, *lengths)
    weight = of(rng, maps, channels // groups, *kernel)
    windows = (stride, padding, dilation, False, [0] * axes, groups)
    map = aclhost.convolution(image, weight, None, *windows)
    slope = of(rng, *map.shape)
    backward = aclhost.convolution_backward(
        slope, image, weight, [True, groups > 1, False], [maps], *windows)
    found.append([bits(map), *(bits(each) for each in backward if each is not None)])
print(json.dumps(found))
"""


def checksums(threads: str, isa: str) -> list[list[str]]:
    found: list[list[str]] = json.loads(said(PROGRAM, ACLHOST_NUM_THREADS=threads, ACLHOST_ISA=isa))
    return found


@pytest.fixture(scope="module")
def reference() -> list[list[str]]:
    return checksums("1", "avx512")


@pytest.mark.parametrize(("threads", "isa"), [("3", "avx2"), ("2", "avx512"), ("1", "baseline")])
def test_bits_of_any_geometry(reference: list[list[str]], threads: str, isa: str) -> None:
    assert checksums(threads, isa) == reference


def test_memory_is_far_from_a_column_for_each_position() -> None:
    channels, length = 32, 192
    image = np.ones((1, channels, length, length), "f4")
    weight = np.ones((48, channels, 3, 3), "f4")
    map = np.empty((1, 48, length, length), "f4")
    columns = channels * 9 * length * length * 4

    def convolve() -> None:
        aclhost.convolution(image, weight, None, 1, 1, 1, False, 0, 1, out=map)

    convolve()  # what is loaded and kept stays out of it
    assert memory.peak_extra(convolve) < columns / 8
    gradients = (np.empty_like(image), np.empty_like(weight), None)

    def differentiate() -> None:
        aclhost.convolution_backward(
            map, image, weight, [True, True, False], [48], 1, 1, 1, False, 0, 1, out=gradients
        )

    differentiate()
    assert memory.peak_extra(differentiate) < columns / 4
