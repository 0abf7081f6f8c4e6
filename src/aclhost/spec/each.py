# SPDX-License-Identifier: Apache-2.0
"""The kernel of an operator on lists: another operator's, once for each member."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

# A parameter "x", its member or element "x[i]", the first one "x[0]"; a number; None: no values.
Source = str | float | None

_WRITTEN = re.compile(r"(\w+)(\[i\]|\[0\])?")


class From(Enum):
    """Where an argument comes from; native/engines/each.h has the same words."""

    ARGUMENT = "kArgument"  # the same for all members
    MEMBER = "kMember"  # of the same place: a list's member, a tensor's element
    FIRST = "kFirst"
    NUMBER = "kNumber"


@dataclass(frozen=True)
class Each:
    """Members go one by one through another operator: a source for each of its parameters.

    An element of a tensor stands where the other operator has a scalar.
    """

    base: str
    sources: tuple[Source, ...]

    def read(self) -> tuple[tuple[From, str, float], ...]:
        """For each parameter of the other operator: from where, which parameter, which number."""
        return tuple(map(_read, self.sources))

    @property
    def walks_over(self) -> tuple[str, ...]:
        """The parameters of which every member is taken."""
        return tuple(dict.fromkeys(name for come, name, _ in self.read() if come is From.MEMBER))


def _read(source: Source) -> tuple[From, str, float]:
    if not isinstance(source, str):
        return From.NUMBER, "", source or 0
    found = _WRITTEN.fullmatch(source)
    assert found is not None, source
    places = {None: From.ARGUMENT, "[i]": From.MEMBER, "[0]": From.FIRST}
    return places[found[2]], found[1], 0
