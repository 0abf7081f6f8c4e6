# SPDX-License-Identifier: Apache-2.0
"""aclnnThreeInterpolateBackward."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import FLOAT, FLOAT16, INT32, INT64, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    inner,
    inside_storage,
    not_null,
    rank_in,
    same_dtype,
    shape_is,
    supported_on,
)
from aclhost.spec.shapes import Lengths, ShapeIf
from aclhost.spec.terms import Const, DimOf, DtypeOf, In, RankOf, Term, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints


def _dim(axis: int) -> Term:
    return DimOf("grad_x", Const(axis))


_RESULT = ShapeIf(
    In(RankOf("grad_x"), (4,)),
    Lengths((_dim(0), _dim(1), ValueOf("m"), Const(1))),
    Lengths((_dim(0), _dim(1), ValueOf("m"))),
)
_NEIGHBOURS = Lengths((_dim(0), _dim(2), Const(3)))


def _golden(grad_x: Array, idx: Ints, weight: Array, m: int) -> Array:
    """Each neighbour of all points at once; equal places add up."""
    import numpy as np

    batch, channels, points = grad_x.shape[:3]
    slopes = grad_x.reshape(batch, channels, points)
    sums = np.zeros((batch, m, channels))
    for k in range(3):
        shares = slopes * weight[:, None, :, k]
        np.add.at(sums, (np.arange(batch)[:, None], idx[..., k]), np.moveaxis(shares, 1, 2))
    return np.moveaxis(sums, 1, 2).reshape(batch, channels, m, *grad_x.shape[3:])


def _torch(torch: Any, grad_x: Any, idx: Any, weight: Any, m: int) -> Any:  # noqa: ANN401
    slopes = grad_x.reshape(grad_x.shape[:3])
    sums = torch.zeros((*slopes.shape[:2], m), dtype=slopes.dtype)
    for k in range(3):
        places = idx[:, None, :, k].long().expand(slopes.shape)
        sums.scatter_add_(2, places, slopes * weight[:, None, :, k])
    return sums.reshape(*sums.shape, *grad_x.shape[3:])


def _call(dtype: DataType, places: DataType, shape: tuple[int, ...], m: int) -> Call:
    neighbours = (shape[0], shape[2], 3)
    return Call(
        {
            "grad_x": TensorArg(shape, dtype),
            "idx": TensorArg(neighbours, places, span=(0, m)),
            "weight": TensorArg(neighbours, dtype, span=(0, 1)),
            "m": m,
            "grad_y": TensorArg((*shape[:2], m, *shape[3:]), dtype),
        }
    )


def _draw(rng: Random) -> Call:
    shape = (rng.randint(1, 3), rng.randint(1, 4), rng.randint(1, 9))
    last = (1,) if rng.random() < 0.3 else ()
    places = rng.choice((INT32, INT64))
    return _call(rng.choice((FLOAT, FLOAT16)), places, (*shape, *last), rng.randint(1, 6))


OP = Operator(
    "aclnnThreeInterpolateBackward",
    summary="Gradient of features that were interpolated from three neighbours.",
    formula=(
        "`grad_y[b, c, idx[b, n, k]] += grad_x[b, c, n] * weight[b, n, k]` for k = 0, 1, 2, "
        "starting from 0. Sums are taken in float in the order of n and k, and rounded once."
    ),
    params=(
        TensorIn("grad_x", "B, C, N: gradient of the interpolated features."),
        TensorIn("idx", "B, N, 3: the neighbours."),
        TensorIn("weight", "B, N, 3: their weights."),
        Int("m", "How many features there are to interpolate from.", bits=32, spelling="int"),
        TensorOut("grad_y", "B, C, m: gradient.", shape=_RESULT, dtype=DtypeOf("grad_x")),
    ),
    checks=(
        not_null("grad_x", "idx", "weight", "grad_y"),
        dtype_in("grad_x", FLOAT, FLOAT16),
        dtype_in("idx", INT32, INT64),
        dtype_in("weight", FLOAT, FLOAT16),
        done_when_empty("grad_x", "idx", "weight"),
        supported_on(A950, A3, A2),
        inside_storage("grad_x", "idx", "weight"),
        inner(
            rank_in("grad_x", 3, 4),
            shape_is("idx", _NEIGHBOURS, "[B, N, 3]"),
            shape_is("weight", _NEIGHBOURS, "[B, N, 3]"),
            same_dtype("weight", "grad_x"),
            same_dtype("grad_y", "grad_x"),
            shape_is("grad_y", _RESULT, "of grad_x with m in place of N"),
        ),
    ),
    golden=_golden,
    reference=_torch,
    summed=("grad_x", "weight"),
    samples=(
        _call(FLOAT, INT32, (2, 3, 5), 4),
        _call(FLOAT16, INT64, (1, 2, 4), 3),
        _call(FLOAT, INT64, (2, 2, 3, 1), 5),
    ),
    draw=_draw,
    typical=lambda n: _call(FLOAT, INT32, (4, 32, max(n // 128, 1)), max(n // 512, 1)),
    notes=(
        "A place that grad_y does not have is dropped, and the launch fails like a device "
        "exception: phase 2 returns 0, the next synchronisation of the stream 507015; Python "
        "raises. Upstream leaves this undefined.",
        "grad_x of rank 3 and of rank 4 with a last dimension of 1, which grad_y has, too, are "
        "taken on every product. Upstream documents the former; its code for Atlas A2 makes "
        "results of the latter.",
        "Shapes of idx and weight are compared with that of grad_x, which upstream does not do.",
    ),
)
