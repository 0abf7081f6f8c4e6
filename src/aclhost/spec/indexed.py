# SPDX-License-Identifier: Apache-2.0
"""What lists of indices select, and whether they fit a tensor.

The members point into the first axes of a tensor, one member for each axis; a mask stands for as
many axes as it has dimensions. A member without elements leaves its axis alone. The members
broadcast to one shape, which takes the place of their axes, or comes first where these are not
neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BOOL
from aclhost.spec.shapes import Shape, ShapeTerm, broadcast
from aclhost.spec.terms import Term, saturated

_MOST = 25  # dimensions


def _members(call: Call, parameter: str) -> Iterator[tuple[int, TensorArg]]:
    """Those with elements, and the first of the axes that they stand for."""
    members, axis = call.arguments[parameter], 0
    for member in members if isinstance(members, tuple) else ():
        if not isinstance(member, TensorArg) or 0 in member.shape:
            axis += 1
            continue
        yield axis, member
        axis += len(member.shape) if member.dtype is BOOL else 1


def _selected(member: TensorArg) -> Shape:
    """The shape of an index; of a mask, as if all of it were true."""
    if member.dtype is not BOOL:
        return member.shape
    count = 1
    for length in member.shape:
        count = saturated(count * length)
    return (count,)


@dataclass(frozen=True)
class Indexed(ShapeTerm):
    """The shape of what a list of indices selects; masks select everything."""

    parameter: str
    indices: str

    def evaluate(self, call: Call) -> Shape:
        shape, members = call.shape(self.parameter), list(_members(call, self.indices))
        joint: Shape = ()
        taken: list[int] = []
        for axis, member in members:
            joint = broadcast([joint, _selected(member)])[0]
            count = len(member.shape) if member.dtype is BOOL else 1
            taken += range(min(axis, len(shape)), min(axis + count, len(shape)))
        if not taken:
            return shape
        place = taken[0] if taken[-1] - taken[0] == len(taken) - 1 else 0
        others = [length for axis, length in enumerate(shape) if axis not in taken]
        return (*others[:place], *joint, *others[place:])[:_MOST]


@dataclass(frozen=True)
class IndicesFit(Term):
    """There are axes for all members, masks are as long as theirs, and the others broadcast."""

    parameter: str
    indices: str

    def evaluate(self, call: Call) -> int:
        shape = call.shape(self.parameter)
        joint: Shape = ()
        for axis, member in _members(call, self.indices):
            if member.dtype is BOOL:
                if shape[axis : axis + len(member.shape)] != member.shape:
                    return 0
                continue
            joint, fits = broadcast([joint, member.shape])
            if axis >= len(shape) or not fits:
                return 0
        return 1


@dataclass(frozen=True)
class MasksFit(Term):
    """If there is a mask, all members with elements are as long as the axes from theirs on.

    As upstream counts: each of them stands for as many axes as it has dimensions.
    """

    parameter: str
    indices: str

    def evaluate(self, call: Call) -> int:
        members, shape = call.arguments[self.indices], call.shape(self.parameter)
        if not any(member.dtype is BOOL for _, member in _members(call, self.indices)):
            return 1
        axis = 0
        for member in members if isinstance(members, tuple) else ():
            if not isinstance(member, TensorArg) or 0 in member.shape:
                axis += 1
                continue
            if shape[axis : axis + len(member.shape)] != member.shape:
                return 0
            axis += len(member.shape)
        return 1


@dataclass(frozen=True)
class SelectedByRows(ShapeTerm):
    """The shape of what rows of an index select, each of which points into the first axes."""

    parameter: str
    index: str

    def evaluate(self, call: Call) -> Shape:
        shape, index = call.shape(self.parameter), call.shape(self.index)
        count = min(max(index[-1], 0), len(shape)) if index else 0
        return (*index[:-1], *shape[count:])[:_MOST]


@dataclass(frozen=True)
class BroadcastsTo(Term):
    """A tensor broadcasts to a shape."""

    parameter: str
    shape: ShapeTerm

    def evaluate(self, call: Call) -> int:
        shape = self.shape.evaluate(call)
        return int(broadcast([shape, call.shape(self.parameter)]) == (shape, True))


@dataclass(frozen=True)
class PlacesFit(Term):
    """All values of an array name places of an axis that is so long, below 0 from its end."""

    array: str
    length: Term

    def evaluate(self, call: Call) -> int:
        length = self.length.evaluate(call)
        return int(all(-length <= place < length for place in call.integers(self.array)))
