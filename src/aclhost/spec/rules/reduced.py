# SPDX-License-Identifier: Apache-2.0
"""Rules about arrays that name dimensions."""

from __future__ import annotations

from aclhost.spec.reduced import AxesDiffer, AxesExist, AxesPositive
from aclhost.spec.rules.base import Rule, Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import AtMost, Const, If, RankOf, Sum, Term, Times, ValueOf, all_of

Rules = tuple[Rule, ...]


def _rule(id: str, dims: str, tensor: str, holds: Term, text: str, advice: str) -> Rules:
    got = (Shown("array", dims), " for ", Shown("shape", ShapeOf(tensor)))
    return (Rule(id, dims, holds, text, got, advice),)


def axes_exist(dims: str, tensor: str) -> Rules:
    """All values are dimensions of the tensor; one without dimensions has dimension 0."""
    return _rule(
        "axes_exist",
        dims,
        tensor,
        AxesExist(tensor, dims),
        f"all values of {dims} must be dimensions of {tensor}, from -rank to rank - 1",
        "Pass -1 for the last dimension.",
    )


def axes_differ(dims: str, tensor: str) -> Rules:
    """No dimension is named twice."""
    return _rule(
        "axes_differ",
        dims,
        tensor,
        AxesDiffer(tensor, dims),
        f"{dims} must not name a dimension of {tensor} twice",
        "A dimension has two names, d and d - rank: pass one of them.",
    )


def axes_positive(dims: str, tensor: str) -> Rules:
    """The dimensions that are named have a length above 0."""
    return _rule(
        "axes_positive",
        dims,
        tensor,
        AxesPositive(tensor, dims),
        f"the dimensions of {tensor} that {dims} names must be greater than 0",
        "There is no value of nothing: skip the call.",
    )


def axis_exists(dim: str, tensor: str) -> Rules:
    """The integer is a dimension of the tensor; one without dimensions has dimension 0."""
    axis = ValueOf(dim)
    rank = If(RankOf(tensor), RankOf(tensor), Const(1))
    return (
        Rule(
            "axis_exists",
            dim,
            all_of(AtMost(Times(rank, Const(-1)), axis), AtMost(Sum(axis, Const(1)), rank)),
            f"{dim} must be a dimension of {tensor}, from -rank to rank - 1",
            (Shown("integer", axis), " for rank ", Shown("integer", RankOf(tensor))),
            "Pass -1 for the last dimension.",
        ),
    )
