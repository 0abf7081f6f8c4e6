# SPDX-License-Identifier: Apache-2.0
"""Norms and softmax by torch's names."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from aclhost.torch.autograd import apply

Optional = torch.Tensor | None


def softmax(
    input: torch.Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """Powers of e along a dimension, divided by their sum."""
    return _along("aclnnSoftmax", input, dim, dtype)


def log_softmax(
    input: torch.Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """The logarithm of the softmax."""
    return _along("aclnnLogSoftmax", input, dim, dtype)


def _along(
    name: str, input: torch.Tensor, dim: int | None, dtype: torch.dtype | None
) -> torch.Tensor:
    if dim is None:  # as torch guesses it
        dim = 0 if input.ndim in (0, 1, 3) else 1
    x = input if dtype is None else input.to(dtype)
    result: torch.Tensor = apply(name, self=x, dim=dim)
    return result


def layer_norm(
    input: torch.Tensor,
    normalized_shape: Sequence[int],
    weight: Optional = None,
    bias: Optional = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    """The last dimensions with mean 0 and variance 1, then scaled and shifted."""
    result: torch.Tensor = apply(
        "aclnnLayerNorm",
        input=input,
        normalized_shape=tuple(normalized_shape),
        weight_optional=weight,
        bias_optional=bias,
        eps=eps,
    )[0]
    return result


def rms_norm(
    input: torch.Tensor,
    normalized_shape: Sequence[int],
    weight: Optional = None,
    eps: float | None = None,
) -> torch.Tensor:
    """The last dimensions divided by the root of their mean square, then scaled."""
    gamma = weight
    if gamma is None:
        gamma = torch.ones(tuple(normalized_shape), dtype=input.dtype)
    epsilon = torch.finfo(input.dtype).eps if eps is None else eps
    result: torch.Tensor = apply("aclnnRmsNorm", x=input, gamma=gamma, epsilon=epsilon)[0]
    return result


def group_norm(
    input: torch.Tensor,
    num_groups: int,
    weight: Optional = None,
    bias: Optional = None,
    eps: float = 1e-5,
) -> torch.Tensor:
    """Groups of an image's channels with mean 0 and variance 1, then scaled and shifted."""
    result: torch.Tensor = apply(
        "aclnnGroupNorm",
        self=input,
        gamma=weight,
        beta=bias,
        n=input.shape[0],
        c=input.shape[1],
        hx_w=math.prod(input.shape[2:]),
        group=num_groups,
        eps=eps,
    )[0]
    return result


def batch_norm(
    input: torch.Tensor,
    running_mean: Optional,
    running_var: Optional,
    weight: Optional = None,
    bias: Optional = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> torch.Tensor:
    """Channels normalised over the batch, or by running statistics; training moves those."""
    _, _, result, *_ = apply(
        "aclnnBatchNorm",
        input=input,
        weight=weight,
        bias=bias,
        running_mean=running_mean,
        running_var=running_var,
        training=training,
        momentum=momentum,
        eps=eps,
    )
    output: torch.Tensor = result
    return output
