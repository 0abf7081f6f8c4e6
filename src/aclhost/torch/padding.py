# SPDX-License-Identifier: Apache-2.0
"""Padding by torch's name."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from aclhost.torch.autograd import apply

_OPERATORS = {"reflect": "ReflectionPad", "replicate": "ReplicationPad", "circular": "CircularPad"}


def pad(
    input: torch.Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> torch.Tensor:
    """Positions around the last dimensions; `pad` begins with the last one's, before and after.

    Raises:
        ValueError: torch has no such mode.

    """
    result: torch.Tensor
    if mode == "constant":
        number = 0.0 if value is None else value
        result = apply("aclnnConstantPadNd", self=input, pad=tuple(pad), value=number)
        return result
    if mode not in _OPERATORS:
        raise ValueError(
            f'mode must be "constant", "reflect", "replicate" or "circular", got "{mode}"'
        )
    name = f"aclnn{_OPERATORS[mode]}{len(pad) // 2}d"
    result = apply(name, self=input, padding=tuple(pad))
    return result
