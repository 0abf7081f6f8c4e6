# SPDX-License-Identifier: Apache-2.0
"""Losses: answers worked out by hand, classes that do not exist, the order of sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclhost
from aclhost import ops

LOG2 = np.log(2.0)
ROWS = np.log(np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]], np.float32))
ONES = np.ones(3, np.float32)


def close(got: Any, wanted: Any) -> bool:
    return bool(np.allclose(got, wanted, rtol=1e-6, atol=1e-7))


def test_nll_loss() -> None:
    loss, total = aclhost.nll_loss(ROWS, np.array([0, 2]), np.array([1, 1, 3], np.float32))
    assert close(loss, (LOG2 + 3 * 2 * LOG2) / 4)
    assert close(total, 4)
    image = ROWS.reshape(1, 2, 3, 1)
    assert close(aclhost.nll_loss2d(image, np.zeros((1, 3, 1), np.int64), ONES[:2], "none")[0],
                 -ROWS[:1].reshape(1, 3, 1))  # fmt: skip


def test_half_precision_losses_reach_a_float_result_unrounded() -> None:
    rows, weight = ROWS.astype(np.float16), np.array([1.0009765625, 1, 1], np.float16)
    out = np.zeros(2, np.float32), np.zeros((), np.float32)
    loss, _ = aclhost.nll_loss(rows, np.array([0, 0]), weight, "none", out=out)
    assert np.array_equal(loss, -rows[:, 0].astype(np.float32) * np.float32(weight[0]))


@pytest.mark.parametrize("function", ["nll_loss_backward", "nll_loss2d_backward"])
def test_nll_gradients(function: str) -> None:
    shape = (2, 3) if function == "nll_loss_backward" else (2, 3, 1, 1)
    target = np.array([0, 2]).reshape(2, *shape[2:])
    grad = getattr(aclhost, function)(
        np.float32(8), ROWS.reshape(shape), target, ONES, np.float32(2), ignore_index=2
    )
    assert np.array_equal(grad.reshape(2, 3), [[-4, 0, 0], [0, 0, 0]])


def test_cross_entropy_loss() -> None:
    rows = np.zeros((2, 4), np.float32)
    loss, logs, z, lse = aclhost.cross_entropy_loss(rows, np.array([1, 3]), label_smoothing=0.5)
    assert close(loss, np.log(4))
    assert close(logs, -np.log(4))
    assert not z.any()
    assert not lse.any()
    grad = aclhost.cross_entropy_loss_grad(np.float32(2), logs, np.array([1, 3]))
    assert close(grad, [[0.25, -0.75, 0.25, 0.25], [0.25, 0.25, 0.25, -0.75]])


def test_softmax_cross_entropy_with_logits() -> None:
    labels = np.array([[1, 0, 0], [0, 1, 0]], np.float32)
    loss, grad = aclhost.softmax_cross_entropy_with_logits(ROWS + 3, labels)
    assert close(loss, [LOG2, LOG2])
    assert close(grad, np.exp(ROWS) - labels)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_a_divergence_is_one_element_of_any_rank(shape: tuple[int, ...]) -> None:
    out = np.zeros(shape, np.float32)
    aclhost.kl_div(np.log(ONES), 2 * ONES, "sum", out=out)
    assert close(out, np.full(shape, 6 * LOG2))


def test_ctc_loss() -> None:
    """Of the four ways through two times, a-, -a and aa spell a."""
    logs = np.log(np.array([[[0.25, 0.75]], [[0.5, 0.5]]], np.float32))
    target = np.array([[1]])
    loss, alpha = aclhost.ctc_loss(logs, target, [2], [1])
    assert close(loss, -np.log(1 - 0.25 * 0.5))
    assert close(alpha[0, 0, :2], logs[0, 0])
    grad = aclhost.ctc_loss_backward(np.ones(1, np.float32), logs, target, [2], [1], loss, alpha)
    blank = np.array([0.25 * 0.5, 0.75 * 0.5]) / 0.875  # that a path begins, or ends, with one
    assert close(grad[:, 0, 0], [0.25 - blank[0], 0.5 - blank[1]])


def test_ctc_loss_of_what_cannot_be() -> None:
    logs = np.log(np.full((2, 1, 3), 1 / 3, np.float32))
    target = np.array([[1, 1]])  # a blank must come between equal labels
    assert np.isposinf(aclhost.ctc_loss(logs, target, [2], [2])[0])
    loss, alpha = aclhost.ctc_loss(logs, target, [2], [2], zero_infinity=True)
    assert loss == 0
    grad = aclhost.ctc_loss_backward(
        np.ones(1, np.float32), logs, target, [2], [2], loss, alpha, zero_infinity=True
    )
    assert not grad.any()


def test_multilabel_margin_loss() -> None:
    scores = np.array([0.1, 0.2, 0.4, 0.8], np.float32)
    loss, marks = aclhost.multilabel_margin_loss(scores, np.array([3, 0, -1, 1]))
    wanted = (1 - 0.8 + 0.2) + (1 - 0.8 + 0.4) + (1 - 0.1 + 0.2) + (1 - 0.1 + 0.4)
    assert close(loss, wanted / 4)
    assert np.array_equal(marks, [1, 0, 0, 1])


def test_chamfer_distance_backward() -> None:
    one, two = np.array([[[1, 2]]], np.float32), np.array([[[0, 5]]], np.float32)
    index, grad = np.zeros((1, 1), np.int32), np.ones((1, 1), np.float32)
    first, second = aclhost.chamfer_distance_backward(one, two, index, index, grad, 2 * grad)
    assert np.array_equal(first, [[[6, -18]]])
    assert np.array_equal(second, -first)
    first, second = aclhost.chamfer_distance_backward(one, two, index - 1, index, grad, grad)
    assert np.array_equal(first, [[[2, -6]]])


def test_pieces_of_a_divided_cross_entropy() -> None:
    logits = np.zeros((2, 16), np.float32)
    with aclhost.soc("Ascend950PR_9599"):
        picked, sums, powers, offsets, masks = aclhost.cross_entropy_sum_exp_and_index_logit(
            logits, np.array([3, 17], np.int32), np.zeros(2, np.float32), 16, 32
        )
    assert np.array_equal(sums, [16, 16])
    assert np.array_equal(powers, np.ones((2, 16)))
    assert (picked.tolist(), offsets.tolist(), masks.tolist()) == ([0, 0], [0, 1], [1, 0])
    loss, softmax = aclhost.fused_cross_entropy_loss_with_max_sum(
        np.zeros(2, np.float32), sums, picked, vocab_parallel_logits_optional=logits
    )
    assert close(loss, np.log(16))
    assert close(softmax, 1 / 16)


def bad_calls() -> dict[str, tuple[Any, ...]]:
    wrong = np.array([0, 3])
    square = ROWS.reshape(2, 3, 1, 1)
    return {
        "nll_loss": (ROWS, wrong, ONES),
        "nll_loss_backward": (np.float32(1), ROWS, wrong, ONES, np.float32(1)),
        "nll_loss2d": (square, wrong.reshape(2, 1, 1), ONES),
        "nll_loss2d_backward": (
            np.float32(1), square, wrong.reshape(2, 1, 1), ONES, np.float32(1)),
        "cross_entropy_loss": (ROWS, wrong),
        "cross_entropy_loss_grad": (np.float32(1), ROWS, wrong),
        "multilabel_margin_loss": (ROWS, np.array([[0, -1, 0], [3, -1, 0]])),
        "ctc_loss": (ROWS[:, None], np.array([[3]]), [2], [1]),
    }  # fmt: skip


@pytest.mark.parametrize("name", bad_calls())
def test_classes_that_do_not_exist(name: str) -> None:
    with pytest.raises(aclhost.AclnnError, match="must hold values from 0 to") as caught:
        getattr(aclhost, name)(*bad_calls()[name])
    assert (caught.value.status, caught.value.rule) == (507015, "index_in_range")


@pytest.mark.parametrize("shape", [(3, 70000), (70000, 3), (41, 2, 900)])
def test_sums_follow_from_the_shape(shape: tuple[int, ...]) -> None:
    """Strides do not change a bit, and neither does the other half of a broadcast pair."""
    rng = np.random.default_rng(3)
    x, y = (rng.normal(size=shape).astype(np.float32) for _ in range(2))
    turned = np.ascontiguousarray(np.moveaxis(x, 0, -1))
    wanted = aclhost.mse_loss(x, y, "sum")
    assert aclhost.mse_loss(np.moveaxis(turned, -1, 0), y, "sum") == wanted
    exact = np.sum((x.astype(np.float64) - y) ** 2)
    assert abs(wanted - exact) <= 2e-7 * exact
    rows = aclhost.mse_loss_out(x, y, "mean")
    assert np.allclose(rows, ((x.astype(np.float64) - y) ** 2).mean(0), rtol=1e-6)
    row = aclhost.kl_div_backward(y, x[:1], np.abs(y), "sum")
    assert np.allclose(row, -(np.abs(y) * y.astype(np.float64)).sum(0, keepdims=True), atol=1e-4)


def test_smoothed_gradients_do_not_cancel() -> None:
    """Each class's share is nearly the softmax's: the difference keeps its digits."""
    weight, target = np.array([1.1, 1.3, 0.7], np.float32), np.array([1])
    whole = weight.astype(np.float64).sum()
    logs = np.log(weight * np.array([1.0001, 1.0002, 0.9999]) / whole).astype(np.float32)[None]
    slope = np.array([0.3], np.float32)
    (gradient,) = aclhost.cross_entropy_loss_grad(
        slope, logs, target, weight, None, None, "none", -100, 1.0
    )
    wanted = (np.exp(logs[0].astype(np.float64)) * whole - weight) * np.float64(slope) / 3
    np.testing.assert_allclose(gradient, wanted, rtol=2e-7)


def test_a_share_of_nothing_of_an_infinite_loss() -> None:
    """As the formula says and as torch does: 0 times infinity is no number."""
    op, logits = ops.BY_NAME["aclnnCrossEntropyLoss"], np.array([[0.0, -np.inf]], np.float32)
    arguments = (logits, np.array([1]), None, "mean", -100, 1.0)
    assert op.golden is not None
    with np.errstate(invalid="ignore"):
        golden = op.golden(*arguments, 0.0, False)[0]
    for loss in (aclhost.cross_entropy_loss(*arguments)[0], golden):
        assert np.isnan(loss)
