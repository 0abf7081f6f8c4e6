# SPDX-License-Identifier: Apache-2.0
"""Numbers of an exponential distribution."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.random.build import NEWER, OFFSET, SEED, THREADS, random_offset, random_seed
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import random_shape
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Int, TensorInOut
from aclhost.spec.philox import positive_unit, whole_blocks, words_in_rows
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    rank_at_most,
    requires,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.status import Status
from aclhost.spec.terms import Elements, Equal, RealIs, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DTYPES = (BF16, FLOAT16, FLOAT)


def exponential_numbers(count: int, seed: int, offset: int) -> Array:
    """Of rate 1; none of them is 0."""
    import numpy as np

    uniform = positive_unit(words_in_rows(seed, whole_blocks(offset), count)).astype(np.float64)
    return np.where(uniform >= 1 - 2.0**-24, 2.0**-24, -np.log(uniform))


def _golden(self_ref: Array, count: int, lambda_: float, seed: int, offset: int) -> Array:
    """The rate is a float."""
    import numpy as np

    numbers = exponential_numbers(count, seed, offset) / np.float64(np.float32(lambda_))
    return np.asarray(numbers.reshape(self_ref.shape))


def _call(
    shape: tuple[int, ...], dtype: DataType, rate: float, seed: int = 5, offset: int = 4
) -> Call:
    count = prod(shape)
    tensor = TensorArg(shape, dtype)
    given = {"count": count, "lambda": rate, "seed": seed, "offset": offset}
    return Call({"selfRef": tensor, **given})


def _draw(rng: Random) -> Call:
    shape = rng.choice((random_shape(rng), (rng.randrange(2000),)))
    rate = rng.choice((1.0, 0.25, 3.0))
    return _call(shape, rng.choice(_DTYPES), rate, random_seed(rng), random_offset(rng))


OP = Operator(
    "aclnnSimThreadExponential",
    summary="Fills a tensor with numbers of an exponential distribution.",
    formula=(
        "`selfRef[i] = -log(u[i]) / lambda`, in float and in row-major order; u[i] in (0, 1] is "
        "word i div T of thread i mod T times 2^-32 plus 2^-33. From u = 1 - 2^-24 on, its "
        f"logarithm counts as -2^-24. {THREADS}"
    ),
    params=(
        TensorInOut("selfRef", "What is overwritten.", reads=False),
        Int("count", "How many elements selfRef has."),
        Double("lambda", "Rate: one divided by the mean.", default=1.0),
        SEED,
        OFFSET,
    ),
    checks=(
        not_null("selfRef"),
        dtype_in("selfRef", *_DTYPES),
        rank_at_most("selfRef", 8),
        requires(
            "positive",
            "lambda",
            RealIs("lambda", ">", 0),
            "lambda must be greater than 0",
            (Shown("real", "lambda"),),
            "Pass one divided by the mean.",
        ),
        done_when_empty("selfRef"),
        supported_on(*NEWER),
        inside_storage("selfRef"),
    ),
    launch_checks=(
        requires(
            "count_of_elements",
            "count",
            Equal(ValueOf("count"), Elements("selfRef")),
            "count must be how many elements selfRef has",
            (Shown("integer", ValueOf("count")), " for ", Shown("integer", Elements("selfRef"))),
            "Pass the product of the shape.",
            Status.INNER_NULLPTR,
        ),
    ),
    golden=_golden,
    peer=lambda _, self_ref, lambda_, **_others: self_ref.exponential_(lambda_),
    ulps=4,
    draw=_draw,
    typical=lambda elements: _call((elements,), FLOAT, 1.0),
    samples=(
        _call((3,), FLOAT, 1.0),
        _call((), FLOAT, 0.5, -1, 2**62),
        _call((2, 3), FLOAT, 2.0).changing(("selfRef",), strides=(1, 2)),
        _call((5,), FLOAT16, 1.0),
        _call((5,), BF16, 1.0),
    ),
    notes=(
        "Words are those of upstream's kernels for A2 and Ascend 950. Those differ from this and "
        "each other in the last bits of the logarithm. Tensors that need more than 32 bits to "
        "count bytes, which upstream divides, get others.",
        "Upstream has no host code for this operator: checks follow its document.",
    ),
)
