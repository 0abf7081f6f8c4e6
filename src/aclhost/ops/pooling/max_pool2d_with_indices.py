# SPDX-License-Identifier: Apache-2.0
"""aclnnMaxPool2dWithIndices and its gradient."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from aclhost.ops.pooling.adaptive_maximum_backward import golden_backward, reference_backward
from aclhost.ops.pooling.max_pool2d import (
    ARRAYS,
    DILATION,
    HAS_WINDOWS,
    LENGTHS,
    NOT_EMPTY,
    PLAIN,
    POOLED,
    SINGLE,
    VALUES,
    WINDOW,
    Window,
    drawn,
    pool_golden,
    pooled_tensor,
    torch_pool,
    typical_window,
)
from aclhost.ops.pooling.max_unpool3d_backward import INDEX_NOTE
from aclhost.ops.pooling.windows import NEW, floats_on, not_channels_last, taking
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT8, INT32, INT64, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    format_fits_rank,
    inner,
    inside_storage,
    not_null,
    not_private,
    on_products,
    only_on,
    rank_in,
    same_dtype,
    same_format,
    same_shape,
    shape_is,
    when,
)
from aclhost.spec.terms import DtypeOf, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_OLD = (A3, A2, P310B, P310P, T910)


def golden(self: Array, **given: Any) -> tuple[Array, Ints]:  # noqa: ANN401
    """Windows of flat positions."""
    return pool_golden(self, given)


def _forward_call(
    dtype: DataType, shape: tuple[int, ...], window: Window, index: DataType = INT32
) -> Call:
    self = TensorArg(shape, dtype)
    out = pooled_tensor(self, window)
    return Call({"self": self, **window, "out": out, "indices": replace(out, dtype=index)})


def _backward_call(
    dtype: DataType, shape: tuple[int, ...], window: Window, index: DataType = INT32
) -> Call:
    self = TensorArg(shape, dtype)
    out = pooled_tensor(self, window)
    indices = replace(out, dtype=index, span=(0, prod(shape[-2:])))
    call = Call({"gradOutput": out, "self": self, "indices": indices, **window, "gradInput": self})
    return call if dtype is FLOAT else call.on(A950)


_LABELS = "Any public label of the tensor's rank, the same on both; NHWC only on Ascend 950."
_FORWARD = Operator(
    "aclnnMaxPool2dWithIndices",
    summary="Two-dimensional max pooling that also tells where each maximum is.",
    formula=(
        "A window starts at `o * stride - padding` along each axis and takes `kernelSize` "
        "positions, `dilation` apart; those outside self do not count. out is the largest value, "
        "indices its position in self's own H * W plane. Of equal values the first counts; with "
        "NaNs in the window, the result is NaN with the position of the last one.\n\n"
        "Length of an axis: `floor((I + 2 * padding - dilation * (kernelSize - 1) - 1) / stride) + "
        "1`; with ceilMode the division rounds up, less 1 if the last window would start beyond "
        "the input and its left padding."
    ),
    params=(
        TensorIn("self", "Input: (N,) C, H, W."),
        *WINDOW,
        TensorOut("out", "Maxima.", shape=POOLED, dtype=DtypeOf("self")),
        TensorOut("indices", "Their positions.", shape=POOLED, dtype=const(INT32)),
    ),
    checks=(
        not_null("self", *ARRAYS, "out", "indices"),
        dtype_in("self", *floats_on(*NEW)),
        same_dtype("out", "self"),
        dtype_in("indices", INT64, INT32),
        same_format("out", "self"),
        not_private("self"),
        rank_in("self", 3, 4),
        *LENGTHS,
        *VALUES,
        *DILATION,
        NOT_EMPTY,
        HAS_WINDOWS,
        shape_is("out", POOLED, "that pooling self gives"),
        same_shape("indices", "out"),
        done_when_empty("self", "out"),
        format_fits_rank("self"),
        when(on_products(A3, A2), not_channels_last("self")),
        inside_storage("self"),
    ),
    golden=taking("self kernel_size stride padding dilation ceil_mode", golden),
    reference=lambda torch, self, **given: torch_pool(torch, self, given),
    samples=(
        *(_forward_call(dtype, (1, 2, 4, 5), PLAIN) for dtype in (FLOAT, FLOAT16, BF16)),
        _forward_call(FLOAT, (2, 5, 6), {**PLAIN, "kernelSize": (2,), "stride": ()}, INT64),
        _forward_call(FLOAT, (1, 3, 3, 3), SINGLE),
    ),
    draw=drawn(_forward_call, FLOAT, FLOAT16, BF16),
    typical=typical_window(_forward_call, FLOAT),
    formats=_LABELS,
    notes=(
        "Ascend 950 takes any positive dilation, older products only 1.",
        "With NHWC upstream pools the wrong axes on Atlas A2 and A3 and then refuses the shape; "
        "aclhost refuses the label.",
    ),
)

_INDEX_DTYPES = (INT32, only_on(INT64, A950), only_on(INT8, *_OLD))
_BACKWARD = Operator(
    "aclnnMaxPool2dWithIndicesBackward",
    summary="Gradient of two-dimensional max pooling.",
    formula=(
        "For each H * W plane of self: gradInput starts as 0, then\n\n"
        "`gradInput[indices[p]] += gradOutput[p]`\n\n"
        "for every pooled position p. Sums are taken in float, in the order of p, and rounded once."
    ),
    params=(
        TensorIn("gradOutput", "Gradient of the pooled tensor."),
        TensorIn("self", "Input of the forward; its values are not used."),
        TensorIn("indices", "Where each maximum was found."),
        *WINDOW,
        TensorOut("gradInput", "Gradient of self.", like="self"),
    ),
    checks=(
        not_null("gradOutput", "self", "indices", *ARRAYS, "gradInput"),
        dtype_in("self", only_on(FLOAT, *NEW), only_on(FLOAT16, A950), only_on(BF16, A950)),
        same_dtype("gradOutput", "self"),
        same_dtype("gradInput", "self"),
        dtype_in("indices", *_INDEX_DTYPES),
        same_format("gradOutput", "self"),
        same_format("gradInput", "self"),
        not_private("self", "indices"),
        rank_in("self", 3, 4),
        rank_in("gradInput", 3, 4),
        rank_in("gradOutput", 3, 4),
        rank_in("indices", 3, 4),
        *LENGTHS,
        *VALUES,
        *DILATION,
        same_shape("gradInput", "self"),
        NOT_EMPTY,
        HAS_WINDOWS,
        shape_is("gradOutput", POOLED, "that pooling self gives"),
        done_when_empty("self"),
        format_fits_rank("self"),
        when(on_products(A3, A2), inner(not_channels_last("self"))),
        inside_storage("self", "gradOutput", "indices"),
        inner(dtype_in("indices", INT32, INT64)),
    ),
    launch_checks=(inner(same_shape("indices", "gradOutput")),),
    golden=taking(
        "grad_output self indices kernel_size stride padding dilation ceil_mode",
        golden_backward(2),
    ),
    reference=reference_backward(2),
    summed=("gradOutput",),
    ulps=4,
    gradient=Gradient(
        "aclnnMaxPool2dWithIndices", results={"gradInput": "self"}, given={"gradOutput": "out"}
    ),
    samples=(
        *(_backward_call(dtype, (1, 2, 4, 5), PLAIN) for dtype in (FLOAT, FLOAT16, BF16)),
        _backward_call(FLOAT, (2, 5, 6), {**PLAIN, "kernelSize": (2,), "stride": ()}),
        _backward_call(FLOAT, (1, 2, 4, 5), PLAIN, INT64).on(A950),
        _backward_call(FLOAT, (1, 3, 3, 3), SINGLE),
    ),
    draw=drawn(_backward_call, FLOAT, FLOAT16, BF16),
    typical=typical_window(_backward_call, FLOAT),
    formats=_LABELS,
    notes=(
        INDEX_NOTE,
        "An index inside the plane but outside its own window is accepted.",
        "Upstream compares the shape of indices and ignores the outcome; aclhost refuses the "
        "launch.",
    ),
)
OPS = (_FORWARD, _BACKWARD)
