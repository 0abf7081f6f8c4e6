# SPDX-License-Identifier: Apache-2.0
"""Norms of vectors."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import (
    NEWER,
    SELF,
    SOME,
    axes,
    complete,
    drawn_dims,
    drawn_shape,
    keep_param,
    reduced,
)
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, INT32, Category, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Dtype, IntArray, Scalar, TensorOut
from aclhost.spec.products import A950, P310B, T910
from aclhost.spec.rules import (
    Rule,
    axes_in_rank,
    cast_exists,
    distinct_axes,
    dtype_in,
    dtype_is,
    dtype_value_in,
    has_common_dtype,
    inside_storage,
    not_null,
    on_products,
    rank_at_most,
    requires,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import DtypeOf, Equal, InCategory, Not, Term, ValueOf, any_of, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

FLOATS = (FLOAT, FLOAT16, BF16)
ORDERS = (2.0, 2.0, 1.0, 0.0, 3.0, 0.5, -1.0, 2.5, float("inf"), float("-inf"))
LARGE = 2.0**31  # stands for infinity
_ON_950 = on_products(A950)
_NOTES = (
    "Values are cast to FLOAT; powers are made in float, their sum in double, and the root is "
    "rounded once.",
    "An order of 2^31 or -2^31 counts as infinite. Of nothing the norm is 0.",
)


def norm(values: Array, order: float, axis: Any, keep: bool) -> Array:  # noqa: ANN401
    """By its definition, in double."""
    import numpy as np

    sizes = np.abs(values)
    if not sizes.size:
        return np.asarray(sizes.sum(axis=axis, keepdims=keep))
    if abs(order) in (float("inf"), LARGE):
        return np.asarray((sizes.max if order > 0 else sizes.min)(axis=axis, keepdims=keep))
    with np.errstate(all="ignore"):
        if order == 0:
            return np.asarray((sizes != 0).sum(axis=axis, keepdims=keep).astype(np.float64))
        return np.asarray((sizes**order).sum(axis=axis, keepdims=keep) ** (1 / order))


def _torch_norm(torch: Any, self: Any, p_scalar: float, dim: Any, keepdim: bool) -> Any:  # noqa: ANN401
    if self.is_complex():  # imaginary parts are lost in the cast to FLOAT
        return NotImplemented
    if not self.numel():
        return NotImplemented
    values = self.to(torch.float32).double()
    return torch.linalg.vector_norm(values, p_scalar, dim=dim or None, keepdim=keepdim)


def _dims(name: str) -> IntArray:
    return IntArray(
        name, "Dimensions that are reduced, in any order; none: all.", length=1, default=()
    )


def _shape_rules(dims: str, keep: str) -> tuple[tuple[Rule, ...], ...]:
    return (
        axes_in_rank(dims, "self"),
        distinct_axes(dims, "self"),
        rank_at_most("self", 8),
        rank_at_most("out", 8),
        shape_is("out", reduced(dims, keep), "of self without what is reduced"),
    )


def _drawn(rng: Random) -> tuple[TensorArg, tuple[int, ...], ScalarArg]:
    shape, order = drawn_shape(rng), rng.choice(ORDERS)
    low = 0.25 if order < 0 else 0.0
    self = TensorArg(shape, rng.choice((*FLOATS, DOUBLE, INT32)), span=(low, 3.0))
    if order >= 1 or order == 0:
        self = TensorArg(shape, self.dtype)
    return self, drawn_dims(rng, len(shape)), ScalarArg(order)


_OUT = reduced("dim", "keepdim")
_finish = complete(("out", _OUT, None))


def _draw_norm(rng: Random) -> Call:
    self, dims, order = _drawn(rng)
    wanted = rng.choice((self.dtype, FLOAT)) if self.dtype in FLOATS else FLOAT
    keep = rng.random() < 0.5
    call = Call({"self": self, "pScalar": order, "dim": dims, "keepdim": keep})
    return complete(("out", _OUT, wanted))(call)


def _norm_call(
    shape: tuple[int, ...], dtype: DataType, order: float, dim: tuple[int, ...], keep: bool
) -> Call:
    self = TensorArg(shape, dtype)
    return _finish(Call({"self": self, "pScalar": ScalarArg(order), "dim": dim, "keepdim": keep}))


NORM = Operator(
    "aclnnNorm",
    summary="Norms over dimensions.",
    formula="`out = sum(|self|^p)^(1/p)` over dim; of infinite p the largest or smallest `|self|`, "
    "of p = 0 how many are not 0",
    params=(
        SELF,
        Scalar("pScalar", "Order p.", default=2.0),
        _dims("dim"),
        keep_param("keepdim"),
        TensorOut("out", "Result.", like="self", shape=_OUT),
    ),
    checks=(
        not_null("self", "pScalar", "dim", "out"),
        when(_ON_950, dtype_in("self", *FLOATS), dtype_in("out", *FLOATS)),
        has_common_dtype("out", "self"),
        *_shape_rules("dim", "keepdim"),
        inside_storage("self"),
        when(SOME, cast_exists("out", const(FLOAT))),
    ),
    golden=lambda self, p_scalar, dim, keepdim: norm(_as_float(self), p_scalar, axes(dim), keepdim),
    reference=_torch_norm,
    ulps=4,
    draw=_draw_norm,
    typical=lambda n: _norm_call(matrix_shape(n), FLOAT, 2.0, (1,), False),
    samples=(
        _norm_call((2, 3), FLOAT, 2.0, (1,), False),
        _norm_call((2, 3, 4), FLOAT16, 1.0, (-1, 0), True),
        _norm_call((2, 3), FLOAT, 0.0, (), False),
        _norm_call((2, 3), BF16, float("inf"), (0,), False),
        _norm_call((2, 3), FLOAT, LARGE, (0,), False),
        _norm_call((3, 0), FLOAT, 2.0, (1,), False),
        _norm_call((), FLOAT, 3.0, (), False),
    ),
    notes=(*_NOTES, "On products other than the Ascend 950 upstream takes every real dtype."),
)


def _as_float(values: Array) -> Array:
    import numpy as np

    return values.astype(np.float32).astype(np.float64)


_VECTOR = reduced("dims", "keepDims")


def _vector_call(
    self: TensorArg, order: ScalarArg, dims: tuple[int, ...], keep: bool, dtype: DataType
) -> Call:
    call = Call({"self": self, "ord": order, "dims": dims, "keepDims": keep, "dtype": dtype})
    return complete(("out", _VECTOR, dtype))(call)


def _draw_vector(rng: Random) -> Call:
    self, dims, order = _drawn(rng)
    wanted = rng.choice((self.dtype, FLOAT)) if self.dtype in FLOATS else FLOAT
    return _vector_call(self, order, dims, rng.random() < 0.5, wanted)


def _not_complex(name: str, dtype: Term) -> tuple[Rule, ...]:
    return requires(
        "not_complex",
        name,
        Not(InCategory(dtype, Category.COMPLEX)),
        f"{name} must not be complex",
        (Shown("dtype", dtype),),
        "There are norms of real tensors only.",
    )


_KEEPS_OR_WIDENS = requires(
    "keeps_or_widens",
    "dtype",
    any_of(Equal(ValueOf("dtype"), const(FLOAT)), Equal(ValueOf("dtype"), DtypeOf("self"))),
    "dtype must be self's dtype or FLOAT",
    (Shown("dtype", ValueOf("dtype")), " for ", Shown("dtype", DtypeOf("self"))),
    "Pass FLOAT.",
)


LINALG_VECTOR_NORM = Operator(
    "aclnnLinalgVectorNorm",
    summary="Norms of vectors over dimensions.",
    formula="`out = sum(|self|^ord)^(1/ord)` over dims; of infinite ord the largest or smallest "
    "`|self|`, of ord = 0 how many are not 0",
    params=(
        SELF,
        Scalar("ord", "Order.", default=2.0),
        _dims("dims"),
        keep_param("keepDims"),
        Dtype("dtype", "Dtype of the result.", default=FLOAT, is_const=True),
        TensorOut("out", "Result.", shape=_VECTOR, dtype=ValueOf("dtype")),
    ),
    checks=(
        not_null("self", "ord", "dims", "out"),
        _not_complex("dtype", ValueOf("dtype")),
        when(_ON_950, dtype_value_in("dtype", *FLOATS)),
        dtype_is("out", ValueOf("dtype"), "the dtype that dtype names"),
        _not_complex("self", DtypeOf("self")),
        when(_ON_950, dtype_in("self", *FLOATS)),
        when(_ON_950, _KEEPS_OR_WIDENS),
        has_common_dtype("out", "self"),
        *_shape_rules("dims", "keepDims"),
        supported_on(*NEWER, P310B, T910),
        inside_storage("self"),
    ),
    golden=lambda self, ord, dims, keep_dims, dtype: norm(
        _as_float(self), ord, axes(dims), keep_dims
    ),
    reference=lambda torch, self, ord, dims, keep_dims, dtype: _torch_norm(
        torch, self, ord, dims, keep_dims
    ),
    ulps=4,
    draw=_draw_vector,
    typical=lambda n: _vector_call(TensorArg(matrix_shape(n)), ScalarArg(2.0), (1,), False, FLOAT),
    samples=(
        _vector_call(TensorArg((2, 3)), ScalarArg(2.0), (1,), False, FLOAT),
        _vector_call(TensorArg((2, 3, 4), FLOAT16), ScalarArg(1.0), (-1, 0), True, FLOAT16),
        _vector_call(TensorArg((2, 3), BF16), ScalarArg(float("-inf")), (), False, BF16),
        _vector_call(TensorArg((3, 0)), ScalarArg(2.0), (1,), False, FLOAT),
        _vector_call(TensorArg(()), ScalarArg(2.0), (), False, FLOAT),
    ),
    notes=(*_NOTES, "dtype is the result's; values are FLOAT whatever it names."),
)
OPS = (NORM, LINALG_VECTOR_NORM)
