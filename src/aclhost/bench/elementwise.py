# SPDX-License-Identifier: Apache-2.0
"""Calls of the element-wise operators."""

from __future__ import annotations

import aclhost
from aclhost.bench import ufuncs
from aclhost.bench.workload import (
    Array,
    Call,
    Workload,
    aten,
    line,
    new_array,
    tensor,
    written_out,
)

_SCALARS = (1.0, 1.0, 1.0)
_BETA = 1.0
_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def elu(variant: str, dtype: str, elements: int, strided: bool) -> Workload:
    """Out of place; there is one variant."""
    x = line(elements, dtype, 0, strided)
    out = new_array(x.shape, dtype)
    return Workload(
        written_out(aclhost.elu, x, *_SCALARS, out=out),
        x.nbytes + out.nbytes,
        lambda: aten("elu", "out", tensor(x), *_SCALARS, out=tensor(out)),
        lambda: ufuncs.elu(x, out, _SCALARS),
    )


def inplace_elu(variant: str, dtype: str, elements: int, strided: bool) -> Workload:
    """In place. Both sides work on one array, whose negative values approach 0 in time."""
    x = line(elements, dtype, 0, strided)
    return Workload(
        written_out(aclhost.inplace_elu, x, *_SCALARS),
        2 * x.nbytes,
        lambda: aten("elu_", "default", tensor(x), *_SCALARS),
        lambda: ufuncs.elu(x, x, _SCALARS),
    )


def elu_backward(variant: str, dtype: str, elements: int, strided: bool) -> Workload:
    """Variant exp takes the forward's input, variant result its result."""
    is_result = variant == "result"
    grad, x = (line(elements, dtype, seed, strided) for seed in (0, 1))
    out = new_array(x.shape, dtype)
    return Workload(
        written_out(aclhost.elu_backward, grad, x, *_SCALARS, is_result, out=out),
        grad.nbytes + x.nbytes + out.nbytes,
        lambda: aten(
            "elu_backward", "grad_input", tensor(grad), *_SCALARS, is_result, tensor(x),
            grad_input=tensor(out),
        ),
        lambda: ufuncs.elu_backward(grad, x, out, _SCALARS, is_result),
    )  # fmt: skip


def smooth_l1_loss(variant: str, dtype: str, elements: int, strided: bool) -> Workload:
    """The variant is the reduction."""
    x, target = (line(elements, dtype, seed, strided) for seed in (0, 1))
    out = new_array(x.shape if variant == "none" else (), dtype)
    return Workload(
        written_out(aclhost.smooth_l1_loss, x, target, variant, _BETA, out=out),
        x.nbytes + target.nbytes + out.nbytes,
        lambda: _torch_loss(x, target, variant, out),
        lambda: ufuncs.smooth_l1_loss(x, target, out, variant, _BETA),
    )


def _torch_loss(x: Array, target: Array, reduction: str, out: Array) -> Call:
    """With a reduction, torch's `out` overload fails on memory that it does not own."""
    arguments = (tensor(x), tensor(target), _REDUCTIONS[reduction], _BETA)
    if reduction == "none":
        return aten("smooth_l1_loss", "out", *arguments, out=tensor(out))
    return aten("smooth_l1_loss", "default", *arguments)


def smooth_l1_loss_backward(variant: str, dtype: str, elements: int, strided: bool) -> Workload:
    """The variant is the reduction; where there is one, the gradient is a single number."""
    x, target = (line(elements, dtype, seed, strided) for seed in (0, 1))
    grad = line(elements, dtype, 2, strided) if variant == "none" else new_array((), dtype)
    out = new_array(x.shape, dtype)
    return Workload(
        written_out(aclhost.smooth_l1_loss_backward, grad, x, target, variant, _BETA, out=out),
        sum(array.nbytes for array in (grad, x, target, out)),
        lambda: aten(
            "smooth_l1_loss_backward", "grad_input", tensor(grad), tensor(x), tensor(target),
            _REDUCTIONS[variant], _BETA, grad_input=tensor(out),
        ),
        lambda: ufuncs.smooth_l1_loss_backward(grad, x, target, out, variant, _BETA),
    )  # fmt: skip
