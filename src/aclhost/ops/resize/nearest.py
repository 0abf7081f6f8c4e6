# SPDX-License-Identifier: Apache-2.0
"""Signals and images resized by taking the nearest value."""

from __future__ import annotations

from aclhost.ops.resize.checks import (
    first_value_positive,
    image_shape,
    lengths_are,
    same_batch_and_channels,
    signal_shape,
)
from aclhost.ops.resize.family import (
    IMAGE_SCALES,
    Resizing,
    Scales,
    Sizes,
    together,
    where_lengths_change,
)
from aclhost.spec.call import TensorArg
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, UINT8
from aclhost.spec.formats import NCHW, NCL, NHWC
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    all_positive,
    at_least_values,
    dims_positive,
    done_when_empty,
    dtype_in,
    format_in,
    inner,
    inside_storage,
    length_in,
    lengths_at_most,
    not_null,
    on_products,
    only_on,
    rank_in,
    same_dtype,
    same_format,
    shape_is,
    supported_on,
    when,
)

_NEWER = (A950, A3, A2)
_OLDER = (A3, P310B, P310P, T910, A2)
_SUPPORTED = supported_on(A950, A3, A2, P310P, T910)
_DTYPES = dtype_in("self", FLOAT16, FLOAT, DOUBLE, UINT8, only_on(BF16, *_NEWER))
_COPIED = (FLOAT, FLOAT16, BF16, DOUBLE, UINT8)

_PLACES = (
    "Along each axis, with I the length of self, O that of out and r a float32 factor:\n\n"
    "`out[o] = self[min(floor(float(o) * r), I - 1)]`\n\n"
)
_BY_LENGTHS = "r is I / O. Values are copied bit by bit."
_LIKE_TORCH = (
    "Places are found in float for DOUBLE, too, where torch finds those of float64 in double."
)
_SIGNAL = "NCL only."
_IMAGE = "NCHW and NHWC, the same for both tensors. Arrays in Python count as NCHW."


def scales_that_count(scales: Scales, inputs: Sizes, outputs: Sizes) -> Scales:
    """Both or none; small images that double count as just that."""
    both = together(scales, inputs, outputs)
    if sum(outputs) <= 128 and any(both):
        lengths = zip(both, inputs, outputs, strict=True)
        both = [2.0 if after == 2 * before else scale for scale, before, after in lengths]
    return where_lengths_change(both, inputs, outputs)


_SIGNALS = Resizing(1, labelled=True, dtypes=_COPIED, shift=0.0)
_IMAGES = Resizing(2, labelled=True, dtypes=_COPIED, shift=0.0)
_SCALED_SIGNALS = Resizing(
    1, labelled=True, dtypes=_COPIED, shift=0.0, scales=("scaleL",), float_scales=True
)
_SCALED_IMAGES = Resizing(
    2,
    labelled=True,
    dtypes=_COPIED,
    shift=0.0,
    scales=IMAGE_SCALES,
    float_scales=True,
    policy=scales_that_count,
)
_STRIDED_SIGNAL = TensorArg((2, 3, 5), FLOAT, strides=(40, -2, 6), offset=4, format=NCL)
_STRIDED_IMAGE = TensorArg((2, 3, 3, 5), FLOAT, strides=(90, 1, 15, 3), format=NCHW)

_signal, _image = (2, 3, 5), (2, 3, 3, 5)
_OUT_SIGNAL = signal_shape("self", "outputSize")
_OUT_IMAGE = image_shape("self", "outputSize")
_SIGNAL_RESULT = inner(
    rank_in("out", 3), shape_is("out", _OUT_SIGNAL, "of N, C and the first value of outputSize")
)
_IMAGE_RESULT = inner(
    shape_is("out", _OUT_IMAGE, "of N, C and outputSize, in the order of self's format")
)

NEAREST_1D = Operator(
    "aclnnUpsampleNearest1d",
    summary="Resizes signals by taking the nearest value.",
    formula=_PLACES + _BY_LENGTHS,
    params=_SIGNALS.params(_OUT_SIGNAL),
    checks=(
        not_null("self", "outputSize", "out"),
        _DTYPES,
        same_dtype("out", "self"),
        at_least_values("outputSize", 1),
        rank_in("self", 3),
        dims_positive("self", 1),
        first_value_positive("outputSize"),
        same_format("out", "self"),
        format_in("self", NCL),
        done_when_empty("self", "out"),
        _SUPPORTED,
        inside_storage("self", "out"),
        _SIGNAL_RESULT,
    ),
    **_SIGNALS.facts("upsample_nearest1d"),
    samples=(
        *(_SIGNALS.call(dtype, _signal, (7,)) for dtype in _COPIED),
        _SIGNALS.call(FLOAT, _signal, (3,)),
        _SIGNALS.call(FLOAT, _signal, (9,)).passing(self=_STRIDED_SIGNAL),
    ),
    formats=f"{_SIGNAL} Arrays in Python count as NCL.",
    notes=(
        "Values of outputSize behind the first are ignored, by upstream too. A batch of 0 is "
        "accepted, 0 channels are not.",
        _LIKE_TORCH,
    ),
)

NEAREST_2D = Operator(
    "aclnnUpsampleNearest2d",
    summary="Resizes images by taking the nearest value.",
    formula=_PLACES + _BY_LENGTHS,
    params=_IMAGES.params(_OUT_IMAGE),
    checks=(
        not_null("self", "outputSize", "out"),
        _DTYPES,
        same_dtype("out", "self"),
        length_in("outputSize", 2),
        rank_in("self", 4),
        dims_positive("self", 1),
        all_positive("outputSize"),
        format_in("self", NCHW, NHWC),
        same_format("out", "self"),
        same_batch_and_channels("out", "self", "self"),
        lengths_are("out", "outputSize", 2, 3, labelled="out"),
        when(on_products(*_OLDER), lengths_at_most("self"), lengths_at_most("out")),
        done_when_empty("self", "out"),
        _SUPPORTED,
        inside_storage("self", "out"),
        _IMAGE_RESULT,
    ),
    **_IMAGES.facts("upsample_nearest2d"),
    samples=(
        *(_IMAGES.call(dtype, _image, (7, 3)) for dtype in _COPIED),
        _IMAGES.call(FLOAT, _image, (2, 9)).passing(self=_STRIDED_IMAGE),
    ),
    formats=_IMAGE,
    notes=(
        "A batch of 0 is accepted; no other length of self may be 0, whatever the format.",
        _LIKE_TORCH,
    ),
)

NEAREST_1D_V2 = Operator(
    "aclnnUpsampleNearest1dV2",
    summary="Resizes signals by taking the nearest value, with a scale.",
    formula=f"{_PLACES}r is 1 / scaleL, divided in double, where that is greater than 0, otherwise "
    "I / O. Values are copied bit by bit.",
    params=_SCALED_SIGNALS.params(_OUT_SIGNAL),
    checks=(
        not_null("self", "outputSize", "out"),
        _DTYPES,
        same_dtype("out", "self"),
        at_least_values("outputSize", 1),
        rank_in("self", 3),
        dims_positive("self", 1),
        lengths_are("out", "outputSize", 2),
        first_value_positive("outputSize"),
        same_format("out", "self"),
        format_in("self", NCL),
        done_when_empty("self", "out"),
        _SUPPORTED,
        inside_storage("self", "out"),
        _SIGNAL_RESULT,
    ),
    **_SCALED_SIGNALS.facts("upsample_nearest1d"),
    samples=(
        *(_SCALED_SIGNALS.call(dtype, _signal, (7,)) for dtype in _COPIED),
        _SCALED_SIGNALS.call(FLOAT, _signal, (13,), (2.6,)),
        _SCALED_SIGNALS.call(FLOAT, _signal, (3,), (0.6,)).passing(self=_STRIDED_SIGNAL),
    ),
    formats=f"{_SIGNAL} Arrays in Python count as NCL.",
    notes=(
        "outputSize = floor(length * scaleL) is not enforced, by upstream neither.",
        "Upstream ignores scaleL for DOUBLE and UINT8, and on the Atlas training series; aclhost "
        "does not.",
        _LIKE_TORCH,
    ),
)

NEAREST_2D_V2 = Operator(
    "aclnnUpsampleNearest2dV2",
    summary="Resizes images by taking the nearest value, with scales.",
    formula=f"{_PLACES}r is 1 where I = O. Else, where both scales are greater than 0, it is 1 / "
    "scale, divided in double, or 0.5 for O = 2 * I where height and width of out are at most 128 "
    "together; otherwise it is I / O. Values are copied bit by bit.",
    params=_SCALED_IMAGES.params(_OUT_IMAGE),
    checks=(
        not_null("self", "out"),
        done_when_empty("self", "out"),
        _DTYPES,
        same_dtype("out", "self"),
        not_null("outputSize"),
        length_in("outputSize", 2),
        rank_in("self", 4),
        all_positive("outputSize"),
        format_in("self", NCHW, NHWC),
        same_batch_and_channels("out", "self", "self"),
        format_in("out", NCHW, NHWC),
        lengths_are("out", "outputSize", 2, 3, labelled="out"),
        _SUPPORTED,
        inside_storage("self", "out"),
        inner(same_format("out", "self")),
        _IMAGE_RESULT,
    ),
    **_SCALED_IMAGES.facts("upsample_nearest2d"),
    samples=(
        *(_SCALED_IMAGES.call(dtype, _image, (7, 3)) for dtype in _COPIED),
        _SCALED_IMAGES.call(FLOAT, _image, (7, 13), (2.6, 2.6)),
        _SCALED_IMAGES.call(FLOAT, (1, 1, 1, 1), (1, 1)),
        _SCALED_IMAGES.call(FLOAT, _image, (6, 3), (2.1, 0.6)).passing(self=_STRIDED_IMAGE),
    ),
    formats=_IMAGE,
    notes=(
        "outputSize = floor(size * scale) is not enforced, by upstream neither. Empty tensors are "
        "accepted before anything else is looked at.",
        "Upstream ignores the scales for DOUBLE and UINT8, and on the Atlas training series; "
        "aclhost does not.",
        _LIKE_TORCH,
    ),
)

OPS = (NEAREST_1D, NEAREST_2D, NEAREST_1D_V2, NEAREST_2D_V2)
