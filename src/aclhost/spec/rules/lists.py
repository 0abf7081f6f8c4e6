# SPDX-License-Identifier: Apache-2.0
"""Rules about all members of a list."""

from __future__ import annotations

from dataclasses import replace

from aclhost.spec.rules.base import Condition, Rule, Shown
from aclhost.spec.rules.values import requires
from aclhost.spec.shapes import SameShape, ShapeOf
from aclhost.spec.terms import MEMBER, Const, EachMember, Empty, Equal, LengthOf, Not, Or

Rules = tuple[Rule, ...]


def each(parameter: str, *groups: Rules, but: Condition | None = None) -> Rules:
    """What rules say about MEMBER holds for every member of the list, but for some."""
    return tuple(_of_all(parameter, rule, but) for group in groups for rule in group)


def _of_all(parameter: str, rule: Rule, but: Condition | None) -> Rule:
    def worded(text: str) -> str:
        which = f" but {but.english}" if but else ""
        return text.replace(MEMBER, f"every member of {parameter}{which}")

    return replace(
        rule,
        parameter=parameter,
        holds=EachMember(parameter, Or(but.term, rule.holds) if but else rule.holds),
        text=worded(rule.text),
        texts=tuple(map(worded, rule.texts)),
        got=(Shown("integer", LengthOf(parameter)), " of which some are not so"),
        advice=rule.advice.replace(MEMBER, "them"),
    )


def shaped_like_first(parameter: str) -> Rules:
    """All members have the same shape."""
    same = requires(
        "same_shape",
        MEMBER,
        SameShape(ShapeOf(MEMBER), ShapeOf(parameter)),
        f"{MEMBER} must have the shape of the first",
        (),
        f"Pass {MEMBER} in one shape.",
    )
    return each(parameter, same)


def nothing_in(parameter: str) -> Condition:
    """The list has no members, or one of them has no elements."""
    return Condition(
        Or(
            Equal(LengthOf(parameter), Const(0)),
            Not(EachMember(parameter, Not(Empty(MEMBER)))),
        ),
        f"{parameter} has no members, or one of them is empty",
    )
