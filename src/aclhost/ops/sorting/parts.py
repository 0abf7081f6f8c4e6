# SPDX-License-Identifier: Apache-2.0
"""Elements at some places of a sorted tensor."""

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
    WIDE,
    drawn_dim,
    drawn_self,
    indices_out,
    is_sorted_by_torch,
    k_in_range,
    not_single_bf16,
    one_of_row,
    order_of,
    several_of_bf16,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT16, INT32, INT64
from aclhost.spec.moved import WithAxis
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Int, TensorOut
from aclhost.spec.products import A950
from aclhost.spec.reduced import ReducedAxis
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    dtype_is,
    fits_shape,
    inner,
    inside_storage,
    not_null,
    rank_at_most,
    same_dtype,
    when,
)
from aclhost.spec.shapes import Lengths, ShapeIf, ShapeOf
from aclhost.spec.terms import RankOf, ValueOf, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_FIRST_K = ShapeIf(
    RankOf("self"),
    WithAxis(ShapeOf("self"), ValueOf("dim"), ValueOf("k")),
    Lengths((ValueOf("k"),)),
)


def _golden_topk(self: Array, k: int, dim: int, largest: bool, sorted: bool) -> tuple[Array, ...]:
    import numpy as np

    del sorted
    found = order_of(self, dim, largest)
    return tuple(np.take(each, range(k), axis=dim) for each in found)


def _has_equals(values: Any, dim: int, length: int) -> bool:  # noqa: ANN401
    """Of sorted values, whether neighbours are equal or both NaN."""
    before, after = values.narrow(dim, 0, length - 1), values.narrow(dim, 1, length - 1)
    return bool(((before == after) | (before.isnan() & after.isnan())).any())


def _torch_topk(torch: Any, self: Any, k: int, dim: int, largest: bool, sorted: bool) -> Any:  # noqa: ANN401
    """One more is asked for, to see whether torch had several to choose from."""
    del sorted
    if not is_sorted_by_torch(self) or not self.shape:
        return NotImplemented
    more = min(k + 1, self.shape[dim])
    values, indices = torch.topk(self, more, dim, largest)
    if more > 1 and _has_equals(values, dim, more):
        return NotImplemented
    return values.narrow(dim, 0, k), indices.narrow(dim, 0, k)


def _topk_call(self: TensorArg, k: int, dim: int, largest: bool, in_order: bool = True) -> Call:
    call = Call({"self": self, "k": k, "dim": dim, "largest": largest, "sorted": in_order})
    shape = _FIRST_K.evaluate(call)
    return call.passing(valuesOut=TensorArg(shape, self.dtype), indicesOut=TensorArg(shape, INT64))


def _draw_topk(rng: Random) -> Call:
    self = drawn_self(rng, *NUMBERS, DOUBLE, BF16)
    dim = drawn_dim(rng, self)
    k = rng.randint(0, self.shape[dim] if self.shape else 1)
    return _topk_call(self, k, dim, rng.random() < 0.5, rng.random() < 0.5)


_TOPK = Operator(
    "aclnnTopk",
    summary="The k largest or smallest elements along a dimension, and where they are.",
    formula="`valuesOut, indicesOut` are the first k of the sorted self and of its indices",
    params=(
        SELF,
        Int("k", "How many."),
        DIM,
        Flag("largest", "The largest, else the smallest.", default=True),
        Flag("sorted", "They come in order in either case.", default=True),
        TensorOut("valuesOut", "Elements.", like="self", shape=_FIRST_K),
        indices_out("indicesOut", _FIRST_K),
    ),
    checks=(
        not_null("self", "valuesOut", "indicesOut"),
        DIM_IN_RANK,
        k_in_range(0),
        dtype_in("self", *NUMBERS, DOUBLE, NEW_BF16, *NEW_WIDE),
        same_dtype("valuesOut", "self"),
        dtype_is("indicesOut", const(INT64), "dtype INT64"),
        rank_at_most("self", 8),
        done_when_empty("self", "valuesOut", "indicesOut"),
        SUPPORTED,
        inside_storage("self"),
        fits_shape("valuesOut", _FIRST_K, "of self with k in place of dimension dim"),
        fits_shape("indicesOut", _FIRST_K, "of self with k in place of dimension dim"),
    ),
    golden=_golden_topk,
    reference=_torch_topk,
    peer=lambda torch, self, **others: torch.topk(self, *others.values()),
    draw=_draw_topk,
    typical=lambda n: _topk_call(TensorArg((n,)), min(n, 10), -1, True),
    samples=(
        _topk_call(TensorArg((3, 4)), 2, 1, True),
        _topk_call(TensorArg((2, 3, 4), FLOAT16), 2, -2, False),
        _topk_call(TensorArg((4,), DOUBLE), 4, 0, True, False),
        _topk_call(TensorArg((), INT64), 1, 0, True),
        _topk_call(TensorArg((2, 5), WIDE[0]), 3, -1, True).on(A950),
    ),
    notes=(
        f"{ORDER_NOTE} Of equal elements at the end, those with the first indices are taken; "
        "upstream does not say which ones it takes, and torch may take others.",
        T910_NOTE,
    ),
)

_WITHOUT_DIM = ReducedAxis("self", ValueOf("dim"), ValueOf("keepdim"))


def _golden_kth(self: Array, k: int, dim: int, keepdim: bool) -> tuple[Array, ...]:
    import numpy as np

    found = tuple(np.take(each, [k - 1], axis=dim) for each in order_of(self, dim, False))
    if not self.shape:
        return tuple(each.reshape(()) for each in found)
    return found if keepdim else tuple(each.squeeze(dim) for each in found)


def _torch_kth(torch: Any, self: Any, k: int, dim: int, keepdim: bool) -> Any:  # noqa: ANN401
    if not is_sorted_by_torch(self):
        return NotImplemented
    return one_of_row(torch.kthvalue(self, k, dim, keepdim=True), self, dim, keepdim)


def _kth_call(self: TensorArg, k: int, dim: int, keepdim: bool) -> Call:
    call = Call({"self": self, "k": k, "dim": dim, "keepdim": keepdim})
    shape = _WITHOUT_DIM.evaluate(call)
    return call.passing(valuesOut=TensorArg(shape, self.dtype), indicesOut=TensorArg(shape, INT64))


def _draw_kth(rng: Random) -> Call:
    self = drawn_self(rng, *NUMBERS, BF16, empty=False)
    dim = drawn_dim(rng, self)
    k = rng.randint(1, self.shape[dim] if self.shape else 1)
    return _kth_call(several_of_bf16(self, dim), k, dim, rng.random() < 0.5)


_KTHVALUE = Operator(
    "aclnnKthvalue",
    summary="The kth smallest element along a dimension, and where it is.",
    formula="`valuesOut, indicesOut` are place k - 1 of the sorted self and of its indices",
    params=(
        SELF,
        Int("k", "Which, from 1 on."),
        DIM,
        Flag("keepdim", "Whether the dimension stays with length 1.", default=False),
        TensorOut("valuesOut", "Elements.", like="self", shape=_WITHOUT_DIM),
        indices_out("indicesOut", _WITHOUT_DIM),
    ),
    checks=(
        not_null("self", "valuesOut", "indicesOut"),
        DIM_IN_RANK,
        k_in_range(1),
        dtype_in("self", *NUMBERS, NEW_BF16, *NEW_WIDE),
        same_dtype("valuesOut", "self"),
        dtype_is("indicesOut", const(INT64), "dtype INT64"),
        rank_at_most("self", 8),
        done_when_empty("self"),
        SUPPORTED,
        inside_storage("self"),
        when(OLDER, inner(not_single_bf16(SELF_LENGTH, "dimension dim", of_scalars=True))),
        fits_shape("valuesOut", _WITHOUT_DIM, "of self without what is reduced"),
        fits_shape("indicesOut", _WITHOUT_DIM, "of self without what is reduced"),
    ),
    golden=_golden_kth,
    reference=_torch_kth,
    peer=lambda torch, self, **others: torch.kthvalue(self, *others.values()),
    draw=_draw_kth,
    typical=lambda n: _kth_call(TensorArg((n,)), (n + 1) // 2, -1, False),
    samples=(
        _kth_call(TensorArg((3, 4)), 2, 1, False),
        _kth_call(TensorArg((2, 3, 4), FLOAT16), 3, -2, True),
        _kth_call(TensorArg((4,), INT32), 4, 0, False),
        _kth_call(TensorArg(()), 1, 0, False),
    ),
    notes=(f"{ORDER_NOTE} torch may name another one of equal elements.",),
)

OPS = (_TOPK, _KTHVALUE)
