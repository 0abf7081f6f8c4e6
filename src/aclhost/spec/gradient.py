# SPDX-License-Identifier: Apache-2.0
"""How a backward operator belongs to its forward: what tests and torch's autograd need to know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

# A function of the forward's arguments by upstream's names, results included.
Derived: TypeAlias = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Gradient:
    """Parameters by upstream's names. Those that both operators have are the same in both."""

    forward: str  # the operator's name
    results: Mapping[str, str]  # the backward's outputs, and the inputs whose gradients they are
    given: Mapping[str, str]  # the backward's inputs that are gradients, and of which outputs
    saved: Mapping[str, str] = field(default_factory=dict)  # called otherwise in the forward
    derived: Mapping[str, Derived] = field(default_factory=dict)  # worked out from the forward's
    normalised: tuple[str, ...] = ()  # inputs whose rows are logarithms of what adds up to 1
    opposite: Mapping[str, str] = field(default_factory=dict)  # results that, negated, are another
    where: Derived | None = None  # whether it is this forward's derivative; always without it

    def value(self, name: str, forward: Mapping[str, Any]) -> Any:  # noqa: ANN401
        """What the backward takes for a parameter, given what the forward took and gave."""
        if name in self.derived:
            return self.derived[name](forward)
        return forward[self.saved.get(name, name)]
