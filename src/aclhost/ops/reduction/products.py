# SPDX-License-Identifier: Apache-2.0
"""Products."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import (
    NONE,
    NUMBERS,
    REALS,
    SELF,
    SUPPORTED,
    as_dtype,
    dim_param,
    fits_reduced,
    keep_param,
    reduced_axis,
)
from aclhost.ops.reduction.sums import (
    ALL,
    drawn_pair,
    dtype_call,
    dtype_param,
    out_is_dtype,
    out_param,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape, random_shape
from aclhost.spec.dtypes import BF16, COMPLEX64, FLOAT, INT32, INT64
from aclhost.spec.operator import Operator
from aclhost.spec.rules import (
    axis_in_rank,
    dtype_in,
    dtype_value_in,
    inside_storage,
    not_null,
    rank_at_most,
    when,
)
from aclhost.spec.shapes import Rank0

if TYPE_CHECKING:
    from aclhost.spec.golden import Array


def _prod(self: Array, dtype: Any) -> Array:  # noqa: ANN401
    """Of all elements."""
    return _prod_dim(self.reshape(-1), 0, False, dtype)


def _prod_dim(self: Array, dim: int, keep_dim: bool, dtype: Any) -> Array:  # noqa: ANN401
    """Of BOOL, whether all are true."""
    import numpy as np

    values, axis = as_dtype(self, dtype), dim if self.ndim else None
    if values.dtype == bool:
        return np.asarray(values.all(axis=axis, keepdims=keep_dim))
    return np.asarray(values.prod(axis=axis, keepdims=keep_dim))


def _torch_prod(torch: Any, self: Any, dtype: Any) -> Any:  # noqa: ANN401
    return _torch_prod_dim(torch, self.flatten(), 0, False, dtype)


def _torch_prod_dim(torch: Any, self: Any, dim: int, keep_dim: bool, dtype: Any) -> Any:  # noqa: ANN401
    if dtype == torch.bool or dtype.is_complex:
        return NotImplemented
    exact = not dtype.is_floating_point
    values = self.to(dtype).long() if exact else self.to(dtype).double()
    return values.prod(dim=dim, keepdim=keep_dim)


_PROD_DIM = reduced_axis("keepDim")
_PRODUCTS = (
    rank_at_most("self", 8),
    rank_at_most("out", 8),
)
_AFTER = (
    when(NONE, dtype_in("out", *REALS, BF16)),
    SUPPORTED,
    inside_storage("self"),
)
_PROD_NOTE = (
    "Products are made in double and rounded once; integers wrap; of BOOL, whether all are true.",
)


def _draw_prod(rng: Random) -> Call:
    shape = random_shape(rng)
    own, dtype = drawn_pair(rng, *REALS, BF16)
    return dtype_call(Rank0(), TensorArg(shape, own), dtype)


def _draw_prod_dim(rng: Random) -> Call:
    shape = random_shape(rng)
    own, dtype = drawn_pair(rng, *REALS, BF16)
    dim = rng.randint(-len(shape), len(shape) - 1) if shape else rng.randint(-1, 0)
    return dtype_call(_PROD_DIM, TensorArg(shape, own), dtype, dim=dim, keepDim=rng.random() < 0.5)


PROD = Operator(
    "aclnnProd",
    summary="The product of all elements.",
    formula="`out = prod(self)`",
    params=(SELF, dtype_param(is_const=True), out_param(Rank0())),
    checks=(
        not_null("self", "out"),
        dtype_in("self", *ALL),
        dtype_value_in("dtype", *NUMBERS, BF16),
        out_is_dtype(),
        *_PRODUCTS,
        *_AFTER,
        fits_reduced(Rank0(), "out"),
    ),
    golden=_prod,
    reference=_torch_prod,
    ulps=8,  # of DOUBLE: every factor rounds
    draw=_draw_prod,
    typical=lambda n: dtype_call(Rank0(), TensorArg((n,), span=(0.999, 1.001)), FLOAT),
    samples=(
        dtype_call(Rank0(), TensorArg((2, 3)), FLOAT),
        dtype_call(Rank0(), TensorArg((2, 3), INT32), INT64),
        dtype_call(Rank0(), TensorArg((2, 3), COMPLEX64), COMPLEX64),
        dtype_call(Rank0(), TensorArg((0, 3)), FLOAT),
    ),
    notes=_PROD_NOTE,
)
PROD_DIM = Operator(
    "aclnnProdDim",
    summary="Products along a dimension.",
    formula="`out = prod(self)` along dim",
    params=(SELF, dim_param(), keep_param(), dtype_param(is_const=True), out_param(_PROD_DIM)),
    checks=(
        not_null("self", "out"),
        dtype_in("self", *ALL),
        dtype_value_in("dtype", *NUMBERS, BF16),
        out_is_dtype(),
        *_PRODUCTS,
        axis_in_rank("dim", "self", of_scalars=True),
        *_AFTER,
        fits_reduced(_PROD_DIM, "out"),
    ),
    golden=_prod_dim,
    reference=_torch_prod_dim,
    ulps=8,
    draw=_draw_prod_dim,
    typical=lambda n: dtype_call(
        _PROD_DIM, TensorArg(matrix_shape(n), span=(0.9, 1.1)), FLOAT, dim=1, keepDim=False
    ),
    samples=(
        dtype_call(_PROD_DIM, TensorArg((2, 3)), FLOAT, dim=1, keepDim=False),
        dtype_call(_PROD_DIM, TensorArg((2, 3), INT32), INT64, dim=-2, keepDim=True),
        dtype_call(_PROD_DIM, TensorArg((2, 3), COMPLEX64), COMPLEX64, dim=0, keepDim=False),
        dtype_call(_PROD_DIM, TensorArg((3, 0)), FLOAT, dim=1, keepDim=False),
    ),
    notes=_PROD_NOTE,
)
OPS = (PROD, PROD_DIM)
