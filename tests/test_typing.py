# SPDX-License-Identifier: Apache-2.0
"""A user's program under mypy --strict, against the installed package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import aclhost
from aclhost import acl, aclnn, ops
from aclhost.arrays import load_one
from aclhost.compare import Comparison, Standard, compare
from aclhost.spec.described import describe
from aclhost.goldens import native, reference
from aclhost.compare.report import Entry, html_report
from aclhost.spec.evaluate import Outcome, evaluate
from pytest_aclhost import Toolkit

Floats = npt.NDArray[np.float32]


def forward(x: Floats) -> Floats:
    return aclhost.elu(x, alpha=1.0, scale=2)


def backward(g: Floats, x: Floats) -> Floats:
    out = np.empty_like(g)
    return aclhost.elu_backward(g, x, is_result=True, out=out)


def pooled(x: Floats) -> tuple[Floats, Floats]:
    return aclhost.max_pool3d_with_argmax(x, 2, stride=(1, 1, 1))


def judge(actual: Floats, golden: Path) -> bool:
    found: Comparison = compare(actual, load_one(golden), standard=Standard(1e-3, 0.0))
    Path("report.html").write_text(html_report([Entry("x", found)], "a", "b"))
    return found.passed and found.worst[0].index == (0,)


def phases(stream: int) -> int:
    status: int = acl.init()
    size, executor, status = aclnn.aclnnEluGetWorkspaceSize(0, None, 0, 0, 0)
    return aclnn.aclnnElu(0, size, executor, stream) + status


def outcome() -> Outcome:
    op = ops.BY_NAME["aclnnElu"]
    native(op, {"self": np.ones(1)}), reference(op, {"self": np.ones(1)})
    return evaluate(op, describe(op, ["self=float[2]"]))


def counts() -> int:
    with aclhost.soc("Ascend910B1"):
        return sum(calls for calls, _ in aclhost.call_counts().values())


@pytest.mark.aclhost_socs("all")
def test_it(aclhost_toolkit: Toolkit) -> None:
    assert aclhost_toolkit.prefix.is_dir()


try:
    forward(np.ones(1, np.float32))
except aclhost.AclnnError as error:
    code: int = error.status
    rule: str = error.rule
"""

WRONG = """
import numpy as np
import aclhost

x: str = aclhost.elu(np.ones(1))
aclhost.elu()
aclhost.elu(np.ones(1), alpah=1.0)
aclhost.not_there()
"""


def test_mistakes_are_found_and_nothing_else(tmp_path: Path) -> None:
    """Both programs in one run: most of it reads the packages."""
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(WRONG)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-incremental",
        "program.py",
        "wrong.py",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line.split(":") for line in done.stdout.splitlines() if "error:" in line]
    assert {file for file, *_ in errors} == {"wrong.py"}, done.stdout
    assert {int(line) for _, line, *_ in errors} == {5, 6, 7, 8}
    assert "in 1 file (checked 2 source files)" in done.stdout
