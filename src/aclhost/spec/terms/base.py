# SPDX-License-Identifier: Apache-2.0
"""What a term is."""

from __future__ import annotations

from dataclasses import dataclass

from aclhost.spec.call import Call

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


def saturated(value: int) -> int:
    """What 64 bits can hold of an integer."""
    return max(INT64_MIN, min(INT64_MAX, value))


@dataclass(frozen=True)
class Term:
    """A value that follows from a call; fields are parameters' names, terms and constants."""

    def evaluate(self, call: Call) -> int:
        """The value for this call."""
        raise NotImplementedError
