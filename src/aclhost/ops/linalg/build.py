# SPDX-License-Identifier: Apache-2.0
"""What operators on matrices have in common."""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any

from aclhost.spec.call import TensorArg
from aclhost.spec.draw import eighths
from aclhost.spec.dtypes import COMPLEX64, COMPLEX128, FLOAT, FLOAT16, Category, DataType
from aclhost.spec.rules import Rule, requires
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import Const, DimOf, DtypeOf, Equal, If, In, Term, const

Rules = tuple[Rule, ...]
Shape = tuple[int, ...]

COMPLEX = (COMPLEX64, COMPLEX128)
BY_LAPACK = (
    "Computed by OpenBLAS's LAPACK, by plain loops where there is none; matrices one by one, so "
    "that bits do not depend on threads."
)


def is_complex(parameter: str) -> Term:
    """The dtype is a complex one."""
    return In(DtypeOf(parameter), COMPLEX)


def computed(parameter: str) -> Term:
    """The dtype of results before they are cast."""
    dtype = DtypeOf(parameter)
    return If(Equal(dtype, const(FLOAT16)), const(FLOAT), dtype)


def square(parameter: str) -> Rules:
    """The last two dimensions are equal."""
    return requires(
        "square", parameter, Equal(DimOf(parameter, Const(-1)), DimOf(parameter, Const(-2))),
        f"{parameter} must have as many rows as columns", (Shown("shape", ShapeOf(parameter)),),
        "Only square matrices are meant.",
    )  # fmt: skip


def drawn_batch(rng: Random) -> Shape:
    """What comes before the last two dimensions."""
    return tuple(rng.randint(1, 3) for _ in range(rng.choice((0, 0, 1, 2))))


def drawn_values(rng: Random, shape: Shape, dtype: DataType) -> TensorArg:
    """Any numbers that all dtypes hold, in row-major order or with rows that are columns."""
    count = prod(shape)
    return _with_values(rng, shape, dtype, [_number(rng, dtype) for _ in range(count)])


def drawn_matrices(rng: Random, batch: Shape, n: int, dtype: DataType) -> TensorArg:
    """Square matrices that are far from singular, some with rows exchanged."""
    numbers: list[Any] = []
    count = prod(batch)
    for _ in range(count):
        rows = [[_number(rng, dtype) for _ in range(n)] for _ in range(n)]
        for i in range(n):
            rows[i][i] += rng.choice((-2, 2)) * (n + 1)
        rng.shuffle(rows)
        numbers += [each for row in rows for each in row]
    return _with_values(rng, (*batch, n, n), dtype, numbers)


def typical_matrices(n: int) -> TensorArg:
    """Of about n elements."""
    return TensorArg((n // 4096 + 1, 64, 64))


def _number(rng: Random, dtype: DataType) -> Any:  # noqa: ANN401
    real = eighths(rng, -1, 1)
    return complex(real, eighths(rng, -1, 1)) if dtype.category is Category.COMPLEX else real


def _with_values(rng: Random, shape: Shape, dtype: DataType, values: list[Any]) -> TensorArg:
    tensor = TensorArg(shape, dtype, tuple(values))
    if rng.random() < 0.5:
        return tensor
    strides = list(TensorArg((*shape[:-2], shape[-1], shape[-2])).row_major)
    strides[-2:] = strides[:-3:-1]
    return TensorArg(shape, dtype, tuple(values), strides=tuple(strides))
