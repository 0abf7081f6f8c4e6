# SPDX-License-Identifier: Apache-2.0
"""aclnnMaxUnpool3dBackward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import DOUBLE, FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import IntArray, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, T910
from aclhost.spec.rules import (
    all_positive,
    contiguous,
    dims_positive,
    done_when_empty,
    dtype_in,
    holds_volume,
    inside_storage,
    length_in,
    not_null,
    rank_in,
    same_dtype,
    same_leading,
    same_rank,
    same_shape,
    shape_is,
    supported_on,
)
from aclhost.spec.volumes import WithSpatial

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

VALUES = (FLOAT, FLOAT16, INT8, UINT8, INT16, INT32, INT64, DOUBLE)
ARRAYS = (
    IntArray("outputSize", "Depth, height and width of the unpooled volume."),
    IntArray("stride", "Checked, otherwise without influence.", default=1),
    IntArray("padding", "Its length is checked, its values are not looked at.", default=0),
)
INDEX_NOTE = (
    "An index outside its volume is neither read nor written: the element becomes 0 or is dropped, "
    "and the launch fails like a device exception. Phase 2 returns 0, the next synchronisation of "
    "the stream 507015, and the message names the position; Python raises. Upstream leaves this "
    "undefined."
)


def golden(
    grad_output: Array, self: Array, indices: Ints, output_size: Ints, stride: Ints, padding: Ints
) -> Array:
    """A gather from each volume."""
    import numpy as np

    volumes = grad_output.reshape(-1, np.prod(grad_output.shape[-3:]))
    positions = indices.reshape(len(volumes), -1).astype(np.int64)
    return np.take_along_axis(volumes, positions, axis=1).reshape(self.shape)


def _call(
    lead: tuple[int, ...],
    indices: tuple[int, ...],
    dtype: DataType,
    strides: tuple[int, ...] | None = None,
) -> Call:
    return Call(
        {
            "gradOutput": TensorArg((*lead, 2, 3, 4), dtype, strides=strides),
            "self": TensorArg((*lead, 1, 2, 2), dtype),
            "indices": TensorArg((*lead, 1, 2, 2), INT64, indices),
            "outputSize": (2, 3, 4),
            "stride": (1, 2, 3),
            "padding": (1, 2, -3),
            "out": TensorArg((*lead, 1, 2, 2), dtype),
        }
    )


_TWICE = (0, 23, 5, 5, 1, 2, 3, 22)

OP = Operator(
    "aclnnMaxUnpool3dBackward",
    summary="Gradient of aclnnMaxUnpool3d: gathers what the forward scattered.",
    formula=(
        "For each volume (the last three dimensions; rank 4 is N, D, H, W):\n\n"
        "`out[i] = gradOutput[indices[i]]`\n\n"
        "with positions counted row by row, indices in the large volume of gradOutput. Values are "
        "copied bit by bit; those of self are not used."
    ),
    params=(
        TensorIn("gradOutput", "Gradient of the unpooled tensor."),
        TensorIn("self", "Input of the forward; only its shape and dtype count."),
        TensorIn("indices", "Positions in the unpooled volume."),
        *ARRAYS,
        TensorOut("out", "Gradient of self.", like="self"),
    ),
    checks=(
        not_null("gradOutput", "self", "indices", "outputSize", "stride", "padding", "out"),
        contiguous("out"),
        dtype_in("gradOutput", *VALUES),
        dtype_in("self", *VALUES),
        dtype_in("out", *VALUES),
        same_dtype("self", "gradOutput"),
        same_dtype("out", "gradOutput"),
        dtype_in("indices", INT64),
        rank_in("self", 4, 5),
        same_rank("indices", "self"),
        same_rank("out", "self"),
        same_shape("indices", "self"),
        same_shape("out", "self"),
        dims_positive("self", 1),
        length_in("outputSize", 3),
        length_in("stride", 3),
        length_in("padding", 3),
        all_positive("stride"),
        all_positive("outputSize"),
        holds_volume("outputSize", "self"),
        same_rank("gradOutput", "self"),
        shape_is(
            "gradOutput",
            WithSpatial("gradOutput", "outputSize"),
            "whose last three dimensions are outputSize",
        ),
        same_leading("gradOutput", "self"),
        done_when_empty("gradOutput"),
        supported_on(A950, A3, A2, T910),
        inside_storage("gradOutput", "indices"),
    ),
    golden=golden,
    gradient=Gradient("aclnnMaxUnpool3d", results={"out": "self"}, given={"gradOutput": "outRef"}),
    samples=(
        _call((1, 2), _TWICE, FLOAT),
        _call((2,), _TWICE, INT8),
        _call((2, 1), _TWICE, FLOAT16, strides=(24, 24, 1, 8, 2)),
        *(_call((2,), _TWICE, dtype) for dtype in (UINT8, INT16, INT32, INT64, DOUBLE)),
    ),
    notes=(
        INDEX_NOTE,
        'The documents say that "the last two axes" are merged; upstream\'s code merges three.',
    ),
)
