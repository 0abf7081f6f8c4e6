# SPDX-License-Identifier: Apache-2.0
"""Checks that several resizing operators share."""

from __future__ import annotations

from aclhost.spec.formats import NHWC
from aclhost.spec.rules import Condition, Rule, all_positive, length_in, rank_in, requires, shape_is
from aclhost.spec.rules.base import Shown, listing
from aclhost.spec.shapes import Lengths, ShapeIf, ShapeOf, ShapeTerm
from aclhost.spec.terms import (
    AtMost,
    Const,
    DimOf,
    Equal,
    EveryItem,
    FormatOf,
    If,
    In,
    ItemOf,
    Not,
    Or,
    RealIs,
    Scaled,
    Sum,
    Term,
    Times,
    all_of,
)
from aclhost.spec.volumes import VolumeShape

Rules = tuple[Rule, ...]
LIMIT = 2**31 - 1
SLACK = 1e-5  # by which upstream lets a scale be off


def dim(tensor: str, axis: int) -> Term:
    """One length of a tensor; 0 where there is none."""
    return DimOf(tensor, Const(axis))


def item(array: str, position: int) -> Term:
    """One value of an array; 0 where there is none."""
    return ItemOf(array, Const(position))


def is_nhwc(tensor: str) -> Term:
    """Channels come last."""
    return In(FormatOf(tensor), (NHWC,))


def signal_shape(tensor: str, lengths: str) -> ShapeTerm:
    """N and C of a tensor, and a length."""
    return Lengths((dim(tensor, 0), dim(tensor, 1), item(lengths, 0)))


def image_shape(tensor: str, lengths: str) -> ShapeTerm:
    """N and C of a tensor and two lengths, in the order of its label."""
    height, width = item(lengths, 0), item(lengths, 1)
    return ShapeIf(
        is_nhwc(tensor),
        Lengths((dim(tensor, 0), height, width, dim(tensor, 3))),
        Lengths((dim(tensor, 0), dim(tensor, 1), height, width)),
    )


def gradient_image_shape(labelled: str) -> ShapeTerm:
    """N and C of inputSize and the lengths of outputSize, in the order of a tensor's label."""
    height, width = item("outputSize", 0), item("outputSize", 1)
    return ShapeIf(
        is_nhwc(labelled),
        Lengths((item("inputSize", 0), height, width, item("inputSize", 3))),
        Lengths((item("inputSize", 0), item("inputSize", 1), height, width)),
    )


def same_sizes(tensor: str, array: str, rank: int) -> Term:
    """The lengths of a tensor are the values of an array."""
    return all_of(*(Equal(dim(tensor, axis), item(array, axis)) for axis in range(rank)))


def first_value_positive(array: str) -> Rules:
    """The first value of an array is above 0; others are not looked at."""
    return requires(
        "all_positive",
        array,
        AtMost(Const(1), item(array, 0)),
        f"the first value of {array} must be greater than 0",
        (Shown("array", array),),
        f"Correct {array}.",
    )


def image_sides_positive(labelled: str) -> Rules:
    """Height and width in inputSize are above 0; the label tells where they stand."""
    sides = [
        If(is_nhwc(labelled), item("inputSize", axis - 1), item("inputSize", axis))
        for axis in (2, 3)
    ]
    return requires(
        "all_positive",
        "inputSize",
        all_of(*(AtMost(Const(1), side) for side in sides)),
        "height and width in inputSize must be greater than 0",
        (Shown("array", "inputSize"),),
        "Correct inputSize; it has the order of the tensor's format.",
    )


def same_batch_and_channels(parameter: str, other: str, labelled: str = "") -> Rules:
    """N and C agree; the label of a tensor tells where C stands, else it is the second."""
    channels: Term = Equal(dim(parameter, 1), dim(other, 1))
    if labelled:
        channels = If(is_nhwc(labelled), Equal(dim(parameter, 3), dim(other, 3)), channels)
    return requires(
        "same_batch_and_channels",
        parameter,
        all_of(Equal(dim(parameter, 0), dim(other, 0)), channels),
        f"{parameter} must have the batch and the channels of {other}",
        (Shown("shape", ShapeOf(parameter)), " and ", Shown("shape", ShapeOf(other))),
        "Batch and channels are not resized: use the same for both.",
    )


def lengths_are(parameter: str, lengths: str, *axes: int, labelled: str = "") -> Rules:
    """Spatial lengths of a tensor are the values of an array; in front of C in NHWC."""
    pairs = [
        Equal(
            If(is_nhwc(labelled), dim(parameter, axis - 1), dim(parameter, axis))
            if labelled
            else dim(parameter, axis),
            item(lengths, position),
        )
        for position, axis in enumerate(axes)
    ]
    return requires(
        "lengths_are",
        parameter,
        all_of(*pairs),
        f"the resized lengths of {parameter} must be {lengths}",
        (Shown("shape", ShapeOf(parameter)), " for ", Shown("array", lengths)),
        f"Create {parameter} with these lengths.",
    )


def scales_not_negative(*scales: str) -> Rules:
    """No scale is below 0; NaN is not."""
    return tuple(
        rule
        for scale in scales
        for rule in requires(
            "not_negative",
            scale,
            Not(RealIs(scale, "<", 0.0)),
            f"{scale} must not be negative",
            (Shown("real", scale),),
            f"Pass 0 for {scale} where there is none.",
        )
    )


def given(scale: str) -> Condition:
    """A scale counts."""
    return Condition(RealIs(scale, ">", 0.0), f"{scale} is greater than 0")


def reaches(scale: str, source: Term, target: Term, slack: float = 0.0, position: int = -1) -> Term:
    """The source's length times the scale, without the fraction, is the target's; or almost."""
    exact = Equal(Scaled(source, scale, position), target)
    if slack == 0.0:
        return exact
    return Or(
        exact,
        all_of(
            AtMost(Scaled(source, scale, position, -slack), target),
            AtMost(target, Scaled(source, scale, position, slack)),
        ),
    )


def scale_fits(scale: str, holds: Term, axis: str) -> Rules:
    """A scale leads from one length to the other."""
    return requires(
        "scale_fits",
        scale,
        holds,
        f"{scale} must lead from the {axis} of the input to that of the output",
        (Shown("real", scale),),
        f"Pass the quotient of both lengths for {scale}, or no scale.",
    )


def shrinks_at_most(
    scale: str, most: int, source: Term, target: Term, least: float, *, whole: bool = False
) -> Rules:
    """An axis becomes at most so many times shorter: by the scale, else by the lengths.

    With `whole` the fraction of their quotient does not count.
    """
    limit = Sum(Times(target, Const(most + 1)), Const(-1)) if whole else Times(target, Const(most))
    return _limited(
        scale,
        RealIs(scale, ">=", least),
        AtMost(source, limit),
        f"{scale}, or the lengths without it, must not shrink more than {most} times",
    )


def grows_at_most(scale: str, most: int, source: Term, target: Term) -> Rules:
    """An axis becomes at most so many times longer: by the scale, else by the lengths."""
    return _limited(
        scale,
        RealIs(scale, "<=", float(most)),
        AtMost(target, Times(source, Const(most))),
        f"{scale}, or the lengths without it, must not grow more than {most} times",
    )


def _limited(scale: str, by_scale: Term, by_lengths: Term, text: str) -> Rules:
    return requires(
        "resizes_at_most",
        scale,
        If(RealIs(scale, ">", 0.0), by_scale, by_lengths),
        text,
        (Shown("real", scale),),
        "Resize in several steps.",
    )


def volume_gradient(*before_sizes: Rules) -> Rules:
    """Ranks, lengths and shapes of gradOut and gradInput; inputSize is N, C, D, H, W."""
    return (
        *rank_in("gradOut", 5),
        *length_in("outputSize", 3),
        *length_in("inputSize", 5),
        *(rule for rules in before_sizes for rule in rules),
        *all_positive("inputSize", first=2),
        *all_positive("outputSize"),
        *shape_is(
            "gradOut",
            VolumeShape("gradOut", "inputSize", "outputSize", 0),
            "of N, C and outputSize, with C last when its format is NDHWC",
        ),
        *shape_is(
            "gradInput",
            VolumeShape("gradInput", "inputSize", "inputSize", 2),
            "of inputSize, with C last when its format is NDHWC",
        ),
    )


def values_at_most(*arrays: str) -> Rules:
    """All values of arrays fit 31 bits."""
    return tuple(
        rule
        for array in arrays
        for rule in requires(
            "lengths_at_most",
            array,
            EveryItem(array, most=LIMIT),
            f"every value of {array} must be at most {LIMIT}",
            (Shown("array", array),),
            "Split the tensor; only Ascend 950 takes longer dimensions.",
        )
    )


def product_at_most(parameter: str, names: tuple[str, ...], *factors: Term) -> Rules:
    """A product of lengths fits 31 bits."""
    product = factors[0]
    for factor in factors[1:]:
        product = Times(product, factor)
    return requires(
        "product_at_most",
        parameter,
        AtMost(product, Const(LIMIT)),
        f"the product of {listing(names, 'and')} must be at most {LIMIT}",
        (Shown("integer", product),),
        "Split the batch; only Ascend 950 takes more.",
    )
