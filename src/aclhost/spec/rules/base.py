# SPDX-License-Identifier: Apache-2.0
"""What every rule can do: become C++, read in English, and break itself for a test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from aclhost.spec import products
from aclhost.spec.params import snake_case
from aclhost.spec.status import Status

if TYPE_CHECKING:
    from aclhost.spec.call import Call
    from aclhost.spec.operator import Operator
    from aclhost.spec.products import Product


def listing(items: Iterable[object], last: str = "or") -> str:
    """`A, B or C`."""
    words = [str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


@dataclass(frozen=True)
class Rule:
    """One check of one parameter. C++ expressions see the arguments as `a` and the SoC as `soc`."""

    parameter: str

    code: ClassVar[Status] = Status.PARAM_INVALID

    @property
    def id(self) -> str:
        """Identifier that errors carry, for example `same_dtype`."""
        return snake_case(type(self).__name__)

    def violated(self) -> str:
        """C++ expression that is true when the rule is broken."""
        raise NotImplementedError

    def got(self) -> str:
        """C++ expression for a std::string that says what was passed instead."""
        raise NotImplementedError

    def sentence(self, product: Product | None = None) -> str:
        """What must hold; for one product where the rule depends on it, else for the page."""
        raise NotImplementedError

    def advice(self) -> str:
        """What the user should do."""
        raise NotImplementedError

    def broken(self, op: Operator, call: Call) -> Iterator[Call]:
        """Calls that break this rule and no earlier one, made from a valid call."""
        raise NotImplementedError

    def fixes_rank_of(self, parameter: str) -> bool:
        """Whether a tensor of another rank would break this rule."""
        return False

    @property
    def depends_on_product(self) -> bool:
        return len({self.sentence(product) for product in products.ALL}) > 1


@dataclass(frozen=True)
class DoneWhenEmpty:
    """Not a check: phase 1 succeeds here with nothing to do when one of the tensors is empty."""

    parameters: tuple[str, ...]
    unless: str = ""  # C++ condition under which the operator has work nevertheless
    unless_words: str = ""

    def condition(self) -> str:
        empty = " || ".join(f"a.{name}.empty()" for name in self.parameters)
        return f"({empty}) && !({self.unless})" if self.unless else empty


Step = Rule | DoneWhenEmpty
