# SPDX-License-Identifier: Apache-2.0
"""Matrices as orthogonal columns times a triangle."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.linalg.build import (
    BY_LAPACK,
    COMPLEX,
    drawn_batch,
    drawn_matrices,
    typical_matrices,
)
from aclhost.ops.matmul.build import call_of
from aclhost.ops.pointwise.declare import known
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import COMPLEX64, DOUBLE, FLOAT, FLOAT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Choice, TensorIn, TensorOut
from aclhost.spec.rules import (
    Condition,
    done_when,
    dtype_in,
    inner,
    inside_storage,
    not_null,
    rank_at_least,
    rank_at_most,
    shape_is,
    supported_on,
)
from aclhost.spec.shapes import Lengths, ShapeIf, ShapeOf, WithLast
from aclhost.spec.terms import And, AtMost, Const, DimOf, Empty, Equal, If, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NAME = "aclnnLinalgQr"
_DTYPES = (FLOAT, FLOAT16, DOUBLE, *COMPLEX)
_MODES = ("reduced", "complete", "r")
_ROWS, _COLUMNS = DimOf("self", Const(-2)), DimOf("self", Const(-1))
_LEAST = If(AtMost(_ROWS, _COLUMNS), _ROWS, _COLUMNS)
_COMPLETE, _ONLY_R = Equal(ValueOf("mode"), Const(1)), Equal(ValueOf("mode"), Const(2))
_Q = ShapeIf(
    _ONLY_R,
    Lengths((Const(0),)),
    WithLast("self", 0, (If(_COMPLETE, _ROWS, _LEAST),)),
)
_R = ShapeIf(_COMPLETE, ShapeOf("self"), WithLast("self", 1, (_LEAST,)))
_VALUES = (1.0, 2.0, 3.0, 4.0, 0.5, -1.0)


def _golden(self: Array, mode: int) -> tuple[Array, Array]:
    import numpy as np

    if _MODES[mode] == "r":
        return np.zeros(0), np.asarray(np.linalg.qr(self, "r"))
    q, r = np.linalg.qr(self, _MODES[mode])  # type: ignore[call-overload]
    return q, r


def _sizes(self: Array, mode: int) -> tuple[Array, Array]:
    """What errors are relative to: columns of Q have length 1, those of R that of self's."""
    import numpy as np

    q, r = _golden(self, mode)
    return np.ones(q.shape), np.broadcast_to(np.linalg.norm(self, axis=-2, keepdims=True), r.shape)


def _call(self: TensorArg, mode: int = 0, dtype: DataType | None = None) -> Call:
    *batch, rows, columns = self.shape
    least = min(rows, columns)
    q = (0,) if mode == 2 else (*batch, rows, rows if mode == 1 else least)
    r = (*batch, rows if mode == 1 else least, columns)
    own = dtype or self.dtype
    return call_of(self=self, mode=mode, Q=TensorArg(q, own), R=TensorArg(r, own))


def _draw(rng: Random) -> Call:
    """Some rows or columns of matrices that are far from singular."""
    dtype, n, batch = rng.choice(_DTYPES), rng.randint(1, 24), drawn_batch(rng)
    whole = drawn_matrices(rng, batch, n, dtype)
    assert whole.values is not None
    columns = rng.choice((n, rng.randint(1, n)))
    rows = n if columns < n else rng.choice((n, rng.randint(1, n)))
    kept = tuple(
        each
        for place, each in enumerate(whole.values)
        if place % n < columns and place // n % n < rows
    )
    wide = FLOAT if dtype is FLOAT16 and rng.random() < 0.5 else None
    return _call(TensorArg((*batch, rows, columns), dtype, kept), rng.randrange(3), wide)


OP = Operator(
    _NAME,
    summary="Matrices as orthogonal columns times an upper triangle.",
    formula="`self = Q @ R`",
    params=(
        TensorIn("self", "Matrices [..., m, n]."),
        Choice(
            "mode", "0: Q has as many columns as R needs; 1: as many as rows; 2: only R.",
            words=_MODES, default="reduced",
        ),
        TensorOut("Q", "Orthogonal columns of length 1; [0] in mode 2.", like="self", shape=_Q),
        TensorOut("R", "Upper triangles.", like="self", shape=_R),
    ),
    checks=(
        inner(not_null("self", "Q", "R")),
        *(dtype_in(name, *_DTYPES) for name in ("self", "Q", "R")),
        rank_at_least("self", 2),
        rank_at_most("self", 8),
        shape_is("Q", _Q, "[..., m, k] with k the lesser of m and n, [..., m, m] or [0] by mode"),
        shape_is("R", _R, "[..., k, n] with k the lesser of m and n, or [..., m, n] in mode 1"),
        done_when(Condition(And(Empty("self"), Empty("Q")), "self and Q are empty")),
        supported_on(*known(_NAME).products),
        inside_storage("self"),
    ),
    golden=_golden,
    reference=lambda torch, self, mode: tuple(
        torch.linalg.qr(self, mode if isinstance(mode, str) else _MODES[mode])
    ),
    summed=("self",),
    terms=_sizes,
    ulps=16,
    draw=_draw,
    typical=lambda n: _call(typical_matrices(n)),
    samples=(
        _call(TensorArg((3, 2), FLOAT, _VALUES)),
        _call(TensorArg((1, 3, 2), FLOAT16, _VALUES), 1),
        _call(TensorArg((2, 3), DOUBLE, _VALUES), 2),
        _call(TensorArg((2, 3), COMPLEX64, _VALUES)),
        _call(TensorArg((2, 0), FLOAT), 1),
    ),
    notes=(
        BY_LAPACK,
        "FLOAT16 is computed in FLOAT. The diagonal of R is real; its signs are LAPACK's.",
        "Any other mode is mode 0, as in upstream's code.",
    ),
)  # fmt: skip
