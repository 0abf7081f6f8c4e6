# SPDX-License-Identifier: Apache-2.0
"""Elements that are not 0, and elements that a mask selects: only the data tell how many."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import COPIED, NEW_BF16, REALS, WIDE, call_of, drawn_shape
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT64,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import SizedTensorOut, TensorIn
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Rule,
    broadcastable,
    done_when_empty,
    dtype_in,
    inside_storage,
    lengths_at_most,
    not_null,
    only_on,
    rank_at_most,
    rank_in,
    requires,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Broadcast, ElementsOf, Lengths, ShapeOf
from aclhost.spec.terms import Const, Elements, Equal, If, RankOf, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any
Shape = tuple[int, ...]
_SUPPORTED = (A950, A3, A2, P310P, T910)
_WIDE_950 = tuple(only_on(dtype, A950) for dtype in WIDE)
SIZED_NOTE = (
    "The size of the result follows from the data. Phase 2 waits for it and gives the true shape "
    "to the tensor, where aclGetViewShape finds it; in Python the result has that shape."
)
ROOM_NOTE = "Phase 2 returns 507015 where out has not enough elements; upstream does not look."


def _golden_places(self: Array) -> Array:
    import numpy as np

    if np.ndim(self) == 0:
        return np.zeros((int(self != 0), 0), np.int64)
    return np.argwhere(self)


def _golden_columns(self: Array) -> Array:
    return _golden_places(self).T


def _torch_places(torch: Torch, self: Torch) -> Torch:
    return torch.nonzero(self)


def _torch_columns(torch: Torch, self: Torch) -> Torch:
    return torch.nonzero(self).T


def _places_call(self: TensorArg, *, columns: bool) -> Call:
    count = prod(self.shape)
    rank = max(len(self.shape), 1)
    out = (rank, count) if columns else (count, rank)
    return call_of(self=self, out=TensorArg(out, INT64))


def _drawn_places(rng: Random, *, columns: bool) -> Call:
    dtype = rng.choice((*REALS, BF16))
    return _places_call(TensorArg(drawn_shape(rng), dtype, span=(0, 3)), columns=columns)


def _nonzero(name: str, *, columns: bool) -> Operator:
    rank = If(RankOf("self"), RankOf("self"), Const(1))
    room = (rank, Elements("self")) if columns else (Elements("self"), rank)
    unsigned = WIDE if columns else _WIDE_950
    calls = (
        TensorArg((2, 3), FLOAT, (0, 1.5, 0, -2, 0, float("nan"))),
        TensorArg((4,), INT32, (0, 0, 0, 0)),
        TensorArg((2, 2, 2), BOOL, (0, 1, 1, 0, 0, 0, 1, 1)),
        TensorArg((3,), FLOAT16, (-0.0, 2, 0)),
        TensorArg((), DOUBLE, (3,)),
        TensorArg((2, 0), BF16),
    )
    return Operator(
        name,
        summary="Finds the places of elements that are not 0.",
        formula="`out[:, k]` is the place of the k-th element that is not 0, in row-major order"
        if columns
        else "`out[k]` is the place of the k-th element that is not 0, in row-major order",
        params=(
            TensorIn("self", "What is looked at."),
            SizedTensorOut(
                "out",
                "A column for each element that is not 0." if columns
                else "A row for each element that is not 0.",
                shape=Lengths(room),
                dtype=const(INT64),
            ),
        ),
        checks=(
            not_null("self", "out"),
            dtype_in("self", *REALS, NEW_BF16, *unsigned),
            dtype_in("out", INT64),
            rank_at_most("self", 8),
            rank_at_most("out", 8),
            lengths_at_most("self"),
            done_when_empty("self", "out"),
            supported_on(*_SUPPORTED),
            inside_storage("self"),
        ),
        golden=_golden_columns if columns else _golden_places,
        reference=_torch_columns if columns else _torch_places,
        draw=lambda rng: _drawn_places(rng, columns=columns),
        typical=lambda n: _places_call(
            TensorArg(matrix_shape(n), INT8, span=(0, 2)), columns=columns
        ),
        samples=(
            *(_places_call(self, columns=columns) for self in calls),
            _places_call(TensorArg((2, 2), UINT64, (0, 1, 2, 0)), columns=columns).on(A950),
        ),
        notes=(SIZED_NOTE, ROOM_NOTE, "NaN is not 0."),
        source="src/aclhost/ops/index/selection.py",
    )  # fmt: skip


def _golden_selected(self: Array, mask: Array) -> Array:
    import numpy as np

    values, chosen = np.broadcast_arrays(self, np.asarray(mask) != 0)
    selected: Array = values[chosen]
    return selected


def _torch_selected(torch: Torch, self: Torch, mask: Torch) -> Torch:
    return torch.masked_select(self, mask.bool())


def _selected_call(self: TensorArg, mask: TensorArg, dtype: DataType | None = None) -> Call:
    call = call_of(self=self, mask=mask)
    room = ElementsOf(Broadcast(("self", "mask"))).evaluate(call)
    return call.passing(out=TensorArg((room,), dtype or self.dtype))


def _drawn_selected(rng: Random) -> Call:
    shape = drawn_shape(rng)
    shapes = [tuple(rng.choice((1, length, length)) for length in shape) for _ in range(2)]
    if rng.random() < 0.3:
        place = rng.randrange(2)
        shapes[place] = shapes[place][rng.randint(0, len(shape)) :]
    mask = TensorArg(shapes[1], rng.choice((BOOL, UINT8)), span=(0, 2))
    return _selected_call(TensorArg(shapes[0], rng.choice((*REALS, BF16))), mask)


def _as_many_elements() -> tuple[Rule, ...]:
    wanted = ElementsOf(Broadcast(("self", "mask")))
    return requires(
        "as_many_elements",
        "out",
        Equal(Elements("out"), wanted),
        "out must have as many elements as self and mask broadcast to",
        (Shown("shape", ShapeOf("out")), " instead of ", Shown("integer", wanted)),
        "There may be as many results as that.",
    )


_MASKED_SELECT = Operator(
    "aclnnMaskedSelect",
    summary="Takes the elements that a mask selects.",
    formula=f"`out = self[mask]`, in row-major order of what both broadcast to. {COPIED}",
    params=(
        TensorIn("self", "What is read.", chosen=True),
        TensorIn("mask", "Which elements; what is not 0 selects."),
        SizedTensorOut(
            "out",
            "The selected elements.",
            shape=Lengths((ElementsOf(Broadcast(("self", "mask"))),)),
            like="self",
        ),
    ),
    checks=(
        not_null("self", "mask", "out"),
        dtype_in("self", *REALS, NEW_BF16, *_WIDE_950),
        dtype_in("mask", UINT8, BOOL),
        dtype_in("out", *REALS, NEW_BF16, *_WIDE_950),
        rank_at_most("self", 8),
        rank_at_most("mask", 8),
        broadcastable("mask", "self"),
        rank_in("out", 1),
        _as_many_elements(),
        done_when_empty("self", "mask", "out"),
        supported_on(*_SUPPORTED),
        inside_storage("self", "mask"),
    ),
    golden=_golden_selected,
    reference=_torch_selected,
    draw=_drawn_selected,
    typical=lambda n: _selected_call(TensorArg(matrix_shape(n)), TensorArg(matrix_shape(n), BOOL)),
    samples=(
        _selected_call(TensorArg((2, 3)), TensorArg((2, 3), BOOL, (1, 0, 1, 0, 0, 1))),
        _selected_call(TensorArg((2, 1), FLOAT16), TensorArg((3,), UINT8, (0, 1, 1))),
        _selected_call(TensorArg((3,), INT64), TensorArg((3,), BOOL, (0, 0, 0))),
        _selected_call(TensorArg((), BF16), TensorArg((), BOOL, (1,))),
        _selected_call(TensorArg((2, 2), INT8), TensorArg((2, 2), BOOL, (1, 1, 0, 1)), FLOAT),
        _selected_call(TensorArg((0, 2)), TensorArg((0, 2), BOOL)),
        _selected_call(TensorArg((2,), UINT16), TensorArg((2,), BOOL, (0, 1))).on(A950),
    ),
    notes=(SIZED_NOTE, "self is cast to the dtype of out."),
)

OPS = (
    _nonzero("aclnnNonzero", columns=False),
    _nonzero("aclnnNonzeroV2", columns=True),
    _MASKED_SELECT,
)
