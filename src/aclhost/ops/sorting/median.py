# SPDX-License-Identifier: Apache-2.0
"""Medians."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.sorting.build import (
    DIM_IN_RANK,
    NEW_BF16,
    NEWER,
    NUMBERS,
    SELF,
    SELF_LENGTH,
    SUPPORTED,
    T910_NOTE,
    drawn_dim,
    drawn_self,
    indices_out,
    not_single_bf16,
    one_of_row,
    order_of,
    several_of_bf16,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT16, INT32, INT64
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Int, TensorOut
from aclhost.spec.products import T910
from aclhost.spec.reduced import ReducedAxis
from aclhost.spec.rules import (
    Rule,
    Step,
    done_when_empty,
    dtype_in,
    dtype_is,
    fits_shape,
    has_elements,
    inside_storage,
    not_null,
    rank_at_most,
    requires,
    same_dtype,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Rank0, ShapeOf
from aclhost.spec.terms import AtMost, Const, DimOf, Equal, If, Not, Or, RankOf, Sum, ValueOf, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_TYPES = (*NUMBERS, NEW_BF16)
_SOME = has_elements("self")
_WITHOUT_DIM = ReducedAxis("self", ValueOf("dim"), ValueOf("keepDim"))
_SUPPORTED = (SUPPORTED, supported_on(*NEWER, T910))
_LOWER = "Of two in the middle the lower one is taken."
_NAN_NOTES = (
    f"NaN where there is one, with the index of the first. {_LOWER}",
    f"NaN only where there is nothing else, with the first index. {_LOWER}",
)
_EMPTY_NOTE = (
    "The median of nothing is NaN; for INT32 and INT64 the least number, for other integers 0."
)


def _place(row: Array, skips_nan: bool) -> int:
    """Where the median of a row is among its sorted elements."""
    import numpy as np

    nans = int(np.isnan(row).sum())
    if skips_nan:
        return max(len(row) - nans - 1, 0) // 2
    return len(row) - nans if nans else (len(row) - 1) // 2


def _medians(self: Array, dim: int, skips_nan: bool) -> tuple[Array, ...]:
    """Values and indices, with the dimension of length 1."""
    import numpy as np

    rows = np.moveaxis(np.atleast_1d(self), dim, -1)
    values, indices = order_of(rows, -1, False)
    places = np.apply_along_axis(_place, -1, rows, skips_nan)[..., None]
    return tuple(
        np.moveaxis(np.take_along_axis(each, places, -1), -1, dim) for each in (values, indices)
    )


def _nothing(self: Array) -> float | int:
    import numpy as np

    if self.dtype.kind not in "iu":
        return float("nan")
    return int(np.iinfo(self.dtype).min) if self.dtype.itemsize >= 4 else 0


def _all_checks(place: int, out: str) -> tuple[tuple[Step, ...], ...]:
    empty: tuple[tuple[Step, ...], ...] = ((done_when_empty(out),), ())[place]
    return (
        not_null("self", out),
        dtype_in("self", *_TYPES),
        dtype_in(out, *_TYPES),
        same_dtype(out, "self"),
        rank_at_most("self", 8),
        rank_at_most(out, 8),
        not_single_bf16(DimOf("self", Const(-1)), "the last dimension"),
        *empty,
        _SUPPORTED[place],
        inside_storage("self"),
        when(_SOME, fits_shape(out, Rank0(), "of a single element")),
    )


def _of_all(place: int) -> Operator:
    name, out = (("aclnnMedian", "valuesOut"), ("aclnnNanMedian", "out"))[place]
    torch_name = ("median", "nanmedian")[place]

    def golden(self: Array) -> Array:
        import numpy as np

        if self.size == 0:
            return np.asarray(_nothing(self))
        return _medians(self.ravel(), 0, bool(place))[0].reshape(())

    def reference(torch: Any, self: Any) -> Any:  # noqa: ANN401
        return getattr(torch, torch_name)(self) if self.numel() else NotImplemented

    def call(self: TensorArg) -> Call:
        return Call({"self": self, out: TensorArg((), self.dtype)})

    return Operator(
        name,
        summary=("The median of all elements.", "The median of all elements that are no NaN.")[
            place
        ],
        formula=f"`{out}` is the element in the middle of the sorted self",
        params=(SELF, TensorOut(out, "Result.", like="self", shape=Rank0())),
        checks=_all_checks(place, out),
        golden=golden,
        reference=reference,
        draw=lambda rng: call(several_of_bf16(drawn_self(rng, *NUMBERS, BF16), -1)),
        typical=lambda n: call(TensorArg((n,))),
        samples=(
            call(TensorArg((2, 3))),
            call(TensorArg((2, 3, 4), FLOAT16)),
            call(TensorArg((0, 4), INT32)),
            call(TensorArg((), INT64)),
        ),
        notes=(_NAN_NOTES[place].split(",")[0] + f". {_LOWER}", _EMPTY_NOTE, T910_NOTE),
    )


def _rank_is(parameter: str) -> tuple[Rule, ...]:
    own = RankOf("self")
    expected = If(Or(ValueOf("keepDim"), Not(own)), own, Sum(own, Const(-1)))
    return requires(
        "reduced_rank",
        parameter,
        Equal(RankOf(parameter), expected),
        f"{parameter} must have the rank of self, without keepDim one less",
        (Shown("shape", ShapeOf(parameter)), " for ", Shown("shape", ShapeOf("self"))),
        f"Create {parameter} with that rank.",
    )


def _fits() -> tuple[Rule, ...]:
    words = "of self without what is reduced"
    return (
        *fits_shape("valuesOut", _WITHOUT_DIM, words),
        *fits_shape("indicesOut", _WITHOUT_DIM, words),
    )


_DIM_POSITIVE = requires(
    "axis_positive",
    "dim",
    Or(Not(RankOf("self")), AtMost(Const(1), DimOf("self", ValueOf("dim")))),
    "the dimension of self that dim names must be greater than 0",
    (Shown("integer", ValueOf("dim")), " for ", Shown("shape", ShapeOf("self"))),
    "There is no median of nothing: skip the call.",
)


def _dim_call(self: TensorArg, dim: int, keep: bool) -> Call:
    call = Call({"self": self, "dim": dim, "keepDim": keep})
    shape = _WITHOUT_DIM.evaluate(call)
    return call.passing(valuesOut=TensorArg(shape, self.dtype), indicesOut=TensorArg(shape, INT64))


def _draw_dim(rng: Random) -> Call:
    self = drawn_self(rng, *NUMBERS, BF16, empty=False)
    dim = drawn_dim(rng, self)
    return _dim_call(several_of_bf16(self, dim), dim, rng.random() < 0.5)


_DIM_PARAMS = (
    SELF,
    Int("dim", "Dimension that is reduced.", default=-1),
    Flag("keepDim", "Whether the dimension stays with length 1.", default=False),
    TensorOut("valuesOut", "Medians.", like="self", shape=_WITHOUT_DIM),
    indices_out("indicesOut", _WITHOUT_DIM),
)
_EMPTY_DIM: tuple[tuple[tuple[Step, ...], ...], ...] = (
    (done_when_empty("self", "valuesOut", "indicesOut"),),
    (_DIM_POSITIVE, done_when_empty("self")),
)


def _dim_checks(place: int) -> tuple[tuple[Step, ...], ...]:
    return (
        not_null("self", "valuesOut", "indicesOut"),
        dtype_in("self", *_TYPES),
        dtype_in("valuesOut", *_TYPES),
        same_dtype("valuesOut", "self"),
        dtype_is("indicesOut", const(INT64), "dtype INT64"),
        DIM_IN_RANK,
        rank_at_most("self", 8),
        rank_at_most("valuesOut", 8),
        rank_at_most("indicesOut", 8),
        _rank_is("valuesOut"),
        _rank_is("indicesOut"),
        not_single_bf16(SELF_LENGTH, "dimension dim"),
        *_EMPTY_DIM[place],
        _SUPPORTED[place],
        inside_storage("self"),
        _fits(),
    )


def _along_dim(place: int) -> Operator:
    def golden(self: Array, dim: int, keep_dim: bool) -> tuple[Array, ...]:
        found = _medians(self, dim, bool(place))
        if not self.shape:
            return tuple(each.reshape(()) for each in found)
        return found if keep_dim else tuple(each.squeeze(dim) for each in found)

    def reference(torch: Any, self: Any, dim: int, keep_dim: bool) -> Any:  # noqa: ANN401
        function = getattr(torch, ("median", "nanmedian")[place])
        return one_of_row(function(self, dim, keepdim=True), self, dim, keep_dim)

    return Operator(
        ("aclnnMedianDim", "aclnnNanMedianDim")[place],
        summary=(
            "Medians along a dimension, and where they are.",
            "Medians along a dimension of what is no NaN, and where they are.",
        )[place],
        formula="`valuesOut` is the element in the middle of the sorted self along dim",
        params=_DIM_PARAMS,
        checks=_dim_checks(place),
        golden=golden,
        reference=reference,
        peer=("median", "nanmedian")[place],
        draw=_draw_dim,
        typical=lambda n: _dim_call(TensorArg((n // 1000 or 1, min(n, 1000))), 1, False),
        samples=(
            _dim_call(TensorArg((2, 3)), 1, False),
            _dim_call(TensorArg((2, 3, 4), FLOAT16), -2, True),
            _dim_call(TensorArg((5,), INT32), 0, False),
            _dim_call(TensorArg((), INT64), 0, False),
        ),
        notes=(
            _NAN_NOTES[place],
            "Of equal elements the index is that in a stable sort; torch may name another one.",
            T910_NOTE,
        ),
    )


OPS = (*(_of_all(place) for place in range(2)), *(_along_dim(place) for place in range(2)))
