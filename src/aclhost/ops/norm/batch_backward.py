# SPDX-License-Identifier: Apache-2.0
"""The gradient of batch norm."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.norm.batch import (
    CHANNELS,
    INPUT,
    IS_950,
    LABELS,
    OF_CHANNELS,
    SUMS,
    WEIGHT,
    channels_second,
    pixels_of,
    ranks,
)
from aclhost.ops.norm.build import (
    EPSILON,
    FLOATS,
    MASK,
    MASKS,
    NEWER,
    TABLE,
    float_or_same,
    gradient_out,
    if_given,
    mask_param,
    masked,
    only_wanted,
    wanted,
)
from aclhost.ops.norm.group import drawn_images, images
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.formats import of_rank
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Flag, TensorIn
from aclhost.spec.products import A950, T910
from aclhost.spec.rules import (
    Condition,
    Rule,
    done_when_empty,
    dtype_in,
    fits_shape,
    inner,
    inside_storage,
    not_null,
    not_private,
    requires,
    same_dtype,
    same_format,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.status import Status
from aclhost.spec.terms import AtMost, Const, LengthOf, ProductIn, all_of, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Torch = Any


def _parts(
    grad_out: Array, input: Array, weight: Array | None, mean: Array, rstd: Array, training: bool,
    sign: int,
) -> tuple[Array, ...]:  # fmt: skip
    dy, x, rstd = pixels_of(grad_out), pixels_of(input), rstd[None, :, None]
    xhat = (x + sign * mean[None, :, None]) * rstd
    factor = rstd if weight is None else rstd * weight[None, :, None]
    steady = dy.mean((0, 2), keepdims=True)
    sloping = xhat * (dy * xhat).mean((0, 2), keepdims=True)
    of_x = factor * (dy + sign * steady + sign * sloping) if training else factor * dy
    return of_x.reshape(input.shape), (dy * xhat).sum((0, 2)), dy.sum((0, 2))


def _statistics(
    training: bool, eps: float, running: tuple[Array, Array], saved: tuple[Array, Array]
) -> tuple[Array, Array]:
    import numpy as np

    return saved if training else (running[0], 1 / np.sqrt(running[1] + eps))


def golden_gradient(
    grad_out: Array, input: Array, weight: Array | None, running_mean: Array, running_var: Array,
    save_mean: Array, save_invstd: Array, training: bool, eps: float,
    output_mask: tuple[bool, ...],
) -> tuple[Array | None, ...]:  # fmt: skip
    """Of the input, and sums for weight and bias."""
    mean, rstd = _statistics(training, eps, (running_mean, running_var), (save_mean, save_invstd))
    return only_wanted(output_mask, *_parts(grad_out, input, weight, mean, rstd, training, -1))


def _terms(
    grad_out: Array, input: Array, weight: Array | None, running_mean: Array, running_var: Array,
    save_mean: Array, save_invstd: Array, training: bool, eps: float,
    output_mask: tuple[bool, ...],
) -> tuple[Array | None, ...]:  # fmt: skip
    """As large as what is subtracted; all arrays are magnitudes."""
    mean, rstd = _statistics(training, eps, (running_mean, running_var), (save_mean, save_invstd))
    return only_wanted(output_mask, *_parts(grad_out, input, weight, mean, rstd, training, 1))


def _torch_gradient(
    torch: Torch, grad_out: Torch, input: Torch, weight: Torch, running_mean: Torch,
    running_var: Torch, save_mean: Torch, save_invstd: Torch, training: bool, eps: float,
    output_mask: tuple[bool, ...],
) -> Torch:  # fmt: skip
    found = torch.ops.aten.native_batch_norm_backward(
        grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, training, eps,
        list(output_mask),
    )  # fmt: skip
    return tuple(each for each, flag in zip(found, output_mask, strict=True) if flag)


def _backward_call(
    shape: tuple[int, ...], training: bool, dtype: DataType, given: bool = True,
    mask: tuple[bool, ...] = (True, True, True),
) -> Call:  # fmt: skip
    label, channel = of_rank(len(shape)), TensorArg(shape[1:2])
    tensor = TensorArg(shape, dtype, format=label)
    outputs = masked(mask, tensor, channel, channel)
    return Call(
        {
            "gradOut": tensor,
            "input": tensor,
            "weight": channel if given else None,
            "runningMean": TensorArg(shape[1:2], span=(-1.0, 1.0)),
            "runningVar": TensorArg(shape[1:2], span=(0.5, 2.0)),
            "saveMean": TensorArg(shape[1:2], span=(-1.0, 1.0)),
            "saveInvstd": TensorArg(shape[1:2], span=(0.5, 1.5)),
            "training": training,
            "eps": EPSILON,
            MASK: mask,
            "gradInput": outputs[0],
            "gradWeight": outputs[1],
            "gradBias": outputs[2],
        }
    )


def _draw_backward(rng: Random) -> Call:
    (shape, _), dtype = drawn_images(rng), rng.choice(FLOATS)
    training, given = rng.random() < 0.6, rng.random() < 0.7
    return _backward_call(shape, training, dtype, given, rng.choice(MASKS))


_OUTPUTS = ("gradInput", "gradWeight", "gradBias")
_OTHERS = ("weight", "runningMean", "runningVar", "saveMean", "saveInvstd")


def _as_null(*groups: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Upstream calls it a null pointer."""
    return tuple(rule.with_code(Status.PARAM_NULLPTR) for group in groups for rule in group)


def _mask_length(least: int) -> tuple[Rule, ...]:
    length = LengthOf(MASK)
    return _as_null(requires(
        "mask_length", MASK, AtMost(Const(least), length),
        f"{MASK} must have at least {least} values", (Shown("integer", length), " values"),
        "Pass one bool for each gradient.",
    ))  # fmt: skip


BACKWARD = Operator(
    "aclnnBatchNormBackward",
    summary="Gradients of the batch norm.",
    formula="With the mean and `rstd` of a channel, `xhat = (input - mean) * rstd`: "
    "`gradInput = rstd * weight * (gradOut - mean(gradOut) - xhat * mean(gradOut * xhat))`, or, "
    "if it is not training, `rstd * weight * gradOut`; `gradWeight = sum(gradOut * xhat)`, "
    "`gradBias = sum(gradOut)`. Training takes saveMean and saveInvstd, else runningMean and "
    "`1 / sqrt(runningVar + eps)`.",
    params=(
        TensorIn("gradOut", "Gradient of the result."), INPUT, WEIGHT,
        TensorIn("runningMean", "Running mean; 0 if it is left out.", optional=True),
        TensorIn("runningVar", "Running variance; 1 if it is left out.", optional=True),
        TensorIn("saveMean", "Mean of each channel; 0 if it is left out.", optional=True),
        TensorIn("saveInvstd", "Inverse deviation; 1 if it is left out.", optional=True),
        Flag("training", "Whether statistics are those of the batch.", default=True),
        Double("eps", "Added to the variance.", EPSILON),
        mask_param(),
        gradient_out("gradInput", "Gradient of input.", 0, "input"),
        gradient_out("gradWeight", "Gradient of weight.", 1, "input", CHANNELS, const(FLOAT)),
        gradient_out("gradBias", "Gradient of bias.", 2, "input", CHANNELS, const(FLOAT)),
    ),
    checks=(
        not_null("gradOut", "input"), done_when_empty("input", "gradOut"),
        not_null(MASK), _mask_length(1), when(IS_950, _mask_length(3)),
        *(when(wanted(i), not_null(name)) for i, name in enumerate(_OUTPUTS)),
        dtype_in("gradOut", *TABLE), dtype_in("input", *TABLE), same_dtype("input", "gradOut"),
        *(when(wanted(i), dtype_in(name, *TABLE)) for i, name in enumerate(_OUTPUTS)),
        *(if_given(name, dtype_in(name, *TABLE)) for name in _OTHERS),
        *(when(Condition(all_of(ProductIn((A950,)), each.condition.term),
                         f"the product is {A950} and {each.condition.english}"), (each,))
          for name in _OTHERS for each in if_given(name, float_or_same(name, "gradOut"))
          if each.condition is not None),
        same_format("gradOut", "input"), when(wanted(0), same_format("gradInput", "gradOut")),
        not_private("gradOut"),
        ranks("input"), ranks("gradOut"), same_shape("gradOut", "input"),
        when(wanted(0), same_shape("gradInput", "gradOut")),
        *(if_given(name, shape_is(name, CHANNELS, OF_CHANNELS))
          for name in ("weight", "runningMean", "runningVar")),
        supported_on(*NEWER, T910),
        inner(
            *(if_given(name, fits_shape(name, CHANNELS, OF_CHANNELS))
              for name in ("saveMean", "saveInvstd")),
            *(when(wanted(i), fits_shape(name, CHANNELS, OF_CHANNELS))
              for i, name in ((1, "gradWeight"), (2, "gradBias"))),
            when(wanted(0), same_dtype("gradInput", "gradOut")),
        ),
        channels_second("input"),
        inside_storage("gradOut", "input", *_OTHERS),
    ),
    golden=golden_gradient,
    terms=_terms,
    summed=("gradOut", "input", "weight", "runningMean", "saveMean"),
    reference=_torch_gradient,
    ulps=8,
    labelled=True,
    gradient=Gradient(
        "aclnnBatchNorm",
        {"gradInput": "input", "gradWeight": "weight", "gradBias": "bias"},
        {"gradOut": "output"},
        derived={MASK: lambda known: (
            True, known["weight"] is not None, known["bias"] is not None)},
    ),
    draw=_draw_backward,
    typical=lambda n: _backward_call(images(n), True, FLOAT),
    samples=(
        _backward_call((3, 2, 4), True, FLOAT),
        _backward_call((2, 3, 2, 2), False, FLOAT16, mask=(True, False, True)),
        _backward_call((4, 3), True, BF16, given=False),
        _backward_call((2, 2, 2, 3, 2), True, FLOAT, mask=(False, True, False)),
    ),
    formats="Private labels are refused.",
    notes=(SUMS, LABELS, "Upstream does not compare the saved statistics' shapes with input's; "
           "aclhost does."),
)  # fmt: skip

OPS = (BACKWARD,)
