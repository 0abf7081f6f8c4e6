# SPDX-License-Identifier: Apache-2.0
"""Cross entropy of rows of logits and probabilities, and its gradient at once."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.loss.build import TABLE, Torch, broadcasts_to, random_dtype
from aclhost.ops.pointwise.checks import feasible, given, listed
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, FLOAT16, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorOut
from aclhost.spec.rules import done_when_empty, fits_shape, inner, rank_at_most, rank_in, same_dtype
from aclhost.spec.shapes import Lengths, ShapeOf
from aclhost.spec.terms import DimOf, const

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_NAME = "aclnnSoftmaxCrossEntropyWithLogits"
_ROWS = Lengths((DimOf("features", const(0)),))
_LABELS = (1.5, 2.5)  # of samples: no difference from a probability nearly cancels
_EVERYTHING = ("features", "labels", "loss", "backprop")


def golden(features: Array, labels: Array) -> tuple[Array, Array]:
    """The loss of each row, and the softmax less the labels."""
    import numpy as np

    shifted = features - features.max(1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    return -(labels * logs).sum(1), np.exp(logs) - labels


def _reference(torch: Torch, features: Torch, labels: Torch) -> tuple[Torch, Torch]:
    logs = torch.log_softmax(features, 1)
    return -(labels * logs).sum(1), logs.exp() - labels


def _call(rows: int, classes: int, dtype: DataType, labels: tuple[int, int] | None = None) -> Call:
    return Call(
        {
            "features": TensorArg((rows, classes), dtype),
            "labels": TensorArg(labels or (rows, classes), dtype, span=_LABELS),
            "loss": TensorArg((rows,), dtype),
            "backprop": TensorArg((rows, classes), dtype),
        }
    )


def _drawn(random: Random) -> Call:
    rows, classes = random.choice((1, 3, 40)), random.choice((1, 2, 5, 33, 300))
    labels = random.choice(((rows, classes), (1, classes), (rows, 1)))
    return _call(rows, classes, random_dtype(random), labels)


OP = Operator(
    _NAME,
    summary="Cross entropy of rows of logits and probabilities, and its gradient.",
    formula="`loss = -sum(labels * log(softmax(features)))` and "
    "`backprop = softmax(features) - labels` for each row",
    params=(
        TensorIn("features", "Logits: a row of C classes for each of N samples."),
        TensorIn("labels", "Probabilities of the classes.", is_const=False),
        TensorOut("loss", "The loss of each row.", shape=_ROWS, like="features"),
        TensorOut("backprop", "Gradient of features.", like="features"),
    ),
    checks=(
        given(*_EVERYTHING),
        listed(_EVERYTHING, *TABLE),
        same_dtype("loss", "features"),
        same_dtype("backprop", "features"),
        rank_at_most("loss", 8),
        rank_at_most("backprop", 8),
        rank_in("features", 2),
        rank_in("labels", 2),
        done_when_empty("features", "labels"),
        feasible(_NAME, "loss", ("features", "labels")),
        inner(fits_shape("loss", _ROWS, "[N]")),
        inner(fits_shape("backprop", ShapeOf("features"), "of features")),
    ),
    launch_checks=(
        inner(same_dtype("labels", "features")),
        inner(broadcasts_to("labels", "features")),
    ),
    golden=golden,
    samples=(
        _call(4, 5, FLOAT),
        _call(3, 7, FLOAT16),
        _call(6, 3, BF16, (6, 1)),
        _call(2, 9, FLOAT, (1, 9)),
    ),
    reference=_reference,
    ulps=8,
    draw=_drawn,
    typical=lambda n: _call(max(n // 1000, 1), 1000, FLOAT),
    notes=(
        "That labels have another dtype than features, or do not broadcast to their shape, only "
        "phase 2 notices.",
    ),
)
