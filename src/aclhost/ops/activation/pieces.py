# SPDX-License-Identifier: Apache-2.0
"""Functions of straight pieces: hard forms of smooth ones, and those that are 0 around 0."""

from __future__ import annotations

from collections.abc import Callable

from aclhost.ops.activation.build import (
    FLOATS,
    GRADIENT,
    TABLE,
    aten,
    backward,
    equal_pair,
    functional,
    same_shapes,
)
from aclhost.ops.pointwise.checks import (
    broadcast_to,
    castable_from,
    delivered,
    feasible,
    given,
    listed,
    ranks,
)
from aclhost.ops.pointwise.declare import (
    INTEGERS,
    NEW_BF16,
    REALS,
    Checks,
    Row,
    Torch,
    declare,
    with_twin,
)
from aclhost.ops.pointwise.unary import Unary, operators, own
from aclhost.ops.pointwise.unary_checks import (
    BF16_ON_NEW,
    copied_format,
    equal_formats,
    gives,
    gives_same,
    gives_same_shape,
    in_order,
    rank_then_shape,
    takes,
)
from aclhost.spec import math
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, INT32
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import Scalar
from aclhost.spec.products import A2, A3, A950, P310B
from aclhost.spec.rules import (
    done_when_empty,
    dtype_is,
    inner,
    only_on,
    requires,
    same_dtype,
    same_format,
    same_format_unless_nd,
    same_shape,
    scalar_at_least,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import DtypeOf, Equal, If, NotAbove, const, promoted

_PAIR = (GRADIENT, "self")
_MIN, _MAX = "clipValueMin", "clipValueMax"
_SIXTH, _THIRD = 1 / 6, 1 / 3
_CLIP = (FLOAT16, FLOAT, *INTEGERS, DOUBLE, NEW_BF16)
_ON_310B = (FLOAT, FLOAT16, only_on(BF16, A950, A3, A2, P310B))
_WIDTH = Scalar("lambd", "Half the width of what becomes 0.", 0.5)
_NAN_IS_0 = ("NaN becomes 0, as in upstream's kernel; torch keeps it.",)
_WIDTH_AT_LEAST_0 = ("A negative lambd counts as 0.",)


def clip(x: Element, low: Element, high: Element) -> Element:
    """NaN stays NaN; where the bounds cross, the upper one wins."""
    x = math.where(x < low, low, x)
    return math.where(x > high, high, x)


def hard_sigmoid(x: Element) -> Element:
    """Integers are cut off: 1 from 3 on, else 0."""
    y = clip((math.cast(x, "real") + 3) * _SIXTH, 0.0, 1.0)
    return math.cast(y, "int32") if x.is_integer else y


def hard_sigmoid_backward(gradient: Element, x: Element) -> Element:
    """0 for NaN."""
    return math.where((x > -3) & (x < 3), gradient * _SIXTH, 0.0)


def hard_swish(x: Element) -> Element:
    """NaN stays NaN."""
    return math.where(x <= -3, 0.0, math.where(x >= 3, x, x * (x + 3) * _SIXTH))


def hard_swish_backward(gradient: Element, x: Element) -> Element:
    """The slope at -3 and 3 is that of the middle; NaN lets the gradient pass."""
    inside = math.where(x >= -3, gradient * ((x + 1.5) * _THIRD), 0.0)
    return math.where(x <= 3, inside, gradient)


def hard_swish_backward_v2(gradient: Element, x: Element) -> Element:
    """The slope at -3 and 3 is that outside; NaN lets the gradient pass."""
    inside = math.where(x > -3, gradient * ((x + 1.5) * _THIRD), 0.0)
    return math.where(x < 3, inside, gradient)


def hard_tanh_backward(gradient: Element, x: Element, low: Element, high: Element) -> Element:
    """NaN lets the gradient pass."""
    return math.where((x <= low) | (x >= high), 0.0, gradient)


def _torch_hard_swish_backward(torch: Torch, gradient: Torch, x: Torch) -> Torch:
    """Which slope torch has at -3 and 3 depends on its version."""
    passed = torch.ops.aten.hardswish_backward(gradient, x)
    return torch.where(abs(x) == 3, gradient * ((x + 1.5) / 3), passed)


def _torch_hard_swish_backward_v2(torch: Torch, gradient: Torch, x: Torch) -> Torch:
    passed = torch.ops.aten.hardswish_backward(gradient, x)
    return torch.where(x == -3, 0.0, torch.where(x == 3, gradient, passed))


def _hard_tanh(prefix: str, x: str, out: str) -> Operator:
    name = f"{prefix}Hardtanh"
    ordered = requires(
        "bounds_in_order", _MIN, NotAbove(_MIN, _MAX), f"{_MIN} must not exceed {_MAX}",
        (Shown("real", _MIN), " and ", Shown("real", _MAX)), "Exchange the bounds.",
    )  # fmt: skip
    return declare(Row(
        name, "Keeps the elements of a tensor between bounds.",
        (given(x, _MIN, _MAX, out), listed((x, _MIN, _MAX), *_CLIP),
         () if x == out else same_dtype(out, x), ranks(x),
         () if x == out else same_shape(out, x), ordered, delivered(name, out, (x,))),
        clip, (x,), out, DtypeOf(x), (*REALS, *INTEGERS),
        lambda torch, x, low, high: torch.clamp(x, low, high), numbers=(_MIN, _MAX),
        params=(Scalar(_MIN, "Lower bound.", -1.0), Scalar(_MAX, "Upper bound.", 1.0)),
        notes=("The bounds are converted to the tensor's dtype, fractions cut off and integers "
               "wrapped.",),
    ))  # fmt: skip


def _hard_tanh_backward() -> Operator:
    g, x, out = *_PAIR, "out"
    return backward(
        "aclnnHardtanhBackward", "aclnnHardtanh", hard_tanh_backward, aten("hardtanh_backward"),
        (given(x, g, out, "min", "max"), listed((g, x, out), *TABLE), same_dtype(g, x),
         ranks(g, x), same_shape(g, x), done_when_empty(x),
         feasible("aclnnHardtanhBackward", out, (g, x, out)),
         inner(same_dtype(out, x), same_shape(out, x))),
        out=out, numbers=("min", "max"), renamed={"min": _MIN, "max": _MAX},
        params=(Scalar("min", "Lower bound.", -1.0), Scalar("max", "Upper bound.", 1.0)),
        notes=("At the bounds the gradient is 0, as in upstream's kernel and in torch; the "
               "document's formula lets it pass.",
               "Upstream does not compare dtype and shape of out; where they differ nothing "
               "sensible can be written, so they are refused."),
    )  # fmt: skip


def _hard_sigmoid_backward() -> Operator:
    g, x, out = *_PAIR, "out"
    name, common = "aclnnHardsigmoidBackward", promoted(g, x)
    return backward(
        name, "aclnnHardsigmoid", hard_sigmoid_backward,
        lambda torch, gradient, x: torch.where(x.abs() < 3, gradient / 6, 0.0),
        (given(g, x, out), listed((g, x), *TABLE), castable_from(out, common),
         ranks(g, x, out), same_shapes(g, out, x), delivered(name, out, (g, x), common)),
        out=out, computed=common, mixed=(FLOAT16, FLOAT),
    )  # fmt: skip


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
    *operators(
        Unary(
            "aclnnHardsigmoid", "The logistic function of straight pieces.", hard_sigmoid,
            in_order(takes(FLOAT, FLOAT16, INT32, BF16_ON_NEW), rank_then_shape, gives_same,
                     equal_formats),
            "nn.functional.hardsigmoid", computed=own, result=own,
        ),
        Unary(
            "aclnnHardswish", "Each element times its logistic function of straight pieces.",
            hard_swish, in_order(takes(*TABLE), gives(*TABLE), gives_same_shape),
            functional("hardswish"), computed=own, result=own, late=copied_format,
            ulps=4, notes=("0 for -inf, where torch gives NaN.",),
        ),
    ),
    _hard_sigmoid_backward(),
    backward(
        "aclnnHardswishBackward", "aclnnHardswish", hard_swish_backward,
        _torch_hard_swish_backward,
        (equal_pair(*_PAIR, "out", "self"), delivered("aclnnHardswishBackward", "out", _PAIR)),
        out="out", ulps=4,
    ),
    backward(
        "aclnnHardswishBackwardV2", "aclnnHardswish", hard_swish_backward_v2,
        _torch_hard_swish_backward_v2, out="out", ulps=4,
    ),
    *with_twin(_hard_tanh),
    _hard_tanh_backward(),
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
