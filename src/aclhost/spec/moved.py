# SPDX-License-Identifier: Apache-2.0
"""Shapes of tensors whose elements are merely moved: joined, cut, repeated, reordered.

Terms like those of `aclhost.spec.shapes`, with `native/operator/moved_terms.cc` as their other
half.
"""

from __future__ import annotations

from dataclasses import dataclass

from aclhost.spec.call import Call
from aclhost.spec.shapes import Shape, ShapeTerm
from aclhost.spec.terms import MEMBER, Term, first_call, saturated, slice_length


@dataclass(frozen=True)
class ShapeOfFirst(ShapeTerm):
    """The shape of the first member for which something holds, else of the first member."""

    parameter: str
    which: Term

    def evaluate(self, call: Call) -> Shape:
        return first_call(call, self.parameter, self.which).shape(MEMBER)


@dataclass(frozen=True)
class WithAxis(ShapeTerm):
    """A shape with another length along an axis, where there is such an axis."""

    shape: ShapeTerm
    axis: Term
    length: Term

    def evaluate(self, call: Call) -> Shape:
        shape, axis = list(self.shape.evaluate(call)), self.axis.evaluate(call)
        if -len(shape) <= axis < len(shape):
            shape[axis] = self.length.evaluate(call)
        return tuple(shape)


@dataclass(frozen=True)
class Sliced(ShapeTerm):
    """A tensor's shape after the slices that four arrays describe."""

    parameter: str
    starts: str
    ends: str
    axes: str
    steps: str

    def evaluate(self, call: Call) -> Shape:
        whole = call.shape(self.parameter)
        shape = list(whole)
        arrays = (call.integers(name) for name in (self.starts, self.ends, self.axes, self.steps))
        for start, end, axis, step in zip(*arrays, strict=False):
            if -len(shape) <= axis < len(shape):
                shape[axis] = slice_length(whole[axis], start, end, step)
        return tuple(shape)


@dataclass(frozen=True)
class Permuted(ShapeTerm):
    """A tensor's lengths in the order of an array's axes; 0 where there is no such axis."""

    parameter: str
    array: str

    def evaluate(self, call: Call) -> Shape:
        shape = call.shape(self.parameter)
        axes = call.integers(self.array)[:25]
        return tuple(shape[i] if -len(shape) <= i < len(shape) else 0 for i in axes)


@dataclass(frozen=True)
class Tiled(ShapeTerm):
    """A tensor's lengths times an array's values, aligned at the right."""

    parameter: str
    array: str

    def evaluate(self, call: Call) -> Shape:
        shape, repeats = call.shape(self.parameter), call.integers(self.array)[:25]
        rank = max(len(shape), len(repeats))
        shape = (*(1,) * (rank - len(shape)), *shape)
        repeats = (*(1,) * (rank - len(repeats)), *repeats)
        return tuple(saturated(a * b) for a, b in zip(shape, repeats, strict=True))


@dataclass(frozen=True)
class Flattened(ShapeTerm):
    """Two lengths: elements before an axis, and from it on."""

    parameter: str
    axis: Term

    def evaluate(self, call: Call) -> Shape:
        shape, axis = call.shape(self.parameter), self.axis.evaluate(call)
        place = max(min(axis + len(shape) if axis < 0 else axis, len(shape)), 0)
        counts = [1, 1]
        for position, length in enumerate(shape):
            counts[position >= place] = saturated(counts[position >= place] * length)
        return tuple(counts)


@dataclass(frozen=True)
class DiagonalShape(ShapeTerm):
    """A matrix that holds a tensor's elements in a diagonal; of a matrix, the diagonal's length."""

    parameter: str
    diagonal: Term
    always_matrix: int = 0  # whatever the rank is

    def evaluate(self, call: Call) -> Shape:
        shape, diagonal = call.shape(self.parameter), self.diagonal.evaluate(call)
        if len(shape) != 2 or self.always_matrix:
            count = 1
            for length in shape:
                count = saturated(count * length)
            return (saturated(count + abs(diagonal)),) * 2
        rows, columns = shape
        return (max(min(rows + min(diagonal, 0), columns - max(diagonal, 0)), 0),)
