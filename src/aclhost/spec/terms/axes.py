# SPDX-License-Identifier: Apache-2.0
"""Terms about axes that an array names, and about parts of an axis."""

from __future__ import annotations

from dataclasses import dataclass

from aclhost.spec.call import Call
from aclhost.spec.terms.base import Term


@dataclass(frozen=True)
class AxesInRank(Term):
    """All values of an array are axes of a tensor, below 0 from the end; rank 0 counts as 1."""

    array: str
    parameter: str

    def evaluate(self, call: Call) -> int:
        rank = max(len(call.shape(self.parameter)), 1)
        return int(all(-rank <= axis < rank for axis in call.integers(self.array)))


@dataclass(frozen=True)
class DistinctAxes(Term):
    """No two values of an array are the same axis of a tensor; rank 0 counts as 1."""

    array: str
    parameter: str

    def evaluate(self, call: Call) -> int:
        rank = max(len(call.shape(self.parameter)), 1)
        axes = [axis + rank if axis < 0 else axis for axis in call.integers(self.array)]
        return int(len(set(axes)) == len(axes))


@dataclass(frozen=True)
class SliceLength(Term):
    """How many elements of an axis a slice takes; bounds below 0 count from the end."""

    length: Term
    start: Term
    end: Term
    step: Term  # none unless it is positive

    def evaluate(self, call: Call) -> int:
        return slice_length(
            self.length.evaluate(call),
            self.start.evaluate(call),
            self.end.evaluate(call),
            self.step.evaluate(call),
        )


def slice_length(length: int, start: int, end: int, step: int) -> int:
    """The same of numbers."""
    if step <= 0:
        return 0
    length = max(length, 0)
    start = min(max(start + length if start < 0 else start, 0), length)
    end = min(max(end + length if end < 0 else end, start), length)
    return -(-(end - start) // step)
