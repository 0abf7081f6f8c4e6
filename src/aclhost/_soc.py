# SPDX-License-Identifier: Apache-2.0
"""Which product's behaviour the process shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from aclhost._native import select_soc, soc_name


@contextmanager
def soc(name: str) -> Iterator[None]:
    """Plays another SoC inside a `with` block, for the whole process.

    Raises:
        ValueError: no product has such a SoC.

    """
    previous = soc_name()
    select_soc(name)
    try:
        yield
    finally:
        select_soc(previous)
