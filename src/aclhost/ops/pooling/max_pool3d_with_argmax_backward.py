# SPDX-License-Identifier: Apache-2.0
"""aclnnMaxPool3dWithArgmaxBackward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT32, INT64, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, IntArray, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    all_positive,
    at_most_half,
    done_when_empty,
    dtype_in,
    format_fits_rank,
    inner,
    inside_storage,
    length_in,
    none_negative,
    not_null,
    not_private,
    on_products,
    only_on,
    rank_in,
    same_dtype,
    same_format,
    same_leading,
    same_rank,
    same_shape,
    shape_is,
    volume_at_most,
    when,
)
from aclhost.spec.volumes import Pooled

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

WINDOW = (
    IntArray("kernelSize", "Window along depth, height and width; one value stands for three."),
    IntArray("stride", "Distance of windows; none means the kernel's size.", default=()),
    IntArray("padding", "Positions before and after each axis that count as -inf.", default=0),
    IntArray("dilation", "Distance of positions inside a window.", default=1),
    Flag("ceilMode", "Whether a last partial window counts.", default=False),
)
ARRAYS = ("kernelSize", "stride", "padding", "dilation", "ceilMode")
WINDOW_CHECKS = (
    length_in("kernelSize", 1, 3),
    all_positive("kernelSize"),
    length_in("stride", 0, 1, 3),
    all_positive("stride"),
    length_in("padding", 1, 3),
    none_negative("padding"),
    at_most_half("padding", "kernelSize"),
    length_in("dilation", 1, 3),
)


def golden(
    grad_output: Array,
    self: Array,
    indices: Ints,
    kernel_size: Ints,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
) -> Array:
    """Each volume collects its gradients at their indices."""
    from aclhost.reference.pooling import collected

    return collected(grad_output, indices, self.shape, 3)


def _call(
    self: TensorArg,
    pooled: tuple[int, ...],
    indices: tuple[int, ...],
    index_dtype: DataType = INT32,
) -> Call:
    return Call(
        {
            "gradOutput": TensorArg(pooled, self.dtype),
            "self": self,
            "indices": TensorArg(pooled, index_dtype, indices),
            "kernelSize": (2, 2, 2),
            "stride": (1, 1, 1),
            "padding": (0, 0, 0),
            "dilation": (1, 1, 1),
            "ceilMode": False,
            "gradInput": TensorArg(self.shape, self.dtype),
        }
    )


_OVERLAPPING = (13, 13, 4, 13) * 2
_ON = (A950, A3, A2)

OP = Operator(
    "aclnnMaxPool3dWithArgmaxBackward",
    summary="Gradient of three-dimensional max pooling.",
    formula=(
        "For each volume of D * H * W positions: gradInput starts as 0, then\n\n"
        "`gradInput[indices[p]] += gradOutput[p]`\n\n"
        "for every pooled position p. Indices count the positions of self's own volume. Sums are "
        "taken in float, in the order of p, and rounded once."
    ),
    params=(
        TensorIn("gradOutput", "Gradient of the pooled tensor."),
        TensorIn("self", "Input of the forward; its values are not used."),
        TensorIn("indices", "Where each maximum was found."),
        *WINDOW,
        TensorOut("gradInput", "Gradient of self.", like="self"),
    ),
    checks=(
        not_null(
            "gradOutput",
            "self",
            "indices",
            "kernelSize",
            "stride",
            "padding",
            "dilation",
            "gradInput",
        ),
        dtype_in("self", only_on(BF16, *_ON), only_on(FLOAT16, *_ON), only_on(FLOAT, *_ON)),
        dtype_in("indices", INT32, only_on(INT64, A950)),
        same_dtype("gradOutput", "self"),
        same_dtype("gradInput", "self"),
        same_format("gradOutput", "self"),
        same_format("gradInput", "self"),
        not_private("self", "indices"),
        rank_in("gradOutput", 4, 5),
        rank_in("gradInput", 4, 5),
        rank_in("indices", 4, 5),
        rank_in("self", 4, 5),
        *WINDOW_CHECKS,
        all_positive("dilation"),
        when(on_products(A3, A2), volume_at_most("self")),
        same_shape("indices", "gradOutput"),
        same_shape("gradInput", "self"),
        done_when_empty("gradOutput", "self", "indices"),
        inner(same_rank("gradOutput", "self")),
        format_fits_rank("self"),
        inside_storage("gradOutput", "indices"),
    ),
    launch_checks=(
        inner(same_leading("gradOutput", "self")),
        inner(
            shape_is(
                "gradOutput",
                Pooled("self", *ARRAYS, by_format=False),
                "that pooling self gives",
            )
        ),
    ),
    golden=golden,
    gradient=Gradient(
        "aclnnMaxPool3dWithArgmax", results={"gradInput": "self"}, given={"gradOutput": "out"}
    ),
    summed=("gradOutput",),
    samples=(
        _call(TensorArg((2, 1, 2, 3, 3)), (2, 1, 1, 2, 2), _OVERLAPPING),
        _call(TensorArg((2, 2, 3, 3), BF16), (2, 1, 2, 2), _OVERLAPPING),
        _call(TensorArg((2, 2, 3, 3), FLOAT16), (2, 1, 2, 2), _OVERLAPPING),
        _call(TensorArg((2, 2, 3, 3)), (2, 1, 2, 2), _OVERLAPPING, INT64).on(A950),
        _call(TensorArg((1, 1, 2, 2, 2)), (1, 1, 1, 1, 1), (6,)).passing(
            kernelSize=(2,), stride=(), padding=(0,), dilation=(1,)
        ),
    ),
    formats=(
        "Any public label, the same on self, gradOutput and gradInput. NDHWC is a label only: data "
        "are read as N, C, D, H, W."
    ),
    notes=(
        "An index outside the volume is dropped, and the launch fails like a device exception: "
        "phase 2 returns 0, the next synchronisation of the stream 507015, and the message names "
        "the position; Python raises. Upstream drops it silently or writes to a wrong address.",
        "An index inside the volume but outside its own window is accepted; most of upstream's "
        "kernels drop it.",
        "Where gradOutput, self or indices is empty, gradInput is not written. A new result in "
        "Python is zeros then.",
        "The documents demand dilation 1; upstream's code, and so aclhost, takes any positive one.",
        "Upstream is not deterministic by default and can be switched; aclhost always is.",
    ),
)
