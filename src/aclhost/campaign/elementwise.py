# SPDX-License-Identifier: Apache-2.0
"""Random calls of the operators that work element by element."""

from __future__ import annotations

from math import inf, nan

import numpy as np
from hypothesis import strategies as st

from aclhost.campaign.tensors import (
    ORDINARY,
    SUBNORMAL,
    allowed_dtype,
    broadcasting,
    placed,
    product,
    random_input,
    random_output,
    rarely,
    shapes,
    values,
)
from aclhost.spec.call import Call, ScalarArg
from aclhost.spec.dtypes import (
    BF16,
    CAST_TARGETS,
    COMPLEX64,
    COMPLEX128,
    DOUBLE,
    FLOAT,
    FLOAT16,
    INT64,
    Category,
    DataType,
)
from aclhost.spec.operator import Operator

WIDER = (FLOAT, FLOAT16, BF16, DOUBLE, COMPLEX64, COMPLEX128)
assert set(WIDER) == {
    d for d in CAST_TARGETS if d.category in (Category.FLOATING, Category.COMPLEX)
}


def _scalar(
    draw: st.DrawFn, *, lowest: int = -32, highest: int = 32, finite: bool = True
) -> ScalarArg:
    """Eighths, which every floating dtype holds and whose products are exact, or Inf and NaN."""
    if not finite and rarely(draw):
        return ScalarArg(draw(st.sampled_from([inf, -inf, nan])))
    if rarely(draw):
        return ScalarArg(draw(st.integers(lowest // 8, highest // 8)), INT64)
    eighths = draw(st.integers(lowest, highest)) / 8
    return ScalarArg(eighths, draw(st.sampled_from([FLOAT, DOUBLE, FLOAT16, BF16])))


def _input_scale(draw: st.DrawFn, *, finite: bool = True) -> ScalarArg:
    """Not too large: the exponential turns a rounded argument of 32 into an error of 16 ulps."""
    return _scalar(draw, lowest=-16, highest=16, finite=finite)


def _kinds(dtype: DataType) -> tuple[str, ...]:
    """Those whose products float32 holds; it has room to spare for 16-bit values."""
    return SUBNORMAL if dtype.bits == 16 else ORDINARY


def _result_dtype(draw: st.DrawFn, computed: DataType) -> DataType:
    return draw(st.sampled_from(WIDER)) if rarely(draw) else computed


def elu(draw: st.DrawFn, op: Operator) -> Call:
    empty = Call({}, product(draw, op))
    shape, dtype = shapes(draw), allowed_dtype(draw, op, empty.product, op.tensors[0].name)
    scalars = {
        "alpha": _scalar(draw, finite=False),
        "scale": _scalar(draw, finite=False),
        "inputScale": _input_scale(draw, finite=False),
    }
    if not op.outputs:
        given = values(draw, shape, dtype, _kinds(dtype))
        return empty.passing(selfRef=placed(draw, shape, dtype, given, written=True), **scalars)
    return empty.passing(
        self=random_input(draw, shape, dtype, _kinds(dtype)),
        **scalars,
        out=random_output(draw, shape, _result_dtype(draw, dtype)),
    )


def elu_backward(draw: st.DrawFn, op: Operator) -> Call:
    empty = Call({}, product(draw, op))
    shape, dtype = shapes(draw), allowed_dtype(draw, op, empty.product, "gradOutput")
    is_result = draw(st.booleans())
    return empty.passing(
        gradOutput=random_input(draw, shape, dtype, _kinds(dtype)),
        alpha=_scalar(draw, lowest=0 if is_result else -32),
        scale=_scalar(draw),
        inputScale=_input_scale(draw),
        isResult=is_result,
        selfOrResult=random_input(draw, shape, dtype),
        gradInput=random_output(draw, shape, _result_dtype(draw, dtype)),
    )


BETAS = st.sampled_from([1.0, 0.0, 0.75, 0.1, 2.5, 1e-3])


def smooth_l1_loss(draw: st.DrawFn, op: Operator) -> Call:
    empty = Call({}, product(draw, op))
    shape = shapes(draw)
    dtypes = [allowed_dtype(draw, op, empty.product, name) for name in ("self", "target")]
    inputs = [random_input(draw, broadcasting(draw, shape), dtype) for dtype in dtypes]
    reduction = draw(st.integers(0, 2))
    one = draw(st.sampled_from([(), (1,), (1, 1)]))
    wanted = one if reduction else np.broadcast_shapes(*(each.shape for each in inputs))
    return empty.passing(
        self=inputs[0],
        target=inputs[1],
        reduction=reduction,
        beta=draw(BETAS),
        result=random_output(draw, wanted, _result_dtype(draw, dtypes[0])),
    )


def smooth_l1_loss_backward(draw: st.DrawFn, op: Operator) -> Call:
    empty = Call({}, product(draw, op))
    shape = shapes(draw)
    names = ("gradOut", "self", "target")
    inputs = {
        name: random_input(
            draw, broadcasting(draw, shape), allowed_dtype(draw, op, empty.product, name)
        )
        for name in names
    }
    wanted = np.broadcast_shapes(*(each.shape for each in inputs.values()))
    return empty.passing(
        **inputs,
        reduction=draw(st.integers(0, 2)),
        beta=draw(BETAS),
        gradInput=random_output(draw, wanted, allowed_dtype(draw, op, empty.product, "gradInput")),
    )
