# SPDX-License-Identifier: Apache-2.0
"""Reductions that may leave a tensor as it is where no dimension is named."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import (
    BF16_NEWER,
    INTEGERS,
    NEWER,
    NONE,
    REALS,
    SELF,
    SUPPORTED,
    complete,
    drawn_dims,
    drawn_shape,
    keep_param,
    typical_rows,
)
from aclhost.ops.reduction.extremes import NOTE, RANKS, drawn_tensor
from aclhost.ops.reduction.sums import MEAN_NOTES, MEANS
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, INT32
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, IntArray, TensorIn, TensorOut
from aclhost.spec.products import A950, P310P
from aclhost.spec.reduced import Reduced
from aclhost.spec.rules import (
    Condition,
    axes_in_rank,
    axes_positive,
    distinct_axes,
    done_when_empty,
    dtype_in,
    fits_shape,
    has_elements,
    inner,
    inside_storage,
    not_null,
    only_on,
    rank_at_most,
    same_dtype,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.shapes import ShapeIf, ShapeOf, ShapeTerm
from aclhost.spec.terms import Empty, LengthOf, Not, Term, ValueOf, all_of, any_of

if TYPE_CHECKING:
    from aclhost.spec.golden import Array, Ints

_WORDS = "of the input without what is reduced"


def _reduces(dims: str, flag: str) -> Term:
    return any_of(LengthOf(dims), Not(ValueOf(flag)))


def _shape(tensor: str, dims: str, keep: str, flag: str) -> ShapeTerm:
    return ShapeIf(_reduces(dims, flag), Reduced(tensor, dims, ValueOf(keep)), ShapeOf(tensor))


def _dims(name: str) -> IntArray:
    return IntArray(name, "Dimensions that are reduced, in any order.", length=1, default=())


def _flag(name: str) -> Flag:
    return Flag(
        name, "Without dimensions: whether nothing is reduced, instead of all.", default=False
    )


def _axes(dims: Ints, ndim: int, stays: bool) -> tuple[int, ...]:
    return tuple(dims) if dims or stays else tuple(range(ndim))


def _drawn(rng: Random, rank: int, dims: str, keep: str, flag: str) -> dict[str, Any]:
    return {
        dims: drawn_dims(rng, rank),
        keep: rng.random() < 0.5,
        flag: rng.random() < 0.5,
    }


_MAX = _shape("self", "dims", "keepDims", "noopWithEmptyDims")
_finish_max = complete(("out", _MAX, None))
_MAX_NAMES = ("dims", "keepDims", "noopWithEmptyDims")


def _max(self: Array, dims: Ints, keep_dims: bool, noop_with_empty_dims: bool) -> Array:
    axis = _axes(dims, self.ndim, noop_with_empty_dims)
    found: Array = self.max(axis=axis if self.ndim else (), keepdims=keep_dims)
    return found


def _torch_max(
    torch: Any,  # noqa: ANN401
    self: Any,  # noqa: ANN401
    dims: Any,  # noqa: ANN401
    keep_dims: bool,
    noop_with_empty_dims: bool,
) -> Any:  # noqa: ANN401
    axis = _axes(dims, self.dim(), noop_with_empty_dims)
    return torch.amax(self, axis, keepdim=keep_dims) if axis else self


def _draw_max(rng: Random) -> Call:
    self = drawn_tensor(rng, *REALS, BF16)
    return _finish_max(Call({"self": self, **_drawn(rng, len(self.shape), *_MAX_NAMES)}))


MAX_V2 = Operator(
    "aclnnMaxV2",
    summary="The largest values over dimensions.",
    formula="`out = max(self)` over dims",
    params=(
        SELF,
        _dims("dims"),
        keep_param("keepDims"),
        _flag("noopWithEmptyDims"),
        TensorOut("out", "Result.", like="self", shape=_MAX),
    ),
    checks=(
        not_null("self", "dims", "out"),
        same_dtype("out", "self"),
        dtype_in("self", *REALS, BF16_NEWER),
        axes_in_rank("dims", "self"),
        axes_positive("dims", "self"),
        distinct_axes("dims", "self"),
        *RANKS,
        shape_is("out", _MAX, _WORDS),
        done_when_empty("self"),
        SUPPORTED,
        inside_storage("self"),
    ),
    golden=_max,
    reference=_torch_max,
    draw=_draw_max,
    typical=typical_rows(_finish_max, dims=(1,), keepDims=False, noopWithEmptyDims=False),
    samples=tuple(
        _finish_max(Call(dict(zip(("self", *_MAX_NAMES), given, strict=True))))
        for given in (
            (TensorArg((2, 3)), (1,), False, False),
            (TensorArg((2, 3, 4), FLOAT16), (-1, 0), True, False),
            (TensorArg((3, 2), BOOL), (), False, False),
            (TensorArg((3, 2), INT32), (), False, True),
            (TensorArg(()), (), False, False),
        )
    ),
    notes=(NOTE,),
)

_MEAN = _shape("self", "dim", "keepDim", "noopWithEmptyAxes")
_finish_mean = complete(("out", _MEAN, None))
_MEAN_NAMES = ("dim", "keepDim", "noopWithEmptyAxes")


def _mean(self: Array, dim: Ints, keep_dim: bool, noop_with_empty_axes: bool) -> Array:
    import numpy as np

    axis = _axes(dim, self.ndim, noop_with_empty_axes) if self.ndim else ()
    total = self.sum(axis=axis, keepdims=keep_dim)
    count = np.ones(self.shape).sum(axis=axis, keepdims=keep_dim)
    if self.dtype.kind in "iu":
        return np.asarray(np.sign(total) * (np.abs(total) // np.maximum(count, 1)))
    with np.errstate(all="ignore"):
        return np.asarray(total / count) if self.size else np.full_like(total, np.nan)


def _torch_mean(
    torch: Any,  # noqa: ANN401
    self: Any,  # noqa: ANN401
    dim: Any,  # noqa: ANN401
    keep_dim: bool,
    noop_with_empty_axes: bool,
) -> Any:  # noqa: ANN401
    axis = _axes(dim, self.dim(), noop_with_empty_axes)
    if not self.is_floating_point() or not self.numel():
        return NotImplemented
    return self.double().mean(axis, keepdim=keep_dim) if axis else self


def _draw_mean(rng: Random) -> Call:
    shape = drawn_shape(rng)
    floats = (FLOAT, FLOAT16, BF16, DOUBLE)
    self = TensorArg(shape, rng.choice((*floats, *(() if 0 in shape else INTEGERS))))
    return _finish_mean(Call({"self": self, **_drawn(rng, len(shape), *_MEAN_NAMES)}))


MEAN_V2 = Operator(
    "aclnnMeanV2",
    summary="Means over dimensions.",
    formula="`out = sum(self) / n` over the n values of dim",
    params=(
        SELF,
        _dims("dim"),
        keep_param(),
        _flag("noopWithEmptyAxes"),
        TensorOut("out", "Result.", like="self", shape=_MEAN),
    ),
    checks=(
        not_null("self", "dim", "out"),
        dtype_in("self", *MEANS),
        dtype_in("out", *MEANS),
        same_dtype("out", "self"),
        axes_in_rank("dim", "self"),
        distinct_axes("dim", "self"),
        *RANKS,
        when(NONE, dtype_in("out", FLOAT, FLOAT16, DOUBLE, *INTEGERS, BF16_NEWER)),
        SUPPORTED,
        inside_storage("self"),
        when(has_elements("self"), fits_shape("out", _MEAN, _WORDS)),
    ),
    golden=_mean,
    reference=_torch_mean,
    summed=("self",),
    draw=_draw_mean,
    typical=typical_rows(_finish_mean, dim=(1,), keepDim=False, noopWithEmptyAxes=False),
    samples=tuple(
        _finish_mean(Call(dict(zip(("self", *_MEAN_NAMES), given, strict=True))))
        for given in (
            (TensorArg((2, 3)), (1,), False, False),
            (TensorArg((2, 3, 4), FLOAT16), (-1, 0), True, False),
            (TensorArg((3, 2), INT32), (), False, False),
            (TensorArg((3, 2)), (), False, True),
            (TensorArg((3, 0)), (1,), False, False),
            (TensorArg(()), (), False, False),
        )
    ),
    notes=MEAN_NOTES,
)

_LOG = _shape("data", "axes", "keepDims", "noopWithEmptyAxes")
_LOG_NAMES = ("axes", "keepDims", "noopWithEmptyAxes")
_LOG_FLOATS = (FLOAT, FLOAT16, only_on(BF16, A950))
_REDUCES = Condition(
    all_of(_reduces("axes", "noopWithEmptyAxes"), Not(Empty("data"))), "something is reduced"
)
_COPIES = Condition(
    all_of(Not(_reduces("axes", "noopWithEmptyAxes")), Not(Empty("data"))), "data is copied"
)
_FILLED = has_elements("data")


def _log_call(data: TensorArg, *given: Any) -> Call:  # noqa: ANN401
    call = Call({"data": data, **dict(zip(_LOG_NAMES, given, strict=True))})
    return call.passing(reduce=TensorArg(_LOG.evaluate(call), data.dtype))


def _log(data: Array, axes: Ints, keep_dims: bool, noop_with_empty_axes: bool) -> Array:
    import numpy as np

    if not axes and noop_with_empty_axes and data.size:
        return data
    axis = _axes(axes, data.ndim, False) if data.ndim else ()
    total = data.sum(axis=axis, keepdims=keep_dims)
    with np.errstate(all="ignore"):
        return np.asarray(np.log(total) if data.size else np.zeros_like(total))


def _torch_log(
    torch: Any,  # noqa: ANN401
    data: Any,  # noqa: ANN401
    axes: Any,  # noqa: ANN401
    keep_dims: bool,
    noop_with_empty_axes: bool,
) -> Any:  # noqa: ANN401
    if not data.numel():
        return NotImplemented
    if not axes and noop_with_empty_axes:
        return data
    return data.double().sum(_axes(axes, data.dim(), False), keepdim=keep_dims).log()


def _draw_log(rng: Random) -> Call:
    data = TensorArg(drawn_shape(rng), rng.choice((FLOAT, FLOAT16)), span=(0.5, 4.0))
    given = _drawn(rng, len(data.shape), *_LOG_NAMES)
    if 0 in data.shape:
        given["noopWithEmptyAxes"] = False
    return _log_call(data, *given.values())


REDUCE_LOG_SUM = Operator(
    "aclnnReduceLogSum",
    summary="Logarithms of sums over dimensions.",
    formula="`reduce = log(sum(data))` over axes",
    params=(
        TensorIn("data", "Input."),
        _dims("axes"),
        keep_param("keepDims"),
        _flag("noopWithEmptyAxes"),
        TensorOut("reduce", "Result.", like="data", shape=_LOG),
    ),
    checks=(
        not_null("data", "axes", "reduce"),
        dtype_in("data", *_LOG_FLOATS),
        dtype_in("reduce", *_LOG_FLOATS),
        rank_at_most("data", 8),
        axes_in_rank("axes", "data"),
        distinct_axes("axes", "data"),
        supported_on(*NEWER, P310P),
        inside_storage("data"),
        when(_REDUCES, fits_shape("reduce", _LOG, _WORDS)),
        inner(when(_COPIES, fits_shape("reduce", _LOG, _WORDS))),
        inner(when(_FILLED, same_dtype("reduce", "data"))),
    ),
    golden=_log,
    reference=_torch_log,
    ulps=3,
    ulps_from=1.0,  # the logarithm of about 1 has lost what its argument lost
    draw=_draw_log,
    typical=lambda n: _log_call(TensorArg(matrix_shape(n), span=(0.5, 4.0)), (1,), False, False),
    samples=(
        _log_call(TensorArg((2, 3), span=(0.5, 4.0)), (1,), False, False),
        _log_call(TensorArg((2, 3, 4), FLOAT16, span=(0.5, 4.0)), (-1, 0), True, False),
        _log_call(TensorArg((2, 3)), (), False, True),
        _log_call(TensorArg((2, 3), span=(0.5, 4.0)), (), False, False),
        _log_call(TensorArg((3, 0)), (1,), False, False),
    ),
    notes=(
        "Where nothing is reduced data is copied, without its logarithm. Of nothing the result "
        "is 0.",
    ),
)
OPS = (MAX_V2, MEAN_V2, REDUCE_LOG_SUM)
