# SPDX-License-Identifier: Apache-2.0
"""aclnnMaxPool2dWithMask and its gradient."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.pooling.max_pool2d import (
    ARRAYS,
    CHANNELS,
    COUNTS,
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
    typical_window,
)
from aclhost.ops.pooling.max_unpool3d_backward import INDEX_NOTE
from aclhost.ops.pooling.windows import item, not_channels_last, rank_is, taking
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT8, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.products import A2, A3, P310B, P310P, T910
from aclhost.spec.rules import (
    Rule,
    all_one,
    done_when_empty,
    dtype_in,
    format_fits_rank,
    inner,
    inside_storage,
    length_in,
    not_null,
    not_private,
    only_on,
    rank_in,
    refused_unless_on,
    same_dtype,
    same_format,
    same_shape,
    shape_is,
)
from aclhost.spec.shapes import Lengths, ShapeIf
from aclhost.spec.status import Status
from aclhost.spec.terms import Const, DimOf, DtypeOf, Sum, Times, WindowCount, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_OLD = (A3, A2, P310B, P310P, T910)
_ONE, _ZERO = Const(1), Const(0)
_BLOCKS = WindowCount(Times(*COUNTS), _ONE, Const(16), _ZERO, _ZERO, _ONE, _ZERO)
_MASK_ENDS = (
    Times(item("kernelSize", 0), item("kernelSize", 1)),
    Times(Sum(_BLOCKS, _ONE), Const(32)),
)
_MASK = ShapeIf(
    rank_is("self", 3).term,
    Lengths((CHANNELS, *_MASK_ENDS)),
    Lengths((DimOf("self", _ZERO), CHANNELS, *_MASK_ENDS)),
)
_MASK_WORDS = (
    "of self's batch and channels, the kernel's positions, and 32 times one more than the blocks "
    "of 16 windows"
)
MASK_NOTE = (
    "The mask is opaque: its memory begins with the position of each maximum in self's own plane, "
    "INT32 in the order of out, as upstream has it on Atlas A2 and A3; the rest is 0. On other "
    "products, and for a kernel of one position, upstream has bits in an order of its own."
)


def _tells_nothing(kernel: tuple[int, ...]) -> bool:
    return prod(kernel * 2 if len(kernel) == 1 else kernel) == 1


def _mask_of(self: Array, indices: Ints, given: dict[str, Any]) -> Ints:
    """INT32 positions as bytes, then zeros."""
    import numpy as np

    kernel = tuple(given["kernel_size"])
    blocks = -(-prod(indices.shape[-2:]) // 16)
    size = prod(kernel * 2 if len(kernel) == 1 else kernel)
    mask = np.zeros((*self.shape[:-2], size, (blocks + 1) * 32), np.int8)
    if size > 1:
        told = np.ascontiguousarray(indices, np.int32).ravel().view(np.int8)
        mask.reshape(-1)[: told.size] = told
    return mask


def golden(self: Array, **given: Any) -> tuple[Array, Ints]:  # noqa: ANN401
    """Maxima, and a mask that begins with their positions."""
    maxima, indices = pool_golden(self, given)
    return maxima, _mask_of(self, indices, given)


def golden_backward(grad_output: Array, self: Array, indices: Ints, **given: Any) -> Array:  # noqa: ANN401
    """Each plane collects its gradients at the positions of the mask."""
    import numpy as np

    from aclhost.reference.pooling import collected

    if _tells_nothing(tuple(given["kernel_size"])):
        positions = pool_golden(np.zeros(self.shape), given)[1]
    else:
        told = np.ascontiguousarray(indices, np.int8).ravel().view(np.int32)
        positions = told[: grad_output.size].reshape(grad_output.shape)
    return collected(grad_output, positions, self.shape, 2)


def _forward_call(dtype: DataType, shape: tuple[int, ...], window: Window) -> Call:
    self = TensorArg(shape, dtype)
    call = Call({"self": self, **window, "out": pooled_tensor(self, window), "indices": None})
    return call.passing(indices=TensorArg(_MASK.evaluate(call), INT8))


def _backward_call(dtype: DataType, shape: tuple[int, ...], window: Window) -> Call:
    """With a mask of which every position is inside the plane."""
    forward = _forward_call(dtype, shape, window)
    out, mask = forward.tensor("out"), forward.tensor("indices")
    rng, size = Random(str(shape)), prod(shape[-2:])
    told = b"".join(rng.randrange(size).to_bytes(4, "little") for _ in range(prod(out.shape)))
    bytes_ = (*(byte - 256 if byte > 127 else byte for byte in told), *(0,) * prod(mask.shape))
    indices = TensorArg(mask.shape, INT8, bytes_[: prod(mask.shape)])
    self = forward.tensor("self")
    return Call({"gradOutput": out, "self": self, "indices": indices, **window, "gradInput": self})


def _typical_backward(n: int) -> Call:
    call = typical_window(_forward_call, FLOAT)(n)
    given = dict(call.arguments)
    self, out = call.tensor("self"), given.pop("out")
    mask = TensorArg(call.tensor("indices").shape, INT8, span=(0, 1))
    return Call({"gradOutput": out, **given, "self": self, "indices": mask, "gradInput": self})


_FLOATS = (
    only_on(FLOAT16, A3, A2, T910),
    only_on(FLOAT, A3, A2, P310P, T910),
    only_on(BF16, A3, A2),
)
_LABELS = "Any public label of the tensor's rank but NHWC, the same on self and out."
_FORWARD = Operator(
    "aclnnMaxPool2dWithMask",
    summary="Two-dimensional max pooling with an opaque mask for its gradient.",
    formula=(
        "As aclnnMaxPool2dWithIndices; indices is a mask that aclnnMaxPool2dWithMaskBackward reads."
    ),
    params=(
        TensorIn("self", "Input: (N,) C, H, W."),
        *WINDOW,
        TensorOut("out", "Maxima.", shape=POOLED, dtype=DtypeOf("self")),
        TensorOut("indices", "The mask.", shape=_MASK, dtype=const(INT8)),
    ),
    checks=(
        not_null("kernelSize", "self", "out"),
        length_in("kernelSize", 1, 2),
        refused_unless_on(*_OLD),
        not_null("stride", "padding", "dilation", "indices"),
        dtype_in("self", *_FLOATS),
        same_dtype("out", "self"),
        dtype_in("indices", INT8),
        same_format("out", "self"),
        not_private("self"),
        rank_in("self", 3, 4),
        *LENGTHS[1:],
        *VALUES,
        all_one("dilation"),
        NOT_EMPTY,
        HAS_WINDOWS,
        shape_is("out", POOLED, "that pooling self gives"),
        shape_is("indices", _MASK, _MASK_WORDS),
        done_when_empty("self", "out"),
        format_fits_rank("self"),
        inner(not_channels_last("self")),
        inside_storage("self"),
    ),
    golden=taking("self kernel_size stride padding dilation ceil_mode", golden),
    samples=(
        *(_forward_call(dtype, (1, 2, 4, 5), PLAIN) for dtype in (FLOAT, FLOAT16, BF16)),
        _forward_call(FLOAT, (2, 5, 6), {**PLAIN, "kernelSize": (2,), "stride": ()}),
        _forward_call(FLOAT, (1, 3, 3, 3), SINGLE),
    ),
    draw=drawn(_forward_call, FLOAT, FLOAT16, BF16),
    typical=typical_window(_forward_call, FLOAT),
    formats=_LABELS,
    notes=(MASK_NOTE,),
)


def _as_null(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Upstream returns the code of a null pointer here."""
    return tuple(rule.with_code(Status.PARAM_NULLPTR) for rule in rules)


_BACKWARD = Operator(
    "aclnnMaxPool2dWithMaskBackward",
    summary="Gradient of two-dimensional max pooling, with the mask of its forward.",
    formula=(
        "For each H * W plane of self: gradInput starts as 0, then every pooled position adds its "
        "gradient at the position that the mask holds. Sums are taken in float, in the order of "
        "pooled positions, and rounded once."
    ),
    params=(
        TensorIn("gradOutput", "Gradient of the pooled tensor."),
        TensorIn("self", "Input of the forward; its values are not used."),
        TensorIn("indices", "The mask."),
        *WINDOW,
        TensorOut("gradInput", "Gradient of self.", like="self"),
    ),
    checks=(
        refused_unless_on(*_OLD),
        not_null("kernelSize", "self", "gradOutput"),
        _as_null(length_in("kernelSize", 1, 2)),
        not_null("indices", *ARRAYS[1:], "gradInput"),
        dtype_in(
            "self",
            only_on(FLOAT16, A3, A2, T910),
            only_on(FLOAT, A3, A2, T910),
            only_on(BF16, A3, A2),
        ),
        same_dtype("gradOutput", "self"),
        same_dtype("gradInput", "self"),
        dtype_in("indices", INT8),
        same_format("gradOutput", "self"),
        same_format("gradInput", "self"),
        not_private("self", "indices"),
        rank_in("self", 3, 4),
        rank_in("gradInput", 3, 4),
        rank_in("gradOutput", 3, 4),
        rank_in("indices", 3, 4),
        *LENGTHS[1:],
        *VALUES,
        all_one("dilation"),
        same_shape("gradInput", "self"),
        NOT_EMPTY,
        HAS_WINDOWS,
        shape_is("gradOutput", POOLED, "that pooling self gives"),
        done_when_empty("self"),
        format_fits_rank("self"),
        inner(not_channels_last("self")),
        inside_storage("self", "gradOutput", "indices"),
    ),
    launch_checks=(inner(shape_is("indices", _MASK, _MASK_WORDS)),),
    golden=taking(
        "grad_output self indices kernel_size stride padding dilation ceil_mode",
        golden_backward,
    ),
    summed=("gradOutput",),
    ulps=4,
    gradient=Gradient(
        "aclnnMaxPool2dWithMask", results={"gradInput": "self"}, given={"gradOutput": "out"}
    ),
    samples=(
        *(_backward_call(dtype, (1, 2, 4, 5), PLAIN) for dtype in (FLOAT, FLOAT16, BF16)),
        _backward_call(FLOAT, (2, 5, 6), {**PLAIN, "kernelSize": (2,), "stride": ()}),
        _backward_call(FLOAT, (1, 3, 3, 3), SINGLE),
    ),
    draw=drawn(_backward_call, FLOAT, FLOAT16, BF16),
    typical=_typical_backward,
    formats=_LABELS,
    notes=(
        MASK_NOTE,
        INDEX_NOTE,
        "Upstream compares the shape of the mask and ignores the outcome; aclhost refuses the "
        "launch.",
    ),
)
OPS = (_FORWARD, _BACKWARD)
