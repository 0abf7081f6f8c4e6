# SPDX-License-Identifier: Apache-2.0
"""Gradients of signals and images resized by taking the nearest value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aclhost.ops.resize.checks import (
    dim,
    gradient_image_shape,
    image_sides_positive,
    item,
    lengths_are,
    reaches,
    same_batch_and_channels,
)
from aclhost.ops.resize.family import IMAGE_SCALES, Resizing, Scales, Sizes, where_lengths_change
from aclhost.ops.resize.nearest import scales_that_count
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16
from aclhost.spec.formats import NCHW, NHWC
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    Condition,
    all_positive,
    done_when_empty,
    dtype_in,
    fits_shape,
    format_fits_rank,
    format_in,
    inner,
    inside_storage,
    length_in,
    not_null,
    only_on,
    rank_in,
    same_dtype,
    same_format,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.shapes import ArrayShape
from aclhost.spec.terms import And, DtypeOf, In, Not, Or, ProductIn, RealIs

_NEWER = (A950, A3, A2)
_SUPPORTED = supported_on(A950, A3, A2, P310P, T910)
_SUMMED = (FLOAT, FLOAT16, BF16)
_WINDOWS = (
    "Along each axis, with I the length in the result, O that in gradOut and S a float32 factor:"
    "\n\n`start(k) = min(ceil(float(k) * S), O)`\n\n"
    "The result at k is the sum of gradOut over [start(k), start(k + 1)), along all axes at once. "
    "Sums are taken in float (DOUBLE: in double), row by row, then along the width, and rounded "
    "once. "
)
_ADJOINT = "In float32 the windows are not always the exact adjoint of the forward's map."


def _reaching(scales: Scales, inputs: Sizes, outputs: Sizes) -> Scales:
    """A scale that leads to another length does not count."""
    (scale,), (before,), (after,) = scales, inputs, outputs
    return [scale if scale > 0 and int(before * scale) == after else 0.0]


_SIGNALS = Resizing(
    1,
    source="gradOut",
    backward=True,
    scales=("scales",),
    dtypes=(*_SUMMED, DOUBLE),
    shift=0.0,
    policy=_reaching,
)
_IMAGES = Resizing(
    2,
    source="gradOut",
    result="gradInput",
    backward=True,
    scales=IMAGE_SCALES,
    labelled=True,
    dtypes=_SUMMED,
    shift=0.0,
    policy=where_lengths_change,
)
_signal, _image = (2, 3, 5), (2, 3, 3, 5)


def _counts_as_in_forward(arguments: Mapping[str, Any]) -> bool:
    """The forward puts 2 for some scales, and takes both or none."""
    inputs, outputs = arguments["self"].shape[2:], arguments["outputSize"]
    scales = [arguments[name] for name in IMAGE_SCALES]
    return scales_that_count(scales, inputs, outputs) == _IMAGES.policy(scales, inputs, outputs)


_BY_WINDOWS_OF_SCALE = And(
    ProductIn((A3, A2)),
    And(
        And(RealIs("scales", ">", 0.0), Not(In(DtypeOf("gradOut"), (DOUBLE,)))),
        reaches("scales", item("inputSize", 2), dim("gradOut", 2)),
    ),
)
_LATE = Condition(
    Or(ProductIn((A950,)), _BY_WINDOWS_OF_SCALE),
    f"the product is {A950}, or {A3} or {A2} and the scale counts and the dtype is not DOUBLE",
)
_EARLY = Condition(Not(_LATE.term), f"the product is not {A950}, and no scale counts there")

NEAREST_1D_BACKWARD = Operator(
    "aclnnUpsampleNearest1dBackward",
    summary="Gradient of nearest-neighbour resizing of signals.",
    formula=f"{_WINDOWS}S is the scale where that is greater than 0 and leads from I to O, "
    "otherwise O / I.",
    params=_SIGNALS.params(ArrayShape("inputSize")),
    checks=(
        not_null("gradOut", "outputSize", "inputSize", "out"),
        rank_in("gradOut", 3),
        length_in("outputSize", 1),
        length_in("inputSize", 3),
        dtype_in("gradOut", FLOAT16, FLOAT, DOUBLE, BF16),
        same_dtype("out", "gradOut"),
        all_positive("inputSize", first=2),
        all_positive("outputSize"),
        lengths_are("gradOut", "inputSize", 0, 1),
        lengths_are("gradOut", "outputSize", 2),
        same_batch_and_channels("out", "gradOut"),
        done_when_empty("gradOut", "out"),
        when(_EARLY, fits_shape("out", ArrayShape("inputSize"), "of inputSize")),
        _SUPPORTED,
        inside_storage("gradOut"),
        when(_LATE, inner(shape_is("out", ArrayShape("inputSize"), "of inputSize"))),
        format_fits_rank("out"),
    ),
    **_SIGNALS.facts("upsample_nearest1d_backward"),
    gradient=_SIGNALS.gradient_of("aclnnUpsampleNearest1dV2", saved={"scales": "scaleL"}),
    samples=(
        *(_SIGNALS.call(dtype, _signal, (7,)) for dtype in (*_SUMMED, DOUBLE)),
        _SIGNALS.call(FLOAT, _signal, (13,), (2.6,)),
        _SIGNALS.call(FLOAT, _signal, (3,), (0.6,)),
        _SIGNALS.call(FLOAT, _signal, (7,), (3.0,)),
        _SIGNALS.call(DOUBLE, (1, 1, 2), (82,)),
    ),
    formats="Any label of gradOut; that of out must fit rank 3.",
    notes=(
        "Upstream's CPU fallback for DOUBLE, and its kernels without a scale, hand gradients back "
        "by the forward's map; aclhost sums windows for every dtype on every product.",
        _ADJOINT,
    ),
)

NEAREST_2D_BACKWARD = Operator(
    "aclnnUpsampleNearest2dBackward",
    summary="Gradient of nearest-neighbour resizing of images.",
    formula=f"{_WINDOWS}S is 1 where I = O, else the scale where that is greater than 0, otherwise "
    "O / I.",
    params=_IMAGES.params(ArrayShape("inputSize")),
    checks=(
        not_null("gradOut", "outputSize", "inputSize", "gradInput"),
        dtype_in("gradOut", FLOAT, FLOAT16, only_on(BF16, *_NEWER)),
        same_dtype("gradInput", "gradOut"),
        rank_in("gradOut", 4),
        length_in("outputSize", 2),
        length_in("inputSize", 4),
        format_in("gradInput", NCHW, NHWC),
        same_batch_and_channels("gradInput", "gradOut", "gradInput"),
        image_sides_positive("gradOut"),
        all_positive("outputSize"),
        shape_is(
            "gradOut",
            gradient_image_shape("gradOut"),
            "of inputSize with the lengths of outputSize, in the order of its format",
        ),
        done_when_empty("gradOut", "gradInput"),
        when(
            Condition(
                Or(
                    ProductIn((P310B, P310P, T910)),
                    And(
                        ProductIn((A3, A2)),
                        Not(Or(RealIs("scalesH", ">", 0.0), RealIs("scalesW", ">", 0.0))),
                    ),
                ),
                f"the product is {P310B}, {P310P} or {T910}, or {A3} or {A2} without scales",
            ),
            fits_shape("gradInput", ArrayShape("inputSize"), "of inputSize"),
        ),
        _SUPPORTED,
        inside_storage("gradOut"),
        inner(
            same_format("gradInput", "gradOut"),
            shape_is("gradInput", ArrayShape("inputSize"), "of inputSize"),
        ),
    ),
    **_IMAGES.facts("upsample_nearest2d_backward"),
    gradient=_IMAGES.gradient_of("aclnnUpsampleNearest2dV2", where=_counts_as_in_forward),
    samples=(
        *(_IMAGES.call(dtype, _image, (7, 3)) for dtype in _SUMMED),
        _IMAGES.call(FLOAT, _image, (7, 13), (2.6, 2.6)),
        _IMAGES.call(FLOAT, _image, (6, 3), (0.0, 0.6)),
        _IMAGES.call(FLOAT, (1, 1, 2, 2), (82, 2)),
    ),
    formats=(
        "NCHW and NHWC, the same for both tensors; inputSize has the order of the format. Arrays "
        "in Python count as NCHW."
    ),
    notes=(
        "Without scales, upstream's kernels hand gradients back by the forward's map; aclhost "
        "always sums windows.",
        "A scale smaller than O / I drops what lies beyond start(I).",
        "Of images that double, O together at most 128, the forward counts any scale as 2; this "
        "takes it as it is given, as upstream's code does, and is then another map's gradient.",
        _ADJOINT,
    ),
)

OPS = (NEAREST_1D_BACKWARD, NEAREST_2D_BACKWARD)
