# SPDX-License-Identifier: Apache-2.0
"""aclnnMaxUnpool3d."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.pooling.max_unpool3d_backward import ARRAYS, INDEX_NOTE, VALUES
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import DOUBLE, FLOAT, FLOAT16, INT32, INT64, UINT8, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950
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
from aclhost.spec.terms import DtypeOf
from aclhost.spec.volumes import WithSpatial

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints


def golden(self: Array, indices: Ints, output_size: Ints, stride: Ints, padding: Ints) -> Array:
    """Zeros, then a scatter into each volume; NumPy lets the last of equal indices win."""
    import numpy as np

    lead = int(np.prod(self.shape[:-3]))
    result = np.zeros((lead, int(np.prod(output_size))), self.dtype)
    positions = indices.reshape(lead, -1).astype(np.int64)
    np.put_along_axis(result, positions, self.reshape(lead, -1), axis=1)
    return result.reshape(*self.shape[:-3], *output_size)


def _call(
    lead: tuple[int, ...], indices: tuple[int, ...], dtype: DataType, index_dtype: DataType
) -> Call:
    return Call(
        {
            "self": TensorArg((*lead, 1, 2, 2), dtype),
            "indices": TensorArg((*lead, 1, 2, 2), index_dtype, indices),
            "outputSize": (2, 3, 4),
            "stride": (2, 2, 2),
            "padding": (0, 0, 0),
            "outRef": TensorArg((*lead, 2, 3, 4), dtype),
        }
    )


def _drawn(rng: Random) -> Call:
    """Distinct indices: of equal ones the result has the last, but the gradient goes to all."""
    lead = rng.choice(((1, 2), (2,), (3, 1)))
    indices = tuple(place for _ in range(prod(lead)) for place in rng.sample(range(24), 4))
    return _call(lead, indices, rng.choice((FLOAT, FLOAT16, DOUBLE)), rng.choice((INT32, INT64)))


_INDICES = (0, 23, 5, 5, 1, 2, 3, 22)

OP = Operator(
    "aclnnMaxUnpool3d",
    summary="Puts pooled values back to where they came from, with zeros elsewhere.",
    formula=(
        "For each volume (the last three dimensions; rank 4 is N, D, H, W): outRef becomes 0, "
        "then\n\n`outRef[indices[i]] = self[i]`\n\n"
        "in ascending order of i, so that the last of equal indices wins. Values are copied bit by "
        "bit; what outRef held before is lost."
    ),
    params=(
        TensorIn("self", "Pooled values."),
        TensorIn("indices", "Positions in the unpooled volume."),
        *ARRAYS,
        TensorOut(
            "outRef",
            "Unpooled values.",
            shape=WithSpatial("self", "outputSize"),
            dtype=DtypeOf("self"),
        ),
    ),
    checks=(
        not_null("self", "indices", "outputSize", "stride", "padding", "outRef"),
        contiguous("outRef"),
        dtype_in("self", *VALUES),
        same_dtype("outRef", "self"),
        dtype_in("indices", INT32, INT64),
        rank_in("self", 4, 5),
        same_rank("indices", "self"),
        same_shape("indices", "self"),
        dims_positive("self", 1),
        length_in("outputSize", 3),
        length_in("stride", 3),
        length_in("padding", 3),
        all_positive("stride"),
        all_positive("outputSize"),
        holds_volume("outputSize", "self"),
        same_rank("outRef", "self"),
        same_leading("outRef", "self"),
        shape_is(
            "outRef",
            WithSpatial("outRef", "outputSize"),
            "whose last three dimensions are outputSize",
        ),
        done_when_empty("self"),
        supported_on(A950, A3, A2),
        inside_storage("self", "indices"),
    ),
    golden=golden,
    draw=_drawn,
    samples=(
        _call((1, 2), _INDICES, FLOAT, INT64),
        _call((2,), _INDICES, FLOAT16, INT32),
        _call((2, 1), _INDICES, UINT8, INT64),
        _call((2, 1), _INDICES, DOUBLE, INT32),
    ),
    notes=(
        INDEX_NOTE,
        "The documents allow outRef to be non-contiguous; upstream's code, and so aclhost, does "
        "not. Upstream leaves open which of equal indices wins on the device.",
    ),
)
