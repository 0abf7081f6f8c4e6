# SPDX-License-Identifier: Apache-2.0
"""What the pools share: windows as terms and rules, for one to three axes."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from aclhost.spec import formats, products
from aclhost.spec.call import TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.formats import Format, of_rank
from aclhost.spec.products import A2, A3, A950, Product
from aclhost.spec.rules import Condition, Rule, on_products, only_on, requires
from aclhost.spec.rules.base import Shown
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.shapes import SameShape, ShapeOf, ShapeTerm, WithLast
from aclhost.spec.terms import (
    AtMost,
    Const,
    DimOf,
    Equal,
    FormatOf,
    If,
    ItemOf,
    LengthOf,
    Not,
    RankOf,
    Term,
    Times,
    WindowCount,
    all_of,
    const,
)

Rules = tuple[Rule, ...]
ONE, ZERO = Const(1), Const(0)
NEW = (A950, A3, A2)
FLOATS = (FLOAT, FLOAT16, only_on(BF16, *NEW))
CEIL = "Whether a last partial window counts."
COUNT = "Whether the padding counts in the mean."
DIVISOR = "What sums are divided by instead; 0 for none."
HERE = "Upstream rounds in between on some products; aclhost computes in float and rounds once."


def floats_on(*which: Product) -> tuple[Limited, ...]:
    """FLOAT, FLOAT16 and BF16 on these products, nothing on others."""
    return tuple(only_on(dtype, *which) for dtype in (FLOAT, FLOAT16, BF16))


def except_on(*which: Product) -> Condition:
    """The product is another one."""
    return on_products(*(product for product in products.ALL if product not in which))


def item(array: str, axis: int) -> Term:
    """One value of an array for an axis; a single one stands for all."""
    return If(Equal(LengthOf(array), ONE), ItemOf(array, ZERO), ItemOf(array, Const(axis)))


def step(stride: str, kernel: str, axis: int) -> Term:
    """The same of strides, where none means the kernel."""
    return If(Equal(LengthOf(stride), ZERO), item(kernel, axis), item(stride, axis))


def length(tensor: str, axis: int, spatial: int) -> Term:
    """A spatial length, the last of which is the tensor's last dimension."""
    return DimOf(tensor, Const(axis - spatial))


def counts(
    tensor: str, arrays: tuple[str, str, str], ceil_mode: Term, spatial: int
) -> tuple[Term, ...]:
    """How many windows of an average pool there are along each axis."""
    kernel, stride, padding = arrays
    return tuple(
        WindowCount(
            length(tensor, axis, spatial),
            item(kernel, axis),
            step(stride, kernel, axis),
            item(padding, axis),
            item(padding, axis),
            ONE,
            ceil_mode,
            towards_zero=1,
        )
        for axis in range(spatial)
    )


def at_most_half_of(padding: str, kernel: str, spatial: int) -> Rules:
    """No padding exceeds half of the kernel."""
    return requires(
        "at_most_half",
        padding,
        all_of(
            *(AtMost(Times(Const(2), item(padding, i)), item(kernel, i)) for i in range(spatial))
        ),
        f"{padding} must be at most half of {kernel}, rounded down",
        (Shown("array", padding), " and ", Shown("array", kernel)),
        f"Reduce {padding} or enlarge {kernel}.",
    )


def have_windows(tensor: str, numbers: tuple[Term, ...], least: int = 1) -> Rules:
    """There are windows along every axis."""
    return requires(
        "windows",
        tensor,
        all_of(*(AtMost(Const(least), number) for number in numbers)),
        f"{tensor} must have room for {'a window' if least else 'windows'} along every axis",
        (Shown("shape", ShapeOf(tensor)),),
        "Reduce the kernel or enlarge the padding.",
    )


def lengths_positive(tensor: str, *axes: int) -> Rules:
    """None of these dimensions, counted from the end, is 0."""
    which = ", ".join(map(str, axes))
    return requires(
        "dims_positive",
        tensor,
        all_of(*(AtMost(ONE, DimOf(tensor, Const(axis))) for axis in axes)),
        f"the dimensions {which} of {tensor} must be greater than 0",
        (Shown("shape", ShapeOf(tensor)),),
        "Skip the call when there is nothing to compute.",
    )


def same_lengths_before(parameter: str, other: str, spatial: int) -> Rules:
    """All but the last dimensions agree."""
    last = tuple(DimOf(parameter, Const(axis - spatial)) for axis in range(spatial))
    expected = WithLast(other, 0, last)
    return requires(
        "same_leading",
        parameter,
        SameShape(ShapeOf(parameter), expected),
        f"{parameter} and {other} must agree in all but the last {spatial} dimensions",
        (Shown("shape", ShapeOf(parameter)), " and ", Shown("shape", ShapeOf(other))),
        "Use the same batch and channels for both.",
    )


def resized(tensor: str, array: str, spatial: int) -> ShapeTerm:
    """A tensor's shape with the lengths of an array at the end."""
    return WithLast(tensor, 0, tuple(ItemOf(array, Const(axis)) for axis in range(spatial)))


def rank_is(tensor: str, rank: int) -> Condition:
    """The tensor has that many dimensions."""
    return Condition(Equal(RankOf(tensor), Const(rank)), f"{tensor} has {rank} dimensions")


def format_is(tensor: str, label: Format) -> Term:
    """The label, as a term."""
    return Equal(FormatOf(tensor), const(label))


def not_channels_last(tensor: str) -> Rules:
    """The label is not NHWC."""
    return requires(
        "format_in",
        tensor,
        Not(format_is(tensor, formats.NHWC)),
        f"{tensor} must not be labelled NHWC",
        (Shown("format", FormatOf(tensor)),),
        "Use NCHW or ND; only Ascend 950 takes channels last.",
    )


def labelled(shape: tuple[int, ...], dtype: DataType = FLOAT) -> TensorArg:
    """A tensor with the label of its rank."""
    return TensorArg(shape, dtype, format=of_rank(len(shape)))


def taking(names: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A golden that several operators share, with the parameters of one of them."""
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names.split()]
    function.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return function
