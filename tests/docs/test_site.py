# SPDX-License-Identifier: Apache-2.0
"""The generated pages are fresh, and the site builds without a broken link."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from aclhost import ops
from aclhost.gen import reference_pages
from aclhost.spec import error_codes
from aclhost.spec.error_advice import ADVICE

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("name", "text"), list(reference_pages.emit()), ids=lambda each: each[:10])
def test_page_is_fresh(name: str, text: str) -> None:
    assert (ROOT / "docs" / name).read_text() == text, "run make docs"


def test_every_code_is_on_the_page() -> None:
    text = reference_pages.errors()
    assert all(f"`{code.name}`" in text and str(code.value) in text for code in error_codes.ALL)


def test_matrix_follows_the_declarations() -> None:
    rows = reference_pages.support().splitlines()
    assert (
        "| [aclnnEluBackward](ops/elu_backward.md) | activation | A950 A3 A2: `FLOAT` `FLOAT16` "
        "`BF16`<br>P310P T910: `FLOAT` `FLOAT16` |"
    ) in rows
    assert sum(row.startswith("| [aclnn") for row in rows) == len(ops.ALL)


def test_codes_are_a_table_that_links() -> None:
    text = reference_pages.errors()
    linked = re.findall(r"^\| \[(\d+)\]\(#\1\) \|", text, re.MULTILINE)
    assert [int(code) for code in linked] == sorted(ADVICE)
    assert all(f"### {code}\n" in text for code in linked)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs")
    directory = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(directory)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "true"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return directory


def test_site_has_every_operator_in_navigation_and_search(site: Path) -> None:
    home = (site / "ops/index.html").read_text()
    found = {
        entry["location"]
        for entry in json.loads((site / "search/search_index.json").read_text())["docs"]
    }
    for op in ops.ALL:
        page = op.page.removesuffix(".md")
        assert f"{page}/" in home
        assert f"ops/{page}/" in found


def test_site_loads_nothing_from_elsewhere(site: Path) -> None:
    text = (site / "index.html").read_text()
    assert "fonts.googleapis.com" not in text
    assert "unpkg.com" not in text
