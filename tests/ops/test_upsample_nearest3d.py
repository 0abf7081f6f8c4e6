# SPDX-License-Identifier: Apache-2.0
"""aclnnUpsampleNearest3d: what its declaration cannot say."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support.views import VIEWS, random_bits

import aclhost
from aclhost.calls import abi
from aclhost.ops.resize.upsample_nearest3d import OP
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import FLOAT16
from aclhost.spec.formats import NCDHW, ND, NDHWC

INF, NAN = float("inf"), float("nan")
ASCEND_950 = "Ascend950PR_9599"
DTYPES = ["float32", "float16", "bfloat16", "float64", "uint8"]  # the last on Ascend 950 only
RNG = np.random.default_rng(10)


def sources(inputs: int, outputs: int, scale: float | None = None) -> np.ndarray:
    """Where each output element comes from, as documented."""
    step = np.float32(inputs) / np.float32(outputs) if scale is None else np.float32(1.0 / scale)
    places = np.floor(np.arange(outputs).astype(np.float32) * step)
    last = inputs - 1
    return np.where(places < np.float32(last), places.astype(np.int64), last)


def resized(x: np.ndarray, output: tuple[int, ...], scales: tuple[float | None, ...]) -> np.ndarray:
    for axis, (length, scale) in enumerate(zip(output, scales, strict=True), 2):
        x = x.take(sources(x.shape[axis], length, scale), axis)
    return x


NONE = (None, None, None)


def mapped(inputs: int, outputs: int, axis: int, scale: float = 0.0) -> list[int]:
    """The source of each output element along an axis."""
    lengths, sizes, scales = [1, 1, 1], [1, 1, 1], [min(scale, 1.0)] * 3
    lengths[axis], sizes[axis], scales[axis] = inputs, outputs, scale
    x = np.arange(inputs, dtype=np.float32).reshape(1, 1, *lengths)
    return [int(value) for value in aclhost.upsample_nearest3d(x, sizes, *scales).ravel()]


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(
    ("inputs", "outputs", "scale", "wanted"),
    [
        (3, 7, 0.0, [0, 0, 0, 1, 1, 2, 2]),
        (5, 3, 0.0, [0, 1, 3]),
        (3, 7, 2.6, [0, 0, 0, 1, 1, 1, 2]),
        (2, 82, 0.0, [0] * 42 + [1] * 40),  # 41 * float(2 / 82) is 0.99999994
        (2, 10, 2.0, [0, 0, *[1] * 8]),
        (3, 3, INF, [0, 0, 0]),
        (3, 3, 1e-60, [0, 2, 2]),  # an infinite step
    ],
)
def test_sources(axis: int, inputs: int, outputs: int, scale: float, wanted: list[int]) -> None:
    assert mapped(inputs, outputs, axis, scale) == wanted


@pytest.mark.parametrize("soc", ["Ascend910B1", ASCEND_950])
def test_the_reciprocal_is_taken_in_double(soc: str) -> None:
    """In float, as Ascend 950 has it, it would be 59; aclhost has one rule for all products."""
    with aclhost.soc(soc):
        assert mapped(62, 34, 2, 0.55)[33] == 60


@pytest.mark.parametrize("scales", [(2.0, 0.0, 2.0), (-1.0, 2.0, 2.0), (2.0, 2.0, NAN)])
@pytest.mark.parametrize("soc", ["Ascend910B1", ASCEND_950])
def test_scales_count_together_or_not_at_all(soc: str, scales: tuple[float, float, float]) -> None:
    x = RNG.normal(size=(1, 2, 3, 4, 5)).astype(np.float32)
    with aclhost.soc(soc):
        result = aclhost.upsample_nearest3d(x, (7, 5, 3), *scales)
    assert np.array_equal(result, resized(x, (7, 5, 3), NONE))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scales", [(), (2.6, 1.4, 0.7)])
def test_bits_are_copied(dtype: str, scales: tuple[float, ...]) -> None:
    x = random_bits((2, 3, 3, 5, 7), dtype)
    with aclhost.soc(ASCEND_950):
        result = aclhost.upsample_nearest3d(x, (7, 5, 4), *scales)
    assert result.dtype == x.dtype
    assert result.tobytes() == resized(x, (7, 5, 4), scales or NONE).tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_agrees_with_torch(dtype: str) -> None:
    for _ in range(60):
        size, output = (tuple(map(int, RNG.integers(1, 40, 3))) for _ in range(2))
        values = RNG.normal(size=(1, 2, *size)).astype(np.float32)
        x = torch.from_numpy(values).to(getattr(torch, dtype))
        ours = aclhost.upsample_nearest3d(x, output)
        # Of float64, torch finds the places in float64; the operator has them in float32 always.
        wanted = torch.ops.aten.upsample_nearest3d(x.float(), output)
        assert torch.equal(ours, wanted.to(x.dtype))


def test_agrees_with_torch_on_scales() -> None:
    for _ in range(60):
        size = np.array(RNG.integers(2, 20, 3))
        scales = RNG.uniform(0.3, 3.0, 3)
        output = np.maximum(np.floor(size * scales), 1).astype(int)
        x = torch.from_numpy(RNG.normal(size=(1, 2, *size)))
        ours = aclhost.upsample_nearest3d(x, output.tolist(), *scales)
        theirs = torch.ops.aten.upsample_nearest3d(x, output.tolist(), *scales)
        assert torch.equal(ours, theirs)


def test_where_torch_differs() -> None:
    """Torch decides about each scale on its own."""
    x = torch.arange(3.0).reshape(1, 1, 1, 1, 3)
    ours = aclhost.upsample_nearest3d(x, (1, 1, 6), 1.0, 0.0, 2.9)
    theirs = torch.ops.aten.upsample_nearest3d(x, (1, 1, 6), 1.0, 0.0, 2.9)
    assert ours.ravel().tolist() == [0, 0, 1, 1, 2, 2]
    assert theirs.ravel().tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_views_give_the_same_bits_as_copies(dtype: str, view) -> None:
    x = view(random_bits((2, 3, 3, 5, 7), dtype))
    wanted = resized(x, (7, 5, 4), NONE)
    with aclhost.soc(ASCEND_950):
        assert aclhost.upsample_nearest3d(x, (7, 5, 4)).tobytes() == wanted.tobytes()
        out = view(np.zeros_like(wanted))
        if out.flags.writeable:  # not one that repeats elements
            aclhost.upsample_nearest3d(x, (7, 5, 4), out=out)
            assert out.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("labels", [(NCDHW, NCDHW), (ND, NDHWC), (NDHWC, NDHWC)], ids=str)
@pytest.mark.usefixtures("no_leaks")
def test_layouts(labels, stream: int) -> None:
    """The label of self decides for both."""
    x = RNG.normal(size=(2, 3, 4, 5, 6)).astype(np.float16)
    output = (8, 3, 7)
    wanted = resized(x, output, (2.0, 0.6, 1.2))
    last = labels[0] is NDHWC
    values = np.moveaxis(x, 1, -1) if last else x
    call = Call(
        {
            "self": TensorArg(
                values.shape, FLOAT16, tuple(values.ravel().tolist()), format=labels[0]
            ),
            "outputSize": output,
            "scalesD": 2.0,
            "scalesH": 0.6,
            "scalesW": 1.2,
            "out": TensorArg(
                (2, *output, 3) if last else (2, 3, *output), FLOAT16, format=labels[1]
            ),
        }
    )
    with abi.prepared_call(OP, call) as prepared:
        abi.run(OP, prepared, stream)
        result = prepared.fetch("out")
    assert np.array_equal(np.moveaxis(result, -1, 1) if last else result, wanted)


def test_empty_batch() -> None:
    x, out = np.zeros((0, 2, 1, 1, 1), np.float32), np.zeros((0, 2, 2, 2, 2), np.float32)
    assert aclhost.upsample_nearest3d(x, (2, 2, 2), out=out) is out
    assert aclhost.upsample_nearest3d(x, (2, 2, 2)).shape == out.shape


@pytest.mark.parametrize(
    ("inputs", "outputs", "scale"),
    [(5, 2**24 + 3, None), (2**24 + 3, 7, None), (2**24 + 3, 2**24 + 5, None), (2**25, 9, 3e-7)],
)
def test_indices_that_float_rounds(inputs: int, outputs: int, scale: float | None) -> None:
    """The formula as written; a source is never beyond the end."""
    x = np.arange(inputs, dtype=np.float64).reshape(1, 1, 1, 1, inputs)
    scales = () if scale is None else (1.0, 1.0, scale)
    result = aclhost.upsample_nearest3d(x, (1, 1, outputs), *scales)
    assert np.array_equal(result.ravel(), sources(inputs, outputs, scale))


@pytest.mark.slow
def test_more_than_2_31_elements() -> None:
    x = np.arange(1, 28, dtype=np.uint8).reshape(1, 1, 3, 3, 3)
    output = (2049, 1025, 1025)
    with aclhost.soc(ASCEND_950):
        result = aclhost.upsample_nearest3d(x, output)
    assert result.size > 2**31
    planes = resized(x, (3, *output[1:]), NONE)[0, 0]
    for depth, source in enumerate(sources(3, output[0])):
        assert np.array_equal(result[0, 0, depth], planes[source])
