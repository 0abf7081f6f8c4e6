# SPDX-License-Identifier: Apache-2.0
"""Constants, comparisons and what joins terms."""

from __future__ import annotations

from dataclasses import dataclass

from aclhost.spec.call import Call
from aclhost.spec.dtypes import DataType
from aclhost.spec.formats import Format
from aclhost.spec.terms.base import Term, saturated


@dataclass(frozen=True)
class Const(Term):
    """A number."""

    number: int

    def evaluate(self, call: Call) -> int:
        return self.number


@dataclass(frozen=True)
class In(Term):
    """A value is one of a few."""

    term: Term
    values: tuple[int | DataType | Format, ...]

    def evaluate(self, call: Call) -> int:
        numbers = {v if isinstance(v, int) else v.value for v in self.values}
        return int(self.term.evaluate(call) in numbers)


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
class Divided(Term):
    """One integer divided by another, rounded down; 0 unless the other is positive."""

    first: Term
    second: Term

    def evaluate(self, call: Call) -> int:
        divisor = self.second.evaluate(call)
        return self.first.evaluate(call) // divisor if divisor > 0 else 0


@dataclass(frozen=True)
class RoundedUp(Term):
    """The next multiple of a positive constant, as far as 64 bits reach."""

    term: Term
    multiple: int

    def evaluate(self, call: Call) -> int:
        return saturated(-(-self.term.evaluate(call) // self.multiple) * self.multiple)


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
