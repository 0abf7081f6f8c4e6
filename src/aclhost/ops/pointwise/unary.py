# SPDX-License-Identifier: Apache-2.0
"""Functions of one tensor."""

from __future__ import annotations

from aclhost.ops.pointwise.build import pointwise_operator
from aclhost.spec import math
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.pointwise import Pointwise
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    cast_exists,
    castable_to,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    rank_at_most,
    same_shape,
    supported_on,
)
from aclhost.spec.terms import DtypeOf


def _exp(x: Element) -> Element:
    return math.exp(x)


OPS = (
    pointwise_operator(
        "aclnnExp",
        "Exponential function.",
        (TensorIn("self", "Input."), TensorOut("out", "Result.", like="self")),
        (
            not_null("self", "out"),
            dtype_in("self", FLOAT, FLOAT16, BF16, DOUBLE),
            castable_to("out", "self"),
            same_shape("out", "self"),
            rank_at_most("self", 8),
            done_when_empty("self"),
            supported_on(A950, A3, A2),
            inside_storage("self"),
            cast_exists("out", DtypeOf("self")),
        ),
        Pointwise(("self",), ("out",), (), DtypeOf("self"), _exp, (FLOAT, FLOAT16, BF16, DOUBLE)),
        reference="exp",
    ),
)
