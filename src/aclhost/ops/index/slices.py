# SPDX-License-Identifier: Apache-2.0
"""Slices along a dimension that go where a list of indices says."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import (
    COPIED,
    INDICES,
    NEW_BF16,
    NEWER,
    NOTES,
    VALUES,
    Rules,
    as_in_place,
    drawn_axis,
    drawn_shape,
    in_place,
    indices,
    placed,
)
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import (
    BF16,
    COMPLEX64,
    FLOAT,
    FLOAT16,
    INT8,
    INT32,
    INT64,
    UINT32,
    UINT64,
    DataType,
)
from aclhost.spec.moved import WithAxis
from aclhost.spec.operator import Operator
from aclhost.spec.params import NEVER, Int, TensorIn, TensorInOut, TensorOut
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    Step,
    axis_in_rank,
    done_when_empty,
    dtype_in,
    inner,
    inside_storage,
    not_null,
    only_on,
    rank_at_most,
    requires,
    same_dtype,
    same_format,
    same_shape,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import SameShape, ShapeOf
from aclhost.spec.terms import (
    AtMost,
    Const,
    DimOf,
    Elements,
    Equal,
    If,
    Not,
    Or,
    RankOf,
    Term,
    ValueOf,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
Steps = tuple[tuple[Step, ...], ...]
DIM = ValueOf("dim")
INDEX = TensorIn("index", "Places along dim, one for each slice.")
ORDER = "Slices that go to one place do so in the order of the index."


def is_scalar(tensor: str) -> Term:
    """The tensor has no dimensions."""
    return Equal(RankOf(tensor), Const(0))


def shapes(*tensors: str) -> tuple[Shown | str, ...]:
    """What messages show of tensors."""
    first, *others = (Shown("shape", ShapeOf(tensor)) for tensor in tensors)
    return (first, *(part for other in others for part in (" and ", other)))


def slices_equal(self: str) -> Rules:
    """Self and source agree but along dim; a self of up to one dimension has no other."""
    cut = (WithAxis(ShapeOf(tensor), DIM, Const(0)) for tensor in (self, "source"))
    return requires(
        "slices_equal",
        "source",
        Or(AtMost(RankOf(self), Const(1)), SameShape(*cut)),
        f"source must have the lengths of {self}, but for dimension dim",
        shapes("source", self),
        "Reshape source.",
    )


def as_long(elements: Term, length: Term) -> Rules:
    """There is an index for each slice."""
    return requires(
        "as_many_slices",
        "index",
        Equal(elements, length),
        "index must have as many values as source has slices along dim",
        shapes("index", "source"),
        "Pass one index for each slice.",
    )


def _copy_checks(self: str, out: str) -> tuple[tuple[Step, ...], ...]:
    written = out != self
    return (
        not_null(*dict.fromkeys((self, "index", "source", out))),
        dtype_in(self, *VALUES, NEW_BF16, only_on(UINT32, A950), only_on(UINT64, A950)),
        dtype_in("index", *INDICES),
        same_dtype("source", self),
        same_dtype(out, self) if written else (),
        rank_at_most(self, 8),
        rank_at_most("source", 8),
        rank_at_most("index", 1),
        same_shape(out, self) if written else (),
        requires(
            "one_index",
            "index",
            Or(Not(is_scalar("source")), Equal(Elements("index"), Const(1))),
            "index must have one value where source has no dimensions",
            shapes("index"),
            "Pass one index.",
        ),
        requires(
            "same_rank",
            "source",
            Or(Equal(RankOf(self), RankOf("source")), Or(is_scalar(self), is_scalar("source"))),
            f"source must have as many dimensions as {self}, unless one of them has none",
            shapes("source", self),
            "Reshape source.",
        ),
        axis_in_rank("dim", self, of_scalars=True),
        slices_equal(self),
        as_long(
            Elements("index"), If(is_scalar("source"), Elements("index"), DimOf("source", DIM))
        ),
        same_format(out, self) if written else (),
        done_when_empty(self, "index"),
        supported_on(*NEWER),
        inside_storage(self, "index", "source"),
        inner(
            requires(
                "source_rank",
                "source",
                Or(Not(is_scalar(self)), AtMost(RankOf("source"), Const(1))),
                f"source must have at most one dimension where {self} has none",
                shapes("source"),
                "Reshape source.",
            )
        ),
    )


def _golden_copy(self: Array, dim: int, index: Ints, source: Array) -> Array:
    import numpy as np

    table, axis, places = placed(self, dim, np.atleast_1d(index))
    slices = np.moveaxis(np.asarray(source).reshape(np.shape(source) or (1,)), axis, 0)
    rows = np.moveaxis(table, axis, 0)
    for i, place in enumerate(places):
        rows[place] = slices[i]
    return table.reshape(np.shape(self))


def _torch_copy(torch: Torch, self: Torch, dim: int, index: Torch, source: Torch) -> Torch:
    if self.ndim != source.ndim:
        return NotImplemented
    return torch.index_copy(self, dim, index.long(), source)


def slices_call(
    self: tuple[int, ...], dim: int, index: TensorArg, dtype: DataType = FLOAT
) -> dict[str, Argument]:
    """All but results, by upstream's names."""
    source = list(self or index.shape)
    if source:
        source[dim] = index.shape[0] if index.shape else 1
    tensor = TensorArg(self, dtype)
    return {"self": tensor, "dim": dim, "index": index, "source": TensorArg(tuple(source), dtype)}


def drawn_slices(rng: Random, dtypes: tuple[DataType, ...]) -> dict[str, Argument]:
    """Arguments with slices of some dtype."""
    self = drawn_shape(rng)
    dim, length = drawn_axis(rng, self)
    shape = (rng.randint(1, 6),) if self and rng.random() < 0.9 else ()
    return slices_call(self, dim if self else 0, indices(rng, shape, length), rng.choice(dtypes))


def typical_slices(n: int) -> dict[str, Argument]:
    """Rows of a matrix, as many as it has."""
    rows, columns = matrix_shape(n)
    return slices_call((rows, columns), 0, TensorArg((rows,), INT64, span=(0, rows)))


def _copied(arguments: dict[str, Argument]) -> Call:
    """A call of the copy with a result, whose self is called selfRef, too."""
    twin = as_in_place(Call(arguments))
    return twin.passing(outRef=arguments["self"])


SAMPLES = (
    slices_call((3, 2, 2), 1, TensorArg((3,), INT64, (1, 0, 1))),
    slices_call((4, 3), -1, TensorArg((2,), INT32, (2, 0)), FLOAT16),
    slices_call((2, 3), 0, TensorArg((), INT64, (1,)), BF16),
    slices_call((), -1, TensorArg((), INT64, (0,)), INT8),
    slices_call((3,), 0, TensorArg((1,), INT32, (2,)), COMPLEX64),
)
_COPY_FORMULA = "`{}[..., index[i], ...] = source[..., i, ...]` at dimension dim. {} {}"
SLICES = TensorIn("source", "Slices.")
_ALONG = Int("dim", "The dimension that index points into.")

_INDEX_COPY = Operator(
    "aclnnIndexCopy",
    summary="Puts slices at indices along a dimension.",
    formula=_COPY_FORMULA.format("outRef", COPIED, ORDER),
    params=(
        TensorIn("selfRef", "What is there first; it stays as it is.", is_const=False),
        _ALONG,
        INDEX,
        SLICES,
        TensorOut("outRef", "Result.", like="selfRef"),
    ),
    checks=_copy_checks("selfRef", "outRef"),
    golden=in_place(_golden_copy),
    reference=in_place(_torch_copy),
    draw=lambda rng: _copied(drawn_slices(rng, (*VALUES, BF16))),
    typical=lambda n: _copied(typical_slices(n)),
    samples=tuple(map(_copied, SAMPLES)),
    notes=NOTES,
)

_INPLACE_INDEX_COPY = Operator(
    "aclnnInplaceIndexCopy",
    summary="Puts slices at indices along a dimension, in place.",
    formula=_COPY_FORMULA.format("selfRef", COPIED, ORDER),
    params=(
        TensorInOut("selfRef", "What is there first, and where slices are put.", read_if=NEVER),
        _ALONG,
        INDEX,
        SLICES,
    ),
    checks=_copy_checks("selfRef", "selfRef"),
    golden=in_place(_golden_copy),
    reference=in_place(_torch_copy),
    draw=lambda rng: as_in_place(Call(drawn_slices(rng, (*VALUES, BF16)))),
    typical=lambda n: as_in_place(Call(typical_slices(n))),
    samples=tuple(as_in_place(Call(each)) for each in SAMPLES),
    notes=NOTES,
)

OPS = (_INDEX_COPY, _INPLACE_INDEX_COPY)
