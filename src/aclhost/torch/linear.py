# SPDX-License-Identifier: Apache-2.0
"""Products with weights, and rows of them, by torch's names."""

from __future__ import annotations

from typing import Any, TypeAlias

import torch
from torch.autograd.function import once_differentiable

import aclhost

Context: TypeAlias = Any  # torch lets a Function hang what it likes on it
Optional = torch.Tensor | None

_CUBE = 0  # cubeMathType: as exact as the dtype
_NO_ROW = -1  # a paddingIdx that no row has


def linear(
    input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None
) -> torch.Tensor:
    """Rows of input times the transposed weight, and bias added."""
    alone = weight.dim() == 1
    matrix = weight.unsqueeze(0) if alone else weight
    rows = input.reshape(-1, input.shape[-1])
    result: torch.Tensor = _Linear.apply(rows, matrix, bias)  # type: ignore[no-untyped-call]
    return result.reshape(input.shape[:-1] if alone else (*input.shape[:-1], len(matrix)))


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Context, rows: torch.Tensor, weight: torch.Tensor, bias: Optional
    ) -> torch.Tensor:
        ctx.save_for_backward(rows, weight)
        turned = weight.detach().T
        if bias is None:
            return aclhost.mm(rows.detach(), turned, _CUBE)
        return aclhost.addmm(bias.detach(), rows.detach(), turned, 1.0, 1.0, _CUBE)

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, slope: torch.Tensor) -> tuple[Optional, ...]:
        rows, weight = (each.detach() for each in ctx.saved_tensors)
        of_rows, of_weight, of_bias = ctx.needs_input_grad
        return (
            aclhost.mm(slope, weight, _CUBE) if of_rows else None,
            aclhost.mm(slope.T, rows, _CUBE) if of_weight else None,
            aclhost.reduce_sum(slope, (0,), False, slope.dtype) if of_bias else None,
        )


def embedding(
    input: torch.Tensor,
    weight: torch.Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> torch.Tensor:
    """Rows of weight.

    Raises:
        NotImplementedError: max_norm, which changes weight, or a sparse gradient is wanted.

    """
    if max_norm is not None:
        raise NotImplementedError("max_norm is not offered; renormalise weight before the call")
    if sparse:
        raise NotImplementedError("sparse gradients are not offered; leave sparse out")
    padding = _NO_ROW if padding_idx is None else padding_idx % len(weight)
    result: torch.Tensor = _Embedding.apply(input, weight, padding, scale_grad_by_freq)  # type: ignore[no-untyped-call]
    return result


class _Embedding(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Context, indices: torch.Tensor, weight: torch.Tensor, padding: int, scaled: bool
    ) -> torch.Tensor:
        ctx.save_for_backward(indices)
        ctx.options = len(weight), padding, scaled
        return aclhost.embedding(weight.detach(), indices)

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, slope: torch.Tensor) -> tuple[Optional, ...]:
        (indices,) = ctx.saved_tensors
        return None, aclhost.embedding_dense_backward(slope, indices, *ctx.options), None, None
