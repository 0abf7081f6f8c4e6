# SPDX-License-Identifier: Apache-2.0
"""Convolutions: bits of any geometry, and how much memory they take."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.interpreter import said

import aclhost
from aclhost import ops
from aclhost.bench import memory
from aclhost.spec.described import describe

Array = np.ndarray[Any, Any]

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
for batches, channels, maps, length in ((3, 15, 17, 9), (1, 29, 64, 47), (9, 3, 33, 16)):
    image, weight = of(rng, batches, channels, 7, length), of(rng, maps, channels, 3, 3)
    slope = of(rng, batches, maps, 7, length)
    gradients = aclhost.convolution_backward(
        slope, image, weight, [False, True, False], [maps], 1, 1, 1, False, 0, 1)
    found.append([bits(gradients[1])])
sequence, weight, slope = of(rng, 1100, 2, 15), of(rng, 3, 15, 64), of(rng, 1100, 2, 64)
gradients = aclhost.conv_tbc_backward(slope, sequence, weight, of(rng, 64), 1)
found.append([bits(gradients[1])])
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


def _spaced(array: Array) -> Array:
    """The same values, the first channels of a larger array."""
    room = np.full((array.shape[0], 2 * array.shape[1], *array.shape[2:]), np.nan, array.dtype)
    room[:, : array.shape[1]] = array
    return room[:, : array.shape[1]]


def _reversed(array: Array) -> Array:
    return array[::-1].copy()[::-1]


@pytest.mark.parametrize("view", [_spaced, _reversed])
@pytest.mark.parametrize("groups", [1, 2, 6])
@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("dtype", ["f4", ml_dtypes.bfloat16])
def test_views_of_every_tensor(
    view: Callable[[Array], Array], groups: int, kernel: int, dtype: Any
) -> None:
    rng = np.random.default_rng(2)
    image = rng.normal(size=(2, 12, 17, 19)).astype(dtype)
    weight = rng.normal(size=(24, 12 // groups, kernel, kernel)).astype(dtype)
    windows = ((1, 1), (kernel // 2,) * 2, (1, 1), False, (0, 0), groups)
    map = aclhost.convolution(image, weight, None, *windows)
    given, out = (view(each) for each in (image, weight)), view(np.empty_like(map))
    aclhost.convolution(*given, None, *windows, out=out)
    assert np.array_equal(out, map)
    mask = (True, True, False)
    wanted = aclhost.convolution_backward(map, image, weight, mask, (), *windows)
    given = (view(each) for each in (map, image, weight))
    gradients = (view(np.empty_like(image)), view(np.empty_like(weight)), None)
    aclhost.convolution_backward(*given, mask, (), *windows, out=gradients)
    for found, expected in zip(gradients[:2], wanted[:2], strict=True):
        assert np.array_equal(found, expected)


@pytest.mark.parametrize(("channels", "groups", "stride"), [(16, 1, 1), (15, 1, 2), (14, 2, 1)])
def test_pairs_of_channels(channels: int, groups: int, stride: int) -> None:
    """Large enough for the processor's products of pairs, where it has them."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(3)
    image, weight, bias = (
        torch.tensor(rng.normal(size=shape)).bfloat16()
        for shape in ((2, channels, 17, 19), (20, channels // groups, 3, 3), (20,))
    )  # fmt: skip
    windows = ((stride,) * 2, (1, 1), (1, 1), False, (0, 0), groups)
    out = torch.as_tensor(aclhost.convolution(image, weight, bias, *windows)).double()
    exact = torch.conv2d(*(each.double() for each in (image, weight, bias)), stride, 1, 1, groups)
    size = torch.conv2d(*(each.double().abs() for each in (image, weight, bias)), stride, 1, 1,
                        groups)  # fmt: skip
    assert bool(((out - exact).abs() <= exact.abs() * 2**-8 + size * 2**-20).all())


# Batches, channels, channels of the map, lengths, kernel, stride, dilation and groups. Beside each
# of 14 channels of a block, 16 and 64 of the map, lines that are odd, and pieces of 2048 positions.
WEIGHED = (
    (1, 1, 32, (5, 7), 3, 1, 1, 1),
    (1, 4, 16, (5, 7), 3, 1, 1, 1),
    (2, 13, 17, (6, 8), 3, 1, 1, 1),
    (3, 28, 63, (9, 9), 2, 2, 1, 2),
    (40, 15, 65, (7, 7), 3, 1, 2, 1),
    (1, 29, 48, (61, 43), 3, 1, 1, 1),
    (2, 14, 33, (3, 2049), 3, 2, 1, 1),
    (1, 3, 64, (4200,), 4, 1, 1, 1),
    (2, 16, 32, (13, 14, 15), 2, 1, 2, 1),
)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("layer", WEIGHED, ids=str)
def test_gradients_of_weights(layer: tuple[Any, ...], dtype: str) -> None:
    torch = pytest.importorskip("torch")
    batches, channels, maps, lengths, kernel, stride, dilation, groups = layer
    axes = len(lengths)
    windows = ((stride,) * axes, (1,) * axes, (dilation,) * axes, False, (0,) * axes, groups)
    generator = torch.Generator().manual_seed(6)

    def drawn(*shape: int) -> Any:
        values = torch.randn(shape, generator=generator, dtype=torch.float64)
        return values.to(getattr(torch, dtype))

    image = drawn(batches, channels * groups, *lengths)
    weight = drawn(maps * groups, channels, *(kernel,) * axes)
    reached = [(n + 1 - dilation * (kernel - 1)) // stride + 1 for n in lengths]
    slope = drawn(batches, maps * groups, *reached)
    image.view(-1)[0] = slope.view(-1)[-1] = torch.inf  # meets zeros around the image nowhere
    mask, sizes = (False, True, False), (maps * groups,)

    def gradient(of: Any, by: Any) -> Any:
        given = (of, by, weight.double(), None, *windows, mask)
        return torch.ops.aten.convolution_backward(*given)[1]

    exact = gradient(slope.double(), image.double())
    size = gradient(slope.double().abs(), image.double().abs())
    found = aclhost.convolution_backward(slope, image, weight, mask, sizes, *windows)[1]
    out = torch.as_tensor(found).double()
    finite = exact.isfinite()
    assert torch.equal(out[~finite].nan_to_num(2.0), exact[~finite].nan_to_num(2.0))
    step = {"float32": 2**-24, "float16": 2**-11, "bfloat16": 2**-8}[dtype]
    error = (out - exact).abs()[finite]
    assert finite.any()
    assert bool((error <= (exact.abs() * step + size * 2**-20)[finite]).all())


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_one_number_stands_for_all_axes(axes: int) -> None:
    rng = np.random.default_rng(axes)
    image = rng.normal(size=(2, 3, *(7,) * axes)).astype("f4")
    weight = rng.normal(size=(4, 3, *(3,) * axes)).astype("f4")
    written = ((2,) * axes, (1,) * axes, (1,) * axes, False, (0,) * axes, 1)
    map = aclhost.convolution(image, weight, None, *written)
    assert np.array_equal(aclhost.convolution(image, weight, None, 2, 1), map)
    mask = (True, True, False)
    wanted = aclhost.convolution_backward(map, image, weight, mask, (), *written)
    found = aclhost.convolution_backward(map, image, weight, mask, (), 2, 1)
    assert all(np.array_equal(*pair) for pair in zip(found[:2], wanted[:2], strict=True))
    plain = aclhost.convolution(image, weight, None)
    golden = aclhost.golden("convolution", input=image, weight=weight, bias=None)
    assert np.array_equal(golden["output"].native, plain)
    shapes = {"input": image.shape, "weight": weight.shape}
    words = [f"{name}=f32{[*shape]}".replace(" ", "") for name, shape in shapes.items()]
    described = describe(ops.BY_NAME["aclnnConvolution"], [*words, "bias=null"])
    assert described.arguments["dilation"] == (1,) * axes


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize(("length", "kernel", "pad"), [(100, 3, 1), (100, 2, 2), (200, 4, 0)])
def test_padding_of_long_sequences_counts_as_zeros(
    dtype: str, length: int, kernel: int, pad: int
) -> None:
    """Their middles are computed apart from their ends."""
    rng, kind = np.random.default_rng(8), getattr(ml_dtypes, dtype, dtype)
    sequence, weight = rng.normal(size=(length, 2, 5)), rng.normal(size=(kernel, 5, 7))
    sequence, weight = sequence.astype(kind), weight.astype(kind)
    bias = rng.normal(size=7).astype(kind)
    padded = np.pad(sequence, ((pad, pad), (0, 0), (0, 0)))
    out = aclhost.conv_tbc(sequence, weight, bias, pad)
    step = {"float32": 2**-20, "float16": 2**-10, "bfloat16": 2**-7}[dtype]
    wanted = aclhost.conv_tbc(padded, weight, bias, 0).astype(float)
    assert np.allclose(out.astype(float), wanted, step, 8 * step)
    slope = rng.normal(size=out.shape).astype(kind)
    got = aclhost.conv_tbc_backward(slope, sequence, weight, bias, pad)
    wanted = aclhost.conv_tbc_backward(slope, padded, weight, bias, 0)
    inside = wanted[0][pad : pad + length]
    for each, other in ((got[0], inside), (got[1], wanted[1]), (got[2], wanted[2])):
        assert np.allclose(each.astype(float), other.astype(float), step, 80 * step, equal_nan=True)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("maps", [7, 64])
@pytest.mark.parametrize(
    ("length", "kernel", "pad"), [(1, 3, 5), (5, 3, 1), (100, 3, 1), (100, 2, 2), (200, 4, 0)]
)
def test_infinite_slopes_beside_padding(
    dtype: str, maps: int, length: int, kernel: int, pad: int
) -> None:
    """Weights that meet no input there are not NaN, as in torch."""
    torch = pytest.importorskip("torch")
    rng, kind = np.random.default_rng(9), getattr(ml_dtypes, dtype, dtype)
    sequence, weight = rng.normal(size=(length, 2, 5)), rng.normal(size=(kernel, 5, maps))
    slope = rng.normal(size=(length + 2 * pad - kernel + 1, 2, maps))
    slope[0, 0, 0] = slope[-1, 1, 1] = np.inf
    given = [each.astype(kind) for each in (slope, sequence, weight, np.zeros(maps))]
    got = aclhost.conv_tbc_backward(*given, pad)
    exact = [torch.tensor(each.astype(float)) for each in given]
    step = {"float32": 2**-20, "float16": 2**-10, "bfloat16": 2**-7}[dtype]
    for each, wanted in zip(got, torch.ops.aten.conv_tbc_backward(*exact, pad), strict=True):
        assert np.allclose(each.astype(float), wanted, step, 80 * step, equal_nan=True)
    names = ("self", "input", "weight", "bias")
    golden = aclhost.golden("aclnnConvTbcBackward", **dict(zip(names, given, strict=True)), pad=pad)
    assert np.array_equal(
        np.isnan(golden["gradWeight"].exact), np.isnan(golden["gradWeight"].native)
    )


@pytest.mark.parametrize("pad", [0, 1, 3])
@pytest.mark.parametrize(("length", "channels"), [(4, 1), (255, 14), (257, 15), (1025, 29)])
@pytest.mark.parametrize("maps", [63, 64, 128])
def test_weights_of_sequences(length: int, channels: int, maps: int, pad: int) -> None:
    """Beside 64 channels of the map, which are read where they are, and 512 and 2048 terms."""
    rng = np.random.default_rng(length)
    sequence = rng.normal(size=(length, 2, channels)).astype("f4")
    weight = rng.normal(size=(3, channels, maps)).astype("f4")
    slope = rng.normal(size=(length + 2 * pad - 2, 2, maps)).astype("f4")
    bias = np.zeros(maps, "f4")
    padded = np.pad(sequence.astype(float), ((pad, pad), (0, 0), (0, 0)))
    steps = [padded[tap : tap + len(slope)] for tap in range(3)]
    wanted = np.stack([np.tensordot(each, slope, ((0, 1), (0, 1))) for each in steps])
    size = np.stack([np.tensordot(abs(each), abs(slope), ((0, 1), (0, 1))) for each in steps])
    spaced = np.zeros((3, channels, 2 * maps), "f4")[..., ::2]
    results = (np.empty_like(sequence), spaced, bias.copy())
    aclhost.conv_tbc_backward(slope, sequence, weight, bias, pad, out=results)
    assert (abs(spaced - wanted) <= 2**-20 * size).all()
