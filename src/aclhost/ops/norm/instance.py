# SPDX-License-Identifier: Apache-2.0
"""Instance norm."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.norm.build import EPSILON, any_infinite, channel_goldens
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import FLOAT, FLOAT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, TensorIn, TensorOut, Text
from aclhost.spec.products import P310P
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    fits_shape,
    inner,
    inside_storage,
    not_null,
    rank_at_most,
    rank_in,
    refused_unless_on,
    requires,
    same_dtype,
    shape_is,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, ShapeIf, ShapeOf
from aclhost.spec.terms import DimOf, If, TextStarts, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any

_IS_LAST = TextStarts("dataFormat", ("NHWC",))
_N = DimOf("x", const(0))
_C = If(_IS_LAST, DimOf("x", const(3)), DimOf("x", const(1)))
_CHANNELS = Lengths((_C,))
_ONE = const(1)
_STATISTICS = ShapeIf(
    _IS_LAST, Lengths((_N, _ONE, _ONE, _C)), Lengths((_N, _C, _ONE, _ONE))
)  # fmt: skip
_OTHERS = ("gamma", "beta", "y", "mean", "variance")


def golden(x: Array, gamma: Array, beta: Array, data_format: str, eps: float) -> tuple[Array, ...]:
    """Each channel of each image with mean 0 and variance 1, scaled and shifted."""
    import numpy as np

    last = data_format.startswith("NHWC")
    axes = (1, 2) if last else (2, 3)
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    xhat = (x - mean) / np.sqrt(variance + eps)
    images = np.moveaxis(xhat, 3, 1) if last else xhat
    y = channel_goldens(images.reshape(*images.shape[:2], -1), gamma, beta).reshape(images.shape)
    return np.moveaxis(y, 1, 3) if last else y, mean, variance


def _torch(
    torch: Torch, x: Torch, gamma: Torch, beta: Torch, data_format: str, eps: float
) -> Torch:
    if any_infinite(x, gamma):
        return NotImplemented
    last = data_format.startswith("NHWC")
    images, axes = (x.movedim(3, 1), (1, 2)) if last else (x, (2, 3))
    y = torch.nn.functional.batch_norm(
        images.reshape(1, -1, *images.shape[2:]), None, None, gamma.repeat(len(x)),
        beta.repeat(len(x)), training=True, eps=eps,
    ).reshape(images.shape)  # fmt: skip
    variance = x.var(axes, keepdim=True, correction=0)
    return y.movedim(1, 3) if last else y, x.mean(axes, keepdim=True), variance


def _call(shape: tuple[int, ...], dtype: DataType, data_format: str) -> Call:
    n, c, height, width = shape
    last = data_format.startswith("NHWC")
    images = TensorArg((n, height, width, c) if last else shape, dtype)
    statistics = TensorArg((n, 1, 1, c) if last else (n, c, 1, 1), dtype)
    return Call(
        {
            "x": images,
            "gamma": TensorArg((c,), dtype),
            "beta": TensorArg((c,), dtype),
            "dataFormat": data_format,
            "eps": EPSILON,
            "y": images,
            "mean": statistics,
            "variance": statistics,
        },
        P310P,
    )


def _draw(rng: Random) -> Call:
    shape = rng.choice(((2, 3, 4, 5), (1, 2, 20, 30), (3, 1, 2, 2), (2, 9, 1, 7)))
    return _call(shape, rng.choice((FLOAT, FLOAT16)), rng.choice(("NCHW", "NHWC")))


OP = Operator(
    "aclnnInstanceNorm",
    summary="Norm of each channel of each image: mean 0 and variance 1, then scaled and shifted.",
    formula="`y = (x - mean) / sqrt(variance + eps) * gamma + beta` for each channel of an image",
    params=(
        TensorIn("x", "Images."),
        TensorIn("gamma", "Factor for each channel."),
        TensorIn("beta", "What is added to each channel."),
        Text("dataFormat", "NCHW, or NHWC where channels come last.", default="NCHW",
             is_const=True),
        Double("eps", "Added to the variance.", EPSILON),
        TensorOut("y", "Result.", like="x"),
        TensorOut("mean", "Mean of each channel.", like="x", shape=_STATISTICS),
        TensorOut("variance", "Variance of each channel.", like="x", shape=_STATISTICS),
    ),
    checks=(
        not_null("x", *_OTHERS, "dataFormat"),
        requires("one_of", "dataFormat", TextStarts("dataFormat", ("NHWC", "NCHW")),
                 "dataFormat must be NHWC or NCHW", (Shown("text", "dataFormat"),),
                 "Pass one of these."),
        dtype_in("x", FLOAT, FLOAT16), *(same_dtype(name, "x") for name in _OTHERS),
        rank_at_most("x", 8), refused_unless_on(P310P),
        rank_in("x", 4), rank_in("gamma", 1), rank_in("beta", 1),
        shape_is("gamma", _CHANNELS, "of the channels of x"),
        done_when_empty("x", *_OTHERS),
        inner(
            shape_is("beta", _CHANNELS, "of the channels of x"),
            fits_shape("y", ShapeOf("x"), "of x"),
            *(fits_shape(name, _STATISTICS, "of x with 1 for height and width")
              for name in ("mean", "variance")),
        ),
        inside_storage("x", "gamma", "beta"),
    ),
    golden=golden,
    reference=_torch,
    ulps=8,
    ulps_from=1.0,
    draw=_draw,
    typical=lambda n: _call((max(n // 8192, 1), 8, 32, 32), FLOAT, "NCHW"),
    samples=(
        _call((2, 3, 2, 2), FLOAT, "NCHW"), _call((2, 3, 2, 4), FLOAT16, "NHWC"),
        _call((1, 2, 3, 3), FLOAT, "NHWC"),
    ),
    notes=("Sums are added in an order that follows from the shape.",),
)  # fmt: skip
