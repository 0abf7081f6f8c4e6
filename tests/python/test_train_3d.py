# SPDX-License-Identifier: Apache-2.0
"""examples/train_3d.py, a few steps of it."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.programs import run

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_3d.py"


def test_both_curves_fall_together(tmp_path: Path) -> None:
    plot = tmp_path / "loss.png"
    shown = run([sys.executable, EXAMPLE, "--steps", 25, "--plot", plot]).stdout
    found = re.search(r"loss (\S+) -> (\S+), largest difference (\S+)", shown)
    assert found is not None, shown
    first, last, difference = map(float, found.groups())
    assert last < first / 2
    assert difference < 1e-5
    assert "aclhost" in shown
    if find_spec("matplotlib"):
        assert plot.read_bytes().startswith(b"\x89PNG")
    else:
        assert "no plot without matplotlib" in shown


@pytest.mark.parametrize("steps", ["1", "many"])
def test_wrong_arguments(steps: str) -> None:
    assert "--steps" in run([sys.executable, EXAMPLE, "--steps", steps], status=2).stderr
