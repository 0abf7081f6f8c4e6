# SPDX-License-Identifier: Apache-2.0
"""Random calls of the operators that write without reading."""

from __future__ import annotations

from hypothesis import strategies as st

from aclhost.spec.call import Call, ScalarArg
from aclhost.spec.dtypes import CAST_TARGETS, DOUBLE, FLOAT, Category, DataType
from aclhost.spec.operator import Operator
from campaign.tensors import allowed_dtype, placed, product, random_output, shapes

REAL = tuple(dtype for dtype in CAST_TARGETS if dtype.category is not Category.COMPLEX)
LENGTHS = st.integers(1, 1500)


def _eighths(draw: st.DrawFn, low: int, high: int) -> float:
    return draw(st.integers(8 * low, 8 * high)) / 8


def _sequence(draw: st.DrawFn, op: Operator) -> Call:
    """Numbers that every dtype but BF16 holds, so that the count is no matter of rounding."""
    empty, count = Call({}, product(draw, op)), draw(LENGTHS)
    dtype = allowed_dtype(draw, op, empty.product, "out")
    whole = dtype.category is Category.INTEGER
    start, step = (draw(st.integers(-99, 99)) / (1 if whole else 8) for _ in range(2))
    step = step or 1
    end = start + step * (count - (op.name == "aclnnRange"))
    return empty.passing(
        start=ScalarArg(start, draw(st.sampled_from([FLOAT, DOUBLE]))),
        end=ScalarArg(end, DOUBLE),
        step=ScalarArg(step, DOUBLE),
        out=random_output(draw, (count,), dtype),
    )


def _eye(draw: st.DrawFn, op: Operator) -> Call:
    empty = Call({}, product(draw, op))
    shape = (draw(st.integers(0, 40)), draw(st.integers(0, 40)))
    dtype = allowed_dtype(draw, op, empty.product, "out")
    return empty.passing(n=shape[0], m=shape[1], out=random_output(draw, shape, dtype))


def _linspace(draw: st.DrawFn, op: Operator) -> Call:
    """Both ends are positive: next to 0, the errors of larger numbers would show."""
    empty = Call({}, product(draw, op))
    dtype = allowed_dtype(draw, op, empty.product, "out")
    if dtype.category is Category.INTEGER:  # steps that float holds
        steps, start = draw(st.integers(1, 12)), float(draw(st.integers(56, 70)))
        end = start + draw(st.integers(-5, 5)) * (steps - 1)
    else:
        steps, start, end = draw(LENGTHS), _eighths(draw, 1, 30), _eighths(draw, 1, 30)
    return empty.passing(
        start=ScalarArg(start),
        end=ScalarArg(end, DOUBLE),
        steps=steps,
        out=random_output(draw, (steps,), dtype),
    )


def _log_space(draw: st.DrawFn, op: Operator) -> Call:
    empty, steps = Call({}, product(draw, op)), draw(LENGTHS)
    dtype = allowed_dtype(draw, op, empty.product, "result")
    return empty.passing(
        start=ScalarArg(_eighths(draw, -2, 2)),
        end=ScalarArg(_eighths(draw, -2, 2), DOUBLE),
        steps=steps,
        base=draw(st.sampled_from([10.0, 2.0, 0.5])),
        result=random_output(draw, (steps,), dtype),
    )


def _overwritten(draw: st.DrawFn, op: Operator) -> Call:
    empty = Call({}, product(draw, op))
    rule = op.dtype_rule("selfRef")
    assert rule is not None
    allowed = [dtype for dtype in rule.dtypes(empty.product) or () if dtype in REAL]
    dtype: DataType = draw(st.sampled_from(allowed))
    call = empty.passing(selfRef=placed(draw, shapes(draw), dtype, written=True))
    if op.name != "aclnnInplaceFillScalar":
        return call
    if dtype.name in ("UINT16", "UINT32", "UINT64"):
        return call.passing(value=ScalarArg(draw(st.integers(0, 2**16 - 1)), dtype))
    return call.passing(value=ScalarArg(_eighths(draw, 0, 15)))


CALLS = {
    "arange": _sequence,
    "eye": _eye,
    "inplace_fill_scalar": _overwritten,
    "inplace_one": _overwritten,
    "inplace_zero": _overwritten,
    "linspace": _linspace,
    "log_space": _log_space,
    "range": _sequence,
}
