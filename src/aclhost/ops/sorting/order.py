# SPDX-License-Identifier: Apache-2.0
"""Sorted tensors, and the indices that sort them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.sorting.build import (
    DIM,
    DIM_IN_RANK,
    NEW_BF16,
    NEW_WIDE,
    NUMBERS,
    OLDER,
    ORDER_NOTE,
    SELF,
    SELF_LENGTH,
    SUPPORTED,
    T910_NOTE,
    drawn_dim,
    drawn_self,
    indices_out,
    is_sorted_by_torch,
    not_single_bf16,
    order_of,
    several_of_bf16,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, INT8, INT32, INT64, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, TensorOut
from aclhost.spec.products import A2, A3, P310B, P310P, T910
from aclhost.spec.rules import (
    Condition,
    as_null,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    not_private,
    only_on,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import AtMost, Const, DimOf, Equal, Not, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DESCENDING = Flag("descending", "Whether the largest comes first.", default=False)
_IS_ONE = Equal(DimOf("self", ValueOf("dim")), Const(1))
_ONE = Condition(_IS_ONE, "dimension dim has length 1")
_SEVERAL = Condition(Not(_IS_ONE), "dimension dim has another length than 1")
_ORDERED = (*NUMBERS, BF16, BOOL)


def _golden_sort(self: Array, stable: bool, dim: int, descending: bool) -> tuple[Array, Array]:
    del stable
    values, places = order_of(self, dim, descending)
    return values.reshape(self.shape), places.reshape(self.shape)


def _torch_sort(torch: Any, self: Any, dim: int, descending: bool, stable: bool = True) -> Any:  # noqa: ANN401
    del stable
    if not is_sorted_by_torch(self):
        return NotImplemented
    return tuple(torch.sort(self, stable=True, dim=dim, descending=descending))


def _sort_call(
    self: TensorArg, stable: bool, dim: int, descending: bool, values: DataType | None = None
) -> Call:
    return Call(
        {
            "self": self,
            "stable": stable,
            "dim": dim,
            "descending": descending,
            "valuesOut": TensorArg(self.shape, values or self.dtype),
            "indicesOut": TensorArg(self.shape, INT64),
        }
    )


def _draw_sort(rng: Random) -> Call:
    self = drawn_self(rng, *_ORDERED)
    dim = drawn_dim(rng, self)
    several = not self.shape or self.shape[dim] != 1
    wider = several and self.dtype in (FLOAT, FLOAT16, BF16, INT32) and rng.random() < 0.3
    flags = rng.random() < 0.5, rng.random() < 0.5
    return _sort_call(self, flags[0], dim, flags[1], DOUBLE if wider else None)


_SORT = Operator(
    "aclnnSort",
    summary="Sorts along a dimension.",
    formula="`valuesOut[i] = self[indicesOut[i]]` along dim, in ascending or descending order",
    params=(
        SELF,
        Flag("stable", "Equal elements keep their order in either case.", default=False),
        DIM,
        _DESCENDING,
        TensorOut("valuesOut", "Sorted elements.", like="self"),
        indices_out("indicesOut", ShapeOf("self")),
    ),
    checks=(
        not_null("self", "valuesOut", "indicesOut"),
        dtype_in("self", *_ORDERED, *NEW_WIDE),
        dtype_in("valuesOut", *_ORDERED, only_on(DOUBLE, A3, A2, P310B, P310P, T910), *NEW_WIDE),
        dtype_in("indicesOut", INT64),
        DIM_IN_RANK,
        same_shape("valuesOut", "self"),
        same_shape("indicesOut", "self"),
        done_when_empty("self"),
        SUPPORTED,
        when(_ONE, inside_storage("self")),
        when(_ONE, as_null(same_dtype("valuesOut", "self"))),
        when(_SEVERAL, as_null(inside_storage("self"))),
    ),
    golden=_golden_sort,
    reference=_torch_sort,
    draw=_draw_sort,
    typical=lambda n: _sort_call(TensorArg((n,)), True, -1, False),
    samples=(
        _sort_call(TensorArg((3, 4)), True, 1, True),
        _sort_call(TensorArg((2, 3, 4), FLOAT16), False, 0, False),
        _sort_call(TensorArg((5,), BOOL), True, -1, False),
        _sort_call(TensorArg((2, 4), INT32), False, -1, True, FLOAT),
        _sort_call(TensorArg((3, 1, 2), INT32), True, 1, False),
        _sort_call(TensorArg((), INT64), True, 0, False),
    ),
    notes=(ORDER_NOTE, T910_NOTE),
)


def _argsort_call(self: TensorArg, dim: int, descending: bool) -> Call:
    out = TensorArg(self.shape, INT64)
    return Call({"self": self, "dim": dim, "descending": descending, "out": out})


def _draw_argsort(rng: Random) -> Call:
    self = drawn_self(rng, *NUMBERS, BF16)
    dim = drawn_dim(rng, self)
    return _argsort_call(several_of_bf16(self, dim), dim, rng.random() < 0.5)


_ARGSORT = Operator(
    "aclnnArgsort",
    summary="The indices that sort along a dimension.",
    formula="`self[out[i]]` along dim is in ascending or descending order",
    params=(SELF, DIM, _DESCENDING, indices_out("out", ShapeOf("self"))),
    checks=(
        not_null("self", "out"),
        DIM_IN_RANK,
        requires(
            "length_at_most",
            "self",
            AtMost(SELF_LENGTH, Const(2**31 - 1)),
            f"dimension dim of self must be at most {2**31 - 1}",
            (Shown("shape", ShapeOf("self")),),
            "Split the tensor.",
        ),
        when(OLDER, not_single_bf16(SELF_LENGTH, "dimension dim")),
        dtype_in("self", *NUMBERS, NEW_BF16, *NEW_WIDE),
        dtype_in("out", INT64),
        not_private("self", "out"),
        rank_at_most("self", 8),
        rank_at_most("out", 8),
        same_shape("out", "self"),
        done_when_empty("self"),
        SUPPORTED,
        inside_storage("self"),
    ),
    golden=lambda self, dim, descending: order_of(self, dim, descending)[1].reshape(self.shape),
    reference=lambda torch, **arguments: (
        NotImplemented if (found := _torch_sort(torch, **arguments)) is NotImplemented else found[1]
    ),
    draw=_draw_argsort,
    typical=lambda n: _argsort_call(TensorArg((n,)), -1, False),
    samples=(
        _argsort_call(TensorArg((3, 4)), 1, True),
        _argsort_call(TensorArg((2, 3, 4), FLOAT16), 0, False),
        _argsort_call(TensorArg((4,), INT8), -1, False),
        _argsort_call(TensorArg((), INT64), 0, False),
    ),
    notes=(ORDER_NOTE,),
)

OPS = (_SORT, _ARGSORT)
