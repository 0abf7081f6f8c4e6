# SPDX-License-Identifier: Apache-2.0
"""aclnnUpsampleNearest3dBackward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclhost.ops.resize.checks import volume_gradient
from aclhost.ops.resize.family import VOLUME_SCALES, Resizing, together
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, IntArray, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, P310B, P310P, T910
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    inside_storage,
    lengths_at_most,
    not_null,
    on_products,
    same_dtype,
    same_format_unless_nd,
    supported_on,
    when,
)
from aclhost.spec.shapes import ArrayShape
from aclhost.spec.terms import DtypeOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

SCALES = tuple(
    Double(f"scales{axis}", f"Output over input along {name}; 0 for none given.", default=0.0)
    for axis, name in (("D", "depth"), ("H", "height"), ("W", "width"))
)


def golden(
    grad_out: Array,
    output_size: Ints,
    input_size: Ints,
    scales_d: float,
    scales_h: float,
    scales_w: float,
) -> Array:
    """Along each axis, sums over windows whose borders are computed in float32."""
    import numpy as np

    scales, result = (scales_d, scales_h, scales_w), grad_out
    for axis in range(3):
        length, source = input_size[2 + axis], output_size[axis]
        factor = np.float32(source) / np.float32(length)
        if all(scale > 0 for scale in scales):
            factor = np.float32(scales[axis])
        borders = np.ceil(np.arange(length + 1, dtype=np.float32) * factor)
        borders = np.minimum(borders, source).astype(int)
        parts = [result.take(range(*borders[k : k + 2]), axis + 2) for k in range(length)]
        result = np.stack([part.sum(axis + 2) for part in parts], axis + 2)
    return result


def _call(dtype: DataType, scales: tuple[float, float, float]) -> Call:
    return Call(
        {
            "gradOut": TensorArg((2, 3, 4, 7, 3), dtype),
            "outputSize": (4, 7, 3),
            "inputSize": (2, 3, 2, 3, 5),
            "scalesD": scales[0],
            "scalesH": scales[1],
            "scalesW": scales[2],
            "gradInput": TensorArg((2, 3, 2, 3, 5), dtype),
        }
    )


_DERIVED, _GIVEN = (0.0, 0.0, 0.0), (2.0, 2.6, 0.6)
_VOLUMES = Resizing(
    3,
    source="gradOut",
    result="gradInput",
    backward=True,
    scales=VOLUME_SCALES,
    dtypes=(FLOAT, FLOAT16, BF16, DOUBLE),
    shift=0.0,
    policy=together,
    most=5,
)
_STRIDED = TensorArg((2, 3, 4, 7, 3), FLOAT, strides=(252, -84, 1, 4, 28), offset=168)

OP = Operator(
    "aclnnUpsampleNearest3dBackward",
    summary="Gradient of nearest-neighbour resizing of volumes.",
    formula=(
        "Along each axis, with I the length in gradInput, O that in gradOut and S a float32 "
        "factor:\n\n`start(k) = min(ceil(float(k) * S), O)`\n\n"
        "gradInput[k] is the sum of gradOut over [start(k), start(k + 1)), in all three axes at "
        "once; empty windows give 0. S is the given scale where all three are greater than 0, "
        "otherwise O / I on every axis. Sums are taken in float (DOUBLE: in double): at each place "
        "of the width depth by depth and row by row, then along the width. They are rounded once."
    ),
    params=(
        TensorIn("gradOut", "Gradient of the resized tensor."),
        IntArray("outputSize", "Depth, height and width of gradOut."),
        IntArray("inputSize", "N, C, D, H, W of gradInput, whatever the format.", length=5),
        *SCALES,
        TensorOut(
            "gradInput",
            "Gradient of the input.",
            shape=ArrayShape("inputSize"),
            dtype=DtypeOf("gradOut"),
        ),
    ),
    checks=(
        not_null("gradOut", "outputSize", "inputSize", "gradInput"),
        dtype_in("gradOut", FLOAT, FLOAT16, DOUBLE, BF16),
        same_dtype("gradInput", "gradOut"),
        volume_gradient(),
        when(
            on_products(A3, P310B, P310P, T910, A2),
            lengths_at_most("gradOut"),
            lengths_at_most("gradInput"),
        ),
        done_when_empty("gradOut"),
        supported_on(A3, A2, T910),
        same_format_unless_nd("gradInput", "gradOut"),
        inside_storage("gradOut"),
    ),
    golden=golden,
    gradient=Gradient(
        "aclnnUpsampleNearest3d",
        results={"gradInput": "self"},
        given={"gradOut": "out"},
        derived={"inputSize": lambda forward: tuple(forward["self"].shape)},
    ),
    summed=("gradOut",),
    reference=_VOLUMES.torch("upsample_nearest3d_backward"),
    draw=_VOLUMES.draw,
    samples=(
        _call(FLOAT, _DERIVED),
        _call(FLOAT, _GIVEN),
        _call(DOUBLE, (2.0, 0.0, 2.0)),
        _call(BF16, _DERIVED),
        _call(FLOAT16, _GIVEN),
        _call(FLOAT, _GIVEN).passing(gradOut=_STRIDED),
    ),
    formats=(
        "NCDHW and NDHWC; any other label is processed as NCDHW. When gradOut is not labelled ND, "
        "gradInput must carry the same label."
    ),
    notes=(
        "inputSize is N, C, D, H, W for NDHWC tensors too; the documents say otherwise.",
        "Not enforced, by upstream neither: outputSize = floor(inputSize * scale), dimensions up "
        "to 2^20, less than 60 GB of memory, no empty tensors.",
        "A scale smaller than O / I drops what lies beyond start(I). In float32 the windows are "
        "not always the exact adjoint of the forward's map.",
        "Upstream's newer document and code support Ascend 950; the document that aclhost follows "
        "does not, so the product is refused.",
        "Upstream's CPU fallback (DOUBLE, large scales, the Atlas training series) scatters "
        "instead; aclhost uses the windows for every dtype on every product.",
    ),
)
