# SPDX-License-Identifier: Apache-2.0
"""Gated and random units: answers worked out by hand, rows of groups, known random numbers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import aclhost

# The four words for a counter and a key of zeros, as the authors of Philox 4x32-10 publish them.
PHILOX = (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)


def test_glu_halves_along_any_dimension() -> None:
    x = np.array([[1.0, 2.0], [0.0, 0.0]], np.float32)
    assert aclhost.glu(x, 0).tolist() == [[0.5, 1.0]]
    assert aclhost.glu(np.array([3.0, 0.0], np.float32)).tolist() == [1.5]


def test_gradient_may_replace_its_input() -> None:
    rng = np.random.default_rng(3)
    x, grad = rng.normal(size=(5, 8)).astype("f4"), rng.normal(size=(5, 4)).astype("f4")
    wanted = aclhost.swi_glu_grad(grad, x)
    aclhost.swi_glu_grad(grad, x, out=x)
    assert x.tobytes() == wanted.tobytes()


def test_prelu_takes_weights_of_any_strides() -> None:
    x = -np.ones((1, 6), np.float32)
    weight = np.arange(6, dtype=np.float32).reshape(3, 2).T
    assert aclhost.prelu(x, weight).tolist() == [[0, -2, -4, -1, -3, -5]]


@pytest.mark.parametrize("shape", [(37, 5, 9001), (9000, 7), (3, 2, 40, 5)])
def test_weight_gradient_of_many_parts(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(5)
    x, grad = (rng.normal(size=shape).astype("f4") for _ in range(2))
    terms = np.where(x > 0, 0.0, grad.astype("f8") * x)
    each = aclhost.prelu_backward(grad, x, np.ones(shape[1], "f4"))[1]
    axes = tuple(axis for axis in range(len(shape)) if axis != 1)
    np.testing.assert_allclose(each, terms.sum(axis=axes), rtol=1e-6, atol=1e-3)
    for_all = aclhost.prelu_backward(grad, x, np.ones(1, "f4"))[1]
    np.testing.assert_allclose(for_all, [terms.sum()], rtol=1e-6, atol=1e-3)


def test_random_slopes_are_those_of_philox() -> None:
    x, noise = -np.ones(4, np.float32), np.zeros(4, np.float32)
    aclhost.rrelu_with_noise(x, noise, 0.0, 1.0, True, 0, 0)
    assert noise.tolist() == [(word & 0x7FFFFF) / 2**23 for word in PHILOX]


def test_noise_without_training_and_behind_self_stays() -> None:
    x, noise = np.array([-2.0, 3.0], np.float32), np.full(4, 7.0, np.float32)
    assert aclhost.rrelu_with_noise(x, noise, 0.25, 0.75, False)[1].tolist() == [-1.0, 3.0]
    assert noise.tolist() == [7.0] * 4
    aclhost.rrelu_with_noise(x, noise, 0.5, 0.5, True)
    assert noise.tolist() == [0.5, 1.0, 7.0, 7.0]


def test_rows_behind_the_last_group() -> None:
    """The forward leaves them alone, the gradient sets them to 0."""
    x, groups = np.full((4, 2), 2.0, np.float32), np.array([1, 2])
    out = np.full((4, 1), -5.0, np.float32)
    aclhost.clipped_swiglu(x, groups, out=out)
    assert out[3, 0] == -5.0
    assert (out[:3] > 0).all()
    slopes = aclhost.clipped_swiglu_grad(np.ones((4, 1), "f4"), x, groups)
    assert (slopes[:3] != 0).all()
    assert (slopes[3] == 0).all()


@pytest.mark.parametrize(("sizes", "rows"), [((9,), 4), ((-3,), 0), ((2**62, 2**62, 2**62), 4)])
def test_absurd_groups_stay_inside(sizes: tuple[int, ...], rows: int) -> None:
    out = np.full((4, 1), -5.0, np.float32)
    aclhost.clipped_swiglu(np.ones((4, 2), np.float32), np.array(sizes), out=out)
    assert (out != -5.0).sum() == rows


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_rounded_by_a_given_scale(approximate: str) -> None:
    """Nobody gets the scales then; what is too large for INT8 is cut off."""
    x = np.linspace(-3, 3, 40, dtype=np.float32).reshape(4, 10)
    scale, offset = np.full(1, 50, np.float32), np.full(1, 0.25, np.float32)
    with aclhost.soc("Ascend950PR_9599"):
        y, scales = aclhost.gelu_quant(x, scale, offset, approximate, "static", "rint", 2)
    wanted = torch.nn.functional.gelu(torch.from_numpy(x), approximate=approximate).numpy()
    assert scales is None
    assert y.dtype == np.int8
    assert np.abs(y - np.clip(wanted * 50 + 0.25, -128, 127)).max() < 0.51
    assert y.max() == 127
