# SPDX-License-Identifier: Apache-2.0
"""Categories drawn with given weights."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.random.build import (
    NEW_BF16,
    NEWER,
    OFFSET,
    ON_DEVICE,
    SEED,
    SEQUENCES,
    SUM_OF_OFFSETS,
    THREADS,
    contiguous_input,
    first_of,
    on_device,
    random_offset,
    random_seed,
)
from aclhost.ops.random.exponential import exponential_numbers
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, INT64, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Int, TensorIn, TensorOut
from aclhost.spec.philox import philox, positive_unit, whole_blocks
from aclhost.spec.products import P310P, T910
from aclhost.spec.rules import (
    Condition,
    Step,
    at_least,
    done_when_empty,
    dtype_in,
    has_elements,
    not_null,
    one_element,
    rank_in,
    requires,
    same_rank,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf, WithLast
from aclhost.spec.terms import AtMost, Const, DimOf, Equal, Not, RankOf, ValueOf, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_CATEGORIES = DimOf("self", Const(-1))
_SAMPLES_OF = DimOf("out", Const(-1))
_FORMULA = (
    "With replacement and more than one sample, sample s of row r is the first category up to "
    "which the weights add up to the share u of their sum; u in (0, 1] is word 4 (128 ceil("
    "numsamples / 128) r + s) times 2^-32 plus 2^-33. Otherwise, the samples of a row are the "
    "categories with the largest weights divided by e, largest first; e of element i of self is "
    "`-log(v)`, v being made so of word i div T of thread i mod T. "
    f"{SEQUENCES} {THREADS}"
)
_NOTES = (
    "Words are those of upstream's kernels for Ascend 950, which adds up and divides in the dtype "
    "of self; aclhost does both in double. A2 and A3 use their hardware for more than 5000 "
    "weights, and all other products and cases a CPU, whose numbers are not published.",
    "Weights need not add up to 1. Negative ones, NaN and rows of zeros are not refused, and give "
    "any category.",
)


def _again(weights: Array, samples: int, seed: int, offset: int) -> Array:
    import numpy as np

    rows, categories = weights.shape
    aligned = -(-samples // 128) * 128
    sequences = np.arange(rows)[:, None] * aligned + np.arange(samples)
    words = philox(seed, whole_blocks(offset) // 4, sequences.astype(np.uint64))[..., 0]
    drawn = [
        np.searchsorted(sums, numbers * sums[-1])
        for sums, numbers in zip(
            np.cumsum(weights, axis=1), positive_unit(words).astype(np.float64), strict=True
        )
    ]
    return np.asarray(np.minimum(np.array(drawn).reshape(rows, samples), categories - 1))


def _golden(self: Array, numsamples: int, replacement: bool, seed: int, offset: int) -> Array:
    """Rows of weights, or one."""
    import numpy as np

    weights = np.atleast_2d(self)
    if replacement and numsamples > 1:
        drawn = _again(weights, numsamples, seed, offset)
    else:
        times = exponential_numbers(weights.size, seed, offset).reshape(weights.shape)
        drawn = np.argsort(-weights / times, axis=1, kind="stable")[:, :numsamples]
    return drawn.reshape((*self.shape[:-1], numsamples))


def _golden_on_device(
    self: Array, numsamples: int, replacement: bool, seed_tensor: Array, offset_tensor: Array,
    offset: int,
) -> Array:  # fmt: skip
    """The same with the sum of two offsets."""
    start = first_of(offset_tensor) + offset
    return _golden(self, numsamples, replacement, first_of(seed_tensor), start)


def _torch(torch: Any, self: Any, numsamples: int, replacement: bool, **_: Any) -> Any:  # noqa: ANN401
    return torch.multinomial(self, numsamples, replacement)


def _shape_rules() -> tuple[tuple[Step, ...], ...]:
    return (
        rank_in("self", 1, 2),
        same_rank("self", "out"),
        requires(
            "one_for_each_sample",
            "out",
            Equal(_SAMPLES_OF, ValueOf("numsamples")),
            "the last dimension of out must be numsamples",
            (Shown("shape", ShapeOf("out")), " for ", Shown("integer", ValueOf("numsamples"))),
            "Create out with numsamples elements for each row.",
        ),
        when(
            Condition(Equal(RankOf("self"), Const(2)), "self has 2 dimensions"),
            requires(
                "same_rows",
                "out",
                Equal(DimOf("self", Const(0)), DimOf("out", Const(0))),
                "out must have as many rows as self",
                (Shown("shape", ShapeOf("out")), " for ", Shown("shape", ShapeOf("self"))),
                "Create out with a row for each of self.",
            ),
        ),
        at_least("numsamples", 1),
        when(
            Condition(Not(ValueOf("replacement")), "replacement is false"),
            requires(
                "enough_categories",
                "numsamples",
                AtMost(ValueOf("numsamples"), _CATEGORIES),
                "numsamples must be at most the last dimension of self",
                (Shown("integer", ValueOf("numsamples")), " for ", Shown("shape", ShapeOf("self"))),
                "Draw fewer, or with replacement.",
            ),
        ),
        requires(
            "categories_at_most",
            "self",
            AtMost(_CATEGORIES, Const(2**24)),
            "the last dimension of self must be at most 2^24",
            (Shown("shape", ShapeOf("self")),),
            "Draw a group of categories first.",
        ),
        done_when_empty("self"),
    )


_SELF = dtype_in("self", FLOAT, FLOAT16, DOUBLE, NEW_BF16)
_PARAMS = (
    TensorIn("self", "Weights, in rows or one."),
    Int("numsamples", "How many to draw from each row."),
    Flag("replacement", "Whether a category may be drawn again.", default=False),
)
_OUT = TensorOut(
    "out", "Categories.", shape=WithLast("self", 0, (ValueOf("numsamples"),)), dtype=const(INT64)
)


def _call(
    shape: tuple[int, ...], samples: int, again: bool, dtype: DataType = FLOAT, seed: int = 5
) -> Call:
    weights = TensorArg(shape, dtype, span=(0.25, 4))
    out = TensorArg((*shape[:-1], samples), INT64)
    given = {"numsamples": samples, "replacement": again, "seed": seed, "offset": 4}
    return Call({"self": weights, **given, "out": out})


def _typical(elements: int) -> Call:
    return _call((max(elements // 1000, 1), 1000), 100, True)


def _draw(rng: Random) -> Call:
    categories = rng.randint(1, 40)
    shape = rng.choice(((categories,), (rng.randint(1, 5), categories)))
    again = rng.random() < 0.5
    samples = rng.randint(1, 300 if again else categories)
    dtype = rng.choice((FLOAT, FLOAT16, DOUBLE, BF16))
    return _call(shape, samples, again, dtype, random_seed(rng)).passing(offset=random_offset(rng))


_SAMPLES = (
    _call((7,), 3, False),
    _call((2, 7), 9, True),
    _call((3, 4), 1, True, DOUBLE),
    _call((3, 4), 4, False, FLOAT16).changing(("self",), strides=(1, 3)),
    _call((3, 4), 2, False, BF16),
)

MULTINOMIAL = Operator(
    "aclnnMultinomial",
    summary="Draws categories with given weights.",
    formula=_FORMULA,
    params=(*_PARAMS, SEED, OFFSET, _OUT),
    checks=(
        not_null("self", "out"),
        _SELF,
        dtype_in("out", INT64),
        *_shape_rules(),
        supported_on(*NEWER, P310P, T910),
        contiguous_input("self"),
    ),
    golden=_golden,
    peer=_torch,
    draw=_draw,
    typical=_typical,
    samples=_SAMPLES,
    notes=_NOTES,
)
MULTINOMIAL_TENSOR = Operator(
    "aclnnMultinomialTensor",
    summary="The same with seed and offset in tensors.",
    formula=f"{_FORMULA} {SUM_OF_OFFSETS}",
    params=(*_PARAMS, *ON_DEVICE, _OUT),
    checks=(
        not_null("self", "seedTensor", "offsetTensor", "out"),
        _SELF,
        *(
            when(has_elements("self"), dtype_in(name, INT64))
            for name in ("seedTensor", "offsetTensor")
        ),
        dtype_in("out", INT64),
        *_shape_rules(),
        supported_on(*NEWER),
        contiguous_input("self"),
        one_element("seedTensor"),
        one_element("offsetTensor"),
    ),
    golden=_golden_on_device,
    draw=lambda rng: on_device(_draw(rng)),
    typical=lambda elements: on_device(_typical(elements)),
    samples=tuple(map(on_device, _SAMPLES)),
    notes=(
        *_NOTES,
        "Upstream checks the dtypes of seedTensor and offsetTensor for up to 5000 weights only.",
    ),
)
OPS = (MULTINOMIAL, MULTINOMIAL_TENSOR)
