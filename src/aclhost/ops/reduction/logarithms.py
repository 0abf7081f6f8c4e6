# SPDX-License-Identifier: Apache-2.0
"""Logarithms of sums."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import (
    BF16_NEWER,
    INTEGERS,
    SELF,
    SOME,
    SUPPORTED,
    axes,
    complete,
    dims_param,
    drawn_dims,
    drawn_shape,
    keep_param,
    reduced,
    typical_rows,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, FLOAT, FLOAT16, INT32, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorOut
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    axes_in_rank,
    distinct_axes,
    dtype_in,
    inside_storage,
    not_null,
    not_private,
    on_products,
    rank_at_most,
    shape_is,
    when,
)
from aclhost.spec.terms import DtypeOf, If, In, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_SHAPE = reduced()
_FLOATS = (FLOAT, FLOAT16, BF16)


def _golden(self: Array, dim: Ints, keep_dim: bool) -> Array:
    import numpy as np

    values, axis = self.astype(np.float64), axes(dim)
    with np.errstate(all="ignore"):
        if not values.size:
            return np.asarray(np.log(values.sum(axis=axis, keepdims=keep_dim)))
        largest = values.max(axis=axis, keepdims=True)
        largest = np.where(np.isinf(largest), 0, largest)
        total = np.exp(values - largest).sum(axis=axis, keepdims=keep_dim)
        return np.asarray(np.log(total) + largest.reshape(total.shape))


def _torch(torch: Any, self: Any, dim: Any, keep_dim: bool) -> Any:  # noqa: ANN401
    values = self.double()
    if not self.numel():
        return NotImplemented
    return torch.logsumexp(values, dim or tuple(range(values.dim())), keepdim=keep_dim)


def _call(shape: tuple[int, ...], own: DataType, dim: Any, keep: bool, out: DataType) -> Call:  # noqa: ANN401
    given = {"self": TensorArg(shape, own), "dim": dim, "keepDim": keep}
    return complete(("out", _SHAPE, out))(Call(given))


def _draw(rng: Random) -> Call:
    shape, own = drawn_shape(rng), rng.choice((*_FLOATS, *INTEGERS, BOOL))
    out = rng.choice((own, FLOAT)) if own in _FLOATS else FLOAT
    call = _call(shape, own, drawn_dims(rng, len(shape)), rng.random() < 0.5, out)
    return call if own in _FLOATS else call.changing(("self",), span=(0, 2 if own is BOOL else 60))


OP = Operator(
    "aclnnLogSumExp",
    summary="Logarithms of sums of exponentials over dimensions.",
    formula="`out = log(sum(exp(self)))` over dim",
    params=(
        SELF,
        dims_param(),
        keep_param(),
        TensorOut(
            "out",
            "Result.",
            shape=_SHAPE,
            dtype=If(
                In(DtypeOf("self"), tuple(each.value for each in _FLOATS)),
                DtypeOf("self"),
                const(FLOAT),
            ),
        ),
    ),
    checks=(
        not_null("self", "dim", "out"),
        dtype_in("self", FLOAT, FLOAT16, *INTEGERS, BOOL, BF16_NEWER),
        dtype_in("out", FLOAT, FLOAT16, BF16_NEWER),
        axes_in_rank("dim", "self"),
        distinct_axes("dim", "self"),
        rank_at_most("self", 8),
        rank_at_most("out", 8),
        shape_is("out", _SHAPE, "of self without what is reduced"),
        when(SOME, when(on_products(A950), not_private("self"))),
        SUPPORTED,
        inside_storage("self"),
    ),
    golden=_golden,
    reference=_torch,
    ulps=3,
    ulps_from=1.0,  # the logarithm of about 1 has lost what its argument lost
    draw=_draw,
    typical=typical_rows(complete(("out", _SHAPE, None)), dim=(1,), keepDim=False),
    samples=(
        _call((2, 3), FLOAT, (1,), False, FLOAT),
        _call((2, 3, 4), FLOAT16, (-1, 0), True, FLOAT16),
        _call((3, 2), INT32, (), False, FLOAT),
        _call((3, 0), FLOAT, (1,), False, FLOAT),
        _call((), BF16, (), False, BF16),
    ),
    notes=(
        "Exponentials of differences from the largest value are made in float and added in double.",
        "Of nothing the result is -inf.",
    ),
)
