# SPDX-License-Identifier: Apache-2.0
"""Lists of tensors that become one."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.shape.build import (
    COMPLEX,
    DIM,
    EIGHT_BITS,
    NEW_BF16,
    NEWER,
    REALS,
    UNSIGNED,
    Dtypes,
    Rules,
    known_to_torch,
    some_shape,
)
from aclhost.spec import dtypes
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT8_E8M0,
    FLOAT16,
    INT8,
    INT32,
    INT64,
    UNDEFINED,
    DataType,
)
from aclhost.spec.moved import ShapeOfFirst, WithAxis
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorList, TensorOut
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

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_AXIS = ValueOf("dim")
_ON = (*NEWER, P310P, T910)
_HOLLOW = Condition(SameShape(ShapeOf(MEMBER), Lengths((Const(0),))), "those of shape [0]")
_JOINED = Not(_HOLLOW.term)
_COMMON = CommonDtype("tensors", _JOINED)
_RANK = OfFirst("tensors", _JOINED, RankOf(MEMBER))
_FORMAT = OfFirst("tensors", _JOINED, FormatOf(MEMBER))
_CAT_SHAPE = WithAxis(
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
_ALL = CommonDtype("tensors", Const(1))
_PLACE = If(AtMost(Const(0), _AXIS), _AXIS, Sum(Sum(_AXIS, RankOf("tensors")), Const(1)))
_STACK_SHAPE = Inserted("tensors", _PLACE, LengthOf("tensors"))


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
        Or(Equal(_COMMON, DtypeOf("out")), CastExists(_COMMON, DtypeOf("out"))),
        "out must have a dtype that can be delivered: not that of another 8-bit float",
        (Shown("dtype", DtypeOf("out")), " from ", Shown("dtype", _COMMON)),
        "Give out the common dtype of tensors.",
    )


def _cat(tensors: Sequence[Array], dim: int) -> Array:
    import numpy as np

    joined = [each for each in tensors if each.shape != (0,)]
    return np.concatenate(joined, dim) if joined else np.array(tensors[0])


def _torch_cat(torch: Any, tensors: Sequence[Any], dim: int) -> Any:  # noqa: ANN401
    return torch.cat(list(tensors), dim) if known_to_torch(torch, *tensors) else NotImplemented


def _stack(tensors: Sequence[Array], dim: int) -> Array:
    import numpy as np

    return np.stack(list(tensors), dim)


def _torch_stack(torch: Any, tensors: Sequence[Any], dim: int) -> Any:  # noqa: ANN401
    if len({each.dtype for each in tensors}) > 1 or not known_to_torch(torch, *tensors):
        return NotImplemented
    return torch.stack(list(tensors), dim)


def _call(members: Sequence[TensorArg], dim: int, *, stacked: bool = False) -> Call:
    call = Call({"tensors": tuple(members), "dim": dim})
    common, shape = (_ALL, _STACK_SHAPE) if stacked else (_COMMON, _CAT_SHAPE)
    dtype = dtypes.BY_VALUE[common.evaluate(call)]
    return call.passing(out=TensorArg(shape.evaluate(call), dtype))


def _member(shape: tuple[int, ...], rng: Random, choices: Sequence[DataType]) -> TensorArg:
    return TensorArg(shape, rng.choice(choices))


def _mixture(rng: Random) -> Sequence[DataType]:
    """One dtype, or several that have one in common."""
    one = rng.choice((*REALS, BF16, COMPLEX64))
    return rng.choice(((one,), (one,), (INT8, INT32, FLOAT, BOOL), (FLOAT16, BF16, INT64, BOOL)))


def _draw_cat(rng: Random) -> Call:
    shape = list(some_shape(rng, least=1))
    dim, choices, members = rng.randrange(-len(shape), len(shape)), _mixture(rng), []
    for _ in range(rng.randint(1, 5)):
        shape[dim] = rng.choice((0, 1, 2, 3, 7))
        members.append(_member(tuple(shape), rng, choices))
    if len(members) > 1 and rng.random() < 0.2:
        members[rng.randrange(len(members))] = TensorArg((0,), DOUBLE)
    return _call(members, dim)


def _draw_stack(rng: Random) -> Call:
    shape, choices = some_shape(rng), _mixture(rng)
    members = [_member(shape, rng, choices) for _ in range(rng.randint(1, 5))]
    return _call(members, rng.randint(-len(shape) - 1, len(shape)), stacked=True)


_TENSORS = TensorList("tensors", "What is joined.")


def _typical(n: int, *, stacked: bool = False) -> Call:
    return _call([TensorArg((max(n // 768, 1), 256))] * 3, -1, stacked=stacked)


CAT = Operator(
    "aclnnCat",
    summary="Joins tensors along a dimension.",
    formula="`out` is `tensors[0]`, `tensors[1]`, ... one after the other along `dim`.",
    params=(_TENSORS, DIM, TensorOut("out", "Result.", shape=_CAT_SHAPE, dtype=_COMMON)),
    checks=(
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
        _common(_COMMON, COMPLEX128),
        _one_format(),
        _joinable(),
        done_when(Condition(EachMember("tensors", Empty(MEMBER)), "no tensor has elements")),
        supported_on(*_ON),
        each("tensors", inside_storage(MEMBER)),
        when(_SEVERAL, shape_is("out", _CAT_SHAPE, _CAT_WORDS)),
        inner(_cast_exists()),
        when(_ONE, inner(fits_shape("out", _CAT_SHAPE, _CAT_WORDS))),
    ),
    golden=_cat,
    reference=_torch_cat,
    samples=(
        _call((TensorArg((2, 3)), TensorArg((2, 1))), 1),
        _call((TensorArg((2, 3), INT32), TensorArg((1, 3), FLOAT16)), -2),
        _call((TensorArg((0,), DOUBLE), TensorArg((2, 2)), TensorArg((0,))), 0),
        _call((TensorArg((3,), COMPLEX64), TensorArg((0,)), TensorArg((2,), BOOL)), 0),
        _call((TensorArg((1, 2)), TensorArg((0, 2))), 0),
        _call((TensorArg((0,)),), 0),
        _call((TensorArg((2, 2), DOUBLE),) * 40, 0),
        _call((TensorArg((2,), dtypes.UINT64),) * 2, 0).on(A950),
        _call((TensorArg((2,), dtypes.FLOAT8_E5M2), TensorArg((1,), BF16)), 0).on(A950),
    ),
    draw=_draw_cat,
    typical=_typical,
    formats="All tensors and out carry the same label, which is no private one.",
    notes=(
        "Tensors of shape [0] are left out before anything else is looked at.",
        "Elements are converted to the common dtype, then to that of out; a single tensor with "
        "elements is converted to that of out at once.",
        "Ascend 950 knows FLOAT4_E1M2 and FLOAT4_E2M1, too; aclhost refuses them.",
    ),
)

STACK = Operator(
    "aclnnStack",
    summary="Joins tensors of one shape along a new dimension.",
    formula="Index `i` along the new dimension `dim` of `out` is `tensors[i]`.",
    params=(_TENSORS, DIM, TensorOut("out", "Result.", shape=_STACK_SHAPE, dtype=_ALL)),
    checks=(
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
        _common(_ALL),
        rank_at_most("tensors", 8),
        _axis_below(Sum(RankOf("tensors"), Const(1)), "the result"),
        shaped_like_first("tensors"),
        done_when_empty("tensors"),
        supported_on(*_ON),
        each("tensors", inside_storage(MEMBER)),
        fits_shape("out", _STACK_SHAPE, "of the tensors, with one more length: their number"),
    ),
    golden=_stack,
    reference=_torch_stack,
    samples=(
        _call((TensorArg((2, 3)),) * 2, 0, stacked=True),
        _call((TensorArg((2, 3), INT32), TensorArg((2, 3), BF16)), -1, stacked=True),
        _call((TensorArg(()),) * 3, 0, stacked=True),
        _call((TensorArg((2,), COMPLEX128),) * 40, 1, stacked=True),
        _call((TensorArg((0, 2)),) * 2, 1, stacked=True),
        _call((TensorArg((2,), dtypes.UINT16),) * 2, 1, stacked=True),
    ),
    draw=_draw_stack,
    typical=lambda n: _typical(n, stacked=True),
    notes=(
        "Elements are converted to the common dtype, then to that of out.",
        "Upstream reads the first of a list that has none; aclhost refuses it.",
    ),
)

OPS = (CAT, STACK)
