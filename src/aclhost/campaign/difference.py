# SPDX-License-Identifier: Apache-2.0
"""Where goldens and torch differ."""

from __future__ import annotations

import numpy as np

from aclhost.arrays import NDArray


def difference(name: str, golden: NDArray, torch: NDArray, rtol: float, atol: float) -> str:
    """The first element that differs and how many do, or nothing."""
    if golden.size != torch.size:
        return f"{name} has the shape {golden.shape}; torch: {torch.shape}"
    other = torch.reshape(golden.shape)
    apart = ~np.isclose(golden, other, rtol=rtol, atol=atol, equal_nan=True)
    if not apart.any():
        return ""
    at = tuple(map(int, np.argwhere(apart)[0]))
    count = f"{np.count_nonzero(apart)} of {golden.size} elements differ"
    return f"the golden's {name}{list(at)} is {golden[at]}; torch: {other[at]} ({count})"
