# SPDX-License-Identifier: Apache-2.0
"""What a check is: a term that must hold, its status code, and what a user reads when it does not.

Rules are data. `aclhost.spec.evaluate` walks them in Python, `native/operator/rules.cc` in C++.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from aclhost.spec import products
from aclhost.spec.dtypes import DataType
from aclhost.spec.products import Product
from aclhost.spec.shapes import ShapeTerm
from aclhost.spec.status import Status
from aclhost.spec.terms import DtypeAllowed, DtypeOf, Term


def listing(items: Iterable[object], last: str = "or") -> str:
    """`A, B or C`."""
    words = [str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


@dataclass(frozen=True)
class Shown:
    """A piece of what was passed instead, in the words of one kind."""

    kind: str  # dtype, shape, rank, integer, real, array, strides, reach, format, text or product
    of: str | Term | ShapeTerm  # a parameter, or the term to show


Part = str | Shown


@dataclass(frozen=True)
class Condition:
    """A circumstance: a term, and its English."""

    term: Term
    english: str


@dataclass(frozen=True)
class Rule:
    """One check of one parameter."""

    id: str  # what errors carry, for example same_dtype
    parameter: str  # upstream's spelling; empty where no single parameter is at fault
    holds: Term
    text: str  # what must hold, for all products
    got: tuple[Part, ...]
    advice: str
    code: Status = Status.PARAM_INVALID
    condition: Condition | None = None
    texts: tuple[str, ...] = field(default=())  # for each product, where they differ

    def sentence(self, product: Product | None = None) -> str:
        """What must hold; for one product where the rule depends on it, else for the page."""
        if product is None or not self.texts:
            return self._under_condition(self.text)
        return self._under_condition(self.texts[products.ALL.index(product)])

    def _under_condition(self, text: str) -> str:
        return f"{text} when {self.condition.english}" if self.condition else text

    def dtypes(self, product: Product | None = None) -> tuple[DataType, ...] | None:
        """The list that the rule allows, if it is one of a parameter's dtypes."""
        if not isinstance(self.holds, DtypeAllowed) or self.condition:
            return None
        if self.holds.dtype != DtypeOf(self.parameter):
            return None
        if product is not None:
            return self.holds.lists[products.ALL.index(product)]
        return tuple(dict.fromkeys(dtype for each in self.holds.lists for dtype in each))

    def under(self, condition: Condition) -> Rule:
        """The same rule, demanded only under the condition."""
        return replace(self, condition=condition)

    def with_code(self, code: Status) -> Rule:
        """The same rule with another status."""
        return replace(self, code=code)


@dataclass(frozen=True)
class Done:
    """Not a check: under the condition phase 1 succeeds here, with nothing to do."""

    condition: Condition


Step = Rule | Done
