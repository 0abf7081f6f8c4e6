# SPDX-License-Identifier: Apache-2.0
"""Equations with triangular matrices."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.linalg.build import (
    BY_LAPACK,
    COMPLEX,
    drawn_batch,
    drawn_matrices,
    drawn_values,
    square,
    typical_matrices,
)
from aclhost.ops.matmul.build import call_of
from aclhost.ops.pointwise.declare import known
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import COMPLEX64, DOUBLE, FLOAT, DataType
from aclhost.spec.matrices import BatchesFit, ProductShape
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, TensorIn, TensorOut
from aclhost.spec.rules import (
    Condition,
    Rule,
    done_when_empty,
    dtype_in,
    inner,
    inside_storage,
    is_set,
    not_null,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf, WithLast, broadcast
from aclhost.spec.terms import Const, DimOf, Equal, Present

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NAME = "aclnnTriangularSolve"
_DTYPES = (FLOAT, DOUBLE, *COMPLEX)
_X = ProductShape("A", "self")
_M = WithLast("xOut", 0, (DimOf("A", Const(-1)),))
_WITH_M = Condition(Present("mOut"), "mOut is there")
_PLAIN = (True, False, False)
_VALUES = (4.0, 1.0, 2.0, 0.5, -2.0, 1.0, 1.0, 3.0, 8.0)


def _fits() -> tuple[Rule, ...]:
    got = (Shown("shape", ShapeOf("A")), " and ", Shown("shape", ShapeOf("self")))
    return (
        *requires(
            "same_rows", "self", Equal(DimOf("self", Const(-2)), DimOf("A", Const(-2))),
            "self must have as many rows as A", got, "Transpose self, or correct its shape.",
        ),
        *requires(
            "broadcastable", "self", BatchesFit("A", "self"),
            "A and self must broadcast but for the last two dimensions", got,
            "Aligned at the right, dimensions must be equal or one of them 1.",
        ),
    )  # fmt: skip


def _golden(
    self: Array, a: Array, upper: bool, transpose: bool, unitriangular: bool
) -> tuple[Array, Array]:
    import numpy as np

    half = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        half = half + np.eye(a.shape[-1]) * (1 - half)
    if transpose:
        half = np.swapaxes(half, -1, -2)
    batch = np.broadcast_shapes(a.shape[:-2], self.shape[:-2])
    x = np.linalg.solve(half, np.broadcast_to(self, batch + self.shape[-2:]))
    return np.asarray(x), np.broadcast_to(a, batch + a.shape[-2:])


def _torch(
    torch: Any, self: Any, a: Any, upper: bool, transpose: bool, unitriangular: bool  # noqa: ANN401
) -> Any:  # noqa: ANN401  # fmt: skip
    turned = a.mT if transpose else a
    x = torch.linalg.solve_triangular(
        turned, self, upper=upper != transpose, unitriangular=unitriangular
    )
    return x, a.expand(*x.shape[:-1], a.shape[-1])


def _call(self: TensorArg, a: TensorArg, *flags: bool) -> Call:
    batch = broadcast([self.shape[:-2], a.shape[:-2]])[0]
    m = TensorArg((*batch, *a.shape[-2:]), a.dtype)
    upper, transpose, unitriangular = flags
    return call_of(
        self=self, A=a, upper=upper, transpose=transpose, unitriangular=unitriangular,
        xOut=TensorArg((*batch, *self.shape[-2:]), self.dtype), mOut=m,
    )  # fmt: skip


def _sample(dtype: DataType, *flags: bool, count: int = 1) -> Call:
    a = TensorArg((count, 3, 3), dtype, _VALUES * count)
    return _call(TensorArg((3, 2) if count == 1 else (count, 3, 2), dtype), a, *flags)


def _diagonal_first(tensor: TensorArg, n: int) -> TensorArg:
    """Matrices with the large number of each row on the diagonal: both halves are far from 0."""
    assert tensor.values is not None
    rows = [tensor.values[i : i + n] for i in range(0, len(tensor.values), n)]
    for first in range(0, len(rows), n):
        rows[first : first + n] = sorted(
            rows[first : first + n], key=lambda row: max(range(n), key=lambda i: abs(row[i]))
        )
    values = tuple(each for row in rows for each in row)
    return TensorArg(tensor.shape, tensor.dtype, values, strides=tensor.strides)


def _draw(rng: Random) -> Call:
    dtype, n, batch = rng.choice((FLOAT, *_DTYPES)), rng.randint(1, 20), drawn_batch(rng)
    a = _diagonal_first(drawn_matrices(rng, batch, n, dtype), n)
    own = tuple(rng.choice((1, each)) for each in batch)[rng.randint(0, len(batch)) :]
    columns = rng.choice((1, rng.randint(2, 30)))
    self = drawn_values(rng, (*own, n, columns), dtype)
    unit = dtype is FLOAT and n < 4 and rng.random() < 0.5
    flags = (rng.random() < 0.5, rng.random() < 0.5, unit)
    return _call(self, a, *flags)


OP = Operator(
    _NAME,
    summary="Solves equations with triangular matrices.",
    formula="`A @ xOut = self`, or `A.T @ xOut = self`",
    params=(
        TensorIn("self", "Right sides [..., m, n]."),
        TensorIn("A", "Matrices [..., m, m], of which one half counts."),
        Flag("upper", "The upper half counts, else the lower one.", default=True),
        Flag("transpose", "A counts transposed, not conjugated.", default=False),
        Flag("unitriangular", "The diagonal counts as 1.", default=False),
        TensorOut("xOut", "Solutions.", like="self", shape=_X),
        TensorOut("mOut", "A as it is, broadcast.", like="A", shape=_M, optional=True),
    ),
    checks=(
        inner(not_null("self", "A", "xOut")),
        *(dtype_in(name, *_DTYPES) for name in ("self", "A", "xOut")),
        same_dtype("A", "self"),
        same_dtype("xOut", "self"),
        when(_WITH_M, dtype_in("mOut", *_DTYPES), same_dtype("mOut", "self")),
        *(rank_at_least(name, 2) for name in ("self", "A", "xOut")),
        *(rank_at_most(name, 8) for name in ("self", "A", "xOut")),
        square("A"),
        _fits(),
        shape_is("xOut", _X, "[..., rows of A, columns of self]"),
        when(_WITH_M, rank_at_least("mOut", 2), rank_at_most("mOut", 8)),
        when(_WITH_M, shape_is("mOut", _M, "of xOut with the columns of A")),
        done_when_empty("A", "self"),
        supported_on(*known(_NAME).products),
        inside_storage("self", "A"),
        when(is_set("unitriangular"), dtype_in("self", FLOAT)),
    ),
    golden=_golden,
    reference=_torch,
    ulps=16,
    ulps_from=1.0,
    draw=_draw,
    typical=lambda n: _call(
        typical_matrices(n), TensorArg((64, 64), span=(0.9, 1.1)), *_PLAIN
    ),
    samples=(
        _sample(FLOAT, *_PLAIN),
        _sample(FLOAT, False, True, True, count=2),
        _sample(DOUBLE, True, True, False),
        _sample(COMPLEX64, False, False, False),
    ),
    notes=(
        BY_LAPACK,
        "A zero on the diagonal gives infinities and NaN.",
        "mOut is all of A, not only the half that counts, as upstream's code has it.",
        "Upstream's inner operator conjugates complex matrices where transpose is true; here "
        "they are only transposed, as documented.",
    ),
)  # fmt: skip
