# SPDX-License-Identifier: Apache-2.0
"""Rules about arrays of integers."""

from __future__ import annotations

from aclhost.spec import volumes
from aclhost.spec.rules.base import Rule, Shown, listing
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import AtMost, Const, Equal, EveryItem, In, LengthOf, Term

Rules = tuple[Rule, ...]


def _rule(id: str, parameter: str, holds: Term, text: str, advice: str) -> Rules:
    return (Rule(id, parameter, holds, text, (Shown("array", parameter),), advice),)


def length_in(parameter: str, *lengths: int) -> Rules:
    """The array has one of these lengths."""
    return _rule(
        "length_in",
        parameter,
        In(LengthOf(parameter), lengths),
        f"{parameter} must have {listing(lengths)} elements",
        f"Pass {listing(lengths)} values for {parameter}.",
    )


def at_least_values(parameter: str, count: int) -> Rules:
    """The array has at least so many values."""
    return _rule(
        "at_least_values",
        parameter,
        AtMost(Const(count), LengthOf(parameter)),
        f"{parameter} must have at least {count} values",
        f"Pass {count} values for {parameter}.",
    )


def as_many_values(parameter: str, other: str) -> Rules:
    """The array or list is as long as another one."""
    return (
        Rule(
            "as_many_values",
            parameter,
            Equal(LengthOf(parameter), LengthOf(other)),
            f"{parameter} must have as many values as {other}",
            (
                Shown("integer", LengthOf(parameter)),
                " and ",
                Shown("integer", LengthOf(other)),
            ),
            f"Pass one value of {parameter} for each of {other}.",
        ),
    )


def at_most_values(parameter: str, count: int) -> Rules:
    """The array has at most so many values."""
    return _rule(
        "at_most_values",
        parameter,
        AtMost(LengthOf(parameter), Const(count)),
        f"{parameter} must have at most {count} values",
        f"Pass fewer values for {parameter}.",
    )


def all_positive(parameter: str, first: int = 0) -> Rules:
    """Values from some position on are above 0."""
    which = f"the values from position {first} on" if first else "all values"
    return _rule(
        "all_positive",
        parameter,
        EveryItem(parameter, first, least=1),
        f"{which} of {parameter} must be greater than 0",
        f"Correct {parameter}.",
    )


def none_negative(parameter: str) -> Rules:
    """No value is below 0."""
    return _rule(
        "none_negative",
        parameter,
        EveryItem(parameter, least=0),
        f"all values of {parameter} must be at least 0",
        f"Correct {parameter}.",
    )


def all_one(parameter: str) -> Rules:
    """Every value is 1."""
    return _rule(
        "all_one",
        parameter,
        EveryItem(parameter, least=1, most=1),
        f"all values of {parameter} must be 1",
        f"Pass 1 for {parameter}; only Ascend 950 knows other values.",
    )


def at_most_half(parameter: str, other: str) -> Rules:
    """No value exceeds half of the other array's."""
    return (
        Rule(
            "at_most_half",
            parameter,
            volumes.AtMostHalf(parameter, other),
            f"{parameter} must be at most half of {other}, rounded down",
            (Shown("array", parameter), " and ", Shown("array", other)),
            f"Reduce {parameter} or enlarge {other}.",
        ),
    )


def holds_volume(parameter: str, tensor: str) -> Rules:
    """The product of the values is at least the tensor's depth * height * width."""
    return (
        Rule(
            "holds_volume",
            parameter,
            volumes.HoldsVolume(parameter, tensor),
            f"{parameter} must hold at least depth * height * width of {tensor}",
            (Shown("array", parameter), " for ", Shown("shape", ShapeOf(tensor))),
            f"Enlarge {parameter}: unpooling does not shrink.",
        ),
    )
