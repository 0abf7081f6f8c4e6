# SPDX-License-Identifier: Apache-2.0
"""The expression that a point-wise operator is: a graph of operations on elements and numbers.

Equal expressions are one object, so what is computed twice stands in the graph once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import product
from typing import Any, TypeAlias

from aclhost.spec.dtypes import Category, DataType

Plain: TypeAlias = bool | int | float | complex
Element: TypeAlias = Any  # of a tensor: a symbol, a number, or an array of numbers


class Domain(IntEnum):
    """What kind of number a value is; of two that meet, the greater wins."""

    BOOL = 0
    UNSIGNED = 1
    INTEGER = 2
    REAL = 3
    COMPLEX = 4


_DOMAINS = {
    Category.FLOATING: Domain.REAL,
    Category.COMPLEX: Domain.COMPLEX,
    Category.BOOL: Domain.BOOL,
}


def domain_of(dtype: DataType) -> Domain:
    """The domain of a dtype's values."""
    if dtype.category is Category.INTEGER:
        return Domain.UNSIGNED if dtype.name.startswith("U") else Domain.INTEGER
    return _DOMAINS[dtype.category]


@dataclass(frozen=True)
class Kind:
    """A domain, and a dtype where that is not the one the operator computes in."""

    domain: Domain
    dtype: DataType | None = None


@dataclass(frozen=True)
class Operation:
    """A step of a computation, as C++, NumPy and a reader spell it.

    `cpp` and `formula` are names of functions, or texts with an operator between {0} and {1}.
    """

    name: str
    cpp: str
    numpy: str  # in aclhost.spec.numpy_functions, else in NumPy
    formula: str
    result: str = "same"  # same, float, bool, part, complex, select: see aclhost.spec.trace
    on: str = "uirc"  # domains by their first letters
    precedence: int = 13  # in Python; the highest for functions
    integer_cpp: str = ""  # where integers need another spelling
    of_bools: Operation | None = None  # what it means for BOOL
    of_bits: bool = False  # of real numbers it looks at single bits only
    brief: bool = True  # of real numbers it takes no longer than a few conversions
    half_cpp: str = ""  # a brief function that is exact enough for 16-bit floats


@dataclass(frozen=True, eq=False)
class Expression:
    """A node of the graph."""

    kind: Kind


@dataclass(frozen=True, eq=False)
class Input(Expression):
    """An element of a tensor."""

    name: str
    position: int


@dataclass(frozen=True, eq=False)
class Number(Expression):
    """A scalar or an attribute of the operator."""

    name: str
    position: int


@dataclass(frozen=True, eq=False)
class Constant(Expression):
    """A number that the declaration wrote."""

    value: Plain


@dataclass(frozen=True, eq=False)
class Convert(Expression):
    """A value in another kind; the formula does not show it unless it was asked for."""

    value: Expression
    shown: bool


@dataclass(frozen=True, eq=False)
class Call(Expression):
    """An operation on values."""

    operation: Operation
    arguments: tuple[Expression, ...]


@cache
def _constant(kind: Kind, text: str, value: Plain) -> Constant:
    return Constant(kind, value)


def constant(value: Plain, kind: Kind) -> Constant:
    """A constant; the text tells -0.0 from 0.0 and 1 from True."""
    return _constant(kind, repr(value), value)


@cache
def call(operation: Operation, kind: Kind, *arguments: Expression) -> Call:
    """An operation on values that have the right kinds."""
    return Call(kind, operation, arguments)


@cache
def _convert(value: Expression, kind: Kind, shown: bool) -> Convert:
    return Convert(kind, value, shown)


def convert(value: Expression, kind: Kind, shown: bool = False) -> Expression:
    """The value in this kind."""
    if value.kind == kind:
        return value
    if isinstance(value, Constant) and not shown:
        return constant(value.value, kind)
    return _convert(value, kind, shown)


def parts(expression: Expression) -> tuple[Expression, ...]:
    """What an expression is made of directly."""
    if isinstance(expression, Call):
        return expression.arguments
    return (expression.value,) if isinstance(expression, Convert) else ()


def summands(expression: Expression) -> tuple[Expression, ...]:
    """The terms of a sum, of a product or quotient of sums, or of those it chooses from."""
    if not isinstance(expression, Call):
        return (expression,)
    operation, arguments = expression.operation, expression.arguments
    if operation.name in ("add", "subtract"):
        return tuple(term for part in arguments for term in summands(part))
    if operation.name == "where":
        return tuple(term for part in arguments[1:] for term in summands(part))
    if operation.name == "multiply":
        factors = product(*map(summands, arguments))
        return tuple(call(operation, expression.kind, *each) for each in factors)
    if operation.name in ("divide", "negative"):
        terms = summands(arguments[0])
        return tuple(call(operation, expression.kind, each, *arguments[1:]) for each in terms)
    return (expression,)


def walk(roots: Iterable[Expression]) -> Iterator[Expression]:
    """Every node once, those it needs before it."""
    seen: set[Expression] = set()

    def visit(node: Expression) -> Iterator[Expression]:
        if node not in seen:
            seen.add(node)
            for part in parts(node):
                yield from visit(part)
            yield node

    for root in roots:
        yield from visit(root)
