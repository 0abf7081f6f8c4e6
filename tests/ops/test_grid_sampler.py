# SPDX-License-Identifier: Apache-2.0
"""Sampling by grids: known answers, infinities, masks, channels that come last."""

from __future__ import annotations

import numpy as np
import pytest

import aclhost
from aclhost import ops
from aclhost.calls import abi
from aclhost.calls.values import make_output
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.formats import NDHWC

IMAGE = np.array([[[[1.0, 2.0], [3.0, 5.0]]]], dtype=np.float32)


def at(x: float, y: float, *modes: str, align: bool = True) -> float:
    grid = np.array([[[[x, y]]]], dtype=np.float32)
    return float(aclhost.grid_sampler2_d(IMAGE, grid, *modes, align_corners=align).item())


def test_corners_and_middle() -> None:
    assert [at(x, y) for y in (-1, 1) for x in (-1, 1)] == [1, 2, 3, 5]
    assert at(0, 0) == 2.75
    assert at(0, 0, "nearest") == 1  # a tie goes to the even place
    assert at(-1, -1, align=False) == 0.25  # a quarter of the pixel is inside


def test_outside() -> None:
    assert at(3, -1) == 0
    assert at(3, -1, "bilinear", "border") == 2
    assert at(3, -1, "bilinear", "reflection") == 1  # there and back
    for far in (np.inf, -np.inf, np.nan, 1e30):
        assert at(far, far) == 0
        assert at(far, far, "bilinear", "border") in (1, 5)
        assert at(far, far, "nearest", "reflection") in (1, 2, 3, 5)


def test_what_lies_outside_is_not_multiplied() -> None:
    image = np.full((1, 1, 2, 2), np.inf, np.float32)
    grid = np.full((1, 1, 1, 2), 5.0, np.float32)
    assert aclhost.grid_sampler2_d(image, grid).item() == 0


@pytest.mark.parametrize("mask", [(True, False), (False, True)])
def test_mask(mask: tuple[bool, bool], stream: int) -> None:
    """What the mask leaves out stays as it is."""
    op = ops.BY_NAME["aclnnGridSampler2DBackward"]
    call = op.samples[0].passing(outputMask=mask)
    untouched = "gridGrad" if mask[0] else "inputGrad"
    with abi.prepared_call(op, call) as prepared:
        abi.run(op, prepared, stream)
        before = make_output(call.tensor(untouched)).memory.tobytes()
        assert prepared.fetch(untouched).tobytes() == before
        other = "inputGrad" if mask[0] else "gridGrad"
        assert prepared.fetch(other).tobytes() != make_output(call.tensor(other)).memory.tobytes()


def test_channels_last(stream: int) -> None:
    """The label of input moves the channels of input and out."""
    op = ops.BY_NAME["aclnnGridSampler3D"]
    rng = np.random.default_rng(0)
    image = rng.normal(size=(1, 2, 3, 4, 5)).astype(np.float32)
    grid = rng.uniform(-1, 1, (1, 2, 2, 3, 3)).astype(np.float32)
    moved = tuple(np.moveaxis(image, 1, -1).ravel().tolist())
    call = Call(
        {
            "input": TensorArg((1, 3, 4, 5, 2), values=moved, format=NDHWC),
            "grid": TensorArg(grid.shape, values=tuple(grid.ravel().tolist())),
            "interpolationMode": 0,
            "paddingMode": 0,
            "alignCorners": False,
            "out": TensorArg((1, 2, 2, 3, 2), format=NDHWC),
        }
    )
    with abi.prepared_call(op, call) as prepared:
        abi.run(op, prepared, stream)
        got = np.moveaxis(prepared.fetch("out"), -1, 1)
    assert np.array_equal(got, aclhost.grid_sampler3_d(image, grid))


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_double_gradients(mode: str) -> None:
    """DOUBLE against torch: last bits depend on the order of sums."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    arrays = [rng.normal(size=(2, 5, 9, 8)), rng.normal(size=(2, 5, 6, 7))]
    arrays.append(rng.uniform(-1.2, 1.2, (2, 9, 8, 2)))
    got = aclhost.grid_sampler2_dbackward(*arrays, (True, True), mode, "reflection")
    number = ("bilinear", "nearest").index(mode)
    theirs = torch.ops.aten.grid_sampler_2d_backward(
        *map(torch.from_numpy, arrays), number, 2, False, [True, True]
    )
    for ours, other in zip(got, theirs, strict=True):
        np.testing.assert_allclose(ours, other.numpy(), rtol=1e-12, atol=1e-12)


def test_neighbour_that_does_not_exist() -> None:
    gradient, weight = np.ones((1, 1, 2), np.float32), np.ones((1, 2, 3), np.float32)
    places = np.array([[[0, 1, 2], [3, -1, 0]]], np.int32)
    out = np.full((1, 1, 3), 7, np.float32)
    with pytest.raises(aclhost.AclnnError, match=r"0 to 2; got 3 at position 3, idx\[0, 1, 0\]"):
        aclhost.three_interpolate_backward(gradient, places, weight, 3, out=out)
    assert out.tolist() == [[[2.0, 1.0, 1.0]]]


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_gradient_of_many_channels_is_that_of_each(mode: str) -> None:
    rng = np.random.default_rng(7)
    image, gradient = rng.normal(size=(2, 2, 6, 5, 7)).astype(np.float32)
    grid = rng.uniform(-1.2, 1.2, (2, 5, 7, 2)).astype(np.float32)
    gradient[0, 3] = np.inf  # beside others, not among them

    def of_input(channels: slice) -> np.ndarray:
        parts = (
            np.ascontiguousarray(gradient[:, channels]),
            np.ascontiguousarray(image[:, channels]),
        )
        return aclhost.grid_sampler2_dbackward(*parts, grid, (True, False), mode)[0]

    together = of_input(slice(None))
    for channel in range(6):
        alone = of_input(slice(channel, channel + 1))
        assert together[:, channel].tobytes() == alone[:, 0].tobytes()
