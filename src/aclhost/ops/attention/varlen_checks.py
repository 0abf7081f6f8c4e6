# SPDX-License-Identifier: Apache-2.0
"""Checks of attention over sequences of different lengths, and of its gradients."""

from __future__ import annotations

from aclhost.ops.attention.build import (
    BAND_FROM_END,
    COMPRESSED,
    PREFIX_COMPRESSED,
    equal,
    has_values,
    length_is_one_of,
    widest,
)
from aclhost.ops.attention.flash_checks import DROP, MASK
from aclhost.ops.attention.flash_params import SHIFT
from aclhost.ops.attention.last_rows import LAST_ROWS, is_causal, last_rows_rules
from aclhost.ops.attention.varlen_modes import (
    KEY_ENDS,
    KEYS,
    LONGEST_KEY,
    LONGEST_QUERY,
    QUERIES,
    QUERY_ENDS,
    SEQUENCES,
    SLOPING,
    mode_is,
    modes,
    sloping_modes,
    sloping_shift,
)
from aclhost.spec.dtypes import BF16, BOOL, FLOAT, FLOAT16, UINT8
from aclhost.spec.products import A2
from aclhost.spec.rules import (
    Condition,
    Rule,
    Step,
    at_least,
    done_when,
    dtype_in,
    inner,
    inside_storage,
    is_given,
    not_null,
    one_of,
    rank_in,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.sequences import EverySequence, SumOfSequences
from aclhost.spec.shapes import Lengths, ShapeOf, ShapeTerm
from aclhost.spec.terms import (
    AtMost,
    Const,
    DimOf,
    Divided,
    Elements,
    Empty,
    Equal,
    If,
    LengthOf,
    Not,
    Or,
    Present,
    RankOf,
    RealIs,
    Sum,
    Term,
    TextIs,
    Times,
    ValueOf,
    all_of,
    any_of,
)

Rules = tuple[Rule, ...]
COPIES = 8  # of each statistic
_PREFIX_ROWS = 3072
_ALL_QUERIES = SumOfSequences(QUERY_ENDS, QUERIES)
_ALL_KEYS = SumOfSequences(KEY_ENDS, KEYS)
_PAIRS = SumOfSequences(QUERY_ENDS, Times(QUERIES, KEYS))
_HEADS = DimOf("query", Const(1))


def width(name: str) -> Term:
    """Of a head."""
    return DimOf(name, Const(2))


def out_shape() -> ShapeTerm:
    """[T, N, width of value]."""
    return Lengths((DimOf("query", Const(0)), _HEADS, width("value")))


def statistics_shape() -> ShapeTerm:
    """[T, N, 8]."""
    return Lengths((DimOf("query", Const(0)), _HEADS, Const(COPIES)))


def _layout() -> Rules:
    return requires(
        "layout", "inputLayout", TextIs("inputLayout", ("TND",)), "inputLayout must be TND",
        (Shown("text", "inputLayout"),), "Join batches and rows, or use FlashAttentionScore.",
    )  # fmt: skip


def _widths(key: str) -> Rules:
    return (
        *equal(key, width(key), width("query"), "the width of query's heads"),
        *requires(
            "value_width", "value", AtMost(width("value"), width("query")),
            "heads of value must not be wider than those of query",
            (Shown("integer", width("value")), " and ", Shown("integer", width("query"))),
            "Swap them.",
        ),
    )  # fmt: skip


def _attributes(typed: bool) -> Rules:
    keep = all_of(RealIs("keepProb", ">", 0.0), RealIs("keepProb", "<=", 1.0))
    return (
        *requires("keep_range", "keepProb", keep, "keepProb must be above 0 and at most 1",
                  (Shown("real", "keepProb"),), "Pass the share of what is kept."),
        *(one_of("pseType", 0, 1, 2, 3) if typed else ()),
    )  # fmt: skip


def _sequences(key: str) -> Rules:
    """The arrays agree with each other and with the tensors."""
    rows = {"query": (_ALL_QUERIES, QUERY_ENDS), key: (_ALL_KEYS, KEY_ENDS)}
    return (
        *equal(KEY_ENDS, LengthOf(KEY_ENDS), LengthOf(QUERY_ENDS), f"as many values as "
               f"{QUERY_ENDS}"),
        *(rule for name, (total, ends) in rows.items() for rule in requires(
            "sequences_fit", name, AtMost(total, DimOf(name, Const(0))),
            f"{name} must have a row for each element of its sequences",
            (Shown("shape", ShapeOf(name)), " for ", Shown("array", ends)),
            "Pass where each sequence ends, in elements from the start.",
        )),
    )  # fmt: skip


def _heads(key: str) -> Rules:
    heads = DimOf(key, Const(1))
    whole = all_of(
        AtMost(Const(1), heads), Equal(Times(Divided(_HEADS, heads), heads), _HEADS)
    )  # fmt: skip
    return (
        *equal("query", _HEADS, ValueOf("headNum"), "headNum heads"),
        *requires(
            "whole_groups", key, whole, f"heads of {key} must divide headNum",
            (Shown("integer", heads), " and ", Shown("integer", _HEADS)), "Repeat heads.",
        ),
        *has_values(width("value")),
        *equal("value", DimOf("value", Const(0)), DimOf(key, Const(0)), f"as many rows as {key}"),
        *equal("value", DimOf("value", Const(1)), heads, f"as many heads as {key}"),
    )  # fmt: skip


def _full_shift(shift: str, typed: bool) -> Condition:
    words = f"{shift} is given" + (" and pseType is below 2" if typed else "")
    return Condition(all_of(Present(shift), Not(SLOPING)) if typed else Present(shift), words)


def _has_last_rows(shift: str) -> Term:
    """Whether it is [1 or sequences, N, 1024, longest keys]."""
    batches, *lengths = (DimOf(shift, Const(axis)) for axis in range(4))
    wanted = (_HEADS, Const(LAST_ROWS), LONGEST_KEY)
    return all_of(
        Equal(RankOf(shift), Const(4)),
        any_of(Equal(batches, Const(1)), Equal(batches, LengthOf(QUERY_ENDS))),
        *(Equal(length, each) for length, each in zip(lengths, wanted, strict=True)),
    )


def _last_rows(shift: str, typed: bool) -> Rules:
    held = all_of(_full_shift(shift, typed).term, _has_last_rows(shift))
    same = requires(
        "same_length", QUERY_ENDS, EverySequence(QUERY_ENDS, Equal(QUERIES, KEYS)),
        "sequences must have as many queries as keys", SEQUENCES, "Pass all rows of the shift.",
    )  # fmt: skip
    band = all_of(
        mode_is(BAND_FROM_END), AtMost(LONGEST_KEY, ValueOf("preTokens")),
        Equal(ValueOf("nextTokens"), Const(0)),
    )  # fmt: skip
    return last_rows_rules(shift, held, same, is_causal(Present(MASK), LONGEST_QUERY, band))


def _shift(shift: str, typed: bool) -> Rules:
    """Values of each sequence, one after the other."""
    rows = DimOf(shift, Const(0))
    lengths = (Times(_HEADS, _PAIRS), Times(_HEADS, _ALL_KEYS))
    full = _full_shift(shift, typed)
    return (
        *when(full, requires(
            "packed_shift", shift,
            any_of(*(Equal(rows, length) for length in lengths), _has_last_rows(shift)),
            f"dimension 0 of {shift} must have a value for each score, or for each head and key, "
            f"or it must hold the last {LAST_ROWS} rows of the longest sequence",
            (Shown("shape", ShapeOf(shift)),),
            "Put [N, queries, keys] or [N, 1, keys] of each sequence one after the other.",
        ), requires(
            "packed_shift", shift, Or(_has_last_rows(shift), all_of(
                AtMost(Const(2), RankOf(shift)), Equal(Elements(shift), rows)
            )),
            f"{shift} must have two dimensions or more, all but the first of length 1",
            (Shown("shape", ShapeOf(shift)),), f"Reshape {shift}.",
        )),
    )  # fmt: skip


def _slopes(shift: str) -> Rules:
    by_batch = Condition(
        all_of(sloping_shift(shift).term, Equal(RankOf(shift), Const(2))),
        f"{shift} has a row for each sequence",
    )
    return (
        *requires(
            "needs_shift", shift, Or(Present(shift), Equal(ValueOf("pseType"), Const(1))),
            f"{shift} must not be null unless pseType is 1", ("a null pointer",),
            "Pass pseType 1, or what is added to scores.",
        ),
        *when(sloping_shift(shift), rank_in(shift, 1, 2),
              length_is_one_of(shift, -1, (_HEADS,), "the heads of query")),
        *when(by_batch, length_is_one_of(shift, 0, (LengthOf(QUERY_ENDS),),
                                         "the number of sequences")),
    )  # fmt: skip


def _mask() -> Rules:
    given, packed = Present(MASK), AtMost(Const(2), ValueOf("sparseMode"))
    rows, columns = DimOf(MASK, Const(-2)), DimOf(MASK, Const(-1))
    longest = all_of(Equal(rows, LONGEST_QUERY), Equal(columns, LONGEST_KEY))
    whole = all_of(Equal(rows, _ALL_QUERIES), Equal(columns, _ALL_KEYS))
    flat = Equal(RankOf(MASK), Const(2))
    side = If(mode_is(PREFIX_COMPRESSED), Const(_PREFIX_ROWS), Const(COMPRESSED))
    deep = Condition(
        all_of(given, Not(packed), Not(flat)), f"{MASK} has four dimensions"
    )  # fmt: skip
    shape = (Shown("shape", ShapeOf(MASK)),)
    return (
        *when(is_given(MASK), dtype_in(MASK, BOOL, UINT8), rank_in(MASK, 2, 4)),
        *when(Condition(all_of(given, Not(packed)), f"{MASK} is given in full"), requires(
            "mask_shape", MASK, Or(longest, all_of(flat, whole)),
            f"{MASK} must have a row and a column for each element of the longest sequences, or "
            "of all sequences", shape, f"Create {MASK} with that shape.",
        )),
        *when(deep,
              length_is_one_of(MASK, 0, (Const(1), LengthOf(QUERY_ENDS)),
                               "1 or the number of sequences"),
              length_is_one_of(MASK, 1, (Const(1), _HEADS), "1 or the heads of query")),
        *when(Condition(all_of(given, packed), "sparseMode is 2 or above"), requires(
            "packed_mask", MASK, all_of(Equal(rows, side), Equal(columns, Const(COMPRESSED))),
            f"{MASK} must have {COMPRESSED} columns and as many rows, in mode 6 {_PREFIX_ROWS}",
            shape, "Pass the triangle that stands for all lengths.",
        )),
    )  # fmt: skip


def _dropout() -> Rules:
    bits = Times(_HEADS, _PAIRS)
    given = Condition(all_of(Present(DROP), Not(Equal(RankOf(DROP), Const(0)))), f"{DROP} is given")
    return when(
        given,
        dtype_in(DROP, UINT8),
        requires(
            "drop_bits", DROP, AtMost(Divided(Sum(bits, Const(7)), Const(8)), Elements(DROP)),
            f"{DROP} must have a bit for each score", (Shown("shape", ShapeOf(DROP)),),
            "Pass eight bits in a byte.",
        ),
    )  # fmt: skip


def _something() -> Rules:
    holds = all_of(AtMost(Const(1), LONGEST_QUERY), AtMost(Const(1), LONGEST_KEY))
    return requires(
        "no_sequence", QUERY_ENDS, holds, "there must be a query and a key", SEQUENCES,
        "Pass where each sequence ends.",
    )  # fmt: skip


def _late(key: str, typed: bool) -> Rules:
    """What only the inner operator refuses."""
    shift = SHIFT[key]
    return inner(
        _attributes(typed),
        dtype_in("query", FLOAT16, BF16, FLOAT),
        _sequences(key),
        _heads(key),
        *((_slopes(shift),) if typed else ()),
        _shift(shift, typed),
        _mask(),
        _dropout(),
        _something(),
        modes(),
        _last_rows(shift, typed),
        *((sloping_modes(shift),) if typed else ()),
    )


def _same_types(key: str, shift: str, typed: bool) -> Rules:
    sloping = Condition(SLOPING, "pseType is 2 or 3")
    return (
        *same_dtype(key, "query"),
        *same_dtype("value", key),
        *(when(sloping, not_null(shift), dtype_in(shift, FLOAT)) if typed else ()),
        *when(_full_shift(shift, typed), same_dtype(shift, "query")),
    )


def _statistics_layout(name: str) -> Rules:
    """What is not same_as_input is empty, as upstream reads it."""
    return not_null(name) if name else ()


def forward_checks(typed: bool, layout: str) -> tuple[tuple[Step, ...], ...]:
    """Phase 1 of the forward; `typed` has a pseType."""
    outs, shift = ("softmaxMaxOut", "softmaxSumOut", "attentionOutOut"), SHIFT["key"]
    empty = Condition(all_of(*(Empty(name) for name in outs)), "all results are empty")
    return (
        not_null("query", "key", "value", "inputLayout", *outs),
        _statistics_layout(layout),
        done_when(empty),
        _layout(),
        *((_same_types("key", shift, typed),) if typed else ()),
        at_least("headNum", 1),
        *(rank_in(name, 3) for name in ("query", "key", "value")),
        _widths("key"),
        widest(width("query")),
        *((inner(_same_types("key", shift, typed)),) if not typed else ()),
        _late("key", typed),
        inner(
            *(dtype_in(name, FLOAT) for name in outs[:2]),
            *(shape_is(name, statistics_shape(), "[T, N, 8]") for name in outs[:2]),
            same_dtype(outs[2], "query"),
            shape_is(outs[2], out_shape(), "of query, with the width of value"),
        ),
        supported_on(A2),
        inside_storage("query", "key", "value", shift, DROP, MASK),
    )


def backward_checks(typed: bool, layout: str) -> tuple[tuple[Step, ...], ...]:
    """Phase 1 of the gradients."""
    outs = {"dqOut": "query", "dkOut": "keyIn", "dvOut": "value"}
    shift, saved = SHIFT["keyIn"], ("softmaxMaxOptional", "softmaxSumOptional")
    empty = Condition(all_of(*(Empty(name) for name in outs)), "all results are empty")
    ins = ("dy", "attentionInOptional")
    return (
        not_null("inputLayout"),
        _statistics_layout(layout),
        _layout(),
        not_null("query", "keyIn", "value", *ins, *outs),
        done_when(empty),
        at_least("headNum", 1),
        *(rank_in(name, 3) for name in ("query", "keyIn", "value", *ins, *outs)),
        _widths("keyIn"),
        inner(_same_types("keyIn", shift, typed), widest(width("query"))),
        _late("keyIn", typed),
        inner(
            not_null(*saved),
            *(same_dtype(name, "query") for name in (*ins, *outs)),
            *(dtype_in(name, FLOAT) for name in saved),
            *(shape_is(name, statistics_shape(), "[T, N, 8]") for name in saved),
            *(shape_is(name, out_shape(), "of query, with the width of value") for name in ins),
            *(same_shape(name, like) for name, like in outs.items()),
        ),
        supported_on(A2),
        inside_storage("query", "keyIn", "value", *ins, shift, DROP, MASK, *saved),
    )
