# SPDX-License-Identifier: Apache-2.0
"""Backward goldens against finite differences of their forwards, and against torch's autograd."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

import numpy as np

from aclhost.calls.differences import Pair, Slope, autograd, forward_calls, pair_of, slopes
from aclhost.campaign.difference import difference
from aclhost.goldens.torch_reference import has_torch
from aclhost.spec.operator import Operator

CALLS = 4  # in a round
CLOSER = 1e-7  # a step that hardly ever crosses a bend


@dataclass
class GradientRow:
    """A line of the summary: one backward."""

    calls: int = 0
    slopes: int = 0
    with_torch: int = 0
    failures: int = 0
    worst: float = 0.0  # difference from the slope that was measured


@np.errstate(all="ignore")  # what is infinite has no slope
def run_gradients(op: Operator, seed: int, row: GradientRow) -> str:
    """A few calls; what is wrong, or nothing."""
    assert op.gradient is not None
    rng = Random(seed)
    for call in forward_calls(op.gradient, rng, CALLS):
        row.calls += 1
        number = rng.getrandbits(32)
        for slope in slopes(op, call, number):
            row.slopes += 1
            difference = _difference(slope)
            row.worst = max(row.worst, difference)
            if not difference <= 1:
                row.failures += 1
                return (
                    f"{slope.place} has the slope {slope.measured}, the golden says "
                    f"{slope.declared}; seed {number}: {call}"
                )
        wrong = _against_torch(pair_of(op, call, number), row)
        if wrong:
            row.failures += 1
            return f"{wrong}; seed {number}: {call}"
    return ""


def _difference(slope: Slope) -> float:
    """In units of what may be: 1 is the most."""

    def off(measured: float) -> float:
        return abs(slope.declared - measured) / (1e-4 * abs(measured) + 1e-5)

    first = off(slope.measured)
    return first if first <= 1 else min(first, off(slope.again(CLOSER)))


def _against_torch(pair: Pair, row: GradientRow) -> str:
    theirs = autograd(pair) if has_torch() and pair.has_slopes else None
    if theirs is None:
        return ""
    row.with_torch += 1
    for of, ours in pair.declared:
        scale = float(np.max(np.abs(ours), initial=0.0))
        if not math.isfinite(scale):
            continue
        wrong = difference(f"gradient of {of}", ours, theirs[of], 1e-5, 1e-5 * scale)
        if wrong:
            return wrong
    return ""
