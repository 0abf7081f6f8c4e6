# SPDX-License-Identifier: Apache-2.0
"""Terms that describe tensors, arrays and lists."""

from __future__ import annotations

from dataclasses import dataclass

from aclhost.spec import formats
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.terms.base import INT64_MAX, INT64_MIN, Term, saturated

MEMBER = "*"  # the name of a list's member inside EachMember


@dataclass(frozen=True)
class Present(Term):
    """The pointer is not null."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        return int(call.arguments[self.parameter] is not None)


@dataclass(frozen=True)
class FormatOf(Term):
    """The format label of a tensor."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        argument = call.first(self.parameter)
        return (argument.format if isinstance(argument, TensorArg) else formats.UNDEFINED).value


@dataclass(frozen=True)
class RankOf(Term):
    """The number of dimensions."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        return len(call.shape(self.parameter))


@dataclass(frozen=True)
class DimOf(Term):
    """The length of one dimension, negative ones counted from the end; 0 where there is none."""

    parameter: str
    axis: Term

    def evaluate(self, call: Call) -> int:
        shape, axis = call.shape(self.parameter), self.axis.evaluate(call)
        return shape[axis] if -len(shape) <= axis < len(shape) else 0


@dataclass(frozen=True)
class Elements(Term):
    """How many elements a tensor has, or as many as 64 bits can count."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        product = 1
        for length in call.shape(self.parameter):
            product = saturated(product * length)
        return product


@dataclass(frozen=True)
class ElementsFrom(Term):
    """The same from one axis on, negative ones counted from the end."""

    parameter: str
    axis: Term

    def evaluate(self, call: Call) -> int:
        shape, axis, product = call.shape(self.parameter), self.axis.evaluate(call), 1
        for length in shape[max(axis + len(shape) if axis < 0 else axis, 0) :]:
            product = saturated(product * length)
        return product


@dataclass(frozen=True)
class Empty(Term):
    """Some dimension is 0."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        return int(0 in call.shape(self.parameter))


@dataclass(frozen=True)
class Contiguous(Term):
    """Dense and row-major; so are private formats and what has at most one element."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        argument = call.first(self.parameter)
        return int(not isinstance(argument, TensorArg) or argument.contiguous)


@dataclass(frozen=True)
class InsideStorage(Term):
    """The view stays inside its storage; contiguous views are not looked at."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        argument = call.first(self.parameter)
        if not isinstance(argument, TensorArg) or argument.contiguous:
            return 1
        first, last = argument.reach()
        return int(first >= 0 and last < argument.storage_elements)


@dataclass(frozen=True)
class FormatFitsRank(Term):
    """A label that implies a rank stands on a tensor of that rank."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        argument = call.first(self.parameter)
        if not isinstance(argument, TensorArg):
            return 1
        return int(argument.format.rank in (None, len(argument.shape)))


@dataclass(frozen=True)
class PrivateFormat(Term):
    """The format is one of the device's own."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        argument = call.first(self.parameter)
        return int(isinstance(argument, TensorArg) and argument.format.private)


@dataclass(frozen=True)
class LengthOf(Term):
    """The number of values of an array, or of members of a list."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        argument = call.arguments[self.parameter]
        return len(argument) if isinstance(argument, tuple) else 0


@dataclass(frozen=True)
class ItemOf(Term):
    """One value of an array of integers; 0 where there is none."""

    parameter: str
    position: Term

    def evaluate(self, call: Call) -> int:
        values, position = call.integers(self.parameter), self.position.evaluate(call)
        return values[position] if 0 <= position < len(values) else 0


@dataclass(frozen=True)
class FlagAt(Term):
    """One value of an array of bools; false where there is none."""

    parameter: str
    position: int

    def evaluate(self, call: Call) -> int:
        values = call.arguments[self.parameter]
        return int(isinstance(values, tuple) and any(values[self.position : self.position + 1]))


@dataclass(frozen=True)
class LargestItem(Term):
    """The largest value of an array; 0 where none is larger."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        return max(0, *call.integers(self.parameter), 0)


@dataclass(frozen=True)
class SumOfItems(Term):
    """The values of an array added, as far as 64 bits reach."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        total = 0
        for value in call.integers(self.parameter):
            total = saturated(total + value)
        return total


@dataclass(frozen=True)
class EveryItem(Term):
    """All values of an array from a position on lie in a range."""

    parameter: str
    first: int = 0
    least: int = INT64_MIN
    most: int = INT64_MAX

    def evaluate(self, call: Call) -> int:
        values = call.integers(self.parameter)[self.first :]
        return int(all(self.least <= value <= self.most for value in values))


@dataclass(frozen=True)
class EveryDim(Term):
    """All dimensions from one on lie in a range."""

    parameter: str
    first: int = 0
    least: int = INT64_MIN
    most: int = INT64_MAX

    def evaluate(self, call: Call) -> int:
        lengths = call.shape(self.parameter)[self.first :]
        return int(all(self.least <= length <= self.most for length in lengths))


@dataclass(frozen=True)
class Position(Term):
    """Which member of a list is looked at or made."""

    def evaluate(self, call: Call) -> int:
        return call.position
