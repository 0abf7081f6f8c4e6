# SPDX-License-Identifier: Apache-2.0
"""Checks of attention for inference."""

from __future__ import annotations

from aclhost.ops.attention.build import COMPRESSED, FLAT, Axes, equal, length_is_one_of
from aclhost.spec.dtypes import BF16, BOOL, FLOAT, FLOAT16, INT8, INT32, UINT8
from aclhost.spec.products import A2, A3
from aclhost.spec.rules import (
    Condition,
    Rule,
    Step,
    at_least,
    done_when_empty,
    dtype_in,
    each,
    in_tiling,
    inner,
    inside_storage,
    is_given,
    is_set,
    not_null,
    one_of,
    rank_in,
    requires,
    same_dtype,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, ShapeIf, ShapeOf, WithLast
from aclhost.spec.terms import (
    MEMBER,
    AtMost,
    Const,
    DimOf,
    Divided,
    EachMember,
    Empty,
    Equal,
    EveryItem,
    If,
    LargestItem,
    LengthOf,
    Not,
    Or,
    Present,
    RankOf,
    Term,
    TextIs,
    Times,
    ValueOf,
    all_of,
    any_of,
)

Rules = tuple[Rule, ...]

_WIDEST = 512
LAYOUTS = ("BSH", "BSND", "BNSD", "BNSD_BSND")
PSE, MASK, TABLE = "pseShiftOptional", "attenMaskOptional", "blockTableOptional"
LENGTHS, KEY_LENGTHS = "actualSeqLengthsOptional", "actualSeqLengthsKvOptional"
LEFT_OUT = {
    "deqScale1Optional": "Scale of quantised scores",
    "quantScale1Optional": "Scale that powers are quantised by",
    "deqScale2Optional": "Scale of quantised results",
    "quantScale2Optional": "Scale that results are quantised by",
    "quantOffset2Optional": "Offset of quantised results",
    "antiquantScaleOptional": "Scales of quantised keys and values",
    "antiquantOffsetOptional": "Offsets of quantised keys and values",
    "queryPaddingSizeOptional": "Padding behind queries",
    "kvPaddingSizeOptional": "Padding behind keys",
    "keyAntiquantScaleOptional": "Scales of quantised keys",
    "keyAntiquantOffsetOptional": "Offsets of quantised keys",
    "valueAntiquantScaleOptional": "Scales of quantised values",
    "valueAntiquantOffsetOptional": "Offsets of quantised values",
    "keySharedPrefixOptional": "Keys before those of every batch",
    "valueSharedPrefixOptional": "Values before those of every batch",
}

_HEADS, _GIVEN_KEY_HEADS = ValueOf("numHeads"), ValueOf("numKeyValueHeads")
_KEY_HEADS = If(Equal(_GIVEN_KEY_HEADS, Const(0)), _HEADS, _GIVEN_KEY_HEADS)
QUERY = Axes("query", _HEADS)
_MEMBER = Axes(MEMBER, _KEY_HEADS)
_IN_BLOCKS = Present(TABLE)
_TOGETHER = Condition(Not(_IN_BLOCKS), f"{TABLE} is null")
_PAGED = is_given(TABLE)
_SEVERAL = Condition(Not(Equal(QUERY.rows, Const(1))), "query has several rows")
_BLOCK_ROWS = ValueOf("blockSize")


def _value_width() -> Term:
    in_flat = If(_IN_BLOCKS, Equal(RankOf("value"), Const(3)), FLAT)
    return If(in_flat, Divided(DimOf("value", Const(2)), _KEY_HEADS), DimOf("value", Const(3)))


def out_shape() -> ShapeIf:
    """That of query, with the width of value."""
    turned = Lengths((QUERY.batches, QUERY.rows, QUERY.heads, _value_width()))
    flat = WithLast("query", 0, (Times(_HEADS, _value_width()),))
    same = WithLast("query", 0, (_value_width(),))
    return ShapeIf(TextIs("inputLayout", ("BNSD_BSND",)), turned, ShapeIf(FLAT, flat, same))


def _of_members(id: str, name: str, term: Term, words: str) -> Rules:
    return requires(
        id, name, EachMember(name, term), f"every member of {name} must have {words}",
        (Shown("shape", ShapeOf(name)), " for ", Shown("shape", ShapeOf("query"))),
        f"Pass {name} in the layout of query.",
    )  # fmt: skip


def _query() -> Rules:
    """What the tiling looks at before it chooses a kernel."""
    turned = Condition(
        all_of(TextIs("inputLayout", ("BNSD_BSND",)), Equal(QUERY.rows, Const(1))),
        "query has one row",
    )
    return (
        *requires(
            "layout", "inputLayout", TextIs("inputLayout", LAYOUTS),
            f"inputLayout must be one of {', '.join(LAYOUTS)}", (Shown("text", "inputLayout"),),
            "Permute the tensors.",
        ),
        *at_least("numHeads", 1),
        *equal("query", RankOf("query"), If(FLAT, Const(3), Const(4)), "the rank of its layout"),
        *shape_is("attentionOut", out_shape(), "of query, with the width of value"),
        *requires(
            "width", "query", AtMost(QUERY.width, Const(_WIDEST)),
            f"heads of query must have at most {_WIDEST} elements",
            (Shown("integer", QUERY.width),), "Split the heads.",
        ),
        *when(turned, requires(
            "layout", "inputLayout", Not(turned.term), "inputLayout must not be BNSD_BSND",
            (Shown("text", "inputLayout"),), "Pass BNSD: of one row both are the same.",
        )),
    )  # fmt: skip


def _heads() -> Rules:
    whole = Equal(Times(Divided(_HEADS, _KEY_HEADS), _KEY_HEADS), _HEADS)
    return (
        *when(_SEVERAL, one_of("antiquantMode", 0)),
        *at_least("numKeyValueHeads", 0),
        *requires(
            "whole_groups", "numHeads", whole, "numKeyValueHeads must divide numHeads",
            (Shown("integer", _HEADS), " and ", Shown("integer", _GIVEN_KEY_HEADS)),
            "Pass 0 where both are equal.",
        ),
        *equal("query", QUERY.heads, _HEADS, "numHeads heads"),
    )  # fmt: skip


def _keys() -> Rules:
    """A tensor for all batches, or one for each."""
    count = LengthOf("key")
    by_batch = all_of(Not(_IN_BLOCKS), Equal(count, QUERY.batches))
    batches = If(Equal(count, Const(1)), QUERY.batches, Const(1))
    fits = (
        ("rank", Equal(RankOf(MEMBER), RankOf("query")), "the rank of query"),
        ("batches", Equal(_MEMBER.batches, batches), "the batches of query, or one"),
        ("heads", Equal(_MEMBER.heads, _KEY_HEADS), "numKeyValueHeads heads"),
    )
    return (
        *requires(
            "list_length", "key", Or(Equal(count, Const(1)), by_batch),
            "key must have one member or, where there are no blocks, one for each batch",
            (Shown("integer", count),),
            "Pass a list of one tensor.",
        ),
        *equal("value", LengthOf("value"), count, "as many members as key"),
        *(
            rule
            for name in ("key", "value")
            for id, term, words in fits
            for rule in when(_TOGETHER, _of_members(id, name, term, words))
        ),
        *when(_TOGETHER, _of_members(
            "width", "key", Equal(_MEMBER.width, QUERY.width), "the width of query's heads",
        )),
        *when(_TOGETHER, equal(
            "value", Axes("value", _KEY_HEADS).rows, Axes("key", _KEY_HEADS).rows,
            "as many rows as key",
        )),
    )  # fmt: skip


def _blocks() -> Rules:
    """[blocks, rows, heads * width], or [blocks, heads, rows, width]."""
    flat = Equal(RankOf("key"), Const(3))
    rows = DimOf("key", If(flat, Const(1), Const(2)))
    width = Divided(
        Times(DimOf("key", If(flat, Const(2), Const(3))), If(flat, Const(1), _KEY_HEADS)),
        _KEY_HEADS,
    )
    heads = If(flat, Equal(DimOf("key", Const(2)), Times(_KEY_HEADS, QUERY.width)),
               Equal(DimOf("key", Const(1)), _KEY_HEADS))  # fmt: skip
    return when(
        _PAGED,
        not_null(KEY_LENGTHS),
        rank_in(TABLE, 2),
        equal(TABLE, DimOf(TABLE, Const(0)), QUERY.batches, "a row for each batch of query"),
        rank_in("key", 3, 4),
        equal("value", RankOf("value"), RankOf("key"), "the rank of key"),
        at_least("blockSize", 1),
        equal("key", rows, _BLOCK_ROWS, "blocks of blockSize rows"),
        equal("key", If(heads, QUERY.width, Const(-1)), QUERY.width, "heads like query"),
        equal("key", width, QUERY.width, "the width of query's heads"),
        shape_is("value", ShapeOf("key"), "of key"),
    )


def _key_rows() -> Term:
    """Of the longest batch that a single tensor holds."""
    return If(_IN_BLOCKS, Times(DimOf(TABLE, Const(1)), _BLOCK_ROWS), Axes("key", _KEY_HEADS).rows)


def _lengths(name: str, given: Condition, most: Term, whose: str) -> Rules:
    count = LengthOf(name)
    enough = any_of(Equal(count, Const(1)), AtMost(QUERY.batches, count))
    fits = all_of(enough, EveryItem(name, least=0), AtMost(LargestItem(name), most))
    return when(given, requires(
        "lengths", name, fits,
        f"{name} must have one length, or one for each batch, from 0 to the rows of {whose}",
        (Shown("array", name),), "Pass lengths that the tensors have.",
    ))  # fmt: skip


def _holds_keys(name: str) -> Term:
    """A row of the tensor has a place for each key."""
    length = DimOf(name, Const(-1))
    each_member = EachMember("key", AtMost(_MEMBER.rows, length))
    return If(_IN_BLOCKS, AtMost(_key_rows(), length), each_member)


def _has_room(name: str, words: str) -> Rules:
    return requires(
        "room", name, _holds_keys(name), f"{name} must have a column for each key{words}",
        (Shown("shape", ShapeOf(name)),), f"Pad {name}.",
    )  # fmt: skip


def _shift() -> Rules:
    return when(
        is_given(PSE),
        rank_in(PSE, 4),
        length_is_one_of(PSE, 0, (Const(1), QUERY.batches), "1 or the batches of query"),
        length_is_one_of(PSE, 1, (QUERY.heads,), "the heads of query"),
        length_is_one_of(PSE, 2, (QUERY.rows,), "the rows of query"),
        _has_room(PSE, ""),
    )


def _mask() -> Rules:
    mode, rank = ValueOf("sparseMode"), RankOf(MASK)
    packed = all_of(Not(AtMost(mode, Const(1))), Not(Equal(QUERY.rows, Const(1))))
    whole = Condition(all_of(Present(MASK), Not(packed)), f"{MASK} is given in full")
    flat = Equal(rank, Const(2))
    one_row = Condition(
        all_of(Present(MASK), Equal(QUERY.rows, Const(1)), flat),
        f"{MASK} is a matrix and query has one row",
    )
    several = Condition(
        all_of(whole.term, Not(all_of(Equal(QUERY.rows, Const(1)), flat))),
        f"{MASK} is given in full",
    )
    deep = Condition(all_of(whole.term, Not(flat)), f"{MASK} has batches")
    deepest = Condition(all_of(whole.term, Equal(rank, Const(4))), f"{MASK} has four dimensions")
    square = all_of(*(Equal(DimOf(MASK, Const(axis)), Const(COMPRESSED)) for axis in (-1, -2)))
    shape = (Shown("shape", ShapeOf(MASK)),)
    return (
        *when(_SEVERAL, one_of("sparseMode", 0, 1, 2, 3, 4)),
        *when(
            Condition(all_of(_SEVERAL.term, Not(Equal(mode, Const(0)))), "sparseMode is not 0"),
            requires("needs_mask", MASK, Present(MASK), f"{MASK} must not be null",
                     ("a null pointer",), "Pass a mask."),
        ),
        *when(is_given(MASK), rank_in(MASK, 2, 3, 4)),
        *when(Condition(all_of(Present(MASK), packed), "sparseMode is 2, 3 or 4"), requires(
            "packed_mask", MASK, square, f"{MASK} must have {COMPRESSED} rows and columns",
            shape, "Pass the triangle that stands for all lengths.",
        )),
        *when(whole, _has_room(MASK, "")),
        *when(one_row, length_is_one_of(
            MASK, 0, (Const(1), QUERY.batches), "1 or the batches of query"
        )),
        *when(several, requires(
            "room", MASK, AtMost(QUERY.rows, DimOf(MASK, Const(-2))),
            f"{MASK} must have a row for each query", shape, f"Pad {MASK}.",
        )),
        *when(deep, length_is_one_of(
            MASK, 0, (Const(1), QUERY.batches), "1 or the batches of query"
        )),
        *when(deepest, length_is_one_of(MASK, 1, (Const(1),), "1")),
    )  # fmt: skip


def _not_computed() -> Rules:
    return tuple(
        rule
        for name in LEFT_OUT
        for rule in inner(requires(
            "not_computed", name, Not(Present(name)),
            f"{name} must be null: aclhost does not compute with it", ("a tensor",),
            "Leave it out.",
        ))
    )  # fmt: skip


_LSE = is_set("softmaxLseFlag")
_LENGTHS_COUNT = Condition(
    all_of(Present(LENGTHS), _SEVERAL.term), f"{LENGTHS} is given and query has several rows"
)
CHECKS: tuple[tuple[Step, ...], ...] = (
        not_null("query", "key", "value", "inputLayout", "attentionOut"),
        when(_LSE, not_null("softmaxLse")),
        dtype_in("query", FLOAT16, BF16),
        each("key", same_dtype(MEMBER, "query")),
        each("value", same_dtype(MEMBER, "query")),
        when(is_given(PSE), same_dtype(PSE, "query")),
        when(is_given(MASK), dtype_in(MASK, BOOL, INT8, UINT8)),
        when(_PAGED, dtype_in(TABLE, INT32)),
        same_dtype("attentionOut", "query"),
        when(_LSE, dtype_in("softmaxLse", FLOAT)),
        supported_on(A3, A2),
        _not_computed(),
        in_tiling(requires(
            "no_queries", "query", Or(Not(Empty("query")), Empty("attentionOut")),
            "query must not be empty unless attentionOut is", (Shown("shape", ShapeOf("query")),),
            "Pass queries.",
        )),
        done_when_empty("query", "attentionOut"),
        in_tiling(
            _query(), _heads(), _keys(), _blocks(),
            when(_LSE, shape_is(
                "softmaxLse",
                Lengths((QUERY.batches, QUERY.heads, QUERY.rows, Const(1))), "[B, N, S, 1]",
            )),
            _lengths(LENGTHS, _LENGTHS_COUNT, QUERY.rows, "query"),
            _lengths(KEY_LENGTHS, is_given(KEY_LENGTHS), _key_rows(), "key"),
            _shift(), _mask(),
        ),
        inside_storage("query", PSE, MASK, TABLE),
    )  # fmt: skip
