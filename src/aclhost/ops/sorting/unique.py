# SPDX-License-Identifier: Apache-2.0
"""Elements that occur, each once."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.selection import SIZED_NOTE
from aclhost.ops.sorting.build import NEW_BF16, NEWER, SELF, WIDE, drawn_self, is_sorted_by_torch
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Parameter, SizedTensorOut
from aclhost.spec.rules import (
    Step,
    done_when_empty,
    dtype_in,
    dtype_is,
    either,
    inner,
    inside_storage,
    is_set,
    not_null,
    rank_at_most,
    same_dtype,
    same_shape,
    supported_on,
    when,
)
from aclhost.spec.shapes import Lengths, ShapeOf
from aclhost.spec.terms import Elements, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any
REALS = (FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, *WIDE, BOOL)
SUPPORTED = supported_on(*NEWER)
RETURN_INVERSE = Flag("returnInverse", "Whether inverseOut is wanted.", default=False)
RETURN_COUNTS = Flag("returnCounts", "Whether countsOut is wanted.", default=False)
SIZES = (
    SIZED_NOTE,
    "A result that is not wanted gets the shape [0].",
    "Phase 2 returns 507015 where a result has not enough room; upstream does not look.",
)
NAN_NOTE = "NaN equals nothing, not even another NaN."
_ALL = Lengths((Elements("self"),))


def starts_of(different: Array) -> Array:
    """Whether items start a run, from whether they differ from those before them."""
    import numpy as np

    return np.concatenate(([True], different)) if len(different) else np.ones(1, bool)


def run_results(starts: Array, order: Array, inverse: bool, counts: bool) -> tuple[Array, Array]:
    """The run of each item as items were ordered, and lengths of runs; empty if unwanted."""
    import numpy as np

    places, nothing = np.flatnonzero(starts), np.zeros(0, np.int64)
    found = np.zeros(len(starts), np.int64)
    found[order] = np.cumsum(starts) - 1
    return found if inverse else nothing, (
        np.diff(np.append(places, len(starts))) if counts else nothing
    )


def _unique(self: Array, inverse: bool, counts: bool) -> tuple[Array, Array, Array]:
    import numpy as np

    flat = self.ravel()
    if not flat.size:
        return flat, np.zeros(self.shape, np.int64), np.zeros(0, np.int64)
    is_zero = flat == 0
    positive = np.where(is_zero, ~np.signbit(flat.astype(np.float64)), False)
    order = np.lexsort((positive, flat))
    values, kinds = flat[order], positive[order]
    starts = starts_of((values[1:] != values[:-1]) | (kinds[1:] != kinds[:-1]))
    places, lengths = run_results(starts, order, inverse, counts)
    return values[starts], places.reshape(self.shape) if inverse else places, lengths


def three_results(
    torch: Torch, function: Torch, self: Torch, inverse: bool, counts: bool, **dim: int
) -> Torch:
    """What torch gives for the flags; results that are not wanted are empty."""
    found = function(self, return_inverse=inverse, return_counts=counts, **dim)
    values, *more = found if inverse or counts else (found,)
    nothing = torch.zeros(0, dtype=torch.int64)
    return values, more[0] if inverse else nothing, more[-1] if counts else nothing


def _torch_unique(torch: Torch, self: Torch, inverse: bool, counts: bool) -> Torch:
    """Zeros of both signs are one element for torch."""
    zeros = self[self == 0].signbit()
    if not is_sorted_by_torch(self) or not self.numel() or (zeros.any() and not zeros.all()):
        return NotImplemented
    return three_results(torch, torch.unique, self, inverse, counts)


_WANTED = either(is_set("returnInverse"), is_set("returnCounts"))
_INVERSE = SizedTensorOut(
    "inverseOut", "Where each element of self is in valueOut.", shape=ShapeOf("self"),
    dtype=const(INT64),
)  # fmt: skip
_COUNTS = SizedTensorOut(
    "countsOut", "How often each element occurs.", shape=_ALL, dtype=const(INT64)
)


_VALUES = SizedTensorOut("valueOut", "Elements.", like="self", shape=_ALL)
_SORTED = Flag("sorted", "valueOut is sorted in either case.", default=True)


def _params(with_counts: bool) -> tuple[Parameter, ...]:
    first = (SELF, _SORTED, RETURN_INVERSE)
    if not with_counts:
        return (*first, _VALUES, _INVERSE)
    return (*first, RETURN_COUNTS, _VALUES, _INVERSE, _COUNTS)


def _checks(with_counts: bool) -> tuple[tuple[Step, ...], ...]:
    names = ("inverseOut", "countsOut") if with_counts else ("inverseOut",)
    wanted = _WANTED if with_counts else is_set("returnInverse")
    counts = when(is_set("returnCounts"), same_shape("countsOut", "valueOut"))
    return (
        not_null("self", "valueOut", *names),
        dtype_in("self", *REALS, NEW_BF16),
        *(dtype_is(name, const(INT64), "dtype INT64") for name in names),
        rank_at_most("self", 8),
        when(wanted, same_shape("inverseOut", "self")),
        counts if with_counts else (),
        done_when_empty("self"),
        SUPPORTED,
        inside_storage("self"),
        inner(same_dtype("valueOut", "self")),
    )


def _call(
    with_counts: bool, self: TensorArg, in_order: bool, inverse: bool, lengths: bool = False
) -> Call:
    call = Call({"self": self, "sorted": in_order, "returnInverse": inverse})
    room = _ALL.evaluate(call)
    if with_counts:
        call = call.passing(returnCounts=lengths)
    call = call.passing(
        valueOut=TensorArg(room, self.dtype), inverseOut=TensorArg(self.shape, INT64)
    )
    return call.passing(countsOut=TensorArg(room, INT64)) if with_counts else call


def _draw(rng: Random, with_counts: bool) -> Call:
    chances = [rng.random() < 0.5 for _ in range(3)]
    return _call(with_counts, drawn_self(rng, *REALS, BF16), *chances)


_SAMPLES = (
    (TensorArg((2, 3), FLOAT, (3, 1, 3, -2, 1, 1)), True, True, True),
    (TensorArg((4,), FLOAT16, (0.5, 0.5, 0.5, 0.5)), False, False, True),
    (TensorArg((3,), BOOL, (1, 0, 1)), True, False),
    (TensorArg((2, 1, 3), INT64, (5, -5, 5, 0, 0, 7)), False, True),
    (TensorArg((), DOUBLE, (2,)), True, True),
    (TensorArg((0, 3)), True, True),
)


def _of_all(name: str, summary: str, with_counts: bool) -> Operator:
    def golden(
        self: Array, sorted: bool, return_inverse: bool, return_counts: bool = False
    ) -> tuple[Array, ...]:
        del sorted
        found = _unique(self, return_inverse, return_counts)
        return found if with_counts else found[:2]

    def reference(
        torch: Torch, self: Torch, sorted: bool, return_inverse: bool, return_counts: bool = False
    ) -> Torch:
        del sorted
        found = _torch_unique(torch, self, return_inverse, return_counts)
        return found if found is NotImplemented or with_counts else found[:2]

    return Operator(
        name,
        summary=summary,
        formula="`valueOut[inverseOut] = self`, with valueOut in ascending order",
        params=_params(with_counts),
        checks=_checks(with_counts),
        golden=golden,
        reference=reference,
        draw=lambda rng: _draw(rng, with_counts),
        typical=lambda n: _call(with_counts, TensorArg((n,)), True, True, True),
        samples=tuple(_call(with_counts, *each) for each in _SAMPLES),
        notes=(
            *SIZES,
            f"{NAN_NOTE} -0 and 0 are two elements, as upstream's document says for Atlas A2 and "
            "A3; torch and Ascend 950 make one of them.",
            "valueOut must have the dtype of self; upstream does not look.",
        ),
    )


OPS = (
    _of_all("aclnnUnique", "The elements that occur, each once.", False),
    _of_all("aclnnUnique2", "The elements that occur, each once, and how often they do.", True),
)
