# SPDX-License-Identifier: Apache-2.0
"""Rules about counts and shapes that several losses have."""

from __future__ import annotations

from aclhost.spec.rules import Rule, one_element, requires
from aclhost.spec.rules.base import Shown
from aclhost.spec.status import Status
from aclhost.spec.terms import Term


def has_one_element(parameter: str) -> tuple[Rule, ...]:
    """The tensor holds one element (161002 if not)."""
    return tuple(rule.with_code(Status.PARAM_INVALID) for rule in one_element(parameter))


def number_is(id: str, parameter: str, holds: Term, text: str, shown: Term) -> tuple[Rule, ...]:
    """A rule of a loss's own about a number, which is shown."""
    return requires(id, parameter, holds, text, (Shown("integer", shown),), f"Correct {parameter}.")
