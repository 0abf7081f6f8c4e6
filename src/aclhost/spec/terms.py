# SPDX-License-Identifier: Apache-2.0
"""What rules are made of: values that follow from the arguments of a call.

A term is data. `evaluate` gives its value for a described call; the generator writes the same terms
as tables, which `native/operator/terms.cc` walks. Each class here has a case of the same name
there. Terms are total: they have a value for every call, sensible or not.

Integers stand for truth values, dtypes, formats and counts alike; shapes are tuples.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from aclhost.spec import dtypes, formats, products
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import Category, DataType
from aclhost.spec.formats import Format
from aclhost.spec.products import Product

Value: TypeAlias = int | tuple[int, ...]
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
FLOAT_EPSILON = 2.0**-23
MEMBER = "*"  # the name of a list's member inside EachMember


def saturated(value: int) -> int:
    """What 64 bits can hold of an integer."""
    return max(INT64_MIN, min(INT64_MAX, value))


@dataclass(frozen=True)
class Term:
    """A value that follows from a call; fields are parameters' names, terms and constants."""

    def evaluate(self, call: Call) -> int:
        """The value for this call."""
        raise NotImplementedError


@dataclass(frozen=True)
class Const(Term):
    """A number."""

    number: int

    def evaluate(self, call: Call) -> int:
        return self.number


@dataclass(frozen=True)
class Present(Term):
    """The pointer is not null."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        return int(call.arguments[self.parameter] is not None)


@dataclass(frozen=True)
class DtypeOf(Term):
    """The dtype of a tensor, of a scalar, or of a list's first member."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        argument = call.first(self.parameter)
        if isinstance(argument, TensorArg | ScalarArg):
            return argument.dtype.value
        return dtypes.UNDEFINED.value


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
class ValueOf(Term):
    """An integer, a bool, or a dtype that is passed as such."""

    parameter: str

    def evaluate(self, call: Call) -> int:
        argument = call.arguments[self.parameter]
        if isinstance(argument, DataType):
            return argument.value
        return int(argument) if isinstance(argument, int) else 0


@dataclass(frozen=True)
class TextIs(Term):
    """A text is one of a few."""

    parameter: str
    words: tuple[str, ...]

    def evaluate(self, call: Call) -> int:
        return int(call.arguments[self.parameter] in self.words)


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


@dataclass(frozen=True)
class DtypeAllowed(Term):
    """A dtype is one of a list for each product, in the order of products.ALL."""

    dtype: Term
    lists: tuple[tuple[DataType, ...], ...]

    def evaluate(self, call: Call) -> int:
        allowed = self.lists[products.ALL.index(call.product)]
        return int(self.dtype.evaluate(call) in {dtype.value for dtype in allowed})


@dataclass(frozen=True)
class In(Term):
    """A value is one of a few."""

    term: Term
    values: tuple[int | DataType | Format, ...]

    def evaluate(self, call: Call) -> int:
        numbers = {v if isinstance(v, int) else v.value for v in self.values}
        return int(self.term.evaluate(call) in numbers)


@dataclass(frozen=True)
class InCategory(Term):
    """A dtype is floating, an integer, complex or BOOL."""

    dtype: Term
    category: Category

    def evaluate(self, call: Call) -> int:
        return int(dtypes.BY_VALUE[self.dtype.evaluate(call)].category is self.category)


@dataclass(frozen=True)
class Promote(Term):
    """The common dtype of two."""

    first: Term
    second: Term

    def evaluate(self, call: Call) -> int:
        first = dtypes.BY_VALUE[self.first.evaluate(call)]
        return dtypes.promote(first, dtypes.BY_VALUE[self.second.evaluate(call)]).value


@dataclass(frozen=True)
class CanCast(Term):
    """The conversion is not prohibited."""

    source: Term
    target: Term

    def evaluate(self, call: Call) -> int:
        source = dtypes.BY_VALUE[self.source.evaluate(call)]
        return int(dtypes.can_cast(source, dtypes.BY_VALUE[self.target.evaluate(call)]))


@dataclass(frozen=True)
class CastExists(Term):
    """The product has the conversion; some that are permitted have no kernel."""

    source: Term
    target: Term

    def evaluate(self, call: Call) -> int:
        source = dtypes.BY_VALUE[self.source.evaluate(call)]
        target = dtypes.BY_VALUE[self.target.evaluate(call)]
        if target is dtypes.COMPLEX32:
            return int(source is dtypes.FLOAT16 and call.product is products.A950)
        return int(target in dtypes.CAST_TARGETS)


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
class EachMember(Term):
    """Something holds for every member of a list, which is called MEMBER there."""

    parameter: str
    term: Term

    def evaluate(self, call: Call) -> int:
        members = call.arguments[self.parameter]
        if not isinstance(members, tuple):
            return 1
        return int(all(self.term.evaluate(call.passing(**{MEMBER: each})) for each in members))


@dataclass(frozen=True)
class Not(Term):
    """The opposite."""

    term: Term

    def evaluate(self, call: Call) -> int:
        return int(not self.term.evaluate(call))


@dataclass(frozen=True)
class And(Term):
    """Both hold; the second is not looked at where the first does not."""

    first: Term
    second: Term

    def evaluate(self, call: Call) -> int:
        return int(bool(self.first.evaluate(call)) and bool(self.second.evaluate(call)))


@dataclass(frozen=True)
class Or(Term):
    """One holds; the second is not looked at where the first does."""

    first: Term
    second: Term

    def evaluate(self, call: Call) -> int:
        return int(bool(self.first.evaluate(call)) or bool(self.second.evaluate(call)))


@dataclass(frozen=True)
class Equal(Term):
    """Two integers are the same."""

    first: Term
    second: Term

    def evaluate(self, call: Call) -> int:
        return int(self.first.evaluate(call) == self.second.evaluate(call))


@dataclass(frozen=True)
class AtMost(Term):
    """The first integer does not exceed the second."""

    first: Term
    second: Term

    def evaluate(self, call: Call) -> int:
        return int(self.first.evaluate(call) <= self.second.evaluate(call))


@dataclass(frozen=True)
class Sum(Term):
    """Two integers added, as far as 64 bits reach."""

    first: Term
    second: Term

    def evaluate(self, call: Call) -> int:
        return saturated(self.first.evaluate(call) + self.second.evaluate(call))


@dataclass(frozen=True)
class Times(Term):
    """Two integers multiplied, as far as 64 bits reach."""

    first: Term
    second: Term

    def evaluate(self, call: Call) -> int:
        return saturated(self.first.evaluate(call) * self.second.evaluate(call))


@dataclass(frozen=True)
class If(Term):
    """One of two, by a condition."""

    condition: Term
    then: Term
    otherwise: Term

    def evaluate(self, call: Call) -> int:
        return (self.then if self.condition.evaluate(call) else self.otherwise).evaluate(call)


def const(value: int | DataType | Format) -> Const:
    """A number, a dtype or a format as a term."""
    return Const(value if isinstance(value, int) else value.value)


def all_of(*terms: Term) -> Term:
    """All of them hold."""
    return terms[0] if len(terms) == 1 else And(terms[0], all_of(*terms[1:]))


def any_of(*terms: Term) -> Term:
    """One of them holds."""
    return terms[0] if len(terms) == 1 else Or(terms[0], any_of(*terms[1:]))


def promoted(*parameters: str) -> Term:
    """The common dtype of several tensors, from left to right."""
    *others, last = parameters
    return Promote(promoted(*others), DtypeOf(last)) if others else DtypeOf(last)
