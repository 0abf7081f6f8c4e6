# SPDX-License-Identifier: Apache-2.0
"""Sizes, angles and parts of complex numbers, and numbers made of them."""

from __future__ import annotations

from typing import Any

from aclhost.ops.pointwise.build import BROADCAST_SHAPES, pointwise_operator
from aclhost.ops.pointwise.deduction import as_complex, first_match, is_floating
from aclhost.ops.pointwise.unary import Unary, nothing, operators, own
from aclhost.ops.pointwise.unary_checks import (
    BF16_ON_NEW,
    NEW,
    WHOLE,
    equal_public_formats,
    generated,
    in_order,
    limited_to,
    public_formats_on_950,
    rank_then_shape,
    takes,
)
from aclhost.spec import math, products
from aclhost.spec.dtypes import COMPLEX32, COMPLEX64, COMPLEX128, DOUBLE, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.pointwise import Pointwise
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Step,
    broadcastable,
    done_when_empty,
    dtype_in,
    dtype_is,
    inside_storage,
    not_null,
    not_private,
    on_products,
    rank_at_most,
    requires,
    same_dtype,
    same_format,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Broadcast
from aclhost.spec.status import Status
from aclhost.spec.terms import DtypeOf, In, Or, ProductIn, Term, const

_PARTS = ((COMPLEX64, FLOAT), (COMPLEX32, FLOAT16), (COMPLEX128, DOUBLE))
_ABS = (
    DOUBLE, FLOAT, FLOAT16, *WHOLE, BF16_ON_NEW, *limited_to(NEW, COMPLEX64),
    *limited_to((A950,), COMPLEX32),
)  # fmt: skip
_REAL = (
    *limited_to(NEW, FLOAT, FLOAT16, COMPLEX32), COMPLEX64,
    *limited_to(tuple(each for each in products.ALL if each is not A950), COMPLEX128),
)  # fmt: skip


def part_of(x: Term, out: Term) -> Term:
    """The dtype of a complex one's parts; others are their own."""
    return first_match(*((In(x, (whole,)), part) for whole, part in _PARTS), otherwise=x)


def _float_or_own(x: Term, out: Term) -> Term:
    return first_match((is_floating(x), x), otherwise=FLOAT)


def _gives_part(x: str, out: str) -> tuple[Step, ...]:
    words = f"the dtype of {x}, or of its parts where that is complex"
    return dtype_is(out, part_of(DtypeOf(x), DtypeOf(out)), words)


def _gives_float_or_own(x: str, out: str) -> tuple[Step, ...]:
    words = f"the dtype of {x} where that is floating, else FLOAT"
    return dtype_is(out, _float_or_own(DtypeOf(x), DtypeOf(out)), words)


def _abs_in_torch(torch: Any, x: Any) -> Any:  # noqa: ANN401
    return x if x.dtype is torch.bool else torch.abs(x)


def _angle(x: Element) -> Element:
    if x.is_complex:
        real, imaginary = math.real(x), math.imag(x)
        return math.where(imaginary == 0, _angle(real), math.atan2(imaginary, real))
    return math.where(x < 0, math.pi, math.where(math.isnan(x), x, 0.0))


def _polar(size: Element, angle: Element) -> Element:
    return math.complex_(size * math.cos(angle), size * math.sin(angle))


def _complex32_on_new() -> tuple[Step, ...]:
    return requires(
        "cast_implemented",
        "out",
        Or(ProductIn(NEW), In(DtypeOf("out"), (COMPLEX64, COMPLEX128))),
        "out must not have dtype COMPLEX32 on products without a kernel for it",
        (Shown("dtype", DtypeOf("out")),),
        "Create out, real and imag with more precision, or select another product (ACLHOST_SOC).",
        Status.INNER_NULLPTR,
    )


def _complex() -> Operator:
    parts, given = ("real", "imag"), DtypeOf("real")
    return pointwise_operator(
        "aclnnComplex",
        "Complex numbers made of real and imaginary parts.",
        (
            TensorIn("real", "Real parts."),
            TensorIn("imag", "Imaginary parts."),
            TensorOut("out", "Result.", shape=Broadcast(parts), dtype=as_complex(given)),
        ),
        (
            not_null(*parts, "out"),
            done_when_empty(*parts),
            dtype_in("real", FLOAT16, FLOAT, DOUBLE),
            dtype_in("imag", FLOAT16, FLOAT, DOUBLE),
            dtype_in("out", COMPLEX32, COMPLEX64, COMPLEX128),
            same_dtype("imag", "real"),
            dtype_is("out", as_complex(given), "the complex dtype whose parts are of real's"),
            rank_at_most("real", 8),
            rank_at_most("imag", 8),
            broadcastable("imag", "real"),
            shape_is("out", Broadcast(parts), "that real and imag broadcast to"),
            when(
                on_products(A950),
                same_format("imag", "real"),
                same_format("out", "real"),
                not_private("real"),
            ),
            supported_on(A950, A3, A2, P310P, T910),
            _complex32_on_new(),
            inside_storage(*parts),
        ),
        Pointwise(
            parts, ("out",), (), given, math.complex_, (FLOAT16, FLOAT, DOUBLE),
            results=as_complex(given),
        ),
        reference="complex",
        shapes=BROADCAST_SHAPES[:2],
    )  # fmt: skip


def _polar_operator() -> Operator:
    inputs = ("input", "angle")
    return pointwise_operator(
        "aclnnPolar",
        "Complex numbers made of sizes and angles.",
        (
            TensorIn("input", "Sizes."),
            TensorIn("angle", "Angles in radians."),
            TensorOut("out", "Result.", shape=Broadcast(inputs), dtype=const(COMPLEX64)),
        ),
        (
            not_null(*inputs, "out"),
            dtype_in("input", FLOAT),
            dtype_in("out", COMPLEX64),
            dtype_in("angle", FLOAT),
            rank_at_most("input", 8),
            rank_at_most("angle", 8),
            rank_at_most("out", 8),
            broadcastable("angle", "input"),
            shape_is("out", Broadcast(inputs), "that input and angle broadcast to"),
            when(
                on_products(A950),
                same_format("input", "out"),
                same_format("angle", "out"),
                not_private("input"),
            ),
            done_when_empty(*inputs),
            supported_on(A950, A3, A2, P310P),
            inside_storage(*inputs),
        ),
        Pointwise(
            inputs, ("out",), (), DtypeOf("input"), _polar, (FLOAT,), results=const(COMPLEX64)
        ),
        reference=lambda torch, input, angle: torch.polar(input, angle),
        shapes=BROADCAST_SHAPES[:2],
        notes=("Upstream's document wants equal shapes; its code broadcasts.",),
    )


OPS = (
    *operators(
        Unary(
            "aclnnAbs", "Absolute value; the least integer stays as it is.", abs,
            in_order(takes(*_ABS), _gives_part, equal_public_formats, rank_then_shape),
            _abs_in_torch, computed=own, rounded=part_of, result=part_of,
            notes=("Upstream's document has COMPLEX32 on Atlas A2 and A3; its code refuses it.",),
        ),
        Unary(
            "aclnnAngleV2", "The angle of complex numbers; 0 or pi of real ones, NaN of NaN.",
            _angle,
            generated(in_order(takes(FLOAT, FLOAT16, BF16_ON_NEW, COMPLEX64, *WHOLE),
                               _gives_float_or_own), on=NEW),
            "angle", rounded=_float_or_own, result=_float_or_own, is_done=nothing,
            checks_product=True,
            notes=("The sign of zeros does not count, unlike in torch.",
                   "Upstream does not compare the shapes before the Ascend 950; its document "
                   "demands that they are equal, and so does aclhost."),
        ),
        Unary(
            "aclnnReal", "Real parts; real numbers are copied.", math.real,
            in_order(takes(*_REAL), _gives_part, rank_then_shape, public_formats_on_950), "real",
            computed=own, rounded=part_of, result=part_of,
        ),
    ),
    _complex(),
    _polar_operator(),
)  # fmt: skip
