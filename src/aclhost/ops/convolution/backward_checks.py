# SPDX-License-Identifier: Apache-2.0
"""The checks of aclnnConvolutionBackward, in upstream's order."""

from __future__ import annotations

from aclhost.ops.convolution.build import (
    FLOATS,
    ONE,
    ZERO,
    about_shapes,
    as_many_as_axes,
    both,
    cube_math_type,
    every_axis,
    has_rank,
    is_multiple,
    item,
    labels,
    plus,
    room,
    under,
    window_count,
)
from aclhost.ops.norm.build import (
    if_given,
    mask_checks,
    wanted,
)
from aclhost.spec.formats import ND
from aclhost.spec.products import A2, A3, A950, P310P, T910
from aclhost.spec.rules import (
    Condition,
    Rule,
    all_positive,
    as_null,
    at_least,
    dtype_in,
    format_in,
    inner,
    inside_storage,
    is_set,
    none_negative,
    not_null,
    on_products,
    rank_in,
    requires,
    same_dtype,
    same_rank,
    same_shape,
    supported_on,
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
    EveryItem,
    If,
    LargestItem,
    LengthOf,
    Not,
    Or,
    Present,
    Term,
    Times,
    ValueOf,
)

Rules = tuple[Rule, ...]
INPUTS = ("gradOutput", "input", "weight")
OUTPUTS = ("gradInput", "gradWeight", "gradBias")
_NEWER = (A950, A3, A2)
_TURNED = is_set("transposed")
_PLAIN = Condition(Not(ValueOf("transposed")), "transposed is false")
_GROUPS = ValueOf("groups")
_EMPTY = Condition(Or(Empty("input"), Empty("weight")), "input or weight is empty")
_SHORT = both(_EMPTY, on_products(*_NEWER))
_WHOLE = Condition(
    Not(_SHORT.term),
    f"neither input nor weight is empty, or the product is not {listing(_NEWER)}",
)
_SOME = Condition(Not(_EMPTY.term), "neither input nor weight is empty")


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


def _dtypes() -> Rules:
    on_950 = on_products(A950)
    like = dict(zip(OUTPUTS, ("input", "weight", "gradOutput"), strict=True))
    return (
        *(rule for name in INPUTS for rule in dtype_in(name, *FLOATS)),
        *(
            rule
            for name, other in like.items()
            for rule in if_given(name, dtype_in(name, *FLOATS))
            + under(on_950, if_given(name, same_dtype(name, other)))
        ),
    )


def _label_rules(name: str) -> Rules:
    return (*rank_in(name, 3, 4, 5), *labels(name, ND))


def _formats() -> Rules:
    return (
        *(rule for name in INPUTS for rule in _label_rules(name)),
        *(
            rule
            for name in OUTPUTS[:2]
            for rule in under(Condition(Present(name), f"{name} is given"), _label_rules(name))
        ),
        *under(both(_PLAIN, on_products(*_NEWER)), if_given("gradBias", format_in("gradBias", ND))),
    )


def _arrays() -> Rules:
    def below_stride(axis: int) -> Term:
        return AtMost(plus(item("outputPadding", axis), ONE), item("stride", axis))

    zeros = And(EveryItem("outputPadding", 0), AtMost(LargestItem("outputPadding"), ZERO))
    shown = (Shown("array", "outputPadding"),)
    return (
        *all_positive("stride"),
        *none_negative("padding"),
        *all_positive("dilation"),
        *when(_TURNED, none_negative("outputPadding")),
        *when(
            both(_TURNED, has_rank("input", 5)),
            requires(
                "output_padding", "outputPadding", every_axis("input", below_stride),
                "outputPadding must be less than stride", shown, "Reduce outputPadding.",
            ),
        ),
        *when(
            _PLAIN,
            requires(
                "no_output_padding", "outputPadding", zeros, "outputPadding must be 0", shown,
                "Pass zeros: only transposed convolutions have one.",
            ),
        ),
        *at_least("groups", 1),
    )  # fmt: skip


def _lengths() -> Rules:
    doubled = has_rank("input", 4)
    return (
        *as_many_as_axes("stride", "input"),
        *as_many_as_axes("dilation", "input"),
        *as_many_as_axes("padding", "input", doubled=doubled),
        *as_many_as_axes("outputPadding", "input", doubled=doubled),
    )


def _shapes() -> Rules:
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
        *_lengths(),
    )  # fmt: skip


def _channels() -> Rules:
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
        *about_shapes("groups", "groups", Equal(Divided(_image(1), columns), _GROUPS),
                      "groups must be channels divided by the second dimension of weight",
                      "weight", "gradOutput", "input"),
        *when(
            per_channel,
            about_shapes("whole_groups", "weight", is_multiple(_map(1), _GROUPS),
                         "rows of weight must be a multiple of groups", "weight"),
        ),
    )  # fmt: skip


def _volumes() -> Rules:
    return (
        *about_shapes("window_fits", "input",
                      every_axis("input", lambda axis: AtMost(ZERO, _room(axis))),
                      "the larger side with its padding must be as long as the dilated kernel",
                      "input", "gradOutput", "weight"),
        *about_shapes("windows", "gradOutput",
                      every_axis("input", lambda axis: Equal(_count(axis), _map(2 + axis))),
                      "gradOutput, or if transposed input, must have an element for each window",
                      "gradOutput", "input"),
    )  # fmt: skip


def _fitting() -> Rules:
    """What only upstream's kernels refuse."""

    def fits(axis: int) -> Term:
        exact = Equal(_count(axis), _map(2 + axis))
        return Or(exact, And(ValueOf("transposed"), AtMost(_map(2 + axis), _count(axis))))

    rows = DimOf("weight", ZERO)
    return inner(
        about_shapes("same_batch", "gradOutput",
                     Equal(DimOf("gradOutput", ZERO), DimOf("input", ZERO)),
                     "gradOutput must have the batch of input", "gradOutput", "input"),
        about_shapes("windows", "gradOutput", every_axis("input", fits),
                     "gradOutput, or if transposed input, must have an element for each window",
                     "gradOutput", "input"),
        about_shapes("whole_groups", "weight", is_multiple(rows, _GROUPS),
                     "rows of weight must be a multiple of groups", "weight"),
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
        *about_shapes("whole_groups", "weight", is_multiple(rows, _GROUPS),
                      "rows of weight must be a multiple of groups", "weight"),
        *about_shapes("groups", "groups", Or(no_batch, Or(none, fits)),
                      "groups must be channels divided by the second dimension of weight",
                      "weight", "gradOutput", "input"),
        *under(
            _TURNED,
            about_shapes("channels", "weight",
                         And(AtMost(ONE, rows), Equal(rows, DimOf("input", ONE))),
                         "weight must have as many rows as input has channels, and some",
                         "weight", "input"),
        ),
        *under(
            _PLAIN,
            about_shapes("window_fits", "input",
                         every_axis("input", lambda axis: AtMost(ZERO, room("input", axis))),
                         "input with its padding must be as long as the dilated kernel",
                         "input", "weight"),
        ),
    )  # fmt: skip


def _empties() -> Rules:
    nothing = Or(Equal(DimOf("input", ZERO), ZERO), Equal(DimOf("input", ONE), ZERO))
    return (
        *under(both(_EMPTY, wanted(2)), _bias_sizes()),
        *under(
            both(_EMPTY, wanted(0)),
            about_shapes("empty_input", "input", nothing,
                         "batch or channels of input must be 0", "input"),
        ),
        *under(_SHORT, _lengths(), _empty_channels()),
    )  # fmt: skip


def rules() -> tuple[Rules, ...]:
    """All of them."""
    return (
        not_null(*INPUTS, "stride", "padding", "dilation", "outputPadding", "outputMask"),
        as_null(mask_checks(*OUTPUTS)),
        _dtypes(),
        _formats(),
        _arrays(),
        cube_math_type(3, *INPUTS),
        under(_WHOLE, _shapes(), _channels()),
        under(both(_WHOLE, has_rank("input", 5)), _volumes()),
        supported_on(A950, A3, A2, P310P, T910),
        inside_storage(*INPUTS),
        _empties(),
        under(_SOME, _fitting()),
    )
