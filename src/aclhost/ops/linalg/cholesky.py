# SPDX-License-Identifier: Apache-2.0
"""Symmetric matrices as a triangle times itself."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.linalg.build import BY_LAPACK, drawn_batch, square
from aclhost.ops.matmul.build import call_of
from aclhost.ops.pointwise.declare import known
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import eighths
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, TensorIn, TensorOut
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    not_private,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    same_format,
    same_shape,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import AtMost, Const, DimOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NAME = "aclnnLinalgCholesky"
_MOST = 8192
_DTYPES = (FLOAT, BF16, FLOAT16)
_VALUES = (4.0, 2.0, -2.0, 2.0, 5.0, 1.0, -2.0, 1.0, 6.0)


def _golden(self: Array, upper: bool) -> Array:
    import numpy as np

    factor = np.linalg.cholesky(self)
    return np.asarray(factor.swapaxes(-1, -2) if upper else factor)


def _call(self: TensorArg, upper: bool = False) -> Call:
    return call_of(self=self, upper=upper, out=TensorArg(self.shape, self.dtype))


def _definite(rng: Random, n: int) -> list[float]:
    """A symmetric matrix whose diagonal outweighs all else."""
    rows = [[eighths(rng, -1, 1) for _ in range(n)] for _ in range(n)]
    return [rows[max(i, j)][min(i, j)] if i != j else n + 1.0 for i in range(n) for j in range(n)]


def _matrices(rng: Random, batch: tuple[int, ...], n: int, dtype: DataType) -> TensorArg:
    count = prod(batch)
    values = [each for _ in range(count) for each in _definite(rng, n)]
    return TensorArg((*batch, n, n), dtype, tuple(values))


def _repeated(count: int, n: int) -> TensorArg:
    """The same matrix several times: to draw each of a million elements takes long."""
    return TensorArg((count, n, n), FLOAT, tuple(_definite(Random(1), n) * count))


def _draw(rng: Random) -> Call:
    matrices = _matrices(rng, drawn_batch(rng), rng.randint(1, 30), rng.choice(_DTYPES))
    return _call(matrices, rng.random() < 0.5)


OP = Operator(
    _NAME,
    summary="Symmetric matrices as a triangle times the same transposed.",
    formula="`self = out @ out.T`, with `upper` `self = out.T @ out`",
    params=(
        TensorIn("self", "Symmetric, positive definite matrices [..., n, n]."),
        Flag("upper", "Whether out is an upper triangle.", default=False),
        TensorOut("out", "Triangles, the other half 0.", like="self"),
    ),
    checks=(
        not_null("self", "out"),
        same_dtype("out", "self"),
        dtype_in("self", *_DTYPES),
        same_format("out", "self"),
        not_private("self"),
        rank_at_most("self", 8),
        rank_at_least("self", 2),
        same_shape("out", "self"),
        done_when_empty("self"),
        square("self"),
        requires(
            "length", "self", AtMost(DimOf("self", Const(-1)), Const(_MOST)),
            f"self must have at most {_MOST} rows", (Shown("shape", ShapeOf("self")),),
            "Upstream's kernel would not end in time.",
        ),
        supported_on(*known(_NAME).products),
        inside_storage("self"),
    ),
    golden=_golden,
    reference=lambda torch, self, upper: torch.linalg.cholesky(self, upper=upper),
    ulps=16,
    ulps_from=1.0,
    draw=_draw,
    typical=lambda n: _call(_repeated(n // 4096 + 1, 64)),
    samples=(
        _call(TensorArg((3, 3), FLOAT, _VALUES)),
        _call(TensorArg((1, 3, 3), BF16, _VALUES), True),
        _call(TensorArg((3, 3), FLOAT16, _VALUES)),
    ),
    notes=(
        BY_LAPACK,
        "Only the lower half of self is read. FLOAT16, which upstream's code takes and its "
        "document leaves out, and BF16 are computed in FLOAT.",
        "Where self is not positive definite, elements become NaN, as the kernel's square roots "
        "do; torch raises an error.",
    ),
)  # fmt: skip
