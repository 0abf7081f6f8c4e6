# SPDX-License-Identifier: Apache-2.0
"""Where the largest and smallest values along a dimension are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import (
    BF16_NEWER,
    INTEGERS,
    NEWER,
    REALS,
    SELF,
    SUPPORTED,
    complete,
    dim_param,
    fits_reduced,
    keep_param,
    reduced_axis,
    typical_rows,
)
from aclhost.ops.reduction.extremes import NOTE, RANKS, WORDS, drawn_tensor
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64, UINT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorOut
from aclhost.spec.products import A950, P310B
from aclhost.spec.rules import (
    Step,
    as_null,
    axis_in_rank,
    cast_exists,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    not_private,
    only_on,
    rank_at_most,
    requires,
    same_dtype,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import AtMost, Const, DimOf, Equal, RankOf, ValueOf, any_of, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_FIRST = f"{NOTE} Of equal values the first is found."
_AXIS = reduced_axis()


def _draw_axis(*types: DataType) -> Callable[[Random], dict[str, Any]]:
    def draw(rng: Random) -> dict[str, Any]:
        self = drawn_tensor(rng, *types)
        if rng.random() < 0.5:
            self = replace(self, span=(0, 3))  # equal values
        rank = max(len(self.shape), 1)
        return {"self": self, "dim": rng.randint(-rank, rank - 1), "keepdim": rng.random() < 0.5}

    return draw


def _place(function: str, self: Array, dim: int, keepdim: bool) -> Array:
    import numpy as np

    self = self.astype(np.float64) if self.dtype == bool else self
    found: Array = getattr(np, f"arg{function}")(np.atleast_1d(self), axis=dim, keepdims=keepdim)
    return found if self.ndim else found.reshape(())


_ARGUMENTS: tuple[DataType | Limited, ...] = (
    *(each for each in REALS if each is not BOOL),
    only_on(BF16, *NEWER, P310B),
)
AXIS_IN_RANK = axis_in_rank("dim", "self", of_scalars=True)
AXIS_POSITIVE = requires(
    "axis_positive",
    "dim",
    any_of(Equal(RankOf("self"), Const(0)), AtMost(Const(1), DimOf("self", ValueOf("dim")))),
    "the dimension of self that dim names must be greater than 0",
    (Shown("integer", ValueOf("dim")), " for ", Shown("shape", ShapeOf("self"))),
    "There is no value of nothing: skip the call.",
)
_EARLY: tuple[tuple[tuple[Step, ...], ...], ...] = (  # of the largest and of the smallest
    (
        not_null("self", "out"),
        dtype_in("self", *_ARGUMENTS, only_on(UINT16, A950)),
        *RANKS,
        AXIS_IN_RANK,
        done_when_empty("self", "out"),
    ),
    (
        not_null("self", "out"),
        AXIS_IN_RANK,
        dtype_in("self", *_ARGUMENTS),
        dtype_in("out", INT32, INT64),
        not_private("self", "out"),
        *RANKS,
        AXIS_POSITIVE,
        done_when_empty("self"),
    ),
)


def _axis_calls(
    finish: Callable[[Call], Call], empty: DataType, last: TensorArg
) -> tuple[Call, ...]:
    return tuple(
        finish(Call({"self": self, "dim": dim, "keepdim": keep}))
        for self, dim, keep in (
            (TensorArg((2, 3)), 1, False),
            (TensorArg((2, 3, 4), FLOAT16), -2, True),
            (TensorArg((0, 3), empty), 1, False),
            (last, 0, False),
        )
    )


def _argument(name: str, place: int) -> Operator:
    word, function = WORDS[place], ("max", "min")[place]
    finish = complete(("out", _AXIS, INT64))
    late = (SUPPORTED, inside_storage("self"), fits_reduced(_AXIS, "out"))
    cast = (cast_exists("out", const(INT32)), ())[place]

    def golden(self: Array, dim: int, keepdim: bool) -> Array:
        return _place(function, self, dim, keepdim)

    def reference(torch: Any, self: Any, dim: int, keepdim: bool) -> Any:  # noqa: ANN401
        return getattr(torch, f"arg{function}")(self, dim=dim, keepdim=keepdim)

    draw = _draw_axis(FLOAT, FLOAT16, DOUBLE, *INTEGERS, BF16)
    return Operator(
        name,
        summary=f"Where the {word} values along a dimension are.",
        formula=f"`out = arg{function}(self)` along dim",
        params=(
            SELF,
            dim_param(),
            keep_param("keepdim"),
            TensorOut("out", "Indices.", shape=_AXIS, dtype=const(INT64)),
        ),
        checks=(*_EARLY[place], *late, cast),
        golden=golden,
        reference=reference,
        draw=lambda rng: complete(("out", _AXIS, rng.choice((INT32, INT64))))(Call(draw(rng))),
        typical=typical_rows(finish, dim=1, keepdim=False),
        samples=_axis_calls(finish, INT32, TensorArg(())),
        notes=(_FIRST,),
    )


_BOTH: tuple[tuple[Step, ...], ...] = (
    not_null("self", "out", "indices"),
    dtype_in("self", FLOAT, FLOAT16, INT64, BOOL, BF16_NEWER, only_on(INT32, A950)),
    same_dtype("out", "self"),
    *RANKS,
    rank_at_most("indices", 8),
    AXIS_IN_RANK,
    done_when_empty("self"),
    as_null(SUPPORTED, inside_storage("self")),
    fits_reduced(_AXIS, "indices", "out"),
    as_null(cast_exists("indices", const(INT32))),
)


def _with_place(name: str, place: int) -> Operator:
    word, function = WORDS[place], ("max", "min")[place]
    finish = complete(("out", _AXIS, None), ("indices", _AXIS, INT64))

    def golden(self: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
        axis = dim if self.ndim else None
        values = getattr(self, function)(axis=axis, keepdims=keepdim)
        return values, _place(function, self, dim, keepdim)

    def reference(torch: Any, self: Any, dim: int, keepdim: bool) -> Any:  # noqa: ANN401
        return tuple(getattr(torch, function)(self, dim=dim, keepdim=keepdim))

    draw = _draw_axis(FLOAT, FLOAT16, INT64, BOOL, BF16)
    return Operator(
        name,
        summary=f"The {word} values along a dimension, and where they are.",
        formula=f"`out, indices = {function}(self), arg{function}(self)` along dim",
        params=(
            SELF,
            dim_param(),
            keep_param("keepdim"),
            TensorOut("out", "Values.", like="self", shape=_AXIS),
            TensorOut("indices", "Indices.", shape=_AXIS, dtype=const(INT64)),
        ),
        checks=_BOTH,
        golden=golden,
        reference=reference,
        draw=lambda rng: complete(
            ("out", _AXIS, None), ("indices", _AXIS, rng.choice((INT32, INT64)))
        )(Call(draw(rng))),
        typical=typical_rows(finish, dim=1, keepdim=False),
        samples=_axis_calls(finish, BOOL, TensorArg((), INT64)),
        notes=(_FIRST,),
    )


OPS = (
    *(_argument(name, place) for place, name in enumerate(("aclnnArgMax", "aclnnArgMin"))),
    *(_with_place(name, place) for place, name in enumerate(("aclnnMaxDim", "aclnnMinDim"))),
)
