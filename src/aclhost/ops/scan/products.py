# SPDX-License-Identifier: Apache-2.0
"""Running products along a dimension."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from aclhost.ops.reduction.build import as_dtype, drawn_shape, is_exact
from aclhost.spec.call import Call, ScalarArg, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import (
    BF16,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    UNDEFINED,
    DataType,
)
from aclhost.spec.operator import Operator
from aclhost.spec.params import Dtype, Parameter, Scalar, TensorIn, TensorInOut, TensorOut
from aclhost.spec.products import A2, A3
from aclhost.spec.rules import (
    Rule,
    done_when_empty,
    dtype_in,
    dtype_is,
    inside_storage,
    not_null,
    requires,
    same_shape,
    supported_on,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.terms import (
    AtMost,
    Const,
    DtypeOf,
    Equal,
    If,
    RankOf,
    ScalarInteger,
    Sum,
    Times,
    ValueOf,
    all_of,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_FLOATS = (FLOAT, FLOAT16, BF16, DOUBLE)
_INTEGERS = (INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64)
_ALL = (*_FLOATS, *_INTEGERS)
_DIM = Scalar("dim", "Dimension along which is multiplied.")
_NAMED = ValueOf("dtype")
_OWN = DtypeOf("out")


def _cumprod(input: Array, dim: float, dtype: Any) -> Array:  # noqa: ANN401
    import numpy as np

    values = np.atleast_1d(as_dtype(input, dtype))
    return np.cumprod(values, axis=int(dim)).reshape(input.shape)


def _own_cumprod(input: Array, dim: float) -> Array:
    import numpy as np

    return np.cumprod(np.atleast_1d(input), axis=int(dim)).reshape(np.shape(input))


def _torch(torch: Any, input: Any, dim: float, dtype: Any = None) -> Any:  # noqa: ANN401
    if dtype is not None and not dtype.is_floating_point:
        return NotImplemented
    return (input if dtype is None else input.to(dtype).double()).cumprod(int(dim))


def _axis() -> tuple[Rule, ...]:
    """As for integers; a tensor without dimensions counts as one with a single one."""
    axis, own = ScalarInteger("dim"), RankOf("input")
    rank = If(own, own, Const(1))
    return requires(
        "axis_in_rank",
        "dim",
        all_of(AtMost(Times(rank, Const(-1)), axis), AtMost(Sum(axis, Const(1)), rank)),
        "dim must be a dimension of input, from -rank to rank - 1",
        (Shown("integer", axis), " for rank ", Shown("integer", own)),
        "Pass -1 for the last dimension.",
    )


def _call(tensor: TensorArg, dim: int, dtype: DataType, kind: DataType = INT64) -> Call:
    out = TensorArg(tensor.shape, dtype)
    return Call({"input": tensor, "dim": ScalarArg(dim, kind), "dtype": dtype, "out": out})


def _own_call(tensor: TensorArg, dim: int, kind: DataType = INT64) -> Call:
    return Call({"input": tensor, "dim": ScalarArg(dim, kind)})


def _tensor(shape: tuple[int, ...], dtype: DataType) -> TensorArg:
    """Numbers whose products stay in range."""
    return TensorArg(shape, dtype, span=(1, 4) if is_exact(dtype) else (-1.2, 1.2))


def _draw(rng: Random) -> Call:
    shape, own = drawn_shape(rng), rng.choice(_ALL)
    rank = max(len(shape), 1)
    dtype = rng.choice(_INTEGERS if is_exact(own) else _FLOATS)
    kind = rng.choice((INT32, INT64))
    return _call(_tensor(shape, own), rng.randint(-rank, rank - 1), dtype, kind)


def _draw_own(rng: Random) -> Call:
    call = _draw(rng)
    dtype = rng.choice((*_FLOATS, INT64))
    shape = call.shape("input")
    return Call({"input": _tensor(shape, dtype), "dim": call.arguments["dim"]})


_FORWARD: tuple[Parameter, ...] = (
    TensorIn("input", "Input."),
    _DIM,
    Dtype("dtype", "What input is cast to first; UNDEFINED means out's.", default=FLOAT),
    TensorOut("out", "Result.", like="input", dtype=ValueOf("dtype"), is_const=False),
)

_CUMPROD = Operator(
    "aclnnCumprod",
    summary="Running products along a dimension.",
    formula="`out[i] = input[0] * ... * input[i]` along dim",
    params=_FORWARD,
    checks=(
        not_null("input", "dim", "out"),
        dtype_in("input", *_ALL),
        dtype_in("out", *_ALL),
        dtype_in("dim", INT32, INT64),
        _axis(),
        same_shape("out", "input"),
        dtype_is(
            "out",
            If(Equal(_NAMED, const(UNDEFINED)), _OWN, _NAMED),
            "the dtype that dtype names",
        ),
        done_when_empty("input"),
        supported_on(A3, A2),
        inside_storage("input"),
    ),
    golden=_cumprod,
    reference=_torch,
    ulps=4,
    draw=_draw,
    typical=lambda n: _call(TensorArg(matrix_shape(n), span=(0.5, 1.5)), 1, FLOAT),
    samples=(
        _call(_tensor((2, 3), FLOAT), 1, FLOAT),
        _call(_tensor((2, 3, 4), FLOAT16), -2, FLOAT16, INT32),
        _call(_tensor((3, 2), INT32), 0, INT64),
        _call(_tensor((3, 2), UINT16), 0, UINT64),
        _call(_tensor((), DOUBLE), -1, DOUBLE),
        _call(_tensor((2, 3), INT8), 1, FLOAT),
        _call(_tensor((0, 3), FLOAT), 1, FLOAT),
    ),
    notes=(
        "Integers wrap; floating products are computed in double and rounded once.",
        "Where out has another dtype than dtype names, upstream returns 0 without an executor.",
    ),
)

_INPLACE = replace(
    _CUMPROD,
    name="aclnnInplaceCumprod",
    params=(TensorInOut("input", "Input and result."), _DIM),
    checks=(
        not_null("input", "dim"),
        dtype_in("input", *_ALL),
        dtype_in("dim", INT32, INT64),
        _axis(),
        done_when_empty("input"),
        supported_on(A3, A2),
        inside_storage("input"),
    ),
    formula="`input[i] = input[0] * ... * input[i]` along dim",
    golden=_own_cumprod,
    draw=_draw_own,
    typical=lambda n: _own_call(TensorArg(matrix_shape(n), span=(0.5, 1.5)), 1),
    samples=(
        _own_call(_tensor((2, 3), FLOAT), 1),
        _own_call(_tensor((2, 3, 4), BF16), -2, INT32),
        _own_call(_tensor((3, 2), INT64), 0),
        _own_call(_tensor((), DOUBLE), 0),
    ),
    notes=_CUMPROD.notes[:1],
)

OPS = (_CUMPROD, _INPLACE)
