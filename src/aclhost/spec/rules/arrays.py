# SPDX-License-Identifier: Apache-2.0
"""Rules about arrays of integers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aclhost.spec.products import Product
from aclhost.spec.rules.base import Rule, listing

if TYPE_CHECKING:
    from aclhost.spec.call import Call
    from aclhost.spec.operator import Operator


@dataclass(frozen=True)
class ArrayRule(Rule):
    """A rule that shows the whole array when it is broken."""

    def got(self) -> str:
        return f"array_text(a.{self.parameter})"


@dataclass(frozen=True)
class LengthIn(ArrayRule):
    """The array has one of a few lengths."""

    lengths: tuple[int, ...]

    def violated(self) -> str:
        allowed = ", ".join(f"uint64_t{{{length}}}" for length in self.lengths)
        return f"!one_of(a.{self.parameter}.size, {{{allowed}}})"

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must have {listing(self.lengths)} elements"

    def advice(self) -> str:
        return "Pass one number for each of depth, height and width."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        values = call.array(self.parameter)
        yield call.passing(**{self.parameter: (values[0],) * (max(self.lengths) + 1)})
        # Where values are looked at first, missing ones count as 0 and fail that rule instead.
        read_before = any(
            isinstance(rule, AllPositive) and rule.parameter == self.parameter
            for rule in op.rules_before(self)
        )
        if not read_before:
            yield call.passing(**{self.parameter: (values[0],) * 2})


@dataclass(frozen=True)
class AllPositive(ArrayRule):
    """Every value from some position on is above zero; where a count is given, so many exist."""

    first: int = 0
    count: int = 0

    def violated(self) -> str:
        return f"!all_positive(a.{self.parameter}, {self.first}, {self.count})"

    def sentence(self, product: Product | None = None) -> str:
        if self.count:
            return f"{self.parameter} must have at least {self.count} values, all greater than 0"
        which = "all values" if self.first == 0 else f"the values from position {self.first} on"
        return f"{which} of {self.parameter} must be greater than 0"

    def advice(self) -> str:
        return f"Correct {self.parameter}."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        values = call.array(self.parameter)
        for position in range(self.first, len(values)):
            for bad in (0, -1):
                changed = (*values[:position], bad, *values[position + 1 :])
                yield call.passing(**{self.parameter: changed})
        if self.count:
            yield call.passing(**{self.parameter: values[: self.count - 1]})


@dataclass(frozen=True)
class NoneNegative(ArrayRule):
    """No value is below zero."""

    def violated(self) -> str:
        return f"!none_negative(a.{self.parameter})"

    def sentence(self, product: Product | None = None) -> str:
        return f"all values of {self.parameter} must be at least 0"

    def advice(self) -> str:
        return f"Correct {self.parameter}."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        yield call.passing(**{self.parameter: (*call.array(self.parameter)[:-1], -1)})


@dataclass(frozen=True)
class AllOne(ArrayRule):
    """Every value is 1."""

    def violated(self) -> str:
        return f"!all_one(a.{self.parameter})"

    def sentence(self, product: Product | None = None) -> str:
        return f"all values of {self.parameter} must be 1"

    def advice(self) -> str:
        return f"Pass 1 for {self.parameter}; only Ascend 950 knows other values."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        for bad in (2, 0):
            yield call.passing(**{self.parameter: (bad,)})


@dataclass(frozen=True)
class AtMostHalf(ArrayRule):
    """No value exceeds half of another array's (padding against the kernel)."""

    other: str

    def violated(self) -> str:
        return f"!at_most_half(a.{self.parameter}, a.{self.other})"

    def got(self) -> str:
        return f'array_text(a.{self.parameter}) + " and " + array_text(a.{self.other})'

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must be at most half of {self.other}, rounded down"

    def advice(self) -> str:
        return f"Reduce {self.parameter} or enlarge {self.other}."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        largest = max(call.array(self.other))
        yield call.passing(**{self.parameter: (largest // 2 + 1,)})


@dataclass(frozen=True)
class HoldsVolume(ArrayRule):
    """The product of the values is at least the tensor's volume."""

    tensor: str

    def violated(self) -> str:
        return f"!holds_volume(a.{self.parameter}, a.{self.tensor})"

    def got(self) -> str:
        return f'array_text(a.{self.parameter}) + " for " + shape_text(a.{self.tensor})'

    def sentence(self, product: Product | None = None) -> str:
        return f"{self.parameter} must hold at least depth * height * width of {self.tensor}"

    def advice(self) -> str:
        return f"Enlarge {self.parameter}: unpooling does not shrink."

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        yield call.passing(**{self.parameter: (1, 1, 1)})
