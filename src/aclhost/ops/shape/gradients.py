# SPDX-License-Identifier: Apache-2.0
"""Gradients of operators that move elements: sums of what came from one element."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.shape.build import NEWER, Rules
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT32, INT64, DataType
from aclhost.spec.formats import FRACTAL_NZ
from aclhost.spec.gradient import Gradient
from aclhost.spec.moved import WithAxis
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, IntArray, TensorIn, TensorOut
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    at_least,
    axis_in_rank,
    done_when_empty,
    dtype_in,
    format_fits_rank,
    in_tiling,
    inner,
    inside_storage,
    not_null,
    rank_at_least,
    rank_at_most,
    requires,
    same_dtype,
    shape_is,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ArrayShape, ElementsOf, ShapeOf
from aclhost.spec.terms import (
    And,
    AtMost,
    Const,
    DimOf,
    Divided,
    DtypeOf,
    Elements,
    Equal,
    FormatOf,
    If,
    In,
    ItemOf,
    LengthOf,
    Not,
    RankOf,
    Sum,
    Times,
    ValueOf,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_FLOATS = (FLOAT, FLOAT16, BF16)
_IN_FLOAT = "Sums are made in float, in the order of the elements, and rounded once."
_AXIS = ValueOf("dim")
_LENGTH = ItemOf("inputSizes", _AXIS)
_WINDOWS = Sum(Divided(Sum(_LENGTH, Times(ValueOf("size"), Const(-1))), ValueOf("step")), Const(1))


def _fitting_windows() -> Rules:
    """As many windows as unfolding makes, each as long as it says."""
    got = (Shown("shape", ShapeOf("gradOut")), " for ", Shown("array", "inputSizes"))
    return (
        *requires(
            "windows",
            "gradOut",
            And(AtMost(ValueOf("size"), _LENGTH), Equal(DimOf("gradOut", _AXIS), _WINDOWS)),
            "gradOut must have (inputSizes[dim] - size) / step + 1 windows along dim",
            got,
            "Pass the shape of the unfolded tensor.",
        ),
        *requires(
            "window_size",
            "gradOut",
            Equal(DimOf("gradOut", Const(-1)), ValueOf("size")),
            "the last length of gradOut must be size",
            got,
            "Pass the shape of the unfolded tensor.",
        ),
    )


def _other_lengths() -> Rules:
    """All but the unfolded dimension, and the windows' elements behind them."""
    expected = WithAxis(ShapeOf("gradIn"), _AXIS, DimOf("gradOut", _AXIS))
    return requires(
        "same_lengths",
        "gradOut",
        Equal(Elements("gradOut"), Times(ElementsOf(expected), ValueOf("size"))),
        "gradOut must have the lengths of gradIn along the other dimensions",
        (Shown("shape", ShapeOf("gradOut")), " for ", Shown("shape", ShapeOf("gradIn"))),
        "Pass the shape of the unfolded tensor.",
    )


def _axis() -> Rules:
    return requires(
        "axis_in_rank",
        "dim",
        And(AtMost(Const(0), _AXIS), AtMost(Sum(_AXIS, Const(2)), RankOf("gradOut"))),
        "dim must be a dimension of gradIn, from 0 on",
        (Shown("integer", _AXIS), " for rank ", Shown("integer", LengthOf("inputSizes"))),
        "Count dimensions from the start.",
    )


def _unfold_grad(grad_out: Array, input_sizes: Ints, dim: int, size: int, step: int) -> Array:
    import numpy as np

    windows = np.moveaxis(grad_out, (dim, -1), (0, 1))
    sizes = list(input_sizes)
    result = np.zeros((sizes.pop(dim), *sizes))
    for place, window in enumerate(windows):
        result[place * step : place * step + size] += window
    return np.moveaxis(result, 0, dim)


def _unfolded(
    sizes: tuple[int, ...], dim: int, size: int, step: int, dtype: DataType = FLOAT
) -> Call:
    shape = list(sizes)
    shape[dim] = (sizes[dim] - size) // step + 1
    return Call(
        {
            "gradOut": TensorArg((*shape, size), dtype),
            "inputSizes": sizes,
            "dim": dim,
            "size": size,
            "step": step,
            "gradIn": TensorArg(sizes, dtype),
        }
    )


def _draw_unfolded(rng: Random) -> Call:
    sizes = tuple(rng.randint(1, 6) for _ in range(rng.randint(1, 4)))
    dim = rng.randrange(len(sizes))
    size = rng.randint(1, sizes[dim])
    return _unfolded(sizes, dim, size, rng.randint(1, 4), rng.choice(_FLOATS))


def _torch_unfolded(torch: Any, **arguments: Any) -> Any:  # noqa: ANN401
    names = ("grad_out", "input_sizes", "dim", "size", "step")
    return torch.ops.aten.unfold_backward(*(arguments[name] for name in names))


UNFOLD_GRAD = Operator(
    "aclnnUnfoldGrad",
    summary="The gradient of windows along a dimension.",
    formula=(
        "`gradIn[..., i, ...]` is the sum of `gradOut[..., w, ..., k]` over all windows `w` and "
        "places `k` with `w * step + k = i` along `dim`."
    ),
    params=(
        TensorIn("gradOut", "The gradient of the windows, whose elements are the last dimension."),
        IntArray("inputSizes", "The shape of what was unfolded.", length=1),
        Int("dim", "The dimension of the windows, from 0 on."),
        Int("size", "The length of a window."),
        Int("step", "From one window to the next."),
        TensorOut(
            "gradIn",
            "Result.",
            shape=ArrayShape("inputSizes"),
            dtype=DtypeOf("gradOut"),
            is_const=True,
        ),
    ),
    checks=(
        inner(not_null("gradOut", "inputSizes", "gradIn")),
        dtype_in("gradOut", *_FLOATS),
        dtype_in("gradIn", *_FLOATS),
        rank_at_most("gradOut", 8),
        rank_at_most("gradIn", 8),
        rank_at_least("gradOut", 1),
        rank_at_least("gradIn", 1),
        requires(
            "one_less",
            "inputSizes",
            Equal(Sum(LengthOf("inputSizes"), Const(1)), RankOf("gradOut")),
            "inputSizes must have one value less than gradOut has dimensions",
            (Shown("array", "inputSizes"), " for ", Shown("shape", ShapeOf("gradOut"))),
            "Pass the shape of what was unfolded.",
        ),
        shape_is("gradIn", ArrayShape("inputSizes"), "that inputSizes says"),
        _axis(),
        at_least("size", 1),
        at_least("step", 1),
        requires(
            "not_fractal",
            "gradOut",
            Not(In(FormatOf("gradOut"), (FRACTAL_NZ,))),
            "gradOut must not have format FRACTAL_NZ",
            (Shown("format", FormatOf("gradOut")),),
            "Create gradOut with ND.",
        ),
        done_when_empty("gradOut", "gradIn"),
        supported_on(*NEWER),
        inside_storage("gradOut"),
        in_tiling(_fitting_windows(), _other_lengths()),
        format_fits_rank("gradIn"),
        inner(same_dtype("gradIn", "gradOut")),
    ),
    golden=_unfold_grad,
    reference=_torch_unfolded,
    summed=("gradOut",),
    samples=(
        _unfolded((7,), 0, 2, 1),
        _unfolded((3, 8), 1, 3, 2, BF16),
        _unfolded((2, 6, 3), 1, 2, 4, FLOAT16),
        _unfolded((4, 2, 3), 0, 4, 1),
    ),
    draw=_draw_unfolded,
    typical=lambda n: _unfolded((max(n // 1024, 1), 1024), 1, 4, 2),
    formats="Any label but FRACTAL_NZ for gradOut; that of gradIn fits its rank.",
    notes=(
        _IN_FLOAT,
        "The document allows the last two dimensions only, and windows of limited length there; "
        "upstream computes the others elsewhere, and aclhost all of them.",
        "aclhost also compares the lengths along the other dimensions; upstream trusts them.",
    ),
)

_REPEATS = DimOf("repeats", Const(0))


def _repeat_grad(y_grad: Array, repeats: Array, axis: int) -> Array:
    import numpy as np

    moved = np.moveaxis(y_grad, axis, 0)
    counts = np.ravel(repeats)
    if counts.size == 1:  # of 0 repeats, nothing tells how many there were
        counts = np.full(len(moved) // max(int(counts[0]), 1), counts[0])
    result, ends = np.zeros((len(counts), *moved.shape[1:])), np.cumsum(counts)
    for index, (start, end) in enumerate(zip(ends - counts, ends, strict=True)):
        result[index] = moved[start:end].sum(0)
    return np.moveaxis(result, 0, axis)


def _repeated(
    shape: tuple[int, ...],
    axis: int,
    repeats: tuple[int, ...],
    dtype: DataType = FLOAT,
    kind: DataType = INT64,
) -> Call:
    """The shape is that of the result; one value stands for all of its indices."""
    grad = list(shape)
    grad[axis] = repeats[0] * shape[axis] if len(repeats) == 1 else sum(repeats)
    return Call(
        {
            "yGrad": TensorArg(tuple(grad), dtype),
            "repeats": TensorArg((len(repeats),), kind, values=repeats),
            "axis": axis,
            "out": TensorArg(shape, dtype),
        },
        product=A950,
    )


def _draw_repeated(rng: Random) -> Call:
    shape = tuple(rng.randint(1, 4) for _ in range(rng.randint(1, 4)))
    axis = rng.randrange(-len(shape), len(shape))
    repeats = tuple(rng.randint(0, 4) for _ in range(shape[axis]))
    if rng.random() < 0.5 or len(repeats) == 1 or not sum(repeats):
        repeats = (rng.randint(1, 3),)
    return _repeated(shape, axis, repeats, rng.choice(_FLOATS), rng.choice((INT32, INT64)))


REPEAT_INTERLEAVE_GRAD = Operator(
    "aclnnRepeatInterleaveGrad",
    summary="The gradient of repeated elements.",
    formula=(
        "Index `i` of `out` along `axis` is the sum of the next `repeats[i]` indices of `yGrad`; "
        "one value of repeats stands for all."
    ),
    params=(
        TensorIn("yGrad", "The gradient of the repeated elements."),
        TensorIn("repeats", "How often: one value for all, or one for each."),
        Int("axis", "The dimension; below 0 from the end.", default=-1),
        TensorOut("out", "Result.", is_const=True),
    ),
    checks=(
        not_null("yGrad", "repeats", "out"),
        dtype_in("yGrad", *_FLOATS),
        dtype_in("repeats", INT32, INT64),
        same_dtype("out", "yGrad"),
        supported_on(A950),
        inner(rank_at_most("repeats", 1), axis_in_rank("axis", "yGrad")),
        in_tiling(
            requires(
                "not_empty",
                "repeats",
                AtMost(Const(1), Elements("repeats")),
                "repeats must have a value",
                (Shown("shape", ShapeOf("repeats")),),
                "Pass one value for all, or one for each.",
            ),
            rank_at_most("yGrad", 8),
        ),
        inside_storage("yGrad", "repeats"),
        inner(
            requires(
                "fits_repeats",
                "out",
                If(
                    AtMost(Const(2), _REPEATS),
                    Equal(
                        Times(Elements("out"), DimOf("yGrad", ValueOf("axis"))),
                        Times(Elements("yGrad"), _REPEATS),
                    ),
                    Const(1),
                ),
                "out must have one index along axis for each value of repeats",
                (Shown("shape", ShapeOf("out")), " for ", Shown("shape", ShapeOf("repeats"))),
                "Create out with the shape of what was repeated.",
            )
        ),
    ),
    golden=_repeat_grad,
    summed=("yGrad",),
    gradient=Gradient(
        forward="aclnnRepeatInterleaveWithDim",
        results={"out": "self"},
        given={"yGrad": "out"},
        saved={"axis": "dim"},
    ),
    samples=(
        _repeated((2, 4), 1, (1, 2, 2, 1)),
        _repeated((2, 3), -1, (2,), BF16, INT32),
        _repeated((3, 2, 2), 0, (0, 3, 1), FLOAT16),
    ),
    draw=_draw_repeated,
    typical=lambda n: _repeated((max(n // 512, 1), 256), 1, (2,)),
    notes=(
        _IN_FLOAT,
        "Upstream has no phase 1 of its own for this operator: codes after the dtypes are those "
        "of a generated one.",
    ),
)

OPS = (UNFOLD_GRAD, REPEAT_INTERLEAVE_GRAD)
