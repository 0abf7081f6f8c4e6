# SPDX-License-Identifier: Apache-2.0
"""Activation functions by torch's names."""

from __future__ import annotations

import torch

from aclhost.torch.autograd import apply


def relu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """`max(0, x)`."""
    return threshold(input, 0.0, 0.0, inplace)


def relu6(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """`min(max(0, x), 6)`."""
    return hardtanh(input, 0.0, 6.0, inplace)


def threshold(
    input: torch.Tensor, threshold: float, value: float, inplace: bool = False
) -> torch.Tensor:
    """X where it is greater than the threshold, else the value."""
    _refuse(inplace)
    result: torch.Tensor = apply("aclnnThreshold", self=input, threshold=threshold, value=value)
    return result


def gelu(input: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    """X times the normal distribution's share below it; `"tanh"` approximates that.

    Raises:
        ValueError: `approximate` is neither.

    """
    if approximate not in ("none", "tanh"):
        raise ValueError(f'approximate must be "none" or "tanh", got "{approximate}"')
    exact = approximate == "none"
    result: torch.Tensor = apply("aclnnGeluV2", x=input, approximate=0 if exact else 1)
    return result


def silu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """`x * sigmoid(x)`."""
    return _plain("aclnnSilu", input, inplace)


def sigmoid(input: torch.Tensor) -> torch.Tensor:
    """`1 / (1 + exp(-x))`."""
    return _plain("aclnnSigmoid", input)


def tanh(input: torch.Tensor) -> torch.Tensor:
    """The hyperbolic tangent."""
    return _plain("aclnnTanh", input)


def hardsigmoid(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """`min(max(0, x + 3), 6) / 6`."""
    return _plain("aclnnHardsigmoid", input, inplace)


def hardswish(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """`x * hardsigmoid(x)`."""
    return _plain("aclnnHardswish", input, inplace)


def mish(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """`x * tanh(softplus(x))`."""
    return _plain("aclnnMish", input, inplace)


def selu(input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    """ELU with the two constants that keep mean and variance."""
    return _plain("aclnnSelu", input, inplace)


def logsigmoid(input: torch.Tensor) -> torch.Tensor:
    """`log(sigmoid(x))`."""
    return _plain("aclnnLogSigmoid", input)


def elu(input: torch.Tensor, alpha: float = 1.0, inplace: bool = False) -> torch.Tensor:
    """X above 0, `alpha * (exp(x) - 1)` elsewhere."""
    _refuse(inplace)
    result: torch.Tensor = apply("aclnnElu", self=input, alpha=alpha, scale=1.0, input_scale=1.0)
    return result


def celu(input: torch.Tensor, alpha: float = 1.0, inplace: bool = False) -> torch.Tensor:
    """X above 0, `alpha * (exp(x / alpha) - 1)` elsewhere: aclnnElu with alpha's inverse inside."""
    _refuse(inplace)
    result: torch.Tensor = apply(
        "aclnnElu", self=input, alpha=alpha, scale=1.0, input_scale=1.0 / alpha
    )
    return result


def leaky_relu(
    input: torch.Tensor, negative_slope: float = 0.01, inplace: bool = False
) -> torch.Tensor:
    """X above 0, `negative_slope * x` elsewhere."""
    _refuse(inplace)
    result: torch.Tensor = apply("aclnnLeakyRelu", self=input, negative_slope=negative_slope)
    return result


def hardtanh(
    input: torch.Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> torch.Tensor:
    """X, but no less than min_val and no more than max_val."""
    _refuse(inplace)
    result: torch.Tensor = apply(
        "aclnnHardtanh", self=input, clip_value_min=min_val, clip_value_max=max_val
    )
    return result


def hardshrink(input: torch.Tensor, lambd: float = 0.5) -> torch.Tensor:
    """X, but 0 between -lambd and lambd."""
    result: torch.Tensor = apply("aclnnHardshrink", self=input, lambd=lambd)
    return result


def softshrink(input: torch.Tensor, lambd: float = 0.5) -> torch.Tensor:
    """X moved towards 0 by lambd, and 0 where that is further."""
    result: torch.Tensor = apply("aclnnSoftshrink", self=input, lambd=lambd)
    return result


def softplus(input: torch.Tensor, beta: float = 1.0, threshold: float = 20.0) -> torch.Tensor:
    """`log(1 + exp(beta * x)) / beta`; x itself where `beta * x` is greater than the threshold."""
    result: torch.Tensor = apply("aclnnSoftplus", self=input, beta=beta, threshold=threshold)
    return result


def glu(input: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """The first half along dim times the sigmoid of the second."""
    result: torch.Tensor = apply("aclnnGlu", self=input, dim=dim)
    return result


def prelu(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """X above 0, its channel's weight times x elsewhere; the weight has a gradient, too."""
    result: torch.Tensor = apply("aclnnPrelu", self=input, weight=weight)
    return result


def _plain(name: str, input: torch.Tensor, inplace: bool = False) -> torch.Tensor:
    _refuse(inplace)
    result: torch.Tensor = apply(name, self=input)
    return result


def _refuse(inplace: bool) -> None:
    if inplace:
        raise NotImplementedError("inplace=True is not offered: the gradient needs the input")
