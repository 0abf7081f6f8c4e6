# SPDX-License-Identifier: Apache-2.0
"""Products with a logarithm, 0 where the factor is 0."""

from __future__ import annotations

from aclhost.ops.pointwise.checks import (
    castable_from,
    delivered,
    given,
    listed,
    ranks,
    shape_of,
    shapes_fit,
)
from aclhost.ops.pointwise.declare import NEW_BF16, Row, Torch, declare, with_twin
from aclhost.ops.pointwise.deduction import floating_or_float, replaced
from aclhost.spec import math
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, INT8, INT16, INT32, INT64, UINT8
from aclhost.spec.expression import Element
from aclhost.spec.operator import Operator
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    broadcastable,
    done_when_empty,
    fits_shape,
    inner,
    inside_storage,
    not_private,
    same_dtype,
    supported_on,
)
from aclhost.spec.shapes import Broadcast
from aclhost.spec.terms import DtypeOf, Promote, promoted

_TABLE = (FLOAT, INT32, INT64, FLOAT16, INT8, UINT8, BOOL, INT16, NEW_BF16)
_DTYPES = (FLOAT, FLOAT16, BF16)
_SUMMARY = "Product of the first operand and the logarithm of the second."
_NOT_950 = ("Ascend 950 is not among the documented products, although upstream's code serves it.",)


def xlogy(x: Element, y: Element) -> Element:
    """NaN where y is NaN, else 0 where x is 0."""
    zero = math.logical_and(x == 0, math.logical_not(math.isnan(y)))
    return math.where(zero, 0.0, x * math.log(y))


def xlog1py(x: Element, y: Element) -> Element:
    """The same with log(1 + y)."""
    zero = math.logical_and(x == 0, math.logical_not(math.isnan(y)))
    return math.where(zero, 0.0, x * math.log1p(y))


def _torch_xlogy(torch: Torch, x: Torch, y: Torch) -> Torch:
    return torch.xlogy(x, y)


def _tensors(prefix: str, x: str, out: str) -> Operator:
    name, computed = f"{prefix}XLogYTensor", floating_or_float(promoted(x, "other"))
    return declare(Row(
        name, _SUMMARY,
        (given(x, "other", out), listed((x, "other"), *_TABLE), shapes_fit(out, x, "other"),
         delivered(name, out, (x, "other"), computed)),
        xlogy, (x, "other"), out, computed, _DTYPES, _torch_xlogy, ulps=4, mixed=(FLOAT16, INT32),
        notes=("The documented rule that what is computed converts to the result is not enforced.",
               *_NOT_950),
    ))  # fmt: skip


def _scalar(name: str, scalar: str, tensor: str, out: str) -> Operator:
    pair = sorted((scalar, tensor), key=lambda each: each == "other")
    computed = replaced(floating_or_float(Promote(*map(DtypeOf, pair))), FLOAT, DOUBLE)
    of_tensor, of_scalar = listed((tensor,), *_TABLE), listed((scalar,), *_TABLE, DOUBLE)
    first = scalar == pair[0]
    return declare(Row(
        name, _SUMMARY,
        (given(*pair, out), *((of_scalar, of_tensor) if first else (of_tensor, of_scalar)),
         castable_from(out, computed), ranks(tensor), shape_of(out, tensor),
         delivered(name, out, (tensor,), computed)),
        (lambda y, x: xlogy(x, y)) if first else xlogy, (tensor,), out, computed, _DTYPES,
        (lambda torch, y, x: torch.xlogy(x, y)) if first else _torch_xlogy,
        numbers=(scalar,), ulps=4, notes=_NOT_950,
    ))  # fmt: skip


def _xlog1py() -> Operator:
    inputs = ("x", "y")
    return declare(Row(
        "aclnnXlog1py", "Product of the first operand and the logarithm of 1 plus the second.",
        (given("x", "y", "z"), same_dtype("y", "x"), same_dtype("z", "x"),
         listed(("x",), FLOAT, FLOAT16, BF16), not_private("x", "y", "z"), ranks("x", "y", "z"),
         done_when_empty("x", "y"), inner(broadcastable("y", "x")), supported_on(A950),
         inside_storage("x", "y"),
         inner(fits_shape("z", Broadcast(inputs), "to which x and y broadcast"))),
        xlog1py, inputs, "z", DtypeOf("x"), _DTYPES,
        lambda torch, x, y: torch.special.xlog1py(x, y), ulps=4,
        docs={"x": "First operand.", "y": "Second operand.", "z": "Result."},
    ))  # fmt: skip


OPS = (
    *with_twin(_tensors),
    _scalar("aclnnXLogYScalarOther", "other", "self", "out"),
    _scalar("aclnnInplaceXLogYScalarOther", "other", "selfRef", "selfRef"),
    _scalar("aclnnXLogYScalarSelf", "self", "other", "out"),
    _xlog1py(),
)
