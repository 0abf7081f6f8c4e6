# SPDX-License-Identifier: Apache-2.0
"""aclnnAffineGrid."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, IntArray, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950, T910
from aclhost.spec.rules import (
    Condition,
    dims_positive,
    dtype_in,
    inside_storage,
    length_in,
    not_null,
    only_on,
    same_dtype,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.shapes import Lengths, ShapeIf
from aclhost.spec.terms import Const, DtypeOf, In, ItemOf, LengthOf, Term

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints


def _size(position: int) -> Term:
    return ItemOf("size", Const(position))


_TWO = Condition(In(LengthOf("size"), (4,)), "size has 4 values")
_THREE = Condition(In(LengthOf("size"), (5,)), "size has 5 values")
_GRIDS = {
    2: Lengths((_size(0), _size(2), _size(3), Const(2))),
    3: Lengths((_size(0), _size(2), _size(3), _size(4), Const(3))),
}
_MATRICES = {dims: Lengths((_size(0), Const(dims), Const(dims + 1))) for dims in (2, 3)}
_GRID = ShapeIf(_TWO.term, _GRIDS[2], _GRIDS[3])


def _places(size: Ints, align_corners: bool) -> Array:
    """Coordinates of all positions with a 1 behind them."""
    import numpy as np

    axes = []
    for length in size[2:]:
        ends = np.linspace(-1, 1, length) if length > 1 else np.zeros(length)
        axes.append(ends if align_corners else ends * (length - 1) / length)
    places = np.meshgrid(*axes, indexing="ij")[::-1]
    return np.stack([*places, np.ones(size[2:])], axis=-1)


def _golden(theta: Array, size: Ints, align_corners: bool) -> Array:
    """The places times the matrices."""
    import numpy as np

    grid: Array = np.einsum("...j,nkj->n...k", _places(size, align_corners), theta)
    return grid


def _terms(theta: Array, size: Ints, align_corners: bool) -> Array:
    """The same of magnitudes."""
    import numpy as np

    sizes: Array = np.einsum("...j,nkj->n...k", np.abs(_places(size, align_corners)), theta)
    return sizes


def _torch(torch: Any, theta: Any, size: Ints, align_corners: bool) -> Any:  # noqa: ANN401
    if 1 in size[2:]:
        return NotImplemented  # of which torch warns
    return torch.nn.functional.affine_grid(theta, list(size), align_corners=align_corners)


def _call(dtype: DataType, size: tuple[int, ...], align: bool) -> Call:
    dims = len(size) - 2
    return Call(
        {
            "theta": TensorArg((size[0], dims, dims + 1), dtype),
            "size": size,
            "alignCorners": align,
            "out": TensorArg((size[0], *size[2:], dims), dtype),
        }
    )


def _draw(rng: Random) -> Call:
    size = tuple(rng.randint(1, 6) for _ in range(rng.randint(4, 5)))
    return _call(rng.choice((FLOAT, FLOAT16, BF16)), size, rng.random() < 0.5)


_NEWER = (A950, A3, A2)

OP = Operator(
    "aclnnAffineGrid",
    summary="The grid with which sampling applies affine maps.",
    formula=(
        "`out[n, ..., k] = theta[n, k, 0] * x + theta[n, k, 1] * y (+ theta[n, k, 2] * z) + "
        "theta[n, k, last]` with the coordinates of the position: from -1 to 1 along each axis "
        "with alignCorners, otherwise the middles of as many equal parts. An axis of length 1 has "
        "0. Computed in double, rounded once."
    ),
    params=(
        TensorIn("theta", "N matrices of 2 rows and 3 columns, or 3 rows and 4 columns."),
        IntArray("size", "N, C, H, W or N, C, D, H, W of the image; C does not count.", length=4),
        Flag("alignCorners", "Whether -1 and 1 are the outermost positions.", default=False),
        TensorOut("out", "Grid of x, y or x, y, z.", shape=_GRID, dtype=DtypeOf("theta")),
    ),
    checks=(
        not_null("theta", "size", "out"),
        dtype_in("theta", FLOAT, FLOAT16, only_on(BF16, *_NEWER)),
        same_dtype("out", "theta"),
        dims_positive("theta", 0),
        length_in("size", 4, 5),
        *(
            when(
                condition,
                shape_is("theta", Lengths((_size(0), Const(dims), Const(dims + 1))), words),
            )
            for dims, condition, words in ((2, _TWO, "[N, 2, 3]"), (3, _THREE, "[N, 3, 4]"))
        ),
        shape_is("out", _GRID, "[N, H, W, 2] or [N, D, H, W, 3]"),
        supported_on(A3, A2, T910),
        inside_storage("theta"),
    ),
    golden=_golden,
    summed=("theta",),
    terms=_terms,
    reference=_torch,
    samples=(
        _call(FLOAT, (2, 3, 4, 5), False),
        _call(FLOAT, (1, 1, 4, 1), True),
        _call(FLOAT16, (2, 1, 2, 3, 4), True),
        _call(BF16, (1, 2, 3, 1, 2), False),
        _call(FLOAT, (1, 1, 2, 2), False).passing(
            theta=TensorArg((1, 2, 3), FLOAT, strides=(1, 1, 2))
        ),
    ),
    draw=_draw,
    typical=lambda n: _call(FLOAT, (8, 1, 64, max(n // 1024, 1)), False),
    notes=("Lengths of 0 and lengths above 100,000, which the document excludes, are accepted.",),
)
