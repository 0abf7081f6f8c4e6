# SPDX-License-Identifier: Apache-2.0
"""Slices that are added at indices along a dimension."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.index.build import (
    INDICES,
    NEW_BF16,
    NEWER,
    NOTES,
    Rules,
    call_of,
    drawn_shape,
    indices,
    placed,
    rank_of,
)
from aclhost.ops.index.slices import (
    DIM,
    INDEX,
    ORDER,
    SAMPLES,
    SLICES,
    as_long,
    drawn_slices,
    is_scalar,
    shapes,
    slices_call,
    slices_equal,
    typical_slices,
)
from aclhost.spec.call import Argument, Call, ScalarArg, TensorArg
from aclhost.spec.draw import eighths
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    Category,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, Scalar, TensorIn, TensorOut
from aclhost.spec.rules import (
    Step,
    axis_in_rank,
    castable_to,
    done_when_empty,
    dtype_in,
    equals,
    inner,
    inside_storage,
    not_null,
    rank_at_most,
    requires,
    same_dtype,
    same_shape,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import (
    And,
    AtMost,
    Const,
    DimOf,
    DtypeOf,
    Equal,
    If,
    In,
    Or,
    RankOf,
    Sum,
    Times,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Torch = Any
Steps = tuple[tuple[Step, ...], ...]

_ADDED = (FLOAT, INT32, FLOAT16, DOUBLE, INT16, INT8, UINT8, INT64, BOOL)
_SOURCE_RANK = rank_of("source")
_FAST = (FLOAT, FLOAT16, INT32, INT16, BF16)


def _add_checks(*middle: Rules, axis: Rules, with_bf16: Limited | DataType) -> Steps:
    """`middle` comes after the dtypes."""
    length = If(is_scalar("source"), Const(1), DimOf("source", DIM))
    from_end = And(is_scalar("self"), Equal(DIM, Const(-1)))  # upstream then finds no length
    return (
        not_null("self", "index", "source", "alpha", "out"),
        dtype_in("self", *_ADDED, with_bf16),
        dtype_in("index", *INDICES),
        *middle,
        rank_at_most("self", 8),
        rank_at_most("source", 8),
        axis,
        requires(
            "same_rank",
            "source",
            Or(is_scalar("self"), Equal(RankOf("self"), _SOURCE_RANK)),
            "source must have as many dimensions as self, unless that has none",
            shapes("source", "self"),
            "Reshape source.",
        ),
        slices_equal("self"),
        rank_at_most("index", 1),
        as_long(
            If(is_scalar("index"), Const(1), DimOf("index", Const(0))),
            If(from_end, Const(-1), length),
        ),
        same_shape("out", "self"),
        done_when_empty("self", "source"),
        supported_on(*NEWER),
        inside_storage("self", "source"),
    )


def _add_call(arguments: dict[str, Argument], alpha: ScalarArg, **mode: int) -> Call:
    return call_of(**arguments, alpha=alpha, **mode, out=arguments["self"])


def _golden_add(self: Array, dim: int, index: Ints, source: Array, alpha: float) -> Array:
    import numpy as np

    table, axis, places = placed(self, dim, np.atleast_1d(index))
    slices = np.moveaxis(np.asarray(source).reshape(np.shape(source) or (1,)), axis, 0)
    np.add.at(np.moveaxis(table, axis, 0), places, (slices * alpha).astype(table.dtype))
    return table.reshape(np.shape(self))


def _torch_add(
    torch: Torch, self: Torch, dim: int, index: Torch, source: Torch, alpha: float
) -> Torch:
    if self.dtype is torch.bool or self.ndim != source.ndim:
        return NotImplemented
    whole = not self.dtype.is_floating_point
    factor = int(alpha) if whole else alpha
    return torch.index_add(self, dim, index.long(), source, alpha=factor)


def _alpha(rng: Random, dtype: DataType) -> ScalarArg:
    if dtype.category is Category.FLOATING:
        return ScalarArg(rng.choice((1.0, eighths(rng, -4, 4))))
    return ScalarArg(1, BOOL) if dtype is BOOL else ScalarArg(rng.randint(-3, 3), INT64)


def _drawn_add(rng: Random) -> Call:
    arguments = drawn_slices(rng, (*_ADDED, BF16))
    dtype = Call(arguments).tensor("self").dtype
    return _add_call(arguments, _alpha(rng, dtype))


_ADD_FORMULA = (
    "`out[..., index[i], ...] = self[..., index[i], ...] + alpha * source[..., i, ...]` at "
    "dimension dim. {} FLOAT16 and BF16 are added as FLOAT and rounded once; integers wrap around."
)

_INDEX_ADD = Operator(
    "aclnnIndexAdd",
    summary="Adds slices, times a number, at indices along a dimension.",
    formula=_ADD_FORMULA.format(ORDER),
    params=(
        TensorIn("self", "What is there first."),
        Int("dim", "The dimension that index points into.", spelling="const int64_t"),
        INDEX,
        SLICES,
        Scalar("alpha", "The factor, as an element of self.", default=1),
        TensorOut("out", "Result.", like="self"),
    ),
    checks=(
        *_add_checks(
            dtype_in("source", *_ADDED, NEW_BF16),
            dtype_in("out", *_ADDED, NEW_BF16),
            same_dtype("source", "self"),
            same_dtype("out", "self"),
            axis=axis_in_rank("dim", "self", of_scalars=True),
            with_bf16=NEW_BF16,
        ),
        inside_storage("index"),
    ),
    golden=_golden_add,
    reference=_torch_add,
    summed=("self", "source"),
    ulps=4,
    draw=_drawn_add,
    typical=lambda n: _add_call(typical_slices(n), ScalarArg(1.0)),
    samples=(
        _add_call(SAMPLES[0], ScalarArg(0.5)),
        _add_call(SAMPLES[1], ScalarArg(2, INT64)),
        _add_call(SAMPLES[2], ScalarArg(-1.0, DOUBLE)),
        _add_call(
            slices_call((), 0, TensorArg((2,), INT64, (0, 0)), INT8),
            ScalarArg(3, INT32),
        ),
        _add_call(
            slices_call((3,), 0, TensorArg((1,), INT32, (2,)), BOOL),
            ScalarArg(1, BOOL),
        ),
    ),
    notes=(*NOTES, "Upstream's code refuses dim -1 for a self without dimensions."),
)


def _golden_modes(mode: int, alpha: float, **others: Any) -> Array:  # noqa: ANN401
    return _golden_add(alpha=1.0 if mode == 0 else alpha, **others)


def _torch_modes(torch: Torch, mode: int, alpha: float, **others: Torch) -> Torch:
    return _torch_add(torch, alpha=1.0 if mode == 0 else alpha, **others)


def _drawn_modes(rng: Random) -> Call:
    if rng.random() < 0.7:
        return _drawn_add(rng).passing(mode=rng.choice((1, 2, -1)))
    self = drawn_shape(rng, 2, 2)
    index = indices(rng, (rng.randint(1, 6),), self[0])
    dtype = rng.choice(_FAST)
    arguments = slices_call(self, rng.choice((0, -2)), index, dtype)
    return _add_call(arguments, _alpha(rng, dtype), mode=0)


_INDEX_ADD_V2 = Operator(
    "aclnnIndexAddV2",
    summary="Adds slices, times a number, at indices along a dimension, in one of two modes.",
    formula=f"{_ADD_FORMULA.format(ORDER)} Mode 0 takes alpha for 1.",
    params=(
        *_INDEX_ADD.params[:-1],
        Int("mode", "0 for the fast mode of matrices.", default=1),
        _INDEX_ADD.params[-1],
    ),
    checks=(
        *_add_checks(
            same_dtype("source", "self"),
            same_dtype("out", "self"),
            castable_to("self", source=DtypeOf("alpha"), words="alpha's dtype"),
            axis=requires(
                "axis_in_rank",
                "dim",
                If(
                    is_scalar("self"),
                    Equal(DIM, Const(0)),
                    And(
                        AtMost(Times(RankOf("self"), Const(-1)), DIM),
                        AtMost(Sum(DIM, Const(1)), RankOf("self")),
                    ),
                ),
                "dim must be a dimension of self, from -rank to rank - 1",
                (Shown("integer", DIM), " for ", Shown("shape", ShapeOf("self"))),
                "Pass -1 for the last dimension.",
            ),
            with_bf16=BF16,
        ),
        inside_storage("index"),
        when(
            equals("mode", 0),
            inner(
                dtype_in("self", *_FAST),
                requires(
                    "matrix_rows",
                    "self",
                    And(Equal(RankOf("self"), Const(2)), In(DIM, (0, -2))),
                    "self must be a matrix and dim its first dimension",
                    (Shown("shape", ShapeOf("self")), " and dim ", Shown("integer", DIM)),
                    "Pass another mode.",
                ),
            ),
        ),
    ),
    golden=_golden_modes,
    reference=_torch_modes,
    summed=("self", "source"),
    ulps=4,
    draw=_drawn_modes,
    typical=lambda n: _add_call(typical_slices(n), ScalarArg(1.0), mode=0),
    samples=(
        *(call.passing(mode=1, out=call.arguments["out"]) for call in _INDEX_ADD.samples),
        _add_call(
            slices_call((3, 2), 0, TensorArg((2,), INT64, (2, 2)), INT16),
            ScalarArg(5, INT64),
            mode=0,
        ),
    ),
    notes=(*NOTES, "Upstream adds floating numbers as DOUBLE but in mode 0; here they are FLOAT."),
)

OPS = (_INDEX_ADD, _INDEX_ADD_V2)
