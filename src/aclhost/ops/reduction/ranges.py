# SPDX-License-Identifier: Apache-2.0
"""Smallest and largest values together."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import (
    BF16_NEWER,
    REALS,
    SELF,
    SUPPORTED,
    complete,
    dim_param,
    drawn_dims,
    keep_param,
    reduced,
    reduced_axis,
    typical_rows,
)
from aclhost.ops.reduction.extremes import NOTE, drawn_tensor
from aclhost.ops.reduction.places import AXIS_IN_RANK, AXIS_POSITIVE
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, FLOAT16, INT64
from aclhost.spec.operator import Operator
from aclhost.spec.params import IntArray, Parameter, TensorOut
from aclhost.spec.rules import (
    Condition,
    Rule,
    Step,
    axes_in_rank,
    axes_positive,
    done_when_empty,
    dtype_in,
    fits_shape,
    inside_storage,
    not_null,
    rank_at_most,
    requires,
    same_dtype,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Rank0, ShapeIf, ShapeOf, ShapeTerm
from aclhost.spec.status import Status
from aclhost.spec.terms import AtMost, Const, Empty, Equal, LengthOf, Not, RankOf, all_of, any_of

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_OUTS = ("minOut", "maxOut")
_ONE = Equal(LengthOf("dim"), Const(1))
_ONE_DIM = Condition(_ONE, "dim names one dimension")
_MANY_DIMS = Condition(
    all_of(AtMost(Const(2), LengthOf("dim")), RankOf("self")),
    "dim names more than one dimension of a tensor that has some",
)
_NAMED = ShapeIf(LengthOf("dim"), reduced(), ShapeOf("self"))
_AXIS = reduced_axis("keepDim")
_TYPES = (
    dtype_in("self", *REALS, BF16_NEWER),
    *(same_dtype(out, "self") for out in _OUTS),
    *(rank_at_most(name, 8) for name in ("self", *_OUTS)),
)
_NOT_EMPTY = requires(
    "not_empty",
    "self",
    any_of(_ONE, Not(Empty("self"))),
    "self must not be empty unless dim names one dimension",
    (Shown("shape", ShapeOf("self")),),
    "There is no value of nothing: skip the call.",
)


def _after(shape: ShapeTerm, *late: tuple[Rule, ...]) -> tuple[tuple[Step, ...], ...]:
    fits = (fits_shape(out, shape, "of self without what is reduced") for out in _OUTS)
    return (done_when_empty("self"), SUPPORTED, inside_storage("self"), *late, *fits)


def _outputs(shape: ShapeTerm) -> tuple[TensorOut, ...]:
    return tuple(
        TensorOut(out, f"The {word} values.", like="self", shape=shape)
        for out, word in zip(_OUTS, ("smallest", "largest"), strict=True)
    )


def _both(self: Array, axis: Any, keep: bool) -> tuple[Array, Array]:  # noqa: ANN401
    return self.min(axis=axis, keepdims=keep), self.max(axis=axis, keepdims=keep)


def _golden(self: Array, dim: Ints, keep_dim: bool) -> tuple[Array, Array]:
    return _both(self, tuple(dim) if self.ndim else (), keep_dim)


def _torch(torch: Any, self: Any, dim: Any, keep_dim: bool) -> Any:  # noqa: ANN401
    return torch.amin(self, dim, keepdim=keep_dim), torch.amax(self, dim, keepdim=keep_dim)


def _operator(
    name: str,
    shape: ShapeTerm,
    params: tuple[Parameter, ...],
    checks: tuple[tuple[Step, ...], ...],
    **rest: Any,  # noqa: ANN401
) -> Operator:
    return Operator(
        name,
        params=(SELF, *params, *_outputs(shape)),
        checks=checks,
        notes=(NOTE, *rest.pop("notes", ())),
        **rest,
    )


def _calls(shape: ShapeTerm, *given: dict[str, Any]) -> tuple[Call, ...]:
    return tuple(complete(*((out, shape, None) for out in _OUTS))(Call(each)) for each in given)


def _draw(shape: ShapeTerm, attributes: Any) -> Any:  # noqa: ANN401
    def draw(rng: Random) -> Call:
        self = drawn_tensor(rng, *REALS, BF16)
        return _calls(shape, {"self": self, **attributes(rng, len(self.shape))})[0]

    return draw


def _named(rng: Random, rank: int) -> dict[str, Any]:
    return {"dim": drawn_dims(rng, rank), "keepDim": rng.random() < 0.5}


def _one(rng: Random, rank: int) -> dict[str, Any]:
    rank = max(rank, 1)
    return {"dim": rng.randint(-rank, rank - 1), "keepDim": rng.random() < 0.5}


_finish_named = complete(*((out, _NAMED, None) for out in _OUTS))
_finish_axis = complete(*((out, _AXIS, None) for out in _OUTS))
OPS = (
    _operator(
        "aclnnAminmax",
        _NAMED,
        (
            IntArray(
                "dim", "Dimensions that are reduced; none: self stays as it is.", 1, default=()
            ),
            keep_param(),
        ),
        (
            not_null("self", "dim", *_OUTS),
            *_TYPES,
            _NOT_EMPTY,
            when(_ONE_DIM, axes_in_rank("dim", "self"), axes_positive("dim", "self")),
            *_after(
                _NAMED,
                tuple(
                    rule.with_code(Status.PARAM_NULLPTR)
                    for rule in when(_MANY_DIMS, axes_in_rank("dim", "self"))
                ),
            ),
        ),
        summary="The smallest and largest values over dimensions.",
        formula="`minOut, maxOut = min(self), max(self)` over dim",
        golden=_golden,
        reference=lambda torch, self, dim, keep_dim: (
            _torch(torch, self, dim, keep_dim) if dim else (self, self)
        ),
        draw=_draw(_NAMED, _named),
        typical=typical_rows(_finish_named, dim=(1,), keepDim=False),
        samples=_calls(
            _NAMED,
            {"self": TensorArg((2, 3)), "dim": (1,), "keepDim": False},
            {"self": TensorArg((2, 3, 4), FLOAT16), "dim": (-1, 0), "keepDim": True},
            {"self": TensorArg((3, 2), BOOL), "dim": (), "keepDim": False},
            {"self": TensorArg((0, 2)), "dim": (1,), "keepDim": False},
            {"self": TensorArg((), INT64), "dim": (), "keepDim": False},
        ),
        notes=("Without dimensions torch reduces all of them, upstream none.",),
    ),
    _operator(
        "aclnnAminmaxAll",
        Rank0(),
        (),
        (not_null("self", *_OUTS), *_TYPES, *_after(Rank0())),
        summary="The smallest and the largest of all values.",
        formula="`minOut, maxOut = min(self), max(self)`",
        golden=lambda self: _both(self, None, False),
        reference=lambda torch, self: (self.min(), self.max()),
        draw=_draw(Rank0(), lambda rng, rank: {}),
        typical=lambda n: _calls(Rank0(), {"self": TensorArg((n,))})[0],
        samples=_calls(
            Rank0(),
            {"self": TensorArg((2, 3))},
            {"self": TensorArg((2, 3), BOOL)},
            {"self": TensorArg((), INT64)},
        ),
    ),
    _operator(
        "aclnnAminmaxDim",
        _AXIS,
        (dim_param(), keep_param()),
        (not_null("self", *_OUTS), *_TYPES, AXIS_IN_RANK, AXIS_POSITIVE, *_after(_AXIS)),
        summary="The smallest and largest values along a dimension.",
        formula="`minOut, maxOut = min(self), max(self)` along dim",
        golden=lambda self, dim, keep_dim: _both(self, dim if self.ndim else None, keep_dim),
        reference=_torch,
        draw=_draw(_AXIS, _one),
        typical=typical_rows(_finish_axis, dim=1, keepDim=False),
        samples=_calls(
            _AXIS,
            {"self": TensorArg((2, 3)), "dim": 1, "keepDim": False},
            {"self": TensorArg((2, 3, 4), FLOAT16), "dim": -2, "keepDim": True},
            {"self": TensorArg((0, 2)), "dim": 1, "keepDim": False},
            {"self": TensorArg((), INT64), "dim": 0, "keepDim": False},
        ),
    ),
)
