# SPDX-License-Identifier: Apache-2.0
"""Rectified linear units, thresholds and steps: what is too small is cut off or replaced."""

from __future__ import annotations

from aclhost.ops.activation.build import FLOATS, GRADIENT, aten, backward, functional, same_dtypes
from aclhost.ops.pointwise.checks import (
    NOT_950,
    alpha_fits,
    broadcast_to,
    castable_from,
    delivered,
    feasible,
    given,
    listed,
    pointers_and_shapes,
    ranks,
    shape_of,
    shapes_fit,
)
from aclhost.ops.pointwise.declare import INTEGERS, NEW_BF16, REALS, Row, declare, with_twin
from aclhost.ops.pointwise.deduction import by_product, replaced
from aclhost.ops.pointwise.unary import Unary, operators, own
from aclhost.ops.pointwise.unary_checks import (
    BF16_ON_NEW,
    copied_format,
    gives_same,
    gives_same_shape,
    in_order,
    ranks_then_shape,
    takes,
)
from aclhost.spec import math
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Scalar
from aclhost.spec.pointwise import NumberFrom
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    Condition,
    Step,
    broadcastable,
    castable_to,
    done_when,
    done_when_empty,
    fits_shape,
    inner,
    is_set,
    only_on,
    requires,
    same_dtype,
    same_format_unless_nd,
    scalar_at_least,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Broadcast, SameCount, ShapeIf, ShapeOf
from aclhost.spec.terms import (
    And,
    Const,
    DtypeOf,
    Elements,
    Empty,
    Equal,
    In,
    Not,
    Or,
    RealIs,
    const,
    promoted,
)

_LEAKY = (FLOAT, FLOAT16, DOUBLE, NEW_BF16)
_SLOPE = Scalar("negativeSlope", "Factor of negative elements.", 0.01)
_SLOPE_IS_FLOAT = ("negativeSlope is converted to FLOAT first, also for DOUBLE tensors.",)
_TABLE = (FLOAT, INT32, FLOAT16, INT8, UINT8)
_EPSILON = 2.0**-23


def relu(x: Element) -> Element:
    """NaN and -0.0 stay what they are."""
    return math.where(x < 0, 0, x)


def add_relu(x: Element, other: Element, alpha: Element) -> Element:
    """Integers wrap before what is negative is cut off."""
    return relu(x + alpha * other)


def squared_relu(x: Element) -> Element:
    """NaN stays NaN."""
    return relu(x) * relu(x)


def leaky_relu(x: Element, slope: Element) -> Element:
    """NaN stays NaN."""
    return math.where(x > 0, x, x * slope)


def leaky_relu_backward(gradient: Element, x: Element, slope: Element) -> Element:
    """The forward's result has its input's sign."""
    return math.where(x > 0, gradient, gradient * slope)


def _done_with_unsigned(x: str, out: str) -> tuple[Step, ...]:
    """Nothing is cut off where nothing can be negative."""
    if x != out:
        return done_when_empty(x)
    idle = Or(Empty(x), In(DtypeOf(x), (UINT8,)))
    return done_when(Condition(idle, f"`{x}` is empty or UINT8"))


def _add_relu(prefix: str, x: str, out: str) -> Operator:
    name, common = f"{prefix}AddRelu", promoted(x, "other")
    pointers, shapes = pointers_and_shapes(out, x, "other", "alpha", shapes_first=True)
    return declare(Row(
        name, "Sum of a tensor and a multiple of another, what is negative cut off.",
        (pointers, listed((x, "other"), FLOAT, FLOAT16, NEW_BF16, *INTEGERS),
         alpha_fits(common), castable_from(out, common), shapes,
         delivered(name, out, (x, "other"), common)),
        add_relu, (x, "other"), out, replaced(common, FLOAT, FLOAT16, BF16), (FLOAT, *INTEGERS),
        lambda torch, x, y, alpha: torch.relu(x + alpha * y), numbers=("alpha",),
        result=common, mixed=(FLOAT16, INT32),
        params=(Scalar("alpha", "Factor of other.", 1, is_const=False),),
        notes=("FLOAT16 and BF16 are added in FLOAT and rounded once.",),
    ))  # fmt: skip


def _leaky_relu(prefix: str, x: str, out: str) -> Operator:
    name = f"{prefix}LeakyRelu"
    return declare(Row(
        name, "Identity for positive elements, a small slope for the others.",
        (given(x, "negativeSlope", out), listed((x,), *_LEAKY),
         () if x == out else castable_to(out, x), ranks(x), shape_of(out, x),
         delivered(name, out, (x,), DtypeOf(x)), copied_format(x, out)),
        leaky_relu, (x,), out, DtypeOf(x), REALS, functional("leaky_relu"),
        numbers=(NumberFrom("negativeSlope", const(FLOAT)),), params=(_SLOPE,),
        notes=_SLOPE_IS_FLOAT,
    ))  # fmt: skip


def _leaky_relu_backward() -> Operator:
    pair, common = (GRADIENT, "self"), promoted(GRADIENT, "self")
    return backward(
        "aclnnLeakyReluBackward", "aclnnLeakyRelu", leaky_relu_backward,
        lambda torch, g, x, slope, is_result=False: torch.ops.aten.leaky_relu_backward(
            g, x, slope, is_result),
        (given(*pair, "negativeSlope", "out"), listed(pair, *_LEAKY),
         listed(("negativeSlope",), FLOAT, FLOAT16, DOUBLE, *INTEGERS, BOOL, NEW_BF16),
         shapes_fit("out", *pair),
         when(is_set("selfIsResult"), scalar_at_least("negativeSlope", 0.0)),
         castable_from("out", common), done_when_empty("self"),
         feasible("aclnnLeakyReluBackward", "out", pair, common),
         same_format_unless_nd("out", "self")),
        out="out", computed=common, dtypes=REALS, broadcasts=True, mixed=(FLOAT16, FLOAT),
        numbers=(NumberFrom("negativeSlope", const(FLOAT)),), notes=_SLOPE_IS_FLOAT,
        params=(_SLOPE, Flag("selfIsResult", "Whether self is the forward's result.", False)),
        derived={"selfIsResult": lambda forward: False},
    )  # fmt: skip


def threshold(x: Element, limit: Element, value: Element) -> Element:
    """NaN exceeds nothing."""
    return math.where(x > limit, x, value)


def threshold_backward(gradient: Element, x: Element, limit: Element) -> Element:
    """Thresholds next to 0 are 0; NaN lets the gradient pass."""
    limit = math.where(abs(limit) <= _EPSILON, 0.0, limit)
    return math.where(math.cast(x, "real") <= limit, 0, gradient)


def _threshold(prefix: str, x: str, out: str) -> Operator:
    name = f"{prefix}Threshold"
    computed = by_product(DtypeOf(x), replaced(DtypeOf(x), INT32, INT16))
    return declare(Row(
        name, "Replaces what does not exceed a threshold.",
        (given(x, out, "threshold", "value"), listed((x,), *_TABLE, INT16, INT64, NEW_BF16),
         () if x == out else when(NOT_950, castable_to(out, x)), ranks(x), shape_of(out, x),
         delivered(name, out, (x,), computed), copied_format(x, out)),
        threshold, (x,), out, computed, (*FLOATS, *INTEGERS),
        lambda torch, x, limit, value: torch.threshold(x, limit, value),
        numbers=("threshold", "value"), result=DtypeOf(x),
        params=(Scalar("threshold", "What elements must exceed."),
                Scalar("value", "What stands for the others.")),
        notes=("NaN is replaced, too, as the document's formula says; torch keeps it.",
               "The scalars are converted to the tensor's dtype, fractions cut off."),
    ))  # fmt: skip


def _threshold_backward() -> Operator:
    pair = (GRADIENT, "self")
    is_zero = And(RealIs("threshold", ">=", -_EPSILON), RealIs("threshold", "<=", _EPSILON))
    of_zero = requires(
        "dtype_in", GRADIENT, Or(Not(In(DtypeOf(GRADIENT), (INT64,))), is_zero),
        f"{GRADIENT} must not be INT64 unless threshold is 0",
        (Shown("dtype", DtypeOf(GRADIENT)),), "Cast the tensors to INT32.",
    )  # fmt: skip
    return backward(
        "aclnnThresholdBackward", "aclnnThreshold", threshold_backward, aten("threshold_backward"),
        (given("threshold", "out", *pair),
         listed((GRADIENT,), *_TABLE, NEW_BF16, only_on(INT64, A950)), of_zero,
         listed(("self",), *_TABLE, NEW_BF16, only_on(INT64, A950)),
         same_dtypes(GRADIENT, "out", "self"), ranks(*pair),
         broadcast_to("out", "self", GRADIENT),
         delivered("aclnnThresholdBackward", "out", pair)),
        out="out", dtypes=(*FLOATS, INT8, UINT8, INT32, INT64), broadcasts=True,
        numbers=(NumberFrom("threshold", const(FLOAT)),),
        params=(Scalar("threshold", "What elements must exceed.", 0.0),),
        notes=("A threshold within 2^-23 of 0 counts as 0.",
               "The document supports the Ascend 950 only for threshold 0; the code does not "
               "check that."),
    )  # fmt: skip


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
    *operators(
        Unary(
            "aclnnRelu", "Cuts off what is negative.", relu,
            in_order(takes(FLOAT, FLOAT16, INT8, UINT8, INT32, INT64, BF16_ON_NEW), gives_same,
                     ranks_then_shape),
            "relu", computed=own, result=own, late=copied_format, is_done=_done_with_unsigned,
        ),
        Unary(
            "aclnnSquaredRelu", "The square of what is positive, 0 elsewhere.", squared_relu,
            in_order(takes(FLOAT, FLOAT16, BF16_ON_NEW), gives_same, gives_same_shape),
            lambda torch, x: torch.relu(x) ** 2, computed=own, result=own,
            notes=("Upstream compares neither shapes nor ranks; its document demands equal "
                   "shapes, and so does aclhost.",),
        ),
    ),
    *with_twin(_add_relu),
    *with_twin(_leaky_relu),
    _leaky_relu_backward(),
    *with_twin(_threshold),
    _threshold_backward(),
    _heaviside(),
)  # fmt: skip
