# SPDX-License-Identifier: Apache-2.0
"""Rules about values, and rules that hold only under a condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aclhost.spec.call import ScalarArg
from aclhost.spec.products import Product
from aclhost.spec.rules.base import Rule, listing
from aclhost.spec.status import Status

if TYPE_CHECKING:
    from aclhost.spec.call import Argument, Call
    from aclhost.spec.operator import Operator


@dataclass(frozen=True)
class ScalarAtLeast(Rule):
    """A scalar, as float, is not below a bound. NaN is not below anything."""

    least: float

    def violated(self) -> str:
        return f"a.{self.parameter}.to_float() < {self.least}f"

    def got(self) -> str:
        return f"number_text(a.{self.parameter}.to_float())"

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must be at least {self.least:g}"

    def advice(self) -> str:
        return f"Pass a value of {self.least:g} or more for {self.parameter}."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        yield call.passing(**{self.parameter: ScalarArg(self.least - 1)})


@dataclass(frozen=True)
class OneOf(Rule):
    """An integer is one of a few."""

    allowed: tuple[int, ...]

    def violated(self) -> str:
        values = ", ".join(f"int64_t{{{value}}}" for value in self.allowed)
        return f"!one_of(a.{self.parameter}, {{{values}}})"

    def got(self) -> str:
        return f"std::to_string(a.{self.parameter})"

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must be {listing(self.allowed)}"

    def advice(self) -> str:
        return "Pass 0 for none, 1 for mean, 2 for sum."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        for value in (min(self.allowed) - 1, max(self.allowed) + 1):
            yield call.passing(**{self.parameter: value})


@dataclass(frozen=True)
class NotNegative(Rule):
    """A float is at least zero; NaN is not."""

    def violated(self) -> str:
        return f"!(a.{self.parameter} >= 0)"

    def got(self) -> str:
        return f"number_text(a.{self.parameter})"

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must be at least 0"

    def advice(self) -> str:
        return f"Pass 0 or more for {self.parameter}."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        for value in (-1.0, float("nan")):
            yield call.passing(**{self.parameter: value})


@dataclass(frozen=True)
class Condition:
    """A circumstance: as C++, in English, and the arguments that bring it about."""

    cpp: str
    english: str
    arranged_by: tuple[tuple[str, Argument], ...] = ()
    on: Product | None = None  # the product that brings it about


def is_set(flag: str) -> Condition:
    """A bool parameter is true."""
    return Condition(f"a.{flag}", f"{flag} is true", ((flag, True),))


def not_finite(*scalars: str) -> Condition:
    """One of the scalars, as float, is infinite or NaN."""
    return Condition(
        " || ".join(f"!std::isfinite(a.{name}.to_float())" for name in scalars),
        f"{listing(scalars)} is infinite or NaN",
        ((scalars[0], ScalarArg(float("inf"))),),
    )


def on_products(*which: Product) -> Condition:
    """The product is one of these."""
    keys = ", ".join(f"Product::k{product.key}" for product in which)
    return Condition(
        f"one_of(soc.product, {{{keys}}})",
        f"the product is {listing(which)}",
        on=which[-1],
    )


def equals(parameter: str, *values: int) -> Condition:
    """An integer has one of these values."""
    return Condition(
        " || ".join(f"a.{parameter} == {value}" for value in values),
        f"{parameter} is {listing(values)}",
        ((parameter, values[0]),),
    )


@dataclass(frozen=True)
class Wrapped(Rule):
    """Another rule under other circumstances."""

    rule: Rule

    @property
    def id(self) -> str:
        return self.rule.id

    @property
    def code(self) -> Status:  # type: ignore[override]
        return self.rule.code

    def violated(self) -> str:
        return self.rule.violated()

    def got(self) -> str:
        return self.rule.got()

    def sentence(self, product: Product | None = None) -> str:
        return self.rule.sentence(product)

    def advice(self) -> str:
        return self.rule.advice()

    def fixes_rank_of(self, parameter: str) -> bool:
        return self.rule.fixes_rank_of(parameter)

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        return self.rule.broken(op, call)


@dataclass(frozen=True)
class Inner(Wrapped):
    """A violation that upstream notices so late that it is an inner error."""

    code = Status.INNER_NULLPTR


@dataclass(frozen=True)
class When(Wrapped):
    """Another rule, demanded only under a condition."""

    condition: Condition

    def violated(self) -> str:
        return f"({self.condition.cpp}) && ({self.rule.violated()})"

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.rule.sentence(product)} when {self.condition.english}"

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        arranged = call.passing(**dict(self.condition.arranged_by))
        if self.condition.on:
            arranged = arranged.on(self.condition.on)
        for broken in self.rule.broken(op, arranged):
            yield replace(broken, note=self.condition.english)
