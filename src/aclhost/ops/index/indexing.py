# SPDX-License-Identifier: Apache-2.0
"""Tensors indexed by lists of tensors and masks."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import COPIED, INDEX_NOTE, NEGATIVE_NOTE, REALS, Rules, call_of
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import BF16, BOOL, COMPLEX64, FLOAT, FLOAT16, INT8, INT32, INT64, DataType
from aclhost.spec.indexed import Indexed, IndicesFit
from aclhost.spec.moved import ShapeOfFirst
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorList, TensorOut
from aclhost.spec.products import A2, A3, A950, P310B, P310P
from aclhost.spec.rules import (
    Condition,
    done_when_empty,
    dtype_in,
    each,
    fits_shape,
    inner,
    inside_storage,
    not_null,
    not_private,
    only_on,
    rank_at_most,
    requires,
    same_dtype,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import SameShape, ShapeOf
from aclhost.spec.terms import (
    MEMBER,
    And,
    AtMost,
    Const,
    DtypeOf,
    EachMember,
    Empty,
    Equal,
    If,
    In,
    LengthOf,
    Not,
    OfFirst,
    Or,
    RankOf,
    Sum,
    SumOver,
    Times,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any
Shape = tuple[int, ...]
LIST = "indices"
HOLLOW = Condition(Empty(MEMBER), "empty ones")
USED = SumOver(LIST, Not(Empty(MEMBER)))
_MASKED = Not(EachMember(LIST, Or(Empty(MEMBER), Not(In(DtypeOf(MEMBER), (BOOL,))))))
PLAIN = Condition(Not(_MASKED), "there is no mask among the indices")
_FIRST = OfFirst(LIST, Not(Empty(MEMBER)), RankOf(MEMBER))
_RANK = If(
    Equal(USED, Const(0)),
    RankOf("self"),
    Sum(Sum(_FIRST, RankOf("self")), Times(USED, Const(-1))),
)
NOT_T910_BF16 = only_on(BF16, A950, A3, A2, P310B, P310P)
INDICES = TensorList(
    LIST, "One index or mask for each of the first dimensions; one without elements skips it."
)
MASK_NOTE = (
    "Only the masks know how much they select. Where that is not what the tensors are made for, "
    "the next synchronisation of the stream returns 507015; in Python the call raises AclnnError."
)
PLACE_NOTE = (
    "Indices broadcast with each other. Their common shape takes the place of their dimensions, or "
    "comes first where these are not neighbours."
)


def indices_fit(self: str) -> Rules:
    """The list fits the tensor (561103 if not)."""
    return inner(
        requires(
            "indices_fit",
            LIST,
            Or(Equal(RankOf(self), Const(0)), IndicesFit(self, LIST)),
            f"indices must broadcast with each other, fit the dimensions of {self}, and be as long "
            "where they are masks",
            (Shown("integer", LengthOf(LIST)), " for ", Shown("shape", ShapeOf(self))),
            "Pass one index for each of the first dimensions.",
        )
    )


def key_of(members: list[Any]) -> tuple[Any, ...]:
    """As NumPy and torch want it."""
    return tuple(member if member.shape.count(0) == 0 else slice(None) for member in members)


def _golden_index(self: Array, indices: list[Array]) -> Array:
    selected: Array = self[key_of(indices)] if self.ndim else self
    return selected


def _torch_index(torch: Torch, self: Torch, indices: list[Torch]) -> Torch:
    if self.ndim == 0:
        return self
    masks = (torch.bool,)
    return self[key_of([each if each.dtype in masks else each.long() for each in indices])]


def _mask(rng: Random, shape: Shape) -> TensorArg:
    from math import prod

    values = tuple(float(rng.random() < 0.6) for _ in range(prod(shape)))
    return TensorArg(shape, BOOL, values if any(values) else (1.0, *values[1:]))


def _counted(members: tuple[TensorArg, ...]) -> tuple[TensorArg, ...]:
    """Masks as the indices that they stand for."""
    found: list[TensorArg] = []
    for member in members:
        if member.dtype is BOOL and member.values is not None:
            found += [TensorArg((int(sum(member.values)),), INT64)] * len(member.shape)
        else:
            found.append(member)
    return tuple(found)


def selected_shape(self: Shape, members: tuple[TensorArg, ...]) -> Shape:
    """What a list selects; masks must have values."""
    call = call_of(self=TensorArg(self), indices=_counted(members))
    return Indexed("self", LIST).evaluate(call)


def _index_call(self: Shape, members: tuple[TensorArg, ...], dtype: DataType = FLOAT) -> Call:
    out = TensorArg(selected_shape(self, members), dtype)
    return call_of(self=TensorArg(self, dtype), indices=members, out=out)


def drawn_list(rng: Random) -> tuple[Shape, tuple[TensorArg, ...]]:
    """A shape, and a list that fits it; there may be a mask."""
    self = tuple(rng.randint(1, 5) for _ in range(rng.randint(1, 4)))
    joint = tuple(rng.randint(1, 4) for _ in range(rng.randint(0, 2)))
    members: list[TensorArg] = []
    masked = rng.random() < 0.3
    axis = 0
    while axis < len(self) and rng.random() < 0.85:
        if rng.random() < 0.25:
            members.append(TensorArg((0,), INT64))
        elif masked and not any(member.dtype is BOOL for member in members):
            members.append(_mask(rng, self[axis : axis + rng.randint(1, 2)]))
            joint = ()
            axis += len(members[-1].shape) - 1
        else:
            cut = rng.randint(0, len(joint))
            shape = tuple(rng.choice((1, length)) for length in joint[cut:])
            span = (-self[axis], self[axis])
            members.append(TensorArg(shape, rng.choice((INT32, INT64)), span=span))
        axis += 1
    return self, tuple(members)


def _drawn_index(rng: Random) -> Call:
    self, members = drawn_list(rng)
    return _index_call(self, members, rng.choice((*REALS, BF16)))


def matrix_places(n: int) -> tuple[Shape, tuple[TensorArg, ...]]:
    """A matrix, and an index for each of its dimensions."""
    shape = matrix_shape(n)
    return shape, tuple(TensorArg((n,), INT64, span=(0, length)) for length in shape)


ROWS = TensorArg((3,), INT64, (1, 0, -2))

OP = Operator(
    "aclnnIndex",
    summary="Takes what tensors of indices and masks select.",
    formula=f"`out = self[indices[0], indices[1], ...]`. {COPIED}",
    params=(
        TensorIn("self", "What is read.", chosen=True),
        INDICES,
        TensorOut("out", "Result.", shape=Indexed("self", LIST), dtype=DtypeOf("self")),
    ),
    checks=(
        not_null("self", "out", LIST),
        each(LIST, not_null(MEMBER)),
        same_dtype("self", "out"),
        dtype_in("self", *REALS, NOT_T910_BF16, only_on(COMPLEX64, A950)),
        each(LIST, dtype_in(MEMBER, INT64, INT32, BOOL), but=HOLLOW),
        not_private("self", "out"),
        each(LIST, not_private(MEMBER)),
        rank_at_most("self", 8),
        each(LIST, rank_at_most(MEMBER, 8)),
        done_when_empty("self", "out"),
        requires(
            "result_rank",
            "out",
            And(AtMost(Const(0), _RANK), AtMost(_RANK, Const(8))),
            "what the indices select must have at most 8 dimensions",
            (Shown("integer", _RANK), " dimensions"),
            "Pass indices of fewer dimensions, and not more of them than self has.",
        ),
        inside_storage("self"),
        each(LIST, inside_storage(MEMBER)),
        when(
            Condition(In(DtypeOf("self"), (COMPLEX64,)), "self is COMPLEX64"),
            inner(
                each(
                    LIST,
                    requires(
                        "plain_index",
                        MEMBER,
                        And(
                            Not(In(DtypeOf(MEMBER), (BOOL,))),
                            SameShape(ShapeOf(MEMBER), ShapeOfFirst(LIST, Not(Empty(MEMBER)))),
                        ),
                        f"{MEMBER} must be an index of the same shape",
                        (),
                        "Pass indices of one shape and no masks.",
                    ),
                    but=HOLLOW,
                )
            ),
        ),
        indices_fit("self"),
        when(
            PLAIN,
            inner(fits_shape("out", Indexed("self", LIST), "of what the indices select")),
        ),
    ),
    golden=_golden_index,
    reference=_torch_index,
    draw=_drawn_index,
    typical=lambda n: _index_call(*matrix_places(n)),
    samples=(
        _index_call((3, 2, 2), (ROWS,)),
        _index_call((4, 3), (TensorArg((0,), INT64), TensorArg((2, 2), INT32, (2, 0, 1, 1))), BF16),
        _index_call((2, 3), (TensorArg((2, 3), INT64, (1, 0, 1, 0, 0, 1)),), INT8),
        _index_call((2, 3, 4), (TensorArg((), INT64, (1,)), TensorArg((0,), INT32), ROWS), FLOAT16),
        _index_call((2, 3), (ROWS, ROWS), COMPLEX64).on(A950),
        _index_call((), (TensorArg((1,), INT64, (0,)),)),
    ),
    notes=(
        INDEX_NOTE,
        NEGATIVE_NOTE,
        PLACE_NOTE,
        MASK_NOTE,
        "With masks Python needs out, too.",
        "A self without dimensions is copied; indices are not looked at.",
    ),
)
