# SPDX-License-Identifier: Apache-2.0
"""What a random tensor is made of: its shape, its place in memory, its values."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st
from support.values import numpy_dtype

from aclhost.spec.call import TensorArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.operator import Operator
from aclhost.spec.products import Product

SEEDS = st.integers(0, 2**32 - 1)
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0)


def rarely(draw: st.DrawFn) -> bool:
    """Once in eight; shrinks to no."""
    return draw(st.integers(0, 7)) == 7


def allowed_dtype(draw: st.DrawFn, op: Operator, product: Product, name: str) -> DataType:
    """One that the declaration lists for the parameter."""
    rule = op.dtype_rule(name)
    assert rule is not None
    return draw(st.sampled_from(rule.dtypes(product)))


@st.composite
def shapes(draw: st.DrawFn, max_rank: int = 8) -> tuple[int, ...]:
    """Any rank; seldom empty, and where there are few axes one of them may be long."""
    rank = draw(st.integers(0, max_rank))
    smallest = 0 if rarely(draw) else 1
    largest = 6 if rank <= 4 else 3
    shape = [draw(st.integers(smallest, largest)) for _ in range(rank)]
    if 1 <= rank <= 2 and draw(st.booleans()):
        shape[-1] = draw(st.integers(1, 1000))
    return tuple(shape)


def _random(kind: str, count: int, dtype: np.dtype[Any], rng: np.random.Generator) -> np.ndarray:
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        few = kind in ("ties", "special")
        low, high = (0, 2) if few else (info.min, info.max)
        return rng.integers(low, high, count, dtype, endpoint=True)
    smallest = float(ml_dtypes.finfo(dtype).smallest_subnormal)
    return {
        "normal": lambda: rng.normal(0, 2, count),
        "ties": lambda: rng.integers(-2, 3, count) / 2,
        "special": lambda: np.where(
            rng.random(count) < 0.3, rng.choice(SPECIAL, count), rng.normal(0, 2, count)
        ),
        "tiny": lambda: rng.normal(0, 8, count) * smallest,
        "any": lambda: np.frombuffer(rng.bytes(count * dtype.itemsize), dtype),
    }[kind]()


def values(
    draw: st.DrawFn, shape: tuple[int, ...], dtype: DataType, *, any_size: bool
) -> tuple[float, ...]:
    """Python numbers that the dtype holds exactly.

    any_size allows magnitudes up to the largest, for operators that only copy and compare: float32
    sums and products of those overflow where the float64 golden does not.
    """
    kinds = ["normal", "ties", "special", "tiny", *(["any"] if any_size else [])]
    kind, rng = draw(st.sampled_from(kinds)), np.random.default_rng(draw(SEEDS))
    target = numpy_dtype(dtype)
    with np.errstate(all="ignore"):
        array = _random(kind, int(np.prod(shape)), target, rng).astype(target)
    wide = array if target.kind in "iu" else array.astype(np.float64)
    return tuple(wide.tolist())


def placed(
    draw: st.DrawFn,
    shape: tuple[int, ...],
    dtype: DataType,
    given: tuple[float, ...] | None = None,
    *,
    written: bool = False,
    **fields: Any,
) -> TensorArg:
    """Dense, or with axes in any order, backwards, with gaps and, where it is only read, repeated."""
    dense = TensorArg(shape, dtype, given, **fields)
    if draw(st.integers(0, 2)) == 0:
        return dense
    ways = ["step", "back", "gap", *([] if written else ["repeat"])]
    strides, offset, step = [0] * len(shape), draw(st.integers(0, 3)), 1
    for axis in draw(st.permutations(range(len(shape)))):
        way = draw(st.sampled_from(ways))
        if way == "repeat":
            continue
        stride = step * (2 if way == "gap" else 1)
        step = stride * max(shape[axis], 1)
        if way == "back":
            offset += (shape[axis] - 1) * stride if shape[axis] else 0
        strides[axis] = -stride if way == "back" else stride
    return TensorArg(shape, dtype, given, tuple(strides), offset, **fields)


def random_input(
    draw: st.DrawFn,
    shape: tuple[int, ...],
    dtype: DataType,
    *,
    any_size: bool = False,
    **fields: Any,
) -> TensorArg:
    """A tensor that is read: random values, anywhere."""
    return placed(draw, shape, dtype, values(draw, shape, dtype, any_size=any_size), **fields)


def random_output(
    draw: st.DrawFn, shape: tuple[int, ...], dtype: DataType, **fields: Any
) -> TensorArg:
    """A tensor that is written, without elements that share memory."""
    return placed(draw, shape, dtype, written=True, **fields)
