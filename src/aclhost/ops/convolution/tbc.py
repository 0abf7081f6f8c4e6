# SPDX-License-Identifier: Apache-2.0
"""Convolutions of sequences with time first, batch, then channels."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.convolution.build import (
    CUBE,
    FLOATS,
    NOTES,
    ONE,
    TWO,
    ZERO,
    about_shapes,
    cube_math_type,
    minus,
    plus,
)
from aclhost.ops.convolution.depthwise import BIAS, LISTED
from aclhost.ops.convolution.goldens import convolved, spread
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.formats import NCL, ND
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, ALL, P310B, T910
from aclhost.spec.rules import (
    Rule,
    at_least,
    done_when_empty,
    dtype_in,
    format_in,
    has_elements,
    inside_storage,
    not_null,
    on_products,
    rank_in,
    refused_unless_on,
    same_dtype,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import AtMost, DimOf, DtypeOf, Empty, Equal, Not, Term, Times, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Rules = tuple[Rule, ...]
Torch = Any
_PAD = Int("pad", "Zeros before and after each sequence.", default=0)
_GRADIENTS = {"gradInput": "input", "gradWeight": "weight", "gradBias": "bias"}


def _time(sequence: str) -> Term:
    """How many windows there are."""
    sides = Times(TWO, ValueOf("pad"))
    return plus(DimOf(sequence, ZERO), sides, ONE, minus(DimOf("weight", ZERO)))


def _shape(sequence: str) -> Lengths:
    return Lengths((_time(sequence), DimOf(sequence, ONE), DimOf("weight", TWO)))


def _golden(self: Array, weight: Array, bias: Array, pad: int, cube_math_type: int) -> Array:
    length = self.shape[0] + 2 * pad + 1 - weight.shape[0]
    found = convolved(self.transpose(1, 2, 0), weight.transpose(2, 1, 0), (length,), _window(pad))
    return found.transpose(2, 0, 1) + bias


def _window(pad: int) -> dict[str, Any]:
    return {"stride": (1,), "padding": (pad,), "dilation": (1,), "groups": 1}


def _golden_backward(
    self: Array, input: Array, weight: Array, bias: Array, pad: int, cube_math_type: int
) -> tuple[Array, Array, Array]:
    map, image, kernel = (
        self.transpose(1, 2, 0),
        input.transpose(1, 2, 0),
        weight.transpose(2, 1, 0),
    )
    window = _window(pad)
    of_image = spread(map, kernel, image.shape[2:], window).transpose(2, 0, 1)
    return of_image, _weighed(input, self, weight.shape, pad), self.sum(axis=(0, 1))


def _weighed(input: Array, slope: Array, kernel: tuple[int, ...], pad: int) -> Array:
    """The gradient of the weight; padding counts as nothing, not as zeros."""
    import numpy as np

    total = np.zeros(kernel)
    for tap in range(kernel[0]):
        first, last = max(pad - tap, 0), min(len(input) + pad - tap, len(slope))
        if first < last:
            met = input[first - pad + tap : last - pad + tap]
            total[tap] = np.einsum("tbi,tbo->io", met, slope[first:last])
    return total


def _on_950() -> Rules:
    return when(
        on_products(A950),
        rank_in("output", 3),
        rank_in("bias", 1),
        about_shapes("channels", "bias", Equal(DimOf("bias", ZERO), DimOf("output", TWO)),
                     "bias must have as many elements as output has channels", "bias", "output"),
        dtype_in("output", *LISTED),
        dtype_in("bias", *LISTED),
        format_in("output", ND, NCL),
        format_in("bias", ND),
    )  # fmt: skip


def _values() -> Rules:
    some = has_elements("self")
    room = plus(DimOf("self", ZERO), ValueOf("pad"), minus(DimOf("weight", ZERO)))
    return (
        *about_shapes("channels", "bias", Equal(DimOf("bias", ZERO), DimOf("weight", TWO)),
                      "bias must have as many elements as the last dimension of weight", "bias",
                      "weight"),
        *about_shapes("kernel_positive", "weight", AtMost(ONE, DimOf("weight", ZERO)),
                      "the kernel must have elements", "weight"),
        *when(some, about_shapes("window_fits", "self", AtMost(ZERO, room),
                                 "self and pad together must be as long as the kernel", "self",
                                 "weight")),
        *about_shapes("same_channels", "weight", Equal(DimOf("weight", ONE), DimOf("self", TWO)),
                      "the second dimension of weight must be self's channels", "weight", "self"),
    )  # fmt: skip


def _call(
    time: int, batch: int, channels: int, kernel: int, outputs: int, pad: int = 0,
    dtype: DataType = FLOAT,
) -> Call:  # fmt: skip
    return Call({
        "self": TensorArg((time, batch, channels), dtype),
        "weight": TensorArg((kernel, channels, outputs), dtype),
        "bias": TensorArg((outputs,), dtype),
        "pad": pad,
        "output": TensorArg((time + 2 * pad + 1 - kernel, batch, outputs), dtype),
        "cubeMathType": 1,
    })  # fmt: skip


def _draw(rng: Random) -> Call:
    kernel = rng.randint(1, 4)
    return _call(
        kernel + rng.randint(0, 6), rng.randint(1, 3), rng.randint(1, 6), kernel, rng.randint(1, 6),
        rng.randint(0, 2), rng.choice((FLOAT, FLOAT16, BF16)),
    )  # fmt: skip


def _backward(forward: Call) -> Call:
    tensors = {name: forward.tensor(name) for name in ("weight", "bias")}
    call = Call({
        "self": forward.tensor("output"),
        "input": forward.tensor("self"),
        **tensors,
        "pad": forward.arguments["pad"],
        "cubeMathType": 1,
    })  # fmt: skip
    return call.passing(**{name: call.tensor(of) for name, of in _GRADIENTS.items()})


def _typical(n: int) -> Call:
    return _call(max(n // 256, 3), 4, 64, 3, 64, 1)


_FORWARD = Operator(
    "aclnnConvTbc",
    summary="Convolution along time, the first of time, batch and channels.",
    formula=(
        "`output[t, b, m] = bias[m] + sum over c and k of self[t - pad + k, b, c] * "
        "weight[k, c, m]`, self is 0 outside its time. Length: `T + 2 * pad + 1 - K`."
    ),
    params=(
        TensorIn("self", "Time, batch, channels."),
        TensorIn("weight", "Kernel, channels of self, channels of output."),
        TensorIn("bias", "One value for each channel of output."),
        _PAD,
        TensorOut("output", "Time, batch, channels.", shape=_shape("self"), dtype=DtypeOf("self")),
        CUBE,
    ),
    checks=(
        not_null("self", "weight", "bias", "output"),
        _on_950(),
        dtype_in("bias", *BIAS),
        dtype_in("self", *LISTED),
        same_dtype("weight", "self"),
        same_dtype("output", "weight"),
        *(rank_in(name, 3) for name in ("self", "weight", "output")),
        rank_in("bias", 1),
        *(format_in(name, ND, NCL) for name in ("self", "weight", "output")),
        _values(),
        shape_is("output", _shape("self"), "of all windows"),
        cube_math_type(4, "self"),
        refused_unless_on(*(product for product in ALL if product is not P310B)),
        done_when_empty("output"),
        supported_on(A950, A3, A2),
        inside_storage("self", "weight", "bias"),
    ),
    samples=(
        _call(4, 2, 3, 2, 5, 1),
        _call(5, 1, 2, 3, 4, 0, FLOAT16),
        _call(3, 2, 2, 3, 1, 1, BF16),
        _call(3, 2, 0, 2, 4),
        _call(3, 0, 2, 2, 4),
    ),
    golden=_golden,
    reference=lambda torch, self, weight, bias, pad, cube_math_type: (
        torch.conv_tbc(self, weight, bias, pad)
        if pad == 0 or weight.isfinite().all()
        else NotImplemented  # padding counts as 0 here
    ),
    summed=("self", "weight", "bias"),
    ulps=4,
    draw=_draw,
    typical=_typical,
    formats="ND or NCL; bias ND on Ascend 950.",
    notes=NOTES,
)  # fmt: skip


def _backward_shapes() -> Rules:
    return (
        *about_shapes("not_empty", "self", Not(Empty("self")), "self must have elements", "self"),
        *(rule for name in ("self", "input", "weight") for rule in rank_in(name, 3)),
        *rank_in("bias", 1),
        *rank_in("gradBias", 1),
        *rank_in("gradInput", 3),
        *rank_in("gradWeight", 3),
        *about_shapes("same_channels", "weight", Equal(DimOf("input", TWO), DimOf("weight", ONE)),
                      "the second dimension of weight must be input's channels", "weight",
                      "input"),
        *about_shapes("channels", "bias", Equal(DimOf("bias", ZERO), DimOf("weight", TWO)),
                      "bias must have as many elements as the last dimension of weight", "bias",
                      "weight"),
        *at_least("pad", 0),
        *about_shapes("window_fits", "input", AtMost(ZERO, _time("input")),
                      "input with its padding must be as long as the kernel", "input", "weight"),
        *shape_is("self", _shape("input"), "of all windows"),
        *(rule for name, of in _GRADIENTS.items() for rule in same_shape(name, of)),
    )  # fmt: skip


_BACKWARD = Operator(
    "aclnnConvTbcBackward",
    summary="Gradients of aclnnConvTbc.",
    formula=(
        "gradInput sums, over windows that hold a place, self times weight; gradWeight sums self "
        "times what an element of the kernel met; gradBias sums self over time and batch."
    ),
    params=(
        TensorIn("self", "Gradient of the forward's output."),
        TensorIn("input", "Input of the forward: time, batch, channels."),
        TensorIn("weight", "Kernel, channels of input, channels of self."),
        TensorIn("bias", "Bias of the forward; only its shape counts."),
        _PAD,
        CUBE,
        TensorOut("gradInput", "Gradient of input.", like="input"),
        TensorOut("gradWeight", "Gradient of weight.", like="weight"),
        TensorOut("gradBias", "Gradient of bias.", like="bias"),
    ),
    checks=(
        not_null("self", "input", "weight", "bias", *_GRADIENTS),
        *(dtype_in(name, *FLOATS) for name in ("self", "input", "weight")),
        dtype_in("bias", FLOAT, FLOAT16, BF16),
        *(dtype_in(name, *FLOATS) for name in _GRADIENTS),
        *(format_in(name, ND, NCL) for name in ("self", "input", "weight")),
        format_in("bias", ND),
        format_in("gradInput", ND, NCL),
        format_in("gradWeight", ND, NCL),
        format_in("gradBias", ND),
        _backward_shapes(),
        cube_math_type(3, "self", "input", "weight"),
        when(on_products(A950), *(same_dtype(name, of) for name, of in _GRADIENTS.items())),
        supported_on(A950, A3, A2, T910),
        inside_storage("self", "weight", "input", "bias"),
    ),
    samples=tuple(map(_backward, _FORWARD.samples[:4])),
    golden=_golden_backward,
    reference=lambda torch, self, input, weight, bias, pad, cube_math_type: (
        torch.ops.aten.conv_tbc_backward(self, input, weight, bias, pad)
        if weight.isfinite().all()
        else NotImplemented  # padding counts as 0 here
    ),
    summed=("self", "input", "weight"),
    ulps=4,
    gradient=Gradient(
        forward="aclnnConvTbc",
        results={"gradInput": "self", "gradWeight": "weight", "gradBias": "bias"},
        given={"self": "output"},
        saved={"input": "self"},
    ),
    draw=lambda rng: _backward(_draw(rng)),
    typical=lambda n: _backward(_typical(n)),
    formats="ND or NCL; bias and gradBias ND.",
    notes=(
        *NOTES,
        "Where input or weight is empty, upstream fills gradBias with the number of windows; here "
        "it is the sum of self as ever.",
    ),
)  # fmt: skip

OPS = (_FORWARD, _BACKWARD)
