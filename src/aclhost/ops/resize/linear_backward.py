# SPDX-License-Identifier: Apache-2.0
"""Gradients of linear interpolation of signals and volumes."""

from __future__ import annotations

from aclhost.ops.resize import goldens
from aclhost.ops.resize.checks import (
    grows_at_most,
    item,
    lengths_are,
    reaches,
    same_batch_and_channels,
    same_sizes,
    volume_gradient,
)
from aclhost.ops.resize.family import VOLUME_SCALES, Resizing, together
from aclhost.ops.resize.linear import (
    ALL_SCALES,
    EACH_SCALE,
    FLOAT_PLACES,
    FLOATS,
    INTERPOLATION,
    OLDER,
    SUMS,
    TRANSPOSED,
)
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16
from aclhost.spec.formats import NCDHW, ND, NDHWC
from aclhost.spec.operator import Operator
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    all_positive,
    cast_exists,
    done_when_empty,
    dtype_in,
    fits_shape,
    format_fits_rank,
    format_in,
    inside_storage,
    length_in,
    lengths_at_most,
    not_null,
    on_products,
    rank_in,
    refused_unless_on,
    same_dtype,
    same_format_unless_nd,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.shapes import ArrayShape
from aclhost.spec.terms import And, AtMost, Const, Not, Or, ProductIn, RealIs, all_of, any_of, const

_INPUT = ArrayShape("inputSize")
_SIGNALS = Resizing(
    1, source="gradOut", backward=True, aligns=True, scales=("scales",), dtypes=FLOATS
)
_VOLUMES = Resizing(
    3,
    source="gradOut",
    result="gradInput",
    backward=True,
    aligns=True,
    scales=VOLUME_SCALES,
    dtypes=(*FLOATS, DOUBLE),
    policy=together,
    most=5,
)
_signal, _volume = (2, 3, 5), (2, 3, 2, 3, 5)

_SAME_SIGNAL = same_sizes("gradOut", "inputSize", 3)

# Where upstream's newer kernel is used, which does not enlarge more than 500 times.
_BY_NEWER_KERNEL = Condition(
    all_of(
        ProductIn((A3, A2)),
        AtMost(item("outputSize", 0), Const(10**6 - 1)),
        any_of(
            _SAME_SIGNAL,
            And(RealIs("scales", "<=", 1e-9), RealIs("scales", ">=", -1e-9)),
            reaches("scales", item("inputSize", 2), item("outputSize", 0)),
        ),
    ),
    f"the product is {A3} or {A2}, outputSize is below 10^6 and the scale is 0 or leads there",
)
_ON_950 = on_products(A950)

LINEAR_1D_BACKWARD = Operator(
    "aclnnUpsampleLinear1dBackward",
    summary="Gradient of linear interpolation of signals.",
    formula=INTERPOLATION + EACH_SCALE + TRANSPOSED + SUMS,
    params=_SIGNALS.params(_INPUT),
    checks=(
        not_null("gradOut", "outputSize", "inputSize", "out"),
        rank_in("gradOut", 3),
        when(_ON_950, rank_in("out", 3)),
        length_in("outputSize", 1),
        length_in("inputSize", 3),
        when(
            _ON_950,
            all_positive("inputSize", first=2),
            all_positive("outputSize"),
            lengths_are("gradOut", "inputSize", 0, 1),
            lengths_are("gradOut", "outputSize", 2),
            shape_is("out", _INPUT, "of inputSize"),
        ),
        refused_unless_on(A950, A3, A2, T910),
        when(
            Condition(
                Or(ProductIn((A950,)), _SAME_SIGNAL),
                f"the product is {A950} or gradOut has the shape of inputSize",
            ),
            dtype_in("gradOut", *FLOATS),
        ),
        same_dtype("out", "gradOut"),
        when(
            Condition(Not(ProductIn((A950,))), f"the product is not {A950}"),
            all_positive("inputSize", first=2),
            all_positive("outputSize"),
            lengths_are("gradOut", "inputSize", 0, 1),
            lengths_are("gradOut", "outputSize", 2),
            same_batch_and_channels("out", "gradOut"),
            lengths_at_most("gradOut"),
            lengths_at_most("out"),
        ),
        done_when_empty("gradOut"),
        when(
            _BY_NEWER_KERNEL,
            grows_at_most("scales", 500, item("inputSize", 2), item("outputSize", 0)),
        ),
        when(
            Condition(Not(ProductIn((A950,))), f"the product is not {A950}"),
            fits_shape("out", _INPUT, "of inputSize"),
        ),
        inside_storage("gradOut"),
        format_fits_rank("out"),
        cast_exists("out", const(FLOAT)),
    ),
    **_SIGNALS.facts("upsample_linear1d_backward", goldens.linear),
    gradient=_SIGNALS.gradient_of("aclnnUpsampleLinear1d", saved={"scales": "scale"}),
    ulps=6,
    samples=(
        *(_SIGNALS.call(dtype, _signal, (7,)) for dtype in FLOATS),
        _SIGNALS.call(FLOAT, _signal, (13,), (2.6,)),
        _SIGNALS.call(FLOAT, _signal, (5,)),
        _SIGNALS.call(FLOAT, _signal, (13,), align_corners=True),
        _SIGNALS.call(FLOAT, _signal, (3,), (0.6,), product=A950),
    ),
    formats="Any label of gradOut; that of out must fit rank 3.",
    notes=(
        "Upstream checks the dtype only on Ascend 950 and where nothing is resized; others are "
        "cast to float and back, here too.",
        "Upstream ignores a scale that does not lead to outputSize; aclhost follows the documented "
        "formula.",
    ),
)

TRILINEAR_3D_BACKWARD = Operator(
    "aclnnUpsampleTrilinear3dBackward",
    summary="Gradient of linear interpolation of volumes.",
    formula=INTERPOLATION + ALL_SCALES + TRANSPOSED + SUMS,
    params=_VOLUMES.params(_INPUT),
    checks=(
        not_null("gradOut", "outputSize", "inputSize", "gradInput"),
        dtype_in("gradOut", FLOAT, FLOAT16, DOUBLE, BF16),
        same_dtype("gradInput", "gradOut"),
        volume_gradient(format_in("gradOut", ND, NCDHW, NDHWC)),
        when(on_products(*OLDER), lengths_at_most("gradOut")),
        done_when_empty("gradOut"),
        supported_on(A3, A2, P310P, T910),
        same_format_unless_nd("gradInput", "gradOut"),
        inside_storage("gradOut"),
    ),
    **_VOLUMES.facts("upsample_trilinear3d_backward", goldens.linear),
    gradient=_VOLUMES.gradient_of("aclnnUpsampleTrilinear3d"),
    ulps=10,
    samples=(
        *(_VOLUMES.call(dtype, _volume, (4, 7, 3)) for dtype in (*FLOATS, DOUBLE)),
        _VOLUMES.call(FLOAT, _volume, (4, 7, 3), (2.0, 2.6, 0.6)),
        _VOLUMES.call(FLOAT, _volume, (4, 7, 3), (2.0, 0.0, 0.6), align_corners=True),
    ),
    formats=(
        "ND, NCDHW and NDHWC. When gradOut is not labelled ND, gradInput must carry the same label."
    ),
    notes=(
        "inputSize is N, C, D, H, W for NDHWC tensors, too.",
        FLOAT_PLACES,
    ),
)

OPS = (LINEAR_1D_BACKWARD, TRILINEAR_3D_BACKWARD)
