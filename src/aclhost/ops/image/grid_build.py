# SPDX-License-Identifier: Apache-2.0
"""What sampling by a grid and its gradient have in common: attributes, shapes, calls."""

from __future__ import annotations

from random import Random

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, DataType
from aclhost.spec.formats import NDHWC
from aclhost.spec.params import Choice, Flag
from aclhost.spec.rules import Rule, one_of, requires
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf
from aclhost.spec.terms import Const, DimOf, Equal, FormatOf, If, In, Term, all_of

Rules = tuple[Rule, ...]

WORDS = {2: "H, W", 3: "D, H, W"}
MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")
CHANNELS_LAST = In(FormatOf("input"), (NDHWC,))  # in two dimensions labels mean nothing


def attributes(dims: int) -> tuple[Choice | Flag, ...]:
    """What a coordinate means, and what lies outside."""
    modes = MODES if dims == 2 else MODES[:2]
    return (
        Choice("interpolationMode", "0 linear, 1 nearest, 2 cubic.", modes, "bilinear"),
        Choice("paddingMode", "0 zeros, 1 border, 2 reflection.", PADDINGS, "zeros"),
        Flag(
            "alignCorners",
            "Whether -1 and 1 are the first and the last element, or their outer edges.",
            default=False,
        ),
    )


def attribute_checks(dims: int) -> Rules:
    """The words are known."""
    words = "0 for bilinear, 1 for nearest"
    modes = (
        one_of("interpolationMode", 0, 1, 2, meaning=f"{words}, 2 for bicubic")
        if dims == 2
        else one_of("interpolationMode", 0, 1, meaning=words)
    )
    paddings = one_of("paddingMode", 0, 1, 2, meaning="0 for zeros, 1 for border, 2 for reflection")
    return (*modes, *paddings) if dims == 2 else (*paddings, *modes)


def _agree(id: str, parameter: str, holds: Term, text: str, *shown: str) -> Rules:
    parts: list[str | Shown] = []
    for name in shown:
        parts += [" and ", Shown("shape", ShapeOf(name))]
    advice = "Correct the shapes: N, C and lengths of an image, N and lengths of a grid."
    return requires(id, parameter, holds, text, tuple(parts[1:]), advice)


def dim(parameter: str, axis: int) -> Term:
    """The length of an axis."""
    return DimOf(parameter, Const(axis))


def _channel(parameter: str, dims: int) -> Term:
    return (
        If(CHANNELS_LAST, dim(parameter, 4), dim(parameter, 1)) if dims == 3 else dim(parameter, 1)
    )


def _length(parameter: str, dims: int, axis: int) -> Term:
    if dims == 2:
        return dim(parameter, 2 + axis)
    return If(CHANNELS_LAST, dim(parameter, 1 + axis), dim(parameter, 2 + axis))


def shape_checks(dims: int, sampled: str) -> tuple[Rules, Rules, Rules, Rules]:
    """Batch, channels and lengths agree, and the grid has a component for each axis."""
    batches = [Equal(dim("input", 0), dim(name, 0)) for name in ("grid", sampled)]
    lengths = [Equal(dim("grid", 1 + axis), _length(sampled, dims, axis)) for axis in range(dims)]
    return (
        _agree(
            "same_batch",
            "grid",
            all_of(*batches),
            f"input, grid and {sampled} must have the same batch",
            "input",
            "grid",
            sampled,
        ),
        _agree(
            "same_channels",
            sampled,
            Equal(_channel("input", dims), _channel(sampled, dims)),
            f"{sampled} must have as many channels as input",
            "input",
            sampled,
        ),
        _agree(
            "same_lengths",
            sampled,
            all_of(*lengths),
            f"{sampled} must have the lengths {WORDS[dims]} of grid",
            "grid",
            sampled,
        ),
        _agree(
            "components",
            "grid",
            Equal(dim("grid", 1 + dims), Const(dims)),
            f"the last dimension of grid must be {dims}",
            "grid",
        ),
    )


def call(
    dims: int, dtype: DataType, shape: tuple[int, ...], lengths: tuple[int, ...], *modes: int
) -> Call:
    """A call of the forward; `modes` are interpolation, padding and alignment."""
    interpolation, padding, align = modes
    return Call(
        {
            "input": TensorArg(shape, dtype),
            "grid": TensorArg((shape[0], *lengths, dims), dtype, span=(-1.3, 1.3)),
            "interpolationMode": interpolation,
            "paddingMode": padding,
            "alignCorners": bool(align),
            "out": TensorArg((*shape[:2], *lengths), dtype),
        }
    )


def draw(rng: Random, dims: int) -> Call:
    """Small images and grids."""
    dtype = rng.choice((FLOAT, FLOAT, FLOAT16, BF16, DOUBLE))
    shape = (rng.randint(1, 2), rng.randint(1, 3), *(rng.randint(1, 6) for _ in range(dims)))
    lengths = tuple(rng.randint(1, 5) for _ in range(dims))
    picks = (rng.randrange(3), rng.randrange(3), rng.randrange(2))
    if picks[0] == 2 and (dims == 3 or dtype is DOUBLE):
        return draw(rng, dims)
    return call(dims, dtype, shape, lengths, *picks)


def typical(n: int, dims: int) -> Call:
    """Bilinear sampling of as many positions as there are pixels."""
    side = max(round((n / 16) ** (1 / dims)), 1)
    return call(dims, FLOAT, (1, 16, *(side,) * dims), (side,) * dims, 0, 0, 0)


def samples(dims: int) -> tuple[Call, ...]:
    """Every dtype, then every combination of words."""
    shape, lengths = (2, 3, 4, 5, 3)[: dims + 2], (3, 2, 4)[:dims]
    dtypes = (FLOAT, FLOAT16, BF16, DOUBLE)
    modes = [
        (mode, padding, align)
        for mode in range(4 - dims + 1)
        for padding in range(3)
        for align in range(2)
    ]
    return (
        *(call(dims, dtype, shape, lengths, 0, 0, 0) for dtype in dtypes),
        *(call(dims, FLOAT, shape, lengths, *each) for each in modes),
    )


FORMULA = (
    "A coordinate g along an axis of length L means the place `(g + 1) / 2 * (L - 1)` with "
    "alignCorners, otherwise `((g + 1) * L - 1) / 2`. Places outside are moved to the border, "
    "reflected at it, or have elements of 0. "
)
