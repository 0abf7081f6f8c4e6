# SPDX-License-Identifier: Apache-2.0
"""Pieces of a cross entropy whose classes are divided among devices."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from aclhost.ops.loss.build import TABLE, Torch, random_dtype
from aclhost.ops.loss.shapes import number_is
from aclhost.ops.pointwise.checks import given, listed
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.dtypes import BF16, FLOAT, INT32, DataType
from aclhost.spec.operator import Operator
from aclhost.spec.params import Float, Int, TensorIn, TensorOut
from aclhost.spec.products import A2, A3, A950
from aclhost.spec.rules import (
    dtype_in,
    inner,
    inside_storage,
    is_given,
    not_null,
    rank_in,
    requires,
    same_dtype,
    same_shape,
    shape_is,
    supported_on,
    when,
)
from aclhost.spec.rules.base import Shown
from aclhost.spec.shapes import Lengths, ShapeIf, ShapeOf, WithoutLast
from aclhost.spec.terms import (
    AtMost,
    DimOf,
    DtypeOf,
    Elements,
    Equal,
    If,
    In,
    Not,
    Present,
    RealIs,
    RoundedUp,
    Sum,
    Term,
    ValueOf,
    all_of,
    const,
)

if TYPE_CHECKING:
    from aclhost.spec.golden import Array

_LOGITS = "vocabParallelLogits"
_CLASSES = DimOf(_LOGITS, const(-1))
_START, _END = ValueOf("vocabStartIndex"), ValueOf("vocabEndIndex")
_COLUMNS = ("predictedLogitsOut", "sumExpLogitsOut", "targetOffsetOut", "targetMaskOut")


def golden_pieces(
    vocab_parallel_logits: Array, target: Array, global_logits_max: Array, vocab_start_index: int,
    vocab_end_index: int,
) -> tuple[Array, ...]:  # fmt: skip
    """What a device knows about its own classes."""
    import numpy as np

    shifted = vocab_parallel_logits - global_logits_max[..., None]
    elsewhere = (target < vocab_start_index) | (target >= vocab_end_index)
    offsets = np.where(elsewhere, 0, target - vocab_start_index)
    picked = np.take_along_axis(shifted, offsets[..., None].astype(np.int64), -1)[..., 0]
    powers = np.exp(shifted)
    return (np.where(elsewhere, 0.0, picked), powers.sum(-1), powers,
            offsets.astype(np.int32), elsewhere.astype(np.int32))  # fmt: skip


def _torch_pieces(
    torch: Torch, vocab_parallel_logits: Torch, target: Torch, global_logits_max: Torch,
    vocab_start_index: int, vocab_end_index: int,
) -> tuple[Torch, ...]:  # fmt: skip
    shifted = vocab_parallel_logits - global_logits_max.unsqueeze(-1)
    elsewhere = (target < vocab_start_index) | (target >= vocab_end_index)
    offsets = torch.where(elsewhere, 0, target - vocab_start_index).long()
    picked = shifted.gather(-1, offsets.unsqueeze(-1)).squeeze(-1)
    powers = shifted.exp()
    return (torch.where(elsewhere, 0.0, picked), powers.sum(-1), powers, offsets.int(),
            elsewhere.int())  # fmt: skip


def golden_loss(
    logits_max: Array, sum_exp_logits: Array, predicted_logits: Array, label_smoothing: float,
    input_optional: None, weight_optional: None, vocab_parallel_logits_optional: Array | None,
) -> tuple[Array, Array]:  # fmt: skip
    """The loss of each row, and the softmax of its classes."""
    import numpy as np

    losses = np.log(sum_exp_logits) - predicted_logits
    if vocab_parallel_logits_optional is None:
        return losses, np.zeros(0)
    shifted = vocab_parallel_logits_optional - logits_max[:, None]
    return losses, np.exp(shifted) / sum_exp_logits[:, None]


def _torch_loss(
    torch: Torch, logits_max: Torch, sum_exp_logits: Torch, predicted_logits: Torch,
    label_smoothing: float, input_optional: None, weight_optional: None,
    vocab_parallel_logits_optional: Torch,
) -> tuple[Torch, Torch]:  # fmt: skip
    losses = sum_exp_logits.log() - predicted_logits
    if vocab_parallel_logits_optional is None:
        return losses, torch.zeros(0)
    shifted = vocab_parallel_logits_optional - logits_max.unsqueeze(-1)
    return losses, shifted.exp() / sum_exp_logits.unsqueeze(-1)


def _between(least: int, term: Term, most: int) -> Term:
    return all_of(AtMost(const(least), term), AtMost(term, const(most)))


def _pieces_call(shape: tuple[int, ...], dtype: DataType = FLOAT, start: int = 0) -> Call:
    rows, classes = shape[:-1], shape[-1]
    return Call(
        {
            _LOGITS: TensorArg(shape, dtype, span=(-4.0, 0.0)),
            "target": TensorArg(rows, INT32, span=(0, 2 * classes)),
            "globalLogitsMax": TensorArg(rows, dtype, span=(0.0, 2.0)),
            "vocabStartIndex": start,
            "vocabEndIndex": start + classes,
            "predictedLogitsOut": TensorArg(rows),
            "sumExpLogitsOut": TensorArg(rows),
            "expLogitsOut": TensorArg(shape),
            "targetOffsetOut": TensorArg(rows, INT32),
            "targetMaskOut": TensorArg(rows, INT32),
        },
        A950,
    )


def _drawn_pieces(random: Random) -> Call:
    classes = random.choice((16, 32, 160))
    rows = random.choice(((7,), (2, 3), (1,), (40, 2)))
    dtype = random.choice((FLOAT, BF16))
    return _pieces_call((*rows, classes), dtype, random.choice((0, classes // 2)))


_TARGET_SHAPE = ShapeOf("target")
PIECES = Operator(
    "aclnnCrossEntropySumExpAndIndexLogit",
    summary="What a device adds to a cross entropy whose classes are divided among devices.",
    formula="With x = vocabParallelLogits - globalLogitsMax: `expLogitsOut = exp(x)`, "
    "`sumExpLogitsOut` its sum over the classes, `predictedLogitsOut = x[target - "
    "vocabStartIndex]`, `targetOffsetOut = target - vocabStartIndex`; where target is none of the "
    "classes here, both are 0 and `targetMaskOut` is 1, else 0",
    params=(
        TensorIn(_LOGITS, "Logits of the classes of this device: [N, V] or [S, B, V]."),
        TensorIn("target", "The right class of each row, among those of all devices."),
        TensorIn("globalLogitsMax", "Largest logit of each row, among those of all devices."),
        Int("vocabStartIndex", "First class of this device."),
        Int("vocabEndIndex", "First class after those of this device."),
        TensorOut("predictedLogitsOut", "Shifted logit of the target.", shape=_TARGET_SHAPE,
                  dtype=const(FLOAT), is_const=True),
        TensorOut("sumExpLogitsOut", "Sum of the exponentials.", shape=_TARGET_SHAPE,
                  dtype=const(FLOAT), is_const=True),
        TensorOut("expLogitsOut", "The exponentials.", shape=ShapeOf(_LOGITS), dtype=const(FLOAT),
                  is_const=True),
        TensorOut("targetOffsetOut", "Where the target is among the classes here.",
                  shape=_TARGET_SHAPE, dtype=const(INT32), is_const=True),
        TensorOut("targetMaskOut", "Whether the target is elsewhere.", shape=_TARGET_SHAPE,
                  dtype=const(INT32), is_const=True),
    ),
    checks=(
        given(_LOGITS, "target", "globalLogitsMax", "predictedLogitsOut", "sumExpLogitsOut",
              "expLogitsOut", "targetOffsetOut", "targetMaskOut"),
        dtype_in(_LOGITS, FLOAT, BF16), dtype_in("target", INT32),
        same_dtype("globalLogitsMax", _LOGITS),
        listed(("predictedLogitsOut", "sumExpLogitsOut", "expLogitsOut"), FLOAT),
        listed(("targetOffsetOut", "targetMaskOut"), INT32),
        rank_in(_LOGITS, 2, 3),
        shape_is("target", WithoutLast(ShapeOf(_LOGITS)), f"of {_LOGITS} without its last length"),
        same_shape("globalLogitsMax", "target"),
        number_is("classes_in_range", _LOGITS, _between(16, _CLASSES, 200 * 1024),
                f"{_LOGITS} must have 16 to 204800 classes", _CLASSES),
        number_is("classes_aligned", _LOGITS,
                Equal(_CLASSES, If(In(DtypeOf(_LOGITS), (BF16,)), RoundedUp(_CLASSES, 16),
                                   RoundedUp(_CLASSES, 8))),
                f"the classes of {_LOGITS} must be a multiple of 8, for BFLOAT16 of 16", _CLASSES),
        number_is("not_negative", "vocabStartIndex", AtMost(const(0), _START),
                "vocabStartIndex must be at least 0", _START),
        number_is("range_fits", "vocabEndIndex", Equal(_END, Sum(_START, _CLASSES)),
                f"vocabEndIndex must be vocabStartIndex plus the classes of {_LOGITS}", _END),
        number_is("rows_in_range", "target", _between(1, Elements("target"), 32 * 1024),
                "target must have 1 to 32768 elements", Elements("target")),
        *(same_shape(each, "target") for each in _COLUMNS), same_shape("expLogitsOut", _LOGITS),
        supported_on(A950),
        inside_storage(_LOGITS, "target", "globalLogitsMax"),
    ),
    golden=golden_pieces,
    samples=(
        _pieces_call((5, 16)),
        _pieces_call((2, 3, 32), start=8),
    ),
    reference=_torch_pieces,
    ulps=8,
    draw=_drawn_pieces,
    typical=lambda n: _pieces_call((max(n // 4096, 1), 4096)),
    notes=(
        "Upstream generates the checks of this operator; the shapes of results are checked by "
        "aclhost.",
    ),
)  # fmt: skip


def _loss_call(rows: int, classes: int | None, dtype: DataType = FLOAT) -> Call:
    logits = None if classes is None else TensorArg((rows, classes), dtype, span=(-4.0, 0.0))
    return Call(
        {
            "logitsMax": TensorArg((rows,), span=(0.0, 2.0)),
            "sumExpLogits": TensorArg((rows,), span=(1.0, 9.0)),
            "predictedLogits": TensorArg((rows,)),
            "labelSmoothing": 0.0,
            "inputOptional": None,
            "weightOptional": None,
            "vocabParallelLogitsOptional": logits,
            "lossOut": TensorArg((rows,)),
            "softMaxOutOptional": TensorArg((0,) if classes is None else (rows, classes)),
        }
    )


def _drawn_loss(random: Random) -> Call:
    classes = random.choice((None, 1, 7, 130))
    return _loss_call(random.choice((1, 5, 40)), classes, random_dtype(random))


_VOCAB = "vocabParallelLogitsOptional"
_GIVEN = is_given(_VOCAB)
LOSS = Operator(
    "aclnnFusedCrossEntropyLossWithMaxSum",
    summary="Cross entropy and softmax from the sums and maxima of rows.",
    formula="`lossOut = log(sumExpLogits) - predictedLogits` and `softMaxOutOptional = "
    "exp(vocabParallelLogitsOptional - logitsMax) / sumExpLogits`",
    params=(
        TensorIn("logitsMax", "Largest logit of each row."),
        TensorIn("sumExpLogits", "Sum of the exponentials of each row."),
        TensorIn("predictedLogits", "Shifted logit of each row's target."),
        Float("labelSmoothing", "Must be 0.", 0.0),
        TensorIn("inputOptional", "Without effect.", optional=True),
        TensorIn("weightOptional", "Without effect.", optional=True),
        TensorIn(_VOCAB, "Logits of the classes of this device: [N, V].", optional=True),
        TensorOut("lossOut", "The loss.", like="logitsMax"),
        TensorOut("softMaxOutOptional", "The softmax; nothing without logits.",
                  shape=ShapeIf(Present(_VOCAB), ShapeOf(_VOCAB), Lengths((const(0),))),
                  dtype=const(FLOAT)),
    ),
    checks=(
        given("logitsMax", "sumExpLogits", "predictedLogits", "lossOut"),
        when(_GIVEN, not_null("softMaxOutOptional")),
        listed(("logitsMax", "sumExpLogits", "predictedLogits", "lossOut"), FLOAT),
        when(_GIVEN, dtype_in(_VOCAB, *TABLE[:2], BF16), dtype_in("softMaxOutOptional", FLOAT)),
        rank_in("logitsMax", 1), same_shape("sumExpLogits", "logitsMax"),
        same_shape("predictedLogits", "logitsMax"), same_shape("lossOut", "logitsMax"),
        when(_GIVEN, rank_in(_VOCAB, 2), same_shape("softMaxOutOptional", _VOCAB)),
        requires("is_zero", "labelSmoothing", Not(RealIs("labelSmoothing", "!=", 0.0)),
                 "labelSmoothing must be 0", (Shown("real", "labelSmoothing"),), "Pass 0."),
        supported_on(A950, A3, A2),
        inside_storage("logitsMax", "sumExpLogits", "predictedLogits", _VOCAB),
    ),
    launch_checks=(
        when(_GIVEN, inner(number_is(
            "one_row_each", _VOCAB, Equal(DimOf(_VOCAB, const(0)), DimOf("logitsMax", const(0))),
            f"{_VOCAB} must have as many rows as logitsMax", DimOf(_VOCAB, const(0)),
        ))),
    ),
    golden=golden_loss,
    samples=(_loss_call(5, 7), _loss_call(3, 4, BF16), _loss_call(6, None)),
    reference=_torch_loss,
    ulps=8,
    draw=_drawn_loss,
    typical=lambda n: _loss_call(max(n // 1000, 1), 1000),
    notes=(
        "inputOptional and weightOptional are documented as null only; aclhost ignores them.",
        "That the logits have another number of rows than logitsMax, only phase 2 notices.",
    ),
)  # fmt: skip

OPS = (PIECES, LOSS)
