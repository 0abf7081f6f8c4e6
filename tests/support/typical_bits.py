# SPDX-License-Identifier: Apache-2.0
"""Prints a checksum for the typical call of every operator that describes one.

A program of its own, because threads and instruction set are chosen when the library loads.
"""

from __future__ import annotations

import hashlib
import json

from aclhost import ops
from aclhost.calls.drawn import inputs_of, python_results

ELEMENTS = 100_003  # enough for several threads, and no multiple of anything


def main() -> None:
    """One JSON object: checksums by operator."""
    found = {}
    for op in ops.ALL:
        if op.typical is not None:
            call = op.typical(ELEMENTS)
            results = python_results(op, call, inputs_of(op, call, 3))
            bits = b"".join(result.tobytes() for result in results)
            found[op.name] = hashlib.sha256(bits).hexdigest()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
