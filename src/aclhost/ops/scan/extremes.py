# SPDX-License-Identifier: Apache-2.0
"""Running extremes along a dimension, and where they are."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import BF16_NEWER, REALS, SELF, drawn_shape
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import (
    BF16,
    BOOL,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT32,
    INT64,
    UINT8,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Int, TensorOut
from aclhost.spec.products import A2, A3, A950, T910
from aclhost.spec.rules import (
    Condition,
    Rule,
    Step,
    axis_in_rank,
    done_when_empty,
    dtype_in,
    inner,
    inside_storage,
    not_null,
    rank_at_least,
    rank_at_most,
    same_dtype,
    same_shape,
    supported_on,
    when,
)
from aclhost.spec.terms import DtypeOf, In, Not, ProductIn, all_of, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_SMALL = (INT8, UINT8, BOOL)


def _scan(self: Array, dim: int, *, largest: bool) -> tuple[Array, Array]:
    """Step by step: a later value that is as good counts, and NaN is better than any number."""
    import numpy as np

    rows = np.moveaxis(np.atleast_1d(self), dim, 0)
    values, places = rows.copy(), np.zeros(rows.shape, np.int64)
    for i in range(1, len(rows)):
        best, own = values[i - 1], rows[i]
        better = (own >= best) if largest else (own <= best)
        taken = better | np.not_equal(own, own)
        values[i] = np.where(taken, own, best)
        places[i] = np.where(taken, i, places[i - 1])
    shape = np.shape(self)
    back = (np.moveaxis(each, 0, dim).reshape(shape) for each in (values, places))
    first, second = back
    return first, second


def _call(
    self: TensorArg, dim: int, dtype: DataType | None = None, index: DataType = INT64
) -> Call:
    return Call({
        "self": self, "dim": dim, "valuesOut": TensorArg(self.shape, dtype or self.dtype),
        "indicesOut": TensorArg(self.shape, index),
    })  # fmt: skip


def _draw(rng: Random, *, scalars: bool) -> Call:
    shape = drawn_shape(rng)
    shape = shape if shape or scalars else (3,)
    rank = max(len(shape), 1)
    own = rng.choice((*REALS, BF16))
    span = (0, 9) if own not in (FLOAT, DOUBLE) else None
    tensor = TensorArg(shape, own, span=span)
    return _call(tensor, rng.randint(-rank, rank - 1), index=rng.choice((INT32, INT64)))


def _uncast_on_950() -> tuple[Rule, ...]:
    """There, upstream casts only what it has made wider before."""
    where = Condition(
        all_of(ProductIn((A950,)), Not(In(DtypeOf("self"), _SMALL))),
        f"the product is {A950} and self is not INT8, UINT8 or BOOL",
    )
    return when(where, inner(same_dtype("valuesOut", "self")))


def _checks(*, largest: bool) -> tuple[tuple[Step, ...], ...]:
    scalars = not largest  # only the minimum takes tensors without dimensions
    values = (*REALS, BF16_NEWER) if largest else (*REALS, BF16)
    return (
        not_null("self", "valuesOut", "indicesOut"),
        () if scalars else rank_at_least("self", 1),
        axis_in_rank("dim", "self", of_scalars=scalars),
        dtype_in("self", *values),
        dtype_in("valuesOut", *values),
        dtype_in("indicesOut", INT32, INT64),
        rank_at_most("self", 8),
        same_shape("valuesOut", "self"),
        same_shape("indicesOut", "self"),
        done_when_empty("self"),
        supported_on(A3, A2, T910) if largest else (),
        inside_storage("self"),
        () if largest else _uncast_on_950(),
    )


_SAMPLES = (
    _call(TensorArg((2, 3)), 1),
    _call(TensorArg((2, 3, 4), FLOAT16), -2, index=INT32),
    _call(TensorArg((3, 2), INT32), 0, DOUBLE),
    _call(TensorArg((3, 2), BOOL), 0),
    _call(TensorArg((3, 2), BF16), 1),
    _call(TensorArg((3, 0)), 0),
)
_MORE_SAMPLES = (  # of the minimum
    _call(TensorArg((), DOUBLE), -1),
    _call(TensorArg((2,)), 0).on(A950),
    _call(TensorArg((2,), INT8), 0, FLOAT).on(A950),
)


def _extreme(name: str, word: str, *, largest: bool) -> Operator:
    def golden(self: Array, dim: int) -> tuple[Array, Array]:
        return _scan(self, dim, largest=largest)

    def reference(torch: Any, self: Any, dim: int) -> Any:  # noqa: ANN401
        return tuple((torch.cummax if largest else torch.cummin)(self, dim))

    return Operator(
        name,
        summary=f"Running {word} along a dimension, and their places.",
        formula=f"`valuesOut[i]` is the {word} of `self[0]` to `self[i]` along dim, "
        "and `indicesOut[i]` its place",
        params=(
            SELF,
            Int("dim", "Dimension along which is compared."),
            TensorOut("valuesOut", f"The {word}.", like="self"),
            TensorOut("indicesOut", "Places along dim.", like="self", dtype=const(INT64)),
        ),
        checks=_checks(largest=largest),
        golden=golden,
        reference=reference,
        draw=lambda rng: _draw(rng, scalars=not largest),
        typical=lambda n: _call(TensorArg(matrix_shape(n)), 1),
        samples=_SAMPLES if largest else (*_SAMPLES, *_MORE_SAMPLES),
        notes=(
            "Of equal values the last one counts, and NaN before any number, as in torch.",
            "valuesOut may have another dtype, to which values are cast in the end.",
        ),
        source="src/aclhost/ops/scan/extremes.py",
    )


OPS = (
    _extreme("aclnnCummax", "maxima", largest=True),
    _extreme("aclnnCummin", "minima", largest=False),
)
