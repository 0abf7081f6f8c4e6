# SPDX-License-Identifier: Apache-2.0
"""Images resized with filters that widen where the image shrinks, and the gradients of that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aclhost.ops.resize import goldens
from aclhost.ops.resize.checks import (
    Rules,
    dim,
    grows_at_most,
    item,
    lengths_are,
    product_at_most,
    same_batch_and_channels,
    scales_not_negative,
    shrinks_at_most,
    values_at_most,
)
from aclhost.ops.resize.family import IMAGE_SCALES, Resizing
from aclhost.ops.resize.linear import TRANSPOSED
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16
from aclhost.spec.formats import NCHW, ND
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    Condition,
    all_positive,
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
    rank_in,
    same_dtype,
    same_format,
    same_format_unless_nd,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.shapes import ArrayShape, Lengths, ShapeTerm
from aclhost.spec.terms import FormatOf, In

_FLOATS = (FLOAT, FLOAT16, BF16)
_NOT_950 = on_products(A3, P310B, P310P, T910, A2)
_ON_A2 = on_products(A3, A2)
_SUPPORTED = supported_on(A950, A3, A2)
_SUMS = "Sums are taken in float, along the width first, and rounded once."
_MOST = 50  # times that an axis shrinks, or grows back
# The least scale whose reciprocal, rounded to float, is not above 50.
_LEAST = 0.019999999237060577
_FORMATS = "NCHW and ND, the same for both tensors."
_NOTHING = "The scales of axes that keep their length do not count."
_FILTERED = (
    "Along each axis, with I the length of the input, O that of the output and r a float32 factor, "
    "output o is made of all inputs i whose middle lies under a filter around `c = r * (o + 0.5)`. "
    "With s = max(r, 1), the weight of i is f((i + 0.5 - c) / s), divided by the sum of all. "
    "r is 1 where I = O; with alignCorners it is (I - 1) / (O - 1); else 1 / scale, divided in "
    "double, where that is greater than 0, otherwise I / O. "
)
_TRIANGLE = "f(t) is 1 - |t|, and 0 for |t| from 1 on. "
_CUBIC = (
    "f(t) is the cubic convolution with A = -0.5, and 0 for |t| from 2 on:\n\n"
    "`1.5 * t^3 - 2.5 * t^2 + 1` for t below 1,\n"
    "`-0.5 * t^3 + 2.5 * t^2 - 4 * t + 2` for t from 1 to 2.\n\n"
)


def _resizing(source: str) -> Resizing:
    return Resizing(2, source=source, aligns=True, scales=IMAGE_SCALES, dtypes=_FLOATS)


def _resizing_back() -> Resizing:
    return Resizing(
        2, source="gradOutput", backward=True, aligns=True, scales=IMAGE_SCALES, dtypes=_FLOATS
    )


def _is_nchw(tensor: str) -> Condition:
    return Condition(In(FormatOf(tensor), (NCHW,)), f"{tensor} has format NCHW")


def _result_shape(tensor: str, array: str, first: int) -> ShapeTerm:
    return Lengths((dim(tensor, 0), dim(tensor, 1), item(array, first), item(array, first + 1)))


def _shrinks(tensor: str, *, whole: bool) -> Rules:
    return tuple(
        rule
        for i, scale in enumerate(IMAGE_SCALES)
        for rule in shrinks_at_most(
            scale, _MOST, dim(tensor, 2 + i), item("outputSize", i), _LEAST, whole=whole
        )
    )


def _samples(resizing: Resizing) -> tuple[Any, ...]:
    image = (2, 3, 6, 9)
    return (
        *(resizing.call(dtype, image, (2, 4)) for dtype in _FLOATS),
        resizing.call(FLOAT, image, (9, 3), (1.6, 0.4)),
        resizing.call(FLOAT, image, (4, 13), align_corners=True),
        resizing.call(FLOAT, (1, 1, _MOST, 2), (1, 2)),
        resizing.call(FLOAT, (1, 1, 2, _MOST), (2, 1)),
        resizing.call(FLOAT, (2, 2, 2, 3), (2, 4)),
    )


def _typical(resizing: Resizing) -> Callable[[int], Any]:
    """Half as long in both directions."""

    def call(elements: int) -> Any:  # noqa: ANN401
        side = max(round((elements / 64) ** 0.5) // 2, 1)
        return resizing.call(FLOAT, (4, 16, 2 * side, 2 * side), (side, side), (0.5, 0.5))

    return call


def _facts(resizing: Resizing, name: str, weights: goldens.Weights) -> dict[str, Any]:
    """Torch repeats the first row where the result has a single column."""
    facts = resizing.facts(name, weights)
    function = facts["reference"]

    def reference(torch: Any, **arguments: Any) -> Any:  # noqa: ANN401
        one_column = arguments["output_size"][1] == 1 and not resizing.backward
        return NotImplemented if one_column else function(torch, **arguments)

    return {**facts, "reference": reference, "typical": _typical(resizing)}


_BILINEAR, _BICUBIC = _resizing("input"), _resizing("x")
_BILINEAR_BACK, _BICUBIC_BACK = _resizing_back(), _resizing_back()

BILINEAR_2D_AA = Operator(
    "aclnnUpsampleBilinear2dAA",
    summary="Resizes images by linear interpolation with anti-aliasing.",
    formula=_FILTERED + _TRIANGLE + _SUMS,
    params=_BILINEAR.params(_result_shape("input", "outputSize", 0)),
    checks=(
        not_null("input", "outputSize", "out"),
        dtype_in("input", *_FLOATS),
        same_dtype("out", "input"),
        same_format("out", "input"),
        rank_in("input", 4),
        rank_in("out", 4),
        length_in("outputSize", 2),
        format_in("input", ND, NCHW),
        when(_is_nchw("input"), same_batch_and_channels("out", "input")),
        scales_not_negative(*IMAGE_SCALES),
        dims_positive("input", 0),
        all_positive("outputSize"),
        when(
            _ON_A2,
            lengths_at_most("input"),
            values_at_most("outputSize"),
            product_at_most(
                "input",
                ("N", "C", "the height of input"),
                dim("input", 0),
                dim("input", 1),
                dim("input", 2),
            ),
        ),
        when(_NOT_950, _shrinks("input", whole=True)),
        done_when_empty("out"),
        _SUPPORTED,
        inside_storage("input"),
        inner(shape_is("out", _result_shape("input", "outputSize", 0), "of N, C and outputSize")),
    ),
    **_facts(_BILINEAR, "_upsample_bilinear2d_aa", goldens.smooth_linear),
    ulps=16,
    samples=_samples(_BILINEAR),
    formats=_FORMATS,
    notes=(
        "The documents' limit of 50 counts whole lengths only where no scale is given, in upstream "
        "too.",
        _NOTHING,
    ),
)

BILINEAR_2D_AA_BACKWARD = Operator(
    "aclnnUpsampleBilinear2dAABackward",
    summary="Gradient of linear interpolation of images with anti-aliasing.",
    formula=_FILTERED + _TRIANGLE + TRANSPOSED + _SUMS,
    params=_BILINEAR_BACK.params(ArrayShape("inputSize")),
    checks=(
        not_null("gradOutput", "inputSize", "out"),
        dtype_in("gradOutput", *_FLOATS),
        same_dtype("out", "gradOutput"),
        same_format("out", "gradOutput"),
        rank_in("gradOutput", 4),
        rank_in("out", 4),
        length_in("inputSize", 4),
        not_null("outputSize"),
        length_in("outputSize", 2),
        format_in("gradOutput", ND, NCHW),
        when(_is_nchw("gradOutput"), same_batch_and_channels("out", "gradOutput")),
        scales_not_negative(*IMAGE_SCALES),
        all_positive("inputSize"),
        all_positive("outputSize"),
        when(
            _ON_A2,
            values_at_most("inputSize", "outputSize"),
            product_at_most(
                "gradOutput",
                ("N", "C", "the height of gradOutput"),
                item("inputSize", 0),
                item("inputSize", 1),
                item("outputSize", 0),
            ),
            *(
                grows_at_most(scale, _MOST, item("inputSize", 2 + i), item("outputSize", i))
                for i, scale in enumerate(IMAGE_SCALES)
            ),
        ),
        done_when_empty("gradOutput", "out"),
        _SUPPORTED,
        inside_storage("gradOutput"),
        inner(
            lengths_are("gradOutput", "outputSize", 2, 3),
            shape_is(
                "out",
                _result_shape("gradOutput", "inputSize", 2),
                "of gradOutput with the lengths of inputSize",
            ),
        ),
    ),
    **_facts(_BILINEAR_BACK, "_upsample_bilinear2d_aa_backward", goldens.smooth_linear),
    gradient=_BILINEAR_BACK.gradient_of("aclnnUpsampleBilinear2dAA", source="input"),
    ulps=16,
    samples=_samples(_BILINEAR_BACK),
    formats=_FORMATS,
    notes=(_NOTHING,),
)

BICUBIC_2D_AA = Operator(
    "aclnnUpsampleBicubic2dAA",
    summary="Resizes images by cubic convolution with anti-aliasing.",
    formula=_FILTERED + _CUBIC + _SUMS,
    params=_BICUBIC.params(_result_shape("x", "outputSize", 0)),
    checks=(
        not_null("x", "outputSize", "out"),
        dtype_in("x", *_FLOATS),
        same_dtype("out", "x"),
        rank_in("x", 4),
        length_in("outputSize", 2),
        dims_positive("x", 1),
        all_positive("outputSize"),
        lengths_are("out", "outputSize", 2, 3),
        format_in("x", ND, NCHW),
        format_in("out", ND, NCHW),
        when(
            _NOT_950, lengths_at_most("x"), values_at_most("outputSize"), _shrinks("x", whole=False)
        ),
        done_when_empty("x", "out"),
        _SUPPORTED,
        inside_storage("x"),
        same_format_unless_nd("out", "x"),
        inner(shape_is("out", _result_shape("x", "outputSize", 0), "of N, C and outputSize")),
    ),
    **_facts(_BICUBIC, "_upsample_bicubic2d_aa", goldens.smooth_cubic),
    ulps=16,
    samples=_samples(_BICUBIC),
    formats="NCHW and ND. When x is not labelled ND, out must carry the same label.",
    notes=("A batch of 0 is accepted, 0 channels are not.", _NOTHING),
)

BICUBIC_2D_AA_GRAD = Operator(
    "aclnnUpsampleBicubic2dAAGrad",
    summary="Gradient of cubic convolution of images with anti-aliasing.",
    formula=_FILTERED + _CUBIC + TRANSPOSED + _SUMS,
    params=_BICUBIC_BACK.params(ArrayShape("inputSize")),
    checks=(
        not_null("gradOutput", "inputSize", "out"),
        dtype_in("gradOutput", *_FLOATS),
        same_dtype("out", "gradOutput"),
        scales_not_negative(*IMAGE_SCALES),
        same_format("out", "gradOutput"),
        rank_in("gradOutput", 4),
        rank_in("out", 4),
        length_in("inputSize", 4),
        not_null("outputSize"),
        length_in("outputSize", 2),
        when(_is_nchw("gradOutput"), same_batch_and_channels("out", "gradOutput")),
        dims_positive("gradOutput", 0),
        all_positive("inputSize", first=2),
        format_in("gradOutput", ND, NCHW),
        when(
            _NOT_950,
            *(
                grows_at_most(scale, _MOST, item("inputSize", 2 + i), dim("gradOutput", 2 + i))
                for i, scale in enumerate(IMAGE_SCALES)
            ),
            lengths_at_most("gradOutput"),
            values_at_most("inputSize"),
        ),
        done_when_empty("out"),
        _SUPPORTED,
        inside_storage("gradOutput"),
        inner(
            lengths_are("gradOutput", "outputSize", 2, 3),
            shape_is(
                "out",
                _result_shape("gradOutput", "inputSize", 2),
                "of gradOutput with the lengths of inputSize",
            ),
        ),
    ),
    **_facts(_BICUBIC_BACK, "_upsample_bicubic2d_aa_backward", goldens.smooth_cubic),
    gradient=_BICUBIC_BACK.gradient_of("aclnnUpsampleBicubic2dAA", source="x"),
    ulps=16,
    samples=_samples(_BICUBIC_BACK),
    formats=_FORMATS,
    notes=(_NOTHING,),
)

OPS = (BILINEAR_2D_AA, BILINEAR_2D_AA_BACKWARD, BICUBIC_2D_AA, BICUBIC_2D_AA_GRAD)
