# SPDX-License-Identifier: Apache-2.0
"""Largest and smallest values, and truth of all or any."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import (
    BF16_NEWER,
    REALS,
    SELF,
    SUPPORTED,
    axes,
    complete,
    dims_param,
    drawn_dims,
    drawn_shape,
    fits_reduced,
    keep_param,
    reduced,
    typical_rows,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, FLOAT16, INT32, INT64, UINT8, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorOut
from aclhost.spec.rules import (
    Step,
    axes_in_rank,
    axes_positive,
    distinct_axes,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    not_private,
    rank_at_most,
    same_dtype,
    shape_is,
)
from aclhost.spec.shapes import Rank0
from aclhost.spec.terms import const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

WORDS = ("largest", "smallest")
NOTE = "NaN counts as larger and as smaller than every number."
_REDUCED = reduced()
RANKS = (rank_at_most("self", 8), rank_at_most("out", 8))
_OUT = TensorOut("out", "Result.", like="self", shape=_REDUCED)


def drawn_tensor(rng: Random, *types: DataType, empty: bool = False) -> TensorArg:
    """Of one of the dtypes, with elements unless it may be empty."""
    shape = drawn_shape(rng)
    if not empty:
        shape = tuple(max(length, 1) for length in shape)
    return TensorArg(shape, rng.choice(types))


def _draw_axes(rng: Random) -> Call:
    self = drawn_tensor(rng, *REALS, BF16)
    dims = drawn_dims(rng, len(self.shape))
    return complete(("out", _REDUCED, None))(
        Call({"self": self, "dim": dims, "keepDim": rng.random() < 0.5})
    )


def _along_axes(name: str, place: int) -> Operator:
    word, function = WORDS[place], ("max", "min")[place]
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
            axes_in_rank("dim", "self"),
            axes_positive("dim", "self"),
            distinct_axes("dim", "self"),
            *RANKS,
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
        notes=(NOTE,),
    )


def _of_all(name: str, place: int) -> Operator:
    word, function = WORDS[place], ("max", "min")[place]

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
            *RANKS,
            done_when_empty("self", "out"),
            SUPPORTED,
            inside_storage("self"),
            fits_reduced(Rank0(), "out"),
        ),
        golden=golden,
        reference=lambda torch, self: getattr(torch, function)(self),
        draw=lambda rng: call(drawn_tensor(rng, *REALS, BF16)),
        typical=lambda n: call(TensorArg((n,))),
        samples=(
            call(TensorArg((2, 3))),
            call(TensorArg((2, 3, 4), FLOAT16)),
            call(TensorArg((3, 2), BOOL)),
            call(TensorArg((), INT64), INT32),
        ),
        notes=(NOTE,),
    )


_TRUTH = reduced(keep="keepdim")
_IN_RANK = axes_in_rank("dim", "self")
_TRUTH_CHECKS: tuple[tuple[tuple[Step, ...], ...], ...] = (  # of all and of any
    (
        not_private("self"),
        _IN_RANK,
        distinct_axes("dim", "self"),
        *RANKS,
        shape_is("out", _TRUTH, "of self without what is reduced"),
        inside_storage("self"),
    ),
    (_IN_RANK, *RANKS, inside_storage("self"), fits_reduced(_TRUTH, "out")),
)


def _truth_call(self: TensorArg, dims: tuple[int, ...], keep: bool, dtype: DataType) -> Call:
    call = Call({"self": self, "dim": dims, "keepdim": keep})
    return complete(("out", _TRUTH, dtype))(call)


def _draw_truth(rng: Random) -> Call:
    self = drawn_tensor(rng, *REALS, BF16, empty=True)
    if rng.random() < 0.5:
        self = replace(self, span=(0, 2))
    dims = drawn_dims(rng, len(self.shape))
    return _truth_call(self, dims, rng.random() < 0.5, rng.choice((BOOL, UINT8)))


def _truth(name: str, place: int) -> Operator:
    function = ("all", "any")[place]

    def golden(self: Array, dim: Ints, keepdim: bool) -> Array:
        found: Array = getattr(self != 0, function)(axis=axes(dim), keepdims=keepdim)
        return found

    def reference(torch: Any, self: Any, dim: Any, keepdim: bool) -> Any:  # noqa: ANN401
        found = getattr(torch, function)
        for axis in sorted((each % max(self.dim(), 1) for each in dim), reverse=True):
            self = found(self, dim=axis, keepdim=keepdim)
        return self.bool() if dim else (NotImplemented if keepdim else found(self))

    out = TensorOut("out", "Result.", shape=_TRUTH, dtype=const(BOOL))
    return Operator(
        name,
        summary=f"Whether {function} values over dimensions are not 0.",
        formula=f"`out = {function}(self != 0)` over dim",
        params=(SELF, dims_param(), keep_param("keepdim"), out),
        checks=(
            not_null("self", "dim", "out"),
            dtype_in("self", *REALS, BF16_NEWER),
            dtype_in("out", UINT8, BOOL),
            *_TRUTH_CHECKS[place],
        ),
        golden=golden,
        reference=reference,
        draw=_draw_truth,
        typical=typical_rows(complete(("out", _TRUTH, BOOL)), dim=(1,), keepdim=False),
        samples=(
            _truth_call(TensorArg((2, 3), BOOL), (1,), False, BOOL),
            _truth_call(TensorArg((2, 3, 4), FLOAT16), (-1, 0), True, UINT8),
            _truth_call(TensorArg((3, 2), INT32), (), False, BOOL),
            _truth_call(TensorArg((3, 0)), (1,), False, BOOL),
            _truth_call(TensorArg((), INT64), (), False, BOOL),
        ),
        notes=("NaN counts as not 0.",),
    )


OPS = (
    *(_along_axes(name, place) for place, name in enumerate(("aclnnAmax", "aclnnAmin"))),
    *(_of_all(name, place) for place, name in enumerate(("aclnnMax", "aclnnMin"))),
    *(_truth(name, place) for place, name in enumerate(("aclnnAll", "aclnnAny"))),
)
