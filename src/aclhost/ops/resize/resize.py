# SPDX-License-Identifier: Apache-2.0
"""aclnnResize."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.resize import goldens
from aclhost.ops.resize.checks import SLACK, Rules, dim, is_nhwc, same_batch_and_channels
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.formats import NCHW, NHWC
from aclhost.spec.operator import Operator
from aclhost.spec.params import FloatArray, TensorIn, TensorOut, Text
from aclhost.spec.products import A2, A3, A950, P310B, P310P, T910
from aclhost.spec.rules import (
    dtype_in,
    format_in,
    inside_storage,
    not_null,
    on_products,
    only_on,
    rank_in,
    requires,
    same_dtype,
    same_format,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, ShapeOf
from aclhost.spec.terms import (
    And,
    AtMost,
    Const,
    DtypeOf,
    Equal,
    FormatOf,
    If,
    In,
    LengthOf,
    Scaled,
    Term,
    TextStarts,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_ON = (A950, A3, A2, P310P, T910)
_DTYPES = (FLOAT, FLOAT16, BF16)


def _lengths(x: Array, scales: tuple[float, ...]) -> tuple[int, int]:
    import numpy as np

    height, width = (int(x.shape[axis] * float(np.float32(scales[axis]))) for axis in (2, 3))
    return height, width


def _golden(self: Array, scales: tuple[float, ...], mode: str) -> Array:
    """Along height and width, by the quotient of the lengths."""
    x = self
    for axis, target in enumerate(_lengths(self, scales), 2):
        length = self.shape[axis]
        step = goldens.step(length, target, 0.0)
        if mode.startswith("nearest"):
            x = x.take(goldens.nearest_places(length, target, step, 0.0), axis)
        elif length != target:
            x = goldens.resized(x, axis, goldens.linear(length, target, step, align_corners=False))
    return x


def _torch(torch: Any, self: Any, scales: tuple[float, ...], mode: str) -> Any:  # noqa: ANN401
    if not torch.isfinite(self).all():
        return NotImplemented  # torch multiplies infinity by weights of 0
    flags = [] if mode.startswith("nearest") else [False]
    function = torch.ops.aten.upsample_bilinear2d if flags else torch.ops.aten.upsample_nearest2d
    return function(self.float(), list(_lengths(self, scales)), *flags, None, None)


def _call(
    dtype: DataType, shape: tuple[int, ...], scales: tuple[float, float], mode: str = "bilinear"
) -> Call:
    lengths = (int(length * scale) for length, scale in zip(shape[2:], scales, strict=True))
    return Call(
        {
            "self": TensorArg(shape, dtype, format=NCHW),
            "scales": (1.0, 1.0, *scales),
            "mode": mode,
            "out": TensorArg((*shape[:2], *lengths), dtype, format=NCHW),
        }
    )


def _draw(random: Random) -> Call:
    height, width = random.randint(1, 9), random.randint(1, 9)
    scales = [random.randint(-(-8 // length), 32) / 8 for length in (height, width)]
    shape = (random.randint(1, 3), random.randint(1, 3), height, width)
    mode = random.choice(("nearest", "bilinear"))
    return _call(random.choice(_DTYPES), shape, (scales[0], scales[1]), mode)


def _typical(elements: int) -> Call:
    side = max(round((elements / 64) ** 0.5) // 2, 1)
    return _call(FLOAT, (4, 16, side, side), (2.0, 2.0))


def _scaled(axis: int, added: float = 0.0) -> Scaled:
    return Scaled(dim("self", axis), "scales", axis, added)


def _reached(axis: int) -> Term:
    return And(
        AtMost(_scaled(axis, -SLACK), dim("out", axis)),
        AtMost(dim("out", axis), _scaled(axis, SLACK)),
    )


def _fits(name: str, axis: int) -> Rules:
    return requires(
        "scale_fits",
        "out",
        If(is_nhwc("self"), _reached(axis - 1), _reached(axis)),
        f"the {name} of out must be that of self times its scale",
        (Shown("shape", ShapeOf("out")), " from ", Shown("shape", ShapeOf("self"))),
        "Create out with the scaled lengths, fractions dropped; scales have the order of self's "
        "dimensions.",
    )


OP = Operator(
    "aclnnResize",
    summary="Resizes images by taking the nearest value or by linear interpolation.",
    formula=(
        "Along height and width, with I the length of self, O that of out and r = I / O in "
        "float32. Mode nearest:\n\n`out[o] = self[min(floor(float(o) * r), I - 1)]`\n\n"
        "Mode bilinear: output o lies at `x = max(r * (o + 0.5) - 0.5, 0)` between the inputs "
        "`i = min(floor(x), I - 1)` and `min(i + 1, I - 1)`, whose weights are `1 - (x - i)` and "
        "`x - i`. Sums are taken in float, along the width first, and rounded once."
    ),
    params=(
        TensorIn("self", "Input."),
        FloatArray("scales", "Output over input for each dimension of self."),
        Text("mode", "nearest or bilinear.", is_const=True),
        TensorOut(
            "out",
            "Result.",
            shape=Lengths((dim("self", 0), dim("self", 1), _scaled(2), _scaled(3))),
            dtype=DtypeOf("self"),
        ),
    ),
    checks=(
        not_null("self", "scales", "out", "mode"),
        requires(
            "text_in",
            "mode",
            TextStarts("mode", ("nearest", "bilinear")),
            "mode must be nearest or bilinear",
            (Shown("text", "mode"),),
            "Pass one of these.",
        ),
        dtype_in("self", FLOAT16, FLOAT, only_on(BF16, *_ON)),
        same_dtype("out", "self"),
        when(on_products(*_ON), same_format("out", "self"), format_in("self", NCHW, NHWC)),
        when(
            on_products(P310B),
            requires(
                "format_in",
                "self",
                And(In(FormatOf("self"), (NCHW,)), In(FormatOf("out"), (NCHW,))),
                "self and out must have format NCHW",
                (Shown("format", FormatOf("self")), " and ", Shown("format", FormatOf("out"))),
                "Create both with NCHW.",
            ),
        ),
        same_batch_and_channels("out", "self", "self"),
        when(on_products(*_ON), _fits("height", 2), _fits("width", 3)),
        rank_in("self", 4),
        rank_in("out", 4),
        requires(
            "length_in",
            "scales",
            Equal(LengthOf("scales"), Const(4)),
            "scales must have 4 elements",
            (Shown("integer", LengthOf("scales")), " values"),
            "Pass 4 values for scales.",
        ),
        supported_on(*_ON),
        inside_storage("self", "out"),
    ),
    golden=_golden,
    reference=_torch,
    ulps=6,
    summed=("self",),
    draw=_draw,
    typical=_typical,
    labelled=True,
    samples=(
        *(_call(dtype, (2, 3, 3, 5), (2.5, 0.6)) for dtype in _DTYPES),
        _call(FLOAT, (2, 3, 3, 5), (2.5, 0.6), "nearest"),
        _call(FLOAT, (2, 3, 3, 5), (1.0, 1.0)),
    ),
    formats="NCHW and NHWC, the same for both tensors. Arrays in Python count as NCHW.",
    notes=(
        "Only the lengths of the tensors decide how elements correspond; the scales of batch and "
        "channels are ignored, by upstream too.",
        "A mode may go on after these words, as upstream has it.",
    ),
)
