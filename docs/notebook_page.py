# SPDX-License-Identifier: Apache-2.0
"""A hook of mkdocs: the tutorial notebook, with the outputs that it has, is a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

_NOTEBOOK = "tutorials/notebook.ipynb"


def on_files(files: Any, config: Any) -> Any:  # noqa: ANN401
    """Adds the page beside the file, which stays to be downloaded."""
    notebook = json.loads((Path(config["docs_dir"]) / _NOTEBOOK).read_text(encoding="utf-8"))
    parts = [part for cell in notebook["cells"] for part in _parts(cell)]
    parts.insert(1, "[Download the notebook](notebook.ipynb)")
    files.append(File.generated(config, "tutorials/notebook.md", content="\n\n".join(parts)))
    return files


def _parts(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    language = "cpp" if source.startswith("%%aclhost") else "python"
    return [_block(language, source), *map(_output, cell["outputs"])]


def _output(output: dict[str, Any]) -> str:
    """Tables and reports as they are, everything else as text."""
    data = output.get("data", {})
    if "text/html" in data:
        return "".join(data["text/html"]).replace("\n", "&#10;")  # one block of HTML
    return _block("text", "".join(output.get("text") or data["text/plain"]))


def _block(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"
