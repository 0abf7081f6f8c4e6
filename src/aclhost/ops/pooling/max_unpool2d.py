# SPDX-License-Identifier: Apache-2.0
"""aclnnMaxUnpool2d and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.pooling.max_unpool3d_backward import INDEX_NOTE, VALUES
from aclhost.ops.pooling.windows import resized, same_lengths_before
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.dtypes import BOOL, FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import IntArray, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, T910
from aclhost.spec.rules import (
    Condition,
    all_positive,
    castable_to,
    dims_positive,
    done_when_empty,
    dtype_in,
    inner,
    inside_storage,
    length_in,
    not_null,
    rank_in,
    requires,
    same_dtype,
    same_rank,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import (
    AtMost,
    Const,
    DimOf,
    DtypeOf,
    Elements,
    Empty,
    Equal,
    If,
    ItemOf,
    RankOf,
    Times,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_SIZE = IntArray("outputSize", "Height and width of the unpooled plane.", length=2)
_LARGE = resized("self", "outputSize", 2)


def golden(self: Array, indices: Ints, output_size: Ints) -> Array:
    """Zeros, then a scatter into each plane; NumPy lets the last of equal indices win."""
    import numpy as np

    lead = int(np.prod(self.shape[:-2]))
    result = np.zeros((lead, int(np.prod(output_size))), self.dtype)
    np.put_along_axis(
        result, indices.reshape(lead, -1).astype(np.int64), self.reshape(lead, -1), axis=1
    )
    return result.reshape(*self.shape[:-2], *output_size)


def golden_backward(grad_output: Array, self: Array, indices: Ints, output_size: Ints) -> Array:
    """A gather from each plane."""
    import numpy as np

    planes = grad_output.reshape(-1, int(np.prod(output_size)))
    places = indices.reshape(len(planes), -1).astype(np.int64)
    return np.take_along_axis(planes, places, axis=1).reshape(self.shape)


def _reference_backward(torch: Any, grad_output: Any, self: Any, indices: Any, **_: Any) -> Any:  # noqa: ANN401
    planes = grad_output.reshape(-1, grad_output.shape[-2] * grad_output.shape[-1])
    places = indices.reshape(len(planes), -1).long()
    return torch.gather(planes, 1, places).reshape(self.shape)


def _reference(torch: Any, self: Any, indices: Any, output_size: Any) -> Any:  # noqa: ANN401
    places = indices.long()
    # Torch leaves open which of equal indices wins.
    planes = places.reshape(-1, places.shape[-2] * places.shape[-1])
    if any(len(set(plane.tolist())) < plane.numel() for plane in planes):
        return NotImplemented
    return torch.ops.aten.max_unpool2d(self, places, output_size)


def _forward_call(
    dtype: DataType, lead: tuple[int, ...], indices: tuple[int, ...], index: DataType
) -> Call:
    return Call(
        {
            "self": TensorArg((*lead, 2, 2), dtype),
            "indices": TensorArg((*lead, 2, 2), index, indices),
            "outputSize": (3, 4),
            "out": TensorArg((*lead, 3, 4), dtype),
        }
    )


def _backward_call(
    dtype: DataType, lead: tuple[int, ...], indices: tuple[int, ...], index: DataType
) -> Call:
    return Call(
        {
            "gradOutput": TensorArg((*lead, 3, 4), dtype),
            "self": TensorArg((*lead, 2, 2), dtype),
            "indices": TensorArg((*lead, 2, 2), index, indices),
            "outputSize": (3, 4),
            "out": TensorArg((*lead, 2, 2), dtype),
        }
    )


Make = Callable[[DataType, tuple[int, ...], tuple[int, ...], DataType], Call]


def _drawn(make: Make) -> Callable[[Random], Call]:
    """Distinct indices: of equal ones the result has the last, but the gradient goes to all."""

    def draw(rng: Random) -> Call:
        lead = rng.choice(((1, 2), (2,), (3, 1)))
        indices = tuple(place for _ in range(prod(lead)) for place in rng.sample(range(12), 4))
        return make(rng.choice((FLOAT, FLOAT16)), lead, indices, rng.choice((INT32, INT64)))

    return draw


def _typical(forward: bool) -> Callable[[int], Call]:
    def call(n: int) -> Call:
        lead, small, large = (1, max(n // 784, 1)), (28, 28), (56, 56)
        pooled = TensorArg((*lead, *small))
        unpooled = TensorArg((*lead, *large))
        indices = TensorArg((*lead, *small), INT64, span=(0, 3136))
        rest: dict[str, Argument] = {"indices": indices, "outputSize": large}
        if forward:
            return Call({"self": pooled, **rest, "out": unpooled})
        return Call({"gradOutput": unpooled, "self": pooled, **rest, "out": pooled})

    return call


_TWICE = (0, 11, 5, 5, 1, 2, 3, 10)
_BACKWARD_VALUES = (FLOAT, FLOAT16, INT8, UINT8, INT16, INT32, INT64, BOOL)
_PLANES = If(
    Equal(RankOf("self"), Const(4)),
    Times(DimOf("self", Const(0)), DimOf("self", Const(1))),
    DimOf("self", Const(0)),
)
_AREA = Times(ItemOf("outputSize", Const(0)), ItemOf("outputSize", Const(1)))
_FORWARD = Operator(
    "aclnnMaxUnpool2d",
    summary="Puts pooled values back to where they came from, with zeros elsewhere.",
    formula=(
        "For each plane (the last two dimensions): out becomes 0, then\n\n"
        "`out[indices[i]] = self[i]`\n\n"
        "in ascending order of i, so that the last of equal indices wins. Values are copied bit by "
        "bit; what out held before is lost."
    ),
    params=(
        TensorIn("self", "Pooled values."),
        TensorIn("indices", "Positions in the unpooled plane."),
        _SIZE,
        TensorOut("out", "Unpooled values.", shape=_LARGE, dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "indices", "outputSize", "out"),
        dtype_in("self", *VALUES),
        same_dtype("out", "self"),
        dtype_in("indices", INT32, INT64),
        rank_in("self", 3, 4),
        same_rank("indices", "self"),
        same_shape("indices", "self"),
        dims_positive("self", 1),
        length_in("outputSize", 2),
        all_positive("outputSize"),
        requires(
            "holds_plane",
            "outputSize",
            AtMost(Times(DimOf("self", Const(-2)), DimOf("self", Const(-1))), _AREA),
            "outputSize must hold at least height * width of self",
            (Shown("array", "outputSize"), " for ", Shown("shape", ShapeOf("self"))),
            "Enlarge outputSize: unpooling does not shrink.",
        ),
        done_when_empty("self"),
        supported_on(A950, A3, A2),
        inside_storage("self", "indices", "out"),
        inner(
            requires(
                "elements",
                "out",
                Equal(Elements("out"), Times(_PLANES, _AREA)),
                "out must have as many elements as unpooling self gives",
                (Shown("shape", ShapeOf("out")), " for ", Shown("shape", _LARGE)),
                "Create out with the shape of self and outputSize at the end.",
            )
        ),
    ),
    golden=golden,
    reference=_reference,
    peer=lambda torch, self, indices, output_size: torch.ops.aten.max_unpool2d(
        self, indices.long(), output_size
    ),
    samples=(
        _forward_call(FLOAT, (1, 2), _TWICE, INT64),
        *(_forward_call(dtype, (2,), _TWICE, INT32) for dtype in VALUES if dtype is not FLOAT),
    ),
    draw=_drawn(_forward_call),
    typical=_typical(forward=True),
    notes=(
        INDEX_NOTE,
        "out may have any shape with as many elements; it gets them in row-major order.",
        "Upstream leaves open which of equal indices wins on the device.",
    ),
)

_BACKWARD = Operator(
    "aclnnMaxUnpool2dBackward",
    summary="Gradient of aclnnMaxUnpool2d: gathers what the forward scattered.",
    formula=(
        "For each plane (the last two dimensions):\n\n`out[i] = gradOutput[indices[i]]`\n\n"
        "with positions counted row by row in the large plane of gradOutput, cast to out's dtype."
    ),
    params=(
        TensorIn("gradOutput", "Gradient of the unpooled tensor."),
        TensorIn("self", "Input of the forward; only its shape and dtype count."),
        TensorIn("indices", "Positions in the unpooled plane."),
        _SIZE,
        TensorOut("out", "Gradient of self.", like="self"),
    ),
    checks=(
        not_null("gradOutput", "self", "indices", "outputSize", "out"),
        dtype_in("gradOutput", *_BACKWARD_VALUES),
        dtype_in("self", *_BACKWARD_VALUES),
        dtype_in("out", *_BACKWARD_VALUES),
        castable_to("out", "gradOutput"),
        same_dtype("gradOutput", "self"),
        dtype_in("indices", INT64, INT32),
        rank_in("self", 3, 4),
        same_rank("gradOutput", "self"),
        same_lengths_before("gradOutput", "self", 2),
        same_shape("indices", "self"),
        same_shape("out", "self"),
        length_in("outputSize", 2),
        shape_is(
            "gradOutput",
            resized("gradOutput", "outputSize", 2),
            "whose last two dimensions are outputSize",
        ),
        when(
            Condition(Empty("gradOutput"), "gradOutput is empty"),
            requires(
                "empty",
                "self",
                Empty("self"),
                "self must be empty",
                (Shown("shape", ShapeOf("self")),),
                "There is nothing to gather from.",
            ),
        ),
        done_when_empty("self"),
        supported_on(A950, A3, A2, T910),
        inside_storage("gradOutput", "indices"),
    ),
    golden=golden_backward,
    reference=_reference_backward,
    gradient=Gradient("aclnnMaxUnpool2d", results={"out": "self"}, given={"gradOutput": "out"}),
    samples=(
        _backward_call(FLOAT, (1, 2), _TWICE, INT64),
        *(
            _backward_call(dtype, (2,), _TWICE, INT32)
            for dtype in _BACKWARD_VALUES
            if dtype is not FLOAT
        ),
    ),
    draw=_drawn(_backward_call),
    typical=_typical(forward=False),
    notes=(INDEX_NOTE,),
)
OPS = (_FORWARD, _BACKWARD)
