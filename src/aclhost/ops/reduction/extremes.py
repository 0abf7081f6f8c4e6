# SPDX-License-Identifier: Apache-2.0
"""Largest and smallest values, where they are, and truth of all or any."""

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
    axes,
    complete,
    dim_param,
    dims_param,
    drawn_dims,
    drawn_shape,
    fits_reduced,
    keep_param,
    reduced,
    reduced_axis,
    typical_rows,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorOut
from aclhost.spec.products import A950, P310B
from aclhost.spec.rules import (
    Rule,
    Step,
    axes_differ,
    axes_exist,
    axes_positive,
    axis_exists,
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
    shape_is,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.shapes import Rank0, ShapeOf
from aclhost.spec.status import Status
from aclhost.spec.terms import AtMost, Const, DimOf, Equal, RankOf, ValueOf, any_of, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_WORDS = ("largest", "smallest")
_NOTE = "NaN counts as larger and as smaller than every number."
_FIRST = f"{_NOTE} Of equal values the first is found."
_REDUCED = reduced()
_AXIS = reduced_axis()
_RANKS = (rank_at_most("self", 8), rank_at_most("out", 8))
_OUT = TensorOut("out", "Result.", like="self", shape=_REDUCED)


def _drawn(rng: Random, *types: DataType, empty: bool = False) -> TensorArg:
    shape = drawn_shape(rng)
    if not empty:
        shape = tuple(max(length, 1) for length in shape)
    return TensorArg(shape, rng.choice(types))


def _draw_axes(rng: Random) -> Call:
    self = _drawn(rng, *REALS, BF16)
    dims = drawn_dims(rng, len(self.shape))
    return complete(("out", _REDUCED, None))(
        Call({"self": self, "dim": dims, "keepDim": rng.random() < 0.5})
    )


def _along_axes(name: str, place: int) -> Operator:
    word, function = _WORDS[place], ("max", "min")[place]
    finish = complete(("out", _REDUCED, None))

    def golden(self: Array, dim: Ints, keep_dim: bool) -> Array:
        found: Array = getattr(self, function)(axis=axes(dim), keepdims=keep_dim)
        return found

    def reference(torch: Any, self: Any, dim: Any, keep_dim: bool) -> Any:  # noqa: ANN401
        return getattr(torch, f"a{function}")(self, dim=dim, keepdim=keep_dim)

    return Operator(
        name,
        summary=f"The {word} values over dimensions.",
        formula=f"`out = {function}(self)` over dim",
        params=(SELF, dims_param(), keep_param(), _OUT),
        checks=(
            not_null("self", "dim", "out"),
            same_dtype("out", "self"),
            dtype_in("self", *REALS, BF16_NEWER),
            axes_exist("dim", "self"),
            axes_positive("dim", "self"),
            axes_differ("dim", "self"),
            *_RANKS,
            shape_is("out", _REDUCED, "of self without what is reduced"),
            done_when_empty("self"),
            SUPPORTED,
            inside_storage("self"),
        ),
        golden=golden,
        reference=reference,
        draw=_draw_axes,
        typical=typical_rows(finish, dim=(1,), keepDim=False),
        samples=tuple(
            finish(Call({"self": self, "dim": dims, "keepDim": keep}))
            for self, dims, keep in (
                (TensorArg((2, 3)), (1,), False),
                (TensorArg((2, 3, 4), FLOAT16), (-1, 0), True),
                (TensorArg((3, 2), BOOL), (), False),
                (TensorArg((), INT64), (), False),
            )
        ),
        notes=(_NOTE,),
    )


def _of_all(name: str, place: int) -> Operator:
    word, function = _WORDS[place], ("max", "min")[place]

    def golden(self: Array) -> Array:
        found: Array = getattr(self, function)()
        return found

    def call(self: TensorArg, out: DataType | None = None) -> Call:
        return Call({"self": self, "out": TensorArg((), out or self.dtype)})

    return Operator(
        name,
        summary=f"The {word} of all values.",
        formula=f"`out = {function}(self)`",
        params=(SELF, TensorOut("out", "Result.", like="self", shape=Rank0())),
        checks=(
            not_null("self", "out"),
            dtype_in("self", *REALS, BF16_NEWER),
            dtype_in("out", *REALS, BF16_NEWER),
            *_RANKS,
            done_when_empty("self", "out"),
            SUPPORTED,
            inside_storage("self"),
            fits_reduced(Rank0(), "out"),
        ),
        golden=golden,
        reference=lambda torch, self: getattr(torch, function)(self),
        draw=lambda rng: call(_drawn(rng, *REALS, BF16)),
        typical=lambda n: call(TensorArg((n,))),
        samples=(
            call(TensorArg((2, 3))),
            call(TensorArg((2, 3, 4), FLOAT16)),
            call(TensorArg((3, 2), BOOL)),
            call(TensorArg((), INT64), INT32),
        ),
        notes=(_NOTE,),
    )


def _truth(name: str, place: int) -> Operator:
    function = ("all", "any")[place]
    out = reduced(keep="keepdim")
    axes_checks = (axes_exist("dim", "self"), *((axes_differ("dim", "self"),) * (1 - place)))
    early: tuple[tuple[Step, ...], ...] = (
        (
            not_private("self"),
            *axes_checks,
            *_RANKS,
            shape_is("out", out, "of self without what is reduced"),
            inside_storage("self"),
        ),
        (*axes_checks, *_RANKS, inside_storage("self"), fits_reduced(out, "out")),
    )[place]

    def golden(self: Array, dim: Ints, keepdim: bool) -> Array:
        found: Array = getattr(self != 0, function)(axis=axes(dim), keepdims=keepdim)
        return found

    def reference(torch: Any, self: Any, dim: Any, keepdim: bool) -> Any:  # noqa: ANN401
        found = getattr(torch, function)
        for axis in sorted((each % max(self.dim(), 1) for each in dim), reverse=True):
            self = found(self, dim=axis, keepdim=keepdim)
        return self.bool() if dim else (NotImplemented if keepdim else found(self))

    def call(self: TensorArg, dims: tuple[int, ...], keep: bool, dtype: DataType) -> Call:
        return complete(("out", out, dtype))(Call({"self": self, "dim": dims, "keepdim": keep}))

    def draw(rng: Random) -> Call:
        self = _drawn(rng, *REALS, BF16, empty=True)
        if rng.random() < 0.5:
            self = replace(self, span=(0, 2))
        dims = drawn_dims(rng, len(self.shape))
        return call(self, dims, rng.random() < 0.5, rng.choice((BOOL, UINT8)))

    return Operator(
        name,
        summary=f"Whether {function} values over dimensions are not 0.",
        formula=f"`out = {function}(self != 0)` over dim",
        params=(
            SELF,
            dims_param(),
            keep_param("keepdim"),
            TensorOut("out", "Result.", shape=out, dtype=const(BOOL)),
        ),
        checks=(
            not_null("self", "dim", "out"),
            dtype_in("self", *REALS, BF16_NEWER),
            dtype_in("out", UINT8, BOOL),
            *early,
        ),
        golden=golden,
        reference=reference,
        draw=draw,
        typical=typical_rows(complete(("out", out, BOOL)), dim=(1,), keepdim=False),
        samples=(
            call(TensorArg((2, 3), BOOL), (1,), False, BOOL),
            call(TensorArg((2, 3, 4), FLOAT16), (-1, 0), True, UINT8),
            call(TensorArg((3, 2), INT32), (), False, BOOL),
            call(TensorArg((3, 0)), (1,), False, BOOL),
            call(TensorArg((), INT64), (), False, BOOL),
        ),
        notes=("NaN counts as not 0.",),
    )


def _draw_axis(*types: DataType) -> Callable[[Random], dict[str, Any]]:
    def draw(rng: Random) -> dict[str, Any]:
        self = _drawn(rng, *types)
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
_AXIS_EXISTS = axis_exists("dim", "self")
_AXIS_POSITIVE = requires(
    "axis_positive",
    "dim",
    any_of(Equal(RankOf("self"), Const(0)), AtMost(Const(1), DimOf("self", ValueOf("dim")))),
    "the dimension of self that dim names must be greater than 0",
    (Shown("integer", ValueOf("dim")), " for ", Shown("shape", ShapeOf("self"))),
    "There is no value of nothing: skip the call.",
)
_DTYPES = (
    dtype_in("self", *_ARGUMENTS, only_on(UINT16, A950)),
    dtype_in("self", *_ARGUMENTS),
)


def _argument(name: str, place: int) -> Operator:
    word, function = _WORDS[place], ("max", "min")[place]
    finish = complete(("out", _AXIS, INT64))
    checks: tuple[tuple[Step, ...], ...] = (
        (
            not_null("self", "out"),
            _DTYPES[0],
            *_RANKS,
            _AXIS_EXISTS,
            done_when_empty("self", "out"),
        ),
        (
            not_null("self", "out"),
            _AXIS_EXISTS,
            _DTYPES[1],
            dtype_in("out", INT32, INT64),
            not_private("self", "out"),
            *_RANKS,
            _AXIS_POSITIVE,
            done_when_empty("self"),
        ),
    )[place]
    last = (cast_exists("out", const(INT32)), ())[place]

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
        checks=(*checks, SUPPORTED, inside_storage("self"), fits_reduced(_AXIS, "out"), last),
        golden=golden,
        reference=reference,
        draw=lambda rng: complete(("out", _AXIS, rng.choice((INT32, INT64))))(Call(draw(rng))),
        typical=typical_rows(finish, dim=1, keepdim=False),
        samples=(
            finish(Call({"self": TensorArg((2, 3)), "dim": 1, "keepdim": False})),
            finish(Call({"self": TensorArg((2, 3, 4), FLOAT16), "dim": -2, "keepdim": True})),
            finish(Call({"self": TensorArg((0, 3), INT32), "dim": 1, "keepdim": False})),
            finish(Call({"self": TensorArg(()), "dim": 0, "keepdim": False})),
        ),
        notes=(_FIRST,),
    )


def _null(*groups: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """What upstream reports with the code of null pointers."""
    return tuple(rule.with_code(Status.PARAM_NULLPTR) for group in groups for rule in group)


def _with_place(name: str, place: int) -> Operator:
    word, function = _WORDS[place], ("max", "min")[place]
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
        checks=(
            not_null("self", "out", "indices"),
            dtype_in("self", FLOAT, FLOAT16, INT64, BOOL, BF16_NEWER, only_on(INT32, A950)),
            same_dtype("out", "self"),
            *_RANKS,
            rank_at_most("indices", 8),
            _AXIS_EXISTS,
            done_when_empty("self"),
            _null(SUPPORTED, inside_storage("self")),
            fits_reduced(_AXIS, "indices", "out"),
            _null(cast_exists("indices", const(INT32))),
        ),
        golden=golden,
        reference=reference,
        draw=lambda rng: complete(
            ("out", _AXIS, None), ("indices", _AXIS, rng.choice((INT32, INT64)))
        )(Call(draw(rng))),
        typical=typical_rows(finish, dim=1, keepdim=False),
        samples=(
            finish(Call({"self": TensorArg((2, 3)), "dim": 1, "keepdim": False})),
            finish(Call({"self": TensorArg((2, 3, 4), FLOAT16), "dim": -2, "keepdim": True})),
            finish(Call({"self": TensorArg((0, 3), BOOL), "dim": 1, "keepdim": False})),
            finish(Call({"self": TensorArg((), INT64), "dim": 0, "keepdim": False})),
        ),
        notes=(_FIRST,),
    )


OPS = (
    *(_along_axes(name, place) for place, name in enumerate(("aclnnAmax", "aclnnAmin"))),
    *(_of_all(name, place) for place, name in enumerate(("aclnnMax", "aclnnMin"))),
    *(_truth(name, place) for place, name in enumerate(("aclnnAll", "aclnnAny"))),
    *(_argument(name, place) for place, name in enumerate(("aclnnArgMax", "aclnnArgMin"))),
    *(_with_place(name, place) for place, name in enumerate(("aclnnMaxDim", "aclnnMinDim"))),
)
