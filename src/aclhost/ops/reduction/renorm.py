# SPDX-License-Identifier: Apache-2.0
"""Slices whose norm is limited."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import BF16_NEWER, NEWER, SELF
from aclhost.ops.reduction.norms import FLOATS, norm
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.draw import matrix_shape, random_shape
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, Parameter, Scalar, TensorInOut, TensorOut
from aclhost.spec.products import T910
from aclhost.spec.rules import (
    Step,
    axis_in_rank,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    rank_at_least,
    rank_at_most,
    same_dtype,
    same_format,
    same_shape,
    scalar_at_least,
    supported_on,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_TYPES = (FLOAT, FLOAT16, BF16_NEWER)
_ATTRIBUTES = (
    Scalar("p", "Order of the norm."),
    Int("dim", "Dimension whose slices are limited."),
    Scalar("maxNorm", "The largest norm that a slice keeps."),
)
_LEAST = 1e-12  # what norms are divided by at least


def _golden(p: float, dim: int, max_norm: float, **tensor: Array) -> Array:
    import numpy as np

    (self,) = tensor.values()
    if not self.size:
        return self
    others = tuple(axis for axis in range(self.ndim) if axis != dim % self.ndim)
    sizes = norm(self, p, others, True)
    with np.errstate(all="ignore"):
        factor = np.where(sizes > max_norm, max_norm / np.maximum(sizes, _LEAST), 1.0)
        return np.asarray(self * factor)


def _torch(torch: Any, p: float, dim: int, max_norm: float, **tensor: Any) -> Any:  # noqa: ANN401
    """Torch divides by the norm and 1e-7."""
    (self,) = tensor.values()
    if not self.numel() or p == 0:
        return NotImplemented
    values = self.double()
    others = [axis for axis in range(self.dim()) if axis != dim % self.dim()]
    sizes = torch.linalg.vector_norm(values, p, dim=others, keepdim=True)
    factor = torch.where(sizes > max_norm, max_norm / sizes, torch.ones_like(sizes))
    return values * factor


def _call(
    name: str, shape: tuple[int, ...], dtype: DataType, p: float, dim: int, most: float
) -> Call:
    tensor = TensorArg(shape, dtype)
    call = Call({name: tensor, "p": ScalarArg(p), "dim": dim, "maxNorm": ScalarArg(most)})
    return call if name == "selfRef" else call.passing(out=tensor)


def _draw(name: str) -> Any:  # noqa: ANN401
    def draw(rng: Random) -> Call:
        shape = rng.choice((random_shape(rng, rng.randint(2, 4)), (3, 70), (70, 3), (2, 5000)))
        p = rng.choice((1.0, 2.0, 2.0, 3.0, 2.5, 0.0, float("inf")))
        dim = rng.randint(-len(shape), len(shape) - 1)
        return _call(name, shape, rng.choice(FLOATS), p, dim, rng.choice((0.5, 2.0, 30.0, 0.0)))

    return draw


def _checks(name: str) -> tuple[tuple[Step, ...], ...]:
    outs = ("out",) if name == "self" else ()
    return (
        not_null(name, "p", "maxNorm", *outs),
        dtype_in(name, *_TYPES),
        *(rules for out in outs for rules in (dtype_in(out, *_TYPES), same_dtype(out, name))),
        *(same_format(out, name) for out in outs),
        *(rank_at_least(each, 2) for each in (name, *outs)),
        *(rank_at_most(each, 8) for each in (name, *outs)),
        *(same_shape(out, name) for out in outs),
        scalar_at_least("p", 0),
        axis_in_rank("dim", name),
        scalar_at_least("maxNorm", 0),
        done_when_empty(name),
        supported_on(*NEWER, T910),
        inside_storage(name),
    )


def _operator(op: str, name: str, tensors: tuple[Parameter, ...]) -> Operator:
    return Operator(
        op,
        summary="Slices along a dimension, with their norms limited.",
        formula="`out = self * min(norm, maxNorm) / norm` with the norm of order p over all "
        "dimensions but dim",
        params=(tensors[0], *_ATTRIBUTES, *tensors[1:]),
        checks=_checks(name),
        golden=_golden,
        reference=_torch,
        ulps=4,
        draw=_draw(name),
        typical=lambda n: _call(name, matrix_shape(n), FLOAT, 2.0, 0, 1.0),
        samples=(
            _call(name, (3, 4), FLOAT, 2.0, 0, 1.0),
            _call(name, (2, 3, 4), FLOAT16, 1.0, -1, 1.0),
            _call(name, (3, 4), BF16, float("inf"), 1, 0.5),
            _call(name, (3, 4), FLOAT, 0.0, 1, 0.5),
            _call(name, (0, 4), FLOAT, 2.0, 1, 0.5),
        ),
        notes=(
            f"Norms are divided by at least {_LEAST:g}; torch adds 1e-7 to them instead.",
            "A slice with NaN has no norm and stays as it is.",
        ),
    )


OPS = (
    _operator("aclnnRenorm", "self", (SELF, TensorOut("out", "Result.", like="self"))),
    _operator(
        "aclnnInplaceRenorm",
        "selfRef",
        (TensorInOut("selfRef", "Input, and the result in its place."),),
    ),
)
