# SPDX-License-Identifier: Apache-2.0
"""Layer norm and its gradient."""

from __future__ import annotations

from random import Random

from aclhost.ops.norm.build import (
    EPSILON,
    FLOATS,
    MASK,
    MASKS,
    NEWER,
    TABLE,
    elements_are,
    float_or_same,
    gradient_out,
    if_given,
    mask_checks,
    mask_param,
    masked,
    not_empty,
    nothing_wanted,
    parameter_dtype,
    rows_of,
    wanted,
)
from aclhost.ops.norm.layer_goldens import (
    golden,
    golden_gradient,
    terms,
    torch_gradient,
    torch_norm,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, IntArray, TensorIn, TensorOut
from aclhost.spec.products import A950, P310B, P310P, T910
from aclhost.spec.rules import (
    Condition,
    Rule,
    at_least_values,
    done_when,
    dtype_in,
    fits_shape,
    inner,
    inside_storage,
    is_given,
    not_null,
    on_products,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ArrayShape, ElementsOf, LastDims, LastReduced, SameShape, ShapeOf
from aclhost.spec.terms import AtMost, DtypeOf, Empty, Equal, LengthOf, Not, RankOf, all_of, const

_SHAPE, _WEIGHT, _BIAS = "normalizedShape", "weightOptional", "biasOptional"
_MEAN, _RSTD = "meanOutOptional", "rstdOutOptional"
_COUNT = LengthOf(_SHAPE)
_STATISTICS = LastReduced("input", _COUNT)
_ROWS = rows_of("input", _COUNT)
_COLUMNS = ElementsOf(LastDims("input", _COUNT))
_ONES = "of input, with 1 for the dimensions of normalizedShape"
_BOTH = Condition(
    all_of(is_given(_WEIGHT).term, is_given(_BIAS).term), f"{_WEIGHT} and {_BIAS} are given"
)


def _normalized_shape() -> tuple[Rule, ...]:
    """How the dimensions that are normalised lie in the input."""
    return (
        *at_least_values(_SHAPE, 1),
        *requires(
            "rank_at_least", "input", AtMost(_COUNT, RankOf("input")),
            f"input must have at least as many dimensions as {_SHAPE} has values",
            ("rank ", Shown("integer", RankOf("input"))), f"Shorten {_SHAPE}.",
        ),
    )  # fmt: skip


def _rank_fits(parameter: str) -> tuple[Rule, ...]:
    return requires(
        "rank_fits", parameter, Equal(RankOf(parameter), _COUNT),
        f"{parameter} must have as many dimensions as {_SHAPE} has values",
        ("rank ", Shown("integer", RankOf(parameter))), f"Reshape {parameter} to {_SHAPE}.",
    )  # fmt: skip


_LAST = requires(
    "last_dims", _SHAPE, SameShape(LastDims("input", _COUNT), ArrayShape(_SHAPE)),
    f"{_SHAPE} must be the last dimensions of input",
    (Shown("array", _SHAPE), " for ", Shown("shape", ShapeOf("input"))),
    "Pass the lengths of the dimensions to normalise.",
)  # fmt: skip


def _forward_call(
    shape: tuple[int, ...], count: int, dtype: DataType, parameters: DataType | None = FLOAT,
    statistics: DataType = FLOAT,
) -> Call:  # fmt: skip
    rank = len(shape)
    last, ones = shape[rank - count :], (*shape[: rank - count], *(1,) * count)
    parameter = TensorArg(last, parameters) if parameters else None
    return Call(
        {
            "input": TensorArg(shape, dtype),
            _SHAPE: last,
            _WEIGHT: parameter,
            _BIAS: parameter,
            "eps": EPSILON,
            "out": TensorArg(shape, dtype),
            _MEAN: TensorArg(ones, statistics),
            _RSTD: TensorArg(ones, statistics),
        }
    )


def _backward_call(
    shape: tuple[int, ...], count: int, dtype: DataType, parameters: DataType | None = FLOAT,
    mask: tuple[bool, ...] = (True, True, True),
) -> Call:  # fmt: skip
    rank = len(shape)
    last, ones = shape[rank - count :], (*shape[: rank - count], *(1,) * count)
    parameter = TensorArg(last, parameters) if parameters else None
    of_parameters = TensorArg(last, parameters or dtype)
    outputs = masked(mask, TensorArg(shape, dtype), of_parameters, of_parameters)
    return Call(
        {
            "gradOut": TensorArg(shape, dtype),
            "input": TensorArg(shape, dtype),
            _SHAPE: last,
            "mean": TensorArg(ones, span=(-1.0, 1.0)),
            "rstd": TensorArg(ones, span=(0.5, 1.5)),
            _WEIGHT: parameter,
            _BIAS: parameter,
            MASK: mask,
            "gradInputOut": outputs[0],
            "gradWeightOut": outputs[1],
            "gradBiasOut": outputs[2],
        }
    )


def drawn_rows(rng: Random) -> tuple[tuple[int, ...], int]:
    """A shape, and how many last dimensions of it are a row."""
    shape = tuple(
        rng.choice(((5, 7), (3, 4, 5), (2, 3, 70), (200, 9), (3, 1100), (2, 1, 3, 4), (6,), (1, 1)))
    )
    return shape, rng.randint(1, len(shape))


def _draw_forward(rng: Random) -> Call:
    (shape, count), dtype = drawn_rows(rng), rng.choice(FLOATS)
    parameters = rng.choice((None, parameter_dtype(rng, dtype)))
    return _forward_call(shape, count, dtype, parameters, rng.choice((FLOAT, dtype)))


def _draw_backward(rng: Random) -> Call:
    (shape, count), dtype = drawn_rows(rng), rng.choice(FLOATS)
    parameters = rng.choice((None, parameter_dtype(rng, dtype)))
    return _backward_call(shape, count, dtype, parameters, rng.choice(MASKS))


_NORMALIZED = IntArray(_SHAPE, "The last dimensions, which are normalised together.", length=1)
_WEIGHTS = (
    TensorIn(_WEIGHT, "Factor for each element of a row; 1 if it is left out.", optional=True),
    TensorIn(_BIAS, "What is added to it; 0 if it is left out.", optional=True),
)
_SUMS = "Sums are added in an order that follows from the shape; the mean is subtracted unrounded."

FORWARD = Operator(
    "aclnnLayerNorm",
    summary="Norm of the last dimensions: mean 0 and variance 1, then scaled and shifted.",
    formula="`rstd = 1 / sqrt(mean((input - mean)^2) + eps)`, "
    "`out = (input - mean) * rstd * weight + bias` for each row",
    params=(
        TensorIn("input", "Input."),
        _NORMALIZED,
        *_WEIGHTS,
        Double("eps", "Added to the variance.", EPSILON),
        TensorOut("out", "Result.", like="input"),
        TensorOut(_MEAN, "Mean of each row.", shape=_STATISTICS, dtype=const(FLOAT), optional=True),
        TensorOut(_RSTD, "Inverse of each row's deviation.", shape=_STATISTICS, dtype=const(FLOAT),
                  optional=True),
    ),
    checks=(
        not_null("input", _SHAPE, "out"),
        dtype_in("input", *TABLE),
        if_given(_WEIGHT, dtype_in(_WEIGHT, *TABLE), float_or_same(_WEIGHT, "input")),
        if_given(_BIAS, dtype_in(_BIAS, *TABLE), float_or_same(_BIAS, "input")),
        when(_BOTH, same_dtype(_WEIGHT, _BIAS)),
        dtype_in("out", *TABLE),
        *(if_given(name, dtype_in(name, *TABLE)) for name in (_MEAN, _RSTD)),
        rank_at_most("input", 8), rank_at_most("out", 8),
        *(if_given(name, rank_at_most(name, 8)) for name in (_WEIGHT, _BIAS, _MEAN, _RSTD)),
        _normalized_shape(),
        *(if_given(name, _rank_fits(name)) for name in (_WEIGHT, _BIAS)),
        _LAST,
        *(if_given(name, shape_is(name, ArrayShape(_SHAPE), _SHAPE)) for name in (_WEIGHT, _BIAS)),
        same_shape("out", "input"),
        *(when(Condition(all_of(on_products(A950).term, not_empty(name).term),
                         f"the product is {A950} and {name} is given and not empty"),
               shape_is(name, _STATISTICS, _ONES)) for name in (_MEAN, _RSTD)),
        done_when(Condition(Equal(_ROWS, const(0)), "there are no rows")),
        supported_on(*NEWER, P310B, T910),
        *(when(Condition(all_of(is_given(name).term, Not(Empty("input"))),
                         f"{name} is given and input is not empty"),
               inner(fits_shape(name, _STATISTICS, _ONES))) for name in (_MEAN, _RSTD)),
        inside_storage("input", _WEIGHT, _BIAS),
    ),
    golden=golden,
    reference=torch_norm,
    ulps=8,
    ulps_from=1.0,
    draw=_draw_forward,
    typical=lambda n: _forward_call(matrix_shape(n), 1, FLOAT),
    samples=(
        _forward_call((2, 3), 1, FLOAT),
        _forward_call((2, 3, 4), 2, FLOAT16),
        _forward_call((3, 2), 1, BF16),
        _forward_call((5,), 1, FLOAT, None),
    ),
    notes=(_SUMS, "The result is rounded to input's dtype, then cast to out's.",
           "Of rows without elements the mean is 0 and the inverse of the deviation NaN."),
)  # fmt: skip

BACKWARD = Operator(
    "aclnnLayerNormBackward",
    summary="Gradients of the layer norm.",
    formula="With `xhat = (input - mean) * rstd` and `g = gradOut * weight`: "
    "`gradInput = rstd * (g - mean(g) - xhat * mean(g * xhat))` for each row, "
    "`gradWeight = sum(gradOut * xhat)` and `gradBias = sum(gradOut)` over the rows",
    params=(
        TensorIn("gradOut", "Gradient of the result."),
        TensorIn("input", "The forward's input."),
        _NORMALIZED,
        TensorIn("mean", "Mean of each row."),
        TensorIn("rstd", "Inverse of each row's deviation."),
        *_WEIGHTS,
        mask_param(),
        gradient_out("gradInputOut", "Gradient of input.", 0, "input"),
        gradient_out("gradWeightOut", "Gradient of the weight.", 1, "input", ArrayShape(_SHAPE),
                     DtypeOf("input")),
        gradient_out("gradBiasOut", "Gradient of the bias.", 2, "input", ArrayShape(_SHAPE),
                     DtypeOf("input")),
    ),
    checks=(
        not_null("gradOut", "input", _SHAPE, "mean", "rstd", MASK),
        mask_checks("gradInputOut", "gradWeightOut", "gradBiasOut"),
        *(dtype_in(name, *FLOATS) for name in ("gradOut", "input", "mean", "rstd")),
        same_dtype("gradOut", "input"),
        if_given(_WEIGHT, dtype_in(_WEIGHT, *FLOATS), float_or_same(_WEIGHT, "input")),
        *(if_given(name, dtype_in(name, *FLOATS))
          for name in (_BIAS, "gradInputOut", "gradWeightOut", "gradBiasOut")),
        *(rank_at_most(name, 8) for name in ("gradOut", "input", "mean", "rstd")),
        when(wanted(0), rank_at_most("gradInputOut", 8)),
        when(wanted(1), rank_at_most("gradWeightOut", 8)),
        when(wanted(2), rank_at_most("gradBiasOut", 8)),
        _normalized_shape(), _LAST,
        *(if_given(name, rank_at_most(name, 8), _rank_fits(name),
                   shape_is(name, ArrayShape(_SHAPE), _SHAPE)) for name in (_WEIGHT, _BIAS)),
        same_shape("gradOut", "input"), same_shape("mean", "rstd"),
        elements_are("mean", _ROWS, "an element for each row of input"),
        when(wanted(0), same_shape("gradInputOut", "input")),
        when(wanted(1), elements_are("gradWeightOut", _COLUMNS, "an element for each of a row's")),
        when(wanted(2), elements_are("gradBiasOut", _COLUMNS, "an element for each of a row's")),
        nothing_wanted(),
        supported_on(*NEWER, P310P, T910),
        when(wanted(1), inner(fits_shape("gradWeightOut", ArrayShape(_SHAPE), _SHAPE))),
        when(wanted(2), inner(fits_shape("gradBiasOut", ArrayShape(_SHAPE), _SHAPE))),
        inside_storage("gradOut", "input", "mean", "rstd", _WEIGHT),
    ),
    golden=golden_gradient,
    terms=terms,
    summed=("gradOut", "input", "mean", _WEIGHT),
    reference=torch_gradient,
    ulps=8,
    gradient=Gradient(
        "aclnnLayerNorm",
        {"gradInputOut": "input", "gradWeightOut": _WEIGHT, "gradBiasOut": _BIAS},
        {"gradOut": "out"},
        saved={"mean": _MEAN, "rstd": _RSTD},
        derived={MASK: lambda known: (True, known[_WEIGHT] is not None, known[_BIAS] is not None)},
    ),
    draw=_draw_backward,
    typical=lambda n: _backward_call(matrix_shape(n), 1, FLOAT),
    samples=(
        _backward_call((2, 3), 1, FLOAT),
        _backward_call((2, 3, 4), 2, FLOAT16, FLOAT, (True, False, True)),
        _backward_call((3, 2), 1, BF16, BF16),
        _backward_call((5, 4), 1, FLOAT, None, (False, True, False)),
    ),
    notes=(_SUMS, f"Upstream compares only some values of {_SHAPE} with input; aclhost all."),
)  # fmt: skip

OPS = (FORWARD, BACKWARD)
