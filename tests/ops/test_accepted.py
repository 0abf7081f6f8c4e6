# SPDX-License-Identifier: Apache-2.0
"""Accepted calls are remembered; those that differ in anything are checked all the same."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from support.broken import broken_calls

import aclhost
from aclhost import ops
from aclhost.calls.python_call import NotExpressibleError, call_function
from aclhost.spec.call import Call
from aclhost.spec.operator import Operator

WRITTEN_OUT = [op for op in ops.ALL if op.kernel is None]


def status(op: Operator, call: Call) -> int:
    with aclhost.soc(call.product.default_soc):
        function, arguments, _ = call_function(op, call)
        try:
            function(**arguments)
        except aclhost.AclnnError as error:
            return error.status
    return 0


@pytest.mark.parametrize("op", WRITTEN_OUT, ids=lambda op: op.name)
def test_broken_calls_after_accepted_ones(op: Operator) -> None:
    """Each differs in one or two things from the sample that was accepted last."""
    checked = 0
    found = [broken for calls in broken_calls(op).values() for broken in calls]
    for sample in op.samples:
        own = [broken for broken in found if broken.sample is sample]
        for _ in range(10 * bool(own)):  # until it is kept as a whole: binding/repeated.cc
            status(op, sample)
        for broken in own:
            try:
                answer = status(op, broken.call)
            except (NotExpressibleError, TypeError, ValueError):
                continue
            assert answer == broken.outcome.status
            checked += 1
    assert checked > 0


def test_values_count() -> None:
    x = np.ones(4, np.float32)
    for _ in range(2):
        aclhost.elu_backward(x, x, 1.0, 1.0, 1.0, True)
        with pytest.raises(aclhost.AclnnError, match="alpha"):
            aclhost.elu_backward(x, x, -1.0, 1.0, 1.0, True)


def test_products_count() -> None:
    x = np.ones(4, ml_dtypes.bfloat16)
    for _ in range(2):
        aclhost.elu_backward(x, x)
        with aclhost.soc("Ascend310P3"), pytest.raises(aclhost.AclnnError, match="Ascend310P3"):
            aclhost.elu_backward(x, x)
