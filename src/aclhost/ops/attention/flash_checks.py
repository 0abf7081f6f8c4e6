# SPDX-License-Identifier: Apache-2.0
"""Checks of attention for training and of its gradients."""

from __future__ import annotations

from aclhost.ops.attention.build import (
    COMPRESSED,
    FLAT,
    PREFIX,
    PREFIX_COMPRESSED,
    Axes,
    equal,
    has_values,
    length_is_one_of,
    widest,
)
from aclhost.ops.attention.last_rows import LAST_ROWS, is_causal, last_rows_rules
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
from aclhost.spec.shapes import Lengths, ShapeOf, ShapeTerm, WithLast
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
)

Rules = tuple[Rule, ...]
LAYOUTS = ("BSH", "SBH", "BSND", "BNSD")
MASK, DROP, PREFIXES = "attenMaskOptional", "dropMaskOptional", "prefixOptional"
_PREFIX_ROWS = 3072

QUERY = Axes("query", ValueOf("headNum"))


def key_axes(name: str, key: str) -> Axes:
    """Of keys or values; the width of flat heads is the query's."""
    return Axes(name, Divided(DimOf(key, Const(2)), QUERY.width))


def out_shape(key: str = "key") -> ShapeTerm:
    """That of query, with the width of value."""
    width = key_axes("value", key).width
    return WithLast("query", 0, (If(FLAT, Times(ValueOf("headNum"), width), width),))


def statistics_shape(copies: int) -> Lengths:
    """[B, N, S, copies]."""
    return Lengths((QUERY.batches, QUERY.heads, QUERY.rows, Const(copies)))


def _widths(key: str) -> Rules:
    wide, value = key_axes(key, key).width, key_axes("value", key).width
    return (
        *equal("query", RankOf("query"), If(FLAT, Const(3), Const(4)), "the rank of its layout"),
        *equal(key, wide, QUERY.width, "the width of query's heads"),
        *requires(
            "value_width", "value", AtMost(value, QUERY.width),
            "heads of value must not be wider than those of query",
            (Shown("integer", value), " and ", Shown("integer", QUERY.width)), "Swap them.",
        ),
    )  # fmt: skip


def _layout() -> Rules:
    return requires(
        "layout", "inputLayout", TextIs("inputLayout", LAYOUTS),
        f"inputLayout must be one of {', '.join(LAYOUTS)}", (Shown("text", "inputLayout"),),
        "Permute the tensors.",
    )  # fmt: skip


def _keys(key: str) -> Rules:
    keys, values = key_axes(key, key), key_axes("value", key)
    heads = keys.heads
    whole = all_of(
        AtMost(Const(1), heads), Equal(Times(Divided(QUERY.heads, heads), heads), QUERY.heads)
    )
    return (
        *(rule for name in (key, "value")
          for rule in equal(name, RankOf(name), RankOf("query"), "the rank of query")),
        *equal("query", QUERY.heads, ValueOf("headNum"), "headNum heads"),
        *(rule for axes in (keys, values)
          for rule in equal(axes.name, axes.batches, QUERY.batches, "the batches of query")),
        *requires(
            "whole_groups", key, whole, f"heads of {key} must divide headNum",
            (Shown("integer", heads), " and ", Shown("integer", QUERY.heads)), "Repeat heads.",
        ),
        *equal("value", values.rows, keys.rows, f"as many rows as {key}"),
        *equal("value", values.heads, heads, f"as many heads as {key}"),
    )  # fmt: skip


_MANY_ROWS = AtMost(Const(LAST_ROWS + 1), QUERY.rows)
_SLOPING = AtMost(Const(2), ValueOf("pseType"))


def _given_in_full(shift: str, typed: bool) -> Condition:
    """Whether it holds values rather than slopes."""
    words = f"{shift} is given" + (" and pseType is below 2" if typed else "")
    return Condition(all_of(Present(shift), Not(_SLOPING)) if typed else Present(shift), words)


def _slopes(shift: str, key: str) -> Rules:
    """A number for each head, and as many keys as queries."""
    given = Condition(all_of(Present(shift), _SLOPING), f"{shift} is given and pseType is 2 or 3")
    needed = Or(Present(shift), Equal(ValueOf("pseType"), Const(1)))
    by_batch = Condition(
        all_of(given.term, Equal(RankOf(shift), Const(2))), f"{shift} has a row for each batch"
    )
    return (
        *requires(
            "needs_shift", shift, needed, f"{shift} must not be null unless pseType is 1",
            ("a null pointer",), "Pass pseType 1, or what is added to scores.",
        ),
        *when(
            given,
            rank_in(shift, 1, 2),
            length_is_one_of(shift, -1, (QUERY.heads,), "the heads of query"),
            equal("query", QUERY.rows, key_axes(key, key).rows, f"as many rows as {key}"),
        ),
        *when(by_batch, length_is_one_of(shift, 0, (QUERY.batches,), "the batches of query")),
    )  # fmt: skip


def _shift(shift: str, key: str, typed: bool) -> Rules:
    keys = key_axes(key, key)
    return when(
        _given_in_full(shift, typed),
        rank_in(shift, 4),
        length_is_one_of(shift, 0, (Const(1), QUERY.batches), "1 or the batches of query"),
        length_is_one_of(shift, 1, (QUERY.heads,), "the heads of query"),
        length_is_one_of(
            shift, 2, (Const(1), QUERY.rows, If(_MANY_ROWS, Const(LAST_ROWS), Const(1))),
            f"1, the rows of query, or {LAST_ROWS} if those are more",
        ),
        length_is_one_of(shift, 3, (keys.rows,), f"the rows of {key}"),
    )  # fmt: skip


def _last_rows(shift: str, key: str, typed: bool) -> Rules:
    held = all_of(
        _given_in_full(shift, typed).term,
        _MANY_ROWS,
        Equal(DimOf(shift, Const(2)), Const(LAST_ROWS)),
    )
    same = equal("query", QUERY.rows, key_axes(key, key).rows, f"as many rows as {key}")
    return last_rows_rules(shift, held, same, is_causal(is_given(MASK).term, QUERY.rows))


def _mask(key: str) -> Rules:
    mode, rows = ValueOf("sparseMode"), key_axes(key, key).rows
    given, packed = is_given(MASK).term, all_of(AtMost(Const(2), mode), Not(Equal(mode, Const(5))))
    whole = Condition(all_of(given, Not(packed)), f"{MASK} is given in full")
    deep = Condition(
        all_of(whole.term, Equal(RankOf(MASK), Const(4))), f"{MASK} has four dimensions"
    )
    prefixed = Equal(mode, Const(PREFIX_COMPRESSED))
    side = If(prefixed, Const(_PREFIX_ROWS), Const(COMPRESSED))
    square = all_of(
        Equal(DimOf(MASK, Const(-2)), side), Equal(DimOf(MASK, Const(-1)), Const(COMPRESSED))
    )
    matrix = all_of(Equal(DimOf(MASK, Const(-2)), QUERY.rows), Equal(DimOf(MASK, Const(-1)), rows))
    shape = (Shown("shape", ShapeOf(MASK)),)
    uses_prefix = all_of(given, Or(Equal(mode, Const(PREFIX)), prefixed))
    return (
        *one_of("sparseMode", 0, 1, 2, 3, 4, 5, 6),
        *when(Condition(given, f"{MASK} is given"), dtype_in(MASK, BOOL, UINT8),
              rank_in(MASK, 2, 4)),
        *when(Condition(all_of(given, packed), "sparseMode is 2, 3, 4 or 6"), requires(
            "packed_mask", MASK, square,
            f"{MASK} must have {COMPRESSED} columns and as many rows, in mode 6 {_PREFIX_ROWS}",
            shape, "Pass the triangle that stands for all lengths.",
        )),
        *when(whole, requires(
            "mask_shape", MASK, matrix, f"{MASK} must have a row for each query and a column for "
            "each key", shape, f"Create {MASK} with that shape.",
        )),
        *when(deep,
              length_is_one_of(MASK, 0, (Const(1), QUERY.batches), "1 or the batches of query"),
              length_is_one_of(MASK, 1, (Const(1), QUERY.heads), "1 or the heads of query")),
        *when(Condition(uses_prefix, "sparseMode is 5 or 6"), requires(
            "prefix_length", PREFIXES, AtMost(QUERY.batches, LengthOf(PREFIXES)),
            f"{PREFIXES} must have a value for each batch", (Shown("array", PREFIXES),),
            "Pass how many keys all queries of a batch see.",
        )),
    )  # fmt: skip


def _dropout(key: str) -> Rules:
    keep = all_of(RealIs("keepProb", ">", 0.0), RealIs("keepProb", "<=", 1.0))
    scores: Term = Times(Times(QUERY.batches, QUERY.heads),
                         Times(QUERY.rows, key_axes(key, key).rows))  # fmt: skip
    drops = Condition(
        all_of(Present(DROP), Not(Empty(DROP)), RealIs("keepProb", "<", 1.0)),
        f"{DROP} is given and keepProb is below 1",
    )
    return (
        *requires("keep_range", "keepProb", keep, "keepProb must be above 0 and at most 1",
                  (Shown("real", "keepProb"),), "Pass the share of what is kept."),
        *when(is_given(DROP), dtype_in(DROP, UINT8)),
        *when(drops, requires(
            "drop_bits", DROP, AtMost(Divided(Sum(scores, Const(7)), Const(8)), Elements(DROP)),
            f"{DROP} must have a bit for each score", (Shown("shape", ShapeOf(DROP)),),
            "Pass eight bits in a byte.",
        )),
    )  # fmt: skip


def _late(key: str, shift: str, typed: bool) -> Rules:
    """What only the inner operator refuses."""
    return inner(
        *((one_of("pseType", 0, 1, 2, 3),) if typed else ()),
        dtype_in("query", FLOAT16, BF16, FLOAT),
        _keys(key),
        has_values(key_axes("value", key).width),
        _shift(shift, key, typed),
        *((_slopes(shift, key),) if typed else ()),
        _mask(key),
        _dropout(key),
        _last_rows(shift, key, typed),
    )


def forward_checks(typed: bool, copies: int) -> tuple[tuple[Step, ...], ...]:
    """Phase 1 of the forward; `typed` has a pseType."""
    outs, shift = ("softmaxMaxOut", "softmaxSumOut", "attentionOutOut"), "realShiftOptional"
    empty = Condition(all_of(*(Empty(name) for name in outs)), "all results are empty")
    sloping = Condition(_SLOPING, "pseType is 2 or 3")
    return (
        not_null("query", "key", "value", "inputLayout", *outs),
        done_when(empty),
        same_dtype("key", "query"),
        same_dtype("value", "key"),
        *((when(sloping, not_null(shift), dtype_in(shift, FLOAT)),) if typed else ()),
        when(_given_in_full(shift, typed), same_dtype(shift, "query")),
        at_least("headNum", 1),
        _layout(),
        _widths("key"),
        widest(QUERY.width),
        _late("key", shift, typed),
        inner(
            *(dtype_in(name, FLOAT) for name in outs[:2]),
            *(shape_is(name, statistics_shape(copies), "[B, N, S, 8]") for name in outs[:2]),
            same_dtype(outs[2], "query"),
            shape_is(outs[2], out_shape(), "of query, with the width of value"),
        ),
        supported_on(A2),
        inside_storage("query", "key", "value", shift, DROP, MASK),
    )


def backward_checks(typed: bool, copies: int) -> tuple[tuple[Step, ...], ...]:
    """Phase 1 of the gradients."""
    outs = {"dqOut": "query", "dkOut": "keyIn", "dvOut": "value"}
    shift, saved = "pseShiftOptional", ("softmaxMaxOptional", "softmaxSumOptional")
    empty = Condition(all_of(*(Empty(name) for name in outs)), "all results are empty")
    ins = ("dy", "attentionInOptional")
    return (
        not_null("query", "keyIn", "value", *ins, "inputLayout", *outs),
        done_when(empty),
        at_least("headNum", 1),
        _layout(),
        _widths("keyIn"),
        inner(widest(QUERY.width)),
        _late("keyIn", shift, typed),
        inner(
            not_null(*saved),
            *(same_dtype(name, "query") for name in ("keyIn", "value", *ins, *outs)),
            when(_given_in_full(shift, typed), same_dtype(shift, "query")),
            *((when(Condition(all_of(Present(shift), _SLOPING), "pseType is 2 or 3"),
                    dtype_in(shift, FLOAT)),) if typed else ()),
            *(dtype_in(name, FLOAT) for name in saved),
            *(shape_is(name, statistics_shape(copies), "[B, N, S, 8]") for name in saved),
            *(shape_is(name, out_shape("keyIn"), "of query, with the width of value")
              for name in ins),
            *(same_shape(name, like) for name, like in outs.items()),
        ),
        supported_on(A2),
        inside_storage("query", "keyIn", "value", *ins, shift, DROP, MASK, *saved),
    )  # fmt: skip
