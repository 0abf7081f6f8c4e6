# SPDX-License-Identifier: Apache-2.0
"""The inverse of matrices, and their determinants."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.linalg.build import (
    BY_LAPACK,
    COMPLEX,
    computed,
    drawn_batch,
    drawn_matrices,
    is_complex,
    square,
    typical_matrices,
)
from aclhost.ops.matmul.build import call_of
from aclhost.ops.pointwise.declare import known
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import COMPLEX64, DOUBLE, FLOAT, FLOAT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.rules import (
    Condition,
    Rule,
    cast_exists,
    castable_to,
    done_when_empty,
    dtype_in,
    has_elements,
    inside_storage,
    not_null,
    rank_at_least,
    rank_at_most,
    requires,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import ShapeOf, WithoutLast
from aclhost.spec.terms import DtypeOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_VALUES = (0.0, 2.0, 0.5, 4.0, 1.0, 0.0, 1.0, 0.0, 3.0)
_BATCH = WithoutLast(WithoutLast(ShapeOf("self")))
_DETERMINANTS = (FLOAT, DOUBLE, *COMPLEX)


def _inverse(self: Array) -> Array:
    import numpy as np

    return np.asarray(np.linalg.inv(self))


def _inverse_call(self: TensorArg, dtype: DataType | None = None) -> Call:
    return call_of(self=self, out=TensorArg(self.shape, dtype or self.dtype))


def _draw_inverse(rng: Random) -> Call:
    dtype = rng.choice((FLOAT, FLOAT, FLOAT16, *_DETERMINANTS))
    wide = FLOAT if dtype is FLOAT16 and rng.random() < 0.5 else None
    return _inverse_call(drawn_matrices(rng, drawn_batch(rng), rng.randint(1, 40), dtype), wide)


_INVERSE = Operator(
    "aclnnInverse",
    summary="The inverse of square matrices.",
    formula="`out @ self = self @ out = 1`",
    params=(
        TensorIn("self", "Matrices [..., n, n]."),
        TensorOut("out", "Their inverses.", like="self"),
    ),
    checks=(
        not_null("self", "out"),
        dtype_in("self", FLOAT, DOUBLE, *COMPLEX, FLOAT16),
        castable_to("out", "self"),
        same_shape("out", "self"),
        rank_at_most("self", 8),
        when(
            has_elements("self"),
            rank_at_least("self", 2),
            square("self"),
        ),
        done_when_empty("self"),
        supported_on(*known("aclnnInverse").products),
        inside_storage("self"),
        cast_exists("out", computed("self")),
    ),
    golden=_inverse,
    reference=lambda torch, self: torch.linalg.inv(self),
    ulps=16,
    ulps_from=1.0,
    draw=_draw_inverse,
    typical=lambda n: _inverse_call(typical_matrices(n)),
    samples=(
        _inverse_call(TensorArg((3, 3), FLOAT, _VALUES)),
        _inverse_call(TensorArg((1, 3, 3), FLOAT16, _VALUES)),
        _inverse_call(TensorArg((3, 3), DOUBLE, _VALUES)),
        _inverse_call(TensorArg((3, 3), COMPLEX64, _VALUES)),
    ),
    notes=(
        BY_LAPACK,
        "Up to 8 rows are eliminated without LAPACK, with the same pivots. FLOAT16 is computed in "
        "FLOAT.",
        "A matrix without an inverse is filled with NaN, and the next synchronisation returns "
        "507018; upstream's document is silent about it.",
    ),
)


def _slogdet(self: Array) -> tuple[Array, Array]:
    import numpy as np

    sign, log = np.linalg.slogdet(self)
    return np.asarray(sign), np.asarray(log, np.asarray(sign).dtype)


def _slogdet_call(self: TensorArg, dtype: DataType | None = None) -> Call:
    out = TensorArg(self.shape[:-2], dtype or self.dtype)
    return call_of(self=self, signOut=out, logOut=out)


def _draw_slogdet(rng: Random) -> Call:
    dtype = rng.choice((FLOAT, *_DETERMINANTS))
    self = drawn_matrices(rng, drawn_batch(rng), rng.randint(1, 30), dtype)
    return _slogdet_call(self, rng.choice((dtype, COMPLEX64)) if dtype is FLOAT else None)


def _complex_too(parameter: str) -> tuple[Rule, ...]:
    return when(Condition(is_complex("self"), "self is complex"), requires(
        "complex_too", parameter, is_complex(parameter),
        f"{parameter} must have dtype COMPLEX64 or COMPLEX128",
        (Shown("dtype", DtypeOf(parameter)),), f"Create {parameter} with the dtype of self.",
    ))  # fmt: skip


_SLOGDET = Operator(
    "aclnnSlogdet",
    summary="Sign and logarithm of the determinants of square matrices.",
    formula="`signOut = det(self) / abs(det(self))`, `logOut = log(abs(det(self)))`",
    params=(
        TensorIn("self", "Matrices [..., n, n]."),
        TensorOut(
            "signOut", "1, -1, or a complex number of that magnitude.", like="self", shape=_BATCH
        ),
        TensorOut("logOut", "Logarithms of the magnitudes.", like="self", shape=_BATCH),
    ),
    checks=(
        not_null("self", "signOut", "logOut"),
        *(dtype_in(name, *_DETERMINANTS) for name in ("self", "signOut", "logOut")),
        _complex_too("signOut"),
        _complex_too("logOut"),
        rank_at_least("self", 2),
        square("self"),
        shape_is("signOut", _BATCH, "of self without the last two dimensions"),
        shape_is("logOut", _BATCH, "of self without the last two dimensions"),
        done_when_empty("self"),
        supported_on(*known("aclnnSlogdet").products),
        inside_storage("self"),
    ),
    golden=_slogdet,
    reference=lambda torch, self: tuple(torch.linalg.slogdet(self)),
    ulps=16,
    ulps_from=1.0,
    draw=_draw_slogdet,
    typical=lambda n: _slogdet_call(typical_matrices(n)),
    samples=(
        _slogdet_call(TensorArg((3, 3), FLOAT, _VALUES)),
        _slogdet_call(TensorArg((1, 3, 3), DOUBLE, _VALUES)),
        _slogdet_call(TensorArg((3, 3), COMPLEX64, _VALUES)),
        _slogdet_call(TensorArg((3, 3), FLOAT, _VALUES), DOUBLE),
    ),
    notes=(
        BY_LAPACK,
        "The determinant of a singular matrix has the sign 0 and the logarithm -inf.",
        "The logarithm for complex matrices has the imaginary part 0.",
        "Matrices without elements leave the results as they are.",
    ),
)

OPS = (_INVERSE, _SLOGDET)
