# SPDX-License-Identifier: Apache-2.0
"""Connectionist temporal classification, with its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aclhost.ops.loss.build import Torch, random_dtype
from aclhost.ops.loss.ctc_calls import backward_call, drawn, loss_call
from aclhost.ops.loss.shapes import number_is
from aclhost.ops.pointwise.checks import feasible, given
from aclhost.spec.dtypes import BF16, BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Flag, Int, IntArray, Parameter, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    Condition,
    Rule,
    done_when,
    dtype_in,
    only_on,
    rank_in,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, Rank0, ShapeIf, ShapeOf, ShapeTerm
from aclhost.spec.terms import (
    AtMost,
    DimOf,
    DtypeOf,
    Equal,
    If,
    In,
    LargestItem,
    LengthOf,
    Not,
    ProductIn,
    RankOf,
    RoundedUp,
    Sum,
    SumOfItems,
    Term,
    Times,
    ValueOf,
    all_of,
    const,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aclhost.spec.golden import Array

_NEWER = (A950, A3, A2)
_DTYPES = (FLOAT, DOUBLE, only_on(FLOAT16, *_NEWER), only_on(BF16, *_NEWER))
_LABELS = (INT32, INT64, BOOL, FLOAT, FLOAT16)
_BATCHED = Equal(RankOf("logProbs"), const(3))
_SAMPLES = If(_BATCHED, DimOf("logProbs", const(1)), const(1))
_CLASSES = DimOf("logProbs", const(-1))
_NOTES = (
    "Sums are in double; each result is rounded once.",
    "A label that does not exist is reported as an index out of range: 507015 at the next "
    "synchronisation, and an exception in Python. Its target has probability 0.",
)


def _places(lengths: str) -> Term:
    """Of the longest target, rounded up to 8 but on Ascend 950."""
    exact = Sum(Times(LargestItem(lengths), const(2)), const(1))
    return If(ProductIn((A950,)), exact, RoundedUp(exact, 8))


def _labels(targets: Array, lengths: Sequence[int], number: int) -> list[int]:
    """Those of one sample, with blanks left out."""
    if targets.ndim == 2:
        return [int(label) for label in targets[number, : lengths[number]]]
    begin = sum(lengths[:number])
    return [int(label) for label in targets[begin : begin + lengths[number]]]


def _alphas(logs: Array, path: list[int]) -> Array:
    """For each time and place of the path: the logarithm of all ways that end there."""
    import numpy as np

    result = np.full((len(logs), len(path)), -np.inf)
    result[0, :2] = logs[0, path[:2]]
    for time in range(1, len(logs)):
        for s, label in enumerate(path):
            ways = result[time - 1, max(s - 1, 0) : s + 1]
            if s > 1 and label != path[s - 2]:
                ways = result[time - 1, s - 2 : s + 1]
            result[time, s] = np.logaddexp.reduce(ways) + logs[time, label]
    return result


def _path(labels: list[int], blank: int) -> list[int]:
    return [blank, *(each for label in labels for each in (label, blank))]


def golden(
    log_probs: Array, targets: Array, input_lengths: Sequence[int], targetlengths: Sequence[int],
    blank: int, zero_infinity: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """The loss of each sample, and the logarithms of beginnings; those that are none are -inf."""
    import numpy as np

    logs = log_probs.reshape(len(log_probs), -1, log_probs.shape[-1])
    places = (2 * max(0, *targetlengths, 0) + 8) // 8 * 8
    alphas = np.full((logs.shape[1], len(logs), places), -np.inf)
    losses = np.zeros(logs.shape[1])
    for n, times in enumerate(input_lengths):
        path = _path(_labels(targets, targetlengths, n), blank)
        found = _alphas(logs[:times, n], path)
        alphas[n, :times, : len(path)] = found
        losses[n] = -np.logaddexp.reduce(found[-1, -2:])
    losses = np.where(np.isinf(losses) & zero_infinity, 0.0, losses)
    return losses.reshape(log_probs.shape[1:-1]), alphas


def golden_backward(
    grad_out: Array, log_probs: Array, targets: Array, input_lengths: Sequence[int],
    target_lengths: Sequence[int], neg_log_likelihood: Array, log_alpha: Array, blank: int,
    zero_infinity: bool,
) -> Array:  # fmt: skip
    """The probability of each class, less its share of all alignments."""
    import numpy as np

    result = np.zeros_like(log_probs)
    for n, times in enumerate(input_lengths):
        path, logs = _path(_labels(targets, target_lengths, n), blank), log_probs[:times, n]
        ends = _alphas(logs[::-1], path[::-1])[::-1, ::-1]
        through = log_alpha[n, :times, : len(path)] + ends
        shares = np.stack([np.logaddexp.reduce(through[:, np.array(path) == c], 1, initial=-np.inf)
                           for c in range(logs.shape[1])], 1)  # fmt: skip
        lost = np.isinf(neg_log_likelihood[n]) or np.isneginf(log_alpha[n, times - 1]).all()
        slopes = np.exp(logs) - np.exp(shares + neg_log_likelihood[n] - logs)
        result[:times, n] = 0 if zero_infinity and lost else slopes * grad_out[n]
    return result


def _torch_loss(
    torch: Torch, log_probs: Torch, targets: Torch, input_lengths: Sequence[int],
    targetlengths: Sequence[int], blank: int, zero_infinity: bool,
) -> tuple[Torch, Torch]:  # fmt: skip
    logs = log_probs.reshape(len(log_probs), -1, log_probs.shape[-1])
    loss, found = torch.ops.aten._ctc_loss(
        logs, targets.long(), input_lengths, targetlengths, blank, False
    )
    places = (2 * max(0, *targetlengths, 0) + 8) // 8 * 8
    alphas = torch.full((logs.shape[1], len(logs), places), -torch.inf, dtype=logs.dtype)
    for n, times in enumerate(input_lengths):
        own = 2 * targetlengths[n] + 1
        alphas[n, :times, :own] = found[n, :times, :own]
    loss = torch.where(loss.isinf() & bool(zero_infinity), 0.0, loss)
    return loss.reshape(log_probs.shape[1:-1]), alphas


def _torch_backward(
    torch: Torch, grad_out: Torch, log_probs: Torch, targets: Torch, input_lengths: Sequence[int],
    target_lengths: Sequence[int], neg_log_likelihood: Torch, log_alpha: Torch, blank: int,
    zero_infinity: bool,
) -> Torch:  # fmt: skip
    places = 2 * max(target_lengths) + 1
    return torch.ops.aten._ctc_loss_backward(
        grad_out, log_probs, targets.long(), input_lengths, target_lengths, neg_log_likelihood,
        log_alpha[..., :places].contiguous(), blank, bool(zero_infinity),
    )  # fmt: skip


def _blank_exists() -> tuple[Rule, ...]:
    blank = ValueOf("blank")
    holds = all_of(AtMost(const(0), blank), Not(AtMost(_CLASSES, blank)))
    return number_is("class_exists", "blank", holds, "blank must be a class of logProbs", blank)


def _has_times() -> tuple[Rule, ...]:
    times = DimOf("logProbs", const(0))
    holds = Not(Equal(times, const(0)))
    return number_is("has_times", "logProbs", holds, "logProbs must have times", times)


def _one_per_sample(parameter: str) -> tuple[Rule, ...]:
    count = LengthOf(parameter)
    text = f"{parameter} must have a value for each sample"
    return number_is("one_per_sample", parameter, Equal(count, _SAMPLES), text, count)


def _inputs_fit() -> tuple[Rule, ...]:
    longest = LargestItem("inputLengths")
    holds = AtMost(longest, DimOf("logProbs", const(0)))
    text = "inputLengths must be at most the times of logProbs"
    return number_is("lengths_fit", "inputLengths", holds, text, longest)


def _targets_fit(lengths: str) -> tuple[Rule, ...]:
    matrix = all_of(
        Equal(DimOf("targets", const(0)), _SAMPLES),
        AtMost(LargestItem(lengths), DimOf("targets", const(1))),
    )
    line = Equal(DimOf("targets", const(0)), SumOfItems(lengths))
    return requires(
        "targets_fit", "targets", If(Equal(RankOf("targets"), const(2)), matrix, line),
        f"targets must be [N, S] with at least max({lengths}) columns, or [sum({lengths})]",
        (Shown("shape", ShapeOf("targets")), " for ", Shown("array", lengths)),
        f"Correct targets or {lengths}.",
    )  # fmt: skip


def _small_enough(alphas: str) -> tuple[Rule, ...]:
    """16-bit types have limits that others have not."""
    narrow = Condition(
        all_of(ProductIn((A3, A2)), In(DtypeOf("logProbs"), (FLOAT16, BF16))),
        "logProbs is FLOAT16 or BFLOAT16 on Atlas A2 and A3",
    )
    limits = all_of(
        AtMost(_CLASSES, const(200000)),
        AtMost(_SAMPLES, const(8180)),
        AtMost(DimOf(alphas, const(2)), const(2002)),
    )
    return when(narrow, requires(
        "small_enough", "logProbs", limits,
        "logProbs must have at most 200000 classes and 8180 samples, and targets 1000 labels",
        (Shown("shape", ShapeOf("logProbs")),), "Use FLOAT.",
    ))  # fmt: skip


def _shape_of_alphas(lengths: str) -> ShapeTerm:
    return Lengths((_SAMPLES, DimOf("logProbs", const(0)), _places(lengths)))


def _parameters(lengths: str) -> tuple[Parameter, ...]:
    return (
        TensorIn("logProbs", "Logarithms of probabilities: [T, N, C]; of one sample also [T, C]."),
        TensorIn("targets", "Labels: [N, S], or all in a row."),
        IntArray("inputLengths", "How many times of each sample count.", length=1),
        IntArray(lengths, "How many labels each sample has.", length=1),
    )


_BLANK = Int("blank", "Class of the blank.", default=0)
_ZERO_INFINITY = Flag(
    "zeroInfinity", "Whether a target that has no alignment costs nothing.", default=False
)


LOSS = Operator(
    "aclnnCtcLoss",
    summary="Connectionist temporal classification: how unlikely targets are.",
    formula="The negative logarithm of the sum, over all alignments of the target with the times, "
    "of the product of `exp(logProbs)` along the alignment",
    params=(
        *_parameters("targetlengths"),
        _BLANK,
        _ZERO_INFINITY,
        TensorOut("negLogLikelihoodOut", "The loss of each sample.", like="logProbs",
                  shape=ShapeIf(_BATCHED, Lengths((_SAMPLES,)), Rank0())),
        TensorOut("logAlphaOut", "Logarithms of the probabilities of beginnings.",
                  shape=_shape_of_alphas("targetlengths"), like="logProbs"),
    ),
    checks=(
        given("logProbs", "targets", "inputLengths", "targetlengths", "negLogLikelihoodOut",
              "logAlphaOut"),
        _has_times(), rank_in("logProbs", 2, 3), _blank_exists(), _one_per_sample("inputLengths"),
        _inputs_fit(), _one_per_sample("targetlengths"), rank_in("targets", 1, 2),
        _targets_fit("targetlengths"),
        shape_is("negLogLikelihoodOut", ShapeIf(_BATCHED, Lengths((_SAMPLES,)), Rank0()),
                 "[N], or [] for one sample"),
        shape_is("logAlphaOut", _shape_of_alphas("targetlengths"),
                 "[N, T, 2 * max(targetlengths) + 1], the last rounded up to 8 but on Ascend 950"),
        dtype_in("logProbs", *_DTYPES), _small_enough("logAlphaOut"),
        dtype_in("targets", *_LABELS), same_dtype("negLogLikelihoodOut", "logProbs"),
        same_dtype("logAlphaOut", "logProbs"),
        done_when(Condition(Equal(DimOf("logProbs", const(1)), const(0)), "there are no samples")),
        feasible("aclnnCtcLoss", "logAlphaOut", ("logProbs", "targets")),
    ),
    golden=golden,
    samples=(
        loss_call(),
        loss_call(lengths=(3,), flat=True, zero=True),
        loss_call(dtype=FLOAT16, index=INT32, line=True, inputs=(6, 5, 4)),
        loss_call(dtype=DOUBLE, index=BOOL, lengths=(1, 1)),
    ),
    reference=_torch_loss,
    draw=lambda random: loss_call(**drawn(random)),  # type: ignore[arg-type]
    typical=lambda n: loss_call(50, (10,) * max(n // 5000, 1), 100),
    notes=(
        *_NOTES,
        "Of logAlphaOut, what no beginning leads to is -inf, also past a sample's end.",
        "Lengths below 1 count as 0; the document demands at least 1.",
    ),
)  # fmt: skip

_ALPHA_LENGTHS = Lengths((_SAMPLES, DimOf("logProbs", const(0)), DimOf("logAlpha", const(2))))
BACKWARD = Operator(
    "aclnnCtcLossBackward",
    summary="Gradient of the connectionist temporal classification.",
    formula="`out = gradOut * (exp(logProbs) - p)`, where p is the probability that the class has "
    "in the alignments of the target; 0 past the end of a sample",
    params=(
        TensorIn("gradOut", "Gradient of the loss."),
        *_parameters("targetLengths"),
        TensorIn("negLogLikelihood", "The loss of each sample."),
        TensorIn("logAlpha", "Logarithms of the probabilities of beginnings."),
        _BLANK,
        _ZERO_INFINITY,
        TensorOut("out", "Gradient of logProbs.", like="logProbs"),
    ),
    checks=(
        given("gradOut", "logProbs", "targets", "inputLengths", "targetLengths",
              "negLogLikelihood", "logAlpha", "out"),
        _has_times(), rank_in("gradOut", 1), rank_in("negLogLikelihood", 1),
        rank_in("logProbs", 3), rank_in("logAlpha", 3), rank_in("targets", 1, 2),
        _blank_exists(),
        number_is(
            "alphas_fit", "logAlpha",
            AtMost(Sum(Times(LargestItem("targetLengths"), const(2)), const(1)),
                   DimOf("logAlpha", const(2))),
            "logAlpha must have 2 * max(targetLengths) + 1 places", DimOf("logAlpha", const(2)),
        ),
        shape_is("gradOut", Lengths((_SAMPLES,)), "[N]"),
        shape_is("negLogLikelihood", Lengths((_SAMPLES,)), "[N]"),
        shape_is("logAlpha", _ALPHA_LENGTHS, "[N, T, places]"),
        _one_per_sample("inputLengths"), _one_per_sample("targetLengths"), _inputs_fit(),
        _targets_fit("targetLengths"), same_shape("out", "logProbs"),
        dtype_in("logProbs", *_DTYPES), _small_enough("logAlpha"),
        *(same_dtype(each, "logProbs")
          for each in ("gradOut", "negLogLikelihood", "logAlpha", "out")),
        dtype_in("targets", *_LABELS),
        done_when(Condition(Equal(DimOf("logProbs", const(1)), const(0)), "there are no samples")),
        feasible("aclnnCtcLossBackward", "out",
                 ("gradOut", "logProbs", "targets", "negLogLikelihood", "logAlpha")),
    ),
    golden=golden_backward,
    samples=(
        backward_call(),
        backward_call(dtype=FLOAT16, index=INT32, line=True, inputs=(6, 5, 4)),
        backward_call(index=BOOL, lengths=(1, 1), zero=True),
    ),
    reference=_torch_backward,
    gradient=Gradient(
        "aclnnCtcLoss", {"out": "logProbs"}, {"gradOut": "negLogLikelihoodOut"},
        saved={"negLogLikelihood": "negLogLikelihoodOut", "logAlpha": "logAlphaOut",
               "targetLengths": "targetlengths"},
        normalised=("logProbs",),
    ),
    draw=lambda random: backward_call(**{**drawn(random), "dtype": random_dtype(random)}),  # type: ignore[arg-type]
    typical=lambda n: backward_call(50, (10,) * max(n // 5000, 1), 100),
    notes=(
        *_NOTES,
        "As in torch, it is the derivative by what went into the softmax before logProbs.",
    ),
)  # fmt: skip

OPS = (LOSS, BACKWARD)
