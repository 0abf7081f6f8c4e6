# SPDX-License-Identifier: Apache-2.0
"""aclnnElu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import BF16, COMPLEX128, DOUBLE, FLOAT, FLOAT16, INT64
from aclhost.spec.operator import Operator
from aclhost.spec.params import Scalar, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    castable_scalars,
    castable_to,
    done_when_empty,
    dtype_in,
    final_cast,
    inside_storage,
    not_finite,
    not_null,
    rank_at_most,
    same_format_unless_nd,
    same_shape,
    supported_on,
    when,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

FORMULA = (
    "With x the input:\n\n"
    "- x > 0: `scale * x`\n"
    "- x <= 0 or NaN: `scale * alpha * (exp(inputScale * x) - 1)`, evaluated with expm1\n\n"
    "When alpha or inputScale is infinite or NaN, the exponential is not evaluated: the result is "
    "`scale * (-alpha)` for x <= 0 and `scale * x` otherwise, NaN staying NaN.\n\n"
    "The exponential is within 2 ulp of FLOAT and DOUBLE. For FLOAT16 and BFLOAT16 it is within "
    "2e-5 of itself: a few results in a thousand are the second nearest number."
)
SCALARS = (
    Scalar("alpha", "Saturation value of the negative part.", default=1.0),
    Scalar("scale", "Factor of the result.", default=1.0),
    Scalar("inputScale", "Factor of the input inside the exponential.", default=1.0),
)
NOTES = (
    "The scalars are converted to float first; DOUBLE tensors are then computed in double "
    "throughout. Upstream passes them on with six decimals for DOUBLE and computes the infinite "
    "and NaN cases in float; aclhost does neither.",
    "The documents list fewer dtypes for some products; upstream's code, and so aclhost, accepts "
    "the same four everywhere.",
)


def golden(self: Array, alpha: float, scale: float, input_scale: float) -> Array:
    """One expression for each side of zero."""
    import numpy as np

    if not (np.isfinite(alpha) and np.isfinite(input_scale)):
        return scale * np.where(self <= 0, -alpha, self)
    return scale * np.where(self > 0, self, alpha * np.expm1(input_scale * self))


def _call(x: TensorArg, out: TensorArg, alpha: float = 2.0) -> Call:
    return Call(
        {
            "self": x,
            "alpha": ScalarArg(alpha, DOUBLE),
            "scale": ScalarArg(3, INT64),
            "inputScale": ScalarArg(0.5),
            "out": out,
        }
    )


OP = Operator(
    "aclnnElu",
    summary="Exponential linear unit.",
    formula=FORMULA,
    params=(
        TensorIn("self", "Input."),
        *SCALARS,
        TensorOut("out", "Result.", like="self"),
    ),
    checks=(
        not_null("self", "alpha", "scale", "inputScale", "out"),
        dtype_in("self", FLOAT, FLOAT16, DOUBLE, BF16),
        castable_scalars(FLOAT, "scale", "alpha", "inputScale"),
        castable_to("out", "self"),
        same_shape("out", "self"),
        rank_at_most("self", 8),
        done_when_empty("self"),
        supported_on(A950, A3, A2, P310P, T910),
        inside_storage("self"),
        when(not_finite("alpha", "inputScale"), same_format_unless_nd("out", "self")),
        final_cast("out", "self"),
    ),
    golden=golden,
    elementwise=("self",),
    samples=(
        _call(TensorArg((3,), values=(-1.0, 0.0, 2.0)), TensorArg((3,))),
        _call(TensorArg((4, 5), DOUBLE), TensorArg((4, 5), DOUBLE)),
        _call(TensorArg((2, 3), BF16, strides=(-3, 1), offset=3), TensorArg((2, 3), BF16)),
        _call(TensorArg((6,), FLOAT16), TensorArg((6,), COMPLEX128)),
        _call(TensorArg((3,), values=(-1.0, 0.0, 2.0)), TensorArg((3,)), alpha=float("inf")),
    ),
    notes=NOTES,
)
