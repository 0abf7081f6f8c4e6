# SPDX-License-Identifier: Apache-2.0
"""Every snippet of the written pages does what the page says.

A block with a title is a file. Python without one runs, all blocks of a page in one namespace. In
console blocks the lines after `$ ` run in a shell; what follows is their output, where `...` stands
for anything.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.console import assert_prints, blocks, commands

ROOT = Path(__file__).resolve().parents[2]
GENERATED = {"errors.md", "support.md"}
PAGES = [
    *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in GENERATED),
    ROOT / "docs/tutorials/ci.md",
    ROOT / "docs/tutorials/strict.md",
    ROOT / "docs/tutorials/verdict.md",
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for block in blocks(page):
        if block.title:
            path = tmp_path / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
        elif block.language == "python":
            exec(compile(block.text, str(page), "exec"), namespace)
        elif block.language == "console":
            for command, expected in commands(block.text):
                assert_prints(command, expected, tmp_path)


def test_new_operator_generates_and_compiles(tmp_path: Path) -> None:
    """Everything short of the build: the generator runs, and g++ accepts what it wrote."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for block in blocks(ROOT / "docs/tutorials/operator.md"):
        if block.title:
            path = tmp_path / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    generate = [sys.executable, "-m", "aclhost.gen", str(tmp_path / "gen")]
    subprocess.run(generate, check=True, env=environment, cwd=tmp_path)
    assert (tmp_path / "gen/include/aclnnop/aclnn_scaled_relu.h").is_file()
    includes = [f"-I{path}" for path in (
        ROOT / "native", tmp_path / "gen/include", tmp_path / "gen/native"
    )]  # fmt: skip
    kernels = "gen/native/kernels/pointwise_scaled_relu.cc"
    tables = "gen/native/ops/pointwise.cc"
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", *includes]
    subprocess.run([*command, "-fsyntax-only", tables], check=True, cwd=tmp_path)
    # The build compiles the kernel several times; each time its names must be other ones.
    compile_ = [*command, "-DACLHOST_ISA=elsewhere", "-c", kernels, "-o", "kernel.o"]
    subprocess.run(compile_, check=True, cwd=tmp_path)
    names = subprocess.run(["nm", "-C", "kernel.o"], check=True, cwd=tmp_path, capture_output=True)
    assert b"T aclhost::elsewhere::kernel_aclnnScaledRelu(aclhost::Args const&)" in names.stdout


def test_new_operator_computes_what_its_test_says() -> None:
    """Its function in float64 stands for the library, which would have to be built."""
    block = next(each for each in blocks(ROOT / "docs/tutorials/operator.md") if each.title)
    namespace: dict[str, Any] = {}
    exec(compile(block.text, block.title, "exec"), namespace)
    op = namespace["OP"]
    op.kernel.check()
    assert {call.tensor("self").dtype.numpy for call in op.samples} == {
        "float32", "float16", "bfloat16"
    }  # fmt: skip
    values = {"self": np.array([np.nan, -1.0, 2.0]), "factor": 3.0}
    (result,) = op.kernel.golden(values, op.kernel.dtypes[0])
    assert np.array_equal(result, [np.nan, 0, 6], equal_nan=True)
    theirs = op.reference(torch, torch.from_numpy(values["self"]), values["factor"])
    assert np.array_equal(result, theirs.numpy(), equal_nan=True)
