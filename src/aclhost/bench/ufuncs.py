# SPDX-License-Identifier: Apache-2.0
"""The element-wise operators as NumPy users write them: the goldens' expressions, ufunc by ufunc.

Every step writes to an array that exists already, so that NumPy pays for arithmetic only. Scalars
have the arrays' dtype, so that nothing is computed in another one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from aclhost.bench.workload import Call

Numbers = npt.NDArray[Any]  # ml_dtypes' bfloat16 included


def _same_dtype(array: Numbers, *values: float) -> tuple[Any, ...]:
    return tuple(array.dtype.type(value) for value in values)


def _mask(array: Numbers) -> npt.NDArray[np.bool_]:
    return np.zeros(array.shape, np.bool_)


def elu(x: Numbers, out: Numbers, scalars: tuple[float, float, float]) -> Call:
    """The negative part everywhere, then x where it is positive. `out` may be x itself."""
    alpha, scale, input_scale, zero = _same_dtype(x, *scalars, 0)
    positive, spare = _mask(x), np.zeros_like(x)

    def call() -> Numbers:
        np.greater(x, zero, out=positive)
        np.multiply(x, input_scale, out=spare)
        np.expm1(spare, out=spare)
        np.multiply(spare, alpha, out=spare)
        np.copyto(spare, x, where=positive)
        np.multiply(spare, scale, out=out)
        return out

    return call


def elu_backward(
    grad: Numbers, x: Numbers, out: Numbers, scalars: tuple[float, float, float], is_result: bool
) -> Call:
    """The negative side everywhere, then the gradient where x is positive."""
    alpha, scale, input_scale = scalars
    k, scale, input_scale, zero = _same_dtype(x, alpha * scale, scale, input_scale, 0)
    positive, spare = _mask(x), np.zeros_like(x)

    def call() -> Numbers:
        np.greater(x, zero, out=positive)
        if is_result:
            np.add(x, k, out=out)
        else:
            np.multiply(x, input_scale, out=out)
            np.exp(out, out=out)
            np.multiply(out, k, out=out)
        np.multiply(out, input_scale, out=out)
        np.multiply(out, grad, out=out)
        np.multiply(grad, scale, out=spare)
        np.copyto(out, spare, where=positive)
        return out

    return call


def smooth_l1_loss(x: Numbers, target: Numbers, out: Numbers, reduction: str, beta: float) -> Call:
    """Both sides of beta, then a choice; then the mean or the sum."""
    beta, half_beta, half_of_inverse = _same_dtype(x, beta, beta / 2, 0.5 / beta)
    near, distance, loss = _mask(x), np.zeros_like(x), np.zeros_like(x)
    losses = out if reduction == "none" else loss

    def call() -> Numbers:
        np.subtract(x, target, out=distance)
        np.absolute(distance, out=distance)
        np.less(distance, beta, out=near)
        np.subtract(distance, half_beta, out=losses)
        np.multiply(distance, distance, out=distance)
        np.multiply(distance, half_of_inverse, out=distance)
        np.copyto(losses, distance, where=near)
        if reduction != "none":
            total = np.sum(losses, dtype=np.float32)  # in half precision it would be useless
            with np.errstate(over="ignore"):  # of large arrays, it is infinite in half precision
                out[...] = total / losses.size if reduction == "mean" else total
        return out

    return call


def smooth_l1_loss_backward(
    grad: Numbers, x: Numbers, target: Numbers, out: Numbers, reduction: str, beta: float
) -> Call:
    """The slope is the scaled distance, kept between -1 and 1."""
    norm = 1 / x.size if reduction == "mean" else 1.0
    inverse, one, minus_one, norm = _same_dtype(x, 1 / beta, 1, -1, norm)

    def call() -> Numbers:
        np.subtract(x, target, out=out)
        np.multiply(out, inverse, out=out)
        np.minimum(out, one, out=out)
        np.maximum(out, minus_one, out=out)
        np.multiply(out, grad, out=out)
        if reduction == "mean":
            np.multiply(out, norm, out=out)
        return out

    return call
