# SPDX-License-Identifier: Apache-2.0
"""Numbers of normal distributions whose means or standard deviations are in tensors."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.random.build import OFFSET, SAME_ON_950, SEED, random_offset, random_seed
from aclhost.ops.random.normal import CLAMPED_NOTE, FLOATS, FORMULA, MEAN, STD, numbers_like
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import eighths, random_shape
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    Condition,
    broadcastable,
    done_when,
    dtype_in,
    inside_storage,
    not_null,
    rank_at_most,
    requires,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Broadcast, ShapeOf
from aclhost.spec.terms import (
    Const,
    Elements,
    Empty,
    Equal,
    Not,
    Or,
    RankOf,
    Term,
    all_of,
    promoted,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_MEANS = TensorIn("mean", "Means.")
_STDS = TensorIn("std", "Standard deviations.")
_FORMULA = f"`out[i] = z[i] * std[i] + mean[i]`. {FORMULA}"
_NOTES = (
    SAME_ON_950,
    "z is a float; the product and the sum are computed in double and rounded once. Upstream "
    "rounds each step to the dtype it computes in. For DOUBLE it makes other numbers on a CPU.",
    CLAMPED_NOTE,
)


def _golden(mean: Array | float, std: Array | float, seed: int, offset: int) -> Array:
    """The standard normal numbers are floats."""
    import numpy as np

    shape = np.broadcast_shapes(np.shape(mean), np.shape(std))
    normal = numbers_like(np.zeros(shape), seed, offset)
    return normal * std + mean


def _torch(torch: Any, mean: Any, std: Any, **_: Any) -> Any:  # noqa: ANN401
    return torch.normal(mean, std)


def _one(name: str) -> Term:
    return Equal(Elements(name), Const(1))


def _nothing_of(term: Term, english: str) -> tuple[Any, ...]:
    return done_when(Condition(all_of(term, Empty("out")), english))


def _call(mean: TensorArg | float, std: TensorArg | float, out: TensorArg, seed: int = 5) -> Call:
    return Call({"mean": mean, "std": std, "seed": seed, "offset": 4, "out": out}, A950)


def _positive(shape: tuple[int, ...], dtype: DataType = FLOAT) -> TensorArg:
    return TensorArg(shape, dtype, span=(0.5, 4))


def _draw(rng: Random, mean: bool, std: bool) -> Call:
    shape, floats = random_shape(rng), (FLOAT, FLOAT16, BF16)
    if not mean and 0 in shape:
        shape = (3,)
    short = (
        tuple(length if rng.random() < 0.7 else 1 for length in shape) if mean and std else shape
    )
    means = TensorArg(short, rng.choice(floats), span=(-4, 4)) if mean else eighths(rng, -4, 4)
    stds = _positive(shape, rng.choice(floats)) if std else eighths(rng, 0, 4)
    out = TensorArg(shape, rng.choice(floats))
    return _call(means, stds, out, random_seed(rng)).passing(offset=random_offset(rng))


def _samples(mean: bool, std: bool) -> tuple[Call, ...]:
    def call(shape: tuple[int, ...], dtype: DataType) -> Call:
        means = TensorArg(shape, dtype, span=(-4, 4)) if mean else 1.5
        stds = _positive(shape, dtype) if std else 0.5
        return _call(means, stds, TensorArg(shape, dtype))

    tensor = "mean" if mean else "std"
    return (
        *(call((2, 3), dtype) for dtype in (FLOAT, FLOAT16, BF16)),
        call((), FLOAT),
        call((2, 3), FLOAT).changing((tensor,), strides=(1, 2)),
    )


def _operator(name: str, mean: bool, std: bool, **fields: Any) -> Operator:  # noqa: ANN401
    return Operator(
        name,
        formula=_FORMULA,
        golden=_golden,
        peer=_torch,
        ulps=4,
        ulps_from=4,
        draw=lambda rng: _draw(rng, mean, std),
        typical=lambda elements: _call(
            TensorArg((elements,)) if mean else 0.0,
            _positive((elements,)) if std else 1.0,
            TensorArg((elements,)),
        ),
        samples=_samples(mean, std),
        notes=_NOTES,
        **fields,
    )


TENSOR_FLOAT = _operator(
    "aclnnNormalTensorFloat",
    mean=True,
    std=False,
    summary="Numbers of normal distributions with means of their own.",
    params=(_MEANS, STD, SEED, OFFSET, TensorOut("out", "Result.", like="mean")),
    checks=(
        not_null("mean", "out"),
        rank_at_most("mean", 8),
        rank_at_most("out", 8),
        broadcastable("mean", "out"),
        shape_is("out", Broadcast(("mean", "out")), "that mean broadcasts to"),
        dtype_in("mean", *FLOATS),
        dtype_in("out", *FLOATS),
        _nothing_of(
            all_of(
                Equal(RankOf("mean"), RankOf("out")),
                Or(Empty("mean"), _one("mean")),
            ),
            "`out` is empty, and `mean` has the same rank and one element or none",
        ),
        supported_on(A950),
        inside_storage("mean"),
    ),
)
FLOAT_TENSOR = _operator(
    "aclnnNormalFloatTensor",
    mean=False,
    std=True,
    summary="Numbers of normal distributions with standard deviations of their own.",
    params=(MEAN, _STDS, SEED, OFFSET, TensorOut("out", "Result.", like="std")),
    checks=(
        not_null("std", "out"),
        requires(
            "not_empty",
            "std",
            Not(Empty("std")),
            "std must not be empty",
            (Shown("shape", ShapeOf("std")),),
            "Skip the call when there is nothing to compute.",
        ),
        when(
            Condition(
                Not(all_of(Empty("out"), _one("std"))), "out is not empty or std has many elements"
            ),
            same_shape("out", "std"),
        ),
        rank_at_most("std", 8),
        dtype_in("std", *FLOATS),
        dtype_in("out", *FLOATS),
        _nothing_of(
            all_of(Equal(RankOf("std"), RankOf("out")), _one("std")),
            "`out` is empty, and `std` has the same rank",
        ),
        supported_on(A950),
        inside_storage("std"),
    ),
)
TENSOR_TENSOR = _operator(
    "aclnnNormalTensorTensor",
    mean=True,
    std=True,
    summary="Numbers of normal distributions with means and standard deviations of their own.",
    params=(
        _MEANS,
        _STDS,
        SEED,
        OFFSET,
        TensorOut(
            "out", "Result.", shape=Broadcast(("mean", "std")), dtype=promoted("mean", "std")
        ),
    ),
    checks=(
        not_null("mean", "std", "out"),
        rank_at_most("mean", 8),
        rank_at_most("std", 8),
        broadcastable("std", "mean"),
        shape_is("out", Broadcast(("mean", "std")), "that mean and std broadcast to"),
        dtype_in("mean", *FLOATS),
        dtype_in("std", *FLOATS),
        dtype_in("out", *FLOATS),
        _nothing_of(Or(Empty("mean"), Empty("std")), "`out` is empty, and so is `mean` or `std`"),
        supported_on(A950),
        inside_storage("mean", "std"),
    ),
)
OPS = (TENSOR_FLOAT, FLOAT_TENSOR, TENSOR_TENSOR)
