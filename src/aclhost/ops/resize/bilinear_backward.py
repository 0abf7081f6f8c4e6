# SPDX-License-Identifier: Apache-2.0
"""Gradients of linear interpolation of images."""

from __future__ import annotations

from aclhost.ops.resize import goldens
from aclhost.ops.resize.checks import (
    gradient_image_shape,
    image_sides_positive,
    item,
    same_batch_and_channels,
    same_sizes,
)
from aclhost.ops.resize.family import IMAGE_SCALES, Resizing
from aclhost.ops.resize.linear import EACH_SCALE, FLOATS, INTERPOLATION, OLDER, SUMS, TRANSPOSED
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16
from aclhost.spec.formats import NCHW, NHWC
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    all_positive,
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
from aclhost.spec.shapes import ArrayShape, Lengths, ShapeIf
from aclhost.spec.terms import DtypeOf, FormatOf, In, Not, ProductIn, all_of

_INPUT = ArrayShape("inputSize")
_NEWER = (A950, A3, A2)
_IMAGES = Resizing(
    2,
    source="gradOut",
    backward=True,
    aligns=True,
    scales=IMAGE_SCALES,
    labelled=True,
    dtypes=(FLOAT, FLOAT16),
)
_IMAGES_V2 = Resizing(
    2,
    source="gradOut",
    backward=True,
    aligns=True,
    scales=IMAGE_SCALES,
    labelled=True,
    dtypes=FLOATS,
)
_image = (2, 3, 3, 5)

_SAME_IMAGE = same_sizes("gradOut", "inputSize", 4)
_RESIZES_IMAGE = Condition(Not(_SAME_IMAGE), "gradOut has another shape than inputSize")
_GRADIENT_BY_OUT = ShapeIf(
    In(FormatOf("out"), (NCHW,)),
    Lengths(
        (
            item("inputSize", 0),
            item("inputSize", 1),
            item("outputSize", 0),
            item("outputSize", 1),
        )
    ),
    Lengths(
        (
            item("inputSize", 0),
            item("outputSize", 0),
            item("outputSize", 1),
            item("inputSize", 3),
        )
    ),
)
_WIDENS = Condition(
    all_of(ProductIn((A950,)), Not(_SAME_IMAGE), In(DtypeOf("gradOut"), (FLOAT,))),
    f"the product is {A950}, gradOut is FLOAT and has another shape than inputSize",
)

BILINEAR_2D_BACKWARD = Operator(
    "aclnnUpsampleBilinear2dBackward",
    summary="Gradient of linear interpolation of images.",
    formula=INTERPOLATION + EACH_SCALE + TRANSPOSED + SUMS,
    params=_IMAGES.params(_INPUT),
    checks=(
        not_null("gradOut", "outputSize", "inputSize", "out"),
        rank_in("gradOut", 4),
        length_in("outputSize", 2),
        length_in("inputSize", 4),
        all_positive("outputSize"),
        shape_is(
            "gradOut",
            _GRADIENT_BY_OUT,
            "of inputSize with the lengths of outputSize, in the order of out's format",
        ),
        shape_is("out", _INPUT, "of inputSize"),
        when(
            _RESIZES_IMAGE,
            dtype_in("gradOut", FLOAT16, FLOAT, only_on(BF16, A950)),
        ),
        when(
            Condition(Not(_WIDENS.term), f"the product is not {A950}, or gradOut is not FLOAT"),
            same_dtype("out", "gradOut"),
        ),
        when(_WIDENS, dtype_in("out", FLOAT16, FLOAT, BF16)),
        image_sides_positive("gradOut"),
        shape_is(
            "gradOut",
            gradient_image_shape("gradOut"),
            "of inputSize with the lengths of outputSize, in the order of its format",
        ),
        format_in("gradOut", NCHW, NHWC),
        when(on_products(A950), same_format("out", "gradOut")),
        done_when_empty("gradOut"),
        supported_on(A950, A3, A2, P310P, T910),
        inside_storage("gradOut"),
    ),
    **_IMAGES.facts("upsample_bilinear2d_backward", goldens.linear),
    gradient=_IMAGES.gradient_of("aclnnUpsampleBilinear2d"),
    ulps=8,
    samples=(
        *(_IMAGES.call(dtype, _image, (7, 3)) for dtype in (FLOAT, FLOAT16)),
        _IMAGES.call(BF16, _image, (7, 3), product=A950),
        _IMAGES.call(FLOAT, _image, (7, 3), product=A950).retyped(BF16, "out"),
        _IMAGES.call(DOUBLE, _image, (3, 5)),
        _IMAGES.call(FLOAT, (1, 1, 1, 1), (1, 1)),
        _IMAGES.call(FLOAT, _image, (7, 13), (2.6, 2.6)),
        _IMAGES.call(FLOAT, _image, (7, 13), align_corners=True),
    ),
    formats=(
        "NCHW and NHWC, the same for both tensors; inputSize has the order of the format. Arrays "
        "in Python count as NCHW."
    ),
    notes=(
        "Upstream ignores the scales on all products but Ascend 950; aclhost follows the "
        "documented formula.",
        "Where nothing is resized, any dtype is copied.",
    ),
)

BILINEAR_2D_BACKWARD_V2 = Operator(
    "aclnnUpsampleBilinear2dBackwardV2",
    summary="Gradient of linear interpolation of images.",
    formula=INTERPOLATION + EACH_SCALE + TRANSPOSED + SUMS,
    params=_IMAGES_V2.params(_INPUT),
    checks=(
        not_null("gradOut", "inputSize", "outputSize", "out"),
        rank_in("gradOut", 4),
        length_in("inputSize", 4),
        length_in("outputSize", 2),
        format_in("out", NCHW, NHWC),
        image_sides_positive("gradOut"),
        all_positive("outputSize"),
        shape_is(
            "gradOut",
            gradient_image_shape("gradOut"),
            "of inputSize with the lengths of outputSize, in the order of its format",
        ),
        format_in("gradOut", NCHW, NHWC),
        same_batch_and_channels("out", "gradOut", "gradOut"),
        when(
            _RESIZES_IMAGE,
            dtype_in(
                "gradOut",
                only_on(FLOAT16, *_NEWER, P310P, T910),
                only_on(FLOAT, *_NEWER, P310P, T910),
                only_on(BF16, *_NEWER),
            ),
        ),
        same_dtype("out", "gradOut"),
        when(on_products(*OLDER), lengths_at_most("gradOut")),
        done_when_empty("gradOut", "out"),
        shape_is("out", _INPUT, "of inputSize"),
        supported_on(A950, A3, A2, P310P, T910),
        inside_storage("gradOut", "out"),
        inner(same_format("out", "gradOut")),
    ),
    **_IMAGES_V2.facts("upsample_bilinear2d_backward", goldens.linear),
    gradient=_IMAGES_V2.gradient_of("aclnnUpsampleBilinear2d"),
    ulps=8,
    samples=(
        *(_IMAGES_V2.call(dtype, _image, (7, 3)) for dtype in FLOATS),
        _IMAGES_V2.call(DOUBLE, _image, (3, 5)),
        _IMAGES_V2.call(FLOAT, (1, 1, 1, 1), (1, 1)),
        _IMAGES_V2.call(FLOAT, _image, (7, 13), (2.6, 2.6)),
        _IMAGES_V2.call(FLOAT, _image, (7, 13), align_corners=True),
    ),
    formats=(
        "NCHW and NHWC, the same for both tensors; inputSize has the order of the format. Arrays "
        "in Python count as NCHW."
    ),
    notes=(
        "Upstream ignores scales that do not lead to outputSize, and all on the older products; "
        "aclhost follows the documented formula.",
        "Where nothing is resized, any dtype is copied.",
    ),
)

OPS = (BILINEAR_2D_BACKWARD, BILINEAR_2D_BACKWARD_V2)
