# SPDX-License-Identifier: Apache-2.0
"""aclnnUpsampleNearest3d."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclhost.ops.resize.family import VOLUME_SCALES, Resizing, together
from aclhost.ops.resize.upsample_nearest3d_backward import SCALES
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, UINT8, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import IntArray, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    all_positive,
    at_least_values,
    channels_positive,
    done_when_empty,
    dtype_in,
    inner,
    inside_storage,
    length_in,
    lengths_at_most,
    not_null,
    on_products,
    only_on,
    rank_in,
    same_dtype,
    same_format_unless_nd,
    shape_is,
    spatial_positive,
    supported_on,
    when,
)
from aclhost.spec.terms import DtypeOf
from aclhost.spec.volumes import ResizedVolume

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints


def golden(
    self: Array, output_size: Ints, scales_d: float, scales_h: float, scales_w: float
) -> Array:
    """Along each axis, a gather with positions computed in float32."""
    import numpy as np

    scales, result = (scales_d, scales_h, scales_w), self
    for axis in range(3):
        length, target = self.shape[2 + axis], output_size[axis]
        ratio = np.float32(length) / np.float32(target)
        if all(scale > 0 for scale in scales):
            ratio = np.float32(1.0 / scales[axis])
        source = np.floor(np.arange(target, dtype=np.float32) * ratio)
        result = result.take(np.minimum(source, length - 1).astype(int), axis + 2)
    return result


def _call(dtype: DataType, scales: tuple[float, float, float]) -> Call:
    return Call(
        {
            "self": TensorArg((2, 3, 2, 3, 5), dtype),
            "outputSize": (4, 7, 3),
            "scalesD": scales[0],
            "scalesH": scales[1],
            "scalesW": scales[2],
            "out": TensorArg((2, 3, 4, 7, 3), dtype),
        }
    )


_DERIVED, _GIVEN = (0.0, 0.0, 0.0), (2.0, 2.6, 0.6)
_NOT_310P = (A950, A3, A2, P310B, T910)
_VOLUMES = Resizing(
    3,
    scales=VOLUME_SCALES,
    dtypes=(FLOAT, FLOAT16, BF16, DOUBLE),
    shift=0.0,
    policy=together,
    most=5,
)
_STRIDED = TensorArg((2, 3, 2, 3, 5), FLOAT, strides=(90, 30, 1, 2, 6))

OP = Operator(
    "aclnnUpsampleNearest3d",
    summary="Resizes volumes by taking the nearest value.",
    formula=(
        "Along each axis, with I the length of self, O that of out and r a float32 factor:\n\n"
        "`out[o] = self[min(floor(float(o) * r), I - 1)]`\n\n"
        "r is 1 / scale (divided in double) where all three scales are greater than 0, otherwise "
        "I / O on every axis. Values are copied bit by bit."
    ),
    params=(
        TensorIn("self", "Input."),
        IntArray("outputSize", "Depth, height and width of out."),
        *SCALES,
        TensorOut(
            "out",
            "Result.",
            shape=ResizedVolume("self", "outputSize"),
            dtype=DtypeOf("self"),
        ),
    ),
    checks=(
        not_null("self", "out", "outputSize"),
        dtype_in(
            "self",
            FLOAT,
            FLOAT16,
            only_on(DOUBLE, *_NOT_310P),
            only_on(BF16, *_NOT_310P),
            only_on(UINT8, A950),
        ),
        same_dtype("out", "self"),
        spatial_positive("self"),
        at_least_values("outputSize", 3),
        all_positive("outputSize"),
        channels_positive("self"),
        rank_in("self", 5),
        rank_in("out", 5),
        length_in("outputSize", 3),
        shape_is(
            "out",
            ResizedVolume("self", "outputSize"),
            "of N, C and outputSize, with C last when self's format is NDHWC",
        ),
        done_when_empty("self"),
        supported_on(A950, A3, A2, P310P, T910),
        same_format_unless_nd("out", "self"),
        inside_storage("self"),
    ),
    launch_checks=(
        when(
            on_products(A3, P310P, A2),
            inner(lengths_at_most("self"), lengths_at_most("out")),
        ),
    ),
    golden=golden,
    reference=_VOLUMES.torch("upsample_nearest3d"),
    draw=_VOLUMES.draw,
    samples=(
        _call(FLOAT, _DERIVED),
        _call(FLOAT, _GIVEN),
        _call(DOUBLE, (2.0, 0.0, 2.0)),
        _call(BF16, _DERIVED),
        _call(FLOAT16, _GIVEN),
        _call(UINT8, _DERIVED).on(A950),
        _call(FLOAT, _GIVEN).passing(self=_STRIDED),
    ),
    formats=(
        "NCDHW and NDHWC; any other label is processed as NCDHW. When self is not labelled ND, out "
        "must carry the same label."
    ),
    notes=(
        "Ascend 950 decides about each scale on its own and takes the reciprocal in float; aclhost "
        "follows the rule of Atlas A2 on every product.",
        "outputSize = floor(size * scale) is not enforced, by upstream neither. A batch of 0 is "
        "accepted, 0 channels are not.",
        "Places are found in float for DOUBLE, too. torch finds those of float64 in double, and "
        "takes another element for some lengths, 22 from 26 for one.",
    ),
)
