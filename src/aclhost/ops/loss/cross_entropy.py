# SPDX-License-Identifier: Apache-2.0
"""Cross entropy of rows of logits with the right class of each, and its gradient."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.loss.build import TABLE, Torch, random_dtype
from aclhost.ops.pointwise.checks import given
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, INT32, INT64, DataType
from aclhost.spec.gradient import Gradient
from aclhost.spec.operator import Operator
from aclhost.spec.params import Double, Flag, Int, TensorIn, TensorOut, Text
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    Condition,
    Rule,
    dims_positive,
    done_when_empty,
    dtype_in,
    fits_shape,
    in_tiling,
    inside_storage,
    is_given,
    only_on,
    rank_in,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, ShapeIf
from aclhost.spec.terms import DimOf, Not, Or, Present, RealIs, TextIs, all_of, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NEWER = (A950, A3, A2)
_IS_EACH = TextIs("reductionOptional", ("none",))
_SINGLE = Lengths((const(1),))
_NOTES = (
    "Rows whose class is ignoreIndex do not count; their gradients are 0.",
    "A class that does not exist is skipped and reported as an index out of range: 507015 at the "
    "next synchronisation, and an exception in Python.",
    "Upstream generates the checks of this operator; the shapes of results are checked by aclhost.",
)


def _log_softmax(x: Array) -> Array:
    import numpy as np

    shifted = x - x.max(-1, keepdims=True)
    logs: Array = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return logs


def _slopes(
    target: Array, weight: Array | None, classes: int, ignored: int, smoothing: float
) -> tuple[Array, Array]:
    """What each class of a row counts: by the target alone, and with all of them smoothed."""
    import numpy as np

    own = np.ones(classes) if weight is None else weight
    weights = np.where((target != ignored)[:, None], own, 0.0)
    picks = (np.arange(classes) == target[:, None]) * weights
    share = np.float64(np.float32(smoothing))
    return picks, (1 - share) * picks + share / classes * weights


def golden(
    input: Array, target: Array, weight_optional: Array | None, reduction_optional: str | None,
    ignore_index: int, label_smoothing: float, lse_square_scale_for_zloss: float,
    return_zloss: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """The loss, the logarithms of the softmax, and 0 for the other two."""
    import numpy as np

    logs, classes = _log_softmax(input), input.shape[1]
    own = np.ones(classes) if weight_optional is None else weight_optional
    is_own = np.arange(classes) == target[:, None]
    losses = -np.where(is_own, own * logs, 0.0).sum(1)
    share = np.float64(np.float32(label_smoothing))
    if share:
        losses = (1 - share) * losses - share / classes * (own * logs).sum(1)
    losses = np.where(target != ignore_index, losses, 0.0)
    picks, _ = _slopes(target, weight_optional, classes, ignore_index, label_smoothing)
    total = {"none": losses, "sum": losses.sum(keepdims=True)}.get(
        reduction_optional or "mean", losses.sum(keepdims=True) / picks.sum()
    )
    return total, logs, np.zeros(1), np.zeros(len(input))


def golden_gradient(
    grad_loss: Array, log_prob: Array, target: Array, weight_optional: Array | None,
    grad_zloss_optional: Array | None, lse_for_zloss_optional: Array | None,
    reduction_optional: str | None, ignore_index: int, label_smoothing: float,
    lse_square_scale_for_zloss: float,
) -> Array:  # fmt: skip
    """The softmax's share of all slopes, less each class's own."""
    import numpy as np

    classes, counts = log_prob.shape[1], (target != ignore_index)[:, None]
    picks, slopes = _slopes(target, weight_optional, classes, ignore_index, label_smoothing)
    slopes = slopes * grad_loss.reshape(-1, 1)
    if (reduction_optional or "mean") == "mean":
        slopes = slopes / picks.sum()
    return np.where(counts, np.exp(log_prob) * slopes.sum(1, keepdims=True) - slopes, 0.0)


def _torch_loss(
    torch: Torch, input: Torch, target: Torch, weight_optional: Torch,
    reduction_optional: str | None, ignore_index: int, label_smoothing: float,
    lse_square_scale_for_zloss: float, return_zloss: bool,
) -> tuple[Torch, ...]:  # fmt: skip
    weight = None if weight_optional is None else weight_optional.to(input.dtype)
    loss = torch.nn.functional.cross_entropy(
        input, target.long(), weight, ignore_index=ignore_index,
        reduction=reduction_optional or "mean", label_smoothing=label_smoothing,
    )  # fmt: skip
    zeros = torch.zeros(len(input), dtype=input.dtype)
    return loss.reshape(-1), torch.log_softmax(input, 1), zeros[:1], zeros


def _torch_gradient(
    torch: Torch, grad_loss: Torch, log_prob: Torch, target: Torch, weight_optional: Torch,
    grad_zloss_optional: Torch, lse_for_zloss_optional: Torch, reduction_optional: str | None,
    ignore_index: int, label_smoothing: float, lse_square_scale_for_zloss: float,
) -> Torch:  # fmt: skip
    """Of logarithms that need not be normalised: exponentials count as the softmax."""
    if label_smoothing or grad_loss.isinf().any():
        return NotImplemented  # torch normalises, and multiplies no class by 0 but leaves it out
    x = torch.zeros_like(log_prob).requires_grad_()
    logs = log_prob + x - (log_prob.exp() * x).sum(1, keepdim=True)
    weight = None if weight_optional is None else weight_optional.to(x.dtype)
    loss = torch.nn.functional.nll_loss(
        logs, target.long(), weight, ignore_index=ignore_index,
        reduction=reduction_optional or "mean",
    )  # fmt: skip
    loss.backward(grad_loss.reshape(loss.shape))
    return x.grad


def _attributes(smoothing: str) -> tuple[Rule, ...]:
    words = TextIs("reductionOptional", ("mean", "sum", "none"))
    return in_tiling(
        requires(
            "one_of", "reductionOptional", Or(Not(Present("reductionOptional")), words),
            'reductionOptional must be "mean", "sum" or "none"',
            (Shown("text", "reductionOptional"),), "Pass one of these, or null for the mean.",
        ),
        requires(
            "in_range", "labelSmoothing",
            all_of(RealIs("labelSmoothing", ">=", 0.0), RealIs("labelSmoothing", "<=", 1.0)),
            "labelSmoothing must lie between 0 and 1", (Shown("real", "labelSmoothing"),),
            smoothing,
        ),
    )  # fmt: skip


def _shapes(x: str) -> tuple[Rule, ...]:
    rows, classes = Lengths((DimOf(x, const(0)),)), Lengths((DimOf(x, const(1)),))
    return in_tiling(
        rank_in(x, 2),
        dims_positive(x, 1),
        shape_is("target", rows, f"[N] for a {x} of [N, C]"),
        when(is_given("weightOptional"), shape_is("weightOptional", classes, "[C]")),
    )


def _one_per_row(parameter: str, x: str) -> tuple[Rule, ...]:
    rows = Lengths((DimOf(x, const(0)),))
    each = Condition(_IS_EACH, 'reductionOptional is "none"')
    other = Condition(Not(_IS_EACH), 'reductionOptional is not "none"')
    return in_tiling(
        when(each, shape_is(parameter, rows, "[N]")),
        when(other, fits_shape(parameter, _SINGLE, "of one element")),
    )


_CLASSES = (INT64, only_on(INT32, A950))
_REDUCTION = Text(
    "reductionOptional", '"mean" (also for null), "sum" or "none".', default="mean", optional=True
)
_IGNORED = Int("ignoreIndex", "Class that does not count.", default=-100)
_SMOOTHING = Double("labelSmoothing", "Share of the loss that all classes have.", 0.0)
_SCALE = Double("lseSquareScaleForZloss", "Without effect.", 0.0)
_TARGET = TensorIn("target", "The right class of each row.")
_WEIGHT = TensorIn("weightOptional", "Weight of each class.", optional=True)
_WEIGHTED = when(is_given("weightOptional"), dtype_in("weightOptional", FLOAT))


def _loss_call(
    rows: int, classes: int, reduction: str | None, dtype: DataType = FLOAT, weighted: bool = True,
    smoothing: float = 0.0, ignored: int = 1,
) -> Call:  # fmt: skip
    each = (rows,) if reduction == "none" else (1,)
    return Call(
        {
            "input": TensorArg((rows, classes), dtype),
            "target": TensorArg((rows,), INT64, span=(0, classes)),
            "weightOptional": TensorArg((classes,), FLOAT, span=(0.5, 2.0)) if weighted else None,
            "reductionOptional": reduction,
            "ignoreIndex": ignored,
            "labelSmoothing": smoothing,
            "lseSquareScaleForZloss": 0.0,
            "returnZloss": False,
            "lossOut": TensorArg(each, dtype),
            "logProbOut": TensorArg((rows, classes), dtype),
            "zlossOut": TensorArg((1,), dtype),
            "lseForZlossOut": TensorArg((rows,), dtype),
        }
    )


def _gradient_call(
    rows: int, classes: int, reduction: str | None, dtype: DataType = FLOAT, weighted: bool = True,
    smoothing: float = 0.0, ignored: int = 1,
) -> Call:  # fmt: skip
    return Call(
        {
            "gradLoss": TensorArg((rows,) if reduction == "none" else (), dtype),
            "logProb": TensorArg((rows, classes), dtype, span=(-4.0, 0.0)),
            "target": TensorArg((rows,), INT64, span=(0, classes)),
            "weightOptional": TensorArg((classes,), FLOAT, span=(0.5, 2.0)) if weighted else None,
            "gradZlossOptional": None,
            "lseForZlossOptional": None,
            "reductionOptional": reduction,
            "ignoreIndex": ignored,
            "labelSmoothing": smoothing,
            "lseSquareScaleForZloss": 0.0,
            "out": TensorArg((rows, classes), dtype),
        }
    )


def _drawn(random: Random) -> dict[str, object]:
    return {
        "rows": random.choice((1, 2, 7, 40)),
        "classes": random.choice((1, 2, 5, 33, 300)),
        "reduction": random.choice((None, "mean", "sum", "none")),
        "dtype": random_dtype(random),
        "weighted": random.random() < 0.5,
        "smoothing": random.choice((0.0, 0.25, 1.0)),
        "ignored": random.choice((-100, 0, 1)),
    }


LOSS = Operator(
    "aclnnCrossEntropyLoss",
    summary="Cross entropy of rows of logits and classes, its weighted mean or its sum.",
    formula="`logProbOut = input - log(sum(exp(input)))` for each row, and\n"
    "`loss = -(1 - labelSmoothing) * weight[target] * logProbOut[target] "
    "- labelSmoothing / C * sum(weight * logProbOut)`;\n"
    "then nothing, the sum, or that divided by the sum of `weight[target]`. "
    "A weight that is left out counts as 1.",
    params=(
        TensorIn("input", "Logits: a row of C classes for each of N samples."),
        _TARGET,
        _WEIGHT,
        _REDUCTION,
        _IGNORED,
        _SMOOTHING,
        _SCALE,
        Flag("returnZloss", "Without effect.", default=False),
        TensorOut(
            "lossOut", "The loss.", like="input", is_const=True,
            shape=ShapeIf(_IS_EACH, Lengths((DimOf("input", const(0)),)), _SINGLE),
        ),
        TensorOut("logProbOut", "Logarithms of the softmax.", like="input", is_const=True),
        TensorOut("zlossOut", "Becomes 0.", like="input", shape=_SINGLE, is_const=True),
        TensorOut("lseForZlossOut", "Becomes 0.", like="input", is_const=True,
                  shape=Lengths((DimOf("input", const(0)),))),
    ),
    checks=(
        given("input", "target", "lossOut", "logProbOut", "zlossOut", "lseForZlossOut"),
        dtype_in("input", *TABLE), dtype_in("target", *_CLASSES), _WEIGHTED,
        *(same_dtype(each, "input")
          for each in ("lossOut", "logProbOut", "zlossOut", "lseForZlossOut")),
        supported_on(*_NEWER),
        _attributes("Pass a share."),
        _shapes("input"), _one_per_row("lossOut", "input"),
        in_tiling(same_shape("logProbOut", "input")),
        inside_storage("input", "target", "weightOptional"),
    ),
    golden=golden,
    samples=(
        _loss_call(4, 5, "mean"),
        _loss_call(3, 7, "none", FLOAT16, weighted=False),
        _loss_call(6, 3, "sum", BF16, smoothing=0.25),
        _loss_call(5, 4, None, smoothing=1.0, ignored=-100),
    ),
    reference=_torch_loss,
    ulps=8,
    draw=lambda random: _loss_call(**_drawn(random)),  # type: ignore[arg-type]
    typical=lambda n: _loss_call(max(n // 1000, 1), 1000, "mean", weighted=False, ignored=-100),
    notes=(
        *_NOTES,
        "zlossOut and lseForZlossOut become 0: upstream documents them as not supported.",
        "A mean of no rows that count is NaN.",
    ),
)  # fmt: skip

GRADIENT = Operator(
    "aclnnCrossEntropyLossGrad",
    summary="Gradient of the cross entropy of rows of logits and classes.",
    formula="With `s = gradLoss * ((1 - labelSmoothing) * weight * [class is target] "
    "+ labelSmoothing / C * weight)`, with a mean divided by the sum of `weight[target]`: "
    "`out = exp(logProb) * sum(s) - s` for each row",
    params=(
        TensorIn("gradLoss", "Gradient of the loss."),
        TensorIn("logProb", "Logarithms of the softmax."),
        _TARGET,
        _WEIGHT,
        TensorIn("gradZlossOptional", "Without effect.", optional=True),
        TensorIn("lseForZlossOptional", "Without effect.", optional=True),
        _REDUCTION,
        _IGNORED,
        _SMOOTHING,
        _SCALE,
        TensorOut("out", "Gradient of the logits.", like="logProb", is_const=True),
    ),
    checks=(
        given("gradLoss", "logProb", "target", "out"),
        dtype_in("gradLoss", *TABLE), same_dtype("logProb", "gradLoss"),
        dtype_in("target", *_CLASSES), _WEIGHTED, same_dtype("out", "gradLoss"),
        supported_on(*_NEWER),
        _attributes("Pass a share."),
        _shapes("logProb"), _one_per_row("gradLoss", "logProb"),
        in_tiling(same_shape("out", "logProb")), done_when_empty("logProb"),
        inside_storage("gradLoss", "logProb", "target", "weightOptional"),
    ),
    golden=golden_gradient,
    samples=(
        _gradient_call(4, 5, "mean"),
        _gradient_call(3, 7, "none", FLOAT16, weighted=False),
        _gradient_call(6, 3, "sum", BF16, smoothing=0.25),
        _gradient_call(5, 4, None, smoothing=1.0, ignored=-100),
    ),
    reference=_torch_gradient,
    ulps=8,
    ulps_from=0.25,  # differences of shares
    gradient=Gradient(
        "aclnnCrossEntropyLoss", {"out": "input"}, {"gradLoss": "lossOut"},
        saved={"logProb": "logProbOut"},
        derived={"gradZlossOptional": lambda _: None, "lseForZlossOptional": lambda _: None},
    ),
    draw=lambda random: _gradient_call(**_drawn(random)),  # type: ignore[arg-type]
    typical=lambda n: _gradient_call(max(n // 1000, 1), 1000, "mean", weighted=False,
                                     ignored=-100),
    notes=(
        *_NOTES,
        "Upstream documents labelSmoothing 0 only, and no z-loss; aclhost smooths and ignores the "
        "rest.",
    ),
)  # fmt: skip

OPS = (LOSS, GRADIENT)
