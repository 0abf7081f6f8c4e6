# SPDX-License-Identifier: Apache-2.0
"""Numbers that are evenly spread over an interval."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.random.build import (
    HALVES_NOTE,
    NEW_BF16,
    NEWER,
    ON_DEVICE,
    ONE_ROUNDING,
    SAME_ON_950,
    SELF,
    SUM_OF_OFFSETS,
    WORDS,
    contiguous_input,
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
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT64,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Int
from aclhost.spec.philox import unit, words_in_order
from aclhost.spec.products import P310P, T910
from aclhost.spec.rules import (
    Step,
    done_when_empty,
    dtype_in,
    not_null,
    one_element,
    rank_at_most,
    requires,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import NotAbove, RealIs, WidthAtMost, all_of

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DTYPES = (FLOAT, INT32, INT64, FLOAT16, INT16, INT8, UINT8, DOUBLE)
_BOUNDS = (
    Double("from", "Least number.", default=0.0),
    Double("to", "End of the interval.", default=1.0),
)
_LARGEST = float.fromhex("0x1.fffffep127")
_FORMULA = (
    "`selfRef[i] = u * (to - from) + from` in float, converted to the dtype of selfRef; u in "
    "[0, 1) is made of the low 23 bits of word i, of 10 for FLOAT16, of 7 for BF16, i in row-major "
    f"order. {WORDS}"
)
_NOTES = (
    SAME_ON_950,
    ONE_ROUNDING,
    "DOUBLE gets the numbers of FLOAT, as on A2; Ascend 950 makes others on its CPU.",
    "Upstream's document asks for an interval within the range of the dtype, and its code does not "
    "look; an interval too wide for FLOAT, which gives infinities there, is refused as by torch.",
    "Rounding can give `to` itself where the interval is not a power of two. Integers drop the "
    "fraction.",
)


def _golden(self_ref: Array, from_: float, to: float, seed: int, offset: int) -> Array:
    """In float, as upstream."""
    import numpy as np

    bits = {"float16": 10, "bfloat16": 7}.get(str(self_ref.dtype), 23)
    uniform = unit(words_in_order(seed, offset, self_ref.size), bits).astype(np.float32)
    start, end = np.float32(from_), np.float32(to)
    return converted((uniform * (end - start) + start).reshape(self_ref.shape), self_ref)


def _golden_on_device(
    self_ref: Array, from_: float, to: float, seed_tensor: Array, offset_tensor: Array, offset: int
) -> Array:
    """The same with the sum of two offsets."""
    seed, start = first_of(seed_tensor), first_of(offset_tensor)
    return _golden(self_ref, from_, to, seed, start + offset)


def _torch(_: Any, self_ref: Any, from_: float, to: float, **_others: Any) -> Any:  # noqa: ANN401
    return self_ref.uniform_(from_, to)


def _checks(*last: tuple[Step, ...]) -> tuple[tuple[Step, ...], ...]:
    return (
        not_null("selfRef"),
        dtype_in("selfRef", *_DTYPES, NEW_BF16),
        rank_at_most("selfRef", 8),
        requires(
            "ordered_bounds",
            "from",
            NotAbove("from", "to"),
            "from must not exceed to",
            (Shown("real", "from"), " and ", Shown("real", "to")),
            "Exchange the two.",
        ),
        requires(
            "finite_width",
            "to",
            all_of(
                RealIs("from", ">=", -_LARGEST),
                RealIs("to", "<=", _LARGEST),
                WidthAtMost("from", "to", _LARGEST),
            ),
            "from, to and to - from must be within the range of FLOAT",
            (Shown("real", "from"), " and ", Shown("real", "to")),
            "Narrow the interval.",
        ),
        done_when_empty("selfRef"),
        *last,
    )


def _call(tensor: TensorArg, low: float, high: float, seed: int = 5, offset: int = 4) -> Call:
    return Call({"selfRef": tensor, "from": low, "to": high, "seed": seed, "offset": offset})


def _typical(elements: int) -> Call:
    return _call(TensorArg((elements,)), 0.0, 1.0)


def _draw(rng: Random) -> Call:
    dtype: DataType = rng.choice((*_DTYPES, BF16))
    low, high = sorted((eighths(rng, 0, 100), eighths(rng, 0, 100)))
    if dtype is not UINT8:
        low -= 50
    tensor = TensorArg(random_shape(rng), dtype)
    return _call(tensor, low, high, random_seed(rng) % 2**63, random_offset(rng))


_SAMPLES = (
    _call(TensorArg((3,)), 0.0, 1.0),
    _call(TensorArg((), DOUBLE), -1.0, 1.0, 2**63 - 1, 2**62),
    _call(TensorArg((2, 3), strides=(1, 2)), 2.5, 2.5),
    *(_call(TensorArg((5,), dtype), -3.0, 4.0) for dtype in (FLOAT16, BF16, INT32, INT64, INT16)),
    _call(TensorArg((5,), INT8), -128.0, 127.0),
    _call(TensorArg((5,), UINT8), 0.0, 256.0),
)

UNIFORM = Operator(
    "aclnnInplaceUniform",
    summary="Fills a tensor with numbers that are evenly spread over an interval.",
    formula=_FORMULA,
    params=(
        SELF,
        *_BOUNDS,
        Int("seed", "Key of the random numbers.", default=0, signed=False),
        Int("offset", "Where in the random numbers to begin.", default=0, signed=False),
    ),
    checks=_checks(supported_on(*NEWER, P310P, T910), contiguous_input("selfRef")),
    golden=_golden,
    peer=_torch,
    draw=_draw,
    typical=_typical,
    samples=_SAMPLES,
    notes=_NOTES,
)
UNIFORM_TENSOR = Operator(
    "aclnnInplaceUniformTensor",
    summary="The same with seed and offset in tensors.",
    formula=f"{_FORMULA} {SUM_OF_OFFSETS}",
    params=(
        SELF,
        *_BOUNDS,
        *ON_DEVICE[:2],
        Int("offset", "Added to offsetTensor.", default=0, signed=False),
    ),
    checks=_checks(
        supported_on(*NEWER),
        contiguous_input("selfRef"),
        not_null("seedTensor", "offsetTensor"),
        dtype_in("seedTensor", UINT64, INT64),
        dtype_in("offsetTensor", UINT64, INT64),
        one_element("seedTensor"),
        one_element("offsetTensor"),
    ),
    golden=_golden_on_device,
    draw=lambda rng: on_device(_draw(rng)),
    typical=lambda elements: on_device(_typical(elements)),
    samples=tuple(on_device(call) for call in (_SAMPLES[0], *_SAMPLES[2:])),
    notes=(
        *_NOTES,
        HALVES_NOTE,
        "A2 and A3 read seedTensor and offsetTensor unchecked; aclhost checks them everywhere.",
    ),
)
OPS = (UNIFORM, UNIFORM_TENSOR)
