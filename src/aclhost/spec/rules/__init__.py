# SPDX-License-Identifier: Apache-2.0
"""The vocabulary in which operators state their checks.

Each function returns rules for one or several parameters, in the order they are checked.
"""

from __future__ import annotations

from aclhost.spec import products
from aclhost.spec.dtypes import DataType
from aclhost.spec.formats import Format
from aclhost.spec.products import Product
from aclhost.spec.rules import arrays, dtype, layout, presence, shape, values
from aclhost.spec.rules.base import DoneWhenEmpty, Rule, Step
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.rules.values import Condition, equals, is_set, not_finite, on_products

__all__ = [
    "Rule",
    "Step",
    "all_one",
    "all_positive",
    "at_most_half",
    "broadcastable",
    "castable_scalars",
    "castable_to",
    "channels_positive",
    "contiguous",
    "dims_positive",
    "done_when_empty",
    "dtype_in",
    "equals",
    "final_cast",
    "format_fits_rank",
    "format_in",
    "holds_volume",
    "inner",
    "inside_storage",
    "is_set",
    "length_in",
    "lengths_at_most",
    "none_negative",
    "not_finite",
    "not_negative",
    "not_null",
    "not_private",
    "on_products",
    "one_element",
    "one_of",
    "only_on",
    "rank_at_most",
    "rank_in",
    "refused_unless_on",
    "same_dtype",
    "same_format",
    "same_format_unless_nd",
    "same_leading",
    "same_rank",
    "same_shape",
    "scalar_at_least",
    "shape_is",
    "spatial_positive",
    "supported_on",
    "volume_at_most",
    "when",
]

Rules = tuple[Rule, ...]


# Presence and products.


def not_null(*parameters: str) -> Rules:
    """None of the pointers is null."""
    return tuple(presence.NotNull(name) for name in parameters)


def supported_on(*on: Product) -> Rules:
    """The product is one of these (561103 if not)."""
    return (presence.SupportedProduct("", on),)


def refused_unless_on(*on: Product) -> Rules:
    """The product is one of these (161002 if not)."""
    return (presence.RefusedProduct("", on),)


# Data types.


def only_on(which: DataType, *on: Product) -> Limited:
    """A dtype that only these products allow."""
    return Limited(which, on)


def dtype_in(parameter: str, *allowed: DataType | Limited) -> Rules:
    """The dtype is one of these."""
    entries = tuple(
        entry if isinstance(entry, Limited) else Limited(entry, products.ALL) for entry in allowed
    )
    return (dtype.DtypeIn(parameter, entries),)


def same_dtype(parameter: str, other: str) -> Rules:
    """Both tensors have the same dtype."""
    return (dtype.SameDtype(parameter, other),)


def castable_scalars(target: DataType, *scalars: str) -> Rules:
    """Each scalar converts to the type the operator computes with."""
    return tuple(dtype.CastableScalar(name, target) for name in scalars)


def castable_to(parameter: str, *sources: str) -> Rules:
    """The sources' common dtype converts to this output's."""
    return (dtype.Castable(parameter, sources),)


def final_cast(parameter: str, *sources: str) -> Rules:
    """The permitted conversion really exists (561103 if not)."""
    return (dtype.CastImplemented(parameter, sources),)


# Shapes.


def same_shape(parameter: str, other: str) -> Rules:
    """Both tensors have the same shape."""
    return (shape.SameShape(parameter, other),)


def shape_is(parameter: str, expected: str, words: str, test: str = "has_shape") -> Rules:
    """The shape is what a C++ expression says, in words for the reader."""
    return (shape.ShapeIs(parameter, expected, words, test),)


def same_leading(parameter: str, other: str) -> Rules:
    """Batch and channels agree."""
    return (shape.SameLeading(parameter, other),)


def same_rank(parameter: str, other: str) -> Rules:
    """Both tensors have the same rank."""
    return (shape.SameRank(parameter, other),)


def rank_at_most(parameter: str, most: int) -> Rules:
    """The tensor has at most so many dimensions."""
    return (shape.RankAtMost(parameter, most),)


def rank_in(parameter: str, *ranks: int) -> Rules:
    """The tensor has one of these ranks."""
    return (shape.RankIn(parameter, ranks),)


def dims_positive(parameter: str, first: int) -> Rules:
    """No dimension from this one on is 0."""
    return (shape.DimsPositive(parameter, first),)


def spatial_positive(parameter: str) -> Rules:
    """Depth, height and width are above 0."""
    return (shape.SpatialPositive(parameter),)


def channels_positive(parameter: str) -> Rules:
    """There are channels."""
    return (shape.ChannelsPositive(parameter),)


def volume_at_most(parameter: str) -> Rules:
    """Depth * height * width fits 31 bits."""
    return (shape.VolumeAtMost(parameter),)


def lengths_at_most(parameter: str, array: str = "") -> Rules:
    """Every dimension fits 31 bits."""
    return (shape.LengthsAtMost(parameter, array),)


def one_element(parameter: str) -> Rules:
    """The tensor holds one element (561103 if not)."""
    return (shape.OneElement(parameter),)


def broadcastable(parameter: str, *others: str) -> Rules:
    """The tensor broadcasts with the others."""
    return (shape.Broadcastable(parameter, others),)


def contiguous(parameter: str) -> Rules:
    """The tensor is dense."""
    return (shape.Contiguous(parameter),)


# Storage and formats.


def inside_storage(*parameters: str) -> Rules:
    """Strided inputs stay inside their storage (561103 if not)."""
    return tuple(layout.InsideStorage(name) for name in parameters)


def same_format_unless_nd(parameter: str, other: str) -> Rules:
    """The output carries the input's format, unless that is ND (561103 if not)."""
    return (layout.SameFormatUnlessNd(parameter, other),)


def same_format(parameter: str, other: str) -> Rules:
    """Both tensors carry the same format."""
    return (layout.SameFormat(parameter, other),)


def not_private(*parameters: str) -> Rules:
    """The formats are public ones."""
    return tuple(layout.NotPrivate(name) for name in parameters)


def format_in(parameter: str, *allowed: Format) -> Rules:
    """The format is one of these."""
    return (layout.FormatIn(parameter, allowed),)


def format_fits_rank(*parameters: str) -> Rules:
    """Labels that imply a rank stand on tensors of that rank (561103 if not)."""
    return tuple(layout.FormatFitsRank(name) for name in parameters)


# Arrays of integers.


def length_in(parameter: str, *lengths: int) -> Rules:
    """The array has one of these lengths."""
    return (arrays.LengthIn(parameter, lengths),)


def all_positive(parameter: str, first: int = 0, count: int = 0) -> Rules:
    """Values from some position on are above 0; with a count, at least so many are there."""
    return (arrays.AllPositive(parameter, first, count),)


def none_negative(parameter: str) -> Rules:
    """No value is below 0."""
    return (arrays.NoneNegative(parameter),)


def all_one(parameter: str) -> Rules:
    """Every value is 1."""
    return (arrays.AllOne(parameter),)


def at_most_half(parameter: str, other: str) -> Rules:
    """No value exceeds half of the other array's."""
    return (arrays.AtMostHalf(parameter, other),)


def holds_volume(parameter: str, tensor: str) -> Rules:
    """The product of the values is at least the tensor's depth * height * width."""
    return (arrays.HoldsVolume(parameter, tensor),)


# Values and conditions.


def scalar_at_least(parameter: str, least: float) -> Rules:
    """The scalar, as float, is not below the bound."""
    return (values.ScalarAtLeast(parameter, least),)


def one_of(parameter: str, *allowed: int) -> Rules:
    """The integer is one of these."""
    return (values.OneOf(parameter, allowed),)


def not_negative(parameter: str) -> Rules:
    """The number is at least 0."""
    return (values.NotNegative(parameter),)


def when(condition: Condition, *groups: Rules) -> Rules:
    """The rules hold only under the condition."""
    return tuple(values.When(rule.parameter, rule, condition) for group in groups for rule in group)


def inner(*groups: Rules) -> Rules:
    """The rules are checked so late that a violation is an inner error (561103)."""
    return tuple(values.Inner(rule.parameter, rule) for group in groups for rule in group)


def done_when_empty(*parameters: str, unless: Condition | None = None) -> tuple[Step, ...]:
    """Phase 1 succeeds here with nothing to do when one of the tensors is empty."""
    if unless is None:
        return (DoneWhenEmpty(parameters),)
    return (DoneWhenEmpty(parameters, unless.cpp, unless.english),)
