# SPDX-License-Identifier: Apache-2.0
"""Traces of matrices."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import (
    BF16_NEWER,
    INTEGERS,
    NUMBERS,
    REALS,
    SELF,
    SUPPORTED,
    is_exact,
)
from aclhost.ops.reduction.sums import SUM_NOTE
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import BF16, BOOL, COMPLEX64, FLOAT, FLOAT16, INT64, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorOut
from aclhost.spec.rules import dtype_in, dtype_is, inside_storage, not_null, rank_in
from aclhost.spec.shapes import Rank0
from aclhost.spec.terms import DtypeOf, If, In, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_SUMMED = If(
    In(DtypeOf("self"), tuple(each.value for each in (*INTEGERS, BOOL))),
    const(INT64),
    DtypeOf("self"),
)


def _call(shape: tuple[int, int], dtype: DataType = FLOAT) -> Call:
    out = INT64 if is_exact(dtype) else dtype
    return Call({"self": TensorArg(shape, dtype), "out": TensorArg((), out)})


def _draw(rng: Random) -> Call:
    shape = (rng.choice((0, 1, 3, 7, 70, 300)), rng.choice((1, 2, 5, 70)))
    return _call(shape, rng.choice((*REALS, BF16, COMPLEX64)))


def _golden(self: Array) -> Array:
    import numpy as np

    return np.asarray(np.trace(self.astype(np.int64) if self.dtype == bool else self))


def _torch(torch: Any, self: Any) -> Any:  # noqa: ANN401
    diagonal = self.diagonal()
    if self.is_complex():
        return diagonal.to(torch.complex128).sum()
    return (diagonal.double() if self.is_floating_point() else diagonal.long()).sum()


OP = Operator(
    "aclnnTrace",
    summary="The sum of a matrix's diagonal.",
    formula="`out = sum(self[i, i])`",
    params=(SELF, TensorOut("out", "Result.", shape=Rank0(), dtype=_SUMMED)),
    checks=(
        not_null("self", "out"),
        rank_in("self", 2),
        rank_in("out", 0),
        dtype_in("self", *NUMBERS, BF16_NEWER),
        dtype_is("out", _SUMMED, "INT64 of integers and BOOL, else self's dtype"),
        SUPPORTED,
        inside_storage("self"),
    ),
    golden=_golden,
    reference=_torch,
    summed=("self",),
    draw=_draw,
    typical=lambda n: _call(matrix_shape(n)),
    samples=(
        _call((3, 3)),
        _call((2, 5), FLOAT16),
        _call((5, 2), BOOL),
        _call((3, 3), COMPLEX64),
        _call((0, 3)),
    ),
    notes=(SUM_NOTE,),
)
