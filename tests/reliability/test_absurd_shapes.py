# SPDX-License-Identifier: Apache-2.0
"""Tensors with more elements than a number of 64 bits can count, which strides of 0 describe."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from aclhost import acl, aclnn, ops
from aclhost.calls import abi
from aclhost.spec import dtypes, formats
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.evaluate import evaluate

LONG = 2**62
WIDE = 2**40


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


class Element:
    """Memory of one element, of which tensors of any shape are made."""

    def __init__(self) -> None:
        self.address, status = acl.rt.malloc(64, 0)
        abi.ok(status)
        self.tensors: list[int] = []

    def tensor(self, shape: Sequence[int], dtype: dtypes.DataType = dtypes.FLOAT) -> int:
        strides, rank, label = [0] * len(shape), len(shape), formats.NCDHW.value
        self.tensors.append(
            aclnn.aclCreateTensor(shape, rank, dtype.value, strides, 0, label, [1], 1, self.address)
        )
        return self.tensors[-1]

    def release(self) -> None:
        for tensor in self.tensors:
            abi.ok(aclnn.aclDestroyTensor(tensor))
        abi.ok(acl.rt.free(self.address))


@pytest.mark.usefixtures("no_leaks")
@pytest.mark.parametrize("pooled", [(LONG, 2**32, 2), (WIDE, 4, 2)], ids=str)
def test_too_many_elements_fail_the_launch(pooled: tuple[int, ...], stream: int) -> None:
    """As a device would: kernels divide by products of lengths and allocate by them."""
    element, sizes = Element(), aclnn.aclCreateIntArray(pooled, len(pooled))
    self = element.tensor((2, LONG, 4, 4, 2**22))
    shape = (2, LONG, *pooled)
    out, indices = element.tensor(shape), element.tensor(shape, dtypes.INT32)
    function = aclnn.aclnnAdaptiveMaxPool3dGetWorkspaceSize
    _, executor, status = function(self, sizes, out, indices)
    abi.ok(status)
    abi.ok(aclnn.aclnnAdaptiveMaxPool3d(0, 0, executor, stream))
    assert acl.rt.synchronize_stream(stream) == 507015
    assert "self has more than 2^47 elements" in (acl.get_recent_err_msg() or "")
    element.release()
    abi.ok(aclnn.aclDestroyIntArray(sizes))
