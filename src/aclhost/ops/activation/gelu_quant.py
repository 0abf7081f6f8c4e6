# SPDX-License-Identifier: Apache-2.0
"""aclnnGeluQuant."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.spec import dtypes
from aclhost.spec.call import Argument, Call, TensorArg
from aclhost.spec.draw import random_shape
from aclhost.spec.dtypes import (
    BF16,
    FLOAT,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT16,
    HIFLOAT8,
    INT8,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, TensorIn, TensorOut, Text
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    Condition,
    Rule,
    dtype_in,
    inner,
    inside_storage,
    is_given,
    not_null,
    rank_at_least,
    rank_at_most,
    rank_in,
    refused_unless_on,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf, WithoutLast
from aclhost.spec.status import Status
from aclhost.spec.terms import (
    And,
    Const,
    DimOf,
    DtypeOf,
    Elements,
    Empty,
    Equal,
    If,
    In,
    Not,
    Or,
    Present,
    Term,
    TextIs,
    ValueOf,
    any_of,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array


SCALE, OFFSET, RESULT_SCALE = "inputScaleOptional", "inputOffsetOptional", "outScaleOptional"
_FLOATS = (FLOAT16, BF16, FLOAT)
_TARGETS = {INT8: 127.0, HIFLOAT8: 32768.0, FLOAT8_E5M2: 57344.0, FLOAT8_E4M3FN: 448.0}
_DYNAMIC = Condition(TextIs("quantMode", ("dynamic",)), "quantMode is dynamic")
_STATIC = Condition(Not(_DYNAMIC.term), "quantMode is static")
_ROWS = WithoutLast(ShapeOf("self"))
_NEW_DTYPE = If(
    In(ValueOf("dstType"), tuple(each.value for each in _TARGETS)), ValueOf("dstType"), const(INT8)
)


def _word(parameter: str, holds: Term, words: str) -> tuple[Rule, ...]:
    return requires(
        "one_of", parameter, holds, f"{parameter} must be {words}", (Shown("text", parameter),),
        f"Pass {words}.",
    )  # fmt: skip


def _mixed(parameter: str) -> Term:
    """FLOAT16 beside BF16."""
    own, other = DtypeOf("self"), DtypeOf(parameter)
    return any_of(
        And(In(own, (FLOAT16,)), In(other, (BF16,))), And(In(own, (BF16,)), In(other, (FLOAT16,)))
    )


def _shapes() -> tuple[tuple[Rule, ...], ...]:
    pair = Condition(And(Present(SCALE), Present(OFFSET)), "both are given")
    return (
        when(_DYNAMIC, rank_at_least("self", 2), rank_at_most("self", 8),
             shape_is(RESULT_SCALE, _ROWS, "of self without the last dimension")),
        when(_STATIC, rank_at_most("self", 8)),
        when(is_given(SCALE), rank_in(SCALE, 1)),
        when(is_given(OFFSET), rank_in(OFFSET, 1)),
        when(pair, same_shape(OFFSET, SCALE)),
        same_shape("y", "self"),
    )  # fmt: skip


def _not_empty(parameter: str) -> tuple[Rule, ...]:
    return when(
        is_given(parameter),
        requires("not_empty", parameter, Not(Empty(parameter)), f"{parameter} must not be empty",
                 (Shown("shape", ShapeOf(parameter)),), "Skip the call."),
    )  # fmt: skip


def _one_or_row(parameter: str) -> tuple[Rule, ...]:
    """What only the launch notices."""
    row = Equal(Elements(parameter), DimOf("self", Const(-1)))
    return inner(when(
        is_given(parameter),
        requires("one_or_row", parameter, Or(Equal(Elements(parameter), Const(1)), row),
                 f"{parameter} must have one element, or one for each of a row of self",
                 (Shown("shape", ShapeOf(parameter)), " for ", Shown("shape", ShapeOf("self"))),
                 "A row is the last dimension."),
    ))  # fmt: skip


_CHECKS = (
    tuple(rule.with_code(Status.RUNTIME_ERROR) for rule in refused_unless_on(A950)),
    not_null("quantMode"),
    _word("quantMode", TextIs("quantMode", ("static", "dynamic")), "static or dynamic"),
    not_null("self"),
    when(_STATIC, not_null(SCALE)),
    not_null("approximate", "roundMode", "y"),
    when(_DYNAMIC, not_null(RESULT_SCALE)),
    when(_DYNAMIC, requires(
        "with_scale", OFFSET, Or(Not(Present(OFFSET)), Present(SCALE)),
        f"{OFFSET} must not be given without {SCALE}", ("a tensor",), f"Pass {SCALE}, too.",
    )),
    when(_STATIC, requires(
        "left_out", RESULT_SCALE, Not(Present(RESULT_SCALE)), f"{RESULT_SCALE} must be null",
        ("a tensor",), "Pass a null pointer; the scale is given.",
    )),
    dtype_in("self", *_FLOATS),
    dtype_in("y", FLOAT8_E4M3FN, FLOAT8_E5M2, INT8, HIFLOAT8),
    when(is_given(SCALE), dtype_in(SCALE, *_FLOATS), requires(
        "same_half", SCALE, Not(_mixed(SCALE)), f"{SCALE} must have the dtype of self or FLOAT",
        (Shown("dtype", DtypeOf(SCALE)), " for ", Shown("dtype", DtypeOf("self"))),
        "FLOAT16 and BF16 do not mix.",
    )),
    when(is_given(OFFSET), same_dtype(OFFSET, SCALE)),
    when(is_given(RESULT_SCALE), dtype_in(RESULT_SCALE, FLOAT)),
    _word("approximate", TextIs("approximate", ("none", "tanh")), "none or tanh"),
    requires(
        "same_dtype", "dstType", Equal(ValueOf("dstType"), DtypeOf("y")),
        "dstType must be the number of the dtype of y",
        (Shown("integer", ValueOf("dstType")), " and ", Shown("dtype", DtypeOf("y"))),
        "Pass 2, 34, 35 or 36 for INT8, HIFLOAT8, FLOAT8_E5M2 or FLOAT8_E4M3FN.",
    ),
    *_shapes(),
    _word("roundMode", If(In(DtypeOf("y"), (HIFLOAT8,)), TextIs("roundMode", ("round", "hybrid")),
                          TextIs("roundMode", ("rint",))),
          "rint, or round or hybrid for HIFLOAT8"),
    *(_not_empty(each) for each in ("self", SCALE)),
    inside_storage("self", SCALE, OFFSET),
)  # fmt: skip


def _golden(
    self: Array, input_scale_optional: Array | None, input_offset_optional: Array | None,
    approximate: str, quant_mode: str, round_mode: str, dst_type: int,
) -> tuple[Array, Array | None]:  # fmt: skip
    """Integers rounded, floats left to whoever rounds; the scale of each row in dynamic mode."""
    import math

    import numpy as np

    scale = 1.0 if input_scale_optional is None else input_scale_optional
    if approximate == "tanh":
        half = 1 / (1 + np.exp(-((8 / np.pi) ** 0.5) * (self + 0.044715 * self**3)))
    else:
        half = 0.5 * np.vectorize(math.erfc, otypes=[float])(-self / 2**0.5)
    values, most = self * half * scale, _TARGETS[dtypes.BY_VALUE[dst_type]]
    rows = None
    if quant_mode == "dynamic":
        rows = np.fmax.reduce(np.abs(values), axis=-1, initial=0.0) / most  # without NaN
        values = values / rows[..., None]
    elif input_offset_optional is not None:
        values = values + input_offset_optional
    if dst_type == INT8.value:
        return np.clip(np.rint(values), -128, 127), rows
    return np.clip(values, -most, most), rows


def _call(
    shape: tuple[int, ...], dtype: DataType = FLOAT, to: DataType = FLOAT8_E4M3FN,
    scale: int = 0, **more: Argument,
) -> Call:  # fmt: skip
    factor = TensorArg((scale,), dtype, span=(0.5, 2.0)) if scale else None
    return Call({
        "self": TensorArg(shape, dtype), SCALE: factor, OFFSET: None, "approximate": "none",
        "quantMode": "dynamic", "roundMode": "round" if to is HIFLOAT8 else "rint",
        "dstType": to.value, "y": TensorArg(shape, to), RESULT_SCALE: TensorArg(shape[:-1]), **more,
    }, A950)  # fmt: skip


def _draw(rng: Random) -> Call:
    shape = tuple(max(length, 1) for length in random_shape(rng, rng.randint(2, 4)))
    return _call(
        shape, rng.choice(_FLOATS), rng.choice((FLOAT8_E4M3FN, FLOAT8_E5M2)),
        rng.choice((0, 1, shape[-1])), approximate=rng.choice(("none", "tanh")),
    )  # fmt: skip


OP = Operator(
    "aclnnGeluQuant",
    summary="Gaussian error linear unit, scaled and rounded to 8 bits.",
    formula=(
        "`g = GELU(self)`, exact or by tanh. Static: `y = round(g * inputScaleOptional + "
        "inputOffsetOptional)`. Dynamic: with `v = g * inputScaleOptional`, `outScaleOptional = "
        "max(|v|) / M` for each row and `y = round(v / outScaleOptional)`; M is 127 for INT8, 448 "
        "for FLOAT8_E4M3FN, 57344 for FLOAT8_E5M2, 32768 for HIFLOAT8. What is beyond the type is "
        "its largest number."
    ),
    params=(
        TensorIn("self", "Input."),
        TensorIn(SCALE, "Factor, or one for each element of a row.", optional=True),
        TensorIn(OFFSET, "Added in static mode, likewise.", optional=True),
        Text("approximate", "Which form: none (exact) or tanh.", "none", is_const=True),
        Text("quantMode", "static or dynamic.", "dynamic", is_const=True),
        Text("roundMode", "rint; for HIFLOAT8 round or hybrid.", "rint", is_const=True),
        Int("dstType", "Number of the dtype of y.", default=INT8.value),
        TensorOut("y", "Result.", like="self", dtype=_NEW_DTYPE, is_const=True),
        TensorOut(RESULT_SCALE, "Scales of the rows.", shape=_ROWS, dtype=const(FLOAT),
                  is_const=True, optional=True, made_if=_DYNAMIC.term),
    ),
    checks=_CHECKS,
    launch_checks=(_one_or_row(SCALE),),
    golden=_golden,
    samples=(
        _call((2, 3)),
        _call((2, 3), FLOAT, FLOAT8_E5M2, 3, approximate="tanh"),
        _call((2, 2, 3), scale=1),
        _call((1, 4), to=INT8, self=TensorArg((1, 4), values=(1.0, -0.5, 3.0, 2.0))),
        _call((2, 3), scale=3, inputOffsetOptional=TensorArg((3,))),
        _call((3,), scale=3, inputOffsetOptional=TensorArg((3,)), quantMode="static",
              outScaleOptional=None),
    ),
    ulps=2,
    ulps_from=0.05,
    draw=_draw,
    typical=lambda n: _call((max(n // 1024, 1), 1024)),
    notes=(
        "How hybrid rounds is not published; aclhost rounds HIFLOAT8 to nearest for it, too.",
        "A row of zeros has the scale 0, and its quotients are NaN, as upstream's: 0 as INT8.",
        "Dynamic mode takes an offset and does not use it.",
        "Any text that begins with static or dynamic is a mode upstream; aclhost wants the word.",
    ),
)  # fmt: skip
