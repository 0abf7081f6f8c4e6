# SPDX-License-Identifier: Apache-2.0
"""Which operators ask for a workspace, as upstream's do.

aclhost computes without any. But clients that take one path with a workspace and another without
should run the path that they run on a card, and strict mode can only find a workspace that is too
small or freed too early where there is one.
"""

from __future__ import annotations

# The least that upstream's kernels of these families ask for. Their real sizes depend on product
# and shape, and reach megabytes; tensors in between are part of them.
BYTES = 32
# Families by their directory in src/aclhost/ops. What works element by element asks for none.
FAMILIES = frozenset({"attention", "convolution", "linalg", "matmul", "norm", "sorting"})


def of_family(family: str) -> int:
    """Bytes that its operators ask for unless they say otherwise."""
    return BYTES if family in FAMILIES else 0
