# SPDX-License-Identifier: Apache-2.0
"""Numbers in random order."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.random.build import NEW_BF16, NEWER, OFFSET, SEED, random_seed
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import (
    BF16,
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
from aclhost.spec.params import Int, TensorOut
from aclhost.spec.philox import threads_for, word_of_threads, words_in_rows
from aclhost.spec.products import T910
from aclhost.spec.rules import done_when_empty, dtype_in, inner, not_null, shape_is, supported_on
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import ValueOf, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DTYPES = (FLOAT, FLOAT16, INT32, DOUBLE, INT64, INT8, UINT8, INT16)
_LENGTHS = Lengths((ValueOf("n"),))


def _keys(n: int, seed: int, offset: int) -> Array:
    import numpy as np

    bits = int(np.ceil(np.log2(n - (6 * n * n + 1) / (12 * np.log(0.9)))))
    upper, lower = (words_in_rows(seed, offset, n, number, 2).tolist() for number in (0, 1))
    keys = [(high << 32) + low for high, low in zip(upper, lower, strict=True)]
    rest = [key % (2**32 - 1) if bits <= 32 else key for key in keys]
    return np.array([key % 2**bits for key in rest], np.uint64)


def _golden(n: int, seed: int, offset: int) -> Array:
    """Elements by their keys; equal ones are shuffled."""
    import numpy as np

    if n == 0:
        return np.zeros(0, np.int64)
    keys = _keys(n, seed, offset)
    order = np.argsort(keys, kind="stable")
    after = offset + 4 * (n // (2 * threads_for(n)) + 1)
    _, starts = np.unique(keys[order], return_index=True)
    for start, end in zip(starts, [*starts[1:], n], strict=True):
        for number, last in enumerate(range(end - start - 1, 0, -1)):
            chosen = start + int(word_of_threads(seed, int(start), after + number)) % (last + 1)
            order[[start + last, chosen]] = order[[chosen, start + last]]
    return np.asarray(order)


def _call(n: int, dtype: DataType = INT64, seed: int = 5, offset: int = 4) -> Call:
    return Call({"n": n, "seed": seed, "offset": offset, "out": TensorArg((n,), dtype)})


def _draw(rng: Random) -> Call:
    n = rng.choice((rng.randint(0, 20), rng.randint(0, 1500)))
    return _call(n, rng.choice((*_DTYPES, BF16)), random_seed(rng), rng.randrange(2**40))


OP = Operator(
    "aclnnRandperm",
    summary="The integers from 0 to n - 1 in random order.",
    formula=(
        "out is the order in which random keys are sorted. A key has "
        "`ceil(log2(n - (6 n^2 + 1) / (12 ln 0.9)))` bits, up to 64. With T = 256 min(ceil(n / "
        "256), 624) threads, element i takes words 2 (i div T) and 2 (i div T) + 1 of thread "
        "i mod T as the upper and the lower half of a number; its key is the lowest bits of that "
        "number, first modulo 2^32 - 1 where there are at most 32. Equal keys from place p on are "
        "shuffled by Fisher and Yates with words of thread p from 4 (n div 2T + 1) on. Word w of "
        "thread t is word (offset + w) mod 4 of Philox 4x32-10 with the key seed and the counter "
        "(offset + w) div 4 + 2^64 t."
    ),
    params=(
        Int("n", "How many."),
        SEED,
        OFFSET,
        TensorOut("out", "Result.", shape=_LENGTHS, dtype=const(INT64)),
    ),
    checks=(
        inner(not_null("out")),
        dtype_in("out", *_DTYPES, NEW_BF16),
        shape_is("out", _LENGTHS, "[n]"),
        done_when_empty("out"),
        supported_on(*NEWER, T910),
    ),
    golden=_golden,
    peer=lambda torch, n, **_: torch.randperm(n),
    draw=_draw,
    typical=_call,
    samples=(
        _call(7),
        _call(1, FLOAT),
        _call(300, FLOAT16, -1, 2),
        Call({"n": 5, "seed": 1, "offset": 0, "out": TensorArg((5,), INT32, strides=(3,))}),
        *(_call(40, dtype) for dtype in (DOUBLE, INT8, UINT8, INT16, BF16)),
    ),
    notes=(
        "The permutation is that of upstream's kernel for Ascend 950, if its sort keeps the order "
        "of equal keys; that kernel divides tensors of more than 2^31 bytes, aclhost none. Other "
        "products make one on their CPU, which is not published.",
        "A dtype that does not hold n - 1 rounds or wraps, as upstream's does.",
    ),
)
