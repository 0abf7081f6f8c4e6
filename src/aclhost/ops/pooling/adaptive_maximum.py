# SPDX-License-Identifier: Apache-2.0
"""aclnnAdaptiveMaxPool2d and aclnnAdaptiveMaxPool3d."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from aclhost.ops.pooling.adaptive import FORMULA, Make, Sizes, drawn, samples, typical
from aclhost.ops.pooling.windows import (
    FLOATS,
    NEW,
    except_on,
    floats_on,
    format_is,
    item,
    labelled,
    rank_is,
)
from aclhost.spec.call import Call
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, INT32, INT64, DataType
from aclhost.spec.formats import NCDHW, NCHW, ND, NHWC
from aclhost.spec.operator import Operator
from aclhost.spec.params import IntArray, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, T910
from aclhost.spec.rules import (
    Condition,
    all_positive,
    dims_positive,
    done_when_empty,
    dtype_in,
    format_fits_rank,
    format_in,
    inner,
    inside_storage,
    length_in,
    not_null,
    on_products,
    only_on,
    rank_in,
    requires,
    same_dtype,
    same_format,
    same_shape,
    shape_is,
    supported_on,
    volume_at_most,
    when,
)
from aclhost.spec.rules.base import Rule, Shown
from aclhost.spec.shapes import Lengths, ShapeIf, ShapeOf, ShapeTerm, WithLast
from aclhost.spec.terms import (
    And,
    Const,
    DimOf,
    DtypeOf,
    Elements,
    Equal,
    If,
    ItemOf,
    LengthOf,
    Not,
    Or,
    ProductIn,
    Term,
    Times,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_RULE = (
    f"{FORMULA}\n\noutputOut is the largest value of each window, indicesOut its position in "
    "self's own {space}. Of equal values the first counts; with NaNs in the window, the result is "
    "NaN with the position of the last one."
)
INDEX_DTYPES = (INT32, only_on(INT64, A950))


def _golden(spatial: int) -> Callable[..., tuple[Array, Ints]]:
    def forward(self: Array, output_size: Ints) -> tuple[Array, Ints]:
        from aclhost.reference.pooling import window_maxima
        from aclhost.reference.window_slices import adaptive, ragged_positions, values

        lengths = self.shape[-spatial:]
        pooled = values(output_size, spatial) or lengths
        positions, counts = ragged_positions(lengths, adaptive(lengths, pooled))
        maxima, indices = window_maxima(self, positions, spatial)
        shape = (*self.shape[:-spatial], *counts)
        return maxima.reshape(shape), indices.reshape(shape)

    return forward


def _reference(spatial: int) -> Callable[..., Any]:
    def forward(torch: Any, self: Any, output_size: tuple[int, ...]) -> Any:  # noqa: ANN401
        pool = getattr(torch.nn.functional, f"adaptive_max_pool{spatial}d")
        if len(output_size) != spatial or torch.isinf(self).any():
            return NotImplemented
        return pool(self, output_size, return_indices=True)

    return forward


def _forward_call(index: DataType) -> Make:
    def make(dtype: DataType, lead: tuple[int, ...], sizes: Sizes) -> Call:
        lengths, pooled = sizes
        return Call(
            {
                "self": labelled((*lead, *lengths), dtype),
                "outputSize": pooled,
                "outputOut": labelled((*lead, *pooled), dtype),
                "indicesOut": labelled((*lead, *pooled), index),
            }
        )

    return make


def _pooled_image() -> ShapeTerm:
    size = tuple(ItemOf("outputSize", Const(axis)) for axis in range(2))
    channels_last = Lengths((DimOf("self", Const(0)), DimOf("self", Const(3)), *size))
    return ShapeIf(
        And(rank_is("self", 4).term, format_is("self", NHWC)),
        channels_last,
        WithLast("self", 0, size),
    )


def _as_many_elements() -> tuple[Rule, ...]:
    """Upstream reshapes what it computed."""
    lead = If(
        rank_is("self", 4).term,
        Times(
            DimOf("self", Const(0)),
            If(format_is("self", NHWC), DimOf("self", Const(3)), DimOf("self", Const(1))),
        ),
        DimOf("self", Const(0)),
    )
    size = Times(ItemOf("outputSize", Const(0)), ItemOf("outputSize", Const(1)))
    return requires(
        "elements",
        "outputOut",
        Equal(Elements("outputOut"), Times(lead, size)),
        "outputOut must have as many elements as pooling self gives",
        (Shown("shape", ShapeOf("outputOut")), " for ", Shown("shape", _POOLED_IMAGE)),
        "Create outputOut with the shape of self and outputSize at the end.",
    )


_POOLED_IMAGE = _pooled_image()
_BY_CPU = Condition(
    Or(Not(ProductIn(NEW)), Equal(DtypeOf("self"), const(DOUBLE))),
    f"self is DOUBLE, or the product is none of {A950}, {A3} and {A2}",
)
_LABELLED = "NCHW for rank 4, NCL for rank 3; arrays from Python carry these labels."

_FORWARD_2D = Operator(
    "aclnnAdaptiveMaxPool2d",
    summary="Two-dimensional max pooling to a given size, with the position of each maximum.",
    formula=_RULE.format(space="H * W plane"),
    params=(
        TensorIn("self", "Input: (N,) C, H, W."),
        IntArray("outputSize", "Height and width of the results.", length=2),
        TensorOut("outputOut", "Maxima.", shape=_POOLED_IMAGE, dtype=DtypeOf("self")),
        TensorOut("indicesOut", "Their positions.", shape=_POOLED_IMAGE, dtype=const(INT64)),
    ),
    checks=(
        not_null("self", "outputSize", "outputOut", "indicesOut"),
        dtype_in("self", *FLOATS, DOUBLE),
        dtype_in("outputOut", *FLOATS, DOUBLE),
        same_dtype("outputOut", "self"),
        dtype_in("indicesOut", INT64),
        rank_in("self", 3, 4),
        same_shape("outputOut", "indicesOut"),
        dims_positive("self", 1),
        length_in("outputSize", 2),
        all_positive("outputSize"),
        done_when_empty("self"),
        supported_on(A950, A3, A2, T910),
        inside_storage("self"),
        when(
            Condition(
                And(_BY_CPU.term, rank_is("self", 4).term), f"{_BY_CPU.english}; and its rank is 4"
            ),
            inner(format_in("self", NCHW)),
        ),
        inner(_as_many_elements()),
        when(_BY_CPU, inner(shape_is("outputOut", _POOLED_IMAGE, "that pooling self gives"))),
    ),
    golden=_golden(2),
    reference=_reference(2),
    samples=(
        *samples(_forward_call(INT64), 2),
        _forward_call(INT64)(DOUBLE, (2, 1), ((4, 3), (2, 2))),
    ),
    draw=drawn(_forward_call(INT64), 2, FLOAT, FLOAT16, BF16, DOUBLE),
    typical=typical(_forward_call(INT64), 2),
    labelled=True,
    formats=f"{_LABELLED} With NHWC on rank 4 the channels of self come last, not those of the "
    "results.",
    notes=(
        "The results may have any shape with as many elements, except for DOUBLE and on older "
        "products; they get them in row-major order.",
        "For DOUBLE upstream's CPU kernel takes NHWC, too; aclhost does not.",
    ),
)


def _size_or_self(axis: int) -> Term:
    own = DimOf("self", Const(axis - 3))
    return If(Equal(LengthOf("outputSize"), Const(0)), own, item("outputSize", axis))


_POOLED_VOLUME = WithLast("self", 0, tuple(_size_or_self(axis) for axis in range(3)))
_FORWARD_3D = Operator(
    "aclnnAdaptiveMaxPool3d",
    summary="Three-dimensional max pooling to a given size, with the position of each maximum.",
    formula=_RULE.format(space="D * H * W volume"),
    params=(
        TensorIn("self", "Input: (N,) C, D, H, W."),
        IntArray("outputSize", "Depth, height and width of the results."),
        TensorOut("outputOut", "Maxima.", shape=_POOLED_VOLUME, dtype=DtypeOf("self")),
        TensorOut("indicesOut", "Their positions.", shape=_POOLED_VOLUME, dtype=const(INT32)),
    ),
    checks=(
        not_null("self", "outputSize", "outputOut", "indicesOut"),
        rank_in("self", 4, 5),
        rank_in("outputOut", 4, 5),
        rank_in("indicesOut", 4, 5),
        dtype_in("self", *floats_on(*NEW)),
        dtype_in("outputOut", *floats_on(*NEW)),
        dtype_in("indicesOut", *INDEX_DTYPES),
        when(on_products(A950), format_in("self", NCDHW, NCHW, ND)),
        when(except_on(A950), format_in("self", NCDHW, NCHW)),
        same_format("outputOut", "self"),
        when(on_products(A950), length_in("outputSize", 0, 1, 3)),
        when(except_on(A950), length_in("outputSize", 3)),
        shape_is("outputOut", _POOLED_VOLUME, "of self with outputSize at the end"),
        same_shape("indicesOut", "outputOut"),
        same_dtype("outputOut", "self"),
        dims_positive("self", 1),
        when(
            Condition(
                Or(Not(ProductIn((A950,))), Equal(DtypeOf("indicesOut"), const(INT32))),
                "indicesOut is INT32",
            ),
            volume_at_most("self"),
        ),
        all_positive("outputSize"),
        done_when_empty("self"),
        format_fits_rank("self"),
        inside_storage("self"),
    ),
    golden=_golden(3),
    reference=_reference(3),
    samples=samples(_forward_call(INT32), 3),
    draw=drawn(_forward_call(INT32), 3),
    typical=typical(_forward_call(INT32), 3),
    labelled=True,
    formats="NCDHW for rank 5, NCHW for rank 4, on Ascend 950 also ND; arrays from Python carry "
    "the labels.",
)


OPS = (_FORWARD_2D, _FORWARD_3D)
