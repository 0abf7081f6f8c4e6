# SPDX-License-Identifier: Apache-2.0
"""Singular values and their vectors."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.linalg.build import BY_LAPACK, COMPLEX, drawn_batch
from aclhost.ops.matmul.build import call_of
from aclhost.ops.pointwise.declare import known
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import eighths
from aclhost.spec.dtypes import COMPLEX64, DOUBLE, FLOAT, Category, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, TensorIn, TensorOut
from aclhost.spec.rules import (
    done_when_empty,
    dtype_in,
    inside_storage,
    is_set,
    not_null,
    rank_at_least,
    rank_at_most,
    same_dtype,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.shapes import Lengths, ShapeIf, WithLast, WithoutLast
from aclhost.spec.terms import AtMost, Const, DimOf, If, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NAME = "aclnnSvd"
_DTYPES = (FLOAT, DOUBLE, *COMPLEX)
_ROWS, _COLUMNS = DimOf("input", Const(-2)), DimOf("input", Const(-1))
_LEAST = If(AtMost(_ROWS, _COLUMNS), _ROWS, _COLUMNS)
_FULL, _VECTORS = ValueOf("fullMatrices"), is_set("computeUV")
_SIGMA = WithoutLast(WithLast("input", 1, (_LEAST,)))
_U = WithLast("input", 0, (_ROWS, If(_FULL, _ROWS, _LEAST)))
_V = WithLast("input", 0, (_COLUMNS, If(_FULL, _COLUMNS, _LEAST)))
_VALUES = (6.0, 1.0, -1.0, 3.0, 0.5, 1.0)


def _turned(vectors: Array) -> Array:
    """What turns each column so that its largest element is a positive number."""
    import numpy as np

    largest = np.abs(vectors).argmax(-2, keepdims=True)
    element = np.take_along_axis(vectors, largest, -2)
    size = np.abs(element)
    return np.asarray(np.conj(element) / np.where(size == 0, 1, size))


def _with_signs(u: Array, v: Array, shared: int) -> tuple[Array, Array]:
    """Both vectors of a singular value turn together."""
    import numpy as np

    turn = _turned(u)
    own = np.concatenate([turn[..., :shared], _turned(v[..., shared:])], -1)
    return u * turn, v * own


def _golden(input: Array, full_matrices: bool, compute_uv: bool) -> tuple[Array, ...]:
    import numpy as np

    if not compute_uv:
        values = np.linalg.svd(input, compute_uv=False).astype(input.dtype)
        return values, np.zeros(0), np.zeros(0)
    u, sigma, vh = np.linalg.svd(input, full_matrices)
    return sigma.astype(input.dtype), *_with_signs(u, np.conj(vh.swapaxes(-1, -2)), sigma.shape[-1])


def _turning(sigma: Array, vectors: Array) -> Array:
    """How far each column turns where the matrix changes a little: the more, the closer values lie.

    A change turns it by the largest value over the distance to the next one, to 0 where there are
    vectors without values. That holds for the golden of DOUBLE as well: it is LAPACK's.
    """
    import numpy as np

    rows, columns = vectors.shape[-2:]
    without = (rows > sigma.shape[-1]) * max(columns - sigma.shape[-1], 1)
    every = np.concatenate([sigma, np.zeros((*sigma.shape[:-1], without))], -1)
    gaps = np.abs(every[..., :, None] - every[..., None, :])
    gaps[..., range(every.shape[-1]), range(every.shape[-1])] = np.inf
    largest = sigma[..., :1]
    nearest = np.maximum(gaps.min(-1)[..., :columns], largest * 2.0**-52)
    turning = np.where(largest > 0, np.maximum(largest / nearest, 1.0), 1.0)
    return np.asarray(np.broadcast_to(turning[..., None, :], vectors.shape))


def _sizes(input: Array, full_matrices: bool, compute_uv: bool) -> tuple[Array, ...]:
    """What errors are relative to: the largest singular value, and columns of length 1."""
    import numpy as np

    sigma, u, v = _golden(input, full_matrices, compute_uv)
    sigma = sigma.real
    values = np.broadcast_to(sigma[..., :1], sigma.shape)
    if not (compute_uv and sigma.size):
        return values, np.ones(u.shape), np.ones(v.shape)
    with np.errstate(all="ignore"):
        return values, _turning(sigma, u), _turning(sigma, v)


def _torch(torch: Any, input: Any, full_matrices: bool, compute_uv: bool) -> Any:  # noqa: ANN401
    """Values; its vectors have other signs."""
    if compute_uv:
        return NotImplemented
    sigma = torch.linalg.svdvals(input)
    return sigma.to(input.dtype), torch.zeros(0), torch.zeros(0)


def _call(matrices: TensorArg, *, full: bool = False, vectors: bool = True) -> Call:
    *batch, rows, columns = matrices.shape
    least = min(rows, columns)
    u, v = ((*batch, n, n if full else least) if vectors else (0,) for n in (rows, columns))
    return call_of(
        input=matrices, fullMatrices=full, computeUV=vectors,
        sigma=TensorArg((*batch, least), matrices.dtype),
        u=TensorArg(u, matrices.dtype), v=TensorArg(v, matrices.dtype),
    )  # fmt: skip


def _distinct(rng: Random, rows: int, columns: int, dtype: DataType) -> list[Any]:
    """Singular values that lie apart, and vectors with one large element each."""

    def noise() -> complex:
        other = eighths(rng, -1, 1) if dtype.category is Category.COMPLEX else 0.0
        return complex(eighths(rng, -1, 1), other) / 8

    places = rng.sample(range(max(rows, columns)), min(rows, columns))
    matrix = [[noise() for _ in range(columns)] for _ in range(rows)]
    for number, place in enumerate(places):
        row, column = (place, number) if rows >= columns else (number, place)
        matrix[row][column] += 4 * (number + 1) * rng.choice((-1, 1))
    numbers = [each for row in matrix for each in row]
    return numbers if dtype.category is Category.COMPLEX else [each.real for each in numbers]


def _matrices(rng: Random, batch: tuple[int, ...], rows: int, columns: int,
              dtype: DataType) -> TensorArg:  # fmt: skip
    count = 1
    for length in batch:
        count *= length
    values = [each for _ in range(count) for each in _distinct(rng, rows, columns, dtype)]
    return TensorArg((*batch, rows, columns), dtype, tuple(values))


def _draw(rng: Random) -> Call:
    """Of whole matrices, only what is unique: at most one vector belongs to no value."""
    dtype, rows, full = rng.choice(_DTYPES), rng.randint(1, 12), rng.random() < 0.4
    columns = max(rows + rng.randint(-1, 1), 1) if full else rng.randint(1, 12)
    matrices = _matrices(rng, drawn_batch(rng), rows, columns, dtype)
    return _call(matrices, full=full, vectors=rng.random() < 0.8)


def _typical(n: int) -> Call:
    count = n // 1024 + 1
    values = _matrices(Random(1), (), 32, 32, FLOAT).values
    assert values is not None
    return _call(TensorArg((count, 32, 32), FLOAT, values * count))


_NO_VECTORS = Lengths((Const(0),))
OP = Operator(
    _NAME,
    summary="Singular values of matrices, and their vectors.",
    formula="`input = u @ diag(sigma) @ v^H`",
    params=(
        TensorIn("input", "Matrices [..., m, n]."),
        Flag("fullMatrices", "Whether u is [..., m, m] and v [..., n, n]; else both have as many "
             "columns as sigma.", is_const=True),
        Flag("computeUV", "Whether u and v are computed.", default=True, is_const=True),
        TensorOut("sigma", "Singular values, descending, [..., k] with k the lesser of m and n.",
                  like="input", shape=_SIGMA),
        TensorOut("u", "Left vectors in columns; not written without computeUV.", like="input",
                  shape=ShapeIf(_VECTORS.term, _U, _NO_VECTORS)),
        TensorOut("v", "Right vectors in columns, the same.", like="input",
                  shape=ShapeIf(_VECTORS.term, _V, _NO_VECTORS)),
    ),
    checks=(
        not_null("input", "sigma", "u", "v"),
        *(dtype_in(name, *_DTYPES) for name in ("input", "sigma", "u", "v")),
        *(same_dtype(name, "input") for name in ("sigma", "u", "v")),
        rank_at_least("input", 2),
        rank_at_most("input", 8),
        shape_is("sigma", _SIGMA, "[..., k] with k the lesser of m and n"),
        when(_VECTORS, shape_is("u", _U, "[..., m, k], or [..., m, m] with fullMatrices"),
             shape_is("v", _V, "[..., n, k], or [..., n, n] with fullMatrices")),
        done_when_empty("input"),
        supported_on(*known(_NAME).products),
        inside_storage("input"),
    ),
    golden=_golden,
    reference=_torch,
    summed=("input",),
    terms=_sizes,
    ulps=64,
    draw=_draw,
    typical=_typical,
    samples=(
        _call(TensorArg((3, 2), FLOAT, _VALUES)),
        _call(TensorArg((1, 3, 2), DOUBLE, _VALUES), full=True),
        _call(TensorArg((2, 3), COMPLEX64, _VALUES)),
        _call(TensorArg((2, 3), FLOAT, _VALUES), vectors=False),
    ),
    notes=(
        BY_LAPACK,
        "Vectors are unique but for a sign (a phase of complex ones): here the largest element of "
        "each column of u is a positive number. Vectors of equal singular values, of 0, and those "
        "that fullMatrices adds are some orthogonal ones.",
        "Matrices with NaN or infinity give NaN.",
        "sigma of complex matrices is complex, as upstream demands.",
        "An empty input leaves u and v unwritten, as upstream.",
    ),
)  # fmt: skip
