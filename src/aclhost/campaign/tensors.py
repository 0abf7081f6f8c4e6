# SPDX-License-Identifier: Apache-2.0
"""What a random tensor is made of: its shape, its place in memory, its values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from aclhost.arrays import NDArray, finfo, numpy_dtype
from aclhost.spec.call import TensorArg
from aclhost.spec.dtypes import DataType
from aclhost.spec.operator import Operator
from aclhost.spec.products import DEFAULT, Product

SEEDS = st.integers(0, 2**32 - 1)
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0)

# Kinds of values. Products of subnormal numbers vanish in float32 on the way to a result that the
# float64 golden sees, and sums and products of the largest overflow: these are for operators that
# can do neither.
ORDINARY = ("normal", "ties", "special", "small")
SUBNORMAL = (*ORDINARY, "tiny")
ALL = (*SUBNORMAL, "any")


def rarely(draw: st.DrawFn) -> bool:
    """Once in eight; shrinks to no."""
    return draw(st.integers(0, 7)) == 7


def product(draw: st.DrawFn, op: Operator) -> Product:
    """One that has the operator; shrinks to the default."""
    return draw(st.sampled_from(sorted(op.products, key=lambda each: each is not DEFAULT)))


def allowed_dtype(draw: st.DrawFn, op: Operator, on: Product, name: str) -> DataType:
    """One that the declaration lists for the parameter."""
    rule = op.dtype_rule(name)
    dtypes = None if rule is None else rule.dtypes(on)
    assert dtypes is not None
    return draw(st.sampled_from(dtypes))


def shapes(draw: st.DrawFn, max_rank: int = 8) -> tuple[int, ...]:
    """Any rank; seldom empty, and where there are few axes one of them may be long."""
    rank = draw(st.integers(0, max_rank))
    smallest = 0 if rarely(draw) else 1
    largest = 6 if rank <= 4 else 3
    shape = [draw(st.integers(smallest, largest)) for _ in range(rank)]
    if 1 <= rank <= 2 and draw(st.booleans()):
        shape[-1] = draw(st.integers(1, 1000))
    return tuple(shape)


def broadcasting(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts to the given one: often the same."""
    if draw(st.booleans()):
        return shape
    ones = [draw(st.booleans()) for _ in shape]
    kept = [1 if one else size for one, size in zip(ones, shape, strict=True)]
    return tuple(kept[draw(st.integers(0, len(shape))) :])


def _random(kind: str, count: int, dtype: np.dtype[Any], rng: np.random.Generator) -> NDArray:
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        few = kind in ("ties", "special")
        low, high = (0, 2) if few else (limits.min, limits.max)
        return rng.integers(low, high, count, dtype, endpoint=True)
    info = finfo(dtype)
    made: dict[str, Callable[[], NDArray]] = {
        "normal": lambda: rng.normal(0, 2, count),
        "ties": lambda: rng.integers(-2, 3, count) / 2,
        "special": lambda: np.where(
            rng.random(count) < 0.3, rng.choice(SPECIAL, count), rng.normal(0, 2, count)
        ),
        "small": lambda: rng.normal(0, 8, count) * 4096 * float(info.tiny),
        "tiny": lambda: rng.normal(0, 8, count) * float(info.smallest_subnormal),
        "any": lambda: np.frombuffer(rng.bytes(count * dtype.itemsize), dtype),
    }
    return made[kind]()


def values(
    draw: st.DrawFn, shape: tuple[int, ...], dtype: DataType, kinds: tuple[str, ...] = SUBNORMAL
) -> tuple[float, ...]:
    """Python numbers that the dtype holds exactly."""
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
    """Dense, or with axes in any order, backwards, with gaps; repeated if it is only read."""
    dense = TensorArg(shape, dtype, given, **fields)
    if draw(st.integers(0, 2)) == 0 or 0 in shape:
        return dense
    ways = ["step", "back", "gap", *([] if written else ["repeat"])]
    strides, offset, step = [0] * len(shape), draw(st.integers(0, 3)), 1
    for axis in draw(st.permutations(range(len(shape)))):
        way = draw(st.sampled_from(ways))
        if way == "repeat":
            continue
        stride = step * (2 if way == "gap" else 1)
        step = stride * shape[axis]
        if way == "back":
            offset += (shape[axis] - 1) * stride
        strides[axis] = -stride if way == "back" else stride
    return TensorArg(shape, dtype, given, tuple(strides), offset, **fields)


def random_input(
    draw: st.DrawFn,
    shape: tuple[int, ...],
    dtype: DataType,
    kinds: tuple[str, ...] = SUBNORMAL,
    **fields: Any,
) -> TensorArg:
    """A tensor that is read: random values, anywhere."""
    return placed(draw, shape, dtype, values(draw, shape, dtype, kinds), **fields)


def random_output(
    draw: st.DrawFn, shape: tuple[int, ...], dtype: DataType, **fields: Any
) -> TensorArg:
    """A tensor that is written, without elements that share memory."""
    return placed(draw, shape, dtype, written=True, **fields)
