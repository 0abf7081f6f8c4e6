# SPDX-License-Identifier: Apache-2.0
"""aclnnEluBackward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.dtypes import BF16, COMPLEX64, DOUBLE, FLOAT, FLOAT16
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Scalar, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    castable_scalars,
    castable_to,
    done_when_empty,
    dtype_in,
    final_cast,
    inside_storage,
    is_set,
    not_null,
    only_on,
    rank_at_most,
    same_dtype,
    same_shape,
    scalar_at_least,
    supported_on,
    when,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array


def golden(
    grad_output: Array,
    alpha: float,
    scale: float,
    input_scale: float,
    is_result: bool,
    self_or_result: Array,
) -> Array:
    """Both branches, then a choice by the sign of the input."""
    import numpy as np

    k = float(np.float32(alpha) * np.float32(scale))
    if is_result:
        negative = grad_output * input_scale * (self_or_result + k)
    else:
        negative = grad_output * input_scale * k * np.exp(self_or_result * input_scale)
    return np.where(self_or_result <= 0, negative, grad_output * scale)


_ONE = ScalarArg(1.0)


def _call(x: TensorArg, gradient: TensorArg, out: TensorArg, is_result: bool = False) -> Call:
    return Call(
        {
            "gradOutput": gradient,
            "alpha": ScalarArg(2.0),
            "scale": ScalarArg(3.0, DOUBLE),
            "inputScale": ScalarArg(0.5, FLOAT16),
            "isResult": is_result,
            "selfOrResult": x,
            "gradInput": out,
        }
    )


_LINE = TensorArg((2, 2), FLOAT, (-2.0, -1.0, 0.0, 1.0))
_STRIDED = TensorArg((3, 4), BF16, strides=(1, 3), offset=2)

OP = Operator(
    "aclnnEluBackward",
    summary="Gradient of ELU with respect to its input.",
    formula=(
        "With g = gradOutput, x = selfOrResult and k = alpha * scale:\n\n"
        "- x > 0 or NaN: `g * scale`\n"
        "- x <= 0, isResult: `g * inputScale * (x + k)`; x is the forward's result\n"
        "- x <= 0, not isResult: `g * inputScale * k * exp(x * inputScale)`; x is its input\n\n"
        "The exponential is within 2 ulp of FLOAT. For FLOAT16 and BFLOAT16 it is within 1e-5 of "
        "itself: a few results in a thousand are the second nearest number."
    ),
    params=(
        TensorIn("gradOutput", "Gradient of the forward's output."),
        Scalar("alpha", "Saturation value of the negative part.", default=1.0),
        Scalar("scale", "Factor of the result.", default=1.0),
        Scalar("inputScale", "Factor of the input inside the exponential.", default=1.0),
        Flag("isResult", "Whether selfOrResult is the forward's result.", default=False),
        TensorIn("selfOrResult", "The forward's input, or its result."),
        TensorOut("gradInput", "Gradient of the forward's input.", like="gradOutput"),
    ),
    checks=(
        not_null("gradOutput", "alpha", "scale", "inputScale", "selfOrResult", "gradInput"),
        same_dtype("selfOrResult", "gradOutput"),
        dtype_in("gradOutput", FLOAT, FLOAT16, only_on(BF16, A950, A3, A2)),
        castable_scalars(FLOAT, "alpha", "scale", "inputScale"),
        castable_to("gradInput", "gradOutput"),
        same_shape("selfOrResult", "gradOutput"),
        same_shape("gradInput", "gradOutput"),
        rank_at_most("gradOutput", 8),
        when(is_set("isResult"), scalar_at_least("alpha", 0.0)),
        done_when_empty("gradOutput"),
        supported_on(A950, A3, A2, P310P, T910),
        inside_storage("gradOutput", "selfOrResult"),
        final_cast("gradInput", "gradOutput"),
    ),
    golden=golden,
    elementwise=("gradOutput", "selfOrResult"),
    gradient=Gradient(
        "aclnnElu",
        results={"gradInput": "self"},
        given={"gradOutput": "out"},
        saved={"selfOrResult": "self"},
        derived={"isResult": lambda forward: False},
    ),
    samples=(
        Call(
            {
                "gradOutput": _LINE,
                "alpha": _ONE,
                "scale": _ONE,
                "inputScale": _ONE,
                "isResult": True,
                "selfOrResult": _LINE,
                "gradInput": TensorArg((2, 2), FLOAT),
            },
            note="the example of the document",
        ),
        _call(TensorArg((5, 7)), TensorArg((5, 7)), TensorArg((5, 7))),
        _call(_STRIDED, _STRIDED, TensorArg((3, 4), BF16), is_result=True),
        _call(TensorArg((4,), FLOAT16), TensorArg((4,), FLOAT16), TensorArg((4,), COMPLEX64)),
        _call(TensorArg(()), TensorArg(()), TensorArg((), DOUBLE)),
    ),
    notes=(
        "The documents allow gradInput FLOAT, FLOAT16 and BF16; upstream's code, and so aclhost, "
        "takes every dtype that gradOutput's converts to. The result is rounded to gradOutput's "
        "dtype first.",
        "Inf and NaN in the scalars propagate by arithmetic; aclnnElu treats them specially.",
        "The Atlas inference series rounds intermediate values to FLOAT16; aclhost rounds once.",
    ),
)
