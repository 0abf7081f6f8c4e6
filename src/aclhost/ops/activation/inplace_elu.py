# SPDX-License-Identifier: Apache-2.0
"""aclnnInplaceElu: aclnnElu with the result in place of the input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclhost.ops.activation import elu
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorInOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    castable_scalars,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    rank_at_most,
    supported_on,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array


def golden(self_ref: Array, alpha: float, scale: float, input_scale: float) -> Array:
    """The same as out of place."""
    return elu.golden(self_ref, alpha, scale, input_scale)


def _call(x: TensorArg) -> Call:
    return Call(
        {
            "selfRef": x,
            "alpha": ScalarArg(2.0),
            "scale": ScalarArg(3.0),
            "inputScale": ScalarArg(0.5, BF16),
        }
    )


OP = Operator(
    "aclnnInplaceElu",
    summary="Exponential linear unit that overwrites its input.",
    formula=elu.FORMULA,
    params=(TensorInOut("selfRef", "Input, and the result in its place."), *elu.SCALARS),
    checks=(
        not_null("selfRef", "alpha", "scale", "inputScale"),
        dtype_in("selfRef", FLOAT, FLOAT16, DOUBLE, BF16),
        castable_scalars(FLOAT, "scale", "alpha", "inputScale"),
        rank_at_most("selfRef", 8),
        done_when_empty("selfRef"),
        supported_on(A950, A3, A2, P310P, T910),
        inside_storage("selfRef"),
    ),
    golden=golden,
    samples=(
        _call(TensorArg((3,), values=(-1.0, 0.0, 2.0))),
        _call(TensorArg((3, 4), FLOAT16, strides=(1, 3))),
        _call(TensorArg((4, 5), DOUBLE)),
    ),
    notes=elu.NOTES,
)
