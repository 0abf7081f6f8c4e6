# SPDX-License-Identifier: Apache-2.0
"""Terms that describe single values, and the product."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from aclhost.spec import dtypes
from aclhost.spec.call import Argument, Call, ScalarArg
from aclhost.spec.dtypes import Category, DataType
from aclhost.spec.products import Product
from aclhost.spec.terms.base import INT64_MAX, INT64_MIN, Term, saturated

FLOAT_EPSILON = 2.0**-23


@dataclass(frozen=True)
class ValueOf(Term):
    """An integer, a bool, or a dtype that is passed as such."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        argument = call.arguments[self.parameter]
        if isinstance(argument, DataType):
            return argument.value
        return int(argument) if isinstance(argument, int) else 0


@dataclass(frozen=True)
class ScalarInteger(Term):
    """A scalar as an integer, as far as 64 bits reach; NaN counts as 0."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        argument = call.arguments[self.parameter]
        value = argument.as_double if isinstance(argument, ScalarArg) else 0.0
        if math.isnan(value):
            return 0
        return saturated(int(max(min(value, 2.0**63), -(2.0**63))))


@dataclass(frozen=True)
class TextIs(Term):
    """A text is one of a few."""

    parameter: str
    words: tuple[str, ...]

    def evaluate(self, call: Call) -> int:
        return int(call.arguments[self.parameter] in self.words)


@dataclass(frozen=True)
class TextStarts(Term):
    """A text is one of a few, or goes on after one of them."""

    parameter: str
    words: tuple[str, ...]

    def evaluate(self, call: Call) -> int:
        text = call.arguments[self.parameter]
        return int(isinstance(text, str) and text.startswith(self.words))


@dataclass(frozen=True)
class RealIs(Term):
    """A float, a double, or a scalar as float, compared with a number; NaN is none of it."""

    parameter: str
    relation: str  # one of >=, >, <=, <, ==, !=
    bound: float

    def evaluate(self, call: Call) -> int:
        return int(RELATIONS[self.relation](call.real(self.parameter), self.bound))


RELATIONS: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@dataclass(frozen=True)
class Finite(Term):
    """The same is neither infinite nor NaN."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        return int(math.isfinite(call.real(self.parameter)))


@dataclass(frozen=True)
class Scaled(Term):
    """A length times a factor, without the fraction; NaN counts as 0.

    The factor is a float or double parameter, or one value of an array of floats, which count as 0
    where there are none; something is added to it first.
    """

    length: Term
    factor: str
    position: int = -1  # -1: the parameter is no array
    added: float = 0.0

    def evaluate(self, call: Call) -> int:
        length, factor = float(self.length.evaluate(call)), self._factor(call)
        product = length * (factor + self.added)
        if math.isinf(product):
            return INT64_MAX if product > 0 else INT64_MIN
        return 0 if math.isnan(product) else saturated(int(product))

    def _factor(self, call: Call) -> float:
        if self.position < 0:
            return call.real(self.factor)
        values = call.arguments[self.factor]
        if not isinstance(values, tuple) or self.position >= len(values):
            return 0.0
        value = values[self.position]
        return ScalarArg(value).as_float if isinstance(value, int | float) else 0.0


@dataclass(frozen=True)
class Leads(Term):
    """A step that is not 0 leads from one scalar towards another, or they are equal.

    All three are converted first: to integers for an integer dtype, to double for DOUBLE, else to
    float.
    """

    step: str
    start: str
    end: str
    dtype: Term

    def evaluate(self, call: Call) -> int:
        dtype = dtypes.BY_VALUE[self.dtype.evaluate(call)]
        step, start, end = (
            _in_sequence(call.arguments[name], dtype) for name in (self.step, self.start, self.end)
        )
        return int((step > 0 and not start > end) or (step < 0 and not start < end))


def _in_sequence(argument: Argument, dtype: DataType) -> float | int:
    scalar = argument if isinstance(argument, ScalarArg) else ScalarArg(0)
    if dtype.category is not Category.INTEGER:
        return scalar.as_double if dtype is dtypes.DOUBLE else scalar.as_float
    whole = scalar.dtype.category is Category.INTEGER
    value = int(scalar.value.real) if whole else scalar.as_double
    if math.isinf(value):
        return INT64_MAX if value > 0 else INT64_MIN
    return 0 if math.isnan(value) else saturated(int(value))


@dataclass(frozen=True)
class NotAbove(Term):
    """A scalar does not exceed another: as integers where it is one, else as doubles.

    Both may be floats or doubles instead.
    """

    first: str
    second: str

    def evaluate(self, call: Call) -> int:
        first, second = call.arguments[self.first], call.arguments[self.second]
        if isinstance(first, float | int) and isinstance(second, float | int):
            return int(not first > second)
        whole = isinstance(first, ScalarArg) and first.dtype.category is Category.INTEGER
        dtype = dtypes.INT64 if whole else dtypes.DOUBLE
        return int(not _in_sequence(first, dtype) > _in_sequence(second, dtype))


@dataclass(frozen=True)
class WidthAtMost(Term):
    """One double or float exceeds another by a limit at most."""

    first: str
    second: str
    limit: float

    def evaluate(self, call: Call) -> int:
        return int(call.real(self.second) - call.real(self.first) <= self.limit)


@dataclass(frozen=True)
class KeepsScalar(Term):
    """A floating dtype holds a scalar's value, but for the epsilon of FLOAT."""

    parameter: str
    dtype: Term

    def evaluate(self, call: Call) -> int:
        scalar = call.arguments[self.parameter]
        if not isinstance(scalar, ScalarArg):
            return 0
        rounded = scalar.rounded_to(dtypes.BY_VALUE[self.dtype.evaluate(call)])
        return int(abs(scalar.as_double - rounded) <= FLOAT_EPSILON)


@dataclass(frozen=True)
class ProductIn(Term):
    """The product is one of these."""

    on: tuple[Product, ...]

    def evaluate(self, call: Call) -> int:
        return int(call.product in self.on)
