# SPDX-License-Identifier: Apache-2.0
"""Whether elements are close to others, or one of a set."""

from __future__ import annotations

from aclhost.ops.pointwise.build import BROADCAST_SHAPES, pointwise_operator
from aclhost.ops.pointwise.checks import broadcast_to, delivered, given, listed, ranks
from aclhost.ops.pointwise.comparison import PLAIN, Dtypes
from aclhost.ops.pointwise.declare import NEW_BF16, REALS, Torch, with_sample
from aclhost.ops.pointwise.deduction import (
    by_product,
    combined_with_default,
    first_match,
    is_floating,
)
from aclhost.spec import math
from aclhost.spec.dtypes import BOOL, DOUBLE, FLOAT, INT8, INT16, INT32, INT64, UINT8
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Flag, Scalar, TensorIn, TensorOut
from aclhost.spec.pointwise import NumberFrom, Pointwise
from aclhost.spec.rules import dtype_in, inner, same_dtype, same_shape
from aclhost.spec.shapes import Broadcast
from aclhost.spec.terms import DtypeOf, In, Promote, ValueOf, const


def close(x: Element, y: Element, rtol: Element, atol: Element, equal_nan: Element) -> Element:
    """Equal, or off by at most atol and the share rtol of the second."""
    off = abs(math.cast(x - y, "real"))
    bound = atol + abs(rtol * math.cast(y, "real"))
    if x.is_integer:  # where a difference wraps, its sign is wrong
        wide = abs(math.cast(x, "real") - math.cast(y, "real"))
        return (x == y) | (math.where((x - y < 0) == (x < y), off, wide) <= bound)
    near = math.isfinite(off) & (off <= bound)
    return (x == y) | near | (math.isnan(x) & math.isnan(y) & equal_nan)


def _torch_isclose(
    torch: Torch, self: Torch, other: Torch, rtol: float, atol: float, equal_nan: bool
) -> Torch:
    return torch.isclose(self, other, rtol, atol, bool(equal_nan))


def _is_close() -> Operator:
    own = DtypeOf("self")
    return pointwise_operator(
        "aclnnIsClose", "Whether each element is close to that of the other tensor.",
        (TensorIn("self", "First operand."), TensorIn("other", "Second operand."),
         Double("rtol", "Tolerated share of the second operand.", 1e-5),
         Double("atol", "Tolerated difference.", 1e-8),
         Flag("equalNan", "Whether NaN is close to NaN.", False),
         TensorOut("out", "Result.", shape=Broadcast(("self", "other")), dtype=const(BOOL))),
        (given("self", "other", "out"), listed(("self", "other"), *PLAIN, NEW_BF16),
         same_dtype("other", "self"), ranks("self", "other"), broadcast_to("out", "self", "other"),
         delivered("aclnnIsClose", "out", ("self", "other")), inner(dtype_in("out", BOOL))),
        Pointwise(
            ("self", "other"), ("out",),
            (NumberFrom("rtol", const(FLOAT)), NumberFrom("atol", const(FLOAT)),
             NumberFrom("equalNan", const(BOOL))),
            first_match((In(own, (DOUBLE, INT64)), own), otherwise=FLOAT), close,
            (FLOAT, DOUBLE, INT64),
        ),
        reference=_torch_isclose, shapes=BROADCAST_SHAPES,
        notes=("The tolerances are rounded to FLOAT and may be negative; torch refuses that.",
               "Infinite differences are never close, as on Atlas A2; Ascend 950 asks only whether "
               "the second operand is finite."),
    )  # fmt: skip


_LISTED: Dtypes = (*(each for each in PLAIN if each is not BOOL), NEW_BF16)


def _torch_isin(torch: Torch, element: Torch, test_element: Torch) -> Torch:
    return torch.isin(element, test_element)


def _is_in_tensor_scalar() -> Operator:
    element, test = DtypeOf("element"), DtypeOf("testElement")
    others = first_match(
        (is_floating(element), element), (is_floating(test), Promote(test, element)),
        otherwise=element,
    )  # fmt: skip
    computed = by_product(combined_with_default(element, test), others)
    op = pointwise_operator(
        "aclnnIsInTensorScalar", "Whether each element equals a scalar, or does not.",
        (TensorIn("element", "Elements."), Scalar("testElement", "What to look for."),
         Flag("assumeUnique", "Without effect.", False),
         Flag("invert", "Whether to tell which elements differ instead.", False),
         TensorOut("out", "Result.", like="element", dtype=const(BOOL))),
        (given("element", "testElement", "out"), listed(("element", "testElement"), *_LISTED),
         dtype_in("out", BOOL), ranks("element", "out"), same_shape("out", "element"),
         delivered("aclnnIsInTensorScalar", "out", ("element",))),
        Pointwise(
            ("element",), ("out",), (NumberFrom("testElement", computed),), computed,
            lambda x, y: x == y, (*REALS, INT8, INT16, INT32, INT64, UINT8),
            variants=(lambda x, y: x != y,), variant=ValueOf("invert"),
        ),
        reference=_torch_isin,
    )  # fmt: skip
    return with_sample(op, lambda call: call.passing(invert=True))


OPS = (_is_close(), _is_in_tensor_scalar())
