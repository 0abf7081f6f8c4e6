# SPDX-License-Identifier: Apache-2.0
"""Numbers of a normal distribution with one mean and one standard deviation."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.random.build import (
    HALVES_NOTE,
    NEW_BF16,
    NEWER,
    OFFSET,
    ON_DEVICE,
    SAME_ON_950,
    SEED,
    SELF,
    SUM_OF_OFFSETS,
    WORDS,
    converted,
    first_of,
    on_device,
    random_offset,
    random_seed,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import eighths, random_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Float, TensorInOut
from aclhost.spec.philox import normal, words_in_order
from aclhost.spec.products import A950, T910
from aclhost.spec.rules import (
    Step,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    rank_at_most,
    scalar_at_least,
    shape_is,
    supported_on,
)
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DTYPES = (FLOAT16, FLOAT, DOUBLE, INT16, INT32, INT64, INT8, UINT8, BOOL)
FLOATS = (BF16, FLOAT16, FLOAT, DOUBLE)
MEAN = Float("mean", "Mean.", default=0.0)
STD = Float("std", "Standard deviation.", default=1.0)
FORMULA = (
    "For k = i div 2, `r = sqrt(-2 log(max(u[2k], 1e-7)))` and `a = 2 pi u[2k + 1]`: z[i] is "
    "`r sin(a)` for even i and `r cos(a)` for odd i, in row-major order; u[i] in [0, 1) is made of "
    f"the low 23 bits of word i. {WORDS}"
)
FLOATS_NOTE = (
    "FLOAT16 and BF16 are computed in float and rounded once; upstream rounds z, the product and "
    "the sum."
)
DOUBLE_NOTE = (
    "Numbers are made in float; DOUBLE merely holds them, as on A2. Ascend 950 makes others on its "
    "CPU."
)
CLAMPED_NOTE = "No number lies further out than 5.68 standard deviations, since u is at least 1e-7."
NOTES = (SAME_ON_950, FLOATS_NOTE, DOUBLE_NOTE, CLAMPED_NOTE)


def numbers_like(tensor: Array, seed: int, offset: int) -> Array:
    """Standard normal numbers of a tensor's shape."""
    count = tensor.size + tensor.size % 2
    made = normal(words_in_order(seed, offset, count), tensor.size)
    return made.reshape(tensor.shape)


def _golden(self_ref: Array, mean: float, std: float, seed: int, offset: int) -> Array:
    """Rounding near whole numbers must be that of float where integers are wanted."""
    import numpy as np

    numbers = numbers_like(self_ref, seed, offset)
    if self_ref.dtype.kind in "iub":
        rounded = numbers.astype(np.float32) * np.float32(std) + np.float32(mean)
        return converted(rounded, self_ref)
    return numbers * std + mean


def _golden_on_device(
    self_ref: Array, mean: float, std: float, seed_tensor: Array, offset_tensor: Array, offset: int
) -> Array:
    """The same with the sum of two offsets."""
    seed, start = first_of(seed_tensor), first_of(offset_tensor)
    return _golden(self_ref, mean, std, seed, start + offset)


def _golden_out(out: Array, mean: float, std: float, seed: int, offset: int) -> Array:
    """The same."""
    return _golden(out, mean, std, seed, offset)


def _torch(_: Any, self_ref: Any, mean: float, std: float, **_others: Any) -> Any:  # noqa: ANN401
    return self_ref.normal_(mean, std)


def _checks(*last: tuple[Step, ...]) -> tuple[tuple[Step, ...], ...]:
    return (
        not_null("selfRef"),
        scalar_at_least("std", 0.0),
        dtype_in("selfRef", *_DTYPES, NEW_BF16),
        rank_at_most("selfRef", 8),
        done_when_empty("selfRef"),
        *last,
        inside_storage("selfRef"),
    )


def _call(tensor: TensorArg, mean: float, std: float, seed: int = 5, offset: int = 4) -> Call:
    return Call({"selfRef": tensor, "mean": mean, "std": std, "seed": seed, "offset": offset})


def _typical(elements: int) -> Call:
    return _call(TensorArg((elements,)), 0.0, 1.0)


def _draw(rng: Random) -> Call:
    dtype: DataType = rng.choice((*(each for each in _DTYPES if each is not DOUBLE), BF16))
    mean, std = rng.choice((0.0, eighths(rng, -4, 4))), rng.choice((1.0, eighths(rng, 0, 4)))
    if dtype is UINT8:
        mean += 64  # a negative number has none
    tensor = TensorArg(random_shape(rng), dtype)
    return _call(tensor, mean, std, random_seed(rng), random_offset(rng))


_SAMPLES = (
    _call(TensorArg((3,)), 0.0, 1.0),
    _call(TensorArg((), DOUBLE), -1.0, 0.0, -1, 2**62),
    _call(TensorArg((2, 3), strides=(1, 2)), 2.5, 3.0),
    *(
        _call(TensorArg((5,), dtype), 40.0, 4.0)
        for dtype in (FLOAT16, BF16, INT8, INT16, INT32, INT64, UINT8, BOOL)
    ),
)

NORMAL = Operator(
    "aclnnInplaceNormal",
    summary="Fills a tensor with numbers of a normal distribution.",
    formula=f"`selfRef[i] = z[i] * std + mean`. {FORMULA}",
    params=(SELF, MEAN, STD, SEED, OFFSET),
    checks=_checks(supported_on(*NEWER, T910)),
    golden=_golden,
    peer=_torch,
    ulps=4,
    ulps_from=4,
    draw=_draw,
    typical=_typical,
    samples=_SAMPLES,
    notes=NOTES,
)
NORMAL_TENSOR = Operator(
    "aclnnInplaceNormalTensor",
    summary="The same with seed and offset in tensors.",
    formula=f"`selfRef[i] = z[i] * std + mean`. {FORMULA} {SUM_OF_OFFSETS}",
    params=(SELF, MEAN, STD, *ON_DEVICE),
    checks=(
        not_null("seedTensor", "offsetTensor"),
        *(dtype_in(name, INT64) for name in ("seedTensor", "offsetTensor")),
        *(shape_is(name, Lengths((const(1),)), "[1]") for name in ("seedTensor", "offsetTensor")),
        *_checks(supported_on(*NEWER)),
    ),
    golden=_golden_on_device,
    ulps=4,
    ulps_from=4,
    draw=lambda rng: on_device(_draw(rng)),
    typical=lambda elements: on_device(_typical(elements)),
    samples=tuple(map(on_device, _SAMPLES)),
    notes=(*NOTES, HALVES_NOTE),
)


def _made(shape: tuple[int, ...], dtype: DataType, mean: float, std: float, seed: int) -> Call:
    arguments = {"mean": mean, "std": std, "seed": seed, "offset": 4}
    return Call({**arguments, "out": TensorArg(shape, dtype)}, A950)


NORMAL_FLOAT_FLOAT = Operator(
    "aclnnNormalFloatFloat",
    summary="Fills a tensor with numbers of a normal distribution.",
    formula=f"`out[i] = z[i] * std + mean`. {FORMULA}",
    params=(MEAN, STD, SEED, OFFSET, TensorInOut("out", "What is overwritten.", reads=False)),
    checks=(
        not_null("out"),
        dtype_in("out", *FLOATS),
        rank_at_most("out", 8),
        done_when_empty("out"),
        supported_on(A950),
    ),
    golden=_golden_out,
    peer=lambda torch, out, **others: _torch(torch, self_ref=out, **others),
    ulps=4,
    ulps_from=4,
    samples=(
        _made((3,), FLOAT, 0.0, 1.0, 5),
        _made((2, 3), BF16, 1.0, -2.0, 6),
        _made((5,), FLOAT16, 0.5, 0.25, 7),
        _made((5,), DOUBLE, 0.5, 0.0, 7),
    ),
    draw=lambda rng: _made(
        random_shape(rng),
        rng.choice(FLOATS[:3]),
        eighths(rng, -4, 4),
        eighths(rng, -4, 4),
        random_seed(rng),
    ),
    typical=lambda elements: _made((elements,), FLOAT, 0.0, 1.0, 5),
    notes=NOTES,
)
OPS = (NORMAL, NORMAL_TENSOR, NORMAL_FLOAT_FLOAT)
