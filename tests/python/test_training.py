# SPDX-License-Identifier: Apache-2.0
"""The training examples, a few steps of each."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.programs import run

EXAMPLES = Path(__file__).parents[2] / "examples"
STEPS = {"train_2d.py": 25, "train_3d.py": 25, "train_resnet.py": 25, "train_transformer.py": 50}
EACH = pytest.mark.parametrize("example", STEPS)


@EACH
def test_both_curves_fall_together(example: str, tmp_path: Path) -> None:
    plot = tmp_path / "loss.png"
    command = [sys.executable, EXAMPLES / example, "--steps", STEPS[example], "--plot", plot]
    shown = run(command).stdout
    found = re.search(r"loss (\S+) -> (\S+), largest difference (\S+)", shown)
    assert found is not None, shown
    first, last, difference = map(float, found.groups())
    assert last < 0.8 * first
    assert difference < 1e-5
    assert "aclhost" in shown
    if find_spec("matplotlib"):
        assert plot.read_bytes().startswith(b"\x89PNG")
    else:
        assert "no plot without matplotlib" in shown


@pytest.mark.parametrize("steps", ["1", "many"])
@EACH
def test_wrong_arguments(example: str, steps: str) -> None:
    assert "--steps" in run([sys.executable, EXAMPLES / example, "--steps", steps], status=2).stderr
