# SPDX-License-Identifier: Apache-2.0
"""Rules about axes that parameters name."""

from __future__ import annotations

from aclhost.spec.reduced import AxesPositive
from aclhost.spec.rules.base import Rule, Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import (
    AtMost,
    AxesInRank,
    Const,
    DimOf,
    DistinctAxes,
    Divided,
    Equal,
    If,
    RankOf,
    Sum,
    Term,
    Times,
    ValueOf,
    all_of,
)

Rules = tuple[Rule, ...]


def is_multiple(term: Term, of: int) -> Term:
    """A division by the number leaves nothing."""
    return Equal(Times(Divided(term, Const(of)), Const(of)), term)


def rank_at_least(parameter: str, least: int) -> Rules:
    """The tensor has at least so many dimensions."""
    return (
        Rule(
            "rank_at_least",
            parameter,
            AtMost(Const(least), RankOf(parameter)),
            f"{parameter} must have at least {least} dimension{'s' if least > 1 else ''}",
            ("rank ", Shown("integer", RankOf(parameter))),
            f"Reshape {parameter}.",
        ),
    )


def axis_in_rank(parameter: str, tensor: str, *, of_scalars: bool = False) -> Rules:
    """The integer is an axis of the tensor, counted from the start or, below 0, from the end.

    With `of_scalars` a tensor without dimensions counts as one with a single dimension.
    """
    axis, own = ValueOf(parameter), RankOf(tensor)
    rank = If(own, own, Const(1)) if of_scalars else own
    return (
        Rule(
            "axis_in_rank",
            parameter,
            all_of(
                AtMost(Times(rank, Const(-1)), axis),
                AtMost(Sum(axis, Const(1)), rank),
            ),
            f"{parameter} must be a dimension of {tensor}, from -rank to rank - 1",
            (Shown("integer", axis), " for rank ", Shown("integer", own)),
            "Pass -1 for the last dimension.",
        ),
    )


def axes_in_rank(array: str, tensor: str) -> Rules:
    """All values are axes of the tensor; one that has none counts as if it had one."""
    return _about_axes(
        "axes_in_rank",
        array,
        tensor,
        AxesInRank(array, tensor),
        f"all values of {array} must be dimensions of {tensor}, from -rank to rank - 1",
        "Pass -1 for the last dimension.",
    )


def distinct_axes(array: str, tensor: str) -> Rules:
    """No axis is named twice."""
    return _about_axes(
        "distinct_axes",
        array,
        tensor,
        DistinctAxes(array, tensor),
        f"no two values of {array} must be the same dimension",
        "Name each dimension once.",
    )


def axes_positive(array: str, tensor: str) -> Rules:
    """The axes that are named have a length above 0."""
    return _about_axes(
        "axes_positive",
        array,
        tensor,
        AxesPositive(tensor, array),
        f"the dimensions of {tensor} that {array} names must be greater than 0",
        "There is no value of nothing: skip the call.",
    )


def _about_axes(id: str, array: str, tensor: str, holds: Term, text: str, advice: str) -> Rules:
    got = (Shown("array", array), " for ", Shown("shape", ShapeOf(tensor)))
    return (Rule(id, array, holds, text, got, advice),)


def divisible(tensor: str, axis: Term, by: int, words: str) -> Rules:
    """The length of an axis is a multiple of a number; `words` name the axis."""
    return (
        Rule(
            "divisible",
            tensor,
            is_multiple(DimOf(tensor, axis), by),
            f"{words} of {tensor} must be a multiple of {by}",
            (Shown("shape", ShapeOf(tensor)),),
            "Choose another dimension, or pad it.",
        ),
    )
