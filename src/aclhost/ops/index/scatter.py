# SPDX-License-Identifier: Apache-2.0
"""Elements that go to places along a dimension, each by an index of its own."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import (
    INDEX_NOTE,
    INDICES,
    NEGATIVE_NOTE,
    NEW_BF16,
    NEWER,
    REALS,
    VALUES,
    Rules,
    as_in_place,
    call_of,
    coordinates,
    drawn_axis,
    drawn_shape,
    in_place,
    indices,
    lengths_fit,
    placed,
    rank_of,
)
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import BF16, BOOL, COMPLEX128, FLOAT, FLOAT16, INT8, INT32, INT64, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, TensorIn, TensorInOut, TensorOut
from aclhost.spec.products import A950, Product
from aclhost.spec.rules import (
    Condition,
    Step,
    axis_in_rank,
    done_when_empty,
    dtype_in,
    fits_shape,
    has_elements,
    inner,
    inside_storage,
    not_null,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import (
    And,
    AtMost,
    Const,
    Empty,
    Equal,
    If,
    Not,
    ProductIn,
    RankOf,
    Term,
    ValueOf,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
ADD = 1
_MEAN = 5
_FUNCTIONS = {ADD: "add", 2: "multiply", 3: "maximum", 4: "minimum", _MEAN: "add"}
_TORCH = {ADD: "sum", 2: "prod", 3: "amax", 4: "amin", _MEAN: "mean"}
_NO_AXIS = Const(25)
DIM = Int("dim", "The dimension that index points into.")
INDEX = TensorIn("index", "Places along dim.")
SOURCE = TensorIn("src", "What is written; only as much as index covers.")
REDUCE = Int(
    "reduce",
    "0 replaces, 1 adds, 2 multiplies, 3 takes the maximum, 4 the minimum, 5 the mean.",
    default=0,
)
SOME = has_elements("index")
FORMULA = (
    "`{0}[index[i, j, k], j, k] = src[i, j, k]` for dim 0 of three dimensions, and so on; or what "
    "is there and src are combined by reduce. {1}"
)
ORDER = (
    "Elements that go to one place are combined in row-major order, or the last one stays. FLOAT16 "
    "and BF16 are combined as FLOAT and rounded once; integers wrap around."
)
REDUCE_NOTES = (
    "The document knows 0, 1 and 2; upstream's code knows 3, 4 and 5, too, and takes other numbers "
    "for 0. Some of upstream's kernels replace for 3, 4 and 5, others leave NaN out.",
    "Complex numbers have no maximum, minimum or mean here and BOOL no mean: the launch fails.",
)


def _rank(tensor: str) -> Term:
    """Only Ascend 950 lets a single element pass for a tensor of one dimension."""
    return If(ProductIn((A950,)), rank_of(tensor), RankOf(tensor))


def _ranks_equal(parameter: str, self: str) -> Rules:
    return requires(
        "same_rank",
        parameter,
        Equal(_rank(self), _rank(parameter)),
        f"{parameter} must have as many dimensions as {self}",
        (Shown("shape", ShapeOf(parameter)), " and ", Shown("shape", ShapeOf(self))),
        f"Reshape {parameter}.",
    )


def shape_rules(self: str, source: str, out: str) -> Rules:
    """What is asked where index has elements."""
    several = Condition(
        And(Not(Equal(RankOf(out), Const(0))), Not(Empty("index"))),
        f"{out} has dimensions and index is not empty",
    )
    return (
        *when(SOME, _ranks_equal("index", self)),
        *(when(SOME, _ranks_equal(source, self)) if source else ()),
        *(when(several, same_shape(out, self)) if out != self else ()),
        *(when(SOME, lengths_fit("index", source, _NO_AXIS, but="")) if source else ()),
        *when(
            SOME,
            lengths_fit("index", self, ValueOf("dim"), but=", but for dimension dim"),
            rank_at_most(self, 8),
            axis_in_rank("dim", self, of_scalars=True),
        ),
    )


def scatter_checks(
    self: str,
    out: str,
    first: Rules = (),
    *,
    on: tuple[Product, ...] = NEWER,
    is_float: bool = False,
) -> tuple[tuple[Step, ...], ...]:
    """Those of all that scatter a tensor; `is_float` where the first rules leave no other dtype."""
    written = out != self
    return (
        first,
        not_null(*dict.fromkeys((self, "index", "src", out))),
        () if is_float else dtype_in(self, *VALUES, NEW_BF16),
        same_dtype("src", self),
        same_dtype(out, self) if written else (),
        when(SOME, dtype_in("index", *INDICES)),
        inside_storage(self, "src"),
        () if written else done_when_empty("index"),
        shape_rules(self, "src", out),
        supported_on(*on),
        inside_storage("index"),
        inner(fits_shape(out, ShapeOf(self), f"of {self}")) if written else (),
    )


def golden_elements(self: Array, dim: int, index: Ints, src: Array, reduce: int = 0) -> Array:
    """By ufunc.at; a src without dimensions is written everywhere."""
    import numpy as np

    places = np.atleast_1d(index)
    table, axis, places = placed(self, dim, places)
    where = coordinates(axis, places)
    values = np.broadcast_to(src, places.shape) if np.ndim(src) == 0 else np.asarray(src)
    values = values[tuple(slice(length) for length in places.shape)]
    if reduce not in _FUNCTIONS:
        table[where] = values
        return table.reshape(np.shape(self))
    getattr(np, _FUNCTIONS[reduce]).at(table, where, values)
    if reduce == _MEAN:
        terms = np.ones(table.shape, np.int64)
        np.add.at(terms, where, 1)
        divide = np.floor_divide if table.dtype.kind in "iu" else np.divide
        table = divide(table, terms).astype(table.dtype)
    return table.reshape(np.shape(self))


def torch_elements(
    torch: Torch, self: Torch, dim: int, index: Torch, src: Torch, reduce: int = 0
) -> Torch:
    """Torch's scatter and scatter_reduce; indices without signs."""
    if index.numel() == 0:
        return self
    places = index.long() % (self.shape[dim] if self.ndim else 1)
    if reduce not in _TORCH:
        return self.scatter(dim, places, src)
    if self.dtype is torch.bool or self.is_complex():
        return NotImplemented  # torch has no such reduction
    return self.scatter_reduce(dim, places, src, _TORCH[reduce])


def elements_call(
    self: tuple[int, ...], dim: int, index: TensorArg, dtype: DataType = FLOAT, **others: Argument
) -> Call:
    """A source of the shape of the index."""
    tensor = TensorArg(self, dtype)
    source = TensorArg(index.shape, dtype)
    return call_of(self=tensor, dim=dim, index=index, src=source, **others, out=tensor)


def drawn_elements(rng: Random, dtypes: tuple[DataType, ...], **others: Argument) -> Call:
    """Some shape, and an index that fits it."""
    self = drawn_shape(rng)
    dim, length = drawn_axis(rng, self)
    axis = dim % max(len(self), 1)
    shape = tuple(
        rng.randint(1, 6 if i == axis else each) for i, each in enumerate(self)
    )  # fmt: skip
    call = elements_call(self, dim, indices(rng, shape, length, negative=True), rng.choice(dtypes))
    longer = tuple(length + rng.choice((0, 0, 1)) for length in shape)
    return call.passing(**others).reshaped(longer, "src")


def drawn_reduction(rng: Random) -> Call:
    """With some reduction that the dtype has."""
    reduce = rng.choice((0, 0, 1, 1, 2, 3, 4, _MEAN, 9))
    dtypes: tuple[DataType, ...] = (*REALS, BF16) if reduce in (3, 4) else (*VALUES, BF16)
    if reduce == _MEAN:
        dtypes = tuple(each for each in (*REALS, BF16) if each is not BOOL)
    call = drawn_elements(rng, dtypes)
    return call.passing(reduce=reduce, out=call.arguments["self"])


def typical_elements(n: int, **others: Argument) -> Call:
    """A matrix, scattered along its rows."""
    shape = matrix_shape(n)
    return elements_call(shape, 1, TensorArg(shape, INT64, span=(0, shape[1])), FLOAT, **others)


_PLACES = TensorArg((1, 4, 2), INT32, (0, 2, 1, 0, 0, 2, 1, 1))
SAMPLES = (
    elements_call((3, 3), 0, TensorArg((2, 2), INT64, (0, 2, 0, -3)), reduce=1),
    elements_call(
        (2, 3, 2), -2, TensorArg((1, 4, 2), INT32, (0, 2, 1, 0, 0, 2, 1, 1)), FLOAT16, reduce=5
    ),
    elements_call((4,), 0, TensorArg((3,), INT64, (3, 3, 0)), COMPLEX128, reduce=2),
    elements_call((), -1, TensorArg((), INT64, (0,)), INT8, reduce=0),
    elements_call((2, 2), 0, TensorArg((0, 2), INT32), BF16, reduce=0),
    elements_call((2, 2), 1, TensorArg((2, 2), INT64, (0, 1, 1, 1)), BOOL, reduce=4),
    elements_call((2,), 0, TensorArg((), INT64, (1,)), reduce=3).on(A950),
)
RESULT = TensorOut("out", "Result.", like="self")
SELF_IN = TensorIn("self", "What is there first.")
SELF_REF = TensorInOut(
    "selfRef", "What is there first, and where the result is put.",
    read_if=And(AtMost(Const(ADD), ValueOf("reduce")), AtMost(ValueOf("reduce"), Const(_MEAN))),
)  # fmt: skip

_SCATTER = Operator(
    "aclnnScatter",
    summary="Writes elements along a dimension, each to an index of its own.",
    formula=FORMULA.format("out", ORDER),
    params=(SELF_IN, DIM, INDEX, SOURCE, REDUCE, RESULT),
    checks=scatter_checks("self", "out"),
    golden=golden_elements,
    reference=torch_elements,
    summed=("self", "src"),
    ulps=8,
    draw=drawn_reduction,
    typical=lambda n: typical_elements(n, reduce=ADD),
    samples=SAMPLES,
    notes=(INDEX_NOTE, NEGATIVE_NOTE, *REDUCE_NOTES),
)

_INPLACE_SCATTER = Operator(
    "aclnnInplaceScatter",
    summary="Writes elements along a dimension in place, each to an index of its own.",
    formula=FORMULA.format("selfRef", ORDER),
    params=(SELF_REF, DIM, INDEX, SOURCE, REDUCE),
    checks=scatter_checks("selfRef", "selfRef"),
    golden=in_place(golden_elements),
    reference=in_place(torch_elements),
    summed=("selfRef", "src"),
    ulps=8,
    draw=lambda rng: as_in_place(drawn_reduction(rng)),
    typical=lambda n: as_in_place(typical_elements(n, reduce=0)),
    samples=tuple(map(as_in_place, SAMPLES)),
    notes=_SCATTER.notes,
)


def golden_sums(self: Array, dim: int, index: Ints, src: Array) -> Array:
    """The sums of the elements."""
    return golden_elements(self, dim, index, src, ADD)


def torch_sums(torch: Torch, self: Torch, dim: int, index: Torch, src: Torch) -> Torch:
    """The same by torch."""
    return torch_elements(torch, self, dim, index, src, ADD)


def without(call: Call, *names: str) -> Call:
    """The same call without some arguments."""
    return Call(
        {name: each for name, each in call.arguments.items() if name not in names}, call.product
    )


_SCATTER_ADD = Operator(
    "aclnnScatterAdd",
    summary="Adds elements along a dimension, each at an index of its own.",
    formula=(
        "`out[index[i, j, k], j, k] = self[index[i, j, k], j, k] + src[i, j, k]` for dim 0 of "
        f"three dimensions, and so on. {ORDER}"
    ),
    params=(SELF_IN, DIM, INDEX, SOURCE, RESULT),
    checks=scatter_checks("self", "out"),
    golden=golden_sums,
    reference=torch_sums,
    summed=("self", "src"),
    ulps=4,
    draw=lambda rng: drawn_elements(rng, (*VALUES, BF16)),
    typical=typical_elements,
    samples=tuple(without(call, "reduce") for call in SAMPLES),
    notes=(INDEX_NOTE, NEGATIVE_NOTE),
)

OPS = (_SCATTER, _INPLACE_SCATTER, _SCATTER_ADD)
