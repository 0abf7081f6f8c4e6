# SPDX-License-Identifier: Apache-2.0
"""Resizing that takes the value whose middle is nearest."""

from __future__ import annotations

from aclhost.ops.resize.checks import (
    SLACK,
    dim,
    first_value_positive,
    image_shape,
    item,
    reaches,
    same_batch_and_channels,
    scale_fits,
    signal_shape,
)
from aclhost.ops.resize.family import (
    IMAGE_SCALES,
    VOLUME_SCALES,
    Resizing,
    together,
    where_lengths_change,
)
from aclhost.spec.call import TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, UINT8
from aclhost.spec.formats import NCHW, NCL, ND, NDHWC, NHWC
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    Condition,
    all_positive,
    at_least_values,
    channels_positive,
    done_when_empty,
    dtype_in,
    format_in,
    inner,
    inside_storage,
    length_in,
    not_null,
    only_on,
    rank_in,
    requires,
    same_dtype,
    same_format,
    same_format_unless_nd,
    shape_is,
    spatial_positive,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import AtMost, Const, FormatOf, If, In, RealIs, all_of
from aclhost.spec.volumes import ResizedVolume

_OLDER = (A3, P310B, P310P, T910, A2)
_FLOATS = (FLOAT, FLOAT16, BF16)
_SUPPORTED = supported_on(A950, A3, A2, P310P)
_DTYPES = dtype_in("self", *_FLOATS, only_on(UINT8, *_OLDER))

_PLACES = (
    "Along each axis, with I the length of self, O that of out and r a float32 factor:\n\n"
    "`out[o] = self[min(floor((float(o) + 0.5) * r), I - 1)]`\n\n"
)
_EACH = "r is 1 / scale, divided in double, where that is greater than 0, otherwise I / O."
_ALL = "r is 1 / scale, divided in double, where all three are greater than 0, otherwise I / O."
_COPIES = " Values are copied bit by bit."
_SIGNALS = Resizing(1, scales=("scales",), dtypes=(*_FLOATS, UINT8), shift=0.5)
_IMAGES = Resizing(
    2, scales=IMAGE_SCALES, dtypes=(*_FLOATS, UINT8), shift=0.5, policy=where_lengths_change
)
_VOLUMES = Resizing(3, scales=VOLUME_SCALES, dtypes=_FLOATS, shift=0.5, policy=together, most=5)
_signal, _image, _volume = (2, 3, 5), (2, 3, 3, 5), (2, 3, 2, 3, 5)
_STRIDED_SIGNAL = TensorArg(_signal, FLOAT, strides=(40, -2, 6), offset=4)
_STRIDED_IMAGE = TensorArg(_image, FLOAT, strides=(90, 1, 15, 3))
_STRIDED_VOLUME = TensorArg(_volume, FLOAT, strides=(90, 30, 1, 2, 6))

_OUT_SIGNAL = signal_shape("self", "outputSize")
_OUT_IMAGE = image_shape("self", "outputSize")
_OUT_VOLUME = ResizedVolume("self", "outputSize")

EXACT_1D = Operator(
    "aclnnUpsampleNearestExact1d",
    summary="Resizes signals by taking the value whose middle is nearest.",
    formula=_PLACES + _EACH + _COPIES,
    params=_SIGNALS.params(_OUT_SIGNAL),
    checks=(
        not_null("self", "out", "outputSize"),
        _DTYPES,
        same_dtype("out", "self"),
        requires(
            "dims_positive",
            "self",
            all_of(*(AtMost(Const(1), dim("self", axis)) for axis in range(3))),
            "the first three dimensions of self must exist and be greater than 0",
            (Shown("shape", ShapeOf("self")),),
            "Skip the call when there is nothing to compute.",
        ),
        first_value_positive("outputSize"),
        rank_in("self", 3),
        length_in("outputSize", 1),
        _SUPPORTED,
        inside_storage("self", "out"),
        inner(format_in("self", NCL, ND)),
        inner(shape_is("out", _OUT_SIGNAL, "of N, C and outputSize")),
        same_format_unless_nd("out", "self"),
    ),
    **_SIGNALS.facts("_upsample_nearest_exact1d"),
    samples=(
        *(_SIGNALS.call(dtype, _signal, (7,)) for dtype in (*_FLOATS, UINT8)),
        _SIGNALS.call(FLOAT, _signal, (13,), (2.6,)),
        _SIGNALS.call(FLOAT, _signal, (3,), (0.6,)).passing(self=_STRIDED_SIGNAL),
    ),
    formats="NCL and ND. When self is not labelled ND, out must carry the same label.",
    notes=("outputSize = floor(length * scales) is not enforced, by upstream neither.",),
)

EXACT_2D = Operator(
    "aclnnUpsampleNearestExact2d",
    summary="Resizes images by taking the value whose middle is nearest.",
    formula=f"{_PLACES}r is 1 where I = O; else {_EACH.removeprefix('r is ')}{_COPIES}",
    params=_IMAGES.params(_OUT_IMAGE),
    checks=(
        not_null("self", "outputSize", "out"),
        done_when_empty("self", "out"),
        _DTYPES,
        same_dtype("out", "self"),
        rank_in("self", 4),
        length_in("outputSize", 2),
        all_positive("outputSize"),
        same_batch_and_channels("out", "self", "self"),
        format_in("self", NCHW, NHWC, ND),
        same_format("out", "self"),
        _SUPPORTED,
        inside_storage("self", "out"),
        inner(shape_is("out", _OUT_IMAGE, "of N, C and outputSize, in the order of its format")),
    ),
    **_IMAGES.facts("_upsample_nearest_exact2d"),
    samples=(
        *(_IMAGES.call(dtype, _image, (7, 3)) for dtype in (*_FLOATS, UINT8)),
        _IMAGES.call(FLOAT, _image, (7, 13), (2.6, 2.6)),
        _IMAGES.call(FLOAT, _image, (3, 3), (1.1, 0.6)).passing(self=_STRIDED_IMAGE),
    ),
    formats="NCHW, NHWC and ND, which is processed as NCHW; the same for both tensors.",
    notes=(
        "outputSize = floor(size * scale) is not enforced, by upstream neither. Empty tensors are "
        "accepted before anything else is looked at.",
    ),
)

_all_given = all_of(*(RealIs(scale, ">", 0.0) for scale in VOLUME_SCALES))
_SCALES_GIVEN = Condition(_all_given, "all scales are greater than 0")


def _volume_side(axis: int) -> If:
    return If(In(FormatOf("self"), (NDHWC,)), dim("self", 1 + axis), dim("self", 2 + axis))


EXACT_3D = Operator(
    "aclnnUpsampleNearestExact3d",
    summary="Resizes volumes by taking the value whose middle is nearest.",
    formula=_PLACES + _ALL + _COPIES,
    params=_VOLUMES.params(_OUT_VOLUME),
    checks=(
        not_null("self", "outputSize", "out"),
        dtype_in("self", FLOAT, FLOAT16, only_on(BF16, A950, A3, A2, P310B, T910)),
        same_dtype("out", "self"),
        spatial_positive("self"),
        at_least_values("outputSize", 3),
        all_positive("outputSize"),
        channels_positive("self"),
        *(
            when(
                _SCALES_GIVEN,
                scale_fits(
                    scale, reaches(scale, _volume_side(i), item("outputSize", i), SLACK), name
                ),
            )
            for i, (scale, name) in enumerate(zip(VOLUME_SCALES, _VOLUMES.names, strict=True))
        ),
        rank_in("self", 5),
        length_in("outputSize", 3),
        shape_is(
            "out", _OUT_VOLUME, "of N, C and outputSize, with C last when self's format is NDHWC"
        ),
        done_when_empty("self"),
        _SUPPORTED,
        same_format_unless_nd("out", "self"),
        inside_storage("self"),
    ),
    **_VOLUMES.facts("_upsample_nearest_exact3d"),
    samples=(
        *(_VOLUMES.call(dtype, _volume, (4, 7, 3)) for dtype in _FLOATS),
        _VOLUMES.call(FLOAT, _volume, (4, 7, 3), (2.0, 2.6, 0.6)),
        _VOLUMES.call(FLOAT16, _volume, (4, 6, 10), (2.0, 2.0, 2.0)),
        _VOLUMES.call(FLOAT, _volume, (4, 7, 3)).passing(self=_STRIDED_VOLUME),
    ),
    formats=(
        "NCDHW and NDHWC; any other label is processed as NCDHW. When self is not labelled ND, out "
        "must carry the same label."
    ),
    notes=("A batch of 0 is accepted, 0 channels are not.",),
)

OPS = (EXACT_1D, EXACT_2D, EXACT_3D)
