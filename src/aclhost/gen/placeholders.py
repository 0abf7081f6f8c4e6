# SPDX-License-Identifier: Apache-2.0
"""native/placeholders.inc: the functions that aclhost knows and does not compute."""

from __future__ import annotations

from collections.abc import Iterator

from aclhost.gen.op_headers import known_only
from aclhost.gen.text import banner
from aclhost.spec import catalogue


def emit() -> Iterator[tuple[str, str]]:
    """One list, for native/placeholders/placeholders.c."""
    rows = "".join(f"FUNCTION({function.name})\n" for function in known_only())
    yield "native/placeholders.inc", banner(catalogue.SOURCE) + rows
