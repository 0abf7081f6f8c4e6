# SPDX-License-Identifier: Apache-2.0
"""Numbers that name no dtype are refused, however far they lie from those that do."""

from __future__ import annotations

import pytest

from aclhost import aclnn


@pytest.mark.parametrize("name", ["aclnnCos", "aclnnNeg"])
@pytest.mark.parametrize("number", [-1, 63, 64, 65, 91, 128, 2**30])
def test_refused(name: str, number: int) -> None:
    tensors = [aclnn.aclCreateTensor((2, 3), 2, number, (3, 1), 0, 2, (6,), 1, 0) for _ in range(2)]
    _, _, status = getattr(aclnn, f"{name}GetWorkspaceSize")(*tensors)
    assert status == 161002
    for tensor in tensors:
        assert aclnn.aclDestroyTensor(tensor) == 0
