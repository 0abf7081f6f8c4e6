# SPDX-License-Identifier: Apache-2.0
"""Sparse modes of attention over sequences of different lengths: what they ask of the call."""

from __future__ import annotations

from aclhost.ops.attention.build import PREFIX_COMPRESSED, equal
from aclhost.ops.attention.flash_checks import MASK, PREFIXES
from aclhost.ops.attention.flash_params import ENDS, STARTS
from aclhost.spec.rules import Condition, Rule, is_given, one_of, requires, when
from aclhost.spec.rules.base import Shown
from aclhost.spec.sequences import EverySequence, LongestSequence, SequenceLength
from aclhost.spec.terms import (
    AtMost,
    Const,
    Equal,
    If,
    ItemOf,
    LargestItem,
    LengthOf,
    Not,
    Or,
    Position,
    Present,
    Sum,
    Term,
    Times,
    ValueOf,
    all_of,
    any_of,
)

Rules = tuple[Rule, ...]
CAUSAL_THEN_BAND, BAND_THEN_CAUSAL = 7, 8
QUERY_ENDS, KEY_ENDS = ENDS
QUERIES, KEYS = SequenceLength(QUERY_ENDS), SequenceLength(KEY_ENDS)
LONGEST_QUERY, LONGEST_KEY = LongestSequence(QUERY_ENDS), LongestSequence(KEY_ENDS)
_BEFORE, _AFTER = ValueOf("preTokens"), ValueOf("nextTokens")
SLOPING = AtMost(Const(2), ValueOf("pseType"))
SEQUENCES = (Shown("array", QUERY_ENDS), " and ", Shown("array", KEY_ENDS))


def mode_is(*modes: int) -> Term:
    """Whether sparseMode is one of these."""
    return any_of(*(Equal(ValueOf("sparseMode"), Const(mode)) for mode in modes))


def _minus(first: Term, second: Term) -> Term:
    return Sum(first, Times(Const(-1), second))


def sloping_shift(shift: str) -> Condition:
    """Slopes instead of values that are added."""
    return Condition(
        all_of(Present(shift), SLOPING), f"{shift} is given and pseType is 2 or 3"
    )  # fmt: skip


def _rows_see_keys(id: str, condition: Condition, holds: Term, words: str) -> Rules:
    """Of sequences that have both."""
    full = all_of(AtMost(Const(1), QUERIES), AtMost(Const(1), KEYS))
    return when(condition, requires(
        id, QUERY_ENDS, EverySequence(QUERY_ENDS, Or(Not(full), holds)), words,
        (*SEQUENCES, ", preTokens ", Shown("integer", _BEFORE),
         ", nextTokens ", Shown("integer", _AFTER)),
        "Split sequences so that every query sees a key.",
    ))  # fmt: skip


def _tokens(id: str, condition: Condition, holds: Term, words: str) -> Rules:
    return when(condition, requires(
        id, "preTokens", holds, words,
        (Shown("integer", _BEFORE), " and ", Shown("integer", _AFTER)), "Widen the band.",
    ))  # fmt: skip


def _masked_in(*modes: int) -> Condition:
    words = " or ".join(map(str, modes))
    return Condition(all_of(Present(MASK), mode_is(*modes)), f"{MASK} is given, sparseMode {words}")


def _band() -> Rules:
    """Mode 0, unless its band is wide enough for every sequence."""
    causal = all_of(AtMost(LONGEST_QUERY, _BEFORE), Equal(_AFTER, Const(0)))
    wide = all_of(AtMost(LONGEST_QUERY, _BEFORE), AtMost(LONGEST_KEY, _AFTER))
    narrow = Condition(
        all_of(_masked_in(0).term, Not(causal), Not(wide)), f"{MASK} is given, sparseMode 0"
    )
    meets = Or(AtMost(Const(0), _BEFORE), AtMost(Const(0), Sum(_BEFORE, _AFTER)))
    return (
        *_tokens("band", narrow, AtMost(Const(0), _AFTER), "nextTokens must be at least 0"),
        *_rows_see_keys("rows_see_keys", narrow, AtMost(QUERIES, Sum(KEYS, _BEFORE)),
                        "no sequence may have more queries than keys and preTokens"),
        *_tokens("band", narrow, meets, "preTokens and nextTokens must leave a band"),
    )  # fmt: skip


def _band_from_end() -> Rules:
    here = _masked_in(4)
    meets = Or(AtMost(Const(0), _AFTER), AtMost(Const(0), Sum(_BEFORE, _AFTER)))
    return (
        *_tokens("band", here, AtMost(Const(0), _BEFORE), "preTokens must be at least 0"),
        *_tokens("band", here, meets, "preTokens and nextTokens must leave a band"),
        *_rows_see_keys("rows_see_keys", here, AtMost(_minus(QUERIES, _AFTER), KEYS),
                        "no sequence may have more queries than keys and nextTokens"),
    )  # fmt: skip


def _cut_sequences() -> Rules:
    """A band from the end for the last sequence (7) or the first one (8) that has queries."""
    end = ItemOf(QUERY_ENDS, Position())
    last = all_of(AtMost(Const(1), QUERIES), Equal(end, LargestItem(QUERY_ENDS)))
    first = all_of(AtMost(Const(1), QUERIES), Equal(end, QUERIES))
    seven, eight = _masked_in(CAUSAL_THEN_BAND), _masked_in(BAND_THEN_CAUSAL)
    fits = AtMost(_minus(QUERIES, _AFTER), KEYS)

    def of(which: Term, holds: Term) -> Term:
        return EverySequence(QUERY_ENDS, Or(Not(which), holds))

    return (
        *_tokens("band", seven, all_of(of(last, AtMost(KEYS, _BEFORE)), AtMost(_AFTER, Const(0))),
                 "preTokens must reach all keys of the last sequence, and nextTokens be at most "
                 "0"),
        *_rows_see_keys(
            "rows_see_keys", seven, all_of(AtMost(QUERIES, KEYS), Or(Not(last), fits)),
            "no sequence may have more queries than keys, nor the last more than keys and "
            "nextTokens",
        ),
        *_tokens("band", eight, of(first, fits),
                 "the first sequence must not have more queries than keys and nextTokens"),
        *_tokens("band", eight, of(first, AtMost(KEYS, _BEFORE)),
                 "preTokens must reach all keys of the first sequence"),
    )  # fmt: skip


def _prefixes() -> Rules:
    prefix, spare = ItemOf(PREFIXES, Position()), _minus(KEYS, QUERIES)
    least = If(AtMost(KEYS, QUERIES), Const(0), spare)
    return when(
        _masked_in(PREFIX_COMPRESSED),
        equal(PREFIXES, LengthOf(PREFIXES), LengthOf(QUERY_ENDS), "a value for each sequence"),
        requires(
            "prefix_range", PREFIXES,
            EverySequence(QUERY_ENDS, all_of(AtMost(least, prefix), AtMost(prefix, KEYS))),
            f"{PREFIXES} must lie between what keys a sequence has more than queries and all of "
            "them", (Shown("array", PREFIXES),), "Pass how many keys all queries see.",
        ),
    )  # fmt: skip


def modes() -> Rules:
    """What each mode asks of the lengths, the band and the prefixes."""
    return (
        *when(is_given(MASK), one_of("sparseMode", 0, 1, 2, 3, 4, 6, 7, 8)),
        *_band(),
        *when(_masked_in(3), requires(
            "rows_see_keys", QUERY_ENDS, EverySequence(QUERY_ENDS, AtMost(QUERIES, KEYS)),
            "no sequence may have more queries than keys", SEQUENCES,
            "Split sequences so that every query sees a key.",
        )),
        *_band_from_end(),
        *_cut_sequences(),
        *_prefixes(),
    )  # fmt: skip


def sloping_modes(shift: str) -> Rules:
    """Where distances are counted in whole sequences."""
    starts = _minus(ItemOf(STARTS[0], Const(0)), ItemOf(STARTS[1], Const(0)))
    ahead = If(Equal(Position(), Const(0)), starts, Const(0))
    same = Equal(Sum(QUERIES, ahead), KEYS)
    in_mode = all_of(sloping_shift(shift).term, Present(MASK))
    return (
        *when(Condition(all_of(in_mode, mode_is(CAUSAL_THEN_BAND)), f"{MASK} is given, sparseMode "
                        "7"), requires(
            "no_slopes", "pseType", Not(SLOPING), "pseType must be below 2",
            (Shown("integer", ValueOf("pseType")),), "Pass another mode.",
        )),
        *when(Condition(all_of(in_mode, mode_is(BAND_THEN_CAUSAL)),
                        "pseType is 2 or 3, sparseMode 8"), requires(
            "same_length", QUERY_ENDS, EverySequence(QUERY_ENDS, same),
            "sequences must have as many queries as keys, the first counted from its starts",
            SEQUENCES, "Pass other starts.",
        )),
    )  # fmt: skip
