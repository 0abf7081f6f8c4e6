# SPDX-License-Identifier: Apache-2.0
"""How many windows of a pool there are."""

from __future__ import annotations

from dataclasses import dataclass

from aclhost.spec.call import Call
from aclhost.spec.terms.base import Term, saturated


@dataclass(frozen=True)
class WindowCount(Term):
    """The number of windows along an axis; 0 where the stride is not above 0.

    Upstream divides in two ways: downwards, or towards 0, which finds a window where the kernel is
    larger than the input.
    """

    length: Term
    kernel: Term
    stride: Term
    before: Term  # padding
    after: Term
    dilation: Term
    ceil_mode: Term
    towards_zero: int = 0

    def evaluate(self, call: Call) -> int:
        length, before = self.length.evaluate(call), self.before.evaluate(call)
        return window_count(
            length,
            self.kernel.evaluate(call),
            self.stride.evaluate(call),
            (before, self.after.evaluate(call)),
            self.dilation.evaluate(call),
            bool(self.ceil_mode.evaluate(call)),
            bool(self.towards_zero),
        )


def window_count(
    length: int,
    kernel: int,
    stride: int,
    padding: tuple[int, int],
    dilation: int,
    ceil_mode: bool,
    towards_zero: bool = False,
) -> int:
    """The same of numbers."""
    if stride <= 0:
        return 0
    steps = length + sum(padding) - dilation * (kernel - 1) - 1 + (stride - 1 if ceil_mode else 0)
    count = (-(-steps // stride) if towards_zero and steps < 0 else steps // stride) + 1
    if ceil_mode and (count - 1) * stride >= length + padding[0]:
        count -= 1
    return saturated(count)
