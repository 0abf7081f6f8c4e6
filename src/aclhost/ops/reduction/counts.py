# SPDX-License-Identifier: Apache-2.0
"""How often values occur."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import INTEGERS, SELF, SOME, SUPPORTED, drawn_shape
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.draw import eighths
from aclhost.spec.dtypes import (
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT32,
    INT64,
    UINT8,
    Category,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, Scalar, TensorIn, TensorOut
from aclhost.spec.rules import (
    Condition,
    at_least,
    castable_to,
    done_when,
    dtype_in,
    inner,
    inside_storage,
    not_null,
    not_private,
    rank_at_most,
    rank_in,
    requires,
    same_format,
    same_shape,
    shape_is,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import FirstLength, Lengths, ShapeOf
from aclhost.spec.terms import (
    AtMost,
    Const,
    DtypeOf,
    Empty,
    Finite,
    If,
    In,
    NotAbove,
    Present,
    RealIs,
    ValueOf,
    all_of,
    any_of,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_WEIGHTS = (FLOAT, FLOAT16, DOUBLE, *INTEGERS, BOOL)
_TOTALS = (FLOAT, DOUBLE, INT32, INT64)
_WEIGHED = Condition(Present("weights"), "weights are passed")
_OWN_LENGTH, _LEAST_LENGTH = FirstLength(ShapeOf("out")), ValueOf("minlength")
_LENGTH = If(AtMost(_OWN_LENGTH, _LEAST_LENGTH), _LEAST_LENGTH, _OWN_LENGTH)


def _bincount(self: Array, weights: Array | None, minlength: int) -> Array:
    """Values are below minlength."""
    import numpy as np

    return np.asarray(np.bincount(self.astype(np.int64), weights, minlength))


def _torch_bincount(torch: Any, self: Any, weights: Any, minlength: int) -> Any:  # noqa: ANN401
    weights = None if weights is None else weights.double()
    return torch.bincount(self.long(), weights, minlength)


def _count_call(
    n: int, dtype: DataType, weights: DataType | None, out: DataType, size: int = 8
) -> Call:
    return Call(
        {
            "self": TensorArg((n,), dtype, span=(0, size)),
            "weights": TensorArg((n,), weights) if weights else None,
            "minlength": size,
            "out": TensorArg((size,), out),
        }
    )


def _draw_bincount(rng: Random) -> Call:
    weights = rng.choice((None, None, *_WEIGHTS))
    exact = weights is None or weights.category in (Category.INTEGER, Category.BOOL)
    out = rng.choice(_TOTALS) if exact else FLOAT if weights is FLOAT else DOUBLE
    n = rng.choice((0, 1, 5, 40, 3000))
    return _count_call(n, rng.choice(INTEGERS), weights, out, rng.choice((1, 8, 100)))


BINCOUNT = Operator(
    "aclnnBincount",
    summary="How often each number occurs, or the sum of its weights.",
    formula="`out[self[i]] += weights[i]` for every i; without weights `out[self[i]] += 1`",
    params=(
        SELF,
        TensorIn("weights", "A weight for each number; none: 1.", optional=True),
        Int("minlength", "The least length of out.", default=0),
        TensorOut(
            "out",
            "Sums, at least one for each number up to the largest of self.",
            shape=Lengths((_LEAST_LENGTH,)),
            dtype=If(
                Present("weights"),
                If(In(DtypeOf("weights"), (FLOAT,)), const(FLOAT), const(DOUBLE)),
                const(INT64),
            ),
        ),
    ),
    checks=(
        not_null("self", "out"),
        dtype_in("self", *INTEGERS),
        dtype_in("out", *_TOTALS),
        when(_WEIGHED, dtype_in("weights", *_WEIGHTS)),
        not_private("self", "out"),
        rank_in("self", 1),
        when(_WEIGHED, same_format("weights", "self"), same_shape("weights", "self")),
        done_when(
            Condition(
                all_of(Empty("self"), AtMost(_LEAST_LENGTH, Const(0))),
                "self is empty and minlength is not above 0",
            )
        ),
        when(
            SOME,
            requires(
                "length_at_most",
                "minlength",
                AtMost(_LENGTH, Const(2**31 - 1)),
                "minlength and the length of out must be at most 2^31 - 1",
                (Shown("integer", _LENGTH),),
                "Count smaller numbers.",
            ),
        ),
        SUPPORTED,
        inside_storage("self"),
        when(_WEIGHED, inside_storage("weights")),
        inner(when(SOME, shape_is("out", Lengths((_LENGTH,)), "(n,) with n from minlength on"))),
    ),
    golden=_bincount,
    reference=_torch_bincount,
    summed=("weights",),
    draw=_draw_bincount,
    typical=lambda n: _count_call(n, INT64, None, INT64, 1000),
    samples=(
        _count_call(20, INT32, None, INT64),
        _count_call(20, UINT8, FLOAT, FLOAT),
        _count_call(20, INT64, INT32, DOUBLE),
        _count_call(0, INT64, None, INT64),
    ),
    notes=(
        "Weights are added in double, in their order. From Python the result has minlength "
        "elements unless out is passed.",
        "A number below 0 or beyond out is passed over and reported like a device exception.",
    ),
)

_BINNED = (FLOAT, FLOAT16, *INTEGERS)
_INFINITY = float("inf")


def _same(value: float) -> Any:  # noqa: ANN401
    return all_of(RealIs("min", "==", value), RealIs("max", "==", value))


def _histc(self: Array, bins: int, min: float, max: float) -> Array:
    """In the precision that upstream computes in."""
    import numpy as np

    whole = self.dtype.kind in "iu"
    values = self.ravel().astype(np.int64 if whole else np.float32)
    if not values.size:
        return np.zeros(bins)
    least: Any = int(min) if whole else np.float32(min)
    most: Any = int(max) if whole else np.float32(max)
    if least == most:
        least, most = values.min(), values.max()
    if least == most:
        least, most = least - 1, most + 1
    inside = values[(values >= least) & (values <= most)]
    if whole:
        places = (inside - least) * bins // (most - least)
    else:
        places = ((inside - least) * np.float32(bins) / np.float32(most - least)).astype(np.int64)
    counts: Array = np.bincount(np.minimum(places, bins - 1).astype(np.int64), minlength=bins)
    return counts


def _torch_histc(torch: Any, self: Any, bins: int, min: float, max: float) -> Any:  # noqa: ANN401
    if not self.numel() or not self.is_floating_point():
        return NotImplemented
    return torch.histc(self.float(), bins, min, max)


def _bin_call(self: TensorArg, bins: int, least: float, most: float, out: DataType) -> Call:
    limits = {"min": ScalarArg(least), "max": ScalarArg(most)}
    return Call({"self": self, "bins": bins, **limits, "out": TensorArg((bins,), out)})


def _draw_histc(rng: Random) -> Call:
    own = rng.choice(_BINNED)
    whole = own in INTEGERS
    out = rng.choice(INTEGERS[1:4] if whole else (FLOAT, INT32, INT64))
    least = eighths(rng, 0, 2)
    most = least + rng.choice((0.0, 1.0, 4.0))
    if whole:
        least, most = int(least), int(most)
    self = TensorArg(drawn_shape(rng), own, span=(0, 8))
    return _bin_call(self, rng.choice((1, 2, 8, 64)), least, most, out)


HISTC = Operator(
    "aclnnHistc",
    summary="How many values are in each of some intervals of one width.",
    formula="`out[floor((self[i] - min) * bins / (max - min))] += 1` for every self[i] from min to "
    "max, and max itself in the last interval",
    params=(
        SELF,
        Int("bins", "How many intervals.", default=100),
        Scalar("min", "Where the first begins.", default=0.0),
        Scalar("max", "Where the last ends.", default=0.0),
        TensorOut("out", "Counts.", like="self", shape=Lengths((ValueOf("bins"),))),
    ),
    checks=(
        not_null("self", "out", "max", "min"),
        dtype_in("self", *_BINNED),
        dtype_in("out", *_BINNED),
        requires(
            "finite_range",
            "min",
            any_of(all_of(Finite("min"), Finite("max")), _same(_INFINITY), _same(-_INFINITY)),
            "min and max must be finite, or both the same infinity",
            (Shown("real", "min"), " and ", Shown("real", "max")),
            "Pass the same number twice to count from the smallest value to the largest.",
        ),
        at_least("bins", 1),
        requires(
            "range_in_order",
            "min",
            NotAbove("min", "max"),
            "min must not be above max",
            (Shown("real", "min"), " and ", Shown("real", "max")),
            "Swap them.",
        ),
        castable_to("self", "out"),
        rank_in("out", 1),
        rank_at_most("self", 8),
        shape_is("out", Lengths((ValueOf("bins"),)), "(bins,)"),
        SUPPORTED,
        inside_storage("self"),
    ),
    golden=_histc,
    reference=_torch_histc,
    draw=_draw_histc,
    typical=lambda n: _bin_call(TensorArg((n,), span=(0, 1)), 100, 0.0, 1.0, FLOAT),
    samples=(
        _bin_call(TensorArg((2, 30), span=(0, 8)), 4, 0.0, 8.0, FLOAT),
        _bin_call(TensorArg((30,), FLOAT16, span=(0, 8)), 5, 1.0, 4.0, INT32),
        _bin_call(TensorArg((30,), INT32, span=(0, 8)), 3, 0, 0, INT32),
        _bin_call(TensorArg((3, 0)), 3, 0.0, 1.0, FLOAT),
        _bin_call(TensorArg(()), 3, 0.0, 0.0, FLOAT),
    ),
    notes=(
        "Where min equals max, or almost does, the smallest and the largest value stand for them, "
        "on every product. Those of equal values are taken apart by 1.",
        "Where the smallest or the largest value then is infinite or NaN, there are no intervals: "
        "every count is 0, and the call is reported like a device exception; torch refuses it.",
        "Integers are binned in 64 bits.",
    ),
)
OPS = (BINCOUNT, HISTC)
