# SPDX-License-Identifier: Apache-2.0
"""What products with weights of 8 or 4 bits check, in upstream's order."""

from __future__ import annotations

from aclhost.ops.matmul import quantised_results
from aclhost.spec.dtypes import (
    BF16,
    FLOAT,
    FLOAT16,
    INT4,
    INT8,
    INT32,
    INT64,
    UINT64,
)
from aclhost.spec.formats import ND
from aclhost.spec.matrices import DenseTransposed
from aclhost.spec.products import A2, A3, A950, P310P
from aclhost.spec.rules import (
    Condition,
    Rule,
    Step,
    contiguous,
    dims_positive,
    dtype_in,
    format_in,
    inner,
    not_null,
    on_products,
    one_of,
    only_on,
    rank_in,
    refused_unless_on,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, SameShape, ShapeOf
from aclhost.spec.status import Status
from aclhost.spec.terms import (
    AtMost,
    Const,
    Contiguous,
    DimOf,
    Divided,
    DtypeOf,
    Equal,
    If,
    In,
    Not,
    Or,
    Present,
    RankOf,
    Sum,
    Term,
    Times,
    ValueOf,
    all_of,
    any_of,
    const,
)

Rules = tuple[Rule, ...]
SCALE, OFFSET, BIAS = "antiquantScale", "antiquantOffsetOptional", "biasOptional"
QUANT = (quantised_results.SCALE, quantised_results.OFFSET)
_GROUP = ValueOf("antiquantGroupSize")
_PACKED = Equal(DtypeOf("weight"), const(INT32))
_TURNED = all_of(DenseTransposed("weight"), Not(Contiguous("weight")))
_EIGHT = Const(8)  # INT4 in an INT32, along the arrays of weight


def _unpacked(dim: int, packed: Term) -> Term:
    length = DimOf("weight", Const(dim))
    return If(all_of(_PACKED, packed), Times(length, _EIGHT), length)


_K, _N = _unpacked(0, _TURNED), _unpacked(1, Not(_TURNED))
RESULT = Lengths((DimOf("x", Const(0)), _N))
RESULT_DTYPE = If(quantised_results.QUANTISED, const(INT8), DtypeOf("x"))
_LIMIT = 65535
_IS_NARROW = Not(In(DtypeOf(SCALE), (UINT64, INT64)))
_NARROW = Condition(_IS_NARROW, f"{SCALE} is not of 64 bits")
_NARROW_OFFSET = Condition(
    all_of(_IS_NARROW, Present(OFFSET)), f"{OFFSET} is given and {SCALE} is not of 64 bits"
)


def _given(name: str) -> Condition:
    return Condition(Present(name), f"{name} is given")


def _dense_or_turned(name: str) -> Rules:
    """Rows or columns lie side by side."""
    return requires(
        "contiguous", name, Or(Contiguous(name), DenseTransposed(name)),
        f"{name} must be contiguous, or so once it is transposed", (Shown("strides", name),),
        f"Copy {name}.",
    )  # fmt: skip


def _follows_weight(name: str) -> Rules:
    """Where the weight is transposed, parameters may lie as they like."""
    turned = DenseTransposed("weight")
    return requires(
        "contiguous", name, any_of(Not(Present(name)), turned, Contiguous(name)),
        f"{name} must be contiguous unless weight is transposed", (Shown("strides", name),),
        f"Copy {name}, or transpose weight as well.",
    )  # fmt: skip


def _bias_dtype() -> Rules:
    x = DtypeOf("x")
    half = Condition(all_of(Present(BIAS), Equal(x, const(FLOAT16))), "x has dtype FLOAT16")
    brain = Condition(all_of(Present(BIAS), Equal(x, const(BF16))), "x has dtype BF16")
    return (
        *when(half, dtype_in(BIAS, FLOAT16)),
        *when(brain, dtype_in(BIAS, FLOAT, only_on(BF16, A950))),
    )


def _lengths() -> Rules:
    limited = Condition(on_products(A3, A2).term, "the product is Atlas A3 or Atlas A2")
    turned = DenseTransposed("weight")
    halves = Or(Not(Equal(DtypeOf("weight"), const(INT4))), _even(turned))
    return (
        *requires(
            "same_length", "x", Equal(DimOf("x", Const(1)), _K),
            "x must have as many columns as weight has rows",
            (Shown("shape", ShapeOf("x")), " and ", Shown("shape", ShapeOf("weight"))),
            "Each INT32 of weight counts as eight numbers along its arrays.",
        ),
        *dims_positive("x", 0),
        *dims_positive("weight", 0),
        *when(limited, requires(
            "length_limit", "weight", all_of(AtMost(_K, Const(_LIMIT)), AtMost(_N, Const(_LIMIT))),
            f"rows and columns of weight must be at most {_LIMIT}",
            (Shown("shape", ShapeOf("weight")),), "Split the product.",
        )),
        *requires(
            "even_length", "weight", halves,
            "weight of dtype INT4 must have an even length along its arrays",
            (Shown("shape", ShapeOf("weight")),), "Pad it: two numbers share a byte.",
        ),
        *shape_is("y", RESULT, "[rows of x, columns of weight]"),
    )  # fmt: skip


def _even(turned: Term) -> Term:
    def is_even(length: Term) -> Term:
        return Equal(Times(Divided(length, Const(2)), Const(2)), length)

    return Or(all_of(turned, is_even(_K)), all_of(Not(turned), is_even(_N)))


def _groups() -> Rules:
    whole = Equal(Times(Divided(_GROUP, Const(32)), Const(32)), _GROUP)
    fits = all_of(whole, AtMost(Const(32), _GROUP), AtMost(Sum(_GROUP, Const(1)), _K))
    none = Equal(_GROUP, Const(0))
    columns = DimOf(SCALE, Const(-1))
    wide = Or(Equal(columns, Const(1)), Equal(columns, _N))
    one_row = Or(Equal(RankOf(SCALE), Const(1)), Equal(DimOf(SCALE, Const(0)), Const(1)))
    count = Divided(Sum(_K, Sum(_GROUP, Const(-1))), _GROUP)
    in_groups = SameShape(ShapeOf(SCALE), Lengths((count, _N)))
    return (
        *requires(
            "group_size", "antiquantGroupSize", Or(none, fits),
            "antiquantGroupSize must be 0, or a multiple of 32 below the rows of weight",
            (Shown("integer", _GROUP),), "Pass 0 for one scale for each column.",
        ),
        *when(Condition(none, "antiquantGroupSize is 0"), requires(
            "scale_shape", SCALE, all_of(wide, one_row),
            f"{SCALE} must have the shape [1], [n], [1, 1] or [1, n]",
            (Shown("shape", ShapeOf(SCALE)),), "Pass one scale for each column, or one for all.",
        )),
        *when(Condition(Not(none), "antiquantGroupSize is not 0"), requires(
            "scale_shape", SCALE, in_groups,
            f"{SCALE} must have the shape [groups of rows of weight, n]",
            (Shown("shape", ShapeOf(SCALE)),), "Pass one scale for each group and column.",
        )),
        *when(_given(OFFSET), same_shape(OFFSET, SCALE)),
    )  # fmt: skip


def _bias_shape() -> Rules:
    one, length = Equal(RankOf(BIAS), Const(1)), DimOf(BIAS, Const(0))
    flat = all_of(one, Or(Equal(length, Const(0)), Equal(length, _N)))
    row = SameShape(ShapeOf(BIAS), Lengths((Const(1), _N)))
    return when(_given(BIAS), requires(
        "bias_shape", BIAS, Or(flat, row), f"{BIAS} must have the shape [n] or [1, n]",
        (Shown("shape", ShapeOf(BIAS)),), "Pass one number for each column.",
    ))  # fmt: skip


def _no_result_scales() -> Rules:
    return tuple(
        rule.with_code(Status.PARAM_NULLPTR)
        for name in QUANT
        for rule in when(on_products(A950, P310P), requires(
            "must_be_null", name, Not(Present(name)), f"{name} must be null", ("a tensor",),
            "Quantise y afterwards.",
        ))
    )  # fmt: skip


def checks(precise: bool) -> tuple[tuple[Step, ...], ...]:
    """All of them; innerPrecise is a parameter of later versions."""
    products = tuple(
        rule.with_code(Status.RUNTIME_ERROR) for rule in refused_unless_on(A950, A3, A2, P310P)
    )
    return (
        products,
        not_null("x", "weight", SCALE, "y"),
        _no_result_scales(),
        when(on_products(A950), format_in("weight", ND)),
        *((one_of("innerPrecise", 0, 1),) if precise else ()),
        _dense_or_turned("x"),
        _dense_or_turned("weight"),
        _follows_weight(SCALE),
        _follows_weight(OFFSET),
        contiguous("y"),
        *(contiguous(name) for name in (*QUANT, BIAS)),
        dtype_in("x", FLOAT16, only_on(BF16, A950, A3, A2)),
        dtype_in("weight", INT8, *(only_on(each, A950, A3, A2) for each in (INT4, INT32))),
        dtype_in(SCALE, FLOAT16, only_on(BF16, A950, A3, A2), *(
            only_on(each, A3, A2) for each in (UINT64, INT64)
        )),
        dtype_in("y", FLOAT16, only_on(BF16, A950, A3, A2), only_on(INT8, A3, A2)),
        quantised_results.result_dtype("x"),
        *(rank_in(name, 2) for name in ("x", "weight", "y")),
        when(_NARROW, same_dtype(SCALE, "x")),
        when(_NARROW_OFFSET, same_dtype(OFFSET, SCALE)),
        _bias_dtype(),
        format_in(SCALE, ND),
        when(_given(BIAS), rank_in(BIAS, 1, 2)),
        *(when(_given(name), format_in(name, ND)) for name in (OFFSET, *QUANT)),
        rank_in(SCALE, 1, 2),
        quantised_results.scale_dtypes(),
        _lengths(),
        _groups(),
        quantised_results.scale_shapes(_N),
        _bias_shape(),
        inner(dtype_in(SCALE, FLOAT16, BF16)),
        quantised_results.late(),
        supported_on(A950, A3, A2) if precise else (),
    )  # fmt: skip
