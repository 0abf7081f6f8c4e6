# SPDX-License-Identifier: Apache-2.0
"""Group norm and its gradient."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

from aclhost.ops.norm.build import (
    EPSILON,
    FLOATS,
    MASK,
    MASKS,
    NEWER,
    TABLE,
    elements_are,
    float_or_same,
    gradient_out,
    if_given,
    mask_checks,
    mask_param,
    masked,
    wanted,
)
from aclhost.ops.norm.group_goldens import (
    golden,
    golden_gradient,
    terms,
    torch_gradient,
    torch_norm,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.formats import HWCN, NDHWC, NHWC
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Int, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    Rule,
    at_least,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    not_private,
    on_products,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    same_format,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, ShapeIf, ShapeOf
from aclhost.spec.status import Status
from aclhost.spec.terms import (
    AtMost,
    Const,
    DimOf,
    Divided,
    ElementsFrom,
    Equal,
    FormatOf,
    In,
    Not,
    Present,
    ProductIn,
    RealIs,
    Term,
    Times,
    ValueOf,
    const,
)

_N, _C, _PIXELS, _GROUP = (ValueOf(name) for name in ("N", "C", "HxW", "group"))
_ALL = Times(Times(_N, _C), _PIXELS)
_STATISTICS = Lengths((_N, _GROUP))
_CHANNELS = Lengths((_C,))
_NOT_950 = Condition(Not(ProductIn((A950,))), f"the product is not {A950}")
_SUMS = "Sums are added in an order that follows from the shape."


def _integers() -> tuple[Int, ...]:
    return (
        Int("N", "Images."),
        Int("C", "Channels of an image."),
        Int("HxW", "Pixels of a channel."),
        Int("group", "Groups of channels that are normalised together."),
    )


def _groups(shape: tuple[int, ...], group: int) -> tuple[int, int, int]:
    return shape[0], group, math.prod(shape[1:]) // group


def _number(id: str, parameter: str, holds: Term, text: str, advice: str) -> tuple[Rule, ...]:
    return requires(id, parameter, holds, text, (Shown("integer", ValueOf(parameter)),), advice)


_DIVIDES = _number(
    "divides", "C", Equal(Times(Divided(_C, _GROUP), _GROUP), _C), "C must be a multiple of group",
    "Choose another number of groups.",
)  # fmt: skip
_LIMITS = when(
    on_products(A2, A3),
    _number("at_most", "C", AtMost(Divided(_C, _GROUP), Const(8000)),
            "C must be at most 8000 times group", "Use more groups."),
)  # fmt: skip


def _length_is(parameter: str, length: Term, words: str) -> tuple[Rule, ...]:
    return requires(
        "length_is", parameter, Equal(ValueOf(parameter), length), f"{parameter} must be {words}",
        (Shown("integer", ValueOf(parameter)), " for ", Shown("shape", ShapeOf("self"))),
        f"Pass {words}.",
    )  # fmt: skip


def _forward_call(shape: tuple[int, ...], group: int, dtype: DataType, given: bool = True) -> Call:
    parameter = TensorArg(shape[1:2], dtype) if given else None
    return Call(
        {
            "self": TensorArg(shape, dtype),
            "gamma": parameter,
            "beta": parameter,
            "N": shape[0],
            "C": shape[1],
            "HxW": math.prod(shape[2:]),
            "group": group,
            "eps": EPSILON,
            "out": TensorArg(shape, dtype),
            "meanOut": TensorArg((shape[0], group), dtype),
            "rstdOut": TensorArg((shape[0], group), dtype),
        }
    )


def _backward_call(
    shape: tuple[int, ...], group: int, dtype: DataType, given: bool = True,
    mask: tuple[bool, ...] = (True, True, True),
) -> Call:  # fmt: skip
    statistics, parameter = TensorArg((shape[0], group), dtype), TensorArg(shape[1:2], dtype)
    outputs = masked(mask, TensorArg(shape, dtype), parameter, parameter)
    return Call(
        {
            "gradOut": TensorArg(shape, dtype),
            "input": TensorArg(shape, dtype),
            "mean": replace(statistics, span=(-1.0, 1.0)),
            "rstd": replace(statistics, span=(0.5, 1.5)),
            "gamma": parameter if given else None,
            "N": shape[0],
            "C": shape[1],
            "HxW": math.prod(shape[2:]),
            "group": group,
            MASK: mask,
            "gradInput": outputs[0],
            "gradGammaOut": outputs[1],
            "gradBetaOut": outputs[2],
        }
    )


def drawn_images(rng: Random) -> tuple[tuple[int, ...], int]:
    """A shape and a number of groups."""
    shape = rng.choice(((2, 6), (3, 4, 5), (2, 6, 3, 4), (1, 4, 40, 30), (2, 2, 2, 3, 4), (40, 8)))
    return shape, rng.choice([g for g in (1, 2, 3, 4, 6, 8) if shape[1] % g == 0])


def images(elements: int) -> tuple[int, ...]:
    """64 channels of so many elements in all."""
    pixels = 49 if elements < 1_000_000 else 3136
    return max(elements // (64 * pixels), 1), 64, pixels


FORWARD = Operator(
    "aclnnGroupNorm",
    summary="Norm of groups of an image's channels: mean 0 and variance 1, scaled and shifted.",
    formula="`rstd = 1 / sqrt(mean((self - mean)^2) + eps)` for each group of an image's "
    "channels, `out = (self - mean) * rstd * gamma + beta` with gamma and beta of the channel",
    params=(
        TensorIn("self", "Images: N, C, and their pixels."),
        TensorIn("gamma", "Factor for each channel; 1 if it is left out.", optional=True),
        TensorIn("beta", "What is added to each channel; 0 if it is left out.", optional=True),
        *_integers(),
        Double("eps", "Added to the variance.", EPSILON),
        TensorOut("out", "Result.", like="self"),
        TensorOut("meanOut", "Mean of each group.", like="self", shape=_STATISTICS),
        TensorOut("rstdOut", "Inverse of each group's deviation.", like="self", shape=_STATISTICS),
    ),
    checks=(
        not_null("self", "out", "meanOut", "rstdOut"),
        dtype_in("self", *TABLE),
        *(if_given(name, same_dtype(name, "self")) for name in ("gamma", "beta")),
        *(same_dtype(name, "self") for name in ("out", "meanOut", "rstdOut")),
        at_least("group", 1), _DIVIDES,
        requires("positive", "eps", RealIs("eps", ">", 0.0), "eps must be greater than 0",
                 (Shown("real", "eps"),), "Pass a small positive number."),
        rank_at_least("self", 2), rank_at_most("self", 8), same_shape("out", "self"),
        *(shape_is(name, _STATISTICS, "[N, group]") for name in ("meanOut", "rstdOut")),
        _length_is("N", DimOf("self", const(0)), "the first dimension of self"),
        _length_is("C", DimOf("self", const(1)), "the second dimension of self"),
        _length_is("HxW", ElementsFrom("self", const(2)), "the product of self's other dimensions"),
        *(if_given(name, shape_is(name, _CHANNELS, "[C]")) for name in ("gamma", "beta")),
        same_format("out", "self"), not_private("self"),
        requires("format_in", "self", Not(In(FormatOf("self"), (NHWC, HWCN, NDHWC))),
                 "self must not have its channels last", (Shown("format", FormatOf("self")),),
                 "Use ND, NCL, NCHW or NCDHW."),
        supported_on(*NEWER, P310P, T910),
        inside_storage("self", "gamma", "beta"),
    ),
    golden=golden,
    reference=torch_norm,
    ulps=8,
    ulps_from=1.0,
    draw=lambda rng: _forward_call(*drawn_images(rng), rng.choice(FLOATS), rng.random() < 0.7),
    typical=lambda n: _forward_call(images(n), 8, FLOAT),
    samples=(
        _forward_call((2, 4, 3), 2, FLOAT), _forward_call((2, 4, 3, 2), 4, FLOAT16),
        _forward_call((2, 6), 3, BF16), _forward_call((2, 4, 3), 1, FLOAT, given=False),
    ),
    formats="NHWC, HWCN, NDHWC and private labels are refused.",
    notes=(_SUMS, "Of groups without elements the mean is 0 and the inverse deviation NaN."),
)  # fmt: skip

_GRADIENTS = ("gradInput", "gradGammaOut", "gradBetaOut")
_GAMMA_SHAPE = ShapeIf(Present("gamma"), ShapeOf("gamma"), _CHANNELS)

BACKWARD = Operator(
    "aclnnGroupNormBackward",
    summary="Gradients of the group norm.",
    formula="With `xhat = (input - mean) * rstd` and `g = gradOut * gamma`: "
    "`gradInput = rstd * (g - mean(g) - xhat * mean(g * xhat))` for each group, "
    "`gradGamma = sum(gradOut * xhat)` and `gradBeta = sum(gradOut)` for each channel",
    params=(
        TensorIn("gradOut", "Gradient of the result."),
        TensorIn("input", "The forward's input."),
        TensorIn("mean", "Mean of each group."),
        TensorIn("rstd", "Inverse of each group's deviation."),
        TensorIn("gamma", "Factor for each channel; 1 if it is left out.", optional=True),
        *_integers(),
        mask_param(),
        gradient_out("gradInput", "Gradient of input.", 0, "input"),
        gradient_out("gradGammaOut", "Gradient of gamma.", 1, "mean", _GAMMA_SHAPE),
        gradient_out("gradBetaOut", "Gradient of beta.", 2, "mean", _GAMMA_SHAPE),
    ),
    checks=(
        not_null("gradOut", "input", "mean", "rstd"),
        tuple(rule.with_code(Status.PARAM_INVALID)
              for rule in (*not_null(MASK), *mask_checks(*_GRADIENTS))),
        dtype_in("gradOut", *TABLE), same_dtype("input", "gradOut"),
        when(_NOT_950, same_dtype("mean", "gradOut")),
        when(on_products(A950), float_or_same("mean", "gradOut")),
        same_dtype("rstd", "mean"), if_given("gamma", same_dtype("gamma", "mean")),
        when(wanted(0), same_dtype("gradInput", "gradOut")),
        when(wanted(1), same_dtype("gradGammaOut", "mean")),
        when(wanted(2), same_dtype("gradBetaOut", "mean")),
        at_least("group", 1), _DIVIDES, _LIMITS, at_least("C", 0),
        rank_at_most("gradOut", 8),
        elements_are("gradOut", _ALL, "N * C * HxW elements"),
        elements_are("input", _ALL, "N * C * HxW elements"),
        elements_are("mean", Times(_N, _GROUP), "N * group elements"),
        elements_are("rstd", Times(_N, _GROUP), "N * group elements"),
        if_given("gamma", elements_are("gamma", _C, "C elements")),
        when(wanted(0), same_shape("gradInput", "input")),
        when(wanted(1), shape_is("gradGammaOut", _GAMMA_SHAPE, "of gamma")),
        when(wanted(2), shape_is("gradBetaOut", _GAMMA_SHAPE, "of gamma")),
        done_when_empty("gradOut", "input", unless=on_products(A950)),
        supported_on(*NEWER, T910),
        inside_storage("gradOut", "input", "mean", "rstd", "gamma"),
    ),
    golden=golden_gradient,
    terms=terms,
    summed=("gradOut", "input", "mean", "gamma"),
    reference=torch_gradient,
    ulps=8,
    gradient=Gradient(
        "aclnnGroupNorm",
        {"gradInput": "self", "gradGammaOut": "gamma", "gradBetaOut": "beta"},
        {"gradOut": "out"},
        saved={"input": "self", "mean": "meanOut", "rstd": "rstdOut"},
        derived={MASK: lambda known: (
            True, known["gamma"] is not None, known["beta"] is not None)},
    ),
    draw=lambda rng: _backward_call(
        *drawn_images(rng), rng.choice(FLOATS), rng.random() < 0.7, rng.choice(MASKS)
    ),
    typical=lambda n: _backward_call(images(n), 8, FLOAT),
    samples=(
        _backward_call((2, 4, 3), 2, FLOAT),
        _backward_call((2, 4, 3, 2), 4, FLOAT16, mask=(True, False, True)),
        _backward_call((2, 6), 3, BF16),
        _backward_call((2, 4, 3), 1, FLOAT, given=False, mask=(False, True, False)),
    ),
    notes=(
        _SUMS,
        "Upstream refuses more than 240000 channels on Atlas A2 and A3; aclhost does not.",
    ),
)  # fmt: skip

OPS = (FORWARD, BACKWARD)
