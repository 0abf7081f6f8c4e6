# SPDX-License-Identifier: Apache-2.0
"""The gated linear unit, with the sigmoid and with SiLU, and their gradients."""

from __future__ import annotations

from typing import Any

from aclhost.ops.activation.gated import (
    DIM,
    FLOATS,
    HALVED,
    NEW_BF16,
    NOT_COMPARED,
    Gated,
    half,
    half_shape,
    halved,
    operators,
    sigmoid_and_rest,
    supported,
)
from aclhost.spec.dtypes import DOUBLE, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.gradient import Gradient
from aclhost.spec.math import sigmoid
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.products import A950, P310P
from aclhost.spec.rules import (
    Rule,
    Step,
    axis_in_rank,
    done_when_empty,
    dtype_in,
    in_tiling,
    inside_storage,
    not_null,
    on_products,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    when,
)
from aclhost.spec.rules.axes import is_multiple
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import Const, DtypeOf, ElementsFrom, Equal, If, Times, const
from aclhost.spec.views import halves

Torch = Any

_DTYPES = (FLOAT, FLOAT16, DOUBLE, NEW_BF16)
_A_B = "a and b are the halves of {} along dim"


def _glu(a: Element, b: Element) -> Element:
    """The second half is the gate."""
    return a * sigmoid(b)


def _glu_backward(grad: Element, a: Element, b: Element) -> tuple[Element, Element]:
    """1 - sigmoid(b) without cancellation."""
    s, rest = sigmoid_and_rest(b)
    grad_a = grad * s
    return grad_a, grad_a * a * rest


def _swiglu(a: Element, b: Element) -> Element:
    """The first half is the gate of the second."""
    return a * sigmoid(a) * b


def _swiglu_grad(grad: Element, a: Element, b: Element) -> tuple[Element, Element]:
    """The slope of SiLU is a sum of two terms that cancel near -1.28."""
    s, rest = sigmoid_and_rest(a)
    slope = grad * b * s
    return slope + slope * a * rest, grad * a * s


def _aligned(x: str) -> tuple[Rule, ...]:
    """What a row's half takes on the Atlas inference series."""
    size = If(Equal(DtypeOf(x), const(FLOAT)), Const(4), Const(2))
    bytes_of_row = Times(ElementsFrom(x, DIM), size)
    return requires(
        "aligned", x, is_multiple(bytes_of_row, 128),
        f"half of {x} from dimension dim on must be a multiple of 64 bytes",
        (Shown("shape", ShapeOf(x)),), "Pad the last dimension, or select another product.",
    )  # fmt: skip


def _generated(name: str, x: str, out: str, *others: str) -> tuple[tuple[Step, ...], ...]:
    """Of functions that upstream generates: the tiling looks at dimensions."""
    tensors = (*others, x)
    return (
        not_null(*tensors, out),
        dtype_in(tensors[0], FLOAT16, FLOAT, NEW_BF16),
        *(same_dtype(each, tensors[0]) for each in (*tensors[1:], out)),
        supported(name),
        done_when_empty(out),
        in_tiling(axis_in_rank("dim", x), halved(x)),
        when(on_products(P310P), in_tiling(_aligned(x))),
    )


def _torch_glu(torch: Torch, self: Torch, dim: int) -> Torch:
    return torch.nn.functional.glu(self, dim)


def _glu_gradient(torch: Torch, grad_out: Torch, self: Torch, dim: int) -> Torch:
    return torch.ops.aten.glu_backward(grad_out, self, dim)


def _torch_swiglu(torch: Torch, x: Torch, dim: int) -> Torch:
    a, b = x.chunk(2, dim)
    return torch.nn.functional.silu(a) * b


def _torch_swiglu_grad(torch: Torch, y_grad: Torch, x: Torch, dim: int) -> Torch:
    x = x.clone().requires_grad_()
    _torch_swiglu(torch, x, dim).backward(y_grad)
    return x.grad


OPS = operators(
    Gated(
        "aclnnGlu", "Gated linear unit: one half times the sigmoid of the other.",
        (TensorIn("self", "Both halves."), HALVED, half("out", "self")),
        (
            not_null("self", "out"), dtype_in("self", *_DTYPES), dtype_in("out", *_DTYPES),
            rank_at_most("self", 8), rank_at_most("out", 8), rank_at_least("self", 1),
            axis_in_rank("dim", "self"), halved("self"), half_shape("out", "self"),
            done_when_empty("self"), supported("aclnnGlu"), inside_storage("self"),
        ),
        _glu, ("a", "b"), ("out",), halves("self", DIM, "a", "b"), _torch_glu,
        halved="self", words=_A_B.format("self"), dtypes=(*FLOATS, DOUBLE),
    ),
    Gated(
        "aclnnGluBackward", "Gradient of the gated linear unit.",
        (TensorIn("gradOut", "Gradient of the result."), TensorIn("self", "Both halves."), HALVED,
         TensorOut("out", "Gradient of self.", like="self", is_const=True)),
        (
            not_null("self", "gradOut", "out"), dtype_in("self", *_DTYPES),
            same_dtype("gradOut", "self"), same_dtype("out", "self"),
            rank_at_most("self", 8), rank_at_most("out", 8), rank_at_most("gradOut", 8),
            rank_at_least("self", 1), axis_in_rank("dim", "self"), halved("self"),
            half_shape("gradOut", "self"), same_shape("out", "self"),
            done_when_empty("self"), supported("aclnnGluBackward"),
            inside_storage("self", "gradOut"),
        ),
        _glu_backward, ("gradOut", "a", "b"), ("grad_a", "grad_b"),
        (*halves("self", DIM, "a", "b"), *halves("out", DIM, "grad_a", "grad_b")),
        _glu_gradient, halved="self",
        words=f"{_A_B.format('self')}, grad_a and grad_b those of out",
        dtypes=(*FLOATS, DOUBLE),
        gradient=Gradient("aclnnGlu", {"out": "self"}, {"gradOut": "out"}),
    ),
    Gated(
        "aclnnSwiGlu", "Gated linear unit with SiLU: SiLU of one half times the other.",
        (TensorIn("x", "Both halves."), HALVED, half("out", "x")),
        (*_generated("aclnnSwiGlu", "x", "out"), half_shape("out", "x"), inside_storage("x")),
        _swiglu, ("a", "b"), ("out",), halves("x", DIM, "a", "b"), _torch_swiglu,
        words=_A_B.format("x"), notes=NOT_COMPARED,
    ),
    Gated(
        "aclnnSwiGluGrad", "Gradient of the gated linear unit with SiLU.",
        (TensorIn("yGrad", "Gradient of the result."), TensorIn("x", "Both halves."), HALVED,
         TensorOut("out", "Gradient of x.", like="x", is_const=True)),
        (
            *_generated("aclnnSwiGluGrad", "x", "out", "yGrad"),
            when(on_products(A950), in_tiling(half_shape("yGrad", "x"))),
            half_shape("yGrad", "x"), same_shape("out", "x"), inside_storage("yGrad", "x"),
        ),
        _swiglu_grad, ("yGrad", "a", "b"), ("grad_a", "grad_b"),
        (*halves("x", DIM, "a", "b"), *halves("out", DIM, "grad_a", "grad_b")),
        _torch_swiglu_grad,
        words=f"{_A_B.format('x')}, grad_a and grad_b those of out",
        gradient=Gradient("aclnnSwiGlu", {"out": "x"}, {"yGrad": "out"}),
        notes=("Only the Ascend 950 compares yGrad with x before it computes, and nothing compares "
               "out; the document demands both, and so does aclhost.",),
    ),
)  # fmt: skip
