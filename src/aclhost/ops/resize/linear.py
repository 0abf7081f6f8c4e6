# SPDX-License-Identifier: Apache-2.0
"""Signals, images and volumes resized by linear interpolation."""

from __future__ import annotations

from aclhost.ops.resize import goldens
from aclhost.ops.resize.checks import (
    dim,
    image_shape,
    item,
    lengths_are,
    reaches,
    same_batch_and_channels,
    scale_fits,
    scales_not_negative,
    signal_shape,
)
from aclhost.ops.resize.family import IMAGE_SCALES, VOLUME_SCALES, Resizing, together
from aclhost.spec.call import TensorArg
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16
from aclhost.spec.formats import NCDHW, NCHW, ND, NDHWC, NHWC
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    Condition,
    all_positive,
    channels_positive,
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
from aclhost.spec.shapes import Lengths, ShapeIf
from aclhost.spec.status import Status
from aclhost.spec.terms import DtypeOf, FormatOf, In, Not, ProductIn, RealIs, all_of
from aclhost.spec.volumes import Channels, ResizedVolume

OLDER = (A3, P310B, P310P, T910, A2)
FLOATS = (FLOAT, FLOAT16, BF16)

INTERPOLATION = (
    "Along each axis, with I the length of the input, O that of the output and r a float32 factor, "
    "output o lies at\n\n"
    "`x = max(r * (o + 0.5) - 0.5, 0)`, or `x = r * o` with alignCorners\n\n"
    "between the inputs `i = min(floor(x), I - 1)` and `min(i + 1, I - 1)`, whose weights are "
    "`1 - (x - i)` and `x - i`. r is 1 where I = O; with alignCorners it is (I - 1) / (O - 1); "
)
EACH_SCALE = "else 1 / scale, divided in double, where that is greater than 0, otherwise I / O. "
ALL_SCALES = (
    "else 1 / scale, divided in double, where all three are greater than 0, otherwise I / O. "
)
SUMS = (
    "Sums are taken in float (DOUBLE: in double), along the width first, and rounded once. A "
    "weight of 0 does not count, not even beside infinity."
)
TRANSPOSED = (
    "The result is the sum of all output gradients, each times the weight that the element had in "
    "that output. "
)
FLOAT_PLACES = "Places and weights are float32 for DOUBLE, too; torch finds those in double."

_SIGNALS = Resizing(1, aligns=True, scales=("scale",), none=-1.0, dtypes=FLOATS)
_IMAGES = Resizing(2, aligns=True, scales=IMAGE_SCALES, labelled=True, dtypes=FLOATS)
_VOLUMES = Resizing(
    3, aligns=True, scales=VOLUME_SCALES, dtypes=(*FLOATS, DOUBLE), policy=together, most=5
)
_signal, _image, _volume = (2, 3, 5), (2, 3, 3, 5), (2, 3, 2, 3, 5)
_STRIDED_SIGNAL = TensorArg(_signal, FLOAT, strides=(40, -2, 6), offset=4)
_STRIDED_IMAGE = TensorArg(_image, FLOAT, strides=(90, 1, 15, 3), format=NCHW)
_STRIDED_VOLUME = TensorArg(_volume, FLOAT, strides=(90, 30, 1, 2, 6))

_OUT_SIGNAL = signal_shape("self", "outputSize")

LINEAR_1D = Operator(
    "aclnnUpsampleLinear1d",
    summary="Resizes signals by linear interpolation.",
    formula=INTERPOLATION + EACH_SCALE + SUMS,
    params=_SIGNALS.params(_OUT_SIGNAL),
    checks=(
        not_null("self", "out", "outputSize"),
        rank_in("self", 3),
        rank_in("out", 3),
        length_in("outputSize", 1),
        dims_positive("self", 1),
        all_positive("outputSize"),
        shape_is("out", _OUT_SIGNAL, "of N, C and outputSize"),
        when(
            Condition(
                all_of(Not(ProductIn((A950,))), RealIs("scale", ">=", 0.0)),
                f"the product is not {A950} and the scale is not negative",
            ),
            scale_fits("scale", reaches("scale", dim("self", 2), item("outputSize", 0)), "length"),
        ),
        dtype_in("self", *FLOATS),
        same_dtype("out", "self"),
        done_when_empty("self"),
        supported_on(A950, A3, A2, T910),
        inside_storage("self"),
        same_format_unless_nd("out", "self"),
    ),
    **_SIGNALS.facts("upsample_linear1d", goldens.linear),
    ulps=4,
    samples=(
        *(_SIGNALS.call(dtype, _signal, (7,)) for dtype in FLOATS),
        _SIGNALS.call(FLOAT, _signal, (13,), (2.6,)),
        _SIGNALS.call(FLOAT, _signal, (13,), align_corners=True),
        _SIGNALS.call(FLOAT, _signal, (3,), (0.6,)).passing(self=_STRIDED_SIGNAL),
    ),
    formats="Any label; when self is not labelled ND, out must carry the same one.",
    notes=(
        "A scale of 0 is refused on all products but Ascend 950, by upstream too: a negative one "
        "stands for none.",
        "A batch of 0 is accepted, 0 channels are not.",
    ),
)

BILINEAR_2D = Operator(
    "aclnnUpsampleBilinear2d",
    summary="Resizes images by linear interpolation.",
    formula=INTERPOLATION + EACH_SCALE + SUMS,
    params=_IMAGES.params(image_shape("self", "outputSize")),
    checks=(
        inner(not_null("self", "out")),
        dtype_in("self", FLOAT16, FLOAT, DOUBLE, BF16),
        same_dtype("out", "self"),
        same_format("out", "self"),
        format_in("self", NCHW, NHWC),
        rank_in("self", 4),
        rank_in("out", 4),
        requires(
            "dtype_in",
            "self",
            Not(all_of(In(FormatOf("self"), (NCHW,)), In(DtypeOf("self"), (DOUBLE,)))),
            "self must not be DOUBLE in format NCHW",
            (Shown("dtype", DtypeOf("self")),),
            "Use NHWC for DOUBLE, or another dtype.",
        ),
        same_batch_and_channels("out", "self", "self"),
        scales_not_negative(*IMAGE_SCALES),
        tuple(rule.with_code(Status.PARAM_INVALID) for rule in not_null("outputSize")),
        length_in("outputSize", 2),
        lengths_are("out", "outputSize", 2, 3, labelled="out"),
        done_when_empty("self", "out"),
        supported_on(A950, A3, A2, P310P, T910),
        inside_storage("self", "out"),
    ),
    **_IMAGES.facts("upsample_bilinear2d", goldens.linear),
    ulps=6,
    samples=(
        *(_IMAGES.call(dtype, _image, (7, 3)) for dtype in FLOATS),
        _IMAGES.call(FLOAT, _image, (7, 13), (2.6, 2.6)),
        _IMAGES.call(FLOAT, _image, (7, 13), align_corners=True),
        _IMAGES.call(FLOAT, _image, (6, 3), (2.1, 0.6)).passing(self=_STRIDED_IMAGE),
    ),
    formats="NCHW and NHWC, the same for both tensors. Arrays in Python count as NCHW.",
    notes=(
        "DOUBLE needs NHWC, so only the C functions take it. A null tensor is an inner error, a "
        "null outputSize an invalid one, as upstream has it.",
        "Upstream ignores both scales on Atlas A2 and A3 if one of them is 0 or does not lead to "
        "outputSize, and always on the older products; aclhost follows the documented formula.",
        FLOAT_PLACES,
    ),
)

_NDHWC_OUT = In(FormatOf("out"), (NDHWC,))
_SIDES = tuple(item("outputSize", position) for position in range(3))
_BY_LABEL_OF_OUT = ShapeIf(
    _NDHWC_OUT,
    Lengths((dim("self", 0), *_SIDES, Channels("self"))),
    Lengths((dim("self", 0), Channels("self"), *_SIDES)),
)

TRILINEAR_3D = Operator(
    "aclnnUpsampleTrilinear3d",
    summary="Resizes volumes by linear interpolation.",
    formula=INTERPOLATION + ALL_SCALES + SUMS,
    params=_VOLUMES.params(ResizedVolume("self", "outputSize")),
    checks=(
        not_null("self", "outputSize", "out"),
        dtype_in("self", FLOAT, FLOAT16, only_on(DOUBLE, A3, A2, T910),
                 only_on(BF16, A950, A3, A2, T910)),
        same_dtype("out", "self"),
        rank_in("self", 5),
        length_in("outputSize", 3),
        format_in("self", ND, NCDHW, NDHWC),
        spatial_positive("self"),
        all_positive("outputSize"),
        channels_positive("self"),
        shape_is("out", _BY_LABEL_OF_OUT, "of N, C and outputSize, with C last in format NDHWC"),
        when(on_products(*OLDER), lengths_at_most("self"), lengths_at_most("out")),
        done_when_empty("self"),
        supported_on(A950, A3, A2, P310P, T910),
        same_format_unless_nd("out", "self"),
        inside_storage("self"),
    ),
    **_VOLUMES.facts("upsample_trilinear3d", goldens.linear),
    ulps=8,
    samples=(
        *(_VOLUMES.call(dtype, _volume, (4, 7, 3)) for dtype in (*FLOATS, DOUBLE)),
        _VOLUMES.call(FLOAT, _volume, (4, 7, 3), (2.0, 2.6, 0.6)),
        _VOLUMES.call(FLOAT, _volume, (4, 7, 3), (2.0, 0.0, 0.6), align_corners=True),
        _VOLUMES.call(FLOAT, _volume, (4, 7, 3)).passing(self=_STRIDED_VOLUME),
    ),
    formats=(
        "ND, NCDHW and NDHWC. When self is not labelled ND, out must carry the same label."
    ),
    notes=(
        "outputSize = floor(size * scale) is not enforced, by upstream neither. A batch of 0 is "
        "accepted, 0 channels are not.",
        FLOAT_PLACES,
    ),
)  # fmt: skip

OPS = (LINEAR_1D, BILINEAR_2D, TRILINEAR_3D)
