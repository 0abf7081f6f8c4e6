# SPDX-License-Identifier: Apache-2.0
"""Inputs that share memory with an output: what was there before the call is what counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import aclhost

LENGTH = 1 << 17  # enough for several blocks and threads
SIDE = 192
View = Callable[[np.ndarray], np.ndarray]
VIEWS: dict[str, tuple[View, View]] = {
    "first element": (lambda x: x, lambda x: x[:1]),
    "last element": (lambda x: x, lambda x: x[-1:]),
    "backwards": (lambda x: x, lambda x: x[::-1]),
    "one behind": (lambda x: x[1:], lambda x: x[:-1]),
    "one ahead": (lambda x: x[:-1], lambda x: x[1:]),
    "far behind": (lambda x: x[5000:], lambda x: x[:-5000]),
    "every other": (lambda x: x[: LENGTH // 2], lambda x: x[::2]),
}


def values(dtype: Any) -> np.ndarray:
    return (np.arange(LENGTH) % 23 + 1).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "complex128"])
@pytest.mark.parametrize("name", VIEWS)
def test_operators_in_place(name: str, dtype: str) -> None:
    written, read = VIEWS[name]
    x, wanted = values(dtype), values(dtype)
    written(wanted)[...] = written(wanted) + read(values(dtype))
    aclhost.inplace_add(written(x), read(x), 1)
    np.testing.assert_array_equal(x, wanted)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
@pytest.mark.parametrize("name", VIEWS)
def test_fused_operators(name: str, dtype: str) -> None:
    written, read = VIEWS[name]
    x = (values(dtype) - 12) / 4
    target, source = written(x), np.broadcast_to(read(x), written(x).shape)
    wanted = aclhost.elu(source.copy())
    aclhost.elu(source, out=target)
    np.testing.assert_array_equal(target, wanted)


@pytest.mark.parametrize("name", VIEWS)
def test_fused_operators_of_two(name: str) -> None:
    written, read = VIEWS[name]
    x, other = values("float32"), values("float32")[::-1].copy()
    target, source = written(x), read(x)
    wanted = aclhost.smooth_l1_loss(written(other), source.copy(), "none", 2.0)
    aclhost.smooth_l1_loss(written(other), source, "none", 2.0, out=target)
    np.testing.assert_array_equal(target, wanted)


def test_fused_operator_of_another_width() -> None:
    x = values("float32")
    half = x.view(np.float16)[:LENGTH]
    half[...] = values("float16") - 12
    wanted = aclhost.elu(half.copy()).astype(np.float32)
    aclhost.elu(half, out=x)
    np.testing.assert_array_equal(x, wanted)


def test_transposed_in_place() -> None:
    x = values("float32")[: SIDE * SIDE].reshape(SIDE, SIDE)
    wanted = x + x.T
    aclhost.inplace_add(x, x.T, 1)
    np.testing.assert_array_equal(x, wanted)


def test_result_of_another_width() -> None:
    x = values("float32")
    wanted = x > 5
    out = x.view(np.bool_)[7 : 7 + LENGTH]
    aclhost.gt_scalar(x, 5.0, out=out)
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("name", VIEWS)
def test_copies(name: str) -> None:
    written, read = VIEWS[name]
    x, wanted = values("float32"), values("float32")
    written(wanted)[...] = read(values("float32"))
    aclhost.inplace_copy(written(x), read(x))
    np.testing.assert_array_equal(x, wanted)
