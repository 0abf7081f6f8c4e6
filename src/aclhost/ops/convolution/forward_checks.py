# SPDX-License-Identifier: Apache-2.0
"""The checks of aclnnConvolution, in upstream's order, and the shape of its result."""

from __future__ import annotations

from aclhost.ops.convolution.build import (
    FLOATS,
    ONE,
    PLAIN,
    TURNED,
    WITH_BIAS,
    ZERO,
    about_shapes,
    as_many_as_axes,
    both,
    by_rank,
    cube_math_type,
    every_axis,
    is_multiple,
    item,
    labels,
    length,
    minus,
    plus,
    result_empty,
    room,
    transposed_length,
    under,
    window_count,
)
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT8_E4M3FN, FLOAT16, HIFLOAT8
from aclhost.spec.formats import NCDHW, NCHW, NCL, ND
from aclhost.spec.products import A2, A3, A950, ALL, P310B, P310P
from aclhost.spec.rules import (
    Condition,
    Rule,
    Step,
    all_positive,
    at_least,
    done_when_empty,
    dtype_in,
    format_in,
    has_elements,
    inner,
    inside_storage,
    none_negative,
    not_null,
    on_products,
    only_on,
    rank_in,
    requires,
    same_format,
    same_rank,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import (
    And,
    AtMost,
    Const,
    DimOf,
    DtypeOf,
    Empty,
    Equal,
    If,
    Not,
    Or,
    RankOf,
    Times,
    ValueOf,
    all_of,
    any_of,
    const,
)

Rules = tuple[Rule, ...]
_ON_950 = on_products(A950)
_NOT_ON_950 = on_products(*(product for product in ALL if product is not A950))
_CHANNELS = If(
    ValueOf("transposed"),
    Times(DimOf("weight", ONE), ValueOf("groups")),
    DimOf("weight", ZERO),
)
OUT = by_rank(
    "input",
    (DimOf("input", ZERO), _CHANNELS),
    lambda axis: If(
        ValueOf("transposed"), transposed_length("input", axis), window_count("input", axis)
    ),
)


def _dtypes(name: str) -> Rules:
    """8-bit floats on Ascend 950; one of them for transposed convolutions only."""
    some = (*FLOATS, only_on(HIFLOAT8, A950))
    return (
        *dtype_in(name, *some, only_on(FLOAT8_E4M3FN, A950)),
        *when(PLAIN, dtype_in(name, *some)),
    )


def _bias_length() -> Rules:
    return about_shapes(
        "channels", "bias", Equal(DimOf("bias", ZERO), _CHANNELS),
        "bias must have as many elements as output has channels", "bias", "weight",
    )  # fmt: skip


def _lengths() -> Rules:
    doubled = Condition(
        Or(Equal(RankOf("input"), Const(4)), And(Equal(RankOf("input"), Const(3)), PLAIN.term)),
        "input has two axes, or one and transposed is false",
    )
    return (
        *as_many_as_axes("stride", "input"),
        *as_many_as_axes("dilation", "input"),
        *as_many_as_axes("padding", "input", doubled=doubled),
        *when(TURNED, as_many_as_axes("outputPadding", "input")),
    )


def _formats() -> Rules:
    return (
        *same_format("output", "input"),
        *when(WITH_BIAS, format_in("bias", ND, NCL, NCHW, NCDHW)),
        *labels("weight"),
        *labels("input"),
    )


def _kernel() -> Rules:
    skipped = all_of(_ON_950.term, ValueOf("transposed"), Empty("weight"))
    return about_shapes(
        "kernel_positive", "weight",
        Or(skipped, every_axis("weight", lambda axis: AtMost(ONE, length("weight", axis)))),
        "the kernel must have elements along every axis, unless the product is Ascend 950 and "
        "transposed is true",
        "weight",
    )  # fmt: skip


def _window_fits() -> Rules:
    some = has_elements("input")
    return when(
        both(PLAIN, some),
        about_shapes(
            "window_fits", "input",
            every_axis("input", lambda axis: AtMost(ZERO, room("input", axis))),
            "input with its padding must be at least as long as the dilated kernel",
            "input", "weight",
        ),
    )  # fmt: skip


def _output_padding() -> Rules:
    def small(axis: int) -> Or:
        padding = plus(item("outputPadding", axis), ONE)
        return Or(AtMost(padding, item("stride", axis)), AtMost(padding, item("dilation", axis)))

    return requires(
        "output_padding", "outputPadding", every_axis("input", small),
        "outputPadding must be less than stride or dilation along every axis",
        (Shown("array", "outputPadding"), " with stride ", Shown("array", "stride"),
         " and dilation ", Shown("array", "dilation")),
        "Reduce outputPadding.",
    )  # fmt: skip


def _channels() -> Rules:
    depth = DimOf("input", ONE)
    rows, groups = DimOf("weight", ZERO), ValueOf("groups")
    return (
        *when(
            TURNED,
            about_shapes("channels", "weight", Equal(rows, depth),
                         "weight must have as many rows as input has channels", "weight", "input"),
            _output_padding(),
            none_negative("outputPadding"),
        ),
        *when(
            PLAIN,
            about_shapes("channels", "weight", Equal(Times(DimOf("weight", ONE), groups), depth),
                         "the second dimension of weight times groups must be input's channels",
                         "weight", "input"),
        ),
        *about_shapes("whole_groups", "weight", is_multiple(rows, groups),
                      "the rows of weight must be a multiple of groups", "weight"),
    )  # fmt: skip


def _turned_empties() -> Rules:
    """What a transposed convolution may lack."""
    zeros = all_of(*(
        Or(Not(Equal(DimOf("weight", Const(at)), ZERO)),
           Or(AtMost(RankOf("weight"), Const(at)), Equal(DimOf("output", Const(at)), ZERO)))
        for at in range(1, 5)
    ))  # fmt: skip
    return (
        *when(
            TURNED,
            about_shapes("channels_positive", "input", AtMost(ONE, DimOf("input", ONE)),
                         "input must have channels", "input"),
        ),
        *when(
            both(TURNED, _ON_950),
            about_shapes("axes_positive", "input",
                         every_axis("input", lambda axis: AtMost(ONE, length("input", axis))),
                         "only the batch of input may be 0", "input"),
            about_shapes("zeros_fit", "weight", zeros,
                         "a dimension of weight may be 0 only where output's is", "weight",
                         "output"),
        ),
    )  # fmt: skip


def _turned_padding() -> Rules:
    """What older matrix units can pad, with upstream's places for the values."""

    def within(at: int, axis: int, least: int | None) -> list[AtMost]:
        left = plus(reach_with(axis, at), minus(item("padding", at)))
        low = [] if least is None else [AtMost(Const(least), left)]
        return [AtMost(left, Const(255)), *low]

    def reach_with(axis: int, at: int) -> Times:
        return Times(item("dilation", at), plus(length("weight", axis), Const(-1)))

    fits = If(
        Equal(RankOf("weight"), Const(3)), all_of(*within(0, 0, None)),
        If(Equal(RankOf("weight"), Const(4)), all_of(*within(1, 1, None), *within(0, 0, None)),
           all_of(*within(2, 2, 0), *within(1, 1, 0))),
    )  # fmt: skip
    some = Condition(
        Not(any_of(*(Empty(name) for name in ("input", "weight", "output")))), "nothing is empty"
    )
    return when(
        both(both(TURNED, some), _NOT_ON_950),
        requires(
            "turned_padding", "padding", fits,
            "dilation * (kernel - 1) - padding must be at most 255, and with three axes not "
            "negative along the last two",
            (Shown("array", "padding"), " with dilation ", Shown("array", "dilation")),
            "Reduce dilation or change padding.",
        ),
    )  # fmt: skip


def _on_310b() -> Rules:
    fits = And(Not(ValueOf("transposed")), Equal(RankOf("input"), Const(4)))
    return when(
        on_products(P310B),
        about_shapes("two_axes", "input", fits,
                     "input must have two axes and transposed be false", "input"),
    )  # fmt: skip


def _same_8_bits() -> Rules:
    is_hi = [Equal(DtypeOf(name), const(HIFLOAT8)) for name in ("input", "weight")]
    return inner(requires(
        "same_dtype", "weight", Equal(*is_hi), "weight must be HIFLOAT8 if and only if input is",
        (Shown("dtype", DtypeOf("input")), " and ", Shown("dtype", DtypeOf("weight"))),
        "Cast one of them.",
    ))  # fmt: skip


def rules() -> tuple[tuple[Step, ...], ...]:
    """All of them."""
    return (
        not_null("input", "weight", "stride", "padding", "dilation", "output"),
        when(TURNED, not_null("outputPadding")),
        when(WITH_BIAS, dtype_in("bias", FLOAT, FLOAT16, BF16)),
        *(_dtypes(name) for name in ("input", "weight", "output")),
        *(rank_in(name, 3, 4, 5) for name in ("input", "weight", "output")),
        same_rank("weight", "input"),
        same_rank("output", "input"),
        when(WITH_BIAS, rank_in("bias", 1), _bias_length()),
        _lengths(),
        _formats(),
        _kernel(),
        all_positive("stride"),
        all_positive("dilation"),
        _window_fits(),
        at_least("groups", 1),
        _channels(),
        _turned_empties(),
        _turned_padding(),
        shape_is("output", OUT, "of all windows"),
        result_empty("output", "input"),
        cube_math_type(4, "input", "weight"),
        _on_310b(),
        done_when_empty("input", "weight", "output"),
        supported_on(A950, A3, A2, P310B, P310P),
        _same_8_bits(),
        inside_storage("input", "weight"),
        under(WITH_BIAS, inside_storage("bias")),
    )
