# SPDX-License-Identifier: Apache-2.0
"""What convolutions share: lengths as terms, and rules by the number of axes."""

from __future__ import annotations

from collections.abc import Callable

from aclhost.ops.pointwise.declare import NEW_BF16
from aclhost.spec.dtypes import FLOAT, FLOAT16
from aclhost.spec.formats import ND, Format, of_rank
from aclhost.spec.params import Int, IntArray
from aclhost.spec.products import P310B, P310P, T910
from aclhost.spec.rules import (
    Condition,
    Rule,
    format_in,
    is_given,
    is_set,
    on_products,
    one_of,
    requires,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, ShapeIf, ShapeOf, ShapeTerm
from aclhost.spec.terms import (
    And,
    AtMost,
    Const,
    DimOf,
    Divided,
    DtypeOf,
    Empty,
    Equal,
    If,
    In,
    ItemOf,
    LengthOf,
    Not,
    Or,
    RankOf,
    Sum,
    Term,
    Times,
    ValueOf,
    WindowCount,
    all_of,
    any_of,
    const,
)

Rules = tuple[Rule, ...]
Of = Callable[[int], Term]  # of an axis

FLOATS = (FLOAT, FLOAT16, NEW_BF16)
OLDER = (P310B, P310P, T910)
RANKS = (3, 4, 5)
ZERO, ONE, TWO = Const(0), Const(1), Const(2)
TURNED = is_set("transposed")
PLAIN = Condition(Not(ValueOf("transposed")), "transposed is false")
WITH_BIAS = is_given("bias")
NOTES = (
    "cubeMathType allows upstream to round the factors; here sums are taken in FLOAT and rounded "
    "once to the result's dtype, whatever it says.",
    "Convolutions of BF16 but for small ones, and gradients of their weights, use the processor's "
    "instruction for pairs of numbers where it has one (avx512_bf16, amx_bf16), which takes "
    "subnormal ones for 0.",
    "Upstream's limits on the sizes of kernels, strides, paddings and dilations that are only in "
    "its document do not hold here.",
)
CUBE = Int(
    "cubeMathType",
    "How precise upstream's matrix unit is: 0 as the inputs, 1 less where that is faster, "
    "2 FLOAT16, 3 HFLOAT32.",
    default=0,
    bits=8,
)


def array(name: str, doc: str, default: int | None = None, *, optional: bool = False) -> IntArray:
    """A value for each axis."""
    return IntArray(
        name, f"{doc}; in Python one integer stands for all axes.", length=0, default=default,
        optional=optional,
    )  # fmt: skip


def item(name: str, axis: int) -> Term:
    """One value of an array."""
    return ItemOf(name, Const(axis))


def length(tensor: str, axis: int) -> Term:
    """The length of an axis, the first of which is the third dimension."""
    return DimOf(tensor, Const(2 + axis))


def plus(*terms: Term) -> Term:
    """A sum of several."""
    total = terms[0]
    for term in terms[1:]:
        total = Sum(total, term)
    return total


def minus(term: Term) -> Term:
    """The term with the other sign."""
    return Times(Const(-1), term)


def is_multiple(term: Term, of: Term) -> Term:
    """The term is a multiple of another one; of 0 only 0 is."""
    return Equal(Times(Divided(term, of), of), term)


def axes_of(tensor: str) -> Term:
    """How many axes there are."""
    return Sum(RankOf(tensor), Const(-2))


def before(tensor: str, axis: int) -> Term:
    """Padding before an axis: arrays have one value or two for each."""
    single = Equal(LengthOf("padding"), axes_of(tensor))
    return If(single, item("padding", axis), item("padding", 2 * axis))


def after(tensor: str, axis: int) -> Term:
    """Padding behind an axis."""
    single = Equal(LengthOf("padding"), axes_of(tensor))
    return If(single, item("padding", axis), item("padding", 2 * axis + 1))


def reach(weight: str, axis: int) -> Term:
    """Distance between the first and the last element of the kernel."""
    return Times(item("dilation", axis), Sum(length(weight, axis), Const(-1)))


def window_count(image: str, axis: int) -> Term:
    """How many positions of the kernel there are along an axis."""
    return WindowCount(
        length(image, axis),
        length("weight", axis),
        item("stride", axis),
        before(image, axis),
        after(image, axis),
        item("dilation", axis),
        ZERO,
        towards_zero=1,
    )


def room(image: str, axis: int) -> Term:
    """What the padded axis has beyond the kernel."""
    sides = Sum(before(image, axis), after(image, axis))
    return plus(length(image, axis), sides, minus(reach("weight", axis)), Const(-1))


def transposed_length(tensor: str, axis: int) -> Term:
    """How long an axis of a transposed convolution is."""
    sides = Sum(before(tensor, axis), after(tensor, axis))
    start = Times(Sum(length(tensor, axis), Const(-1)), item("stride", axis))
    more = Sum(item("outputPadding", axis), ONE)
    return plus(start, minus(sides), reach("weight", axis), more)


def by_rank(tensor: str, first: tuple[Term, ...], of_axis: Of) -> ShapeTerm:
    """A shape with as many axes as the tensor has."""
    shapes = [Lengths((*first, *map(of_axis, range(axes)))) for axes in (1, 2, 3)]
    larger = ShapeIf(Equal(RankOf(tensor), Const(4)), shapes[1], shapes[2])
    return ShapeIf(Equal(RankOf(tensor), Const(3)), shapes[0], larger)


def every_axis(tensor: str, of_axis: Of) -> Term:
    """A term holds for all axes that there are."""
    return all_of(*(Or(AtMost(axes_of(tensor), Const(axis)), of_axis(axis)) for axis in range(3)))


def both(first: Condition, second: Condition) -> Condition:
    """Two circumstances at once."""
    return Condition(And(first.term, second.term), f"{first.english} and {second.english}")


def under(condition: Condition, *groups: Rules) -> Rules:
    """Rules that hold only under a condition, besides those that they have."""
    return tuple(
        rule.under(both(condition, rule.condition) if rule.condition else condition)
        for group in groups
        for rule in group
    )


def has_rank(tensor: str, rank: int) -> Condition:
    """The tensor has so many dimensions."""
    return Condition(Equal(RankOf(tensor), Const(rank)), f"{tensor} has {rank} dimensions")


def labels(tensor: str, *also: Format) -> Rules:
    """The label fits the rank; of three dimensions, others may do as well."""
    return tuple(
        rule
        for rank in RANKS
        for rule in when(
            has_rank(tensor, rank), format_in(tensor, of_rank(rank), *(also if rank == 3 else ()))
        )
    )


def as_many_as_axes(name: str, tensor: str, *, doubled: Condition | None = None) -> Rules:
    """The array has a value for each axis; under a condition it may have two."""
    fits: Term = Equal(LengthOf(name), axes_of(tensor))
    words = f"{name} must have as many values as {tensor} has axes"
    if doubled is not None:
        fits = Or(fits, And(doubled.term, Equal(LengthOf(name), Times(TWO, axes_of(tensor)))))
        words += f", or twice as many when {doubled.english}"
    return requires(
        "length_is", name, fits, words,
        (Shown("array", name), " for ", Shown("shape", ShapeOf(tensor))),
        "All dimensions but batch and channels are axes.",
    )  # fmt: skip


def about_shapes(id: str, parameter: str, holds: Term, text: str, *tensors: str) -> Rules:
    """A rule that shows shapes."""
    shown = [part for name in tensors for part in (" and ", Shown("shape", ShapeOf(name)))]
    return requires(id, parameter, holds, text, tuple(shown[1:]), "Correct one of them.")


def nothing(image: str) -> Condition:
    """There is no element of the image or of the kernel."""
    return Condition(Or(Empty(image), Empty("weight")), f"{image} or weight is empty")


def result_empty(result: str, image: str) -> Rules:
    """What has nothing to come from is empty."""
    empty = about_shapes("result_empty", result, Empty(result), f"{result} must be empty",
                         result, image, "weight")  # fmt: skip
    return when(nothing(image), empty)


def cube_math_type(most: int, *tensors: str) -> Rules:
    """Older products do not multiply in FLOAT."""
    in_float = any_of(*(Equal(DtypeOf(name), const(FLOAT)) for name in tensors))
    return (
        *one_of("cubeMathType", *range(most + 1)),
        *when(
            on_products(*OLDER),
            requires(
                "cube_math_type", "cubeMathType",
                Not(And(in_float, In(ValueOf("cubeMathType"), (0, 3, 4)))),
                f"cubeMathType must be 1 or 2 when one of {', '.join(tensors)} is FLOAT",
                (Shown("integer", ValueOf("cubeMathType")),),
                "Pass 1: the product multiplies in FLOAT16.",
            ),
        ),
    )  # fmt: skip


def label_of(shape: tuple[int, ...]) -> Format:
    """What tensors of calls carry."""
    return of_rank(len(shape)) if len(shape) in RANKS else ND
