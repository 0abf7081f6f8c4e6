# SPDX-License-Identifier: Apache-2.0
"""Parts of a tensor: slices, and all parts along a dimension."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.shape.build import DIM, NEW_BF16, NEWER, SAME_FORMAT, SELF, Dtypes, some_shape
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, FLOAT, FLOAT16, INT8, INT32, INT64, UINT8, DataType
from aclhost.spec.moved import Sliced, WithAxis
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, IntArray, TensorOut
from aclhost.spec.products import T910
from aclhost.spec.rules import (
    all_positive,
    as_many_values,
    at_least,
    axes_in_rank,
    axis_in_rank,
    distinct_axes,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    rank_at_least,
    rank_at_most,
    same_dtype,
    same_format_unless_nd,
    shape_is,
    supported_on,
)
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import DimOf, DtypeOf, SliceLength, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_AXIS, _LENGTH = ValueOf("dim"), DimOf("self", ValueOf("dim"))
_SLICE_DTYPES: Dtypes = (FLOAT, FLOAT16, INT64, INT8, INT32, UINT8, BOOL, NEW_BF16)
_SLICED = WithAxis(
    ShapeOf("self"),
    _AXIS,
    SliceLength(_LENGTH, ValueOf("start"), ValueOf("end"), ValueOf("step")),
)
_SLICED_V2 = Sliced("self", "starts", "ends", "axes", "steps")


def _slice(self: Array, dim: int, start: int, end: int, step: int) -> Array:
    return self[(*(slice(None),) * (dim % self.ndim), slice(start, end, step))]


def _slice_v2(self: Array, starts: Ints, ends: Ints, axes: Ints, steps: Ints) -> Array:
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        self = _slice(self, axis, start, end, step)
    return self


def _sliced(shape: tuple[int, ...], dtype: DataType, *numbers: int) -> Call:
    named = dict(zip(("dim", "start", "end", "step"), numbers, strict=True))
    call = Call({"self": TensorArg(shape, dtype), **named})
    return call.passing(out=TensorArg(_SLICED.evaluate(call), dtype))


def _sliced_v2(shape: tuple[int, ...], dtype: DataType, *arrays: tuple[int, ...]) -> Call:
    named = dict(zip(("starts", "ends", "axes", "steps"), arrays, strict=True))
    call = Call({"self": TensorArg(shape, dtype), **named})
    return call.passing(out=TensorArg(_SLICED_V2.evaluate(call), dtype))


def _bounds(rng: Random) -> tuple[int, int, int]:
    return rng.randint(-7, 7), rng.choice((rng.randint(-7, 7), 2**63 - 1)), rng.randint(1, 4)


def _slice_dtype(rng: Random) -> DataType:
    return rng.choice((FLOAT, FLOAT16, BF16, INT64, INT8, INT32, UINT8, BOOL))


def _draw_slice(rng: Random) -> Call:
    shape = some_shape(rng, least=1)
    start, end, step = _bounds(rng)
    return _sliced(
        shape, _slice_dtype(rng), rng.randrange(-len(shape), len(shape)), start, end, step
    )


def _draw_slice_v2(rng: Random) -> Call:
    shape = some_shape(rng, least=1)
    axes = rng.sample(range(len(shape)), rng.randint(0, len(shape)))
    axes = [axis - rng.choice((0, len(shape))) for axis in axes]
    starts, ends, steps = zip(*(_bounds(rng) for _ in axes), strict=True) if axes else ((),) * 3
    return _sliced_v2(shape, _slice_dtype(rng), starts, ends, tuple(axes), steps)


SLICE = Operator(
    "aclnnSlice",
    summary="Every so many elements of a range along a dimension.",
    formula="`out = self[..., start:end:step, ...]` along `dim`, as Python slices.",
    params=(
        SELF,
        DIM,
        Int("start", "The first element; below 0 from the end.", default=0),
        Int("end", "The element behind the last one; below 0 from the end.", default=2**63 - 1),
        Int("step", "From one element to the next.", default=1),
        TensorOut("out", "Result.", shape=_SLICED, dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "out"),
        same_dtype("out", "self"),
        dtype_in("self", *_SLICE_DTYPES),
        rank_at_most("self", 8),
        rank_at_least("self", 1),
        axis_in_rank("dim", "self"),
        at_least("step", 1),
        shape_is("out", _SLICED, "of self, with the length of the slice along dim"),
        done_when_empty("out"),
        supported_on(*NEWER, T910),
        inside_storage("self"),
        same_format_unless_nd("out", "self"),
    ),
    golden=_slice,
    reference=lambda _, self, dim, start, end, step: _slice(self, dim, start, end, step),
    samples=(
        _sliced((3, 7), FLOAT, 1, 1, 6, 2),
        _sliced((4, 3, 5), BF16, -3, -2, 100, 1),
        _sliced((6,), BOOL, 0, 4, 2, 1),
        _sliced((2, 5), INT64, 1, -100, -1, 3),
        _sliced((2, 5), INT8, 1, 0, 5, 2**62),
    ),
    draw=_draw_slice,
    typical=lambda n: _sliced((max(n // 256, 1), 512), FLOAT, 1, 0, 512, 2),
    formats=SAME_FORMAT,
)

_SAME_STEPS = "Upstream reads past the end of steps where there are fewer; aclhost refuses it."

SLICE_V2 = Operator(
    "aclnnSliceV2",
    summary="Slices along several dimensions.",
    formula="`out = self[starts[i]:ends[i]:steps[i]]` along `axes[i]`, as Python slices.",
    params=(
        SELF,
        IntArray("starts", "The first elements; below 0 from the end.", length=1),
        IntArray("ends", "The elements behind the last ones; below 0 from the end.", length=1),
        IntArray("axes", "The dimensions; below 0 from the end.", length=1),
        IntArray("steps", "From one element to the next.", length=1),
        TensorOut("out", "Result.", shape=_SLICED_V2, dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "out", "starts", "ends", "axes", "steps"),
        same_dtype("out", "self"),
        dtype_in("self", *_SLICE_DTYPES),
        rank_at_most("self", 8),
        axes_in_rank("axes", "self"),
        distinct_axes("axes", "self"),
        as_many_values("starts", "axes"),
        as_many_values("ends", "axes"),
        all_positive("steps"),
        as_many_values("steps", "axes"),
        shape_is("out", _SLICED_V2, "of self, with the lengths of the slices"),
        done_when_empty("out"),
        supported_on(*NEWER, T910),
        inside_storage("self"),
        same_format_unless_nd("out", "self"),
    ),
    golden=_slice_v2,
    reference=lambda _, self, starts, ends, axes, steps: _slice_v2(self, starts, ends, axes, steps),
    samples=(
        _sliced_v2((3, 7), FLOAT, (1, 0), (3, 6), (0, 1), (1, 2)),
        _sliced_v2((4, 3, 5), BF16, (-2,), (100,), (-1,), (1,)),
        _sliced_v2((2, 5), INT32, (), (), (), ()),
        _sliced_v2((3, 3), UINT8, (3, 0), (2, 1), (1, 0), (1, 1)),
    ),
    draw=_draw_slice_v2,
    typical=lambda n: _sliced_v2(
        (max(n // 128, 1), 512), FLOAT, (0, 0), (2**62,) * 2, (0, 1), (2, 2)
    ),
    formats=SAME_FORMAT,
    notes=(_SAME_STEPS,),
)

OPS = (SLICE, SLICE_V2)
