# SPDX-License-Identifier: Apache-2.0
"""aclnnConvDepthwise2d."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.convolution.build import (
    CUBE,
    FLOATS,
    NOTES,
    ONE,
    WITH_BIAS,
    ZERO,
    about_shapes,
    array,
    cube_math_type,
    every_axis,
    is_multiple,
    item,
    length,
    result_empty,
    room,
    under,
    window_count,
)
from aclhost.ops.convolution.calls import Layer, layer
from aclhost.ops.convolution.goldens import convolved, map_lengths, torch_convolution
from aclhost.spec.call import Call
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, HIFLOAT8
from aclhost.spec.formats import NCHW
from aclhost.spec.operator import Operator
from aclhost.spec.params import IntArray, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, ALL, P310P
from aclhost.spec.rules import (
    Condition,
    Rule,
    all_positive,
    done_when_empty,
    dtype_in,
    format_in,
    has_elements,
    inside_storage,
    length_in,
    not_null,
    only_on,
    rank_in,
    requires,
    same_dtype,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import And, AtMost, DimOf, DtypeOf, Equal, In, Not, Or, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Rules = tuple[Rule, ...]
Torch = Any
BIAS = (FLOAT, FLOAT16, only_on(BF16, *(product for product in ALL if product is not P310P)))
LISTED = (*FLOATS, only_on(HIFLOAT8, A950))
_OUT = Lengths(
    (DimOf("self", ZERO), DimOf("weight", ZERO), *(window_count("self", axis) for axis in (0, 1)))
)


def _golden(
    self: Array, weight: Array, kernel_size: Ints, bias: Array | None, stride: Ints, padding: Ints,
    dilation: Ints, cube_math_type: int,
) -> Array:  # fmt: skip
    groups = max(self.shape[1], 1)
    window = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    lengths = map_lengths(self.shape[2:], kernel_size, window)
    found = convolved(self, weight, lengths, window)
    return found if bias is None else found + bias.reshape(-1, 1, 1)


def _torch(
    torch: Torch, self: Torch, weight: Torch, kernel_size: Ints, bias: Torch, cube_math_type: int,
    **window: Torch,
) -> Torch:  # fmt: skip
    return torch_convolution(torch, self, weight, bias, {**window, "groups": self.shape[1]}, None)


def _dtypes() -> Rules:
    other = Condition(
        And(WITH_BIAS.term, Not(Equal(DtypeOf("self"), const(HIFLOAT8)))),
        "bias is given and self is not HIFLOAT8",
    )
    return (
        *when(WITH_BIAS, dtype_in("bias", *BIAS)),
        *when(other, same_dtype("bias", "self")),
        *dtype_in("self", *LISTED),
        *dtype_in("weight", *LISTED),
        *dtype_in("out", *LISTED),
        *same_dtype("weight", "self"),
        *same_dtype("out", "weight"),
    )


def _channels() -> Rules:
    rows, channels = DimOf("weight", ZERO), DimOf("self", ONE)
    return (
        *about_shapes("one_channel", "weight", In(DimOf("weight", ONE), (0, 1)),
                      "the second dimension of weight must be 1", "weight"),
        *about_shapes("whole_channels", "weight",
                      Or(Equal(channels, ZERO), is_multiple(rows, channels)),
                      "rows of weight must be a multiple of self's channels", "weight", "self"),
        *when(WITH_BIAS, about_shapes("channels", "bias", Equal(DimOf("bias", ZERO), rows),
                                      "bias must have as many elements as weight has rows",
                                      "bias", "weight")),
    )  # fmt: skip


def _values() -> Rules:
    some = has_elements("self")
    return (
        *about_shapes("kernel_positive", "weight",
                      every_axis("weight", lambda axis: AtMost(ONE, length("weight", axis))),
                      "the kernel must have elements along every axis", "weight"),
        *all_positive("stride"),
        *all_positive("dilation"),
        *when(some, about_shapes("window_fits", "self",
                                 every_axis("self", lambda axis: AtMost(ZERO, room("self", axis))),
                                 "self with its padding must be as long as the dilated kernel",
                                 "self", "weight")),
        *_channels(),
    )  # fmt: skip


def _kernel_size() -> Rules:
    fits = And(*(Equal(item("kernelSize", axis), length("weight", axis)) for axis in (0, 1)))
    return (
        *not_null("kernelSize"),
        *requires(
            "kernel_size", "kernelSize", fits,
            "kernelSize must be the last two dimensions of weight",
            (Shown("array", "kernelSize"),), "Pass height and width of the kernel.",
        ),
    )  # fmt: skip


def _call(of: Layer, *, bias: bool = True) -> Call:
    arrays = {name: of.arrays[name] for name in ("stride", "padding", "dilation")}
    return Call({
        "self": of.tensor(of.input),
        "weight": of.tensor(of.weight),
        "kernelSize": of.weight[2:],
        "bias": of.tensor((of.channels,)) if bias else None,
        **arrays,
        "out": of.tensor(of.output),
        "cubeMathType": 1,
    })  # fmt: skip


def _draw(rng: Random) -> Call:
    channels, several = rng.randint(1, 5), rng.choice((1, 1, 2, 6))
    kernel, stride, dilation, padding = (
        (rng.randint(least, most), rng.randint(least, most))
        for least, most in ((1, 4), (1, 3), (1, 2), (0, 1))
    )
    lengths = ((k - 1) * gap + rng.randint(1, 6) for k, gap in zip(kernel, dilation, strict=True))
    of = Layer(
        (rng.randint(1, 3), channels, *lengths), (channels * several, 1, *kernel), stride, padding,
        dilation, channels, dtype=rng.choice((FLOAT, FLOAT16, BF16)),
    )  # fmt: skip
    return _call(of, bias=rng.random() < 0.5)


def _typical(n: int) -> Call:
    side = max(round((n / 32) ** 0.5), 1)
    return _call(layer((1, 32, side, side), (32, 1, 3, 3), padding=1, groups=32))


OP = Operator(
    "aclnnConvDepthwise2d",
    summary="Convolution along two axes of every channel by itself.",
    formula=(
        "`out[n, m, p] = bias[m] + sum over k of self[n, m / times, p * stride - padding + "
        "k * dilation] * weight[m, 0, k]`, where weight has `times` rows for each channel of self: "
        "aclnnConvolution with as many groups as self has channels."
    ),
    params=(
        TensorIn("self", "N, C, H, W."),
        TensorIn("weight", "A multiple of C, 1, height and width of the kernel."),
        IntArray("kernelSize", "Height and width of the kernel.", length=2),
        TensorIn("bias", "One value for each channel of out.", optional=True),
        array("stride", "Distance of windows", 1),
        array("padding", "Zeros at both ends of each axis", 0),
        array("dilation", "Distance of the kernel's elements", 1),
        TensorOut("out", "N, channels and axes.", shape=_OUT, dtype=DtypeOf("self")),
        CUBE,
    ),
    checks=(
        not_null("self", "weight", "stride", "padding", "dilation", "out"),
        _dtypes(),
        *(rank_in(name, 4) for name in ("self", "weight", "out")),
        when(WITH_BIAS, rank_in("bias", 1)),
        *(length_in(name, 2) for name in ("stride", "dilation", "padding")),
        *(format_in(name, NCHW) for name in ("self", "weight", "out")),
        _values(),
        shape_is("out", _OUT, "of all windows"),
        result_empty("out", "self"),
        cube_math_type(4, "self", "weight"),
        _kernel_size(),
        done_when_empty("self", "weight", "out"),
        supported_on(A950, A3, A2),
        inside_storage("self", "weight"),
        under(WITH_BIAS, inside_storage("bias")),
    ),
    samples=(
        _call(layer((2, 3, 4, 5), (3, 1, 3, 2), padding=1, groups=3)),
        _call(layer((1, 2, 5, 6), (4, 1, 2, 3), stride=2, groups=2, dtype=FLOAT16), bias=False),
        _call(layer((1, 2, 5, 6), (2, 1, 2, 2), dilation=2, groups=2, dtype=BF16)),
        _call(layer((0, 2, 5, 6), (2, 1, 2, 2), groups=2), bias=False),
    ),
    golden=_golden,
    reference=_torch,
    summed=("self", "weight", "bias"),
    ulps=4,
    draw=_draw,
    typical=_typical,
    labelled=True,
    formats="NCHW; bias any.",
    notes=NOTES,
)  # fmt: skip
