# SPDX-License-Identifier: Apache-2.0
"""Batch norm."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.norm.build import (
    EPSILON,
    FLOATS,
    NEWER,
    any_infinite,
    channel_goldens,
    if_given,
    parameter_dtype,
    unless_empty,
)
from aclhost.ops.norm.group import drawn_images, images
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.formats import NCDHW, NDHWC, NHWC, of_rank
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Flag, TensorIn, TensorInOut, TensorOut
from aclhost.spec.products import A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    Rule,
    dtype_in,
    format_in,
    inner,
    inside_storage,
    is_set,
    not_null,
    not_private,
    on_products,
    only_on,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    same_format,
    same_shape,
    shape_is,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import (
    Const,
    DimOf,
    Equal,
    FormatOf,
    In,
    Not,
    ProductIn,
    RankOf,
    ValueOf,
    all_of,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any

_OLDER = (*NEWER, P310P, T910)
_TABLE = (only_on(FLOAT, *_OLDER), only_on(FLOAT16, *_OLDER), only_on(BF16, *NEWER))
CHANNELS = Lengths((DimOf("input", const(1)),))
OF_CHANNELS = "of one dimension, the channels of input"
_PARAMETERS = ("weight", "bias", "runningMean", "runningVar")
_TRAINING = is_set("training")
IS_950 = on_products(A950)
SUMS = "Sums are added in an order that follows from the shape."
LABELS = "Upstream reads labels of channels that come last on the Ascend 950; aclhost refuses them."
_FORMATS = "Of five dimensions only NCDHW; private labels are refused."


def pixels_of(x: Array) -> Array:
    """Images, channels, pixels."""
    return x.reshape(*x.shape[:2], -1 if x.size else 0)


def golden(
    input: Array, weight: Array | None, bias: Array | None, running_mean: Array | None,
    running_var: Array | None, training: bool, momentum: float, eps: float,
) -> tuple[Array, ...]:  # fmt: skip
    """Channels with mean 0 and variance 1, scaled and shifted; statistics come after them."""
    import numpy as np

    x, channels = pixels_of(input), input.shape[1]
    old_mean = np.zeros(channels) if running_mean is None else running_mean
    old_var = np.ones(channels) if running_var is None else running_var
    if not training:
        rstd = 1 / np.sqrt(old_var + eps)
        xhat = (x - old_mean[None, :, None]) * rstd[None, :, None]
        return old_mean, old_var, channel_goldens(xhat, weight, bias).reshape(input.shape)
    count = x.size // channels
    mean, var = x.mean((0, 2)), x.var((0, 2))
    rstd = 1 / np.sqrt(var + eps)
    xhat = (x - mean[None, :, None]) * rstd[None, :, None]
    unbiased = var * (count / (count - 1) if count > 1 else 0.0)
    return (
        (1 - momentum) * old_mean + momentum * mean,
        (1 - momentum) * old_var + momentum * unbiased,
        channel_goldens(xhat, weight, bias).reshape(input.shape),
        mean,
        rstd,
    )


def _torch_norm(
    torch: Torch, input: Torch, weight: Torch, bias: Torch, running_mean: Torch,
    running_var: Torch, training: bool, momentum: float, eps: float,
) -> Torch:  # fmt: skip
    if input.numel() == input.shape[1]:
        return NotImplemented  # the variance of one value
    if any_infinite(input, weight):
        return NotImplemented
    mean, var = running_mean.clone(), running_var.clone()
    found = torch.native_batch_norm(input, weight, bias, mean, var, training, momentum, eps)
    return (mean, var, *found) if training else (mean, var, found[0])


def _forward_call(
    shape: tuple[int, ...], training: bool, dtype: DataType, parameters: DataType = FLOAT
) -> Call:
    label, channel = of_rank(len(shape)), TensorArg(shape[1:2], parameters)
    saved = TensorArg(shape[1:2], FLOAT) if training else None
    return Call(
        {
            "input": TensorArg(shape, dtype, format=label),
            "weight": channel,
            "bias": channel,
            "runningMean": channel,
            "runningVar": TensorArg(shape[1:2], parameters, span=(0.5, 2.0)),
            "training": training,
            "momentum": 0.1,
            "eps": EPSILON,
            "output": TensorArg(shape, dtype, format=label),
            "saveMean": saved,
            "saveInvstd": saved,
        }
    )


def _draw_forward(rng: Random) -> Call:
    (shape, _), dtype = drawn_images(rng), rng.choice(FLOATS)
    return _forward_call(shape, rng.random() < 0.6, dtype, parameter_dtype(rng, dtype))


def _of_rank_5(name: str) -> tuple[Rule, ...]:
    """Volumes carry their label."""
    is_5 = Equal(RankOf(name), Const(5))
    on_others = Condition(
        all_of(is_5, Not(ProductIn((A950,)))),
        f"{name} has five dimensions and the product is not {A950}",
    )
    on_950 = Condition(
        all_of(is_5, ProductIn((A950,))), f"{name} has five dimensions and the product is {A950}"
    )
    return (*when(on_others, format_in(name, NCDHW)), *when(on_950, format_in(name, NCDHW, NDHWC)))


def channels_second(name: str) -> tuple[Rule, ...]:
    """The label does not say that channels come last."""
    return inner(when(IS_950, requires(
        "format_in", name, Not(In(FormatOf(name), (NHWC, NDHWC))),
        f"{name} must not have its channels last", (Shown("format", FormatOf(name)),),
        "Use ND, NCL, NCHW or NCDHW.",
    )))  # fmt: skip


def ranks(name: str) -> tuple[Rule, ...]:
    """From two to eight dimensions."""
    return (*rank_at_most(name, 8), *rank_at_least(name, 2))


INPUT = TensorIn("input", "Images: N, C, and their pixels.")
WEIGHT = TensorIn("weight", "Factor for each channel; 1 if it is left out.", optional=True)

FORWARD = Operator(
    "aclnnBatchNorm",
    summary="Norm of channels over a batch, or by running statistics; then scaled and shifted.",
    formula="`output = (input - mean) / sqrt(variance + eps) * weight + bias` for each channel; "
    "training takes mean and variance from the batch, moves runningMean and runningVar (with the "
    "unbiased variance) by `momentum` towards them, and saves the mean and the inverse of the "
    "deviation. Else they are runningMean and runningVar.",
    params=(
        INPUT, WEIGHT,
        TensorIn("bias", "What is added to each channel; 0 if it is left out.", optional=True),
        TensorInOut("runningMean", "Running mean; 0 if it is left out.", optional=True),
        TensorInOut("runningVar", "Running variance; 1 if it is left out.", optional=True),
        Flag("training", "Whether statistics are those of the batch.", default=True),
        Double("momentum", "Share of the batch in running statistics.", 0.1),
        Double("eps", "Added to the variance.", EPSILON),
        TensorOut("output", "Result.", like="input"),
        TensorOut("saveMean", "Mean of each channel, if it is training.", shape=CHANNELS,
                  dtype=const(FLOAT), optional=True, made_if=ValueOf("training")),
        TensorOut("saveInvstd", "Inverse of each channel's deviation, if it is training.",
                  shape=CHANNELS, dtype=const(FLOAT), optional=True, made_if=ValueOf("training")),
    ),
    checks=(
        not_null("input", "output"), when(_TRAINING, not_null("saveMean", "saveInvstd")),
        unless_empty(
            "input",
            dtype_in("input", *_TABLE), dtype_in("output", *_TABLE),
            when(_TRAINING, dtype_in("saveMean", *_TABLE), dtype_in("saveInvstd", *_TABLE)),
            *(if_given(name, dtype_in(name, *_TABLE)) for name in _PARAMETERS),
            same_format("output", "input"), _of_rank_5("input"), _of_rank_5("output"),
            not_private("input"), ranks("input"), ranks("output"), same_shape("output", "input"),
            *(if_given(name, shape_is(name, CHANNELS, OF_CHANNELS)) for name in _PARAMETERS),
            when(_TRAINING, *(shape_is(name, CHANNELS, OF_CHANNELS)
                              for name in ("saveMean", "saveInvstd"))),
            inner(same_dtype("output", "input")), channels_second("input"),
        ),
        inside_storage("input", *_PARAMETERS),
    ),
    golden=golden,
    reference=_torch_norm,
    ulps=8,
    ulps_from=1.0,
    labelled=True,
    draw=_draw_forward,
    typical=lambda n: _forward_call(images(n), True, FLOAT),
    samples=(
        _forward_call((3, 2, 4), True, FLOAT), _forward_call((2, 3, 2, 2), False, FLOAT16),
        _forward_call((4, 3), True, BF16), _forward_call((2, 2, 2, 3, 2), True, FLOAT),
    ),
    formats=_FORMATS,
    notes=(SUMS, LABELS, "Without elements saveMean becomes 0 and saveInvstd NaN.",
           "Of a single value the unbiased variance counts as 0."),
)  # fmt: skip

OPS = (FORWARD,)
