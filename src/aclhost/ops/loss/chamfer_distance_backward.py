# SPDX-License-Identifier: Apache-2.0
"""aclnnChamferDistanceBackward."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.loss.build import Torch
from aclhost.ops.pointwise.checks import feasible, given, listed
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import FLOAT, FLOAT16, INT32, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.rules import done_when_empty, inner, same_dtype, same_shape, shape_is
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import DimOf, Term, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NAME = "aclnnChamferDistanceBackward"
_POINTS, _INDICES = ("xyz1", "xyz2"), ("idx1", "idx2")
_GRADIENTS, _RESULTS = ("gradDist1", "gradDist2"), ("gradXyz1", "gradXyz2")
_BATCH = DimOf("xyz1", const(0))


def golden(
    xyz1: Array, xyz2: Array, idx1: Array, idx2: Array, grad_dist1: Array, grad_dist2: Array
) -> tuple[Array, Array]:
    """Each point is pulled towards its nearest one, which is pulled the other way."""
    import numpy as np

    first, second = np.zeros(xyz1.shape), np.zeros(xyz2.shape)
    batch = np.arange(len(xyz1))[:, None]
    slopes = 2 * grad_dist1[..., None] * (xyz1 - xyz2[batch, idx1])
    first += slopes
    np.subtract.at(second, (np.broadcast_to(batch, idx1.shape), idx1), slopes)
    slopes = 2 * grad_dist2[..., None] * (xyz2 - xyz1[batch, idx2])
    second += slopes
    np.subtract.at(first, (np.broadcast_to(batch, idx2.shape), idx2), slopes)
    return first, second


def _reference(
    torch: Torch, xyz1: Torch, xyz2: Torch, idx1: Torch, idx2: Torch, grad_dist1: Torch,
    grad_dist2: Torch,
) -> tuple[Torch, Torch]:  # fmt: skip
    """The derivative of the distances to the points that the indices name."""
    first, second = xyz1.clone().requires_grad_(), xyz2.clone().requires_grad_()
    batch = torch.arange(len(xyz1)).unsqueeze(1)
    one = ((first - second[batch, idx1.long()]) ** 2).sum(-1)
    other = ((second - first[batch, idx2.long()]) ** 2).sum(-1)
    ((one * grad_dist1).sum() + (other * grad_dist2).sum()).backward()
    return first.grad, second.grad


def _call(batch: int, n: int, m: int, dtype: DataType = FLOAT) -> Call:
    first, second = TensorArg((batch, n, 2), dtype), TensorArg((batch, m, 2), dtype)
    return Call(
        {
            "xyz1": first,
            "xyz2": second,
            "idx1": TensorArg((batch, n), INT32, span=(0, m)),
            "idx2": TensorArg((batch, m), INT32, span=(0, n)),
            "gradDist1": TensorArg((batch, n), dtype),
            "gradDist2": TensorArg((batch, m), dtype),
            "gradXyz1": first,
            "gradXyz2": second,
        }
    )


def _drawn(random: Random) -> Call:
    count = random.randint(1, 30)
    return _call(
        random.randint(1, 4), count, random.choice((count, 7)), random.choice((FLOAT, FLOAT16))
    )


def _lengths(*terms: Term) -> Lengths:
    return Lengths(terms)


OP = Operator(
    _NAME,
    summary="Gradient of the distances between points of a plane and the nearest ones.",
    formula="For every point p of one set and its nearest point q of the other: "
    "`2 * gradDist * (p - q)` is added to the gradient of p and taken from that of q",
    params=(
        *(TensorIn(name, "Points: [B, N, 2].") for name in _POINTS),
        *(TensorIn(name, "Which point of the other set is nearest: [B, N].") for name in _INDICES),
        *(TensorIn(name, "Gradient of the distances: [B, N].") for name in _GRADIENTS),
        TensorOut("gradXyz1", "Gradient of xyz1.", like="xyz1"),
        TensorOut("gradXyz2", "Gradient of xyz2.", like="xyz2", dtype=None),
    ),
    checks=(
        given(*_POINTS, *_INDICES, *_GRADIENTS, *_RESULTS),
        listed(_POINTS, FLOAT, FLOAT16),
        listed(_INDICES, INT32),
        listed((*_GRADIENTS, *_RESULTS), FLOAT, FLOAT16),
        done_when_empty(*_POINTS, *_INDICES, *_GRADIENTS),
        feasible(_NAME, "gradXyz1", (*_POINTS, *_INDICES, *_GRADIENTS)),
        inner(
            same_dtype("gradXyz1", "xyz1"),
            same_shape("gradXyz1", "xyz1"),
            same_dtype("gradXyz2", "xyz1"),
            same_shape("gradXyz2", "xyz2"),
        ),
    ),
    launch_checks=(
        inner(
            shape_is("xyz1", _lengths(_BATCH, DimOf("xyz1", const(1)), const(2)), "[B, N, 2]"),
            shape_is("xyz2", _lengths(_BATCH, DimOf("xyz2", const(1)), const(2)), "[B, M, 2]"),
            *(shape_is(name, _lengths(_BATCH, DimOf("xyz1", const(1))), "[B, N]")
              for name in ("idx1", "gradDist1")),
            *(shape_is(name, _lengths(_BATCH, DimOf("xyz2", const(1))), "[B, M]")
              for name in ("idx2", "gradDist2")),
        ),
    ),
    golden=golden,
    ulps_from=32.0,  # terms of sums cancel
    samples=(_call(2, 5, 5), _call(1, 3, 4, FLOAT16)),
    reference=_reference,
    draw=_drawn,
    typical=lambda n: _call(max(n // 2000, 1), 1000, 1000),
    notes=(
        "Sums are in double, in the order of the points.",
        "Shapes that do not fit only phase 2 notices.",
        "A point whose index names no point is left alone, as in upstream's kernel for Ascend 950.",
    ),
)  # fmt: skip
