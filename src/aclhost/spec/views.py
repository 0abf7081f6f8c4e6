# SPDX-License-Identifier: Apache-2.0
"""Elements of a tensor that a point-wise function takes as an operand of its own.

Terms like those of `aclhost.spec.shapes`, with `native/engines/view_terms.cc` as their other half.
Whoever asks for one has checked the call; otherwise a view may be the whole tensor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aclhost.spec.call import Call
from aclhost.spec.terms import Const, If, Term

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NO = Const(0)


@dataclass(frozen=True)
class ViewTerm:
    """A view of a tensor."""

    parameter: str

    def of(self, call: Call, array: Array) -> Array:
        """The view of the tensor's elements."""
        raise NotImplementedError


@dataclass(frozen=True)
class PartOf(ViewTerm):
    """One of some equal parts along a dimension: one after another, or taking turns."""

    dim: Term
    index: Term
    count: int = 2
    alternating: Term = _NO

    def of(self, call: Call, array: Array) -> Array:
        dim, index = self.dim.evaluate(call), self.index.evaluate(call)
        if not -array.ndim <= dim < array.ndim:
            return array
        length = array.shape[dim] // self.count
        if self.alternating.evaluate(call):
            which = slice(index, index + length * self.count, self.count)
        else:
            which = slice(index * length, (index + 1) * length)
        return array[(*(slice(None),) * (dim % array.ndim), which)]


@dataclass(frozen=True)
class AlongChannels(ViewTerm):
    """A number for each channel, dimension 1 of another tensor; or one for all."""

    like: str

    def of(self, call: Call, array: Array) -> Array:
        rank = len(call.shape(self.like))
        if array.size == 1 or rank < 2:
            return array.reshape(-1)[0, ...]
        return array.reshape(-1, *(1,) * (rank - 2))


@dataclass(frozen=True)
class AsColumn(ViewTerm):
    """The tensor with one more dimension at the end."""

    def of(self, call: Call, array: Array) -> Array:
        return array[..., None]


Views = tuple[tuple[str, ViewTerm], ...]  # by the names that a function gives them


def halves(
    parameter: str, dim: Term, *names: str, first: Term = _NO, alternating: Term = _NO
) -> Views:
    """Two names for the halves of a tensor; `first` tells where the first name's is."""
    places = (first, If(first, Const(0), Const(1)))
    return tuple(
        (name, PartOf(parameter, dim, place, alternating=alternating))
        for name, place in zip(names, places, strict=True)
    )
