# SPDX-License-Identifier: Apache-2.0
"""Rules about single values."""

from __future__ import annotations

from aclhost.spec.rules.base import Part, Rule, Shown, listing
from aclhost.spec.status import Status
from aclhost.spec.terms import AtMost, Const, In, Not, RealIs, Term, ValueOf

Rules = tuple[Rule, ...]


def scalar_at_least(parameter: str, least: float) -> Rules:
    """The scalar, as float, is not below the bound; NaN is not below anything."""
    return (
        Rule(
            "scalar_at_least",
            parameter,
            Not(RealIs(parameter, "<", least)),
            f"{parameter} must be at least {least:g}",
            (Shown("real", parameter),),
            f"Pass a value of {least:g} or more for {parameter}.",
        ),
    )


def one_of(parameter: str, *allowed: int, meaning: str = "") -> Rules:
    """The integer is one of these; `meaning` tells what each stands for."""
    return (
        Rule(
            "one_of",
            parameter,
            In(ValueOf(parameter), allowed),
            f"{parameter} must be {listing(allowed)}",
            (Shown("integer", ValueOf(parameter)),),
            f"Pass {meaning or listing(allowed)}.",
        ),
    )


def at_least(parameter: str, least: int) -> Rules:
    """The integer is not below the bound."""
    return requires(
        "at_least",
        parameter,
        AtMost(Const(least), ValueOf(parameter)),
        f"{parameter} must be at least {least}",
        (Shown("integer", ValueOf(parameter)),),
        f"Pass {least} or more.",
    )


def not_negative(parameter: str) -> Rules:
    """The number is at least 0; NaN is not."""
    return (
        Rule(
            "not_negative",
            parameter,
            RealIs(parameter, ">=", 0.0),
            f"{parameter} must be at least 0",
            (Shown("real", parameter),),
            f"Pass 0 or more for {parameter}.",
        ),
    )


def requires(
    id: str,
    parameter: str,
    holds: Term,
    text: str,
    got: tuple[Part, ...],
    advice: str,
    code: Status = Status.PARAM_INVALID,
) -> Rules:
    """A rule of an operator's own."""
    return (Rule(id, parameter, holds, text, got, advice, code),)
