# SPDX-License-Identifier: Apache-2.0
"""Dropout: masks applied, forward and backward."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.random.build import (
    NEW_BF16,
    NEWER,
    OFFSET,
    SAME_ON_950,
    SEED,
    WORDS,
    probability,
    random_offset,
    random_seed,
)
from aclhost.ops.random.masks import PADDED_NOTE, bits_of, holds_mask, kept_elements, mask_bytes
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape, random_shape
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, UINT8, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Flag, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, P310P, T910
from aclhost.spec.rules import (
    Rule,
    Step,
    castable_to,
    done_when_empty,
    dtype_in,
    final_cast,
    inside_storage,
    not_null,
    only_on,
    rank_at_most,
    requires,
    same_shape,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import Elements, Not, Or, RealIs, all_of, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_EPSILON = 2.0**-52
_FLOATS = (FLOAT, FLOAT16, BF16)
_MASK_NOTE = "Bits are counted from the least of each byte; what pads the mask is not looked at."
_SCALE_NOTE = (
    "1 - p is rounded to the dtype of the input, as upstream does; its reciprocal and the product "
    "are computed in float, and the product is rounded once."
)
_APPLIED = (
    "where bit i of mask is 1, otherwise 0; all of it where p is 0, nothing where p is 1 (both to "
    "within 2^-52)"
)


def bits_to_flags(mask: Array, count: int) -> Array:
    """The bits of the first elements."""
    import numpy as np

    return np.unpackbits(mask.astype(np.uint8).ravel(), bitorder="little")[:count].astype(bool)


def _apply(self: Array, mask: Array, prob: float) -> Array:
    """Everything exact: dtypes of 16 bits round the factor, which draws leave exact."""
    import numpy as np

    if prob == 0:
        return self
    if prob == 1:
        return np.zeros_like(self)
    kept = bits_to_flags(mask, self.size).reshape(self.shape)
    scale = np.float64(np.float32(1) / np.float32(1 - prob))
    return np.where(kept, self * scale, 0.0)


def _apply_scale(grad_output: Array, mask: Array, scale: float) -> Array:
    """A scale of 0 stands for dropping everything."""
    return _apply(grad_output, mask, 1 - 1 / scale if scale else 1.0)


def _dropout(input: Array, p: float, train: bool, seed: int, offset: int) -> tuple[Array, Array]:
    """The result, then its mask."""
    import numpy as np

    drop = p if train else 0.0
    mask = bits_of(kept_elements(input.size, drop, seed, offset))
    if drop in (0, 1):
        mask = np.full(mask.shape, 255 * (1 - int(drop)), np.uint8)
    return _apply(input, mask, drop), mask


def _checks(
    first: str, mask: str, rules: tuple[Rule, ...], dtypes: tuple[Any, ...], exactly: bool = True
) -> tuple[tuple[Step, ...], ...]:
    return (
        castable_to("out", first),
        dtype_in(first, *dtypes),
        dtype_in(mask, UINT8),
        rules,
        rank_at_most(first, 8),
        same_shape(first, "out"),
        holds_mask(mask, first, exactly=exactly),
    )


def _mask(elements: int) -> TensorArg:
    return TensorArg((-(-elements // 128) * 16,), UINT8, span=(0, 256))


def _count(shape: tuple[int, ...]) -> int:
    count = prod(shape)
    return count


def _apply_call(name: str, x: TensorArg, factor: tuple[str, float], out: DataType) -> Call:
    return Call({name: x, "mask": _mask(_count(x.shape)), factor[0]: factor[1],
                 "out": TensorArg(x.shape, out)})  # fmt: skip


def _apply_samples(name: str, factor: str, values: tuple[float, ...]) -> tuple[Call, ...]:
    dense = TensorArg((20, 10))
    return (
        *(_apply_call(name, dense, (factor, value), FLOAT) for value in values),
        _apply_call(name, TensorArg((20, 10), strides=(1, 20)), (factor, values[-1]), DOUBLE),
        _apply_call(name, TensorArg((5,), FLOAT16), (factor, values[-1]), FLOAT16),
        _apply_call(name, TensorArg((), BF16), (factor, values[-1]), BF16),
    )


def _draw_apply(rng: Random, name: str, factor: str, values: tuple[float, ...]) -> Call:
    dtype, shape = rng.choice(_FLOATS), rng.choice((random_shape(rng), (rng.randrange(1, 2000),)))
    x = TensorArg(shape, dtype)
    return _apply_call(name, x, (factor, rng.choice(values)), dtype)


DO_MASK = Operator(
    "aclnnDropoutDoMask",
    summary="Drops the elements that a mask does not keep, and scales the others.",
    formula=f"`out[i] = self[i] * (1 / (1 - prob))` {_APPLIED}; p is prob",
    params=(
        TensorIn("self", "Input."),
        TensorIn("mask", "Bits, as aclnnDropoutGenMask makes them."),
        Double("prob", "Chance of an element to be dropped.", default=0.5),
        TensorOut("out", "Result.", like="self"),
    ),
    checks=(
        not_null("self", "mask", "out"),
        done_when_empty("self", "mask"),
        *_checks("self", "mask", probability("prob"), (FLOAT, FLOAT16, NEW_BF16), exactly=False),
        supported_on(*NEWER, P310P, T910),
        inside_storage("self", "mask"),
        final_cast("out", "self"),
    ),
    golden=_apply,
    draw=lambda rng: _draw_apply(rng, "self", "prob", (0.0, 0.25, 0.5, 0.75, 1.0)),
    typical=lambda n: _apply_call("self", TensorArg(matrix_shape(n)), ("prob", 0.25), FLOAT),
    samples=_apply_samples("self", "prob", (0.0, 1.0, 0.25, 0.5)),
    notes=(_MASK_NOTE, _SCALE_NOTE),
)
BACKWARD = Operator(
    "aclnnDropoutBackward",
    summary="Gradient of dropout: the same mask on the gradient of its result.",
    formula=f"`out[i] = gradOutput[i] * (1 / (1 - p))` {_APPLIED}; `p = 1 - 1 / scale`, 1 for 0",
    params=(
        TensorIn("gradOutput", "Gradient of the result."),
        TensorIn("mask", "Bits of the forward pass."),
        Double("scale", "1 / (1 - p) of the forward pass, or 0 where p is 1.", default=2.0),
        TensorOut("out", "Gradient of the input.", like="gradOutput"),
    ),
    checks=(
        not_null("gradOutput", "mask", "out"),
        *_checks(
            "gradOutput",
            "mask",
            requires(
                "scale_of_probability",
                "scale",
                Or(
                    Not(RealIs("scale", "<", 1)),
                    all_of(RealIs("scale", ">=", -_EPSILON), RealIs("scale", "<=", _EPSILON)),
                ),
                "scale must be 0, or 1 or more",
                (Shown("real", "scale"),),
                "Pass 1 / (1 - p) for the chance p of an element to be dropped.",
            ),
            (FLOAT, FLOAT16, NEW_BF16),
        ),
        done_when_empty("gradOutput"),
        supported_on(*NEWER, T910),
        inside_storage("gradOutput", "mask"),
        final_cast("out", "gradOutput"),
    ),
    golden=_apply_scale,
    gradient=Gradient(
        forward="aclnnDropoutDoMask",
        results={"out": "self"},
        given={"gradOutput": "out"},
        derived={"scale": lambda taken: 1 / (1 - taken["prob"]) if taken["prob"] < 1 else 0.0},
    ),
    draw=lambda rng: _draw_apply(rng, "gradOutput", "scale", (0.0, 1.0, 2.0, 4.0)),
    typical=lambda n: _apply_call("gradOutput", TensorArg(matrix_shape(n)), ("scale", 2.0), FLOAT),
    samples=_apply_samples("gradOutput", "scale", (0.0, 1.0, 4.0, 2.0)),
    notes=(_MASK_NOTE, _SCALE_NOTE),
)


def _call(x: TensorArg, p: float, train: bool, seed: int = 5, offset: int = 4) -> Call:
    call = Call({"input": x, "p": p, "train": train, "seed": seed, "offset": offset})
    return call.passing(out=TensorArg(x.shape, x.dtype), maskOut=_mask(_count(x.shape)))


def _draw(rng: Random) -> Call:
    shape = rng.choice((random_shape(rng), (rng.randrange(1, 2000),)))
    p, train = rng.choice((0.0, 0.25, 0.5, 0.75, 1.0)), rng.random() < 0.8
    x = TensorArg(shape, rng.choice(_FLOATS), span=(-4, 4))
    return _call(x, p, train, random_seed(rng), random_offset(rng))


DROPOUT = Operator(
    "aclnnDropout",
    summary="Drops elements at random and scales the others.",
    formula=(
        "In training, maskOut is what aclnnDropoutGenMask gives and out is what aclnnDropoutDoMask "
        f"makes of it. Without training, p counts as 0. {WORDS}"
    ),
    params=(
        TensorIn("input", "Input."),
        Double("p", "Chance of an element to be dropped.", default=0.5),
        Flag("train", "Whether anything is dropped.", default=True),
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
        *_checks("input", "maskOut", probability("p"), (FLOAT, FLOAT16, only_on(BF16, A3, A2))),
        done_when_empty("input"),
        supported_on(A3, A2, T910),
        inside_storage("input"),
        final_cast("out", "input"),
    ),
    golden=_dropout,
    peer=lambda torch, input, p, train, **_: torch.nn.functional.dropout(input, p, train),
    draw=_draw,
    typical=lambda n: _call(TensorArg(matrix_shape(n)), 0.25, True),
    samples=(
        _call(TensorArg((20, 10)), 0.25, True),
        _call(TensorArg((20, 10), strides=(1, 20)), 0.5, True),
        _call(TensorArg((5,), FLOAT16), 0.5, False),
        _call(TensorArg((), BF16), 1.0, True),
        _call(TensorArg((7,)), 0.0, True),
    ),
    notes=(
        SAME_ON_950,
        PADDED_NOTE,
        _SCALE_NOTE,
        "Where p counts as 0 or is 1, upstream leaves maskOut as it was.",
    ),
)
OPS = (DO_MASK, BACKWARD, DROPOUT)
