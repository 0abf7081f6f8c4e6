# SPDX-License-Identifier: Apache-2.0
"""Softmax along a dimension, its logarithm, and the gradients of both."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from aclhost.ops.reduction.build import BF16_NEWER, SELF, SUPPORTED, drawn_shape
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.draw import matrix_shape
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator, Reference
from aclhost.spec.params import Int, TensorIn, TensorOut
from aclhost.spec.products import A950
from aclhost.spec.rules import (
    Step,
    axis_in_rank,
    cast_exists,
    done_when_empty,
    dtype_in,
    inside_storage,
    not_null,
    on_products,
    rank_at_most,
    same_dtype,
    same_shape,
)
from aclhost.spec.terms import DtypeOf

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

Golden: TypeAlias = Callable[..., Any]

_FLOATS = (FLOAT, FLOAT16, BF16)
_DTYPES = (FLOAT, FLOAT16, DOUBLE, BF16_NEWER)
_DIM = Int("dim", "Dimension along which results add up to 1.", default=-1)
_DIM_IN_RANK = axis_in_rank("dim", "self", of_scalars=True)
_SUMS = "Sums are added in double, in an order that follows from the shape."


def softmax(self: Array, dim: int) -> Array:
    """Powers divided by their sum."""
    import numpy as np

    x = np.atleast_1d(self)
    powers = np.exp(x - x.max(dim, keepdims=True, initial=-np.inf))
    return np.asarray(powers / powers.sum(dim, keepdims=True)).reshape(self.shape)


def log_softmax(self: Array, dim: int) -> Array:
    """What is left of each value after the logarithm of the sum of powers."""
    import numpy as np

    x = np.atleast_1d(self)
    shifted = x - x.max(dim, keepdims=True, initial=-np.inf)
    logs = shifted - np.log(np.exp(shifted).sum(dim, keepdims=True))
    return np.asarray(logs).reshape(self.shape)


def softmax_backward(grad_output: Array, output: Array, dim: int) -> Array:
    """What the weighted mean takes away is the same for all."""
    import numpy as np

    gradient, y = np.atleast_1d(grad_output), np.atleast_1d(output)
    result = y * (gradient - (gradient * y).sum(dim, keepdims=True))
    return np.asarray(result).reshape(output.shape)


def log_softmax_backward(grad_output: Array, output: Array, dim: int) -> Array:
    """A share of the sum is taken away."""
    import numpy as np

    gradient, y = np.atleast_1d(grad_output), np.atleast_1d(output)
    result = gradient - np.exp(y) * gradient.sum(dim, keepdims=True)
    return np.asarray(result).reshape(output.shape)


def _softmax_terms(grad_output: Array, output: Array, dim: int) -> Array:
    """As large as what is subtracted."""
    return 2 * output * grad_output - softmax_backward(grad_output, output, dim)


def _log_softmax_terms(grad_output: Array, output: Array, dim: int) -> Array:
    return 2 * grad_output - log_softmax_backward(grad_output, output, dim)


def _forward_call(self: TensorArg, dim: int, out: DataType | None = None) -> Call:
    return Call({"self": self, "dim": dim, "out": TensorArg(self.shape, out or self.dtype)})


def _backward_call(
    shape: tuple[int, ...], dim: int, dtype: DataType, span: tuple[float, float],
    out: DataType | None = None,
) -> Call:  # fmt: skip
    return Call(
        {
            "gradOutput": TensorArg(shape, dtype),
            "output": TensorArg(shape, dtype, span=span),
            "dim": dim,
            "out": TensorArg(shape, out or dtype),
        }
    )


def _shape_and_dim(rng: Random) -> tuple[tuple[int, ...], int]:
    shape = drawn_shape(rng)
    rank = max(len(shape), 1)
    return shape, rng.randint(-rank, rank - 1)


def _forward(
    name: str, summary: str, formula: str, golden: Golden, checks: tuple[tuple[Step, ...], ...],
    cast: tuple[DataType, DataType], note: str, ulps_from: float = 0.0,
) -> Operator:  # fmt: skip
    """`cast` is an input and another dtype of the output that agree with the golden."""

    def draw(rng: Random) -> Call:
        shape, dim = _shape_and_dim(rng)
        self, out = rng.choice((cast, *((dtype, dtype) for dtype in (*_FLOATS, DOUBLE))))
        return _forward_call(TensorArg(shape, self), dim, out)

    return Operator(
        name, summary, formula,
        params=(SELF, _DIM, TensorOut("out", "Result.", like="self")),
        checks=checks,
        golden=golden,
        reference=lambda torch, self, dim: getattr(torch, golden.__name__)(self, dim),
        ulps=16,
        ulps_from=ulps_from,
        draw=draw,
        typical=lambda n: _forward_call(TensorArg(matrix_shape(n)), -1),
        samples=(
            _forward_call(TensorArg((2, 3)), 1),
            _forward_call(TensorArg((2, 3, 4), FLOAT16), -2),
            _forward_call(TensorArg((3, 2), BF16), 0),
            _forward_call(TensorArg((), DOUBLE), -1),
        ),
        notes=(note, _SUMS),
    )  # fmt: skip


def _backward(
    name: str, forward: str, summary: str, formula: str, golden: Golden, terms: Golden,
    checks: tuple[tuple[Step, ...], ...], span: tuple[float, float], reference: Reference,
) -> Operator:  # fmt: skip
    return Operator(
        name, summary, formula,
        params=(
            TensorIn("gradOutput", "Gradient of the result."),
            TensorIn("output", "The forward's result."),
            _DIM,
            TensorOut("out", "Gradient of the input.", like="gradOutput"),
        ),
        checks=(
            *checks,
            done_when_empty("gradOutput"),
            SUPPORTED,
            inside_storage("gradOutput", "output"),
            cast_exists("out", DtypeOf("gradOutput")),
        ),
        golden=golden,
        terms=terms,
        summed=("gradOutput",),
        reference=reference,
        ulps=8,
        gradient=Gradient(forward, {"out": "self"}, {"gradOutput": "out"}, saved={"output": "out"}),
        draw=lambda rng: _backward_call(*_shape_and_dim(rng), rng.choice(_FLOATS), span),
        typical=lambda n: _backward_call(matrix_shape(n), -1, FLOAT, span),
        samples=(
            _backward_call((2, 3), 1, FLOAT, span),
            _backward_call((2, 3, 4), -2, FLOAT16, span),
            _backward_call((3, 2), 0, BF16, span),
            _backward_call((), 0, FLOAT, span),
            _backward_call((4, 3), 0, FLOAT, span, DOUBLE),
        ),
        notes=("The result is rounded to the inputs' dtype, then cast to out's.", _SUMS),
    )  # fmt: skip


_GRADIENTS_EMPTY = done_when_empty("gradOutput", "output", unless=on_products(A950))
_AXIS_OF_GRADIENT = axis_in_rank("dim", "gradOutput", of_scalars=True)

OPS = (
    _forward(
        "aclnnSoftmax", "Powers of e along a dimension, divided by their sum.",
        "`out = exp(self - max(self)) / sum(exp(self - max(self)))` along dim",
        softmax,
        (
            not_null("self", "out"), done_when_empty("self"), dtype_in("self", *_DTYPES),
            dtype_in("out", *_DTYPES), _DIM_IN_RANK, rank_at_most("self", 8),
            same_shape("out", "self"), inside_storage("self"),
        ),
        (FLOAT, FLOAT16), "The result is rounded to self's dtype, then cast to out's.",
    ),
    _forward(
        "aclnnLogSoftmax", "The logarithm of the softmax along a dimension.",
        "`out = self - max(self) - log(sum(exp(self - max(self))))` along dim",
        log_softmax,
        (
            not_null("self", "out"), _DIM_IN_RANK, dtype_in("self", *_DTYPES),
            dtype_in("out", *_DTYPES), rank_at_most("self", 8), rank_at_most("out", 8),
            same_shape("out", "self"), done_when_empty("self"), SUPPORTED, inside_storage("self"),
        ),
        (FLOAT16, FLOAT), "self is cast to out's dtype first.",
        ulps_from=0.5,  # of DOUBLE, the logarithm of a sum that is almost 1
    ),
    _backward(
        "aclnnSoftmaxBackward", "aclnnSoftmax", "Gradient of the softmax.",
        "`out = output * (gradOutput - sum(gradOutput * output))` along dim",
        softmax_backward, _softmax_terms,
        (
            not_null("gradOutput", "output", "out"), _GRADIENTS_EMPTY,
            dtype_in("gradOutput", FLOAT, FLOAT16, BF16_NEWER), dtype_in("output", *_FLOATS),
            same_dtype("output", "gradOutput"), _AXIS_OF_GRADIENT, rank_at_most("gradOutput", 8),
            same_shape("output", "gradOutput"), same_shape("out", "gradOutput"),
        ),
        (0.0, 1.0),
        lambda torch, grad_output, output, dim: torch.ops.aten._softmax_backward_data(
            grad_output, output, dim, output.dtype
        ),
    ),
    _backward(
        "aclnnLogSoftmaxBackward", "aclnnLogSoftmax", "Gradient of the logarithm of the softmax.",
        "`out = gradOutput - exp(output) * sum(gradOutput)` along dim",
        log_softmax_backward, _log_softmax_terms,
        (
            not_null("output", "gradOutput", "out"), _GRADIENTS_EMPTY,
            dtype_in("output", FLOAT, FLOAT16, BF16_NEWER),
            dtype_in("gradOutput", FLOAT, FLOAT16, BF16_NEWER), same_dtype("gradOutput", "output"),
            rank_at_most("gradOutput", 8), rank_at_most("output", 8),
            same_shape("output", "gradOutput"), same_shape("out", "gradOutput"), _AXIS_OF_GRADIENT,
        ),
        (-8.0, 0.0),
        lambda torch, grad_output, output, dim: torch.ops.aten._log_softmax_backward_data(
            grad_output, output, dim, output.dtype
        ),
    ),
)  # fmt: skip
