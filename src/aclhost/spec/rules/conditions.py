# SPDX-License-Identifier: Apache-2.0
"""Rules under circumstances, and where phase 1 is done early."""

from __future__ import annotations

from aclhost.spec.products import Product
from aclhost.spec.rules.base import Condition, Done, Rule, Step, listing
from aclhost.spec.status import Status
from aclhost.spec.terms import (
    And,
    Empty,
    Finite,
    In,
    Not,
    Present,
    ProductIn,
    ValueOf,
    all_of,
    any_of,
)

Rules = tuple[Rule, ...]


def is_set(flag: str) -> Condition:
    """A bool parameter is true."""
    return Condition(ValueOf(flag), f"{flag} is true")


def is_given(parameter: str) -> Condition:
    """What may be left out is there."""
    return Condition(Present(parameter), f"{parameter} is given")


def has_elements(tensor: str) -> Condition:
    """The tensor is not empty."""
    return Condition(Not(Empty(tensor)), f"{tensor} is not empty")


def not_finite(*scalars: str) -> Condition:
    """One of the scalars, as float, is infinite or NaN."""
    return Condition(
        Not(all_of(*(Finite(name) for name in scalars))),
        f"{listing(scalars)} is infinite or NaN",
    )


def on_products(*which: Product) -> Condition:
    """The product is one of these."""
    return Condition(ProductIn(which), f"the product is {listing(which)}")


def equals(parameter: str, *values: int) -> Condition:
    """An integer has one of these values."""
    return Condition(In(ValueOf(parameter), values), f"{parameter} is {listing(values)}")


def either(*conditions: Condition) -> Condition:
    """One of the circumstances."""
    return Condition(
        any_of(*(each.term for each in conditions)),
        listing(each.english for each in conditions),
    )


def when(condition: Condition, *groups: Rules) -> Rules:
    """The rules hold only under the condition."""
    return tuple(rule.under(condition) for group in groups for rule in group)


def inner(*groups: Rules) -> Rules:
    """The rules are checked so late that a violation is an inner error (561103)."""
    return tuple(rule.with_code(Status.INNER_NULLPTR) for group in groups for rule in group)


def as_null(*groups: Rules) -> Rules:
    """A violation of the rules has the code of null pointers (161001)."""
    return tuple(rule.with_code(Status.PARAM_NULLPTR) for group in groups for rule in group)


def in_tiling(*groups: Rules) -> Rules:
    """The rules are checked where the work is divided: a violation is a tiling error (561002)."""
    return tuple(rule.with_code(Status.INNER_TILING_ERROR) for group in groups for rule in group)


def done_when(condition: Condition) -> tuple[Step, ...]:
    """Phase 1 succeeds here with nothing to do under the condition."""
    return (Done(condition),)


def done_when_empty(*parameters: str, unless: Condition | None = None) -> tuple[Step, ...]:
    """Phase 1 succeeds here with nothing to do when one of the tensors is empty."""
    term = any_of(*(Empty(name) for name in parameters))
    english = f"{listing(f'`{name}`' for name in parameters)} is empty"
    if unless is None:
        return (Done(Condition(term, english)),)
    return (Done(Condition(And(term, Not(unless.term)), f"{english}, unless {unless.english}")),)
