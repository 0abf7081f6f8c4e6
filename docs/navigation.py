# SPDX-License-Identifier: Apache-2.0
"""A hook of mkdocs: the generated pages enter the navigation by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:  # noqa: ANN401
    """Lists every operator under its section."""
    docs = Path(config["docs_dir"])
    for entry in config["nav"]:
        if "Operators" in entry:
            pages = sorted(path for path in (docs / "ops").glob("*.md") if path.stem != "index")
            entry["Operators"] += [{_title(page): f"ops/{page.name}"} for page in pages]
    return config


def _title(page: Path) -> str:
    """The first heading; mkdocs would make one of the file name, since a comment precedes it."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return next(line.removeprefix("# ") for line in lines if line.startswith("# "))
