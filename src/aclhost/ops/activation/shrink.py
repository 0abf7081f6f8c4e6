# SPDX-License-Identifier: Apache-2.0
"""Functions that are 0 around 0."""

from __future__ import annotations

from collections.abc import Callable

from aclhost.ops.activation.build import FLOATS, GRADIENT, TABLE, aten, backward, functional
from aclhost.ops.pointwise.checks import broadcast_to, delivered, feasible, given, listed, ranks
from aclhost.ops.pointwise.declare import Checks, Row, Torch, declare
from aclhost.spec import math
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import Scalar
from aclhost.spec.products import A2, A3, A950, P310B
from aclhost.spec.rules import (
    done_when_empty,
    dtype_is,
    inner,
    only_on,
    same_format,
    same_format_unless_nd,
    same_shape,
    scalar_at_least,
)
from aclhost.spec.terms import DtypeOf, Equal, If, const, promoted

_PAIR = (GRADIENT, "self")
_ON_310B = (FLOAT, FLOAT16, only_on(BF16, A950, A3, A2, P310B))
_WIDTH = Scalar("lambd", "Half the width of what becomes 0.", 0.5)
_NAN_IS_0 = ("NaN becomes 0, as in upstream's kernel; torch keeps it.",)
_WIDTH_AT_LEAST_0 = ("A negative lambd counts as 0.",)


def hard_shrink(x: Element, width: Element) -> Element:
    """NaN stays NaN."""
    return math.where(abs(x) <= math.where(width < 0, 0.0, width), 0.0, x)


def hard_shrink_backward(gradient: Element, x: Element, width: Element) -> Element:
    """NaN lets the gradient pass."""
    return math.where(abs(x) <= math.where(width < 0, 0.0, width), 0.0, gradient)


def soft_shrink(x: Element, width: Element) -> Element:
    """Moved towards 0."""
    return shrink(x, width, width)


def soft_shrink_backward(gradient: Element, x: Element, width: Element) -> Element:
    """NaN lets the gradient pass."""
    return math.where(abs(x) <= width, 0.0, gradient)


def shrink(x: Element, width: Element, bias: Element) -> Element:
    """0 also for NaN."""
    return math.where(x > width, x - bias, math.where(x < -width, x + bias, 0.0))


def _torch_shrink(torch: Torch, x: Torch, width: float, bias: float) -> Torch:
    return torch.sign(x) * (x.abs() - bias) * (x.abs() > width)


def _shrink(
    name: str,
    summary: str,
    function: Callable[..., Element],
    reference: Callable[..., Torch],
    checks: Checks,
    *params: Scalar,
    notes: tuple[str, ...],
) -> Operator:
    return declare(Row(
        name, summary,
        (given("self", *(each.name for each in params), "out"), *checks,
         delivered(name, "out", ("self",))),
        function, ("self",), "out", DtypeOf("self"), FLOATS, reference,
        numbers=tuple(each.name for each in params), params=params, docs={"self": "Input."},
        notes=notes,
    ))  # fmt: skip


def _hard_shrink_backward() -> Operator:
    g, x, out = *_PAIR, "gradInput"
    name = "aclnnHardshrinkBackward"
    return backward(
        name, "aclnnHardshrink", hard_shrink_backward, aten("hardshrink_backward"),
        (given(g, x, "lambd", out), listed((g, x, out), *TABLE), ranks(g, x, out),
         done_when_empty(g, x), broadcast_to(out, g, x), feasible(name, out, (g, x))),
        computed=promoted(g, x), broadcasts=True, mixed=(FLOAT16, FLOAT), numbers=("lambd",),
        params=(_WIDTH,), notes=_WIDTH_AT_LEAST_0,
    )  # fmt: skip


def _soft_shrink_backward() -> Operator:
    g, x, out = *_PAIR, "gradInput"
    name, computed = (
        "aclnnSoftshrinkBackward",
        If(Equal(DtypeOf(g), DtypeOf(x)), DtypeOf(x), const(FLOAT)),
    )
    return backward(
        name, "aclnnSoftshrink", soft_shrink_backward, aten("softshrink_backward"),
        (given(g, x, "lambda", out), listed((g, x, out), *_ON_310B), ranks(g, x),
         broadcast_to(out, g, x), scalar_at_least("lambda", 0.0), done_when_empty(g, out),
         feasible(name, out, (g, x)),
         inner(dtype_is(out, computed, f"the dtype of {g} and {x}, FLOAT where they differ")),
         same_format_unless_nd(out, g)),
        computed=computed, broadcasts=True, mixed=(FLOAT16, FLOAT), numbers=("lambda",),
        params=(Scalar("lambda", _WIDTH.doc, _WIDTH.default),), renamed={"lambda": "lambd"},
    )  # fmt: skip


OPS = (
    _shrink(
        "aclnnHardshrink", "Replaces elements near 0 by 0.", hard_shrink, functional("hardshrink"),
        (listed(("self", "out"), *_ON_310B), same_shape("out", "self"), ranks("self")),
        _WIDTH, notes=_WIDTH_AT_LEAST_0,
    ),
    _shrink(
        "aclnnSoftshrink", "Moves elements towards 0, and those near it to 0.", soft_shrink,
        functional("softshrink"),
        (listed(("self", "out"), *TABLE), same_shape("out", "self"), ranks("self"),
         scalar_at_least("lambd", 0.0)),
        _WIDTH, notes=_NAN_IS_0,
    ),
    _shrink(
        "aclnnShrink", "Moves elements towards 0 by a bias, and those near it to 0.", shrink,
        _torch_shrink,
        (listed(("self", "out"), FLOAT, FLOAT16), same_shape("out", "self"),
         scalar_at_least("lambd", 0.0), same_format("out", "self")),
        _WIDTH, Scalar("bias", "How far the others are moved.", 0.0), notes=("NaN becomes 0.",),
    ),
    _hard_shrink_backward(),
    _soft_shrink_backward(),
)  # fmt: skip
