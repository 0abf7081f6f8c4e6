# SPDX-License-Identifier: Apache-2.0
"""The outer product of two vectors."""

from __future__ import annotations

from dataclasses import replace

from aclhost.ops.pointwise.build import pointwise_operator
from aclhost.ops.pointwise.declare import COMPLEX, INTEGERS, known
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.family import LateSamples, derived_samples, with_results
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.pointwise import Pointwise
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    castable_to,
    done_when_empty,
    dtype_in,
    final_cast,
    inside_storage,
    not_null,
    only_on,
    rank_in,
    shape_is,
    supported_on,
)
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import Const, DimOf, promoted
from aclhost.spec.views import AsColumn

_DTYPES = (FLOAT, FLOAT16, DOUBLE, *INTEGERS, BOOL, *COMPLEX)
_LISTED = (*_DTYPES, only_on(BF16, A950))
_SHAPE = Lengths((DimOf("self", Const(0)), DimOf("vec2", Const(0))))


def _product(x: Element, y: Element) -> Element:
    """Of BOOL: and."""
    return x * y


def _common(elements: int) -> Call:
    side = max(int(elements**0.5), 1)
    vector = TensorArg((side,))
    return Call({"self": vector, "vec2": vector, "out": TensorArg((side, side))})


def _samples(op: Operator) -> tuple[Call, ...]:
    calls = derived_samples(op, own_shapes={"self": (2,), "vec2": (3,)})
    return (*calls, with_results(op, calls[0].retyped(FLOAT16, "vec2")))


_PLAIN = pointwise_operator(
    "aclnnGer", "The product of every element of one vector with every one of another.",
    (
        TensorIn("self", "[n]."),
        TensorIn("vec2", "[m]."),
        TensorOut("out", "[n, m].", shape=_SHAPE, dtype=promoted("self", "vec2")),
    ),
    (
        not_null("self", "vec2", "out"),
        dtype_in("self", *_LISTED),
        dtype_in("vec2", *_LISTED),
        castable_to("out", "self", "vec2"),
        rank_in("self", 1),
        rank_in("vec2", 1),
        rank_in("out", 2),
        shape_is("out", _SHAPE, "[length of self, length of vec2]"),
        done_when_empty("self", "vec2"),
        supported_on(*known("aclnnGer").products),
        inside_storage("self", "vec2"),
        final_cast("out", "self", "vec2"),
    ),
    Pointwise(
        ("self", "vec2"), ("out",), (), promoted("self", "vec2"), _product, (*_DTYPES, BF16),
        views=(("self", AsColumn("self")),),
    ),
    reference=lambda torch, self, vec2: torch.outer(self, vec2),
)  # fmt: skip
OP = replace(_PLAIN, samples=LateSamples(lambda: _samples(_PLAIN)), typical=_common)
