# SPDX-License-Identifier: Apache-2.0
"""aclnnRasterizer."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import FLOAT, INT32
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Int, TensorIn, TensorOut
from aclhost.spec.products import A2, A3
from aclhost.spec.rules import (
    Rule,
    dtype_in,
    in_tiling,
    inside_storage,
    is_given,
    not_null,
    one_of,
    requires,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths
from aclhost.spec.terms import AtMost, Const, DimOf, ValueOf, all_of, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_STEPS = 1 << 18  # of depths between 0 and 1
_PIXELS = (ValueOf("height"), ValueOf("width"))


def _golden(
    v: Array, f: Ints, d_optional: Array | None, width: int, height: int,
    occlusion_truncation: float, use_depth_prior: int,
) -> tuple[Ints, Array]:  # fmt: skip
    """All pixels at once for each face: float decides what is seen, double where it is."""
    import numpy as np

    x, y, z, w = v.astype(np.float32).T
    half = np.float32(0.5)
    across = (x / w * half + half) * np.float32(width - 1) + half
    down = (y * half / w + half) * np.float32(height - 1) + half
    deep = z / w * np.float32(0.49999) + half
    column, row = np.meshgrid(*(np.arange(n, dtype=np.float32) + half for n in (width, height)))
    nearest = np.full((height, width), np.finfo(np.float32).max, np.float32)
    seen = np.zeros((height, width), np.int32)
    for number, corners in enumerate(f):
        shares = _seen_shares(across[corners], down[corners], column, row)
        depth = sum(share * each for share, each in zip(shares, deep[corners], strict=True))
        depth = np.trunc(depth * np.float32(_STEPS))
        inside = np.all([(share >= 0) & (share <= 1) for share in shares], axis=0)
        better = inside & (depth < nearest)
        nearest, seen = np.where(better, depth, nearest), np.where(better, number + 1, seen)
    return seen, _shares(v, f, seen, width, height)


def _seen_shares(x: Array, y: Array, column: Array, row: Array) -> tuple[Array, ...]:
    """What each corner of a face counts for in all pixels; NaN or infinity for a line."""
    across, down = column - x[0], row - y[0]
    area = (x[2] - x[0]) * (y[1] - y[0]) - (x[1] - x[0]) * (y[2] - y[0])
    second = (down * (x[2] - x[0]) - across * (y[2] - y[0])) / area
    third = (across * (y[1] - y[0]) - down * (x[1] - x[0])) / area
    return 1 - second - third, second, third


def _shares(v: Array, f: Ints, seen: Ints, width: int, height: int) -> Array:
    """What each corner counts for in the pixels of its face: solutions of linear equations."""
    import numpy as np

    shares = np.zeros((height, width, 3))
    for row, column in zip(*np.nonzero(seen), strict=True):
        x, y, _, w = v[f[seen[row, column] - 1]].T
        across, down = (x / w * (width - 1) + width) / 2, (y / w * (height - 1) + height) / 2
        at = np.array([column + 0.5, row + 0.5, 1.0])
        own = np.linalg.solve(np.stack([across, down, np.ones(3)]), at) / w
        shares[row, column] = own / own.sum()
    return shares


def _size(parameter: str) -> tuple[Rule, ...]:
    value = ValueOf(parameter)
    return requires(
        "in_range", parameter, all_of(AtMost(Const(1), value), AtMost(value, Const(4096))),
        f"{parameter} must lie between 1 and 4096", (Shown("integer", value),),
        "Pass the size of the picture.",
    )  # fmt: skip


def _call(vertices: int, faces: int, width: int, height: int, prior: bool = False) -> Call:
    return Call(
        {
            "v": TensorArg((vertices, 4), FLOAT, span=(0.25, 1.0)),
            "f": TensorArg((faces, 3), INT32, span=(0, vertices)),
            "dOptional": TensorArg((height, width), FLOAT) if prior else None,
            "width": width,
            "height": height,
            "occlusionTruncation": 0.0,
            "useDepthPrior": 0,
            "findicesOut": TensorArg((height, width), INT32),
            "barycentricOut": TensorArg((height, width, 3), FLOAT),
        }
    )


def _draw(rng: Random) -> Call:
    """Corners all over the picture and beyond, or anywhere in memory and mostly beyond it."""
    width, height, vertices = (rng.choice((1, 2, 9, 16, 33)) for _ in range(3))
    call = _call(vertices, rng.randint(1, 12), width, height, rng.random() < 0.3)
    if rng.random() < 0.3:
        return call
    corners = tuple(
        value
        for w in (rng.uniform(0.5, 2.0) for _ in range(vertices))
        for value in (*(w * rng.uniform(-1.2, 1.2) for _ in range(3)), w)
    )
    return call.passing(v=TensorArg((vertices, 4), FLOAT, values=corners))


OP = Operator(
    "aclnnRasterizer",
    summary="The nearest triangle in each pixel of a picture, and where in it the pixel lies.",
    formula="A corner (x, y, z, w) is seen at `X = (x/w * 0.5 + 0.5) * (width - 1) + 0.5`, "
    "`Y = (y * 0.5 / w + 0.5) * (height - 1) + 0.5`, `Z = z/w * 0.49999 + 0.5`.\n"
    "A face covers a pixel if the shares of its corners in the pixel's middle are all between 0 "
    "and 1; its depth there is `trunc(2^18 * (Z0*s0 + Z1*s1 + Z2*s2))`.\n"
    "`findicesOut` is 1 + the number of the face with the least depth, of equal ones the first; "
    "0 where there is none.\n"
    "`barycentricOut[i] = (s[i] / w[i]) / (s0/w0 + s1/w1 + s2/w2)` of that face, else 0",
    params=(
        TensorIn("v", "N, 4: corners."),
        TensorIn("f", "F, 3: which corners a face has."),
        TensorIn("dOptional", "Without effect.", optional=True),
        Int("width", "Width of the picture."),
        Int("height", "Height of the picture."),
        Double("occlusionTruncation", "Without effect.", default=0.0),
        Int("useDepthPrior", "0.", default=0),
        TensorOut(
            "findicesOut", "height, width: the nearest faces, counted from 1.", is_const=True,
            shape=Lengths(_PIXELS), dtype=const(INT32),
        ),
        TensorOut(
            "barycentricOut", "height, width, 3: shares of a face's corners.", is_const=True,
            shape=Lengths((*_PIXELS, Const(3))), dtype=const(FLOAT),
        ),
    ),
    checks=(
        not_null("v", "f", "findicesOut", "barycentricOut"),
        dtype_in("v", FLOAT), dtype_in("f", INT32),
        when(is_given("dOptional"), dtype_in("dOptional", FLOAT)),
        dtype_in("findicesOut", INT32), dtype_in("barycentricOut", FLOAT),
        supported_on(A3, A2),
        in_tiling(
            shape_is("v", Lengths((DimOf("v", Const(0)), Const(4))), "[N, 4]"),
            shape_is("f", Lengths((DimOf("f", Const(0)), Const(3))), "[F, 3]"),
            _size("height"), _size("width"),
            shape_is("findicesOut", Lengths(_PIXELS), "[height, width]"),
            shape_is("barycentricOut", Lengths((*_PIXELS, Const(3))), "[height, width, 3]"),
            one_of("useDepthPrior", 0),
        ),
        inside_storage("v", "f"),
    ),
    golden=_golden,
    ulps=2,
    ulps_from=1.0,  # differences of places
    samples=(_call(3, 1, 10, 10), _call(8, 5, 7, 12, prior=True), _call(5, 3, 1, 4)),
    draw=_draw,
    typical=lambda n: _call(max(n // 64, 3), max(n // 32, 1), *(min(int(n**0.5) + 1, 4096),) * 2),
    notes=(
        "A face with a corner that does not exist covers nothing, and the launch fails like a "
        "device exception: 507015 at the next synchronisation, an exception in Python. Upstream "
        "leaves this undefined.",
        "Depths and what is covered are computed in float, in upstream's order; the shares that "
        "are given back in double, rounded once. There upstream finds a pixel's row by a product "
        "with 1 / width, which may miss by one at the begin of a row.",
        "Upstream generates the checks of this operator.",
    ),
)  # fmt: skip
