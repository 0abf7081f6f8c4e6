# SPDX-License-Identifier: Apache-2.0
"""Refusals come in aclhost's words, not in those of NumPy or torch, and call no foreign code."""

from __future__ import annotations

import numpy as np
import pytest

import aclhost

torch = pytest.importorskip("torch")
KINDS = {"numpy": np.asarray, "torch": torch.from_numpy}
SMALL = np.ones((1, 1, 2, 2, 2), np.float32)


class Rude:
    """An object whose texts must not be asked for."""

    def __repr__(self):
        raise RuntimeError("repr was called")

    __str__ = __repr__


class RudeNumber(Rude):
    def __index__(self):
        return 2**70


@pytest.mark.parametrize("kind", KINDS)
def test_a_window_larger_than_the_input(kind):
    with pytest.raises(aclhost.AclnnError, match=r"shape \[1, 1, -2, -2, -2\]") as caught:
        aclhost.max_pool3d_with_argmax(KINDS[kind](SMALL), (5, 5, 5), (1, 1, 1), (0, 0, 0))
    assert caught.value.status == 161002


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [2**62, 2**20, 2**14])
def test_a_result_that_fits_no_memory(kind, size):
    # Only Ascend 950 lets so long dimensions pass.
    with (
        aclhost.soc("Ascend950PR_9599"),
        pytest.raises(MemoryError, match="^out: there is no memory"),
    ):
        aclhost.upsample_nearest3d(KINDS[kind](SMALL), (size,) * 3, 1.0, 1.0, 1.0)


@pytest.mark.parametrize("dense", [torch.ones(4), torch.ones(4, dtype=torch.float64)])
def test_lazy_negations(dense):
    negation = torch._neg_view(dense)
    with pytest.raises(ValueError, match="^self: the tensor is a lazy negation"):
        aclhost.elu(negation)
    with pytest.raises(ValueError, match="^out: the tensor is a lazy negation"):
        aclhost.elu(dense, out=negation)


def test_objects_are_not_asked_for_their_text():
    with pytest.raises(ValueError, match="^reduction: expected one of .* got .*Rude"):
        aclhost.smooth_l1_loss(SMALL, SMALL, reduction=Rude())
    with pytest.raises(OverflowError, match="^reduction: 1180591620717411303424 fits no"):
        aclhost.smooth_l1_loss(SMALL, SMALL, reduction=RudeNumber())
    with pytest.raises(TypeError, match="^out: expected a tuple of 2 arrays, got Rude"):
        aclhost.max_pool3d_with_argmax(SMALL, (1, 1, 1), (1, 1, 1), (0, 0, 0), out=Rude())


@pytest.mark.parametrize("path", [5, b"x", 1.5])
def test_a_configuration_path_of_another_type(path):
    from aclhost import acl, aclnn

    with pytest.raises(TypeError, match="^configPath: expected a str or None"):
        aclnn.aclnnInit(path)
    with pytest.raises(TypeError, match="^config_path: expected a str or None"):
        acl.init(path)
