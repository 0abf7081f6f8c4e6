# SPDX-License-Identifier: Apache-2.0
"""Values that are put where lists of tensors and masks say."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import INDEX_NOTE, NEGATIVE_NOTE, REALS, call_of
from aclhost.ops.index.indexing import (
    HOLLOW,
    INDICES,
    LIST,
    MASK_NOTE,
    NOT_T910_BF16,
    PLACE_NOTE,
    PLAIN,
    ROWS,
    USED,
    drawn_list,
    indices_fit,
    key_of,
    matrix_places,
    selected_shape,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, FLOAT, FLOAT16, INT8, INT32, INT64, DataType
from aclhost.spec.indexed import BroadcastsTo, Indexed, MasksFit
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, TensorIn, TensorInOut
from aclhost.spec.products import A2, A3, A950, T910
from aclhost.spec.rules import (
    Condition,
    done_when,
    done_when_empty,
    dtype_in,
    each,
    inner,
    inside_storage,
    not_null,
    rank_at_most,
    requires,
    same_dtype,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import MEMBER, AtMost, Const, Equal, LengthOf, RankOf, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any
Shape = tuple[int, ...]


def _golden_put(
    self_ref: Array, indices: list[Array], values: Array, accumulate: bool, unsafe: bool
) -> Array:
    import numpy as np

    result, key = np.array(self_ref), key_of(indices)
    if not any(index.size for index in indices):
        return result
    if accumulate:
        np.add.at(result, key, values)
    else:
        result[key] = values
    return result


def _torch_put(
    torch: Torch, self_ref: Torch, indices: list[Torch], values: Torch, accumulate: bool,
    unsafe: bool,
) -> Torch:  # fmt: skip
    if accumulate and self_ref.dtype is torch.bool:
        return NotImplemented  # torch counts
    places = [
        None if each.numel() == 0 else each if each.dtype is torch.bool else each.long()
        for each in indices
    ]
    if all(each is None for each in places):
        return self_ref
    return torch.ops.aten.index_put(self_ref, places, values, accumulate)


def _put_call(
    self: Shape,
    members: tuple[TensorArg, ...],
    values: Shape,
    *,
    accumulate: bool,
    dtype: DataType = FLOAT,
) -> Call:
    return call_of(
        selfRef=TensorArg(self, dtype),
        indices=members,
        values=TensorArg(values, dtype),
        accumulate=accumulate,
        unsafe=False,
    )


def _drawn_put(rng: Random) -> Call:
    while True:
        self, members = drawn_list(rng)
        selected = selected_shape(self, members)
        values = tuple(rng.choice((length, length, 1)) for length in selected)
        call = _put_call(
            self,
            members,
            values[rng.choice((0, 0, min(1, len(values)))) :],
            accumulate=rng.random() < 0.5,
            dtype=rng.choice((*REALS, BF16)),
        )
        if MasksFit("selfRef", LIST).evaluate(call):
            return call


def _typical_put(n: int) -> Call:
    self, members = matrix_places(n)
    return _put_call(self, members, (n,), accumulate=True)


OP = Operator(
    "aclnnIndexPutImpl",
    summary="Puts values where tensors of indices and masks say, or adds them.",
    formula=(
        "`selfRef[indices[0], indices[1], ...] = values`, or `+=` with accumulate. Where several "
        "values go to one place, the last one stays, or they are added in row-major order; FLOAT16 "
        "and BF16 are added as FLOAT and rounded once."
    ),
    params=(
        TensorInOut(
            "selfRef", "What is there first, and where values are put.",
            read_if=ValueOf("accumulate"),
        ),
        INDICES,
        TensorIn("values", "They broadcast to what the indices select."),
        Flag("accumulate", "Whether values are added.", default=False, is_const=True),
        Flag("unsafe", "Not looked at: indices are always checked.", default=False, is_const=True),
    ),
    checks=(
        not_null("selfRef", "values", LIST),
        each(LIST, not_null(MEMBER)),
        dtype_in("selfRef", *REALS, NOT_T910_BF16),
        dtype_in("values", *REALS, NOT_T910_BF16),
        each(LIST, dtype_in(MEMBER, INT64, INT32, BOOL), but=HOLLOW),
        same_dtype("selfRef", "values"),
        rank_at_most("selfRef", 8),
        requires(
            "enough_dimensions",
            LIST,
            AtMost(LengthOf(LIST), RankOf("selfRef")),
            "indices must not be more than selfRef has dimensions",
            (Shown("integer", LengthOf(LIST)), " for ", Shown("shape", ShapeOf("selfRef"))),
            "Leave indices out.",
        ),
        requires(
            "masks_fit",
            LIST,
            MasksFit("selfRef", LIST),
            "with a mask among them, indices must be as long as the dimensions from theirs on",
            (Shown("integer", LengthOf(LIST)), " for ", Shown("shape", ShapeOf("selfRef"))),
            "Pass masks of the shape of selfRef's dimensions; put indices in a call of their own.",
        ),
        done_when_empty("selfRef", "values"),
        done_when(Condition(Equal(USED, Const(0)), "no index has elements")),
        supported_on(A950, A3, A2, T910),
        inside_storage("selfRef", "values"),
        each(LIST, inside_storage(MEMBER)),
        indices_fit("selfRef"),
        when(
            PLAIN,
            inner(
                requires(
                    "values_broadcast",
                    "values",
                    BroadcastsTo("values", Indexed("selfRef", LIST)),
                    "values must broadcast to what the indices select",
                    (
                        Shown("shape", ShapeOf("values")),
                        " to ",
                        Shown("shape", Indexed("selfRef", LIST)),
                    ),
                    "Reshape values.",
                )
            ),
        ),
    ),
    golden=_golden_put,
    reference=_torch_put,
    summed=("selfRef", "values"),
    ulps=4,
    draw=_drawn_put,
    typical=_typical_put,
    samples=(
        _put_call((3, 2, 2), (ROWS,), (3, 2, 2), accumulate=True),
        _put_call(
            (4, 3), (TensorArg((0,), INT64), TensorArg((2, 2), INT32, (2, 0, 1, 1))), (2, 2),
            accumulate=False, dtype=FLOAT16,
        ),
        _put_call(
            (2, 3), (TensorArg((2, 3), BOOL, (1, 0, 1, 0, 0, 1)),), (1,), accumulate=False,
            dtype=INT8,
        ),
        _put_call((2, 3), (ROWS, ROWS), (3,), accumulate=True, dtype=BF16),
        _put_call(
            (3, 4), (TensorArg((3,), BOOL, (1, 0, 1)), TensorArg((4,), BOOL, (1, 0, 1, 0))), (2,),
            accumulate=False,
        ),
    ),
    notes=(
        INDEX_NOTE,
        NEGATIVE_NOTE,
        PLACE_NOTE,
        MASK_NOTE,
        "Ascend 950 does not promise which of several values stays.",
    ),
)  # fmt: skip
