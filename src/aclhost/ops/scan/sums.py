# SPDX-License-Identifier: Apache-2.0
"""Running sums along a dimension."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import BF16_NEWER, NUMBERS, SELF, as_dtype, drawn_shape, is_exact
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT32,
    INT64,
    UINT16,
    UINT32,
    UINT64,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Dtype, Int, TensorOut
from aclhost.spec.rules import (
    axis_in_rank,
    done_when_empty,
    dtype_in,
    dtype_is,
    inner,
    inside_storage,
    not_null,
    rank_at_most,
    same_shape,
)
from aclhost.spec.terms import ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_ALL = tuple(dtype for dtype in NUMBERS if dtype is not BOOL)
_FLOATS = (FLOAT, FLOAT16, BF16, DOUBLE)


def _cumsum(self: Array, dim: int, dtype: Any) -> Array:  # noqa: ANN401
    import numpy as np

    values = as_dtype(self, dtype)
    return np.cumsum(np.atleast_1d(values), axis=dim).reshape(self.shape)


def _torch(torch: Any, self: Any, dim: int, dtype: Any) -> Any:  # noqa: ANN401
    if not dtype.is_floating_point:
        return NotImplemented if dtype.is_complex else self.to(dtype).long().cumsum(dim)
    return self.to(dtype).double().cumsum(dim)


def _call(self: TensorArg, dim: int, dtype: DataType) -> Call:
    return Call({"self": self, "dim": dim, "dtype": dtype, "out": TensorArg(self.shape, dtype)})


def _draw(rng: Random) -> Call:
    shape, own = drawn_shape(rng), rng.choice((*NUMBERS, BF16))
    rank = max(len(shape), 1)
    dtype = rng.choice((*_ALL, BF16)) if is_exact(own) else own
    if own in _FLOATS and rng.random() < 0.5:
        dtype = rng.choice(_FLOATS)
    return _call(TensorArg(shape, own), rng.randint(-rank, rank - 1), dtype)


OP = Operator(
    "aclnnCumsum",
    summary="Running sums along a dimension.",
    formula="`out[i] = self[0] + ... + self[i]` along dim",
    params=(
        SELF,
        Int("dim", "Dimension along which is added.", default=-1),
        Dtype("dtype", "What self is cast to first.", default=FLOAT),
        TensorOut("out", "Result.", like="self", dtype=ValueOf("dtype")),
    ),
    checks=(
        not_null("self", "out"),
        dtype_in("out", *_ALL, BF16_NEWER),
        dtype_is("out", ValueOf("dtype"), "the dtype that dtype names"),
        same_shape("out", "self"),
        rank_at_most("self", 8),
        axis_in_rank("dim", "self", of_scalars=True),
        done_when_empty("self"),
        inner(dtype_in("self", *NUMBERS, BF16, UINT16, UINT32, UINT64)),
        inside_storage("self"),
    ),
    golden=_cumsum,
    reference=_torch,
    summed=("self",),
    draw=_draw,
    typical=lambda n: _call(TensorArg(matrix_shape(n)), 1, FLOAT),
    samples=(
        _call(TensorArg((2, 3)), 1, FLOAT),
        _call(TensorArg((2, 3, 4), FLOAT16), -2, FLOAT16),
        _call(TensorArg((3, 2), INT32), 0, INT64),
        _call(TensorArg((2, 3), COMPLEX64), 0, COMPLEX128),
        _call(TensorArg((), DOUBLE), 0, DOUBLE),
    ),
    notes=("Integers wrap; floating sums are added in double and rounded once.",),
)
