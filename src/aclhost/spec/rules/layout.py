# SPDX-License-Identifier: Apache-2.0
"""Rules about strides, storage and formats."""

from __future__ import annotations

from aclhost.spec import formats
from aclhost.spec.formats import Format
from aclhost.spec.rules.base import Part, Rule, Shown, listing
from aclhost.spec.status import Status
from aclhost.spec.terms import (
    Contiguous,
    Equal,
    FormatFitsRank,
    FormatOf,
    In,
    InsideStorage,
    Not,
    Or,
    PrivateFormat,
    RankOf,
)

Rules = tuple[Rule, ...]


def contiguous(parameter: str) -> Rules:
    """The tensor is dense."""
    return (
        Rule(
            "contiguous",
            parameter,
            Contiguous(parameter),
            f"{parameter} must be contiguous",
            (Shown("strides", parameter),),
            f"Write to a contiguous {parameter} and copy from there.",
        ),
    )


def inside_storage(*parameters: str) -> Rules:
    """Strided inputs stay inside their storage (561103 if not)."""
    return tuple(
        Rule(
            "inside_storage",
            name,
            InsideStorage(name),
            f"{name}, when not contiguous, must stay inside its storage",
            (Shown("reach", name),),
            "Correct strides, offset or storage dimensions in aclCreateTensor.",
            Status.INNER_NULLPTR,
        )
        for name in parameters
    )


def _formats(parameter: str, other: str) -> tuple[Part, ...]:
    return (Shown("format", FormatOf(parameter)), " and ", Shown("format", FormatOf(other)))


def same_format_unless_nd(parameter: str, other: str) -> Rules:
    """The output carries the input's format, unless that is ND (561103 if not)."""
    is_nd = In(FormatOf(other), (formats.ND,))
    return (
        Rule(
            "same_format_unless_nd",
            parameter,
            Or(is_nd, Equal(FormatOf(other), FormatOf(parameter))),
            f"{parameter} must have the format of {other} unless that is ND",
            _formats(parameter, other),
            f"Create {parameter} with the format of {other}, or both with ND.",
            Status.INNER_NULLPTR,
        ),
    )


def same_format(parameter: str, other: str) -> Rules:
    """Both tensors carry the same format."""
    return (
        Rule(
            "same_format",
            parameter,
            Equal(FormatOf(parameter), FormatOf(other)),
            f"{parameter} must have the same format as {other}",
            _formats(parameter, other),
            f"Create {parameter} with the format of {other}.",
        ),
    )


def _format_and_rank(parameter: str) -> tuple[Part, ...]:
    return (
        Shown("format", FormatOf(parameter)),
        " with rank ",
        Shown("integer", RankOf(parameter)),
    )


def not_private(*parameters: str) -> Rules:
    """The formats are public ones."""
    return tuple(
        Rule(
            "not_private",
            name,
            Not(PrivateFormat(name)),
            f"{name} must not have a private format such as NC1HWC0 or FRACTAL_NZ",
            _format_and_rank(name),
            f"Create {name} with ND or another public format.",
        )
        for name in parameters
    )


def format_in(parameter: str, *allowed: Format) -> Rules:
    """The format is one of these."""
    return (
        Rule(
            "format_in",
            parameter,
            In(FormatOf(parameter), allowed),
            f"{parameter} must have format {listing(allowed)}",
            _format_and_rank(parameter),
            f"Create {parameter} with one of these formats.",
        ),
    )


def format_fits_rank(*parameters: str) -> Rules:
    """Labels that imply a rank stand on tensors of that rank (561103 if not)."""
    return tuple(
        Rule(
            "format_fits_rank",
            name,
            FormatFitsRank(name),
            f"{name} must have the rank that its format implies",
            _format_and_rank(name),
            "Use ND, which fits every rank, or a label of the right rank.",
            Status.INNER_NULLPTR,
        )
        for name in parameters
    )
