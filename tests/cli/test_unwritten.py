# SPDX-License-Identifier: Apache-2.0
"""Input that nobody expects, and output that cannot be written: one line, never a traceback."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

COMMAND = [sys.executable, "-c", "from aclhost.cli import main; main(prog_name='aclhost')"]
CANNOT = 2  # of compare, whose 1 says that results differ


def aclhost(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    command = [*COMMAND, *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, **options}
    return subprocess.run(
        command, stderr=subprocess.PIPE, text=True, env=environment, check=False, **pipes
    )


def refused(done: subprocess.CompletedProcess[str], text: str, status: int = 1) -> bool:
    said = done.stderr.startswith("aclhost: ") and text in done.stderr
    return done.returncode == status and said


def test_files_without_arrays(tmp_path: Path) -> None:
    paths = tmp_path / "a.npz", tmp_path / "b.npz"
    for path in paths:
        np.savez(path)
    assert refused(aclhost("compare", *paths), "holds an array", CANNOT)


@pytest.mark.parametrize("dtype", ["longdouble", "clongdouble"])
def test_numbers_wider_than_float64(tmp_path: Path, dtype: str) -> None:
    path = tmp_path / "wide.npy"
    np.save(path, np.ones(4, dtype))
    assert refused(aclhost("compare", path, path), "wider than float64", CANNOT)


@pytest.mark.parametrize("value", [1e20, 2**60, -1.7e308, 0.0])
def test_plots_of_a_constant(tmp_path: Path, value: float) -> None:
    path, report = tmp_path / "constant.npy", tmp_path / "report.html"
    np.save(path, np.full(4, value))
    done = aclhost("compare", path, path, "--html", report)
    assert (done.returncode, done.stderr) == (0, "")
    plots = re.findall(r"<svg.*?</svg>", report.read_text(), re.DOTALL)
    assert len(plots) >= 3
    assert not any("nan" in re.sub(r'base64,[^"]*', "", plot).lower() for plot in plots)


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)
    assert refused(aclhost("compare", path, path), "x" * 300, CANNOT)
    good = tmp_path / "good.npy"
    np.save(good, np.ones(4))
    assert refused(aclhost("compare", good, f"{path}.npy"), "x" * 300, CANNOT)


@pytest.mark.parametrize("text", ["[]", "null", "3"])
def test_results_that_are_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "results.json").write_text(text)
    done = aclhost("bench", "--quick", "--operator", "elu", "--resume", "--output", tmp_path)
    assert refused(done, "cannot be resumed")


@pytest.mark.parametrize(("name", "status"), [("ops", 1), ("compare", CANNOT)])
def test_a_closed_output(name: str, status: int) -> None:
    command = ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused(done, "standard output is closed", status)


@pytest.mark.parametrize("command", [("ops",), ("ops", "--json"), ("--help",), ("compare",)])
def test_a_full_disk(tmp_path: Path, command: tuple[str, ...]) -> None:
    if command == ("compare",):
        path = tmp_path / "a.npy"
        np.save(path, np.ones(4))
        command = ("compare", str(path), str(path), "--json")
    with open("/dev/full", "w") as full:
        done = aclhost(*command, stdout=full)
    status = CANNOT if command[0] == "compare" else 1
    assert refused(done, "No space left on device", status)
    assert len(done.stderr.splitlines()) == 1
