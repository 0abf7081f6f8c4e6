# SPDX-License-Identifier: Apache-2.0
"""Halves gated by GELU, and by a threshold."""

from __future__ import annotations

from typing import Any

from aclhost.ops.activation.gated import (
    DIM,
    HALVED,
    LAST,
    LEFT,
    NEW_BF16,
    NOT_COMPARED,
    Gated,
    half,
    half_shape,
    halved,
    operators,
    supported,
)
from aclhost.ops.activation.gelu import (
    gelu_by_tanh,
    gelu_by_tanh_backward,
    gelu_exact,
    gelu_exact_backward,
)
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.gradient import Gradient
from aclhost.spec.math import where
from aclhost.spec.params import Choice, TensorIn, TensorOut, Text
from aclhost.spec.rules import (
    Rule,
    Step,
    axis_in_rank,
    done_when_empty,
    dtype_in,
    has_elements,
    in_tiling,
    inside_storage,
    not_null,
    one_element,
    one_of,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import (
    AtMost,
    Const,
    DimOf,
    Elements,
    Not,
    Or,
    Present,
    Term,
    TextIs,
    Times,
    ValueOf,
)
from aclhost.spec.views import AlongChannels, Views, halves

Torch = Any

_DTYPES = (FLOAT16, FLOAT, NEW_BF16)
_WORDS = ("none", "tanh")
_FORMS = Choice("approximate", "0 exact, 1 by tanh.", _WORDS, _WORDS[0])
_CLOSE: dict[str, Any] = {"ulps": 12, "ulps_from": 1.0}  # GELU near 0, and a product
_HALVES = "a and b are the halves of {} along {}. Which form, approximate tells"
_OF_LEFT = ". With activateLeft they change places"


def _geglu(a: Element, b: Element) -> tuple[Element, Element]:
    """The product, and the gate for the gradient."""
    gate = gelu_exact(b)
    return a * gate, gate


def _geglu_by_tanh(a: Element, b: Element) -> tuple[Element, Element]:
    """The same by tanh."""
    gate = gelu_by_tanh(b)
    return a * gate, gate


def _geglu_backward(
    grad: Element, a: Element, b: Element, gelu: Element
) -> tuple[Element, Element]:
    """The gate comes from the forward."""
    return grad * gelu, gelu_exact_backward(grad * a, b)


def _geglu_by_tanh_backward(
    grad: Element, a: Element, b: Element, gelu: Element
) -> tuple[Element, Element]:
    """The same by tanh."""
    return grad * gelu, gelu_by_tanh_backward(grad * a, b)


def _gelu_mul(a: Element, b: Element) -> Element:
    """The first half is the gate."""
    return gelu_exact(a) * b


def _gelu_mul_by_tanh(a: Element, b: Element) -> Element:
    """The same by tanh."""
    return gelu_by_tanh(a) * b


def _fatrelu_mul(a: Element, b: Element, threshold: Element) -> Element:
    """NaN is below nothing."""
    return where(a < threshold, 0.0, a) * b


def _views(tensor: str, a: str, b: str, *, either: bool) -> Views:
    """`a` is the first half; with `either`, unless activateLeft is set."""
    first: Term = ValueOf("activateLeft") if either else Const(0)
    return halves(tensor, DIM, a, b, first=first)


def _torch_geglu(
    torch: Torch, self: Torch, dim: int, approximate: int, activate_left: bool = False
) -> tuple[Torch, Torch]:
    a, b = reversed(self.chunk(2, dim)) if activate_left else self.chunk(2, dim)
    gate = torch.nn.functional.gelu(b, approximate=_WORDS[approximate])
    return a * gate, gate


def _torch_geglu_backward(
    torch: Torch, grad_output: Torch, self: Torch, gelu: Torch, dim: int, **attributes: Torch
) -> Torch:
    """The gradient of the ungated half is that of the gate that is given."""
    x = self.clone().requires_grad_()
    _torch_geglu(torch, x, dim, **attributes)[0].backward(grad_output)
    parts = list(x.grad.chunk(2, dim))
    parts[1 if attributes.get("activate_left") else 0] = grad_output * gelu
    return torch.cat(parts, dim)


def _torch_gelu_mul(torch: Torch, input: Torch, approximate_optional: str | None) -> Torch:
    a, b = input.chunk(2, -1)
    return torch.nn.functional.gelu(a, approximate=approximate_optional or "none") * b


def _torch_fatrelu_mul(torch: Torch, input: Torch, threshold: Torch) -> Torch:
    a, b = input.chunk(2, -1)
    return torch.where(a < threshold.reshape(()), 0.0, a) * b


def _forward_checks(name: str) -> tuple[tuple[Step, ...], ...]:
    tensors = ("self", "out", "outGelu")
    filled = has_elements("self")
    return (
        not_null(*tensors), *(dtype_in(each, *_DTYPES) for each in tensors),
        when(filled, same_dtype("out", "self"), same_dtype("outGelu", "self")),
        *(rank_at_most(each, 8) for each in tensors), rank_at_least("self", 1),
        axis_in_rank("dim", "self"), halved("self"), half_shape("out", "self"),
        half_shape("outGelu", "self"), one_of("approximate", 0, 1), done_when_empty("self"),
        supported(name), inside_storage("self"),
    )  # fmt: skip


def _backward_checks(name: str) -> tuple[tuple[Step, ...], ...]:
    first, *others = ("gradOutput", "self", "gelu", "gradInput")
    return (
        not_null(first, *others), dtype_in(first, *_DTYPES),
        *(same_dtype(each, first) for each in others),
        same_shape("gelu", first), same_shape("gradInput", "self"), rank_at_least("self", 1),
        axis_in_rank("dim", "self"), halved("self"), half_shape(first, "self"),
        one_of("approximate", 0, 1), done_when_empty(first), supported(name),
        inside_storage(first, "self", "gelu"),
    )  # fmt: skip


def _small_rows(x: str) -> tuple[Rule, ...]:
    """What the tiling of a fused product takes."""
    last, shown = DimOf(x, LAST), (Shown("shape", ShapeOf(x)),)
    return (
        *requires("length_at_most", x, AtMost(last, Const(1024)),
                  f"the last dimension of {x} must be at most 1024", shown, "Split the rows."),
        *halved(x, LAST),
        *requires("rows_at_most", x, AtMost(Elements(x), Times(last, Const(200000))),
                  f"{x} must have at most 200000 rows", shown, "Split the tensor."),
    )  # fmt: skip


def _mul_checks(name: str, others: tuple[str, ...], special: tuple[Rule, ...],
                last: tuple[Rule, ...] = ()) -> tuple[tuple[Step, ...], ...]:  # fmt: skip
    """Of functions that upstream generates: the tiling looks at shapes."""
    return (
        not_null("input", *others, "out"), dtype_in("input", BF16, FLOAT16, FLOAT),
        *(same_dtype(each, "input") for each in (*others, "out")), supported(name),
        done_when_empty("out"),
        in_tiling(special, rank_at_least("input", 2), last, _small_rows("input")),
        half_shape("out", "input", LAST), inside_storage("input"),
    )  # fmt: skip


def _geglu_row(name: str, *, either: bool) -> Gated:
    side = (LEFT,) if either else ()
    return Gated(
        name, "Gated linear unit with GELU: one half times GELU of the other.",
        (TensorIn("self", "Both halves."), HALVED, _FORMS, *side,
         half("out", "self", is_const=False),
         half("outGelu", "self", "GELU of the gate.", is_const=False)),
        _forward_checks(name), _geglu, ("a", "b"), ("out", "outGelu"),
        _views("self", "a", "b", either=either), _torch_geglu, halved="self",
        words=_HALVES.format("self", "dim") + (_OF_LEFT if either else ""),
        variants=(_geglu_by_tanh,), variant=ValueOf("approximate"),
        attributes={"approximate": (0, 1), **({"activateLeft": (True,)} if either else {})},
        **_CLOSE,
        notes=("Upstream takes a tensor of rank 0 together with empty results, and does nothing; "
               "aclhost refuses it.",),
    )  # fmt: skip


def _geglu_backward_row(name: str, *, either: bool) -> Gated:
    side = (LEFT,) if either else ()
    return Gated(
        name, "Gradient of the gated linear unit with GELU.",
        (TensorIn("gradOutput", "Gradient of the result."), TensorIn("self", "Both halves."),
         TensorIn("gelu", "GELU of the gate, from the forward."), HALVED, _FORMS, *side,
         TensorOut("gradInput", "Gradient of self.", like="self")),
        _backward_checks(name), _geglu_backward, ("gradOutput", "a", "b", "gelu"),
        ("grad_a", "grad_b"),
        (*_views("self", "a", "b", either=either),
         *_views("gradInput", "grad_a", "grad_b", either=either)),
        _torch_geglu_backward, halved="self",
        words=_HALVES.format("self", "dim") + ", grad_a and grad_b those of gradInput"
              + (_OF_LEFT if either else ""),
        variants=(_geglu_by_tanh_backward,), variant=ValueOf("approximate"),
        attributes={"approximate": (0, 1), **({"activateLeft": (True,)} if either else {})},
        gradient=Gradient(name.removesuffix("Backward"), {"gradInput": "self"},
                          {"gradOutput": "out"}, saved={"gelu": "outGelu"}),
        **_CLOSE,
        notes=("The document allows the Atlas inference series only the form by tanh; neither "
               "upstream's first phase nor aclhost looks at that.",),
    )  # fmt: skip


_APPROXIMATE = requires(
    "one_of", "approximateOptional",
    Or(Not(Present("approximateOptional")), TextIs("approximateOptional", _WORDS)),
    "approximateOptional must be none or tanh", (Shown("text", "approximateOptional"),),
    'Pass "none", "tanh" or a null pointer, which means none.',
)  # fmt: skip

OPS = operators(
    _geglu_row("aclnnGeGlu", either=False),
    _geglu_row("aclnnGeGluV3", either=True),
    _geglu_backward_row("aclnnGeGluBackward", either=False),
    _geglu_backward_row("aclnnGeGluV3Backward", either=True),
    Gated(
        "aclnnGeluMul", "GELU of the first half times the second.",
        (TensorIn("input", "Both halves."),
         Text("approximateOptional", "Which form: none (exact) or tanh.", _WORDS[0],
              optional=True),
         half("out", "input", dim=LAST)),
        _mul_checks("aclnnGeluMul", (), _APPROXIMATE), _gelu_mul, ("a", "b"), ("out",),
        halves("input", LAST, "a", "b"), _torch_gelu_mul, halved="input", dim=LAST,
        words=_HALVES.format("input", "the last dimension").replace("te tells", "teOptional tells"),
        variants=(_gelu_mul_by_tanh,), variant=TextIs("approximateOptional", ("tanh",)),
        attributes={"approximateOptional": (None, "none", "tanh")}, **_CLOSE, notes=NOT_COMPARED,
    ),
    Gated(
        "aclnnFatreluMul", "The first half, 0 below a threshold, times the second.",
        (TensorIn("input", "Both halves."), TensorIn("threshold", "One element."),
         half("out", "input", dim=LAST)),
        _mul_checks("aclnnFatreluMul", ("threshold",), (), one_element("threshold")),
        _fatrelu_mul, ("a", "b", "threshold"), ("out",),
        (*halves("input", LAST, "a", "b"), ("threshold", AlongChannels("threshold", "input"))),
        _torch_fatrelu_mul, halved="input", dim=LAST,
        words="a and b are the halves of input along the last dimension",
        single=("threshold",), notes=NOT_COMPARED, ulps=2,
    ),
)  # fmt: skip
