# SPDX-License-Identifier: Apache-2.0
"""Images resized by cubic convolution, and the gradient of that."""

from __future__ import annotations

from aclhost.ops.resize import goldens
from aclhost.ops.resize.checks import (
    SLACK,
    dim,
    given,
    gradient_image_shape,
    image_shape,
    image_sides_positive,
    is_nhwc,
    item,
    product_at_most,
    reaches,
    scale_fits,
    values_at_most,
)
from aclhost.ops.resize.family import IMAGE_SCALES, Resizing
from aclhost.ops.resize.linear import TRANSPOSED
from aclhost.spec.call import TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16
from aclhost.spec.formats import NCHW, ND, NHWC
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    Condition,
    all_positive,
    dims_positive,
    done_when_empty,
    dtype_in,
    format_in,
    inside_storage,
    length_in,
    lengths_at_most,
    not_null,
    on_products,
    only_on,
    rank_in,
    same_dtype,
    same_format,
    same_format_unless_nd,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.shapes import ArrayShape
from aclhost.spec.terms import And, If, ProductIn

_NEWER = (A950, A3, A2)
_OLDER = (A3, P310B, P310P, T910, A2)
_FLOATS = (FLOAT, FLOAT16, BF16)
_NOT_950 = on_products(*_OLDER)
_SUMS = (
    "Sums are taken in float, along the width first, and rounded once. A weight of 0 does not "
    "count, not even beside infinity."
)
_CONVOLUTION = (
    "Along each axis, with I the length of the input, O that of the output and r a float32 factor, "
    "output o lies at `x = r * (o + 0.5) - 0.5`, or at `x = r * o` with alignCorners. It is made "
    "of the four inputs from floor(x) - 1 to floor(x) + 2, of which those beyond an end are the "
    "end itself. With A = -0.75, the weight at a distance t is\n\n"
    "`(A + 2) * t^3 - (A + 3) * t^2 + 1` for t below 1,\n"
    "`A * t^3 - 5 * A * t^2 + 8 * A * t - 4 * A` for t from 1 to 2.\n\n"
    "r is 1 where I = O; with alignCorners it is (I - 1) / (O - 1); else 1 / scale, divided in "
    "double, where that is greater than 0, otherwise I / O. "
)
_IMAGES = Resizing(2, aligns=True, scales=IMAGE_SCALES, dtypes=_FLOATS)
_IMAGES_BACK = Resizing(
    2,
    source="gradOut",
    result="gradInput",
    backward=True,
    aligns=True,
    scales=IMAGE_SCALES,
    dtypes=_FLOATS,
)
_image = (2, 3, 3, 5)
_STRIDED = TensorArg(_image, FLOAT, strides=(90, 1, 15, 3))


def _counts(scale: str) -> Condition:
    counts = given(scale)
    return Condition(
        And(ProductIn(_OLDER), counts.term), f"the product is not {A950} and {counts.english}"
    )


BICUBIC_2D = Operator(
    "aclnnUpsampleBicubic2d",
    summary="Resizes images by cubic convolution.",
    formula=_CONVOLUTION + _SUMS,
    params=_IMAGES.params(image_shape("self", "outputSize")),
    checks=(
        not_null("outputSize", "self", "out"),
        dtype_in("self", FLOAT16, FLOAT, only_on(BF16, *_NEWER)),
        same_dtype("out", "self"),
        same_format("out", "self"),
        format_in("out", NCHW, NHWC, ND),
        rank_in("self", 4),
        rank_in("out", 4),
        length_in("outputSize", 2),
        dims_positive("self", 1),
        all_positive("outputSize"),
        shape_is(
            "out",
            image_shape("self", "outputSize"),
            "of N, C and outputSize, in the order of the format",
        ),
        when(_NOT_950, lengths_at_most("self"), lengths_at_most("out")),
        *(
            when(
                _counts(scale),
                scale_fits(
                    scale,
                    reaches(
                        scale,
                        If(is_nhwc("self"), dim("self", 1 + i), dim("self", 2 + i)),
                        item("outputSize", i),
                        SLACK,
                    ),
                    axis,
                ),
            )
            for i, (scale, axis) in enumerate(zip(IMAGE_SCALES, _IMAGES.names, strict=True))
        ),
        done_when_empty("self"),
        inside_storage("self"),
    ),
    **_IMAGES.facts("upsample_bicubic2d", goldens.cubic),
    ulps=8,
    samples=(
        *(_IMAGES.call(dtype, _image, (7, 3)) for dtype in _FLOATS),
        _IMAGES.call(FLOAT, _image, (7, 13), (2.6, 2.6)),
        _IMAGES.call(FLOAT, _image, (7, 13), align_corners=True),
        _IMAGES.call(FLOAT, _image, (6, 3), (2.1, 0.6)).passing(self=_STRIDED),
    ),
    formats="NCHW, NHWC and ND, which is processed as NCHW; the same for both tensors.",
    notes=(
        "Only Ascend 950 accepts a scale that does not lead to outputSize.",
        "A batch of 0 is accepted, 0 channels are not.",
        "Upstream's kernel for Atlas A2 and A3 takes NHWC for NCHW; aclhost goes by the label.",
    ),
)

BICUBIC_2D_BACKWARD = Operator(
    "aclnnUpsampleBicubic2dBackward",
    summary="Gradient of cubic convolution of images.",
    formula=_CONVOLUTION + TRANSPOSED + _SUMS,
    params=_IMAGES_BACK.params(ArrayShape("inputSize")),
    checks=(
        not_null("inputSize", "gradInput", "gradOut", "outputSize"),
        rank_in("gradOut", 4),
        rank_in("gradInput", 4),
        length_in("outputSize", 2),
        length_in("inputSize", 4),
        image_sides_positive("gradInput"),
        all_positive("outputSize"),
        shape_is(
            "gradOut",
            gradient_image_shape("gradInput"),
            "of inputSize with the lengths of outputSize, in the order of gradInput's format",
        ),
        shape_is("gradInput", ArrayShape("inputSize"), "of inputSize"),
        when(on_products(A950), format_in("gradOut", ND, NCHW, NHWC)),
        when(on_products(A950), same_format("gradInput", "gradOut")),
        when(_NOT_950, format_in("gradOut", ND, NCHW)),
        dtype_in("gradOut", FLOAT16, FLOAT, only_on(BF16, *_NEWER)),
        same_dtype("gradInput", "gradOut"),
        when(
            on_products(A3, A2),
            values_at_most("inputSize", "outputSize"),
            product_at_most(
                "gradOut",
                ("N", "C", "the height of gradOut"),
                item("inputSize", 0),
                item("inputSize", 1),
                item("outputSize", 0),
            ),
        ),
        done_when_empty("gradOut"),
        supported_on(A950, A3, A2, T910),
        same_format_unless_nd("gradInput", "gradOut"),
        inside_storage("gradOut"),
    ),
    **_IMAGES_BACK.facts("upsample_bicubic2d_backward", goldens.cubic),
    gradient=_IMAGES_BACK.gradient_of("aclnnUpsampleBicubic2d"),
    ulps=8,
    samples=(
        *(_IMAGES_BACK.call(dtype, _image, (7, 3)) for dtype in _FLOATS),
        _IMAGES_BACK.call(FLOAT, (1, 1, 1, 1), (1, 1)),
        _IMAGES_BACK.call(FLOAT, (2, 2, 3, 5), (2, 7)),
        _IMAGES_BACK.call(FLOAT, _image, (7, 13), (2.6, 2.6)),
        _IMAGES_BACK.call(FLOAT, _image, (7, 13), align_corners=True),
    ),
    formats=(
        "NCHW and ND, on Ascend 950 also NHWC, where inputSize has the order of the format. When "
        "gradOut is not labelled ND, gradInput must carry the same label."
    ),
)

OPS = (BICUBIC_2D, BICUBIC_2D_BACKWARD)
