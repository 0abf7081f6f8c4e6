# SPDX-License-Identifier: Apache-2.0
"""Shapes that follow from arguments, and what can be said about shapes.

Terms like those of `aclhost.spec.terms`, with `native/operator/shapes.cc` as their other half. The
same term is a check and the shape of a new result, so each gives a shape for every call.
"""

from __future__ import annotations

from dataclasses import dataclass

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.terms import Term, saturated

Shape = tuple[int, ...]


@dataclass(frozen=True)
class ShapeTerm:
    """A shape that follows from a call."""

    def evaluate(self, call: Call) -> Shape:
        """The shape for this call."""
        raise NotImplementedError


@dataclass(frozen=True)
class ShapeOf(ShapeTerm):
    """The shape of a tensor."""

    parameter: str

    def evaluate(self, call: Call) -> Shape:
        return call.shape(self.parameter)


@dataclass(frozen=True)
class ShapeOfMember(ShapeTerm):
    """The shape of a list's member; none where there is no such member."""

    parameter: str
    position: Term

    def evaluate(self, call: Call) -> Shape:
        members, position = call.arguments[self.parameter], self.position.evaluate(call)
        if not isinstance(members, tuple) or not 0 <= position < len(members):
            return ()
        member = members[position]
        return member.shape if isinstance(member, TensorArg) else ()


@dataclass(frozen=True)
class Rank0(ShapeTerm):
    """The shape of a single element."""

    def evaluate(self, call: Call) -> Shape:
        return ()


@dataclass(frozen=True)
class ArrayShape(ShapeTerm):
    """The values of an array as lengths."""

    parameter: str

    def evaluate(self, call: Call) -> Shape:
        return call.integers(self.parameter)


@dataclass(frozen=True)
class Lengths(ShapeTerm):
    """Dimensions one by one."""

    terms: tuple[Term, ...]

    def evaluate(self, call: Call) -> Shape:
        return tuple(term.evaluate(call) for term in self.terms)


@dataclass(frozen=True)
class Inserted(ShapeTerm):
    """A tensor's shape with one more length before an axis; at the end where there is no such."""

    parameter: str
    axis: Term
    length: Term

    def evaluate(self, call: Call) -> Shape:
        shape, axis = call.shape(self.parameter), self.axis.evaluate(call)
        place = axis if 0 <= axis <= len(shape) else len(shape)
        return (*shape[:place], self.length.evaluate(call), *shape[place:])


@dataclass(frozen=True)
class Padded(ShapeTerm):
    """A tensor's shape with the pairs of an array added, the first to the last dimension."""

    parameter: str
    array: str

    def evaluate(self, call: Call) -> Shape:
        shape = list(call.shape(self.parameter))
        for axis, (before, after) in _pairs(call, self.array, len(shape)):
            shape[axis] = saturated(shape[axis] + before + after)
        return tuple(shape)


def _pairs(call: Call, array: str, rank: int) -> list[tuple[int, tuple[int, int]]]:
    """Dimensions from the last one on, and the pairs of the array that belong to them."""
    values = call.integers(array)
    count = min(len(values) // 2, rank)
    return [(rank - 1 - i, (values[2 * i], values[2 * i + 1])) for i in range(count)]


@dataclass(frozen=True)
class AxisDivided(ShapeTerm):
    """A tensor's shape with the length of one axis divided, where there is such an axis."""

    parameter: str
    axis: Term
    by: int

    def evaluate(self, call: Call) -> Shape:
        shape, axis = list(call.shape(self.parameter)), self.axis.evaluate(call)
        if -len(shape) <= axis < len(shape):
            shape[axis] //= self.by
        return tuple(shape)


@dataclass(frozen=True)
class Gathered(ShapeTerm):
    """A tensor's shape with that of an index in place of an axis; a single element stays one."""

    parameter: str
    axis: Term
    index: str
    one_at_least: bool = True  # an index without dimensions counts as one of length 1

    def evaluate(self, call: Call) -> Shape:
        shape, index, axis = (
            call.shape(self.parameter), call.shape(self.index), self.axis.evaluate(call)
        )  # fmt: skip
        axis += len(shape) if axis < 0 else 0
        if not 0 <= axis < len(shape):
            return shape
        if not index and self.one_at_least:
            index = (1,)
        return (*shape[:axis], *index, *shape[axis + 1 :])


@dataclass(frozen=True)
class WithLast(ShapeTerm):
    """A tensor's shape with other last lengths, but for some at the end; a short one stays."""

    parameter: str
    kept: int  # at the end
    terms: tuple[Term, ...]

    def evaluate(self, call: Call) -> Shape:
        shape = call.shape(self.parameter)
        first = len(shape) - self.kept - len(self.terms)
        if first < 0:
            return shape
        lengths = (term.evaluate(call) for term in self.terms)
        return (*shape[:first], *lengths, *shape[len(shape) - self.kept :])


@dataclass(frozen=True)
class LastDims(ShapeTerm):
    """So many last dimensions of a tensor; all if it has fewer."""

    parameter: str
    count: Term

    def evaluate(self, call: Call) -> Shape:
        shape, count = call.shape(self.parameter), self.count.evaluate(call)
        return shape[max(len(shape) - count, 0) :]


@dataclass(frozen=True)
class LastReduced(ShapeTerm):
    """A tensor's shape with length 1 for so many last dimensions; all if it has fewer."""

    parameter: str
    count: Term

    def evaluate(self, call: Call) -> Shape:
        shape, count = call.shape(self.parameter), self.count.evaluate(call)
        kept = min(max(len(shape) - count, 0), len(shape))
        return (*shape[:kept], *(1,) * (len(shape) - kept))


@dataclass(frozen=True)
class Broadcast(ShapeTerm):
    """What tensors broadcast to; of lengths that do not fit, the first that is not 1."""

    parameters: tuple[str, ...]

    def evaluate(self, call: Call) -> Shape:
        return broadcast([call.shape(name) for name in self.parameters])[0]


@dataclass(frozen=True)
class WithoutFirst(ShapeTerm):
    """A shape without its first dimension, where it has one."""

    shape: ShapeTerm

    def evaluate(self, call: Call) -> Shape:
        return self.shape.evaluate(call)[1:]


@dataclass(frozen=True)
class WithoutLast(ShapeTerm):
    """A shape without its last dimension, where it has one."""

    shape: ShapeTerm

    def evaluate(self, call: Call) -> Shape:
        return self.shape.evaluate(call)[:-1]


@dataclass(frozen=True)
class ShapeIf(ShapeTerm):
    """One of two shapes, by a condition."""

    condition: Term
    then: ShapeTerm
    otherwise: ShapeTerm

    def evaluate(self, call: Call) -> Shape:
        return (self.then if self.condition.evaluate(call) else self.otherwise).evaluate(call)


@dataclass(frozen=True)
class SameShape(Term):
    """Two shapes are equal."""

    first: ShapeTerm
    second: ShapeTerm

    def evaluate(self, call: Call) -> int:
        return int(self.first.evaluate(call) == self.second.evaluate(call))


@dataclass(frozen=True)
class FitsShape(Term):
    """Two shapes are equal, or both are of one element."""

    first: ShapeTerm
    second: ShapeTerm

    def evaluate(self, call: Call) -> int:
        first, second = self.first.evaluate(call), self.second.evaluate(call)
        return int(first == second or {*first, *second} <= {1})


@dataclass(frozen=True)
class LengthsFit(Term):
    """Of dimensions that two tensors have, the first's are at most the second's.

    One axis of the second is left out, negative ones counted from its end.
    """

    first: str
    second: str
    axis: Term

    def evaluate(self, call: Call) -> int:
        first, second, axis = (
            call.shape(self.first), call.shape(self.second), self.axis.evaluate(call)
        )  # fmt: skip
        axis += len(second) if axis < 0 else 0
        pairs = enumerate(zip(first, second, strict=False))
        return int(all(i == axis or a <= b for i, (a, b) in pairs))


@dataclass(frozen=True)
class PadsFit(Term):
    """No dimension is shorter than what the negative values of an array's pairs take away."""

    parameter: str
    array: str

    def evaluate(self, call: Call) -> int:
        shape = call.shape(self.parameter)
        pairs = _pairs(call, self.array, len(shape))
        return int(all(shape[axis] + min(*pair, sum(pair)) >= 0 for axis, pair in pairs))


@dataclass(frozen=True)
class PaddedPositive(Term):
    """The dimensions that the pairs of an array belong to are above 0."""

    parameter: str
    array: str

    def evaluate(self, call: Call) -> int:
        shape = call.shape(self.parameter)
        return int(all(shape[axis] > 0 for axis, _ in _pairs(call, self.array, len(shape))))


@dataclass(frozen=True)
class SameCount(Term):
    """Two shapes have equally many elements, as far as 64 bits count."""

    first: ShapeTerm
    second: ShapeTerm

    def evaluate(self, call: Call) -> int:
        counts = [1, 1]
        for i, term in enumerate((self.first, self.second)):
            for length in term.evaluate(call):
                counts[i] = saturated(counts[i] * length)
        return int(counts[0] == counts[1])


@dataclass(frozen=True)
class ElementsOf(Term):
    """How many elements a shape has, or as many as 64 bits can count."""

    shape: ShapeTerm

    def evaluate(self, call: Call) -> int:
        product = 1
        for length in self.shape.evaluate(call):
            product = saturated(product * length)
        return product


@dataclass(frozen=True)
class FirstLength(Term):
    """The first length of a shape; 1 where there is none."""

    shape: ShapeTerm

    def evaluate(self, call: Call) -> int:
        return (*self.shape.evaluate(call), 1)[0]


@dataclass(frozen=True)
class Broadcastable(Term):
    """Tensors broadcast with each other."""

    parameters: tuple[str, ...]

    def evaluate(self, call: Call) -> int:
        return int(broadcast([call.shape(name) for name in self.parameters])[1])


def broadcast(shapes: list[Shape]) -> tuple[Shape, bool]:
    """The common shape, aligned at the right, and whether all lengths fit."""
    rank, fits = max(map(len, shapes)), True
    result = [1] * rank
    for shape in shapes:
        for axis, length in enumerate(shape, rank - len(shape)):
            if result[axis] == 1:
                result[axis] = length
            elif length not in (1, result[axis]):
                fits = False
    return tuple(result), fits
