# SPDX-License-Identifier: Apache-2.0
"""aclnnPrelu."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from aclhost.ops.activation.gated import NEW_BF16, supported
from aclhost.ops.pointwise.build import pointwise_operator
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape, random_shape
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.family import LateSamples, derived_samples
from aclhost.spec.math import where
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.pointwise import Pointwise
from aclhost.spec.rules import (
    Rule,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    rank_at_most,
    requires,
    same_shape,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import AtMost, Const, DimOf, Elements, Equal, If, Or, RankOf, promoted
from aclhost.spec.views import AlongChannels

DTYPES = (FLOAT, FLOAT16, NEW_BF16)
CHANNELS = If(AtMost(Const(2), RankOf("self")), DimOf("self", Const(1)), Const(1))
ONE_WEIGHT = Equal(Elements("weight"), Const(1))


def one_or_channels() -> tuple[Rule, ...]:
    """There is one weight, or one for each channel."""
    return requires(
        "one_or_channels", "weight", Or(ONE_WEIGHT, Equal(Elements("weight"), CHANNELS)),
        "weight must have one element, or one for each channel: dimension 1 of self",
        (Shown("shape", ShapeOf("weight")), " for ", Shown("shape", ShapeOf("self"))),
        "Tensors of less than two dimensions have one channel.",
    )  # fmt: skip


def draw_tensors(rng: Random) -> tuple[TensorArg, TensorArg]:
    """An input, and weights for its channels."""
    shape = random_shape(rng)
    channels = shape[1] if len(shape) > 1 else 1
    single = rng.random() < 0.3
    dtype = rng.choice((FLOAT, FLOAT16, BF16))
    return TensorArg(shape, dtype), TensorArg((1,) if single else (channels,), dtype)


def _prelu(x: Element, weight: Element) -> Element:
    """Negative numbers times the weight."""
    return where(x > 0, x, weight * x)


def _torch_prelu(torch: Any, self: Any, weight: Any) -> Any:  # noqa: ANN401
    return torch.nn.functional.prelu(self, weight.reshape(-1))


def _draw(rng: Random) -> Call:
    x, weight = draw_tensors(rng)
    return Call({"self": x, "weight": weight, "out": x})


def _typical(n: int) -> Call:
    x = TensorArg(matrix_shape(n))
    return Call({"self": x, "weight": TensorArg((1,)), "out": x})


def _samples(op: Operator) -> tuple[Call, ...]:
    calls = derived_samples(op, own_shapes={"weight": (3,)})
    first = calls[0]
    return (
        *calls,
        first.reshaped((2, 3, 4, 5), "self", "out").reshaped((1, 3, 1, 1), "weight"),
        first.reshaped((2, 6), "self", "out").changing(("weight",), shape=(2, 3), strides=(1, 2)),
        first.reshaped((5,), "self", "out").reshaped((), "weight"),
        first.reshaped((), "self", "out").reshaped((1,), "weight"),
        first.retyped(FLOAT16, "weight"),
    )


_PLAIN = pointwise_operator(
    "aclnnPrelu", "Leaky unit whose slope below 0 is learnt, one for each channel or for all.",
    (TensorIn("self", "Input."), TensorIn("weight", "Slopes below 0."),
     TensorOut("out", "Result.", like="self", dtype=promoted("self", "weight"))),
    (
        not_null("self", "weight", "out"),
        *(dtype_in(each, *DTYPES) for each in ("self", "weight", "out")),
        *(rank_at_most(each, 8) for each in ("self", "weight", "out")),
        same_shape("out", "self"), one_or_channels(), done_when_empty("self", "weight"),
        supported("aclnnPrelu"), inside_storage("self", "weight"),
    ),
    Pointwise(
        ("self", "weight"), ("out",), (), promoted("self", "weight"), _prelu,
        (FLOAT, FLOAT16, BF16), views=(("weight", AlongChannels("weight", "self")),),
    ),
    reference=_torch_prelu,
)  # fmt: skip
OP: Operator = replace(
    _PLAIN,
    samples=LateSamples(lambda: _samples(_PLAIN)),
    draw=_draw,
    typical=lambda n: (
        OP.samples[0].reshaped(matrix_shape(n), "self", "out").reshaped((1,), "weight")
    ),
)
