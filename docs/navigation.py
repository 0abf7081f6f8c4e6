# SPDX-License-Identifier: Apache-2.0
"""A hook of mkdocs: the generated pages enter the navigation by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:  # noqa: ANN401
    """Lists every operator in its family."""
    families: dict[str, list[dict[str, str]]] = {}
    for page in sorted((Path(config["docs_dir"]) / "ops").glob("*.md")):
        if page.stem != "index":
            families.setdefault(_family(page), []).append({_title(page): f"ops/{page.name}"})
    for entry in config["nav"]:
        if "Operators" in entry:
            entry["Operators"] += [{name: families[name]} for name in sorted(families)]
    return config


def _family(page: Path) -> str:
    """From the comment that names the declaration."""
    path = page.read_text(encoding="utf-8").partition("src/aclhost/ops/")[2]
    return path.partition(":")[0].removesuffix(".py").split("/")[0]


def _title(page: Path) -> str:
    """The first heading; mkdocs would make one of the file name, since a comment precedes it."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return next(line.removeprefix("# ") for line in lines if line.startswith("# "))
