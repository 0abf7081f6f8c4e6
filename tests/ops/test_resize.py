# SPDX-License-Identifier: Apache-2.0
"""Resizing: what drawn calls are too small or too plain to show."""

from __future__ import annotations

import numpy as np
import pytest

import aclhost
from aclhost import ops
from aclhost.calls import abi
from aclhost.calls.values import expected
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import FLOAT
from aclhost.spec.formats import NDHWC, NHWC, Format
from aclhost.spec.operator import Operator
from aclhost.spec.products import A950

RNG = np.random.default_rng(3)
INF = float("inf")


def test_bilinear_by_hand() -> None:
    """Between 0 and 4, and between the rows 0 and 8."""
    x = np.array([[[[0, 4], [8, 12]]]], np.float32)
    between = np.array([0, 1, 3, 4], np.float32)
    wanted = between + np.array([0, 2, 6, 8], np.float32)[:, None]
    assert np.array_equal(aclhost.upsample_bilinear2d(x, (4, 4))[0, 0], wanted)
    corners = aclhost.upsample_bilinear2d(x, (3, 3), align_corners=True)[0, 0]
    assert corners.tolist() == [[0, 2, 4], [4, 6, 8], [8, 10, 12]]
    gradient = aclhost.upsample_bilinear2d_backward(np.ones_like(x), (2, 2), (1, 1, 1, 2))
    assert gradient.tolist() == [[[[2, 2]]]]


def test_cubic_by_hand() -> None:
    """The weights of a step of 1/2: -0.09375, 0.59375, 0.59375, -0.09375 with corners aligned."""
    x = np.array([0, 0, 1, 0, 0], np.float32).reshape(1, 1, 1, 5)
    row = aclhost.upsample_bicubic2d(x, (1, 9), align_corners=True).ravel()
    assert row.tolist() == [0, -0.09375, 0, 0.59375, 1, 0.59375, 0, -0.09375, 0]


def test_smooth_by_hand() -> None:
    """Half as long: a triangle over four elements, the first of which lies beyond the end."""
    x = np.array([8, 0, 0, 0], np.float32).reshape(1, 1, 1, 4)
    row = aclhost.upsample_bilinear2d_aa(x, (1, 2)).ravel()
    assert row == pytest.approx([8 * 3 / 7, 0])


def test_nearest_middles() -> None:
    """Four to one takes the third, as its middle is nearest to that of all from above."""
    x = np.arange(4, dtype=np.float32).reshape(1, 1, 4)
    assert aclhost.upsample_nearest1d(x, (1,)).ravel().tolist() == [0]
    assert aclhost.upsample_nearest_exact1d(x, (1,)).ravel().tolist() == [2]
    assert aclhost.upsample_nearest_exact1d(x, (3,)).ravel().tolist() == [0, 2, 3]


def test_weights_of_nothing() -> None:
    """Infinity stays where it is: neighbours with a weight of 0 do not see it."""
    x = np.array([1, INF, 3], np.float32).reshape(1, 1, 3)
    row = aclhost.upsample_linear1d(x, (5,), align_corners=True).ravel()
    assert row.tolist() == [1, INF, INF, INF, 3]


FORWARD = [
    "resize",
    "upsample_bicubic2d",
    "upsample_bicubic2d_aa",
    "upsample_bilinear2d",
    "upsample_bilinear2d_aa",
    "upsample_linear1d",
    "upsample_nearest1d",
    "upsample_nearest1d_v2",
    "upsample_nearest2d",
    "upsample_nearest2d_v2",
    "upsample_nearest_exact1d",
    "upsample_nearest_exact2d",
    "upsample_nearest_exact3d",
    "upsample_nearest3d",
    "upsample_trilinear3d",
]
BACKWARD = [
    "upsample_bicubic2d_aagrad",
    "upsample_bicubic2d_backward",
    "upsample_bilinear2d_aabackward",
    "upsample_bilinear2d_backward",
    "upsample_bilinear2d_backward_v2",
    "upsample_linear1d_backward",
    "upsample_nearest1d_backward",
    "upsample_nearest2d_backward",
    "upsample_nearest_exact1d_backward",
    "upsample_nearest_exact2d_backward",
    "upsample_nearest_exact3d_backward",
    "upsample_nearest3d_backward",
    "upsample_trilinear3d_backward",
]


@pytest.mark.parametrize("name", [*FORWARD, *BACKWARD])
def test_weights_add_up_to_one(name: str) -> None:
    """What is the same everywhere stays so, and no gradient gets lost."""
    op = next(op for op in ops.ALL if op.snake_name == name)
    call = op.samples[0]
    arguments = {param.python_name: call.arguments[param.name] for param in op.python_params()}
    source = op.params[0].python_name
    ones = np.ones(call.shape(op.params[0].name), np.float32)
    result = getattr(aclhost, name)(**{**arguments, source: ones})
    if name in FORWARD:
        assert result == pytest.approx(np.ones(result.shape), rel=1e-6)
    else:
        assert result.sum() == pytest.approx(ones.size, rel=1e-6)


LONG = [
    ("upsample_linear1d", (2, 3, 5000), (3001,), {}),
    ("upsample_linear1d", (1, 1, 3), (4000,), {}),
    ("upsample_nearest_exact1d", (1, 2, 4001), (3000,), {}),
    ("upsample_bilinear2d", (1, 2, 1300, 3), (700, 2100), {}),
    ("upsample_bilinear2d", (2, 1, 2500, 1), (1700, 1), {}),
    ("upsample_bicubic2d", (1, 3, 40, 1100), (90, 2300), {}),
    ("upsample_bicubic2d_aa", (1, 2, 300, 2000), (11, 101), {}),
    ("upsample_bilinear2d_aa", (1, 2, 100, 2100), (7, 1100), {}),
    ("upsample_trilinear3d", (1, 2, 9, 60, 600), (20, 33, 1301), {}),
    ("upsample_linear1d_backward", (1, 2, 7), (3000,), {}),
    # Almost all gradients go to the last element.
    ("upsample_linear1d_backward", (1, 1, 2000), (2500,), {"scales": 9.0}),
    ("upsample_bilinear2d_backward", (1, 2, 80, 1300), (33, 2700), {}),
    ("upsample_bicubic2d_backward", (1, 2, 30, 40), (200, 2200), {}),
    ("upsample_bicubic2d_aagrad", (1, 2, 100, 1500), (9, 40), {}),
    ("upsample_trilinear3d_backward", (1, 2, 9, 30, 600), (20, 33, 1301), {}),
]


@pytest.mark.parametrize(("name", "shape", "outputs", "given"), LONG)
@pytest.mark.parametrize("channels_inner", [False, True])
def test_long_rows(name, shape, outputs, given, channels_inner: bool) -> None:
    """Rows of several pieces, windows of many rows, channels that lie side by side."""
    op = next(op for op in ops.ALL if op.snake_name == name)
    backward = any(param.name == "inputSize" for param in op.params)
    resized = (*shape[:2], *outputs)
    read = resized if backward else shape
    x = RNG.normal(size=read).astype(np.float32)
    if channels_inner:
        x = np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1)
    with aclhost.soc(A950.default_soc if given else "Ascend910B1"):
        sizes = (outputs, shape) if backward else (outputs,)
        got = getattr(aclhost, name)(x, *sizes, **given)
    arrays = {"outputSize": outputs, "inputSize": shape, **given}
    defaults = {p.name: arrays.get(p.name, getattr(p, "default", None)) for p in op.params}
    call = Call({**defaults, op.params[0].name: TensorArg(read), op.outputs[0].name: None})
    inputs = {op.params[0].name: x}
    (wanted,) = expected(op, call, inputs)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6 * np.abs(wanted).max())


LABELLED = [
    op
    for op in ops.ALL
    if op.source.startswith("src/aclhost/ops/resize/")
    and (" NHWC" in op.formats or "NDHWC" in op.formats)
    and op.name != "aclnnUpsampleNearestExact2dBackward"
]


def _moved(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (shape[0], *shape[2:], shape[1])


def _relabelled(op: Operator, call: Call, label: Format) -> Call:
    """With channels last; inputSize of images has the order of the label, that of volumes not."""
    changes: dict[str, object] = {}
    for param in op.params:
        argument = call.arguments[param.name]
        if isinstance(argument, TensorArg):
            changes[param.name] = TensorArg(_moved(argument.shape), argument.dtype, format=label)
        elif param.name in ("inputSize", "scales") and isinstance(argument, tuple):
            changes[param.name] = _moved(argument) if label is NHWC else argument
    on_950 = op.short_name == "UpsampleBicubic2dBackward"  # which takes NHWC only there
    return call.on(A950 if on_950 else call.product).passing(**changes)


@pytest.mark.parametrize("op", LABELLED, ids=lambda op: op.name)
def test_channels_last(op: Operator, stream: int) -> None:
    """The same numbers in another order."""
    call = next(call for call in op.samples if call.tensor(op.params[0].name).dtype is FLOAT)
    source, result = op.params[0].name, op.outputs[0].name
    label = NDHWC if len(call.shape(source)) == 5 else NHWC
    x = RNG.normal(size=call.shape(source)).astype(np.float32)
    wanted = expected(op, call, {source: x})[0]
    last = _relabelled(op, call, label)
    values = tuple(np.moveaxis(x, 1, -1).ravel().tolist())
    described = last.tensor(source)
    last = last.passing(
        **{source: TensorArg(described.shape, FLOAT, values, format=described.format)}
    )
    with abi.prepared_call(op, last) as prepared:
        abi.run(op, prepared, stream)
        got = prepared.fetch(result)
    assert np.moveaxis(got, -1, 1) == pytest.approx(wanted, rel=1e-5, abs=1e-5)
