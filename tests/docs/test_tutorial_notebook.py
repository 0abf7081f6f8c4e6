# SPDX-License-Identifier: Apache-2.0
"""The tutorial notebook prints and shows what it did when it was last executed.

To execute it anew:
jupyter nbconvert --to notebook --execute --inplace docs/tutorials/notebook.ipynb
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs/tutorials/notebook.ipynb"


@pytest.fixture
def shell():
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def cells() -> list[dict[str, Any]]:
    found = json.loads(NOTEBOOK.read_text())["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


def stored(cell: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
    """What was printed, and what was shown."""
    outputs = cell["outputs"]
    printed = ("".join(each["text"]) for each in outputs if each["output_type"] == "stream")
    shown = [
        {kind: "".join(text) for kind, text in each["data"].items()}
        for each in outputs
        if "data" in each
    ]
    return "".join(printed), shown


def test_cells_give_what_the_notebook_shows(shell, monkeypatch, capsys, tmp_path: Path) -> None:
    shown: list[dict[str, str]] = []
    hook = shell.displayhook
    monkeypatch.setattr(hook, "write_output_prompt", lambda: None)
    monkeypatch.setattr(hook, "write_format_data", lambda data, md_dict=None: shown.append(data))
    monkeypatch.chdir(tmp_path)
    for number, cell in enumerate(cells(), 1):
        assert cell["execution_count"] == number  # executed whole, from the top
        shown.clear()
        assert shell.run_cell("".join(cell["source"])).success
        printed, before = stored(cell)
        assert capsys.readouterr().out == printed
        assert [*map(without_report, shown)] == [*map(without_report, before)]


def without_report(data: dict[str, str]) -> dict[str, str]:
    """The report has its own tests, and need not look as it did."""
    return {kind: rounded(text.partition(" srcdoc=")[0]) for kind, text in data.items()}


def rounded(text: str) -> str:
    """NumPy's sums end in other digits with other processors."""
    return re.sub(r"\d+\.\d{10,}", lambda number: f"{float(number[0]):.9g}", text)


def test_it_has_outputs_worth_reading() -> None:
    kinds = {kind for cell in cells() for data in stored(cell)[1] for kind in data}
    assert kinds == {"text/plain", "text/html"}
    assert any("double free" in stored(cell)[0] for cell in cells())
