# SPDX-License-Identifier: Apache-2.0
"""aclnnMaxPool3dWithArgmax."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclhost.ops.pooling.max_pool3d_with_argmax_backward import ARRAYS, WINDOW, WINDOW_CHECKS
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT32, INT64, DataType
from aclhost.spec.formats import NCDHW, NCHW, ND, NDHWC
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    all_one,
    done_when_empty,
    dtype_in,
    fits_shape,
    format_fits_rank,
    format_in,
    inner,
    inside_storage,
    not_null,
    on_products,
    only_on,
    rank_in,
    refused_unless_on,
    same_dtype,
    same_format,
    volume_at_most,
    when,
)
from aclhost.spec.terms import DtypeOf, const
from aclhost.spec.volumes import Pooled

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_POOLED = Pooled("self", *ARRAYS, by_format=True)


def golden(
    self: Array,
    kernel_size: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
) -> tuple[Array, Ints]:
    """Windows of flat positions."""
    from aclhost.reference.pooling import pool_windows, window_maxima

    positions, shape = pool_windows(self.shape, kernel_size, stride, padding, dilation, ceil_mode)
    maxima, indices = window_maxima(self, positions, 3)
    return maxima.reshape(shape), indices.reshape(shape)


def _call(self: TensorArg, pooled: tuple[int, ...], index_dtype: DataType = INT32) -> Call:
    return Call(
        {
            "self": self,
            "kernelSize": (2, 3, 2),
            "stride": (2, 1, 1),
            "padding": (1, 1, 0),
            "dilation": (1, 1, 1),
            "ceilMode": False,
            "out": TensorArg(pooled, self.dtype),
            "indices": TensorArg(pooled, index_dtype),
        }
    )


_ON = (A950, A3, A2)
_BIG, _POOLED_BIG = (2, 1, 3, 4, 5), (2, 1, 2, 4, 4)

OP = Operator(
    "aclnnMaxPool3dWithArgmax",
    summary="Three-dimensional max pooling that also tells where each maximum is.",
    formula=(
        "A window starts at `o * stride - padding` along each axis and takes `kernelSize` "
        "positions, `dilation` apart; those outside self do not count. out is the largest value, "
        "indices its position in self's own D * H * W volume. Of equal values the first counts; "
        "with NaNs in the window, the result is NaN with the position of the last one.\n\n"
        "Length of an axis: `floor((I + 2 * padding - dilation * (kernelSize - 1) - 1) / stride) + "
        "1`; with ceilMode the division rounds up, less 1 if the last window would start beyond "
        "the input and its left padding."
    ),
    params=(
        TensorIn("self", "Input: (N,) C, D, H, W."),
        *WINDOW,
        TensorOut("out", "Maxima.", shape=_POOLED, dtype=DtypeOf("self")),
        TensorOut("indices", "Their positions.", shape=_POOLED, dtype=const(INT32)),
    ),
    checks=(
        refused_unless_on(*_ON),
        not_null("self", "kernelSize", "stride", "padding", "dilation", "out", "indices"),
        dtype_in("self", BF16, FLOAT16, FLOAT),
        dtype_in("indices", INT32, only_on(INT64, A950)),
        same_dtype("out", "self"),
        same_format("out", "self"),
        same_format("indices", "self"),
        rank_in("self", 4, 5),
        when(on_products(A950), format_in("self", NDHWC, NCDHW, NCHW, ND)),
        *WINDOW_CHECKS,
        when(on_products(A3, A2), all_one("dilation")),
        done_when_empty("self", "out"),
        when(on_products(A3, A2), inner(volume_at_most("self"))),
        fits_shape("out", _POOLED, "that pooling self gives"),
        fits_shape("indices", _POOLED, "that pooling self gives"),
        format_fits_rank("self"),
        inside_storage("self"),
    ),
    golden=golden,
    samples=(
        _call(TensorArg(_BIG), _POOLED_BIG),
        _call(TensorArg(_BIG, BF16), _POOLED_BIG),
        _call(TensorArg(_BIG[1:], FLOAT16), _POOLED_BIG[1:]),
        _call(TensorArg(_BIG), (2, 1, 1, 3, 3), INT64)
        .passing(kernelSize=(2,), stride=(2, 1, 1), padding=(0,), dilation=(2, 1, 2))
        .on(A950),
    ),
    formats=(
        "ND, NCDHW and NDHWC (channels last). self, out and indices carry the same label. The "
        "documents list NDHWC for Ascend 950 only; it means the same on every product here."
    ),
    notes=(
        "Ascend 950 does not check dilation values; Atlas A2 and A3 demand 1.",
        "A window of only -inf gives -inf and its first position inside self.",
    ),
)
