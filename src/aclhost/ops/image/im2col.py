# SPDX-License-Identifier: Apache-2.0
"""aclnnIm2col."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX32,
    COMPLEX64,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import IntArray, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    Condition,
    Rule,
    all_positive,
    cast_exists,
    dims_positive,
    done_when_empty,
    dtype_in,
    format_fits_rank,
    inside_storage,
    length_in,
    none_negative,
    not_null,
    only_on,
    rank_in,
    requires,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, ShapeIf, ShapeOf
from aclhost.spec.terms import (
    AtMost,
    Const,
    DimOf,
    Divided,
    DtypeOf,
    Equal,
    In,
    ItemOf,
    Not,
    RankOf,
    Sum,
    Term,
    Times,
    all_of,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

Rules = tuple[Rule, ...]

ON = (A950, A3, A2)
WINDOW = (
    IntArray("kernelSize", "Height and width of a window.", length=2),
    IntArray("dilation", "Distance of a window's elements.", length=2, default=1),
    IntArray("padding", "Zeros before and after each axis.", length=2, default=0),
    IntArray("stride", "Distance of windows.", length=2, default=1),
)
ARRAYS = tuple(param.name for param in WINDOW)


def item(array: str, axis: int) -> Term:
    """One value of an array."""
    return ItemOf(array, Const(axis))


def windows(length: Term, axis: int) -> Term:
    """How many windows fit."""
    last = Sum(item("kernelSize", axis), Const(-1))
    reach = Sum(Times(item("dilation", axis), last), Const(1))
    free = Sum(Sum(length, Times(Const(2), item("padding", axis))), Times(Const(-1), reach))
    return Sum(Divided(free, item("stride", axis)), Const(1))


def window_values() -> Rules:
    """All numbers are positive, but for the padding."""
    names = ("kernelSize", "stride", "dilation")
    positive = (rule for name in names for rule in all_positive(name))
    return (*positive, *none_negative("padding"))


KERNEL = Times(item("kernelSize", 0), item("kernelSize", 1))
_COUNTS = tuple(windows(DimOf("self", Const(axis - 2)), axis) for axis in (0, 1))
_ROWS, _COLUMNS = Times(DimOf("self", Const(-3)), KERNEL), Times(*_COUNTS)
_BATCH = Condition(In(RankOf("self"), (4,)), "self has 4 dimensions")
_SINGLE = Condition(In(RankOf("self"), (3,)), "self has 3 dimensions")
_OUT = ShapeIf(
    _BATCH.term,
    Lengths((DimOf("self", Const(0)), _ROWS, _COLUMNS)),
    Lengths((_ROWS, _COLUMNS)),
)


def _im2col(self: Array, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Array:
    """All windows of a padded image, of which some and some elements are kept."""
    import numpy as np

    edges = [(0, 0)] * (self.ndim - 2) + [(edge, edge) for edge in padding]
    reach = tuple((k - 1) * d + 1 for k, d in zip(kernel_size, dilation, strict=True))
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(self, edges), reach, (-2, -1))
    windows = windows[..., :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
    columns = np.moveaxis(windows, (-2, -1), (-4, -3))
    rows = self.shape[-3] * int(np.prod(kernel_size))
    return columns.reshape(*self.shape[:-3], rows, -1)


def _unfold(torch: Any, self: Any, **window: Any) -> Any:  # noqa: ANN401
    if not self.is_floating_point():
        return NotImplemented
    return torch.nn.functional.unfold(self, **window)


def _call(dtype: DataType, shape: tuple[int, ...], *window: tuple[int, int]) -> Call:
    """`window` is kernelSize, dilation, padding and stride."""
    arrays = dict(zip(ARRAYS, window, strict=True))
    call = Call({"self": TensorArg(shape, dtype), **arrays})
    return call.passing(out=TensorArg(_OUT.evaluate(call), dtype))


EVERYWHERE = (FLOAT, FLOAT16, BF16)
_ON_950 = (
    *(INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, DOUBLE, BOOL, COMPLEX32),
    COMPLEX64,
)


def draw(rng: Random, dtypes: tuple[DataType, ...]) -> Call:
    """Windows that fit small images, overlapping or apart."""
    kernel, dilation, padding, stride = (
        (rng.randint(least, most), rng.randint(least, most))
        for least, most in ((1, 3), (1, 2), (0, 2), (1, 3))
    )
    shape = [rng.randint(1, 3) for _ in range(rng.randint(1, 2))]
    shape += [(k - 1) * d + rng.randint(1, 5) for k, d in zip(kernel, dilation, strict=True)]
    dtype = rng.choice(dtypes)
    call = _call(dtype, tuple(shape), kernel, dilation, padding, stride)
    return call if dtype in EVERYWHERE else call.on(A950)


def typical(n: int) -> Call:
    """Windows of three by three at every pixel."""
    side = max(round((n / 288) ** 0.5), 1)
    return _call(FLOAT, (2, 16, side, side), (3, 3), (1, 1), (1, 1), (1, 1))


_ONE, _ZERO = (1, 1), (0, 0)
SAMPLES = (
    *(_call(dtype, (2, 3, 4, 5), (2, 3), _ONE, _ONE, (2, 1)) for dtype in EVERYWHERE),
    _call(FLOAT, (3, 6, 5), (2, 2), (2, 1), (0, 1), _ONE),
    _call(FLOAT, (1, 1, 3, 3), (3, 3), _ONE, (1, 2), (1, 3)),
)
_STRIDED = TensorArg((2, 4, 5), FLOAT, strides=(1, 10, 2))

OP = Operator(
    "aclnnIm2col",
    summary="The windows of an image as columns.",
    formula=(
        "`out[n, (c * kh + i) * kw + k, window] = self[n, c, y, x]` with `y = top * stride - "
        "padding + i * dilation`, x likewise; 0 outside self. Windows are counted row by row. "
        "Values are copied bit by bit and cast where out has another dtype."
    ),
    params=(
        TensorIn("self", "(N,) C, H, W."),
        *WINDOW,
        TensorOut("out", "Result.", shape=_OUT, dtype=DtypeOf("self"), is_const=True),
    ),
    checks=(
        not_null("self", *ARRAYS, "out"),
        dtype_in("self", *EVERYWHERE, *(only_on(dtype, A950) for dtype in _ON_950)),
        rank_in("self", 3, 4),
        when(_BATCH, dims_positive("self", 1)),
        when(_SINGLE, dims_positive("self", 0)),
        *(length_in(name, 2) for name in ARRAYS),
        window_values(),
        requires(
            "window_fits",
            "self",
            all_of(*(AtMost(Const(1), count) for count in _COUNTS)),
            "self must hold at least one window",
            (Shown("shape", ShapeOf("self")), " with kernelSize ", Shown("array", "kernelSize")),
            "Reduce kernelSize or dilation, or enlarge padding.",
        ),
        shape_is("out", _OUT, "of all windows' elements"),
        done_when_empty("self"),
        supported_on(*ON),
        inside_storage("self"),
        format_fits_rank("out"),
        when(
            Condition(
                Not(Equal(DtypeOf("out"), DtypeOf("self"))), "out has another dtype than self"
            ),
            cast_exists("out", DtypeOf("self")),
        ),
    ),
    samples=(
        *SAMPLES,
        _call(FLOAT, _STRIDED.shape, (2, 2), _ONE, _ZERO, _ONE).passing(self=_STRIDED),
        *(
            _call(dtype, (1, 3, 3), (2, 2), _ONE, _ZERO, _ONE).on(A950)
            for dtype in _ON_950
            if dtype.numpy
        ),
    ),
    golden=_im2col,
    reference=_unfold,
    draw=lambda rng: draw(rng, (*EVERYWHERE, INT8, INT32, DOUBLE, BOOL)),
    typical=typical,
    formats="Any label of the right rank on out; self's is ignored.",
)
