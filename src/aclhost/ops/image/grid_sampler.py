# SPDX-License-Identifier: Apache-2.0
"""Sampling images and volumes where a grid points to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aclhost.ops.image.grid_build import (
    CHANNELS_LAST,
    FORMULA,
    MODES,
    PADDINGS,
    WORDS,
    Rules,
    attribute_checks,
    attributes,
    call,
    dim,
    draw,
    samples,
    shape_checks,
    typical,
)
from aclhost.spec.call import TensorArg
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, DataType
from aclhost.spec.formats import NCDHW, ND, NDHWC
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, ALL, P310P, T910
from aclhost.spec.rules import (
    Step,
    dims_positive,
    done_when_empty,
    dtype_in,
    equals,
    format_in,
    inside_storage,
    not_null,
    on_products,
    only_on,
    rank_in,
    requires,
    same_dtype,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.shapes import Lengths, ShapeIf, ShapeTerm
from aclhost.spec.terms import And, DtypeOf, In, Not, ProductIn

if TYPE_CHECKING:
    from aclhost.spec.golden import Array


def _out(dims: int) -> ShapeTerm:
    lengths = tuple(dim("grid", 1 + axis) for axis in range(dims))
    first = Lengths((dim("input", 0), dim("input", 1), *lengths))
    if dims == 2:
        return first
    return ShapeIf(CHANNELS_LAST, Lengths((dim("input", 0), *lengths, dim("input", 4))), first)


def golden(
    input: Array, grid: Array, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Array:
    """Element by element of the neighbourhood, for all positions at once."""
    import numpy as np

    from aclhost.reference.sampling import taps

    result = np.zeros((*input.shape[:2], *grid.shape[1:-1]))
    for tap in taps(grid, input.shape[2:], interpolation_mode, padding_mode, align_corners):
        for n in range(len(input)):
            values = input[n][(slice(None), *(index[n] for index in tap.index))]
            result[n] += np.where(tap.inside[n], tap.weight[n] * values, 0)
    return result


def _torch(torch: Any, input: Any, grid: Any, **attributes: Any) -> Any:  # noqa: ANN401
    return torch.nn.functional.grid_sample(
        input,
        grid,
        mode=MODES[attributes["interpolation_mode"]],
        padding_mode=PADDINGS[attributes["padding_mode"]],
        align_corners=attributes["align_corners"],
    )


_DTYPES: dict[int, tuple[DataType | Limited, ...]] = {
    2: (FLOAT, FLOAT16, only_on(BF16, *(each for each in ALL if each is not P310P)), DOUBLE),
    3: (FLOAT16, FLOAT, DOUBLE, BF16),
}


def _cubic() -> Rules:
    """Only where a kernel has it."""
    has = And(ProductIn((A950, A3, A2)), Not(In(DtypeOf("input"), (DOUBLE,))))
    rules = requires(
        "cubic",
        "interpolationMode",
        has,
        "input must not be DOUBLE, and the product Ascend 950, Atlas A3 or Atlas A2,",
        (Shown("dtype", DtypeOf("input")),),
        "Choose bilinear or nearest.",
    )
    return when(equals("interpolationMode", 2), rules)


def _no_bf16() -> Rules:
    rules = requires(
        "dtype_in",
        "input",
        Not(In(DtypeOf("input"), (BF16,))),
        "input must not be BF16",
        (Shown("dtype", DtypeOf("input")),),
        "Cast input and grid to FLOAT.",
    )
    return when(on_products(T910), rules)


def _checks(dims: int) -> tuple[tuple[Step, ...], ...]:
    ranks = (rank_in(name, dims + 2) for name in ("input", "grid", "out"))
    formats = (
        ()
        if dims == 2
        else (format_in("input", NCDHW, NDHWC, ND), format_in("out", NCDHW, NDHWC, ND))
    )
    batch, channels, lengths, components = shape_checks(dims, "out")
    last = (
        (inside_storage("input", "grid"), _cubic())
        if dims == 2
        else (supported_on(A950, A3, A2, T910), inside_storage("input", "grid"), _no_bf16())
    )
    return (
        not_null("input", "grid", "out"),
        same_dtype("grid", "input"),
        same_dtype("out", "input"),
        dtype_in("input", *_DTYPES[dims]),
        *formats,
        attribute_checks(dims),
        *ranks,
        *(batch, channels, lengths),
        dims_positive("input", dims),
        components,
        done_when_empty("input", "grid"),
        *last,
    )


def _sampler(dims: int) -> Operator:
    strided = TensorArg(
        (1, 2, *(3,) * dims), FLOAT, strides=(1, 1, *(2 * 3**i for i in range(dims)))
    )
    extra = call(dims, FLOAT, strided.shape, (2,) * dims, 0, 1, 1).passing(input=strided)
    return Operator(
        f"aclnnGridSampler{dims}D",
        summary=f"Samples {'images' if dims == 2 else 'volumes'} where a grid points to.",
        formula=(
            f"{FORMULA}out is the weighted sum of the neighbours of the place: two along each axis "
            "(linear), four (cubic, with a = -0.75), or the nearest element alone, a tie to even. "
            "The grid's components are x, y" + (", z." if dims == 3 else ".")
        ),
        params=(
            TensorIn("input", f"N, C, {WORDS[dims]}."),
            TensorIn("grid", f"N, {WORDS[dims]} of the result, coordinates."),
            *attributes(dims),
            TensorOut("out", "Result.", shape=_out(dims), dtype=DtypeOf("input")),
        ),
        checks=_checks(dims),
        samples=(*samples(dims), extra),
        golden=golden,
        reference=_torch,
        summed=("input",),
        ulps=16,
        draw=lambda rng: draw(rng, dims),
        typical=lambda n: typical(n, dims),
        formats=(
            "Any label is accepted and ignored."
            if dims == 2
            else "NCDHW, NDHWC and ND. input's label tells where its channels and those of out are."
        ),
        notes=(
            "A coordinate that is NaN counts as outside, or as the first element where nothing is "
            "outside; torch gives NaN in some of these cases.",
            *(
                ("The documents know NDHWC for a few cases only; here it always works.",)
                if dims == 3
                else ()
            ),
        ),
    )


OPS = tuple(_sampler(dims) for dims in (2, 3))
