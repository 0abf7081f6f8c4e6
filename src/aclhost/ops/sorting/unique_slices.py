# SPDX-License-Identifier: Apache-2.0
"""Runs of equal elements or slices, and slices that occur, each once."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.sorting.build import (
    DIM_IN_RANK,
    NEW_BF16,
    SELF,
    SELF_LENGTH,
    drawn_dim,
    drawn_self,
    is_sorted_by_torch,
)
from aclhost.ops.sorting.unique import (
    NAN_NOTE,
    REALS,
    RETURN_COUNTS,
    RETURN_INVERSE,
    SIZES,
    SUPPORTED,
    run_results,
    starts_of,
    three_results,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT32,
    INT64,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Int, SizedTensorOut
from aclhost.spec.rules import (
    Condition,
    Step,
    done_when_empty,
    dtype_in,
    dtype_is,
    inside_storage,
    not_null,
    rank_at_most,
    same_dtype,
    when,
)
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.shapes import Lengths, ShapeIf, ShapeOf, ShapeTerm
from aclhost.spec.terms import Const, Elements, Equal, If, Not, ValueOf, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any
_NO_DIM = 1000
_IS_FLAT = Equal(ValueOf("dim"), Const(_NO_DIM))
_ALONG = Condition(Not(_IS_FLAT), f"dim is not {_NO_DIM}")


def _slices(self: Array, dim: int) -> Array:
    """One row for each slice."""
    import numpy as np

    rows = np.moveaxis(np.atleast_1d(self), dim, 0)
    return rows.reshape(rows.shape[0], -1)


def _slice_results(
    self: Array, dim: int, order: Array, inverse: bool, counts: bool
) -> tuple[Array, ...]:
    """Runs of equal slices, which come in an order."""
    import numpy as np

    rows = _slices(self, dim)[order]
    starts = starts_of((rows[1:] != rows[:-1]).any(-1))
    chosen = np.take(np.atleast_1d(self), order[starts], axis=dim)
    return chosen, *run_results(starts, order, inverse, counts)


def _runs(self: Array, return_inverse: bool, return_counts: bool, dim: int) -> tuple[Array, ...]:
    import numpy as np

    if not self.size:
        return self.ravel(), np.zeros(self.shape, np.int64), np.zeros(0, np.int64)
    if dim != _NO_DIM:
        length = np.atleast_1d(self).shape[dim]
        return _slice_results(self, dim, np.arange(length), return_inverse, return_counts)
    found = _slice_results(self.ravel(), 0, np.arange(self.size), return_inverse, return_counts)
    places = found[1].reshape(self.shape) if return_inverse else found[1]
    return found[0], places, found[2]


def _torch_runs(
    torch: Torch, self: Torch, return_inverse: bool, return_counts: bool, dim: int
) -> Torch:
    if self.is_complex() or not is_sorted_by_torch(self) or not self.shape or not self.numel():
        return NotImplemented
    along = {} if dim == _NO_DIM else {"dim": dim}
    return three_results(
        torch, torch.unique_consecutive, self, return_inverse, return_counts, **along
    )


def _outputs(
    values: ShapeTerm, inverse: ShapeTerm, counts: ShapeTerm
) -> tuple[SizedTensorOut, ...]:
    return (
        SizedTensorOut("valueOut", "The first of each run.", like="self", shape=values),
        SizedTensorOut(
            "inverseOut", "Where each one is in valueOut.", shape=inverse, dtype=const(INT64)
        ),
        SizedTensorOut("countsOut", "How many are equal.", shape=counts, dtype=const(INT64)),
    )


def _checks(*types: DataType | Limited, dim: tuple[Step, ...]) -> tuple[tuple[Step, ...], ...]:
    return (
        not_null("self", "valueOut", "inverseOut", "countsOut"),
        dtype_in("self", *types, NEW_BF16),
        dtype_is("inverseOut", const(INT64), "dtype INT64"),
        dtype_is("countsOut", const(INT64), "dtype INT64"),
        same_dtype("valueOut", "self"),
        rank_at_most("self", 8),
        dim,
        done_when_empty("self"),
        SUPPORTED,
        inside_storage("self"),
    )


def _with_room(call: Call, outputs: tuple[SizedTensorOut, ...]) -> Call:
    own = call.tensor("self").dtype
    types = (own, INT64, INT64)
    made = {
        output.name: TensorArg(output.shape_term.evaluate(call), dtype)
        for output, dtype in zip(outputs, types, strict=True)
    }
    return call.passing(**made)


_FLAT_OUTPUTS = _outputs(
    ShapeIf(_IS_FLAT, Lengths((Elements("self"),)), ShapeOf("self")),
    ShapeIf(_IS_FLAT, ShapeOf("self"), Lengths((SELF_LENGTH,))),
    Lengths((If(_IS_FLAT, Elements("self"), SELF_LENGTH),)),
)


def _runs_call(self: TensorArg, inverse: bool, counts: bool, dim: int = _NO_DIM) -> Call:
    call = Call({"self": self, "returnInverse": inverse, "returnCounts": counts, "dim": dim})
    return _with_room(call, _FLAT_OUTPUTS)


def _draw_runs(rng: Random) -> Call:
    self = drawn_self(rng, *REALS, BF16, COMPLEX64, COMPLEX128, empty=False)
    dim = drawn_dim(rng, self) if self.shape and rng.random() < 0.5 else _NO_DIM
    return _runs_call(self, rng.random() < 0.5, rng.random() < 0.5, dim)


_CONSECUTIVE = Operator(
    "aclnnUniqueConsecutive",
    summary="Leaves one of several equal elements or slices that follow each other.",
    formula="`valueOut` is self without elements that equal the one before them",
    params=(
        SELF,
        RETURN_INVERSE,
        RETURN_COUNTS,
        Int(
            "dim",
            f"Dimension whose slices are compared; {_NO_DIM}: all elements one by one.",
            default=_NO_DIM,
        ),
        *_FLAT_OUTPUTS,
    ),
    checks=_checks(*REALS, COMPLEX64, COMPLEX128, dim=when(_ALONG, DIM_IN_RANK)),
    golden=_runs,
    reference=_torch_runs,
    draw=_draw_runs,
    typical=lambda n: _runs_call(TensorArg((n,), INT64, span=(0, 4)), False, False),
    samples=(
        _runs_call(TensorArg((2, 3), FLOAT, (1, 1, 2, 2, 2, 1)), True, True),
        _runs_call(TensorArg((3, 2), FLOAT16, (1, 2, 1, 2, 3, 4)), True, True, 0),
        _runs_call(TensorArg((2, 2, 2), BOOL, (1, 1, 0, 0, 1, 1, 0, 0)), False, True, -1),
        _runs_call(TensorArg((4,), COMPLEX64), True, False),
        _runs_call(TensorArg((), DOUBLE), True, True),
        _runs_call(TensorArg((0, 2)), True, True),
    ),
    notes=(
        *SIZES,
        f"{NAN_NOTE} Zeros of both signs are equal.",
        "Documented for Ascend 950 and enforced by nobody: self is neither DOUBLE nor BOOL nor "
        f"complex, returnInverse is false, dim is {_NO_DIM}.",
    ),
)

_SLICE_OUTPUTS = _outputs(ShapeOf("self"), Lengths((SELF_LENGTH,)), Lengths((SELF_LENGTH,)))


def _unique_slices(self: Array, sorted: bool, return_inverse: bool, dim: int) -> tuple[Array, ...]:
    import numpy as np

    del sorted
    if not self.size:
        return self, np.zeros(0, np.int64), np.zeros(0, np.int64)
    order = np.lexsort(_slices(self, dim).T[::-1])
    return _slice_results(self, dim, order, return_inverse, True)


def _torch_slices(torch: Torch, self: Torch, sorted: bool, return_inverse: bool, dim: int) -> Torch:
    del sorted
    if not is_sorted_by_torch(self) or not self.shape or not self.numel():
        return NotImplemented
    return three_results(torch, torch.unique, self, return_inverse, True, dim=dim)


def _slices_call(self: TensorArg, in_order: bool, inverse: bool, dim: int) -> Call:
    call = Call({"self": self, "sorted": in_order, "returnInverse": inverse, "dim": dim})
    return _with_room(call, _SLICE_OUTPUTS)


def _draw_slices(rng: Random) -> Call:
    self = drawn_self(rng, *REALS, BF16, empty=False)
    return _slices_call(self, rng.random() < 0.5, rng.random() < 0.5, drawn_dim(rng, self))


_UNIQUE_DIM = Operator(
    "aclnnUniqueDim",
    summary="The slices along a dimension that occur, each once, and how often they do.",
    formula="`valueOut` holds the slices of self along dim in ascending order, each once",
    params=(
        SELF,
        Flag("sorted", "valueOut is sorted in either case.", default=True),
        RETURN_INVERSE,
        Int("dim", "Dimension whose slices are compared.", default=0),
        *_SLICE_OUTPUTS,
    ),
    checks=_checks(*REALS, dim=DIM_IN_RANK),
    golden=_unique_slices,
    reference=_torch_slices,
    draw=_draw_slices,
    typical=lambda n: _slices_call(TensorArg((n // 8 or 1, 8), INT32, span=(0, 3)), True, True, 0),
    samples=(
        _slices_call(TensorArg((3, 2), FLOAT, (3, 4, 1, 2, 3, 4)), True, True, 0),
        _slices_call(TensorArg((2, 3), FLOAT16, (5, 1, 5, 6, 2, 6)), True, False, -1),
        _slices_call(TensorArg((2, 2, 2), INT32, (1, 1, 0, 0, 1, 1, 0, 0)), False, True, 1),
        _slices_call(TensorArg((), DOUBLE), True, True, 0),
        _slices_call(TensorArg((0, 2)), True, True, 0),
    ),
    notes=(*SIZES, "A slice with a NaN equals no other one. Zeros of both signs are equal."),
)

OPS = (_CONSECUTIVE, _UNIQUE_DIM)
