# SPDX-License-Identifier: Apache-2.0
"""Rules about shapes that several losses have."""

from __future__ import annotations

from aclhost.spec.rules import Rule, one_element
from aclhost.spec.status import Status


def has_one_element(parameter: str) -> tuple[Rule, ...]:
    """The tensor holds one element (161002 if not)."""
    return tuple(rule.with_code(Status.PARAM_INVALID) for rule in one_element(parameter))
