# SPDX-License-Identifier: Apache-2.0
"""Small pieces that several emitters share."""

from __future__ import annotations

import argparse
import json
from pathlib import Path


def banner(source: str) -> str:
    """First lines of a generated C or C++ file: the file to edit instead."""
    return f"// SPDX-License-Identifier: Apache-2.0\n// Generated from {source}: edit that file.\n"


def c_banner(source: str) -> str:
    """The same in comments that C90 accepts too."""
    return "".join(f"/* {line[3:]} */\n" for line in banner(source).splitlines())


def c_string(text: str) -> str:
    """A C string literal; JSON's escapes are a subset of C's for ASCII text."""
    return json.dumps(text)


def directory_argument(description: str | None) -> Path:
    """The directory that a generator's command line names."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("directory", type=Path, help="where the files go")
    directory: Path = parser.parse_args().directory
    return directory
