# SPDX-License-Identifier: Apache-2.0
"""Integers that are equally likely."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.random.build import (
    HALVES_NOTE,
    NEWER,
    OFFSET,
    ON_DEVICE,
    SAME_ON_950,
    SEED,
    SELF,
    SUM_OF_OFFSETS,
    THREADS,
    WORDS,
    contiguous_input,
    first_of,
    on_device,
    random_offset,
    random_seed,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import random_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
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
from aclhost.spec.params import Int
from aclhost.spec.philox import unit, whole_blocks, words_in_order, words_in_rows
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    Step,
    done_when_empty,
    dtype_in,
    not_null,
    one_element,
    only_on,
    rank_at_most,
    requires,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import AtMost, Not, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_REALS = (FLOAT, INT32, INT64, FLOAT16, INT16, INT8, UINT8, BOOL, DOUBLE, BF16)
_OLDER = (A3, A2, P310P, P310B, T910)
_COMPLEX = tuple(only_on(dtype, *_OLDER) for dtype in (COMPLEX64, COMPLEX128))
_BOUNDS = (Int("from", "Least integer."), Int("to", "The integer after the last."))
_FORMULA = (
    "`selfRef[i] = floor(u * to - (u * from - from))` in float, at least from and at most to - 1; "
    "u in [0, 1) is made of the low 23 bits of word i, i in row-major order. A BOOL tells whether "
    f"the integer is not 0. {WORDS}"
)
_NOTES = (
    SAME_ON_950,
    "There are 2^23 different u: of a longer interval, most integers never come.",
    "Upstream drops the fraction where aclhost rounds down: below 0, it shifts the integers "
    "towards 0, which then comes twice as often. It rounds to nearest for BOOL, so that 0 and 2 "
    "come half as often as 1. The document promises equal chances.",
    "FLOAT16 takes the words of FLOAT, as on A2, and integers that it does not hold are rounded; "
    "upstream moves from and to until they are held. Ascend 950 keeps fractions in such dtypes.",
)
_ANY = {"bool": 1, "int8": 7, "uint8": 8, "int16": 15, "int64": 63}
_ANY_FLOATS = {"bfloat16": 2**8 + 1, "float16": 2**11 + 1, "float32": 2**24 + 1}
_ANY_FORMULA = (
    "`selfRef[i] = w mod n`, i in row-major order. n is how many integers from 0 on the dtype "
    "holds: 2 for BOOL, 2^7 for INT8, 2^8 for UINT8, 2^15 for INT16, 2^31 for INT32, 2^63 for "
    "INT64, 2^8 + 1 for BF16, 2^11 + 1 for FLOAT16, 2^24 + 1 for FLOAT; DOUBLE gets the integers "
    "of INT32. w is word i div T of thread i mod T; for INT64, words 2 (i div T) and 2 (i div T) + "
    f"1, the first of them above. {THREADS}"
)
_ANY_NOTE = (
    "The integers are those of upstream's kernel; tensors that need more than 32 bits to count "
    "bytes, which it divides, get others."
)


def _golden(self_ref: Array, from_: int, to: int, seed: int, offset: int) -> Array:
    """In float, as upstream."""
    import numpy as np

    uniform = unit(words_in_order(seed, offset, self_ref.size)).astype(np.float32)
    start, end = np.float32(from_), np.float32(to)
    exact = np.floor((uniform * end - (uniform * start - start)).astype(np.float64))
    whole = [min(max(int(each), from_), to - 1) for each in exact]
    return _delivered(np.array(whole, np.int64), self_ref)


def _delivered(whole: Array, self_ref: Array) -> Array:
    shaped = whole.reshape(self_ref.shape)
    return shaped != 0 if self_ref.dtype.kind == "b" else shaped


def _golden_on_device(
    self_ref: Array, from_: int, to: int, seed_tensor: Array, offset_tensor: Array, offset: int
) -> Array:
    """The same with the sum of two offsets."""
    seed, start = first_of(seed_tensor), first_of(offset_tensor)
    return _golden(self_ref, from_, to, seed, start + offset)


def _golden_any(self_ref: Array, seed: int, offset: int) -> Array:
    """Python's integers have as many bits as it takes."""
    import numpy as np

    name, count = str(self_ref.dtype), self_ref.size
    first = whole_blocks(offset)
    if name == "int64":
        halves = (words_in_rows(seed, first, count, number, 2).tolist() for number in (0, 1))
        numbers = [((high << 32) + low) % 2**63 for high, low in zip(*halves, strict=True)]
        return np.array(numbers, np.int64).reshape(self_ref.shape)
    limit = _ANY_FLOATS.get(name, 2 ** _ANY.get(name, 31))
    words = words_in_rows(seed, first, count).astype(np.int64)
    return _delivered(words % limit, self_ref)


def _golden_any_on_device(
    self_ref: Array, seed_tensor: Array, offset_tensor: Array, offset: int
) -> Array:
    """The same with the sum of two offsets."""
    return _golden_any(self_ref, first_of(seed_tensor), first_of(offset_tensor) + offset)


def _torch(_: Any, self_ref: Any, from_: int, to: int, **_others: Any) -> Any:  # noqa: ANN401
    return self_ref.random_(from_, to)


def _checks(*last: tuple[Step, ...]) -> tuple[tuple[Step, ...], ...]:
    return (
        not_null("selfRef"),
        dtype_in("selfRef", *_REALS, *_COMPLEX),
        rank_at_most("selfRef", 8),
        *last,
    )


_RANGE_RULE = requires(
    "ordered_bounds",
    "from",
    Not(AtMost(ValueOf("to"), ValueOf("from"))),
    "from must be below to",
    (Shown("integer", ValueOf("from")), " and ", Shown("integer", ValueOf("to"))),
    "Pass a larger number for to.",
)
_IN_TENSORS = (
    not_null("seedTensor", "offsetTensor"),
    dtype_in("seedTensor", INT64),
    dtype_in("offsetTensor", INT64),
    one_element("seedTensor"),
    one_element("offsetTensor"),
)


def _call(tensor: TensorArg, low: int, high: int, seed: int = 5, offset: int = 4) -> Call:
    return Call({"selfRef": tensor, "from": low, "to": high, "seed": seed, "offset": offset})


def _typical(elements: int) -> Call:
    return _call(TensorArg((elements,), INT32), 0, 100)


def _draw(rng: Random) -> Call:
    dtype: DataType = rng.choice((*_REALS, COMPLEX64, COMPLEX128))
    low = rng.randint(0, 50) - (0 if dtype in (UINT8, BOOL) else 40)
    high = low + rng.choice((1, 2, rng.randint(1, 70)))
    if dtype in (INT32, INT64) and rng.random() < 0.3:
        low, high = -(2**31), rng.randint(-(2**30), 2**31)
    tensor = TensorArg(random_shape(rng), dtype)
    return _call(tensor, low, high, random_seed(rng), random_offset(rng))


_SAMPLES = (
    _call(TensorArg((3,)), 0, 10),
    _call(TensorArg((), INT64), -(2**63), 2**63 - 1, -1),
    _call(TensorArg((2, 3), INT32, strides=(1, 2)), -5, 5),
    *(
        _call(TensorArg((5,), dtype), 0, 100)
        for dtype in (FLOAT16, BF16, INT8, INT16, UINT8, BOOL, DOUBLE, COMPLEX64, COMPLEX128)
    ),
)


def _any_call(tensor: TensorArg, seed: int = 5, offset: int = 4) -> Call:
    return Call({"selfRef": tensor, "seed": seed, "offset": offset}, A950)


def _any_draw(rng: Random) -> Call:
    shape = rng.choice((random_shape(rng), (rng.randrange(2000),)))
    tensor = TensorArg(shape, rng.choice(_REALS))
    return _any_call(tensor, random_seed(rng), random_offset(rng))


_ANY_SAMPLES = tuple(_any_call(TensorArg((7,), dtype)) for dtype in _REALS)

RANDOM = Operator(
    "aclnnInplaceRandom",
    summary="Fills a tensor with equally likely integers of an interval.",
    formula=_FORMULA,
    params=(SELF, *_BOUNDS, SEED, OFFSET),
    checks=_checks(
        _RANGE_RULE,
        done_when_empty("selfRef"),
        supported_on(*NEWER, T910),
        contiguous_input("selfRef"),
    ),
    golden=_golden,
    peer=_torch,
    draw=_draw,
    typical=_typical,
    samples=_SAMPLES,
    notes=_NOTES,
)
RANDOM_TENSOR = Operator(
    "aclnnInplaceRandomTensor",
    summary="The same with seed and offset in tensors.",
    formula=f"{_FORMULA} {SUM_OF_OFFSETS}",
    params=(SELF, *_BOUNDS, *ON_DEVICE),
    checks=_checks(
        _RANGE_RULE,
        done_when_empty("selfRef"),
        supported_on(*NEWER),
        contiguous_input("selfRef"),
        *_IN_TENSORS,
    ),
    golden=_golden_on_device,
    draw=lambda rng: on_device(_draw(rng)),
    typical=lambda elements: on_device(_typical(elements)),
    samples=tuple(map(on_device, _SAMPLES)),
    notes=(*_NOTES, HALVES_NOTE),
)
ANY = Operator(
    "aclnnInplaceRandomWithoutFromTo",
    summary="Fills a tensor with equally likely integers of those that its dtype holds.",
    formula=_ANY_FORMULA,
    params=(SELF, SEED, OFFSET),
    checks=_checks(done_when_empty("selfRef"), supported_on(A950), contiguous_input("selfRef")),
    golden=_golden_any,
    peer=lambda _, self_ref, **_others: self_ref.random_(),
    draw=_any_draw,
    typical=lambda elements: _any_call(TensorArg((elements,), INT32)),
    samples=_ANY_SAMPLES,
    notes=(_ANY_NOTE,),
)
ANY_TENSOR = Operator(
    "aclnnInplaceRandomWithoutFromToTensor",
    summary="The same with seed and offset in tensors.",
    formula=f"{_ANY_FORMULA} {SUM_OF_OFFSETS}",
    params=(SELF, *ON_DEVICE),
    checks=_checks(
        done_when_empty("selfRef"),
        supported_on(A950),
        contiguous_input("selfRef"),
        *_IN_TENSORS,
    ),
    golden=_golden_any_on_device,
    draw=lambda rng: on_device(_any_draw(rng)),
    typical=lambda elements: on_device(_any_call(TensorArg((elements,), INT32))),
    samples=tuple(map(on_device, _ANY_SAMPLES)),
    notes=(_ANY_NOTE,),
)
OPS = (RANDOM, RANDOM_TENSOR, ANY, ANY_TENSOR)
