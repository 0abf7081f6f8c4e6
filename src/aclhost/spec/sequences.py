# SPDX-License-Identifier: Apache-2.0
"""Sequences that lie one after the other, and the array that tells where each of them ends.

The native half is `native/operator/sequence_terms.cc`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from aclhost.spec.call import Call
from aclhost.spec.terms import Term, saturated


def sequence_lengths(ends: Sequence[int]) -> list[int]:
    """An end that lies before the last one makes an empty sequence."""
    starts = (0, *ends)[: len(ends)]
    return [max(saturated(end - start), 0) for start, end in zip(starts, ends, strict=True)]


def _calls(call: Call, ends: str) -> Iterator[Call]:
    for position in range(len(call.integers(ends))):
        yield replace(call, position=position)


@dataclass(frozen=True)
class SequenceLength(Term):
    """The length of the sequence that is looked at; 0 where there is none."""

    ends: str

    def evaluate(self, call: Call) -> int:
        lengths = sequence_lengths(call.integers(self.ends))
        return lengths[call.position] if call.position < len(lengths) else 0


@dataclass(frozen=True)
class EverySequence(Term):
    """Something holds for every sequence."""

    ends: str
    term: Term

    def evaluate(self, call: Call) -> int:
        return int(all(map(self.term.evaluate, _calls(call, self.ends))))


@dataclass(frozen=True)
class SumOfSequences(Term):
    """The values for all sequences added, as far as 64 bits reach."""

    ends: str
    term: Term

    def evaluate(self, call: Call) -> int:
        total = 0
        for each in _calls(call, self.ends):
            total = saturated(total + self.term.evaluate(each))
        return total


@dataclass(frozen=True)
class LongestSequence(Term):
    """The length of the longest sequence; 0 where there is none."""

    ends: str

    def evaluate(self, call: Call) -> int:
        return max(sequence_lengths(call.integers(self.ends)), default=0)
