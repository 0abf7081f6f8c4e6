# SPDX-License-Identifier: Apache-2.0
"""`python -m aclhost.gen DIRECTORY`: writes everything the declarations imply. Run by the build."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from aclhost.gen import emit_all
from aclhost.gen.text import directory_argument


def write(root: Path, texts: Mapping[str, str]) -> None:
    """Makes a directory hold just these files, touching only what changed."""
    files = {root / name: text for name, text in texts.items()}
    for stale in {path for path in root.rglob("*") if path.is_file()} - files.keys():
        stale.unlink()
    for path, text in files.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(directory_argument(__doc__), dict(emit_all()))
