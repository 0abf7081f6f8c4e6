# SPDX-License-Identifier: Apache-2.0
"""Rules about shapes."""

from __future__ import annotations

from aclhost.spec import shapes, volumes
from aclhost.spec.rules.base import Part, Rule, Shown, listing
from aclhost.spec.shapes import ShapeOf, ShapeTerm
from aclhost.spec.status import Status
from aclhost.spec.terms import AtMost, Const, Elements, Equal, EveryDim, In, RankOf

Rules = tuple[Rule, ...]
LIMIT = 2**31 - 1


def _shape(parameter: str) -> Shown:
    return Shown("shape", ShapeOf(parameter))


def _shapes(*parameters: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    for name in parameters:
        parts += [" and ", _shape(name)] if parts else [_shape(name)]
    return tuple(parts)


def same_shape(parameter: str, other: str) -> Rules:
    """Both tensors have the same shape."""
    return (
        Rule(
            "same_shape",
            parameter,
            shapes.SameShape(ShapeOf(parameter), ShapeOf(other)),
            f"{parameter} must have the same shape as {other}",
            _shapes(parameter, other),
            f"Create {parameter} with the shape of {other}; nothing is broadcast here.",
        ),
    )


def shape_is(parameter: str, expected: ShapeTerm, words: str) -> Rules:
    """The shape is what a term says, in words for the reader."""
    return (
        Rule(
            "shape_is",
            parameter,
            shapes.SameShape(ShapeOf(parameter), expected),
            f"{parameter} must have the shape {words}",
            (_shape(parameter), " instead of ", Shown("shape", expected)),
            f"Create {parameter} with that shape.",
        ),
    )


def fits_shape(parameter: str, expected: ShapeTerm, words: str) -> Rules:
    """The same, where one element fits one element, whatever the ranks."""
    (rule,) = shape_is(parameter, expected, words)
    return (
        Rule(
            rule.id,
            parameter,
            shapes.FitsShape(ShapeOf(parameter), expected),
            rule.text,
            rule.got,
            rule.advice,
        ),
    )


def same_leading(parameter: str, other: str) -> Rules:
    """Batch and channels agree."""
    return (
        Rule(
            "same_leading",
            parameter,
            volumes.SameLeading(parameter, other),
            f"{parameter} and {other} must agree in all but the last three dimensions",
            _shapes(parameter, other),
            "Use the same batch and channels for both.",
        ),
    )


def same_rank(parameter: str, other: str) -> Rules:
    """Both tensors have the same rank."""
    return (
        Rule(
            "same_rank",
            parameter,
            Equal(RankOf(parameter), RankOf(other)),
            f"{parameter} must have as many dimensions as {other}",
            ("rank ", Shown("integer", RankOf(parameter)), " and rank ",
             Shown("integer", RankOf(other))),
            f"Reshape {parameter} to the rank of {other}.",
        ),
    )  # fmt: skip


def rank_at_most(parameter: str, most: int) -> Rules:
    """The tensor has at most so many dimensions."""
    return (
        Rule(
            "rank_at_most",
            parameter,
            AtMost(RankOf(parameter), Const(most)),
            f"{parameter} must have at most {most} dimensions",
            ("rank ", Shown("integer", RankOf(parameter))),
            "Merge dimensions until the rank fits.",
        ),
    )


def rank_in(parameter: str, *ranks: int) -> Rules:
    """The tensor has one of these ranks."""
    return (
        Rule(
            "rank_in",
            parameter,
            In(RankOf(parameter), ranks),
            f"{parameter} must have {listing(ranks)} dimensions",
            ("rank ", Shown("integer", RankOf(parameter))),
            f"Reshape {parameter}.",
        ),
    )


def dims_positive(parameter: str, first: int) -> Rules:
    """No dimension from this one on is 0."""
    which = f"from {first} on, the dimensions" if first else "all dimensions"
    return (
        Rule(
            "dims_positive",
            parameter,
            EveryDim(parameter, first, least=1),
            f"{which} of {parameter} must be greater than 0",
            (_shape(parameter),),
            "Skip the call when there is nothing to compute.",
        ),
    )


def spatial_positive(parameter: str) -> Rules:
    """Depth, height and width are above 0."""
    return (
        Rule(
            "spatial_positive",
            parameter,
            volumes.SpatialPositive(parameter),
            f"depth, height and width of {parameter} must be greater than 0",
            (_shape(parameter),),
            "Skip the call when there is nothing to compute.",
        ),
    )


def channels_positive(parameter: str) -> Rules:
    """There are channels."""
    return (
        Rule(
            "channels_positive",
            parameter,
            AtMost(Const(1), volumes.Channels(parameter)),
            f"{parameter} must have at least one channel",
            (_shape(parameter),),
            "Skip the call when there is nothing to compute; its gradient accepts 0 channels.",
        ),
    )


def volume_at_most(parameter: str) -> Rules:
    """Depth * height * width fits 31 bits."""
    return (
        Rule(
            "volume_at_most",
            parameter,
            volumes.VolumeFits31Bits(parameter),
            f"depth * height * width of {parameter} must be at most {LIMIT}",
            (_shape(parameter),),
            "Split the tensor; only Ascend 950 takes larger ones.",
        ),
    )


def lengths_at_most(parameter: str) -> Rules:
    """Every dimension fits 31 bits."""
    return (
        Rule(
            "lengths_at_most",
            parameter,
            EveryDim(parameter, most=LIMIT),
            f"every dimension of {parameter} must be at most {LIMIT}",
            (_shape(parameter),),
            "Split the tensor; only Ascend 950 takes longer dimensions.",
        ),
    )


def one_element(parameter: str) -> Rules:
    """The tensor holds one element (561103 if not)."""
    return (
        Rule(
            "one_element",
            parameter,
            Equal(Elements(parameter), Const(1)),
            f"{parameter} must hold exactly one element",
            (_shape(parameter),),
            f"Create {parameter} with shape [1] or [].",
            Status.INNER_NULLPTR,
        ),
    )


def broadcastable(parameter: str, *others: str) -> Rules:
    """The tensor broadcasts with the others."""
    return (
        Rule(
            "broadcastable",
            parameter,
            shapes.Broadcastable((*others, parameter)),
            f"{parameter} must broadcast with {listing(others, 'and')}",
            _shapes(*others, parameter),
            "Aligned at the right, dimensions must be equal or one of them 1.",
        ),
    )
