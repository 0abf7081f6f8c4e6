# SPDX-License-Identifier: Apache-2.0
"""Terms that go over the members of a list, each of which is called MEMBER there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aclhost.spec import dtypes
from aclhost.spec.call import Call
from aclhost.spec.terms.arguments import MEMBER
from aclhost.spec.terms.base import Term, saturated
from aclhost.spec.terms.dtypes import DtypeOf


def member_calls(call: Call, parameter: str) -> Iterator[Call]:
    """The call for each member of a list."""
    members = call.arguments[parameter]
    for position, each in enumerate(members if isinstance(members, tuple) else ()):
        yield Call({**call.arguments, MEMBER: each}, call.product, call.note, position)


def first_call(call: Call, parameter: str, which: Term) -> Call:
    """That of the first member for which something holds; else that of the first one."""
    calls = list(member_calls(call, parameter)) or [call.passing(**{MEMBER: None})]
    return next((each for each in calls if which.evaluate(each)), calls[0])


@dataclass(frozen=True)
class EachMember(Term):
    """Something holds for every member."""

    parameter: str
    term: Term

    def evaluate(self, call: Call) -> int:
        return int(all(map(self.term.evaluate, member_calls(call, self.parameter))))


@dataclass(frozen=True)
class OfFirst(Term):
    """The value for the first member for which something holds, else for the first member."""

    parameter: str
    which: Term
    term: Term

    def evaluate(self, call: Call) -> int:
        return self.term.evaluate(first_call(call, self.parameter, self.which))


@dataclass(frozen=True)
class SumOver(Term):
    """The values for all members added, as far as 64 bits reach."""

    parameter: str
    term: Term

    def evaluate(self, call: Call) -> int:
        total = 0
        for each in member_calls(call, self.parameter):
            total = saturated(total + self.term.evaluate(each))
        return total


@dataclass(frozen=True)
class CommonDtype(Term):
    """The common dtype of the members for which something holds, else that of the first."""

    parameter: str
    which: Term

    def evaluate(self, call: Call) -> int:
        common = None
        for each in member_calls(call, self.parameter):
            if self.which.evaluate(each):
                dtype = dtypes.BY_VALUE[DtypeOf(MEMBER).evaluate(each)]
                common = dtype if common is None else dtypes.promote(dtype, common)
        return DtypeOf(self.parameter).evaluate(call) if common is None else common.value
