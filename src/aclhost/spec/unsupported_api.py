# SPDX-License-Identifier: Apache-2.0
"""C functions that exist so that clients link and load, and answer that they are not supported.

A function that works is no longer listed in not_supported.json but declared with a summary.
"""

from __future__ import annotations

import json
from pathlib import Path

from aclhost.spec.functions import functions

SOURCE = "src/aclhost/spec/not_supported.json"
_FILE = Path(__file__).with_name("not_supported.json")

FUNCTIONS = tuple(
    function
    for header, prototypes in json.loads(_FILE.read_text(encoding="ascii")).items()
    for function in functions(header, *((each, "Not supported.") for each in prototypes))
)
HEADERS = tuple(dict.fromkeys(function.header for function in FUNCTIONS))
