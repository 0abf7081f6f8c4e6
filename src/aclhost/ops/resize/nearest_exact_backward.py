# SPDX-License-Identifier: Apache-2.0
"""Gradients of resizing that takes the value whose middle is nearest."""

from __future__ import annotations

from aclhost.ops.resize.checks import (
    dim,
    grows_at_most,
    item,
    same_batch_and_channels,
    scales_not_negative,
    volume_gradient,
)
from aclhost.ops.resize.family import (
    IMAGE_SCALES,
    VOLUME_SCALES,
    Resizing,
    together,
    where_lengths_change,
)
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16
from aclhost.spec.formats import NHWC
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    all_positive,
    dims_positive,
    done_when_empty,
    dtype_in,
    inner,
    inside_storage,
    length_in,
    lengths_at_most,
    not_null,
    on_products,
    rank_in,
    requires,
    same_dtype,
    same_format,
    same_format_unless_nd,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ArrayShape, Lengths
from aclhost.spec.terms import FormatOf, In, Not

_OLDER = (A3, P310B, P310P, T910, A2)
_FLOATS = (FLOAT, FLOAT16, BF16)
_SUPPORTED = supported_on(A950, A3, A2)

_WINDOWS = (
    "Along each axis, with I the length in the result, O that in the gradient and S a float32 "
    "factor:\n\n`start(k) = min(ceil(float(k) * S - 0.5), O)`, and start(0) = 0\n\n"
    "The result at k is the sum of the gradient over [start(k), start(k + 1)), along all axes at "
    "once. Sums are taken in float, row by row, then along the width, and rounded once. "
)
_EACH = "S is the scale where that is greater than 0, otherwise O / I."
_ALL = "S is the scale where all three are greater than 0, otherwise O / I."
_ADJOINT = "In float32 the windows are not always the exact adjoint of the forward's map."
_OUTPUT_SIZE = "The value of outputSize is not compared with the gradient's, by upstream neither."

_SIGNALS = Resizing(
    1, source="gradOutput", backward=True, scales=("scales",), dtypes=_FLOATS, shift=0.5
)
_IMAGES = Resizing(
    2,
    source="gradOutput",
    backward=True,
    scales=IMAGE_SCALES,
    dtypes=_FLOATS,
    shift=0.5,
    policy=where_lengths_change,
)
_VOLUMES = Resizing(
    3,
    source="gradOut",
    result="gradInput",
    backward=True,
    scales=VOLUME_SCALES,
    dtypes=_FLOATS,
    shift=0.5,
    policy=together,
    most=5,
)
_signal, _image, _volume = (2, 3, 5), (2, 3, 3, 5), (2, 3, 2, 3, 5)

EXACT_1D_BACKWARD = Operator(
    "aclnnUpsampleNearestExact1dBackward",
    summary="Gradient of resizing signals to the nearest middle.",
    formula=_WINDOWS + _EACH,
    params=_SIGNALS.params(ArrayShape("inputSize")),
    checks=(
        not_null("gradOutput", "inputSize", "out"),
        dtype_in("gradOutput", *_FLOATS),
        same_dtype("out", "gradOutput"),
        same_format("out", "gradOutput"),
        rank_in("gradOutput", 3),
        rank_in("out", 3),
        length_in("inputSize", 3),
        not_null("outputSize"),
        length_in("outputSize", 1),
        same_batch_and_channels("out", "gradOutput"),
        scales_not_negative("scales"),
        grows_at_most("scales", 50, item("inputSize", 2), dim("gradOutput", 2)),
        dims_positive("gradOutput", 0),
        all_positive("inputSize", first=2),
        done_when_empty("out"),
        _SUPPORTED,
        inside_storage("gradOutput", "out"),
        inner(
            shape_is(
                "out",
                Lengths((dim("gradOutput", 0), dim("gradOutput", 1), item("inputSize", 2))),
                "of gradOutput with the length of inputSize",
            )
        ),
    ),
    **_SIGNALS.facts("_upsample_nearest_exact1d_backward"),
    gradient=_SIGNALS.gradient_of("aclnnUpsampleNearestExact1d"),
    samples=(
        *(_SIGNALS.call(dtype, _signal, (7,)) for dtype in _FLOATS),
        _SIGNALS.call(FLOAT, _signal, (13,), (2.6,)),
        _SIGNALS.call(FLOAT, _signal, (3,), (0.6,)),
    ),
    formats="Any label, the same for both tensors.",
    notes=(_OUTPUT_SIZE, _ADJOINT),
)

EXACT_2D_BACKWARD = Operator(
    "aclnnUpsampleNearestExact2dBackward",
    summary="Gradient of resizing images to the nearest middle.",
    formula=f"{_WINDOWS}S is 1 where I = O; else {_EACH.removeprefix('S is ')}",
    params=_IMAGES.params(ArrayShape("inputSize")),
    checks=(
        not_null("gradOutput", "inputSize", "out"),
        done_when_empty("gradOutput", "out"),
        dtype_in("gradOutput", *_FLOATS),
        same_dtype("out", "gradOutput"),
        same_format("out", "gradOutput"),
        rank_in("gradOutput", 4),
        rank_in("out", 4),
        length_in("inputSize", 4),
        not_null("outputSize"),
        length_in("outputSize", 2),
        requires(
            "format_in",
            "gradOutput",
            Not(In(FormatOf("gradOutput"), (NHWC,))),
            "gradOutput must not have format NHWC",
            (Shown("format", FormatOf("gradOutput")),),
            "Use NCHW or ND.",
        ),
        same_batch_and_channels("out", "gradOutput"),
        scales_not_negative(*IMAGE_SCALES),
        *(
            grows_at_most(scale, 50, item("inputSize", axis), dim("gradOutput", axis))
            for scale, axis in zip(IMAGE_SCALES, (2, 3), strict=True)
        ),
        all_positive("inputSize", first=2),
        _SUPPORTED,
        inside_storage("gradOutput", "out"),
        inner(
            shape_is(
                "out",
                Lengths(
                    (
                        dim("gradOutput", 0),
                        dim("gradOutput", 1),
                        item("inputSize", 2),
                        item("inputSize", 3),
                    )
                ),
                "of gradOutput with the lengths of inputSize",
            )
        ),
    ),
    **_IMAGES.facts("_upsample_nearest_exact2d_backward"),
    gradient=_IMAGES.gradient_of("aclnnUpsampleNearestExact2d"),
    samples=(
        *(_IMAGES.call(dtype, _image, (7, 3)) for dtype in _FLOATS),
        _IMAGES.call(FLOAT, _image, (7, 13), (2.6, 2.6)),
        _IMAGES.call(FLOAT, _image, (3, 3), (1.1, 0.6)),
    ),
    formats="Any label but NHWC, the same for both tensors.",
    notes=(
        _OUTPUT_SIZE,
        "Empty tensors are accepted before anything else is looked at.",
        _ADJOINT,
    ),
)

EXACT_3D_BACKWARD = Operator(
    "aclnnUpsampleNearestExact3dBackward",
    summary="Gradient of resizing volumes to the nearest middle.",
    formula=_WINDOWS + _ALL,
    params=_VOLUMES.params(ArrayShape("inputSize")),
    checks=(
        not_null("gradOut", "outputSize", "inputSize", "gradInput"),
        dtype_in("gradOut", *_FLOATS),
        same_dtype("gradInput", "gradOut"),
        volume_gradient(),
        *(
            grows_at_most(scale, 50, item("inputSize", 2 + i), item("outputSize", i))
            for i, scale in enumerate(VOLUME_SCALES)
        ),
        when(on_products(*_OLDER), lengths_at_most("gradOut")),
        done_when_empty("gradOut"),
        _SUPPORTED,
        same_format_unless_nd("gradInput", "gradOut"),
        inside_storage("gradOut"),
    ),
    **_VOLUMES.facts("_upsample_nearest_exact3d_backward"),
    gradient=_VOLUMES.gradient_of("aclnnUpsampleNearestExact3d"),
    samples=(
        *(_VOLUMES.call(dtype, _volume, (4, 7, 3)) for dtype in _FLOATS),
        _VOLUMES.call(FLOAT, _volume, (4, 7, 3), (2.0, 2.6, 0.6)),
        _VOLUMES.call(FLOAT, _volume, (4, 7, 3), (2.0, 0.0, 0.6)),
    ),
    formats=(
        "NCDHW and NDHWC; any other label is processed as NCDHW. When gradOut is not labelled ND, "
        "gradInput must carry the same label."
    ),
    notes=(
        "inputSize is N, C, D, H, W for NDHWC tensors, too.",
        _ADJOINT,
    ),
)

OPS = (EXACT_1D_BACKWARD, EXACT_2D_BACKWARD, EXACT_3D_BACKWARD)
