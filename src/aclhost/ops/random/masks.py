# SPDX-License-Identifier: Apache-2.0
"""Masks of dropout: one bit for each element, padded to a multiple of 128."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.random.build import (
    HALVES_NOTE,
    NEWER,
    OFFSET,
    ON_DEVICE,
    SAME_ON_950,
    SEED,
    SUM_OF_OFFSETS,
    WORDS,
    first_of,
    on_device,
    probability,
    random_offset,
    random_seed,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import eighths, random_shape
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT32, INT64, UINT8
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Dtype, IntArray, TensorOut
from aclhost.spec.philox import positive_unit, words_in_order
from aclhost.spec.products import A2, A3, P310P, T910
from aclhost.spec.rules import (
    Condition,
    Rule,
    Step,
    done_when_empty,
    dtype_in,
    dtype_value_in,
    inner,
    not_null,
    one_element,
    requires,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ArrayShape, ElementsOf, Lengths, ShapeOf
from aclhost.spec.terms import (
    AtMost,
    Const,
    Divided,
    Elements,
    Equal,
    Not,
    ProductIn,
    RealIs,
    RoundedUp,
    Term,
    all_of,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_EPSILON = 2.0**-52
PADDED_NOTE = (
    "Bits of the padding are 0 where the mask is random; A2 and A3 leave random ones there."
)


def mask_bytes(elements: Term) -> Term:
    """How many bytes a mask for so many elements has."""
    return Divided(RoundedUp(elements, 128), Const(8))


def holds_mask(parameter: str, tensor: str, *, exactly: bool = True) -> tuple[Rule, ...]:
    """A mask has a bit for each element of a tensor; it may be larger unless exactly."""
    needed, size = mask_bytes(Elements(tensor)), Elements(parameter)
    least = "" if exactly else " or more"
    return requires(
        "mask_size",
        parameter,
        Equal(size, needed) if exactly else AtMost(needed, size),
        f"{parameter} must have as many bytes as masks for the elements of {tensor} have{least}",
        (Shown("shape", ShapeOf(parameter)), " for ", Shown("integer", needed), " bytes"),
        "Round the count of elements up to a multiple of 128 and divide it by 8.",
    )


def certain(parameter: str) -> Condition:
    """Upstream takes a probability for 0 or 1."""
    inside = all_of(RealIs(parameter, ">", _EPSILON), RealIs(parameter, "<", 1 - _EPSILON))
    return Condition(Not(inside), f"{parameter} is 0 or 1")


def bits_of(kept: Array) -> Array:
    """Packed from the least bit on, and padded with zeros."""
    import numpy as np

    padded = np.zeros(-(-kept.size // 128) * 128, bool)
    padded[: kept.size] = kept.ravel()
    return np.packbits(padded, bitorder="little")


def kept_elements(count: int, drop: float, seed: int, offset: int) -> Array:
    """Which ones a random mask keeps."""
    import numpy as np

    uniform = positive_unit(words_in_order(seed, offset, count))
    return np.asarray(uniform < np.float32(1 - drop))


def _golden(shape: tuple[int, ...], prob: float, seed: int, offset: int) -> Array:
    """A certain outcome holds for the padding, too."""
    import numpy as np

    count = int(np.prod(shape, dtype=np.int64))
    if prob in (0, 1):
        return np.full(-(-count // 128) * 16, 255 * (1 - int(prob)), np.uint8)
    return bits_of(kept_elements(count, prob, seed, offset))


def _golden_v2(
    shape: tuple[int, ...], prob: float, seed: int, offset: int, prob_data_type: object
) -> Array:
    """The same."""
    del prob_data_type
    return _golden(shape, prob, seed, offset)


def _golden_on_device(
    shape: tuple[int, ...], prob: float, seed_tensor: Array, offset_tensor: Array, offset: int,
    prob_data_type: object,
) -> Array:  # fmt: skip
    """The same with the sum of two offsets."""
    del prob_data_type
    return _golden(shape, prob, first_of(seed_tensor), first_of(offset_tensor) + offset)


_SHAPE = IntArray("shape", "Shape of the tensor that the mask is for.", length=1)
_PROB = Double("prob", "Chance of an element to be dropped.", default=0.5)
_KIND = Dtype("probDataType", "Dtype of the tensor that the mask is for; not used.", default=FLOAT)
_BYTES = mask_bytes(ElementsOf(ArrayShape("shape")))
_OUT = TensorOut("out", "Mask.", shape=Lengths((_BYTES,)), dtype=const(UINT8))
_FORMULA = (
    "Bit i mod 8 of byte i div 8, counted from the least, is 1 where `u[i] < 1 - prob`, which "
    "keeps the element; u[i] in (0, 1] is word i times 2^-32 plus 2^-33, in float. The count of "
    f"bits is rounded up to a multiple of 128. prob 0 sets all bits, prob 1 none. {WORDS}"
)
_CHECKS: tuple[tuple[Step, ...], ...] = (
    not_null("shape", "out"),
    dtype_in("out", UINT8),
    probability("prob"),
    requires(
        "mask_size",
        "out",
        Equal(Elements("out"), _BYTES),
        "out must have as many bytes as masks for shape have",
        (Shown("shape", ShapeOf("out")), " for ", Shown("integer", _BYTES), " bytes"),
        "Round the product of shape up to a multiple of 128 and divide it by 8.",
    ),
    done_when_empty("out"),
)
_ON_HARDWARE = Condition(
    all_of(ProductIn((A3, A2)), Not(certain("prob").term)),
    "the product is Atlas A3 or Atlas A2 and prob is neither 0 nor 1",
)
_KIND_RULE = when(_ON_HARDWARE, inner(dtype_value_in("probDataType", FLOAT16, BF16, FLOAT)))
_NOTES = (SAME_ON_950, PADDED_NOTE)
_KIND_NOTE = "A2 and A3 round prob to probDataType first; aclhost does not, nor does Ascend 950."


def _call(shape: tuple[int, ...], prob: float, seed: int = 5, offset: int = 4) -> Call:
    count = prod(shape)
    out = TensorArg((-(-count // 128) * 16,), UINT8)
    return Call({"shape": shape, "prob": prob, "seed": seed, "offset": offset, "out": out})


def _v2(call: Call) -> Call:
    return call.passing(probDataType=FLOAT16)


def _v2_on_device(call: Call) -> Call:
    return on_device(_v2(call))


def _typical(elements: int) -> Call:
    return _call((elements,), 0.25)


def _draw(rng: Random) -> Call:
    shape = rng.choice((random_shape(rng), (rng.randrange(2000),)))
    return _call(shape, eighths(rng, 0, 1), random_seed(rng), random_offset(rng))


_SAMPLES = (
    _call((200,), 0.25),
    _call((2, 3), 0.0),
    _call((2, 3), 1.0),
    _call((16, 16), 0.9, -7, -4),
    _call((40,), 0.5).changing(("out",), strides=(2,)),
)

MASK = Operator(
    "aclnnDropoutGenMask",
    summary="A random mask that keeps elements of a tensor.",
    formula=_FORMULA,
    params=(_SHAPE, _PROB, SEED, OFFSET, _OUT),
    checks=(*_CHECKS, supported_on(*NEWER, P310P, T910)),
    golden=_golden,
    peer=lambda torch, shape, prob, **_: torch.empty(shape).bernoulli_(1 - prob),
    draw=_draw,
    typical=_typical,
    samples=_SAMPLES,
    notes=_NOTES,
)
MASK_V2 = Operator(
    "aclnnDropoutGenMaskV2",
    summary="The same, told the dtype of the tensor.",
    formula=_FORMULA,
    params=(_SHAPE, _PROB, SEED, OFFSET, _KIND, _OUT),
    checks=(*_CHECKS, supported_on(*NEWER, P310P, T910), _KIND_RULE),
    golden=_golden_v2,
    draw=lambda rng: _v2(_draw(rng)),
    typical=lambda elements: _v2(_typical(elements)),
    samples=tuple(map(_v2, _SAMPLES)),
    notes=(*_NOTES, _KIND_NOTE),
)
MASK_V2_TENSOR = Operator(
    "aclnnDropoutGenMaskV2Tensor",
    summary="The same with seed and offset in tensors.",
    formula=f"{_FORMULA} {SUM_OF_OFFSETS}",
    params=(_SHAPE, _PROB, *ON_DEVICE, _KIND, _OUT),
    checks=(
        *_CHECKS,
        not_null("seedTensor", "offsetTensor"),
        supported_on(*NEWER),
        _KIND_RULE,
        inner(dtype_in("seedTensor", INT32, INT64), dtype_in("offsetTensor", INT64)),
        one_element("seedTensor"),
        one_element("offsetTensor"),
    ),
    golden=_golden_on_device,
    draw=lambda rng: _v2_on_device(_draw(rng)),
    typical=lambda elements: _v2_on_device(_typical(elements)),
    samples=tuple(map(_v2_on_device, _SAMPLES)),
    notes=(*_NOTES, _KIND_NOTE, HALVES_NOTE),
)
OPS = (MASK, MASK_V2, MASK_V2_TENSOR)
