# SPDX-License-Identifier: Apache-2.0
"""Random calls of the operators that declare how to draw one, and their results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from aclhost.arrays import NDArray, numpy_dtype
from aclhost.calls import drawn
from aclhost.calls.drawn import Arrays
from aclhost.calls.values import ULPS, expected, random_values
from aclhost.campaign.difference import difference
from aclhost.campaign.tensors import SEEDS, rarely
from aclhost.goldens import widened
from aclhost.goldens.torch_reference import has_torch
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.operator import Operator

RELATIVE = 1e-5  # goldens round some factors to float, as upstream does
ABSOLUTE = 1e-12  # what is left of sums that cancel


def declared(draw: st.DrawFn, op: Operator) -> Call:
    """A call as the declaration draws it, laid out at random and filled."""
    call = drawn.valid_draw(op, draw(st.randoms(use_true_random=False)))
    rng = np.random.default_rng(draw(SEEDS))
    inputs = {
        name: random_values(tensor, numpy_dtype(tensor.dtype), rng)
        for name, tensor in _empty_inputs(op, call).items()
    }
    if rarely(draw):
        drawn.sprinkle(call, inputs, draw(st.randoms(use_true_random=False)))
    filled = {
        name: replace(call.tensor(name), values=tuple(widened(array).ravel().tolist()))
        for name, array in inputs.items()
    }
    return call.passing(**filled)


def _empty_inputs(op: Operator, call: Call) -> dict[str, TensorArg]:
    """Tensors that are read, and whose values nobody has chosen."""
    given = {param.name: call.arguments[param.name] for param in op.tensors if op.reads(param)}
    return {
        name: tensor
        for name, tensor in given.items()
        if isinstance(tensor, TensorArg) and tensor.values is None
    }


def compare(op: Operator, call: Call, inputs: Arrays, results: Arrays) -> tuple[float, str, bool]:
    """The worst distance in ulps, what is wrong or nothing, and whether torch had a say."""
    worst = 0.0
    for each in drawn.compare(op, call, inputs, list(results.values())):
        worst = max(worst, each.ulps)
        if each.ulps > _most(each.allowed(op)):
            shown = f"{each.name} is {each.got}; golden: {each.wanted}"
            return worst, f"{shown} ({each.ulps:.3g} ulp off)", False
    theirs = drawn.torch_results(op, call, inputs) if op.reference and has_torch() else None
    if theirs is None:
        return worst, "", False
    for name, ours, other in zip(results, expected(op, call, inputs), theirs, strict=True):
        wrong = _off(name, np.asarray(ours), other)
        if wrong:
            return worst, wrong, True
    return worst, "", True


def _most(declared: float) -> float:
    """What is exact or rounded once stays so; thousands of calls find worse cases than a few."""
    return declared if declared <= 1 else max(declared, ULPS["float32"])


def _off(name: str, ours: NDArray, theirs: NDArray) -> str:
    scale = float(np.max(np.abs(ours), initial=0.0, where=np.isfinite(ours)))
    return difference(name, ours, theirs, RELATIVE, RELATIVE * scale + ABSOLUTE)
