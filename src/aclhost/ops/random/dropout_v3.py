# SPDX-License-Identifier: Apache-2.0
"""Dropout of Ascend 950, which multiplies by the mask."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.random.build import (
    NEW_BF16,
    OFFSET,
    SEED,
    THREADS,
    probability,
    random_offset,
    random_seed,
)
from aclhost.ops.random.dropout import bits_to_flags
from aclhost.ops.random.masks import bits_of, holds_mask, mask_bytes
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape, random_shape
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, UINT8, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, TensorIn, TensorOut
from aclhost.spec.philox import philox, positive_unit, threads_for, whole_blocks, words_in_rows
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    castable_to,
    done_when_empty,
    dtype_in,
    final_cast,
    inside_storage,
    not_null,
    rank_at_most,
    refused_unless_on,
    requires,
    same_shape,
    supported_on,
)
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import Elements, Not, Present, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_FLOATS = (FLOAT, FLOAT16, BF16)
_PRODUCT_NOTE = (
    "What is dropped is multiplied by 0: an infinite element gives NaN, a negative one -0."
)


def _vector(count: int, size: int) -> int:
    length = 16 // size
    while count % length:
        length //= 2
    return length


def kept_by_threads(count: int, size: int, drop: float, seed: int, offset: int) -> Array:
    """Which elements of a size in bytes a random mask keeps."""
    import numpy as np

    first, length = whole_blocks(offset), _vector(count, size)
    if length == 1:
        words = words_in_rows(seed, first, count)
    else:
        vector, inside = np.divmod(np.arange(count), length)
        row, thread = np.divmod(vector, threads_for(count))
        place = first // 4 + row * -(-length // 4) + inside // 4
        blocks = philox(seed, place.astype(np.uint64), thread.astype(np.uint64))
        words = np.take_along_axis(blocks, (inside % 4)[:, None], 1)[:, 0]
    return np.asarray(positive_unit(words) < np.float32(1 - drop))


def _golden(
    input: Array, optional_noise_shape: None, p: float, seed: int, offset: int
) -> tuple[Array, Array]:
    """Draws of 16 bits are not told from others: their counts of elements are odd."""
    import numpy as np

    del optional_noise_shape
    kept = kept_by_threads(input.size, 4, p, seed, offset)
    mask = bits_of(kept)
    if p in (0, 1):
        mask = np.full(mask.shape, 255 * (1 - int(p)), np.uint8)
        return input * (1.0 - p) if p == 0 else np.zeros_like(input), mask
    scale = np.float64(np.float32(1) / np.float32(1 - p))
    return input * kept.reshape(input.shape) * scale, mask


def _golden_grad(grad_y: Array, mask: Array, scale: float) -> Array:
    """The factor is a float."""
    import numpy as np

    kept = bits_to_flags(mask, grad_y.size).reshape(grad_y.shape)
    return np.asarray(grad_y * kept * np.float64(np.float32(scale)))


def _mask(shape: tuple[int, ...]) -> TensorArg:
    count = prod(shape)
    return TensorArg((-(-count // 128) * 16,), UINT8, span=(0, 256))


def _call(shape: tuple[int, ...], dtype: DataType, p: float, seed: int = 5) -> Call:
    x = TensorArg(shape, dtype)
    given = {"optionalNoiseShape": None, "p": p, "seed": seed, "offset": 4}
    return Call({"input": x, **given, "out": x, "maskOut": _mask(shape)}, A950)


def _draw(rng: Random) -> Call:
    dtype = rng.choice(_FLOATS)
    shape = rng.choice((random_shape(rng), (rng.randrange(1, 2000),)))
    if dtype is not FLOAT:
        shape = (2 * rng.randrange(900) + 1,)
    call = _call(shape, dtype, rng.choice((0.0, 0.25, 0.5, 0.75, 1.0)), random_seed(rng))
    return call.passing(offset=random_offset(rng))


def _grad_call(shape: tuple[int, ...], dtype: DataType, scale: float) -> Call:
    x = TensorArg(shape, dtype)
    return Call({"gradY": x, "mask": _mask(shape), "scale": scale, "gradX": x}, A950)


def _draw_grad(rng: Random) -> Call:
    shape = rng.choice((random_shape(rng), (rng.randrange(1, 2000),)))
    return _grad_call(shape, rng.choice(_FLOATS), rng.choice((0.0, -1.0, 2.0, 4.0)))


DROPOUT_V3 = Operator(
    "aclnnDropoutV3",
    summary="Drops elements at random and scales the others.",
    formula=(
        "`out[i] = input[i] * b[i] * (1 / (1 - p))`; b[i], bit i of maskOut, is 1 where `u[i] < 1 "
        "- p`; u[i] in (0, 1] is a word times 2^-32 plus 2^-33. V elements side by side share a "
        "thread: as many as fill 16 bytes, halved until V divides N. For V = 1, the word is word i "
        "div T of thread i mod T. Else element j of vector k takes word 4 ceil(V / 4) (k div T) + "
        "j of thread k mod T. The mask is padded with 0 to a multiple of 128 bits. p = 0 copies "
        f"input and sets all bits, p = 1 gives 0 and none. {THREADS}"
    ),
    params=(
        TensorIn("input", "Input."),
        TensorIn("optionalNoiseShape", "Must be null.", optional=True),
        Double("p", "Chance of an element to be dropped.", default=0.5),
        SEED,
        OFFSET,
        TensorOut("out", "Result.", like="input"),
        TensorOut(
            "maskOut",
            "Mask.",
            shape=Lengths((mask_bytes(Elements("input")),)),
            dtype=const(UINT8),
        ),
    ),
    checks=(
        not_null("input", "out", "maskOut"),
        castable_to("out", "input"),
        dtype_in("input", FLOAT, FLOAT16, NEW_BF16),
        dtype_in("maskOut", UINT8),
        requires(
            "null",
            "optionalNoiseShape",
            Not(Present("optionalNoiseShape")),
            "optionalNoiseShape must be null",
            ("a tensor",),
            "Pass a null pointer.",
        ),
        probability("p"),
        rank_at_most("input", 8),
        same_shape("input", "out"),
        holds_mask("maskOut", "input"),
        done_when_empty("input"),
        supported_on(A950),
        inside_storage("input"),
        final_cast("out", "input"),
    ),
    golden=_golden,
    peer=lambda torch, input, p, **_: torch.nn.functional.dropout(input, p),
    draw=_draw,
    typical=lambda elements: _call(matrix_shape(elements), FLOAT, 0.25),
    samples=(
        _call((20, 10), FLOAT, 0.25),
        _call((3, 7), FLOAT, 0.5),
        _call((2, 7), FLOAT, 0.5).changing(("input",), strides=(1, 2)),
        _call((5,), FLOAT16, 0.0),
        _call((3,), BF16, 1.0),
    ),
    notes=(
        "Words are those of upstream's kernel, which refuses an offset that is no multiple of 4; "
        "aclhost rounds it up.",
        _PRODUCT_NOTE,
    ),
)
DROPOUT_V3_GRAD = Operator(
    "aclnnDropoutV3Grad",
    summary="Gradient of that dropout: the same mask on the gradient of its result.",
    formula="`gradX[i] = gradY[i] * b[i] * scale` in float; b[i] is bit i of mask",
    params=(
        TensorIn("gradY", "Gradient of the result."),
        TensorIn("mask", "Bits of the forward pass."),
        Double("scale", "1 / (1 - p) of the forward pass.", default=2.0),
        TensorOut("gradX", "Gradient of the input.", like="gradY"),
    ),
    checks=(
        refused_unless_on(A950),
        not_null("gradY", "mask", "gradX"),
        castable_to("gradX", "gradY"),
        dtype_in("gradY", *_FLOATS),
        dtype_in("mask", UINT8),
        rank_at_most("gradY", 8),
        same_shape("gradY", "gradX"),
        holds_mask("mask", "gradY"),
        done_when_empty("gradY"),
        inside_storage("gradY", "mask"),
        final_cast("gradX", "gradY"),
    ),
    golden=_golden_grad,
    gradient=Gradient(
        forward="aclnnDropoutV3",
        results={"gradX": "input"},
        given={"gradY": "out"},
        saved={"mask": "maskOut"},
        derived={"scale": lambda taken: 1 / (1 - taken["p"]) if taken["p"] < 1 else 0.0},
    ),
    draw=_draw_grad,
    typical=lambda elements: _grad_call(matrix_shape(elements), FLOAT, 2.0),
    samples=(
        _grad_call((20, 10), FLOAT, 2.0),
        _grad_call((2, 7), FLOAT, -1.0).changing(("gradY",), strides=(1, 2)),
        _grad_call((5,), FLOAT16, 0.0),
        _grad_call((), BF16, 4.0),
    ),
    notes=(_PRODUCT_NOTE,),
)
OPS = (DROPOUT_V3, DROPOUT_V3_GRAD)
