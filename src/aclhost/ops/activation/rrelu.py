# SPDX-License-Identifier: Apache-2.0
"""Leaky units with a random slope, kept as noise for the gradient."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.activation.gated import NEW_BF16, supported
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.draw import eighths, matrix_shape, random_shape
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16
from aclhost.spec.operator import Operator
from aclhost.spec.params import (
    NEVER,
    Flag,
    Int,
    Parameter,
    Scalar,
    TensorIn,
    TensorInOut,
    TensorOut,
)
from aclhost.spec.philox import unit, words_in_order
from aclhost.spec.rules import (
    Step,
    done_when_empty,
    dtype_in,
    inside_storage,
    is_set,
    not_null,
    requires,
    same_dtype,
    same_format,
    same_shape,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import AtMost, Elements

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_DTYPES = (FLOAT, FLOAT16, NEW_BF16)
_NUMBERS = (FLOAT, FLOAT16, BF16, DOUBLE)
_FORMULA = (
    "In training, `noise = 1` where `self >= 0`, otherwise `noise = lower + u * (upper - lower)` "
    "with u evenly spread over [0, 1), and `out = self * noise`. Otherwise `out = self` where "
    "`self > 0`, else `out = self * (lower + upper) / 2`, and noise stays as it is.\n\n"
    "u of element i, in row-major order, is made of the low 23 bits of word i mod 4 of Philox "
    "4x32-10 with the key seed and the counter i div 4 + 2^64 offset."
)
_NOTES = (
    "The document counts 0 among the elements with a random slope; upstream's code does not.",
    "The generator is that of the Ascend 950; other products have one in hardware whose numbers "
    "are not known. FLOAT16 takes the same numbers as FLOAT here, fewer bits upstream.",
    "Where noise has more elements than self, its first ones are replaced in row-major order.",
    "out is the product with the slope before that is rounded to noise; upstream rounds first.",
)
_ATTRIBUTES = (
    Scalar("lower", "Least slope.", default=0.125),
    Scalar("upper", "Most slope.", default=1 / 3),
    Flag("training", "Whether slopes are random.", default=False),
    Int("seed", "Key of the random numbers.", default=0),
    Int("offset", "Upper half of their counter.", default=0),
)


def _golden(
    self: Array, noise: Array, lower: float, upper: float, training: bool, seed: int, offset: int
) -> tuple[Array, Array]:
    """Noise, then the result."""
    import numpy as np

    if not training:
        return noise, np.where(self > 0, self, self * ((lower + upper) / 2))
    uniform = unit(words_in_order(seed, offset, self.size)).reshape(self.shape)
    random = lower + uniform * (upper - lower)
    slopes = np.where(self < 0, random, 1.0)
    kept = np.array(noise, order="C")
    kept.reshape(-1)[: self.size] = slopes.ravel()
    return kept, self * slopes


def _golden_in_place(**arguments: Any) -> tuple[Array, Array]:  # noqa: ANN401
    """The result, then noise."""
    noise, result = _golden(**arguments)
    return result, noise


def _torch(torch: Any, in_place: bool, **arguments: Any) -> Any:  # noqa: ANN401
    """Torch draws other numbers."""
    if arguments["training"]:
        return NotImplemented
    lower, upper = arguments["lower"], arguments["upper"]
    result = torch.nn.functional.rrelu(arguments["self"], lower, upper, training=False)
    return (result, arguments["noise"]) if in_place else (arguments["noise"], result)


def _checks(name: str, out: str) -> tuple[tuple[Step, ...], ...]:
    others = () if out == "self" else (out,)
    return (
        not_null("self", "noise", "lower", "upper", *others),
        dtype_in("self", *_DTYPES), dtype_in("noise", *_DTYPES),
        dtype_in("lower", *_NUMBERS), dtype_in("upper", *_NUMBERS),
        *(rules for each in others for rules in (dtype_in(each, *_DTYPES),
                                                 same_dtype("self", each))),
        same_dtype("noise", out),
        *(same_shape("self", each) for each in others),
        when(is_set("training"), requires(
            "enough_elements", "noise", AtMost(Elements("self"), Elements("noise")),
            "noise must have as many elements as self, or more",
            (Shown("shape", ShapeOf("noise")), " for ", Shown("shape", ShapeOf("self"))),
            "Create noise with the shape of self.",
        )),
        *(same_format("self", each) for each in others), same_format("noise", out),
        done_when_empty("self", "noise"), supported(name), inside_storage("self", "noise"),
    )  # fmt: skip


def _call(x: TensorArg, noise: TensorArg, training: bool, in_place: bool, seed: int = 3) -> Call:
    call = Call({"self": x, "noise": noise, "lower": ScalarArg(0.125), "upper": ScalarArg(0.375),
                 "training": training, "seed": seed, "offset": 1})  # fmt: skip
    return call if in_place else call.passing(out=x)


def _samples(in_place: bool) -> tuple[Call, ...]:
    def call(shape: tuple[int, ...], noise: tuple[int, ...], training: bool) -> Call:
        return _call(TensorArg(shape), TensorArg(noise), training, in_place)

    large = call((5, 3), (4, 5), True)
    return (
        call((2, 3), (2, 3), True),
        call((2, 3), (2, 3), False),
        call((), (), True),
        large,
        large.changing(("noise",), strides=(1, 8)),
        *(call((2, 3), (2, 3), True).retyped(dtype, "self", "noise", *([] if in_place else ["out"]))
          for dtype in (FLOAT16, BF16)),
    )  # fmt: skip


def _draw(rng: Random, in_place: bool) -> Call:
    dtype, shape = rng.choice((FLOAT, FLOAT16, BF16)), random_shape(rng)
    more = (*shape, rng.choice((1, 1, 2)))
    noise = TensorArg(rng.choice((shape, more)), dtype)
    call = _call(TensorArg(shape, dtype), noise, rng.random() < 0.7, in_place,
                 rng.randrange(-(2**63), 2**63))  # fmt: skip
    lower = eighths(rng, 0, 1)
    return call.passing(
        lower=ScalarArg(lower), upper=ScalarArg(lower + eighths(rng, 0, 1)),
        offset=rng.choice((0, 1, -1, 2**40)),
    )  # fmt: skip


def _operator(name: str, in_place: bool) -> Operator:
    x: Parameter = TensorIn("self", "Input.")
    if in_place:
        x = TensorInOut("self", "Input, replaced by the result.", is_const=True)
    noise = TensorInOut("noise", "Slopes, written in training.", is_const=True, read_if=NEVER)
    out = () if in_place else (TensorOut("out", "Result.", like="self"),)
    return Operator(
        name,
        summary="Leaky unit whose slope below 0 is random in training.",
        formula=_FORMULA.replace("`out =", "`self =") if in_place else _FORMULA,
        params=(x, noise, *_ATTRIBUTES, *out),
        checks=_checks(name, "self" if in_place else "out"),
        golden=_golden_in_place if in_place else _golden,
        samples=_samples(in_place),
        reference=lambda torch, **arguments: _torch(torch, in_place, **arguments),
        peer=lambda torch, self, lower, upper, training, **_: torch.nn.functional.rrelu(
            self, lower, upper, training, in_place
        ),
        draw=lambda rng: _draw(rng, in_place),
        typical=lambda n: _call(
            TensorArg(matrix_shape(n)), TensorArg(matrix_shape(n)), True, in_place
        ),
        notes=_NOTES,
    )


OPS = (
    _operator("aclnnRReluWithNoise", in_place=False),
    _operator("aclnnInplaceRReluWithNoise", in_place=True),
)
