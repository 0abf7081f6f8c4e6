# SPDX-License-Identifier: Apache-2.0
"""Calls of the negative log likelihood: samples, random and common ones."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from aclhost.ops.loss.build import random_dtype
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, DOUBLE, FLOAT, FLOAT16, INT32, INT64, UINT8, DataType

CLASSES = (INT64, UINT8, INT32)
_WEIGHTS = (0.5, 2.0)  # a total near 0 would make a mean that nobody can check


def _tensors(
    shape: tuple[int, ...], target: tuple[int, ...], dtype: DataType, index: DataType
) -> dict[str, TensorArg]:
    classes = shape[0 if len(shape) == 1 else 1]
    return {
        "self": TensorArg(shape, dtype),
        "target": TensorArg(target, index, span=(0, classes)),
        "weight": TensorArg((classes,), dtype, span=_WEIGHTS),
    }


def _without_classes(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:1], *shape[2:]) if len(shape) > 1 else ()


def forward_call(
    shape: tuple[int, ...], reduction: int, dtype: DataType = FLOAT, index: DataType = INT64,
    out: DataType | None = None, ignored: int = 1,
) -> Call:  # fmt: skip
    """A call for a self of the shape."""
    target = _without_classes(shape)
    return Call(
        {
            **_tensors(shape, target, dtype, index),
            "reduction": reduction,
            "ignoreIndex": ignored,
            "out": TensorArg(target if reduction == 0 else (), out or dtype),
            "totalWeightOut": TensorArg((), dtype),
        }
    )


def backward_call(
    shape: tuple[int, ...], reduction: int, dtype: DataType = FLOAT, index: DataType = INT64,
    out: DataType | None = None, ignored: int = 1,
) -> Call:  # fmt: skip
    """The same of the gradient."""
    target = _without_classes(shape)
    return Call(
        {
            "gradOutput": TensorArg(target if reduction == 0 else (), dtype),
            **_tensors(shape, target, dtype, index),
            "reduction": reduction,
            "ignoreIndex": ignored,
            "totalWeight": TensorArg((1,), dtype, span=_WEIGHTS),
            "out": TensorArg(shape, out or dtype),
        }
    )


def _shape(random: Random, is_image: bool) -> tuple[int, ...]:
    classes, batch = random.randint(1, 9), random.randint(1, 6)
    if is_image:
        return (batch, classes, random.randint(1, 7), random.randint(1, 40))
    return (classes,) if random.random() < 0.2 else (batch * random.choice((1, 3, 700)), classes)


def drawn(random: Random, make: Callable[..., Call], is_image: bool) -> Call:
    """A small random call, made by one of the two functions above."""
    shape, reduction = _shape(random, is_image), random.randint(0, 2)
    dtype, index = random_dtype(random), random.choice(CLASSES)
    return make(shape, reduction, dtype, index, ignored=random.choice((-100, 0, 2)))


def typical_shape(n: int, is_image: bool) -> tuple[int, ...]:
    """Of a common self with about that many elements."""
    if not is_image:
        return (max(n // 1000, 1), 1000)
    side = max(int((n / 20) ** 0.5), 1)
    return (1, 20, side, side)


def forward_samples(is_image: bool) -> tuple[Call, ...]:
    """Every dtype, kind of classes and reduction."""
    shape = (2, 3, 2, 4) if is_image else (5, 3)
    alone = (forward_call((3,), 0),) if not is_image else ()
    return (
        forward_call(shape, 1),
        forward_call(shape, 0, out=DOUBLE),
        forward_call(shape, 2, FLOAT16, INT32),
        forward_call(shape, 1, BF16, UINT8, ignored=-100),
        *alone,
    )


def backward_samples(is_image: bool) -> tuple[Call, ...]:
    """The same of the gradient."""
    shape = (2, 3, 2, 4) if is_image else (5, 3)
    alone = () if is_image else (backward_call((3,), 1), backward_call(shape, 1, out=DOUBLE))
    return (
        backward_call(shape, 1),
        backward_call(shape, 0, FLOAT16, INT32),
        backward_call(shape, 2, BF16, UINT8, ignored=-100),
        *alone,
    )
