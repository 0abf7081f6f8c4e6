# SPDX-License-Identifier: Apache-2.0
"""aclnnIsClose where differences of integers do not fit."""

from __future__ import annotations

import numpy as np
import torch

import aclhost


def test_differences_that_wrap_are_far() -> None:
    least, most = -(2**63), 2**63 - 1
    x = np.array([least, least, most, most, least, 5, -7], np.int64)
    y = np.array([0, most, least, -1, least, 5, 7], np.int64)
    wanted = torch.isclose(torch.from_numpy(x), torch.from_numpy(y))
    assert list(aclhost.is_close(x, y)) == wanted.tolist()
