# SPDX-License-Identifier: Apache-2.0
"""Shapes of matrix products, and what can be said about their factors.

The native half is `native/operator/matrix_terms.cc`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.shapes import Shape, ShapeTerm, broadcast
from aclhost.spec.terms import Term


@dataclass(frozen=True)
class ProductShape(ShapeTerm):
    """Batches that broadcast, rows of the first and columns of the second.

    A factor of one dimension is a row, as second one a column, and leaves no dimension.
    """

    first: str
    second: str

    def evaluate(self, call: Call) -> Shape:
        first, second = call.shape(self.first), call.shape(self.second)
        rows, columns = first[-2:-1], second[-1:] if len(second) > 1 else ()
        return (*broadcast([first[:-2], second[:-2]])[0], *rows, *columns)


@dataclass(frozen=True)
class BatchesFit(Term):
    """All but the last two dimensions of two tensors broadcast with each other."""

    first: str
    second: str

    def evaluate(self, call: Call) -> int:
        return int(broadcast([call.shape(self.first)[:-2], call.shape(self.second)[:-2]])[1])


@dataclass(frozen=True)
class BroadcastOf(ShapeTerm):
    """What two shapes broadcast to; of lengths that do not fit, the first that is not 1."""

    first: ShapeTerm
    second: ShapeTerm

    def evaluate(self, call: Call) -> Shape:
        return broadcast([self.first.evaluate(call), self.second.evaluate(call)])[0]


@dataclass(frozen=True)
class ShapesBroadcast(Term):
    """Two shapes broadcast with each other."""

    first: ShapeTerm
    second: ShapeTerm

    def evaluate(self, call: Call) -> int:
        return int(broadcast([self.first.evaluate(call), self.second.evaluate(call)])[1])


@dataclass(frozen=True)
class DenseTransposed(Term):
    """Dense once its last two dimensions are exchanged."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        argument = call.first(self.parameter)
        if not isinstance(argument, TensorArg) or len(argument.shape) < 2:
            return 0
        shape, strides = argument.shape, argument.element_strides
        return int(
            replace(
                argument,
                shape=(*shape[:-2], shape[-1], shape[-2]),
                strides=(*strides[:-2], strides[-1], strides[-2]),
            ).contiguous
        )


@dataclass(frozen=True)
class EquationIs(Term):
    """A text is one of a few, once its letters are named a, b, c as they first appear."""

    parameter: str
    words: tuple[str, ...]

    def evaluate(self, call: Call) -> int:
        text = call.arguments[self.parameter]
        return int(isinstance(text, str) and renamed(text) in self.words)


def renamed(equation: str) -> str:
    """The equation with letters in the order of the alphabet."""
    names: dict[str, str] = {}
    for letter in equation:
        if letter.isascii() and letter.isalpha():
            names.setdefault(letter, chr(ord("a") + len(names)))
    return "".join(names.get(letter, letter) for letter in equation)
