# SPDX-License-Identifier: Apache-2.0
"""All parts of a tensor along a dimension."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.shape.build import (
    COMPLEX,
    DIM,
    NEWER,
    REALS,
    SELF,
    UNSIGNED,
    Dtypes,
    Rules,
    known_to_torch,
    some_shape,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    INT16,
    INT32,
    UINT32,
    DataType,
)
from aclhost.spec.moved import WithAxis
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, IntArray, TensorListOut
from aclhost.spec.products import A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    as_many_values,
    axis_in_rank,
    done_when_empty,
    dtype_in,
    each,
    fits_shape,
    inner,
    inside_storage,
    not_null,
    only_on,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import (
    MEMBER,
    AtMost,
    Const,
    DimOf,
    Divided,
    Equal,
    If,
    ItemOf,
    LengthOf,
    Not,
    Position,
    Sum,
    SumOfItems,
    Times,
    ValueOf,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_AXIS, _LENGTH = ValueOf("dim"), DimOf("self", ValueOf("dim"))
_SPLIT_DTYPES: Dtypes = (*REALS, *COMPLEX, BF16, *(only_on(dtype, A950) for dtype in UNSIGNED))
_SIZES = ValueOf("splitSections")
_PARTS = Divided(Sum(_LENGTH, Sum(_SIZES, Const(-1))), _SIZES)
_LEFT = Sum(_LENGTH, Times(Times(Position(), _SIZES), Const(-1)))
_SECTION = WithAxis(ShapeOf("self"), _AXIS, If(AtMost(_SIZES, _LEFT), _SIZES, _LEFT))
_SIZED = WithAxis(ShapeOf("self"), _AXIS, ItemOf("splitSize", Position()))
_PART_WORDS = "of self, with the length of its part along dim"
_DOUBLES = (
    "The document excludes DOUBLE and complex dtypes for more than 32 parts on some products; "
    "aclhost does not."
)


def _about_parts() -> Rules:
    return (
        *rank_at_most("self", 8),
        *rank_at_least("self", 1),
        *each("out", rank_at_most(MEMBER, 8)),
        *axis_in_rank("dim", "self"),
    )


def _zero_together() -> Rules:
    zero = Equal(_LENGTH, Const(0))
    return requires(
        "zero_together",
        "splitSections",
        Equal(Equal(_SIZES, Const(0)), zero),
        "splitSections must be 0 exactly when the length along dim is",
        (Shown("integer", _SIZES), " for length ", Shown("integer", _LENGTH)),
        "Pass the length of a part.",
    )


def _enough_results() -> Rules:
    return requires(
        "enough_results",
        "out",
        AtMost(_PARTS, LengthOf("out")),
        "out must have a tensor for each part",
        (Shown("integer", LengthOf("out")), " for ", Shown("integer", _PARTS), " parts"),
        "Create more tensors.",
    )


def _part(self: Array, dim: int, first: int, count: int) -> Array:
    return self[(*(slice(None),) * (dim % self.ndim), slice(first, first + count))]


def _split(self: Array, sizes: Sequence[int], dim: int) -> list[Array]:
    firsts = (sum(sizes[:place]) for place in range(len(sizes)))
    return [_part(self, dim, *pair) for pair in zip(firsts, sizes, strict=True)]


def _sections(self: Array, split_sections: int, dim: int) -> list[Array]:
    length = self.shape[dim]
    count = -(-length // split_sections) if split_sections else 0
    sizes = [min(split_sections, length - place * split_sections) for place in range(count)]
    return _split(self, sizes, dim)


def _torch_split(torch: Any, self: Any, size: Any, dim: int) -> Any:  # noqa: ANN401
    if not known_to_torch(torch, self) or size == 0:
        return NotImplemented
    return torch.split(self, size, dim)


def _parts(shape: tuple[int, ...], dtype: DataType, sizes: tuple[int, ...], dim: int) -> Call:
    parts = [list(shape) for _ in sizes]
    for part, size in zip(parts, sizes, strict=True):
        part[dim] = size
    out = tuple(TensorArg(tuple(part), dtype) for part in parts)
    return Call({"self": TensorArg(shape, dtype), "splitSize": sizes, "dim": dim, "out": out})


def _equal_parts(shape: tuple[int, ...], dtype: DataType, size: int, dim: int) -> Call:
    count = -(-shape[dim] // size) if size else 0
    sizes = tuple(min(size, shape[dim] - place * size) for place in range(count))
    call = _parts(shape, dtype, sizes, dim)
    names = ("self", "dim", "out")
    return Call({**{name: call.arguments[name] for name in names}, "splitSections": size})


def _draw_parts(rng: Random) -> Call:
    sizes = tuple(rng.choice((0, 1, 2, 5)) for _ in range(rng.randint(1, 5)))
    shape = list(some_shape(rng, least=1))
    dim = rng.randrange(-len(shape), len(shape))
    shape[dim] = sum(sizes)
    return _parts(tuple(shape), rng.choice((*REALS, *COMPLEX, BF16)), sizes, dim)


def _draw_equal_parts(rng: Random) -> Call:
    shape = some_shape(rng, least=1, longest=9)
    dim = rng.randrange(-len(shape), len(shape))
    size = rng.randint(1, 5) if shape[dim] else 0
    return _equal_parts(shape, rng.choice((*REALS, *COMPLEX, BF16)), size, dim)


_ONE_SIZE = Condition(Equal(LengthOf("splitSize"), Const(1)), "there is one part")
_MORE_SIZES = Condition(Not(_ONE_SIZE.term), "there are several parts")
_WHOLE = Condition(Equal(_SIZES, _LENGTH), "the part is all of self")
_SMALLER = Condition(Not(_WHOLE.term), "the parts are not all of self")

_UNUSED = Condition(AtMost(_PARTS, Position()), "those for which there is no part")
_FITTING = each("out", fits_shape(MEMBER, _SECTION, _PART_WORDS), but=_UNUSED)

SPLIT_WITH_SIZE = Operator(
    "aclnnSplitWithSize",
    summary="Cuts a tensor into parts of given lengths along a dimension.",
    formula="`out[i]` has the `splitSize[i]` elements along `dim` behind those of `out[i - 1]`.",
    params=(
        SELF,
        IntArray("splitSize", "The lengths of the parts.", length=1),
        DIM,
        TensorListOut("out", "The parts.", like="self", shape=_SIZED, count=LengthOf("splitSize")),
    ),
    checks=(
        not_null("self", "splitSize", "out"),
        each("out", not_null(MEMBER)),
        dtype_in("self", *_SPLIT_DTYPES),
        each("out", dtype_in(MEMBER, *_SPLIT_DTYPES)),
        _about_parts(),
        requires(
            "sum_is_length",
            "splitSize",
            Equal(SumOfItems("splitSize"), _LENGTH),
            "the values of splitSize must add up to the length along dim",
            (Shown("array", "splitSize"), " for length ", Shown("integer", _LENGTH)),
            "Pass lengths that leave nothing.",
        ),
        as_many_values("splitSize", "out"),
        done_when_empty("self"),
        supported_on(*NEWER, T910),
        inside_storage("self"),
        when(_MORE_SIZES, each("out", fits_shape(MEMBER, _SIZED, _PART_WORDS))),
        when(_ONE_SIZE, inner(each("out", fits_shape(MEMBER, _SIZED, _PART_WORDS)))),
    ),
    golden=lambda self, split_size, dim: _split(self, list(split_size), dim),
    reference=lambda torch, self, split_size, dim: _torch_split(torch, self, list(split_size), dim),
    samples=(
        _parts((3, 6), FLOAT, (1, 2, 3), 1),
        _parts((5, 2), COMPLEX128, (5,), 0),
        _parts((4, 2), BOOL, (0, 4), -2),
        _parts((2, 0), INT32, (0, 0), 1),
        _parts((2, 40), INT16, (1,) * 40, 1),
        _parts((2, 3), UINT32, (1, 2), 1).on(A950),
    ),
    draw=_draw_parts,
    typical=lambda n: _parts((max(n // 768, 1), 768), FLOAT, (256,) * 3, 1),
    notes=(
        "Elements are converted to the dtypes of out.",
        _DOUBLES,
    ),
)

SPLIT_TENSOR = Operator(
    "aclnnSplitTensor",
    summary="Cuts a tensor into parts of one length along a dimension.",
    formula="`out[i] = self[..., i * splitSections : (i + 1) * splitSections, ...]` along `dim`.",
    params=(
        SELF,
        Int("splitSections", "The length of a part; the last one may be shorter.", signed=False),
        DIM,
        TensorListOut("out", "The parts.", like="self", shape=_SECTION, count=_PARTS),
    ),
    checks=(
        not_null("self", "out"),
        each("out", not_null(MEMBER)),
        dtype_in("self", *_SPLIT_DTYPES),
        each("out", dtype_in(MEMBER, *_SPLIT_DTYPES), same_dtype(MEMBER, "out")),
        _about_parts(),
        _zero_together(),
        done_when_empty("self"),
        supported_on(*NEWER, P310P, T910),
        inside_storage("self"),
        _enough_results(),
        when(_SMALLER, _FITTING),
        when(_WHOLE, inner(_FITTING)),
    ),
    golden=_sections,
    reference=lambda torch, self, split_sections, dim: _torch_split(
        torch, self, int(split_sections), dim
    ),
    samples=(
        _equal_parts((3, 6), FLOAT, 4, 1),
        _equal_parts((5, 2), COMPLEX64, 5, 0),
        _equal_parts((4, 2), BF16, 7, 1),
        _equal_parts((2, 0), INT32, 0, 1),
        _equal_parts((2, 40), DOUBLE, 1, -1),
    ),
    draw=_draw_equal_parts,
    typical=lambda n: _equal_parts((max(n // 768, 1), 768), FLOAT, 256, 1),
    notes=(
        "Elements are converted to the dtype of out. Tensors of out that no part is for stay as "
        "they are.",
        _DOUBLES,
    ),
)

OPS = (SPLIT_WITH_SIZE, SPLIT_TENSOR)
