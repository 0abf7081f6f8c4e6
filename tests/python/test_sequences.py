# SPDX-License-Identifier: Apache-2.0
"""Arguments that are no arrays or numbers: sequences of integers, words, tuples of outputs."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import aclhost

X = np.arange(32, dtype=np.float32).reshape(1, 2, 2, 2, 4)
TWO = aclhost.max_pool3d_with_argmax(X, (2, 2, 2))


@pytest.mark.parametrize(
    "kernel",
    [
        2, (2, 2, 2), [2, 2, 2], (2,), torch.Size([2, 2, 2]), np.int32(2), np.array(2),
        torch.tensor(2), (np.int64(2), torch.tensor(2), 2), np.array([2, 2, 2]),
        np.array([2, 2, 2], np.uint8), torch.tensor([2, 2, 2]), jnp.array([2, 2, 2]),
    ],
    ids=repr,
)  # fmt: skip
def test_sequences_of_integers(kernel: Any) -> None:
    values, indices = aclhost.max_pool3d_with_argmax(X, kernel)
    assert np.array_equal(values, TWO[0])
    assert np.array_equal(indices, TWO[1])


@pytest.mark.parametrize(
    "kernel",
    [2.0, "222", (2, 2, 2.0), ("2",) * 3, np.array([2.0, 2, 2]), object()],
    ids=lambda kernel: type(kernel).__name__,
)
def test_what_is_no_sequence_of_integers(kernel: Any) -> None:
    with pytest.raises(TypeError, match="^kernel_size: expected a sequence of integers, got"):
        aclhost.max_pool3d_with_argmax(X, kernel)


@pytest.mark.parametrize("kernel", [2**63, (2, 2**63, 2)])
def test_integers_beyond_64_bits(kernel: Any) -> None:
    with pytest.raises(OverflowError, match="^kernel_size: 9223372036854775808 fits no 64-bit"):
        aclhost.max_pool3d_with_argmax(X, kernel)


@pytest.mark.parametrize(
    ("kernel", "status"), [((2, 2), 161002), ((), 161002), ((2,) * 9, 161002), (None, 161001)]
)
def test_lengths_are_the_operator_s_affair(kernel: Any, status: int) -> None:
    with pytest.raises(aclhost.AclnnError) as caught:
        aclhost.max_pool3d_with_argmax(X, kernel)
    assert (caught.value.status, caught.value.parameter) == (status, "kernelSize")


@pytest.mark.parametrize(("word", "number"), [("none", 0), ("mean", 1), ("sum", 2)])
def test_words_stand_for_numbers(word: str, number: int) -> None:
    wanted = aclhost.smooth_l1_loss(X, X + 1, word)
    for same in (number, np.int64(number), torch.tensor(number)):
        assert np.array_equal(aclhost.smooth_l1_loss(X, X + 1, reduction=same), wanted)
    assert wanted.shape == (X.shape if word == "none" else ())


@pytest.mark.parametrize("word", ["MEAN", "", b"mean", None, 1.0])
def test_unknown_words(word: Any) -> None:
    with pytest.raises(ValueError, match="^reduction: expected one of 'none', 'mean', 'sum'"):
        aclhost.smooth_l1_loss(X, X, word)


def test_numbers_without_a_word_are_the_operator_s_affair() -> None:
    for number in (3, -1):
        with pytest.raises(aclhost.AclnnError, match=f"got {number} "):
            aclhost.smooth_l1_loss(X, X, number)


@pytest.mark.parametrize("kind", [np.asarray, torch.from_numpy, jnp.asarray])
def test_several_results_are_a_tuple_of_one_kind(kind: Any) -> None:
    x = kind(X.copy())
    results = aclhost.max_pool3d_with_argmax(x, 2)
    assert type(results) is tuple
    for result, wanted in zip(results, TWO, strict=True):
        assert isinstance(result, jax.Array if isinstance(x, jax.Array) else type(x))
        assert np.array_equal(np.asarray(result), wanted)


def test_several_outputs() -> None:
    values, indices = np.zeros_like(TWO[0]), torch.zeros(TWO[1].shape, dtype=torch.int32)
    results = aclhost.max_pool3d_with_argmax(X, 2, out=(values, indices))
    assert (results[0] is values, results[1] is indices) == (True, True)
    assert np.array_equal(values, TWO[0])
    assert np.array_equal(indices.numpy(), TWO[1])


def test_some_outputs_of_several() -> None:
    values = np.zeros_like(TWO[0])
    results = aclhost.max_pool3d_with_argmax(X, 2, out=(values, None))
    assert results[0] is values
    assert np.array_equal(results[1], TWO[1])


@pytest.mark.parametrize("out", [TWO[0], list(TWO), (TWO[0],), (*TWO, TWO[0])])
def test_outputs_that_are_no_pair(out: Any) -> None:
    with pytest.raises(TypeError, match="^out: expected a tuple of 2 arrays"):
        aclhost.max_pool3d_with_argmax(X, 2, out=out)


def test_a_sequence_that_changes_while_it_is_read() -> None:
    class Clearing:
        def __index__(self) -> int:
            sizes.clear()
            return 2

    sizes: list[Any] = [Clearing(), Clearing(), Clearing()]
    pooled, _ = aclhost.max_pool3d_with_argmax(np.ones((1, 4, 4, 4), np.float32), sizes)
    assert pooled.shape == (1, 2, 2, 2)


def test_rules_see_every_value_of_a_long_array() -> None:
    volume = np.ones((1, 1, 2, 2, 2), np.float32)
    with pytest.raises(aclhost.AclnnError) as caught:
        aclhost.upsample_nearest3d(volume, (2,) * 11 + (-1,))
    assert caught.value.rule == "all_positive"
    with pytest.raises(aclhost.AclnnError) as caught:
        aclhost.upsample_nearest3d(volume, (2,) * 12)
    assert caught.value.rule == "length_in"
