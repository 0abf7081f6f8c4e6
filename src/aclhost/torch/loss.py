# SPDX-License-Identifier: Apache-2.0
"""Losses by torch's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import _reduction

from aclhost.torch.autograd import apply

Optional = torch.Tensor | None


def l1_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """The distance of input and target; both have gradients."""
    reduction = _word(size_average, reduce, reduction)
    return _loss("aclnnL1Loss", input, target, reduction=reduction)


def mse_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """The squared distance of input and target; both have gradients."""
    reduction = _word(size_average, reduce, reduction)
    return _loss("aclnnMseLoss", input, target, reduction=reduction)


def smooth_l1_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> torch.Tensor:
    """Quadratic where input and target differ by less than beta, linear elsewhere."""
    reduction = _word(size_average, reduce, reduction)
    return _loss("aclnnSmoothL1Loss", input, target, reduction=reduction, beta=beta)


def soft_margin_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """`log(1 + exp(-target * input))`."""
    reduction = _word(size_average, reduce, reduction)
    return _loss("aclnnSoftMarginLoss", input, target, reduction=reduction)


def binary_cross_entropy(
    input: torch.Tensor,
    target: torch.Tensor,
    weight: Optional = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """The cross entropy of probabilities."""
    reduction = _word(size_average, reduce, reduction)
    return _loss("aclnnBinaryCrossEntropy", input, target, weight=weight, reduction=reduction)


def binary_cross_entropy_with_logits(
    input: torch.Tensor,
    target: torch.Tensor,
    weight: Optional = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Optional = None,
) -> torch.Tensor:
    """The cross entropy of the input's sigmoid; input and target have gradients."""
    return _loss(
        "aclnnBinaryCrossEntropyWithLogits",
        input,
        target,
        weight_optional=weight,
        pos_weight_optional=pos_weight,
        reduction=_word(size_average, reduce, reduction),
    )


def kl_div(
    input: torch.Tensor,
    target: torch.Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> torch.Tensor:
    """The divergence of distributions, the input given as logarithms; both have gradients."""
    reduction = _word(size_average, reduce, reduction)
    per_batch = reduction == "batchmean"
    loss = _loss(
        "aclnnKlDiv",
        input,
        target,
        reduction="sum" if per_batch else reduction,
        log_target=log_target,
    )
    return loss / input.shape[0] if per_batch else loss


def nll_loss(
    input: torch.Tensor,
    target: torch.Tensor,
    weight: Optional = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> torch.Tensor:
    """The negative log-likelihood of classes, for rows or for planes."""
    name = "aclnnNLLLoss2d" if input.dim() == 4 else "aclnnNLLLoss"
    classes = input.shape[0 if input.dim() == 1 else 1]
    loss, _ = apply(
        name,
        self=input,
        target=target,
        weight=input.new_ones(classes) if weight is None else weight,
        reduction=_word(size_average, reduce, reduction),
        ignore_index=ignore_index,
    )
    result: torch.Tensor = loss
    return result


def cross_entropy(
    input: torch.Tensor,
    target: torch.Tensor,
    weight: Optional = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> torch.Tensor:
    """The cross entropy of the softmax of rows and the classes that are right."""
    reduction = _word(size_average, reduce, reduction)
    results = apply(
        "aclnnCrossEntropyLoss",
        input=input,
        target=target,
        weight_optional=weight,
        reduction_optional=reduction,
        ignore_index=ignore_index,
        label_smoothing=label_smoothing,
        lse_square_scale_for_zloss=0.0,
        return_zloss=False,
    )
    loss: torch.Tensor = results[0]
    return loss if reduction == "none" else loss.reshape(())


def ctc_loss(
    log_probs: torch.Tensor,
    targets: torch.Tensor,
    input_lengths: torch.Tensor | Sequence[int],
    target_lengths: torch.Tensor | Sequence[int],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> torch.Tensor:
    """The negative log-likelihood of label sequences over all their alignments."""
    lengths = _integers(target_lengths)
    loss, _ = apply(
        "aclnnCtcLoss",
        log_probs=log_probs,
        targets=targets,
        input_lengths=_integers(input_lengths),
        targetlengths=lengths,
        blank=blank,
        zero_infinity=zero_infinity,
    )
    result: torch.Tensor = loss
    if reduction == "sum":
        return result.sum()
    if reduction == "mean":
        return (result / result.new_tensor(lengths).clamp(min=1)).mean()
    return result


def _loss(name: str, input: torch.Tensor, target: torch.Tensor, **attributes: Any) -> torch.Tensor:  # noqa: ANN401
    result: torch.Tensor = apply(name, self=input, target=target, **attributes)
    return result


def _word(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction, which torch's old arguments may override."""
    if size_average is None and reduce is None:
        return reduction
    word: str = _reduction.legacy_get_string(size_average, reduce)
    return word


def _integers(values: torch.Tensor | Sequence[int]) -> tuple[int, ...]:
    return tuple(values.tolist() if isinstance(values, torch.Tensor) else values)
