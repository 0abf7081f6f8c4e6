# SPDX-License-Identifier: Apache-2.0
"""Functions keep their last call; one that differs in more than addresses is another call."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import aclhost

REPEATS = 12  # accepted, offered until it is kept, met again
RNG = np.random.default_rng(5)


def own(values: Any, dtype: Any = "float32") -> np.ndarray:
    """With a data type of its own, whose references can be counted."""
    return np.array(values, np.dtype(dtype, metadata={"own": True}))


def numbers(*shape: int) -> np.ndarray:
    return own(RNG.normal(size=shape))


def elu(x: np.ndarray, alpha: float = 1.0) -> np.ndarray:
    return np.where(x > 0, x, alpha * np.expm1(x.astype(np.float64)))


def repeat(call: Callable[[], Any], x: np.ndarray) -> Any:
    """The answer of the last one. The call is kept: it holds the type of its argument."""
    before = sys.getrefcount(x.dtype)
    for _ in range(REPEATS - 1):
        call()
    assert sys.getrefcount(x.dtype) > before
    return call()


@pytest.mark.parametrize("view", [np.s_[:, :], np.s_[::-1, ::2], np.s_[:, None, 3:4]])
def test_arrays_that_lie_alike(view: Any) -> None:
    for _ in range(2 * REPEATS):
        x = numbers(5, 8)[view]
        out = np.empty(x.shape, x.dtype)
        assert aclhost.elu(x, out=out) is out
        np.testing.assert_allclose(out, elu(x), rtol=1e-6)
        np.testing.assert_allclose(aclhost.elu(x), elu(x), rtol=1e-6)


def test_what_differs_in_something() -> None:
    x = numbers(4, 6)
    repeat(lambda: aclhost.elu(x, 1.0), x)
    for other in (x.T, x[:, ::-1], x[:2], x.ravel(), x.astype("float16"), x.astype("float64"), x):
        assert aclhost.elu(other, 1.0).dtype == other.dtype
        np.testing.assert_allclose(aclhost.elu(other, 1.0), elu(other), rtol=1e-3)
    for alpha in (2.0, 1.0, 0.5):
        np.testing.assert_allclose(aclhost.elu(x, alpha), elu(x, alpha), rtol=1e-6)


def test_results_that_are_given_and_new_ones() -> None:
    x = numbers(7)
    out = np.empty_like(x)
    repeat(lambda: aclhost.elu(x, out=out), x)
    new = aclhost.elu(x)
    assert new is not out
    assert np.array_equal(new, out)
    y = numbers(8)
    first, second = repeat(lambda: aclhost.elu(y), y), aclhost.elu(y)
    assert not np.shares_memory(first, second)


def test_several_results() -> None:
    x = numbers(1, 2, 4, 4, 4)
    values, indices = aclhost.max_pool3d_with_argmax(x, 2, 2)
    for _ in range(REPEATS):
        out = np.zeros_like(values), np.zeros_like(indices)
        got = aclhost.max_pool3d_with_argmax(x, 2, 2, out=out)
        assert got[0] is out[0]
        assert got[1] is out[1]
        assert np.array_equal(out[0], values)
        assert np.array_equal(out[1], indices)
    assert np.array_equal(repeat(lambda: aclhost.max_pool3d_with_argmax(x, 2, 2)[1], x), indices)
    out = np.zeros_like(values), np.zeros_like(indices)
    aclhost.max_pool3d_with_argmax(x, 2, 2, out=out)
    assert np.array_equal(out[0], values)
    with pytest.raises(TypeError, match="tuple of 2 arrays"):
        aclhost.max_pool3d_with_argmax(x, 2, 2, out=(*out, values))


def test_a_result_that_became_read_only() -> None:
    x, out = numbers(7), np.empty(7, np.float32)
    repeat(lambda: aclhost.elu(x, out=out), x)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        aclhost.elu(x, out=out)


def test_an_array_that_took_another_shape() -> None:
    x = numbers(6)
    repeat(lambda: aclhost.elu(x), x)
    x.shape = (2, 3)
    assert aclhost.elu(x).shape == (2, 3)


def test_lists_may_change() -> None:
    x, axes = numbers(3, 4), [0]
    repeat(lambda: aclhost.reduce_sum(x, axes), x)
    axes[0] = 1
    np.testing.assert_allclose(aclhost.reduce_sum(x, axes), x.sum(1), rtol=1e-6)


def test_a_list_that_changes_while_it_is_read() -> None:
    x, axes = numbers(3, 4), [0]

    class Axis:
        def __index__(self) -> int:
            axes[0] = 1
            return 0

    for _ in range(REPEATS):
        axes[:] = [Axis()]  # type: ignore[list-item]
        assert aclhost.reduce_sum(x, axes).shape == (4,)
    assert aclhost.reduce_sum(x, [1]).shape == (3,)


def test_a_class_that_is_a_number() -> None:
    class Kind(type):
        number = 0

        def __index__(cls) -> int:
            return cls.number

    class Axis(metaclass=Kind):
        pass

    x = numbers(3, 4)
    for _ in range(REPEATS):
        assert aclhost.arg_max(x, Axis).shape == (4,)
    Kind.number = 1
    assert aclhost.arg_max(x, Axis).shape == (3,)


def test_numbers_that_are_equal_and_yet_others() -> None:
    x = own([-1, 2])
    assert np.signbit(repeat(lambda: aclhost.leaky_relu(x, 0.0), x)[0])
    assert not np.signbit(aclhost.leaky_relu(x, -0.0)[0])
    whole = own([1, 2], "int32")
    assert repeat(lambda: aclhost.muls(whole, 2), whole).dtype == np.int32
    assert aclhost.muls(whole, 2.0).dtype == np.float64


def test_numbers_that_are_other_objects() -> None:
    x = np.ones((1, 1, 2, 2), np.float32)
    for size in (1000, 1000, 1000, 999, 1000):
        text = str(size)
        assert aclhost.upsample_nearest2d(x, [int(text), 3]).shape[2] == size
        np.testing.assert_allclose(aclhost.leaky_relu(-x, float(text)), -size * x)


def test_memory_that_is_shared() -> None:
    memory = numbers(9)
    for _ in range(REPEATS):
        aclhost.elu(memory[:8], out=np.empty(8, np.float32))
    wanted = elu(memory[:8])
    aclhost.elu(memory[:8], out=memory[1:])
    np.testing.assert_allclose(memory[1:], wanted, rtol=1e-6)


def test_in_place() -> None:
    for _ in range(2 * REPEATS):
        x = numbers(5)
        wanted = elu(x)
        assert aclhost.inplace_elu(x) is x
        np.testing.assert_allclose(x, wanted, rtol=1e-6)


def test_another_product() -> None:
    x = own([-1, 2], ml_dtypes.bfloat16)
    wanted = repeat(lambda: aclhost.elu_backward(x, x), x)
    with aclhost.soc("Ascend310P3"), pytest.raises(aclhost.AclnnError, match="Ascend310P3"):
        aclhost.elu_backward(x, x)
    assert np.array_equal(aclhost.elu_backward(x, x), wanted)


def test_a_call_that_fails_late() -> None:
    rows, good, bad = numbers(5, 3), np.array([0, 4]), np.array([0, 5])
    repeat(lambda: aclhost.embedding(rows, good), rows)
    for _ in range(REPEATS):
        with pytest.raises(aclhost.AclnnError):
            aclhost.embedding(rows, bad)
        assert np.array_equal(aclhost.embedding(rows, good), rows[[0, 4]])


def test_several_threads_in_one_function() -> None:
    """Long enough to let each other in."""
    arrays = [numbers(200_000) for _ in range(3)]
    wanted = [aclhost.elu(x) for x in arrays]
    wrong = []

    def work(number: int) -> None:
        for _ in range(40):
            if not np.array_equal(aclhost.elu(arrays[number]), wanted[number]):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(arrays))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
