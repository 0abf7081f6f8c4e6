# SPDX-License-Identifier: Apache-2.0
"""What aclnnConvolutionBackward checks of shapes."""

from __future__ import annotations

from collections.abc import Callable

from aclhost.ops.convolution.build import (
    ONE,
    PLAIN,
    TURNED,
    ZERO,
    about_shapes,
    as_many_as_axes,
    both,
    every_axis,
    has_rank,
    is_multiple,
    item,
    nothing,
    room,
    under,
    window_count,
)
from aclhost.ops.norm.build import if_given, wanted
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    Condition,
    Rule,
    inner,
    on_products,
    rank_in,
    requires,
    same_rank,
    same_shape,
    when,
)
from aclhost.spec.rules.base import Shown, listing
from aclhost.spec.terms import (
    And,
    AtMost,
    Const,
    DimOf,
    Divided,
    Empty,
    Equal,
    If,
    LengthOf,
    Not,
    Or,
    Term,
    Times,
    ValueOf,
)

Rules = tuple[Rule, ...]
NEWER = (A950, A3, A2)
_GROUPS = ValueOf("groups")
_EMPTY = nothing("input")
_SHORT = both(_EMPTY, on_products(*NEWER))
WHOLE = Condition(
    Not(_SHORT.term),
    f"neither input nor weight is empty, or the product is not {listing(NEWER)}",
)
SOME = Condition(Not(_EMPTY.term), "neither input nor weight is empty")


def _image(at: int) -> Term:
    """A dimension of the larger side: of gradOutput if transposed."""
    return If(ValueOf("transposed"), DimOf("gradOutput", Const(at)), DimOf("input", Const(at)))


def _map(at: int) -> Term:
    """A dimension of the other side."""
    return If(ValueOf("transposed"), DimOf("input", Const(at)), DimOf("gradOutput", Const(at)))


def _count(axis: int) -> Term:
    """How many positions the kernel has on the larger side."""
    return If(ValueOf("transposed"), window_count("gradOutput", axis), window_count("input", axis))


def _room(axis: int) -> Term:
    return If(ValueOf("transposed"), room("gradOutput", axis), room("input", axis))


def lengths() -> Rules:
    """The arrays have a value, or two, for each axis."""
    doubled = has_rank("input", 4)
    return (
        *as_many_as_axes("stride", "input"),
        *as_many_as_axes("dilation", "input"),
        *as_many_as_axes("padding", "input", doubled=doubled),
        *as_many_as_axes("outputPadding", "input", doubled=doubled),
    )


def shapes() -> Rules:
    """Ranks, and the shapes of the gradients."""
    filled = And(Not(Empty("gradOutput")), Not(Empty("weight")))
    channels = Equal(DimOf("gradBias", ZERO), DimOf("gradOutput", ONE))
    return (
        *same_rank("gradOutput", "input"),
        *same_rank("weight", "input"),
        *about_shapes("not_empty", "gradOutput", filled,
                      "gradOutput and weight must have elements", "gradOutput", "weight"),
        *if_given("gradInput", same_shape("gradInput", "input")),
        *if_given("gradWeight", same_shape("gradWeight", "weight")),
        *if_given(
            "gradBias", rank_in("gradBias", 1),
            about_shapes("channels", "gradBias", channels,
                         "gradBias must have as many elements as gradOutput has channels",
                         "gradBias", "gradOutput"),
        ),
        *lengths(),
    )  # fmt: skip


def _whole_groups(rows: Term) -> Rules:
    return about_shapes("whole_groups", "weight", is_multiple(rows, _GROUPS),
                        "rows of weight must be a multiple of groups", "weight")  # fmt: skip


def _groups_are(holds: Term) -> Rules:
    return about_shapes("groups", "groups", holds,
                        "groups must be channels divided by the second dimension of weight",
                        "weight", "gradOutput", "input")  # fmt: skip


def _windows(of_axis: Callable[[int], Term]) -> Rules:
    return about_shapes("windows", "gradOutput", every_axis("input", of_axis),
                        "gradOutput, or if transposed input, must have an element for each window",
                        "gradOutput", "input")  # fmt: skip


def _is_counted(axis: int) -> Term:
    return Equal(_count(axis), _map(2 + axis))


def channels() -> Rules:
    """Channels and groups agree."""
    rows, columns = DimOf("weight", ZERO), DimOf("weight", ONE)
    per_channel = Condition(
        And(Equal(_image(1), _GROUPS), Not(on_products(A950).term)),
        "every channel is a group and the product is not Ascend 950",
    )
    return (
        *about_shapes("channels", "weight", Equal(_map(1), rows),
                      "weight must have as many rows as gradOutput, or if transposed input, has "
                      "channels", "weight", "gradOutput", "input"),
        *about_shapes("whole_channels", "weight", is_multiple(_image(1), columns),
                      "channels must be a multiple of the second dimension of weight", "weight",
                      "gradOutput", "input"),
        *_groups_are(Equal(Divided(_image(1), columns), _GROUPS)),
        *when(per_channel, _whole_groups(_map(1))),
    )  # fmt: skip


def volumes() -> Rules:
    """With three axes, windows agree as well."""
    return (
        *about_shapes("window_fits", "input",
                      every_axis("input", lambda axis: AtMost(ZERO, _room(axis))),
                      "the larger side with its padding must be as long as the dilated kernel",
                      "input", "gradOutput", "weight"),
        *_windows(_is_counted),
    )  # fmt: skip


def fitting() -> Rules:
    """What only upstream's kernels refuse."""

    def fits(axis: int) -> Term:
        return Or(
            _is_counted(axis), And(ValueOf("transposed"), AtMost(_map(2 + axis), _count(axis)))
        )

    return inner(
        about_shapes("same_batch", "gradOutput",
                     Equal(DimOf("gradOutput", ZERO), DimOf("input", ZERO)),
                     "gradOutput must have the batch of input", "gradOutput", "input"),
        _windows(fits),
        _whole_groups(DimOf("weight", ZERO)),
    )  # fmt: skip


def _bias_sizes() -> Rules:
    channels = If(
        ValueOf("transposed"), Times(DimOf("weight", ONE), _GROUPS), DimOf("gradOutput", ONE)
    )
    one = Equal(LengthOf("biasSizes"), ONE)
    return requires(
        "bias_sizes", "biasSizes", And(one, Equal(item("biasSizes", 0), channels)),
        "biasSizes must hold the number of output channels",
        (Shown("array", "biasSizes"),), "Pass the shape of the forward's bias.",
    )  # fmt: skip


def _empty_channels() -> Rules:
    rows, columns = DimOf("weight", ZERO), DimOf("weight", ONE)
    none = And(Equal(_image(1), ZERO), Equal(columns, ZERO))
    fits = And(is_multiple(_image(1), columns), Equal(Divided(_image(1), columns), _GROUPS))
    no_batch = And(ValueOf("transposed"), Equal(DimOf("input", ZERO), ZERO))
    return (
        *_whole_groups(rows),
        *_groups_are(Or(no_batch, Or(none, fits))),
        *under(
            TURNED,
            about_shapes("channels", "weight",
                         And(AtMost(ONE, rows), Equal(rows, DimOf("input", ONE))),
                         "weight must have as many rows as input has channels, and some",
                         "weight", "input"),
        ),
        *under(
            PLAIN,
            about_shapes("window_fits", "input",
                         every_axis("input", lambda axis: AtMost(ZERO, room("input", axis))),
                         "input with its padding must be as long as the dilated kernel",
                         "input", "weight"),
        ),
    )  # fmt: skip


def empties() -> Rules:
    """What is asked where there is nothing to sum."""
    nothing = Or(Equal(DimOf("input", ZERO), ZERO), Equal(DimOf("input", ONE), ZERO))
    return (
        *under(both(_EMPTY, wanted(2)), _bias_sizes()),
        *under(
            both(_EMPTY, wanted(0)),
            about_shapes("empty_input", "input", nothing,
                         "batch or channels of input must be 0", "input"),
        ),
        *under(_SHORT, lengths(), _empty_channels()),
    )  # fmt: skip
