# SPDX-License-Identifier: Apache-2.0
"""Gradients of sampling where a grid points to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aclhost.ops.image.grid_build import (
    FORMULA,
    WORDS,
    attribute_checks,
    attributes,
    draw,
    samples,
    shape_checks,
    typical,
)
from aclhost.spec.call import Call
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import BoolArray, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, T910
from aclhost.spec.rules import (
    Condition,
    Step,
    dims_positive,
    done_when,
    dtype_in,
    inside_storage,
    not_null,
    only_on,
    rank_in,
    requires,
    same_dtype,
    same_shape,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.terms import Empty, FlagAt, In, LengthOf, Not, Present, any_of

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_MASK = "outputMask"
_NO_MASK = Condition(Not(Present(_MASK)), "`outputMask` is null")
_IDLE = Condition(
    any_of(
        *(Empty(name) for name in ("gradOutput", "input", "grid")),
        Not(any_of(FlagAt(_MASK, 0), FlagAt(_MASK, 1))),
    ),
    "`gradOutput`, `input` or `grid` is empty, or both values of `outputMask` are false",
)
_NEWER = (A950, A3, A2)
_DTYPES: dict[int, tuple[DataType | Limited, ...]] = {
    2: (FLOAT, FLOAT16, DOUBLE, only_on(BF16, *_NEWER)),
    3: (FLOAT, FLOAT16, BF16, DOUBLE),
}


def golden(
    grad_output: Array,
    input: Array,
    grid: Array,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
    output_mask: tuple[bool, bool],
) -> tuple[Array, Array]:
    """Every neighbour gets its share, and tells how it would change the result."""
    import numpy as np

    from aclhost.reference.sampling import taps

    by_input, by_grid = np.zeros(input.shape), np.zeros(grid.shape)
    for tap in taps(grid, input.shape[2:], interpolation_mode, padding_mode, align_corners):
        for n in range(len(input)):
            place = (slice(None), *(index[n] for index in tap.index))
            inside = tap.inside[n]
            shares = np.where(inside, tap.weight[n] * grad_output[n], 0)
            np.add.at(by_input[n], place, shares)
            for component, slope in enumerate(tap.slopes if interpolation_mode != 1 else ()):
                changes = np.where(inside, slope[n] * input[n][place] * grad_output[n], 0)
                by_grid[n, ..., component] += changes.sum(axis=0)
    return by_input, by_grid


def _torch(torch: Any, grad_output: Any, input: Any, grid: Any, **given: Any) -> Any:  # noqa: ANN401
    """Torch takes differences of neighbours first, so that infinities meet in another order."""
    if not (grad_output.isfinite().all() and input.isfinite().all()):
        return NotImplemented
    function = getattr(torch.ops.aten, f"grid_sampler_{input.ndim - 2}d_backward")
    return function(
        grad_output,
        input,
        grid,
        given["interpolation_mode"],
        given["padding_mode"],
        given["align_corners"],
        list(given["output_mask"]),
    )


def _call(forward: Call) -> Call:
    given = dict(forward.arguments)
    gradient = given.pop("out")
    return Call(
        {
            "gradOutput": gradient,
            **given,
            _MASK: (True, True),
            "inputGrad": forward.tensor("input"),
            "gridGrad": forward.tensor("grid"),
        },
        forward.product,
    )


def _is_double(forward: Call) -> bool:
    """Sums in double, whose last bits depend on the order."""
    return forward.tensor("input").dtype is DOUBLE


def _inside(forward: Call) -> Call:
    """Far outside, cubic weights cancel, and rounding is all that is left."""
    cubic = forward.arguments["interpolationMode"] == 2
    return _call(forward.changing(("grid",), span=(-0.7, 0.7)) if cubic else forward)


def _checks(dims: int) -> tuple[tuple[Step, ...], ...]:
    tensors = ("gradOutput", "grid", "inputGrad", "gridGrad")
    batch, channels, lengths, components = shape_checks(dims, "gradOutput")
    positive = (dims_positive("input", 2),) if dims == 2 else ()
    return (
        done_when(_NO_MASK),
        not_null("gradOutput", "input", "grid", "inputGrad", "gridGrad"),
        *(same_dtype(name, "input") for name in tensors),
        dtype_in("input", *_DTYPES[dims]),
        attribute_checks(dims),
        *(rank_in(name, dims + 2) for name in ("input", "grid", "gradOutput")),
        *(batch, channels, *positive, lengths, components),
        same_shape("inputGrad", "input"),
        same_shape("gridGrad", "grid"),
        requires(
            "mask_length",
            _MASK,
            In(LengthOf(_MASK), (2,)),
            "outputMask must have 2 values",
            (Shown("integer", LengthOf(_MASK)), " values"),
            "Pass one bool for inputGrad and one for gridGrad.",
        ),
        done_when(_IDLE),
        supported_on(*_NEWER, T910),
        inside_storage("grid", "gradOutput", "input"),
    )


def _backward(dims: int) -> Operator:
    return Operator(
        f"aclnnGridSampler{dims}DBackward",
        summary=f"Gradients of sampling {'images' if dims == 2 else 'volumes'} by a grid.",
        formula=(
            f"{FORMULA}inputGrad is the sum of gradOutput times the weights with which the forward "
            "read an element. gridGrad is the sum over channels of gradOutput times how the "
            "result follows the coordinates; 0 for the nearest element. Sums are taken in double, "
            "in the order of positions or channels, and rounded once."
        ),
        params=(
            TensorIn("gradOutput", "Gradient of the result."),
            TensorIn("input", f"N, C, {WORDS[dims]}."),
            TensorIn("grid", f"N, {WORDS[dims]} of the result, coordinates."),
            *attributes(dims),
            BoolArray(_MASK, "Which of the two gradients are computed; null for none."),
            TensorOut("inputGrad", "Gradient of input.", like="input"),
            TensorOut("gridGrad", "Gradient of grid.", like="grid"),
        ),
        checks=_checks(dims),
        samples=tuple(_inside(each) for each in samples(dims) if not _is_double(each)),
        golden=golden,
        reference=_torch,
        ulps=64,
        ulps_from=1.0,
        gradient=Gradient(
            forward=f"aclnnGridSampler{dims}D",
            results={"inputGrad": "input", "gridGrad": "grid"},
            given={"gradOutput": "out"},
            derived={_MASK: lambda _: (True, True)},
        ),
        draw=lambda rng: _call(draw(rng, dims)),
        typical=lambda n: _call(typical(n, dims)),
        formats=(
            "Any label is accepted and ignored."
            if dims == 2
            else "NDHWC on input means that channels come last in it, gradOutput and inputGrad."
        ),
        notes=(
            "A gradient that outputMask leaves out is not written.",
            "Upstream sums in float, and in any order unless told otherwise.",
        ),
    )


OPS = tuple(_backward(dims) for dims in (2, 3))
