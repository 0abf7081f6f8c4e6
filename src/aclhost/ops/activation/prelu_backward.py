# SPDX-License-Identifier: Apache-2.0
"""aclnnPreluBackward."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.activation.gated import supported
from aclhost.ops.activation.prelu import CHANNELS, DTYPES, ONE_WEIGHT, draw_tensors, one_or_channels
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT16
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.rules import (
    Condition,
    broadcastable,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    rank_at_least,
    rank_at_most,
    same_dtype,
    same_shape,
    shape_is,
    when,
)
from aclhost.spec.shapes import Broadcast, Lengths, ShapeIf, ShapeOf
from aclhost.spec.terms import DtypeOf, Not

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_SUMS = ShapeIf(ONE_WEIGHT, ShapeOf("weight"), Lengths((CHANNELS,)))
_TENSORS = ("gradOutput", "self", "weight", "gradInput", "gradWeight")
_SINGLE = Condition(ONE_WEIGHT, "weight has one element")
_SEVERAL = Condition(Not(ONE_WEIGHT), "weight has not one element")


def _golden(grad_output: Array, self: Array, weight: Array) -> tuple[Array, Array]:
    """Sums over everything but the channels, or over everything."""
    import numpy as np

    grad_output = np.broadcast_to(grad_output, self.shape)
    terms = np.where(self > 0, 0.0, grad_output * self)
    if weight.size == 1:
        slope, sums = weight.reshape(()), terms.sum().reshape(weight.shape)
    else:
        slope = weight.reshape(-1, *(1,) * (self.ndim - 2))
        sums = terms.sum(axis=tuple(axis for axis in range(self.ndim) if axis != 1))
    return np.where(self > 0, grad_output, grad_output * slope), sums


def _torch(torch: Any, grad_output: Any, self: Any, weight: Any) -> Any:  # noqa: ANN401
    x, slope = self.clone().requires_grad_(), weight.clone().requires_grad_()
    result = torch.nn.functional.prelu(x, slope.reshape(-1))
    result.backward(grad_output.expand(x.shape))
    return x.grad, slope.grad.reshape(weight.shape if weight.numel() == 1 else -1)


def _call(x: TensorArg, weight: TensorArg, gradient: TensorArg | None = None) -> Call:
    weights = math.prod(weight.shape)
    sums = TensorArg(weight.shape if weights == 1 else (weights,), x.dtype)
    return Call({"gradOutput": gradient or x, "self": x, "weight": weight, "gradInput": x,
                 "gradWeight": sums})  # fmt: skip


def _draw(rng: Random) -> Call:
    """Not empty: gradWeight would stay as it is."""
    x, weight = draw_tensors(rng)
    while 0 in x.shape:
        x, weight = draw_tensors(rng)
    lengths = tuple(rng.choice((length, 1)) for length in x.shape)
    return _call(x, weight, rng.choice((None, TensorArg(lengths, x.dtype))))


OP = Operator(
    "aclnnPreluBackward",
    summary="Gradients of the leaky unit with learnt slopes.",
    formula=(
        "- self > 0: `gradInput = gradOutput`\n"
        "- otherwise: `gradInput = gradOutput * weight`\n\n"
        "`gradWeight` is the sum of `gradOutput * self` over the elements of a channel that are "
        "not above 0, or over all channels where there is one weight. Products in float, sums in "
        "double, rounded once."
    ),
    params=(
        TensorIn("gradOutput", "Gradient of the result; broadcasts to self."),
        TensorIn("self", "The forward's input."),
        TensorIn("weight", "Slopes below 0."),
        TensorOut("gradInput", "Gradient of self.", like="self"),
        TensorOut("gradWeight", "Gradient of weight.", shape=_SUMS, dtype=DtypeOf("self")),
    ),
    checks=(
        not_null(*_TENSORS),
        dtype_in("self", *DTYPES),
        *(same_dtype(each, "self") for each in _TENSORS if each != "self"),
        *(rank_at_most(each, 8) for each in _TENSORS),
        same_shape("gradInput", "self"),
        when(_SEVERAL, rank_at_least("self", 1)),
        one_or_channels(),
        when(_SEVERAL, shape_is("gradWeight", Lengths((CHANNELS,)), "[channels]")),
        when(_SINGLE, same_shape("gradWeight", "weight")),
        broadcastable("gradOutput", "self"),
        shape_is("self", Broadcast(("self", "gradOutput")), "that it broadcasts to"),
        done_when_empty("gradOutput", "self", "weight"),
        supported("aclnnPreluBackward"),
        inside_storage("gradOutput", "self", "weight"),
    ),
    golden=_golden,
    samples=(
        _call(TensorArg((2, 3)), TensorArg((3,))),
        _call(TensorArg((2, 3, 4, 5)), TensorArg((3,)), TensorArg((4, 1))),
        _call(TensorArg((2, 3), FLOAT16), TensorArg((1,), FLOAT16)),
        _call(TensorArg((4,), BF16), TensorArg((), BF16)),
        _call(TensorArg(()), TensorArg((1, 1))),
        _call(TensorArg((3, 2), strides=(1, 3)), TensorArg((2,), strides=(2,))),
        _call(TensorArg((2, 6)), TensorArg((1, 2, 3), strides=(0, 1, 2))),
    ),
    reference=_torch,
    summed=("gradOutput",),
    gradient=Gradient(
        "aclnnPrelu", {"gradInput": "self", "gradWeight": "weight"}, {"gradOutput": "out"}
    ),
    draw=_draw,
    typical=lambda n: _call(TensorArg((max(n // 65536, 1), 64, 32, 32)), TensorArg((64,))),
    notes=(
        "With several weights gradWeight has one dimension, whatever the shape of weight; the "
        "document says that it has that of weight.",
        "Where self is empty, gradWeight is not written.",
    ),
)
