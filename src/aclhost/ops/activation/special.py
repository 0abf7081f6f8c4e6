# SPDX-License-Identifier: Apache-2.0
"""The step function, and the inverse of the error function."""

from __future__ import annotations

from aclhost.ops.activation.build import FLOATS
from aclhost.ops.pointwise.checks import delivered, given, listed, ranks
from aclhost.ops.pointwise.declare import Row, declare
from aclhost.ops.pointwise.unary import Unary, operators
from aclhost.ops.pointwise.unary_checks import BF16_ON_NEW, WHOLE, castable, delivers
from aclhost.spec import math
from aclhost.spec.dtypes import FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.rules import broadcastable, fits_shape, inner, requires, same_dtype
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Broadcast, SameCount, ShapeIf, ShapeOf
from aclhost.spec.terms import Const, DtypeOf, Elements, Equal


def heaviside(x: Element, values: Element) -> Element:
    """0 for NaN."""
    return math.where(x == 0, values, math.where(x > 0, 1.0, 0.0))


def _heaviside() -> Operator:
    """Values of one element leave the input's shape as it is."""
    pair = ("input", "values")
    shape = ShapeIf(Equal(Elements("values"), Const(1)), ShapeOf("input"), Broadcast(pair))
    as_many = requires(
        "same_count", "out", SameCount(ShapeOf("out"), Broadcast(pair)),
        "out must have as many elements as input and values broadcast to",
        (Shown("shape", ShapeOf("out")), " for ", Shown("shape", Broadcast(pair))),
        "Create out with the shape to which input and values broadcast.",
    )  # fmt: skip
    return declare(Row(
        "aclnnHeaviside", "0 below 0, 1 above, a given value at 0.",
        (given(*pair, "out"), listed((*pair, "out"), *FLOATS), ranks(*pair),
         broadcastable("values", "input"), as_many, delivered("aclnnHeaviside", "out", pair),
         inner(same_dtype("values", "input"), same_dtype("out", "input"),
               fits_shape("out", shape, "of input where values is one element, else that to "
                                        "which they broadcast"))),
        heaviside, pair, "out", DtypeOf("input"), FLOATS,
        lambda torch, x, values: torch.heaviside(x, values), result_shape=shape,
        docs={"input": "Input.", "values": "What stands for 0."},
    ))  # fmt: skip


OPS = (
    _heaviside(),
    *operators(
        Unary(
            "aclnnErfinv", "Inverse of the error function.", math.erfinv,
            castable((FLOAT, FLOAT16, *WHOLE, BF16_ON_NEW)), "erfinv", late=delivers(),
        ),
    ),
)  # fmt: skip
