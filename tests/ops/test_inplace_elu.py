# SPDX-License-Identifier: Apache-2.0
"""aclnnInplaceElu: the same numbers as aclnnElu, in place of the input."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch

import aclhost


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("alpha", [1.5, float("inf")])
def test_same_bits_as_out_of_place(dtype: str, alpha: float) -> None:
    memory = np.random.default_rng(0).normal(size=(40, 50)).astype(getattr(ml_dtypes, dtype, dtype))
    untouched = memory.copy()
    view = memory[::2, ::-1]
    wanted = aclhost.elu(view, alpha, 2.0, 0.5)
    assert aclhost.inplace_elu(view, alpha, 2.0, 0.5) is view
    assert view.tobytes() == wanted.tobytes()
    assert memory[1::2].tobytes() == untouched[1::2].tobytes()


def test_torch_tensor_is_changed_in_place() -> None:
    x = torch.tensor([-1.0, 2.0])
    assert aclhost.inplace_elu(x) is x
    assert torch.allclose(x, torch.nn.functional.elu(torch.tensor([-1.0, 2.0])))


def test_read_only_array_is_refused() -> None:
    x = np.ones(3, np.float32)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="self_ref.*read-only"):
        aclhost.inplace_elu(x)
    assert np.array_equal(x, np.ones(3))
