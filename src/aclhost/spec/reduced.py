# SPDX-License-Identifier: Apache-2.0
"""Shapes without some dimensions, and what can be said about arrays that name dimensions.

A tensor without dimensions counts as one with a single dimension where it is asked which ones it
has; names that it does not have are passed over.
"""

from __future__ import annotations

from dataclasses import dataclass

from aclhost.spec.call import Call
from aclhost.spec.shapes import Shape, ShapeTerm
from aclhost.spec.terms import Term


def axes_of(dims: tuple[int, ...], rank: int) -> list[int]:
    """The dimensions that are named, from 0 on."""
    rank = max(rank, 1)
    return [dim % rank for dim in dims if -rank <= dim < rank]


def _without(shape: Shape, axes: list[int], keep: int) -> Shape:
    if keep:
        return tuple(1 if axis in axes else length for axis, length in enumerate(shape))
    return tuple(length for axis, length in enumerate(shape) if axis not in axes)


@dataclass(frozen=True)
class Reduced(ShapeTerm):
    """A tensor's shape where the dimensions of an array are gone, or 1; an empty one names all."""

    parameter: str
    dims: str
    keep: Term

    def evaluate(self, call: Call) -> Shape:
        shape, dims = call.shape(self.parameter), call.integers(self.dims)
        axes = axes_of(dims, len(shape)) if dims else list(range(len(shape)))
        return _without(shape, axes, self.keep.evaluate(call))


@dataclass(frozen=True)
class ReducedAxis(ShapeTerm):
    """A tensor's shape where one dimension is gone, or 1."""

    parameter: str
    axis: Term
    keep: Term

    def evaluate(self, call: Call) -> Shape:
        shape = call.shape(self.parameter)
        axes = axes_of((self.axis.evaluate(call),), len(shape))
        return _without(shape, axes, self.keep.evaluate(call))


@dataclass(frozen=True)
class AxesPositive(Term):
    """The dimensions that an array names are above 0."""

    parameter: str
    dims: str

    def evaluate(self, call: Call) -> int:
        shape = call.shape(self.parameter)
        return int(
            all(shape[axis] > 0 for axis in axes_of(call.integers(self.dims), len(shape)) if shape)
        )
