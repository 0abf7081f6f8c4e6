# SPDX-License-Identifier: Apache-2.0
"""Calls of the element-wise operators."""

from __future__ import annotations

from aclhost.bench import ufuncs
from aclhost.bench.workload import (
    BROADCAST,
    Array,
    Call,
    Workload,
    aten,
    line,
    new_array,
    tensor,
    written,
)

_SCALARS = (1.0, 1.0, 1.0)
_BETA = 1.0
_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def elu(variant: str, dtype: str, elements: int, layout: str) -> Workload:
    """Out of place; there is one variant."""
    x = line(elements, dtype, 0, layout)
    out = new_array(x.shape, dtype)
    return written(
        "elu",
        x,
        *_SCALARS,
        out=(out,),
        moved=x.nbytes + out.nbytes,
        peer=lambda: aten("elu", "out", tensor(x), *_SCALARS, out=tensor(out)),
        ufuncs=lambda: ufuncs.elu(x, out, _SCALARS),
    )


def inplace_elu(variant: str, dtype: str, elements: int, layout: str) -> Workload:
    """In place. Both sides work on one array, whose negative values approach 0 in time."""
    x = line(elements, dtype, 0, layout)
    return written(
        "inplace_elu",
        x,
        *_SCALARS,
        moved=2 * x.nbytes,
        peer=lambda: aten("elu_", "default", tensor(x), *_SCALARS),
        ufuncs=lambda: ufuncs.elu(x, x, _SCALARS),
    )


def elu_backward(variant: str, dtype: str, elements: int, layout: str) -> Workload:
    """Variant exp takes the forward's input, variant result its result."""
    is_result = variant == "result"
    grad, x = (line(elements, dtype, seed, layout) for seed in (0, 1))
    out = new_array(x.shape, dtype)
    return written(
        "elu_backward", grad, x, *_SCALARS, is_result, out=(out,),
        moved=grad.nbytes + x.nbytes + out.nbytes,
        peer=lambda: aten(
            "elu_backward", "grad_input", tensor(grad), *_SCALARS, is_result, tensor(x),
            grad_input=tensor(out),
        ),
        ufuncs=lambda: ufuncs.elu_backward(grad, x, out, _SCALARS, is_result),
    )  # fmt: skip


def smooth_l1_loss(variant: str, dtype: str, elements: int, layout: str) -> Workload:
    """The variant is the reduction."""
    x, target = _pair(dtype, elements, layout)
    out = new_array(x.shape if variant == "none" else (), dtype)
    return written(
        "smooth_l1_loss",
        x,
        target,
        variant,
        _BETA,
        out=(out,),
        moved=x.nbytes + target.nbytes + out.nbytes,
        peer=lambda: _torch_loss(x, target, variant, out),
        ufuncs=lambda: ufuncs.smooth_l1_loss(x, target, out, variant, _BETA),
    )


def _pair(dtype: str, elements: int, layout: str) -> tuple[Array, Array]:
    """What a loss compares; a target that is broadcast has one row."""
    x, target = (line(elements, dtype, seed, layout) for seed in (0, 1))
    return x, target[:1] if layout == BROADCAST else target


def _torch_loss(x: Array, target: Array, reduction: str, out: Array) -> Call:
    """With a reduction, torch's `out` overload fails on memory that it does not own."""
    arguments = (tensor(x), tensor(target), _REDUCTIONS[reduction], _BETA)
    if reduction == "none":
        return aten("smooth_l1_loss", "out", *arguments, out=tensor(out))
    return aten("smooth_l1_loss", "default", *arguments)


def smooth_l1_loss_backward(variant: str, dtype: str, elements: int, layout: str) -> Workload:
    """The variant is the reduction; where there is one, the gradient is a single number."""
    x, target = _pair(dtype, elements, layout)
    grad = line(elements, dtype, 2, layout) if variant == "none" else new_array((), dtype)
    out = new_array(x.shape, dtype)
    return written(
        "smooth_l1_loss_backward", grad, x, target, variant, _BETA, out=(out,),
        moved=sum(array.nbytes for array in (grad, x, target, out)),
        peer=lambda: aten(
            "smooth_l1_loss_backward", "grad_input", tensor(grad), tensor(x), tensor(target),
            _REDUCTIONS[variant], _BETA, grad_input=tensor(out),
        ),
        ufuncs=lambda: ufuncs.smooth_l1_loss_backward(grad, x, target, out, variant, _BETA),
    )  # fmt: skip
