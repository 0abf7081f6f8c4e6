# SPDX-License-Identifier: Apache-2.0
"""Norms by the root of the mean square, with a sum before them, and the gradient."""

from __future__ import annotations

from random import Random

from aclhost.ops.norm.build import (
    FLOATS,
    NEWER,
    TABLE,
    elements_are,
    float_or_same,
    parameter_dtype,
    rows_of,
)
from aclhost.ops.norm.layer import drawn_rows
from aclhost.ops.norm.rms_goldens import (
    golden,
    golden_gradient,
    golden_in_place,
    golden_sum,
    terms,
    torch_gradient,
    torch_norm,
    torch_sum,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, TensorIn, TensorInOut, TensorOut
from aclhost.spec.products import A950, P310P
from aclhost.spec.rules import (
    Condition,
    Rule,
    dims_positive,
    done_when_empty,
    dtype_in,
    in_tiling,
    inner,
    inside_storage,
    is_given,
    not_null,
    on_products,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    scalar_at_least,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import LastDims, LastReduced
from aclhost.spec.terms import AtMost, Not, Present, ProductIn, RankOf, const

_EPSILON = 1e-6
_SUPPORTED = supported_on(*NEWER, P310P)
_COUNT = RankOf("gamma")
_NOT_310P = Condition(Not(ProductIn((P310P,))), f"the product is not {P310P}")
NOT_950 = Condition(Not(ProductIn((A950,))), f"the product is not {A950}")
GAMMA = TensorIn("gamma", "Factor for each element of a row: its shape ends that of the input.")
EPSILON_PARAM = Double("epsilon", "Added to the mean square.", _EPSILON)
SUMS = "Sums are added in an order that follows from the shape."
_FORMULA = "`rstd = 1 / sqrt(mean(x^2) + epsilon)`, `y = x * rstd * gamma` for each row"
GENERATED = (
    "Upstream generates the checks of this operator; aclhost demands the documented shapes, but "
    "for rstd, of which only the number of elements counts."
)


def rank_within(parameter: str) -> tuple[Rule, ...]:
    """From one to eight dimensions."""
    return (*rank_at_least(parameter, 1), *rank_at_most(parameter, 8))


def gamma_fits(x: str) -> tuple[Rule, ...]:
    """Its shape ends that of x."""
    return (
        *requires(
            "rank_fits", "gamma", AtMost(_COUNT, RankOf(x)),
            f"gamma must not have more dimensions than {x}",
            ("rank ", Shown("integer", _COUNT)), "Reshape gamma.",
        ),
        *shape_is("gamma", LastDims(x, _COUNT), f"of the last dimensions of {x}"),
    )  # fmt: skip


def rstd_fits(x: str) -> tuple[Rule, ...]:
    """There is one for each row, in any shape: clients leave out the lengths of 1 at the end."""
    return elements_are("rstdOut", rows_of(x, _COUNT), f"an element for each row of {x}")


def _gamma_dtype(x: str) -> tuple[Rule, ...]:
    """FLOAT for narrower inputs, too, but for the inference series."""
    return (
        *when(_NOT_310P, float_or_same("gamma", x)),
        *when(on_products(P310P), same_dtype("gamma", x)),
    )


def _ones(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    return (*shape[: len(shape) - count], *(1,) * count)


def call(shape: tuple[int, ...], count: int, dtype: DataType, gamma: DataType = FLOAT) -> Call:
    """A norm of so many last dimensions."""
    return Call(
        {
            "x": TensorArg(shape, dtype),
            "gamma": TensorArg(shape[len(shape) - count :], gamma),
            "epsilon": _EPSILON,
            "yOut": TensorArg(shape, dtype),
            "rstdOut": TensorArg(_ones(shape, count), FLOAT),
        }
    )


def _sum_call(shape: tuple[int, ...], count: int, dtype: DataType) -> Call:
    return Call(
        {
            "x1": TensorArg(shape, dtype),
            "x2": TensorArg(shape, dtype),
            "gamma": TensorArg(shape[len(shape) - count :], dtype),
            "epsilon": _EPSILON,
            "yOut": TensorArg(shape, dtype),
            "rstdOut": TensorArg(_ones(shape, count), FLOAT),
            "xOut": TensorArg(shape, dtype),
        }
    )


def _in_place_call(shape: tuple[int, ...], count: int, dtype: DataType) -> Call:
    return Call(
        {
            "x1Ref": TensorArg(shape, dtype),
            "x2Ref": TensorArg(shape, dtype),
            "gamma": TensorArg(shape[len(shape) - count :], dtype),
            "epsilon": _EPSILON,
            "rstdOut": TensorArg(_ones(shape, count), FLOAT),
        }
    )


def _gradient_call(
    shape: tuple[int, ...], count: int, dtype: DataType, gamma: DataType = FLOAT
) -> Call:
    last = shape[len(shape) - count :]
    return Call(
        {
            "dy": TensorArg(shape, dtype),
            "x": TensorArg(shape, dtype),
            "gamma": TensorArg(shape[len(shape) - count :], gamma),
            "rstd": TensorArg(_ones(shape, count), FLOAT, span=(0.5, 1.5)),
            "dxOut": TensorArg(shape, dtype),
            "dgammaOut": TensorArg(last, FLOAT),
        }
    )


def _drawn(rng: Random) -> tuple[tuple[int, ...], int, DataType]:
    shape, count = drawn_rows(rng)
    return shape, count, rng.choice(FLOATS)


def draw(rng: Random) -> Call:
    """Rows, and weights of their dtype or FLOAT."""
    shape, count, dtype = _drawn(rng)
    return call(shape, count, dtype, parameter_dtype(rng, dtype))


def _draw_gradient(rng: Random) -> Call:
    shape, count, dtype = _drawn(rng)
    return _gradient_call(shape, count, dtype, parameter_dtype(rng, dtype))


def statistics(x: str) -> TensorOut:
    """One for each row of x."""
    return TensorOut("rstdOut", "Inverse of each row's root.", shape=LastReduced(x, _COUNT),
                     dtype=const(FLOAT), is_const=True)  # fmt: skip


NORM = Operator(
    "aclnnRmsNorm",
    summary="Norm of the last dimensions by the root of the mean square, then scaled.",
    formula=_FORMULA,
    params=(
        TensorIn("x", "Input."), GAMMA, EPSILON_PARAM,
        TensorOut("yOut", "Result.", like="x", is_const=True), statistics("x"),
    ),
    checks=(
        not_null("x", "gamma", "yOut", "rstdOut"),
        dtype_in("x", *TABLE), _gamma_dtype("x"), same_dtype("yOut", "x"),
        dtype_in("rstdOut", FLOAT), _SUPPORTED,
        in_tiling(
            rank_within("x"), rank_within("gamma"), gamma_fits("x"), dims_positive("gamma", 0),
            same_shape("yOut", "x"), when(NOT_950, dims_positive("x", 0)), rstd_fits("x"),
            scalar_at_least("epsilon", 0.0),
        ),
        inside_storage("x", "gamma"),
    ),
    golden=golden,
    reference=torch_norm,
    ulps=8,
    draw=draw,
    typical=lambda n: call(matrix_shape(n), 1, FLOAT),
    samples=(
        call((2, 3), 1, FLOAT), call((2, 3, 4), 2, FLOAT16), call((3, 2), 2, BF16),
    ),
    notes=(SUMS, GENERATED),
)  # fmt: skip

GRADIENT = Operator(
    "aclnnRmsNormGrad",
    summary="Gradients of the norm by the root of the mean square.",
    formula="With `xhat = x * rstd` and `g = dy * gamma`: "
    "`dx = rstd * (g - xhat * mean(g * xhat))` for each row, "
    "`dgamma = sum(dy * xhat)` over the rows",
    params=(
        TensorIn("dy", "Gradient of the result."), TensorIn("x", "The forward's input."),
        TensorIn("rstd", "Inverse of each row's root."), GAMMA,
        TensorOut("dxOut", "Gradient of x.", like="x", is_const=True),
        TensorOut("dgammaOut", "Gradient of gamma.", like="gamma", dtype=const(FLOAT),
                  is_const=True),
    ),
    checks=(
        not_null("dy", "x", "rstd", "gamma", "dxOut", "dgammaOut"),
        dtype_in("dy", *TABLE), same_dtype("x", "dy"), dtype_in("rstd", FLOAT), _gamma_dtype("x"),
        same_dtype("dxOut", "dy"), dtype_in("dgammaOut", FLOAT), _SUPPORTED,
        in_tiling(
            rank_within("x"), rank_within("gamma"), same_shape("dy", "x"),
            same_shape("dxOut", "dy"), gamma_fits("x"), same_shape("dgammaOut", "gamma"),
            elements_are("rstd", rows_of("x", _COUNT), "an element for each row of x"),
            when(NOT_950, dims_positive("x", 0)),
        ),
        inside_storage("dy", "x", "rstd", "gamma"),
    ),
    golden=golden_gradient,
    terms=terms,
    summed=("dy", "x", "gamma"),
    reference=torch_gradient,
    ulps=8,
    gradient=Gradient(
        "aclnnRmsNorm", {"dxOut": "x", "dgammaOut": "gamma"}, {"dy": "yOut"},
        saved={"rstd": "rstdOut"},
    ),
    draw=_draw_gradient,
    typical=lambda n: _gradient_call(matrix_shape(n), 1, FLOAT),
    samples=(
        _gradient_call((2, 3), 1, FLOAT), _gradient_call((2, 3, 4), 2, FLOAT16),
        _gradient_call((3, 2), 2, BF16),
    ),
    notes=(SUMS, GENERATED),
)  # fmt: skip

_PARTLY = Condition(Not(Present("rstdOut")), "rstdOut is null")
_WHOLE = is_given("rstdOut")


SUM = Operator(
    "aclnnAddRmsNorm",
    summary="Norm of a sum by the root of the mean square, and the sum.",
    formula=f"`x = x1 + x2`, {_FORMULA}",
    params=(
        TensorIn("x1", "Input."), TensorIn("x2", "What is added."), GAMMA, EPSILON_PARAM,
        TensorOut("yOut", "Result.", like="x1"),
        TensorOut("rstdOut", "Inverse of each row's root; may be left out.", optional=True,
                  shape=LastReduced("x1", _COUNT), dtype=const(FLOAT)),
        TensorOut("xOut", "The sum; may be left out together with rstdOut.", like="x1",
                  optional=True),
    ),
    checks=(
        not_null("x1", "x2", "gamma", "yOut"), when(_WHOLE, not_null("xOut")),
        when(_PARTLY, dtype_in("x1", FLOAT16, BF16)),
        *(dtype_in(name, *TABLE) for name in ("x1", "x2", "gamma")),
        same_dtype("x2", "x1"), same_dtype("gamma", "x1"), same_dtype("yOut", "x1"),
        when(is_given("xOut"), same_dtype("xOut", "yOut")),
        when(_WHOLE, dtype_in("rstdOut", FLOAT)),
        *(rank_at_most(name, 8) for name in ("x1", "x2", "gamma")),
        *(rank_at_least(name, 1) for name in ("x1", "x2", "gamma")),
        same_shape("x2", "x1"), same_shape("yOut", "x1"),
        when(_WHOLE, rank_at_most("rstdOut", 8)),
        when(is_given("xOut"), same_shape("xOut", "x1")),
        done_when_empty("x1", "gamma"), _SUPPORTED,
        inner(gamma_fits("x1"), when(_WHOLE, rstd_fits("x1"))),
        inside_storage("x1", "x2", "gamma"),
    ),
    golden=golden_sum,
    reference=torch_sum,
    ulps=8,
    draw=lambda rng: _sum_call(*_drawn(rng)),
    typical=lambda n: _sum_call(matrix_shape(n), 1, FLOAT),
    samples=(_sum_call((2, 3), 1, FLOAT), _sum_call((2, 3, 4), 2, FLOAT)),
    notes=(
        SUMS, "The norm is that of the unrounded sum.",
        "Without rstdOut, FLOAT is refused, as upstream does it.",
    ),
)  # fmt: skip

IN_PLACE = Operator(
    "aclnnInplaceAddRmsNorm",
    summary="Norm of a sum by the root of the mean square; both take the inputs' place.",
    formula=f"`x = x1 + x2`, {_FORMULA}; y takes the place of x1Ref, x that of x2Ref",
    params=(
        TensorInOut("x1Ref", "Input, which becomes the norm."),
        TensorInOut("x2Ref", "What is added, which becomes the sum."),
        GAMMA, EPSILON_PARAM, statistics("x1Ref"),
    ),
    checks=(
        not_null("x1Ref", "x2Ref", "gamma", "rstdOut"),
        dtype_in("x1Ref", *TABLE), same_dtype("x2Ref", "x1Ref"), same_dtype("gamma", "x1Ref"),
        dtype_in("rstdOut", FLOAT), _SUPPORTED,
        in_tiling(
            rank_within("x1Ref"), rank_within("gamma"), same_shape("x2Ref", "x1Ref"),
            gamma_fits("x1Ref"), dims_positive("x1Ref", 0), rstd_fits("x1Ref"),
        ),
        inside_storage("x1Ref", "x2Ref", "gamma"),
    ),
    golden=golden_in_place,
    ulps=8,
    draw=lambda rng: _in_place_call(*_drawn(rng)),
    typical=lambda n: _in_place_call(matrix_shape(n), 1, FLOAT),
    samples=(_in_place_call((2, 3), 1, FLOAT), _in_place_call((2, 3, 4), 2, FLOAT)),
    notes=(SUMS, "The norm is that of the unrounded sum.", GENERATED,
           "The inference series leaves rstdOut undefined; aclhost writes it everywhere."),
)  # fmt: skip

OPS = (NORM, GRADIENT, SUM, IN_PLACE)
