# SPDX-License-Identifier: Apache-2.0
"""The wheel in an environment that has nothing else, and no compiler."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from this tree; CMake's build directory is reused where there is one."""
    directory = tmp_path_factory.mktemp("wheel")
    options = ["--no-build-isolation", "--no-deps", "-q", "-w", str(directory)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, "."], check=True, cwd=ROOT)
    return next(directory.glob("aclhost-*.whl"))


def test_contents(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        text = archive.read(next(n for n in names if n.endswith(".dist-info/METADATA"))).decode()
    assert {"aclhost/py.typed", "pytest_aclhost/py.typed", "aclhost/_native.pyi"} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert "aclhost/toolkit/include/acl/acl.h" in names
    assert any(name.endswith("licenses/NOTICE") for name in names)
    assert "aclhost/toolkit/lib64/libscipy_openblas.so" in names
    assert "aclhost/toolkit/licenses/OpenBLAS.txt" in names
    metadata = HeaderParser().parsestr(text)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["Summary"]
    assert metadata.get_payload().startswith("# aclhost")


def test_python_side_needs_no_compiler(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    binaries = tmp_path / "venv/bin"
    subprocess.run([str(binaries / "pip"), "install", "-q", str(wheel)], check=True)
    environment = {"PATH": str(binaries), "HOME": str(tmp_path), "COLUMNS": "100"}

    def run(*command: str) -> str:
        done = subprocess.run(
            command, env=environment, cwd=tmp_path, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    demo = run(str(binaries / "python"), str(ROOT / "examples/demo.py"))
    assert "no C++ compiler" in demo
    assert "161002" in demo
    assert "Python works" in run(str(binaries / "aclhost"), "doctor")
    assert "aclnnElu" in run(str(binaries / "aclhost"), "ops")
