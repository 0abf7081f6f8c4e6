# SPDX-License-Identifier: Apache-2.0
"""Tensors with more elements than a number of 64 bits can count, which strides of 0 describe."""

from __future__ import annotations

import pytest
from support import abi

from aclhost import ops
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.evaluate import evaluate

LONG = 2**62


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("shape", [(2, 2**63 - 1), (4, LONG), (2, LONG)], ids=str)
def test_a_count_that_wraps_around_is_not_one_element(shape: tuple[int, ...]) -> None:
    tensor = TensorArg(shape, strides=(-1, 1), offset=3, storage=1000, backed=False)
    op, call = ops.BY_NAME["aclnnInplaceRelu"], Call({"selfRef": tensor})
    outcome = evaluate(op, call)
    assert outcome.rule is not None
    assert outcome.rule.id == "inside_storage"
    with abi.prepared_call(op, call) as prepared:
        assert abi.phase_one(op, prepared)[2] == outcome.status
