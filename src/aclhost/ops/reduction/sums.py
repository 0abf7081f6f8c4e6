# SPDX-License-Identifier: Apache-2.0
"""Sums and means."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import (
    BF16_NEWER,
    INTEGERS,
    NONE,
    NUMBERS,
    REALS,
    SELF,
    SUPPORTED,
    as_dtype,
    axes,
    dims_param,
    drawn_dims,
    drawn_shape,
    fits_reduced,
    is_exact,
    keep_param,
    reduced,
)
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT32,
    INT64,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Dtype, TensorOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    Rule,
    axes_in_rank,
    castable_to,
    distinct_axes,
    dtype_in,
    dtype_is,
    dtype_value_in,
    inside_storage,
    not_null,
    only_on,
    rank_at_most,
    refused_unless_on,
    requires,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.rules.dtype import Limited
from aclhost.spec.shapes import ShapeTerm
from aclhost.spec.terms import CanCast, DtypeOf, ValueOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

SUM_NOTE = (
    "Integers wrap; floating sums are made in double, of a few values in float, and rounded once."
)
_FLOATS = (FLOAT, FLOAT16, BF16)
ALL = (*NUMBERS, BF16_NEWER)
_DTYPE = ValueOf("dtype")
_SUMMED = reduced("dims", "keepDims")


def out_param(shape: ShapeTerm) -> TensorOut:
    """The result."""
    return TensorOut("out", "Result, of the dtype that dtype names.", shape=shape, dtype=_DTYPE)


def dtype_param(*, is_const: bool = False) -> Dtype:
    """The dtype that is computed in."""
    return Dtype("dtype", "What self is cast to first.", default=FLOAT, is_const=is_const)


def out_is_dtype() -> tuple[Rule, ...]:
    """The result has the dtype that is asked for."""
    return dtype_is("out", _DTYPE, "the dtype that dtype names")


def dtype_call(
    shape: ShapeTerm,
    self: TensorArg,
    dtype: DataType,
    out: DataType | None = None,
    **rest: Any,  # noqa: ANN401
) -> Call:
    """A call with the result that follows."""
    call = Call({"self": self, **rest, "dtype": dtype})
    return call.passing(out=TensorArg(shape.evaluate(call), out or dtype))


def drawn_pair(rng: Random, *types: DataType) -> tuple[DataType, DataType]:
    """A dtype of self, and one that it is cast to without losing much."""
    own = rng.choice(types)
    if is_exact(own):
        return own, rng.choice(types)
    complex_types = (COMPLEX64, COMPLEX128)
    same_kind = [each for each in types if not is_exact(each)]
    fitting = [each for each in same_kind if (each in complex_types) == (own in complex_types)]
    return own, rng.choice((own, rng.choice(fitting)))


def _sum(self: Array, dims: Ints, keep_dims: bool, dtype: Any) -> Array:  # noqa: ANN401
    """Of BOOL, whether one is true."""
    import numpy as np

    values, axis = as_dtype(self, dtype), axes(dims)
    if values.dtype == bool:
        return np.asarray(values.any(axis=axis, keepdims=keep_dims))
    return np.asarray(values.sum(axis=axis, keepdims=keep_dims))


def _torch_sum(torch: Any, self: Any, dims: Any, keep_dims: bool, dtype: Any) -> Any:  # noqa: ANN401
    if dtype == torch.bool:
        return NotImplemented  # torch adds up, then asks whether that is 0
    if not (dtype.is_floating_point or dtype.is_complex):
        return self.to(dtype).long().sum(dim=dims, keepdim=keep_dims)
    return (
        self.to(dtype)
        .to(torch.complex128 if dtype.is_complex else torch.float64)
        .sum(dim=dims, keepdim=keep_dims)
    )


def _draw_sum(rng: Random) -> Call:
    shape = drawn_shape(rng)
    own, dtype = drawn_pair(rng, *REALS, BF16, *(() if 0 in shape else (COMPLEX64, COMPLEX128)))
    dims = drawn_dims(rng, len(shape))
    return dtype_call(_SUMMED, TensorArg(shape, own), dtype, dims=dims, keepDims=rng.random() < 0.5)


REDUCE_SUM = Operator(
    "aclnnReduceSum",
    summary="Sums over dimensions.",
    formula="`out = sum(self)` over dims; of BOOL whether one is true",
    params=(SELF, dims_param("dims"), keep_param("keepDims"), dtype_param(), out_param(_SUMMED)),
    checks=(
        not_null("self", "dims", "out"),
        dtype_in("self", *ALL),
        dtype_in("out", *ALL),
        out_is_dtype(),
        rank_at_most("self", 8),
        axes_in_rank("dims", "self"),
        distinct_axes("dims", "self"),
        when(NONE, dtype_in("out", *REALS, BF16_NEWER)),
        SUPPORTED,
        inside_storage("self"),
        fits_reduced(_SUMMED, "out"),
    ),
    golden=_sum,
    reference=_torch_sum,
    summed=("self",),
    draw=_draw_sum,
    typical=lambda n: dtype_call(
        _SUMMED, TensorArg(matrix_shape(n)), FLOAT, dims=(1,), keepDims=False
    ),
    samples=(
        dtype_call(_SUMMED, TensorArg((2, 3)), FLOAT, dims=(1,), keepDims=False),
        dtype_call(_SUMMED, TensorArg((2, 3, 4), FLOAT16), FLOAT16, dims=(-1, 0), keepDims=True),
        dtype_call(_SUMMED, TensorArg((3, 2), INT32), INT64, dims=(), keepDims=False),
        dtype_call(_SUMMED, TensorArg((3, 2), BOOL), BOOL, dims=(0,), keepDims=False),
        dtype_call(_SUMMED, TensorArg((2, 3), COMPLEX64), COMPLEX64, dims=(0,), keepDims=False),
        dtype_call(_SUMMED, TensorArg((3, 0)), FLOAT, dims=(1,), keepDims=False),
        dtype_call(_SUMMED, TensorArg((), BF16), BF16, dims=(), keepDims=False),
    ),
    notes=(SUM_NOTE,),
)

_SUM_NAN = reduced("dim", "keepDim")
_NANSUM: tuple[DataType | Limited, ...] = (
    FLOAT16,
    FLOAT,
    BF16,
    *(only_on(dtype, A3, A2) for dtype in (*INTEGERS, BOOL)),
)


def _nansum(self: Array, dim: Ints, keep_dim: bool, dtype: Any) -> Array:  # noqa: ANN401
    """The same, where NaN counts 0."""
    import numpy as np

    values = np.nan_to_num(self, nan=0.0, posinf=np.inf, neginf=-np.inf)
    return _sum(values, dim, keep_dim, dtype)


def _torch_nansum(torch: Any, self: Any, dim: Any, keep_dim: bool, dtype: Any) -> Any:  # noqa: ANN401
    if not self.is_floating_point():
        return _torch_sum(torch, self, dim, keep_dim, dtype)
    return self.to(dtype).double().nansum(dim=dim, keepdim=keep_dim)


def _draw_nansum(rng: Random) -> Call:
    shape = drawn_shape(rng)
    own, dtype = drawn_pair(rng, *_FLOATS, *INTEGERS, BOOL)
    dtype = own if dtype is BOOL else dtype
    dims = drawn_dims(rng, len(shape))
    call = dtype_call(_SUM_NAN, TensorArg(shape, own), dtype, dim=dims, keepDim=rng.random() < 0.5)
    return call.on(rng.choice((A2, A3)))


NANSUM = Operator(
    "aclnnReduceNansum",
    summary="Sums over dimensions, without what is not a number.",
    formula="`out = sum(self)` over dim, where NaN counts 0",
    params=(SELF, dims_param(), keep_param(), dtype_param(), out_param(_SUM_NAN)),
    checks=(
        not_null("self", "dim", "out"),
        refused_unless_on(A950, A3, A2),
        dtype_in("self", *_NANSUM),
        dtype_value_in("dtype", *_NANSUM),
        out_is_dtype(),
        castable_to("out", "self"),
        axes_in_rank("dim", "self"),
        distinct_axes("dim", "self"),
        rank_at_most("self", 8),
        rank_at_most("out", 8),
        inside_storage("self"),
        fits_reduced(_SUM_NAN, "out"),
    ),
    golden=_nansum,
    reference=_torch_nansum,
    summed=("self",),
    draw=_draw_nansum,
    typical=lambda n: dtype_call(
        _SUM_NAN, TensorArg(matrix_shape(n)), FLOAT, dim=(1,), keepDim=False
    ),
    samples=(
        dtype_call(_SUM_NAN, TensorArg((2, 3)), FLOAT, dim=(1,), keepDim=False),
        dtype_call(_SUM_NAN, TensorArg((3, 2), INT32), INT64, dim=(), keepDim=True).on(A2),
        dtype_call(_SUM_NAN, TensorArg((3, 0)), FLOAT, dim=(1,), keepDim=False),
    ),
)

MEANS: tuple[DataType | Limited, ...] = (
    *(each for each in NUMBERS if each is not BOOL),
    BF16_NEWER,
)
MEAN_NOTES = (
    "Sums are made in double, of a few values in float, and rounded once, after the division.",
    "The mean of integers in an integer dtype is cut towards zero. A mean of nothing is NaN.",
)


def _mean(self: Array, dim: Ints, keep_dim: bool, dtype: Any) -> Array:  # noqa: ANN401
    """Integers are cut towards zero."""
    import numpy as np

    values = as_dtype(self, dtype)
    total = values.sum(axis=axes(dim), keepdims=keep_dim)
    count = np.ones_like(values, np.int64).sum(axis=axes(dim), keepdims=keep_dim)
    if values.dtype.kind == "i":
        return np.asarray(np.sign(total) * (np.abs(total) // np.maximum(count, 1)))
    return np.asarray(total / count)


def _torch_mean(torch: Any, self: Any, dim: Any, keep_dim: bool, dtype: Any) -> Any:  # noqa: ANN401
    if not dtype.is_floating_point:
        return NotImplemented  # torch has no means of integers
    return self.to(dtype).double().mean(dim=dim, keepdim=keep_dim)


def _draw_mean(rng: Random) -> Call:
    shape = drawn_shape(rng)
    own, dtype = drawn_pair(rng, *_FLOATS, DOUBLE, *(() if 0 in shape else INTEGERS))
    dims = drawn_dims(rng, len(shape))
    return dtype_call(_SUM_NAN, TensorArg(shape, own), dtype, dim=dims, keepDim=rng.random() < 0.5)


MEAN = Operator(
    "aclnnMean",
    summary="Means over dimensions.",
    formula="`out = sum(self) / n` over the n values of dim",
    params=(
        SELF,
        dims_param(),
        keep_param(),
        Dtype("dtype", "What self is cast to first, and the mean rounded to.", default=FLOAT),
        out_param(_SUM_NAN),
    ),
    checks=(
        not_null("self", "dim", "out"),
        dtype_in("self", *MEANS),
        dtype_value_in("dtype", *MEANS),
        dtype_in("out", *MEANS),
        requires(
            "castable",
            "dtype",
            CanCast(DtypeOf("self"), _DTYPE),
            "dtype must be one that self's dtype converts to",
            (Shown("dtype", _DTYPE), " from ", Shown("dtype", DtypeOf("self"))),
            "Pass a floating dtype.",
        ),
        castable_to("out", source=_DTYPE, words="dtype"),
        axes_in_rank("dim", "self"),
        distinct_axes("dim", "self"),
        rank_at_most("self", 8),
        rank_at_most("out", 8),
        when(NONE, dtype_in("out", *(each for each in REALS if each is not BOOL), BF16_NEWER)),
        SUPPORTED,
        inside_storage("self"),
        fits_reduced(_SUM_NAN, "out"),
    ),
    golden=_mean,
    reference=_torch_mean,
    summed=("self",),
    draw=_draw_mean,
    typical=lambda n: dtype_call(
        _SUM_NAN, TensorArg(matrix_shape(n)), FLOAT, dim=(1,), keepDim=False
    ),
    samples=(
        dtype_call(_SUM_NAN, TensorArg((2, 3)), FLOAT, dim=(1,), keepDim=False),
        dtype_call(_SUM_NAN, TensorArg((2, 3, 4), FLOAT16), FLOAT16, dim=(-1, 0), keepDim=True),
        dtype_call(_SUM_NAN, TensorArg((3, 2), INT32), FLOAT, dim=(), keepDim=False),
        dtype_call(_SUM_NAN, TensorArg((3, 0)), FLOAT, dim=(1,), keepDim=False),
    ),
    notes=MEAN_NOTES,
)


OPS = (REDUCE_SUM, NANSUM, MEAN)
