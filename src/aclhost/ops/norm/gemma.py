# SPDX-License-Identifier: Apache-2.0
"""The norm by the root of the mean square with weights around 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aclhost.ops.norm.build import FLOATS, NEWER, float_or_same
from aclhost.ops.norm.rms import (
    EPSILON_PARAM,
    GAMMA,
    GENERATED,
    NOT_950,
    SUMS,
    call,
    draw,
    gamma_fits,
    rank_within,
    rstd_fits,
    statistics,
)
from aclhost.ops.norm.rms_goldens import rms
from aclhost.spec.call import Call
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import FLOAT
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    dims_positive,
    dtype_in,
    in_tiling,
    inside_storage,
    not_null,
    on_products,
    same_dtype,
    same_shape,
    scalar_at_least,
    supported_on,
    when,
)

if TYPE_CHECKING:
    from random import Random

    from aclhost.spec.golden import Array

Torch = Any


def golden(x: Array, gamma: Array, epsilon: float) -> tuple[Array, Array]:
    """Rows divided by the root of their mean square, times 1 + gamma."""
    return rms(x, 1 + gamma, epsilon)


def _torch(torch: Torch, x: Torch, gamma: Torch, epsilon: float) -> tuple[Torch, ...]:
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    rstd = torch.rsqrt((x**2).mean(axes, keepdim=True) + epsilon)
    return torch.nn.functional.rms_norm(x, gamma.shape, 1 + gamma, epsilon), rstd


def _draw(rng: Random) -> Call:
    drawn = draw(rng)
    return drawn.retyped(drawn.tensor("x").dtype, "gamma")


OP = Operator(
    "aclnnGemmaRmsNorm",
    summary="Norm of the last dimensions by the root of the mean square, scaled by 1 + gamma.",
    formula="`rstd = 1 / sqrt(mean(x^2) + epsilon)`, `y = x * rstd * (1 + gamma)` for each row",
    params=(
        TensorIn("x", "Input."), GAMMA, EPSILON_PARAM,
        TensorOut("yOut", "Result.", like="x", is_const=True), statistics("x"),
    ),
    checks=(
        not_null("x", "gamma", "yOut", "rstdOut"),
        dtype_in("x", *FLOATS), when(NOT_950, same_dtype("gamma", "x")),
        when(on_products(A950), float_or_same("gamma", "x")), same_dtype("yOut", "x"),
        dtype_in("rstdOut", FLOAT), supported_on(*NEWER),
        in_tiling(
            rank_within("x"), rank_within("gamma"), gamma_fits("x"), dims_positive("gamma", 0),
            same_shape("yOut", "x"), when(NOT_950, dims_positive("x", 0)), rstd_fits("x"),
            scalar_at_least("epsilon", 0.0),
        ),
        inside_storage("x", "gamma"),
    ),
    golden=golden,
    reference=_torch,
    ulps=8,
    ulps_from=1.0,  # weights that are almost -1
    draw=_draw,
    typical=lambda n: call(matrix_shape(n), 1, FLOAT),
    samples=(call((2, 3), 1, FLOAT), call((2, 3, 4), 2, FLOAT)),
    notes=(SUMS, GENERATED),
)  # fmt: skip
