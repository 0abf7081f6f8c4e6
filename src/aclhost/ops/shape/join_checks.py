# SPDX-License-Identifier: Apache-2.0
"""What aclnnCat and aclnnStack check, in upstream's order."""

from __future__ import annotations

from aclhost.ops.shape.build import (
    COMPLEX,
    EIGHT_BITS,
    NEW_BF16,
    NEWER,
    REALS,
    UNSIGNED,
    Dtypes,
    Rules,
)
from aclhost.spec.dtypes import (
    COMPLEX64,
    COMPLEX128,
    FLOAT8_E8M0,
    UNDEFINED,
    DataType,
)
from aclhost.spec.moved import ShapeOfFirst, WithAxis
from aclhost.spec.products import A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    castable_to,
    done_when,
    done_when_empty,
    dtype_in,
    each,
    fits_shape,
    inner,
    inside_storage,
    not_null,
    only_on,
    rank_at_most,
    requires,
    shape_is,
    shaped_like_first,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Inserted, Lengths, SameShape, ShapeOf, ShapeTerm
from aclhost.spec.terms import (
    MEMBER,
    And,
    AtMost,
    CastExists,
    CommonDtype,
    Const,
    DimOf,
    DtypeOf,
    EachMember,
    Empty,
    Equal,
    FormatOf,
    If,
    LengthOf,
    Not,
    OfFirst,
    Or,
    Present,
    PrivateFormat,
    RankOf,
    Sum,
    SumOver,
    Term,
    Times,
    ValueOf,
    const,
)

_AXIS = ValueOf("dim")
_ON = (*NEWER, P310P, T910)
_HOLLOW = Condition(SameShape(ShapeOf(MEMBER), Lengths((Const(0),))), "those of shape [0]")
_JOINED = Not(_HOLLOW.term)
COMMON = CommonDtype("tensors", _JOINED)
_RANK = OfFirst("tensors", _JOINED, RankOf(MEMBER))
_FORMAT = OfFirst("tensors", _JOINED, FormatOf(MEMBER))
CAT_SHAPE = WithAxis(
    ShapeOfFirst("tensors", _JOINED), _AXIS, SumOver("tensors", DimOf(MEMBER, _AXIS))
)
_CAT_WORDS = "of the first tensor, with all lengths along dim added"
_ONE = Condition(
    Equal(SumOver("tensors", Not(Empty(MEMBER))), Const(1)), "only one tensor has elements"
)
_SEVERAL = Condition(Not(_ONE.term), "several tensors have elements")
_CAT_DTYPES: Dtypes = (
    *REALS,
    COMPLEX64,
    NEW_BF16,
    *EIGHT_BITS,
    only_on(FLOAT8_E8M0, A950),
    *(only_on(dtype, A950) for dtype in UNSIGNED),
)
_STACK_DTYPES: Dtypes = (*REALS, *UNSIGNED, *COMPLEX, NEW_BF16)
COMMON_OF_ALL = CommonDtype("tensors", Const(1))
_PLACE = If(AtMost(Const(0), _AXIS), _AXIS, Sum(Sum(_AXIS, RankOf("tensors")), Const(1)))
STACK_SHAPE = Inserted("tensors", _PLACE, LengthOf("tensors"))


def _common(common: Term, *refused: DataType) -> Rules:
    """The dtypes of the list have one in common, and out can take it."""
    words = "the common dtype of tensors"
    return (
        *requires(
            "common_dtype",
            "tensors",
            Not(Equal(common, const(UNDEFINED))),
            "tensors must have dtypes that have one in common",
            (Shown("integer", LengthOf("tensors")), " that have none"),
            "Cast them; unsigned types above 8 bits mix with no other real type.",
        ),
        *(
            rule
            for dtype in refused
            for rule in requires(
                "common_dtype",
                "tensors",
                Not(Equal(common, const(dtype))),
                f"the common dtype of tensors must not be {dtype}",
                (Shown("dtype", common),),
                "Cast them to other dtypes.",
            )
        ),
        *castable_to("out", source=common, words=words),
    )


def _axis_below(rank: Term, words: str) -> Rules:
    """The dimension lies between -rank and rank - 1."""
    return requires(
        "axis_in_rank",
        "dim",
        And(AtMost(Times(rank, Const(-1)), _AXIS), AtMost(Sum(_AXIS, Const(1)), rank)),
        f"dim must be a dimension of {words}, from -rank to rank - 1",
        (Shown("integer", _AXIS), " for rank ", Shown("integer", rank)),
        "Pass -1 for the last dimension.",
    )


def _one_format() -> Rules:
    """A public one for all."""
    same = requires(
        "same_format",
        MEMBER,
        Equal(FormatOf(MEMBER), _FORMAT),
        f"{MEMBER} must have the format of the first",
        (),
        f"Create {MEMBER} with one format.",
    )
    return (
        *requires(
            "not_private",
            "tensors",
            Not(OfFirst("tensors", _JOINED, PrivateFormat(MEMBER))),
            "the first of tensors must not have a private format",
            (Shown("format", _FORMAT),),
            "Create it with ND or another public format.",
        ),
        *each("tensors", same, but=_HOLLOW),
        *requires(
            "same_format",
            "out",
            Equal(FormatOf("out"), _FORMAT),
            "out must have the format of tensors",
            (Shown("format", FormatOf("out")), " and ", Shown("format", _FORMAT)),
            "Create out with the format of tensors.",
        ),
    )


def _joinable() -> Rules:
    """All lengths agree but that along the dimension."""
    first = ShapeOfFirst("tensors", _JOINED)

    def without(shape: ShapeTerm) -> ShapeTerm:
        return WithAxis(shape, _AXIS, Const(0))

    agree = requires(
        "same_but_axis",
        MEMBER,
        SameShape(without(ShapeOf(MEMBER)), without(first)),
        f"{MEMBER} must have the shape of the first but along dim",
        (),
        "Only lengths along dim may differ.",
    )
    return (
        *requires(
            "rank_at_most",
            "tensors",
            AtMost(_RANK, Const(8)),
            "tensors must have at most 8 dimensions",
            ("rank ", Shown("integer", _RANK)),
            "Merge dimensions until the rank fits.",
        ),
        *_axis_below(_RANK, "tensors"),
        *each("tensors", agree, but=_HOLLOW),
    )


def _cast_exists() -> Rules:
    return requires(
        "cast_implemented",
        "out",
        Or(Equal(COMMON, DtypeOf("out")), CastExists(COMMON, DtypeOf("out"))),
        "out must have a dtype that can be delivered: not that of another 8-bit float",
        (Shown("dtype", DtypeOf("out")), " from ", Shown("dtype", COMMON)),
        "Give out the common dtype of tensors.",
    )


CAT_CHECKS = (
    not_null("tensors"),
    done_when(
        Condition(
            And(Present("tensors"), EachMember("tensors", _HOLLOW.term)),
            "all tensors are of shape [0]",
        )
    ),
    each("tensors", not_null(MEMBER)),
    not_null("out"),
    each("tensors", dtype_in(MEMBER, *_CAT_DTYPES), but=_HOLLOW),
    dtype_in("out", *_CAT_DTYPES),
    _common(COMMON, COMPLEX128),
    _one_format(),
    _joinable(),
    done_when(Condition(EachMember("tensors", Empty(MEMBER)), "no tensor has elements")),
    supported_on(*_ON),
    each("tensors", inside_storage(MEMBER)),
    when(_SEVERAL, shape_is("out", CAT_SHAPE, _CAT_WORDS)),
    inner(_cast_exists()),
    when(_ONE, inner(fits_shape("out", CAT_SHAPE, _CAT_WORDS))),
)
STACK_CHECKS = (
    inner(not_null("tensors"), each("tensors", not_null(MEMBER)), not_null("out")),
    requires(
        "at_least_values",
        "tensors",
        AtMost(Const(1), LengthOf("tensors")),
        "tensors must have a member",
        (Shown("integer", LengthOf("tensors")),),
        "Pass tensors.",
    ),
    each("tensors", dtype_in(MEMBER, *_STACK_DTYPES)),
    dtype_in("out", *_STACK_DTYPES),
    _common(COMMON_OF_ALL),
    rank_at_most("tensors", 8),
    _axis_below(Sum(RankOf("tensors"), Const(1)), "the result"),
    shaped_like_first("tensors"),
    done_when_empty("tensors"),
    supported_on(*_ON),
    each("tensors", inside_storage(MEMBER)),
    fits_shape("out", STACK_SHAPE, "of the tensors, with one more length: their number"),
)
