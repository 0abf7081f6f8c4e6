# SPDX-License-Identifier: Apache-2.0
"""What reductions have in common: parameters, checks, calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.draw import matrix_shape, random_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    Category,
    DataType,
)
from aclhost.spec.params import Flag, Int, IntArray, TensorIn
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.reduced import Reduced, ReducedAxis
from aclhost.spec.rules import (
    Condition,
    Rule,
    fits_shape,
    has_elements,
    only_on,
    supported_on,
    when,
)
from aclhost.spec.shapes import ShapeTerm
from aclhost.spec.terms import Empty, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

NEWER = (A950, A3, A2)
SUPPORTED = supported_on(*NEWER, P310P, T910)
BF16_NEWER = only_on(BF16, *NEWER)
INTEGERS = (INT8, INT16, INT32, INT64, UINT8)
REALS = (FLOAT, FLOAT16, DOUBLE, *INTEGERS, BOOL)
NUMBERS = (*REALS, COMPLEX64, COMPLEX128)
SELF = TensorIn("self", "Input.")
SOME = has_elements("self")
NONE = Condition(Empty("self"), "self is empty")


def dims_param(name: str = "dim") -> IntArray:
    """The dimensions that go."""
    return IntArray(
        name, "Dimensions that are reduced, in any order; none: all.", length=1, default=()
    )


def dim_param() -> Int:
    """The dimension that goes."""
    return Int("dim", "Dimension that is reduced.", default=-1)


def keep_param(name: str = "keepDim") -> Flag:
    """Whether it stays with length 1."""
    return Flag(name, "Whether reduced dimensions stay with length 1.", default=False)


def reduced(dims: str = "dim", keep: str = "keepDim") -> ShapeTerm:
    """The shape without the dimensions of an array."""
    return Reduced("self", dims, ValueOf(keep))


def reduced_axis(keep: str = "keepdim") -> ShapeTerm:
    """The shape without one dimension."""
    return ReducedAxis("self", ValueOf("dim"), ValueOf(keep))


def fits_reduced(shape: ShapeTerm, *names: str) -> tuple[Rule, ...]:
    """What is computed, if there is something, must fit the outputs."""
    rules = (fits_shape(name, shape, "of self without what is reduced") for name in names)
    return when(SOME, *rules)


def axes(dims: Sequence[int] | None) -> tuple[int, ...] | None:
    """As NumPy and torch name them."""
    return tuple(dims or ()) or None


def is_exact(dtype: DataType) -> bool:
    """Whether values have neither fractions nor signs of zero."""
    return dtype.category in (Category.INTEGER, Category.BOOL)


def as_dtype(array: Array, dtype: Any) -> Array:  # noqa: ANN401
    """Values after the cast to a dtype, integers in 64 bits, others in double."""
    import numpy as np

    from aclhost.goldens import convert
    from aclhost.spec import dtypes

    if not isinstance(dtype, DataType):
        dtype = dtypes.BY_NUMPY[np.dtype(dtype).name]
    if dtype.category is Category.BOOL:
        return np.asarray(array != 0)
    if dtype.category is Category.INTEGER:
        return convert(array, dtype).astype(np.int64)
    return convert(array, dtype).astype(
        np.complex128 if dtype.category is Category.COMPLEX else np.float64
    )


def drawn_dims(rng: Random, rank: int) -> tuple[int, ...]:
    """Some dimensions in any order, by either of their names."""
    names = rng.sample(range(rank), rng.randint(0, rank))
    return tuple(dim - rank if rng.random() < 0.4 else dim for dim in names)


def drawn_shape(rng: Random) -> tuple[int, ...]:
    """Small ones, sometimes long enough for parts and lanes."""
    if rng.random() < 0.2:
        return tuple(rng.choice(((70, 3), (3, 70), (2, 5000), (5000, 2), (40, 3, 33))))
    return random_shape(rng)


Complete = Callable[[Call], Call]  # adds the outputs


def complete(*results: tuple[str, ShapeTerm, DataType | None]) -> Complete:
    """With outputs of the shape that follows, of a dtype or self's."""

    def with_outputs(call: Call) -> Call:
        own = call.tensor("self").dtype
        made = {
            name: TensorArg(shape.evaluate(call), dtype or own) for name, shape, dtype in results
        }
        return call.passing(**made)

    return with_outputs


def typical_rows(finish: Complete, **attributes: Argument) -> Callable[[int], Call]:
    """Rows of a matrix."""

    def typical(elements: int) -> Call:
        return finish(Call({"self": TensorArg(matrix_shape(elements)), **attributes}))

    return typical
