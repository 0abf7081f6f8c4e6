# SPDX-License-Identifier: Apache-2.0
"""Every backward is the derivative of its forward: finite differences of the goldens."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from aclhost import ops
from aclhost.calls.differences import autograd, forward_calls, pair_of, slopes
from aclhost.spec.operator import Operator

BACKWARDS = [op for op in ops.ALL if op.gradient is not None]
EACH = pytest.mark.parametrize("op", BACKWARDS, ids=lambda op: op.name)


@EACH
def test_finite_differences(op: Operator) -> None:
    assert op.gradient is not None
    compared = 0
    for seed, call in enumerate(forward_calls(op.gradient, Random(op.name), 6)):
        for slope in slopes(op, call, seed):
            compared += 1
            assert slope.declared == pytest.approx(slope.measured, rel=1e-4, abs=1e-5), (
                slope.place,
                call,
            )
    assert compared


@EACH
def test_autograd(op: Operator) -> None:
    """Torch's derivative of the forward's reference, where it has one."""
    assert op.gradient is not None
    for seed, call in enumerate(forward_calls(op.gradient, Random(op.name), 2)):
        pair = pair_of(op, call, seed)
        theirs = autograd(pair) if pair.has_slopes else None
        for of, ours in pair.declared if theirs is not None else ():
            scale = float(np.max(np.abs(ours)))
            other = theirs[of].reshape(ours.shape)
            np.testing.assert_allclose(ours, other, rtol=1e-5, atol=1e-5 * scale, err_msg=of)


@EACH
def test_parameters_match(op: Operator) -> None:
    """Every parameter of the backward has its origin in the forward."""
    gradient = op.gradient
    assert gradient is not None
    forward = {param.name for param in ops.BY_NAME[gradient.forward].params}
    own = {param.name for param in op.params}
    assert gradient.results.keys() | gradient.given.keys() | gradient.derived.keys() <= own
    assert {*gradient.results.values(), *gradient.given.values()} <= forward
    outputs = {output.name for output in op.outputs}
    for name in own - outputs - gradient.given.keys() - gradient.derived.keys():
        assert gradient.saved.get(name, name) in forward, name
