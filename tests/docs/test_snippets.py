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

from aclhost.spec import products

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
    for name in ("scaled_relu", "softsign", "inplace_softsign", "softsign_backward"):
        assert (tmp_path / f"gen/include/aclnnop/aclnn_{name}.h").is_file()
    includes = [f"-I{path}" for path in (
        ROOT / "native", tmp_path / "gen/include", tmp_path / "gen/native"
    )]  # fmt: skip
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", *includes]
    for name in ("pointwise_scaled_relu", "activation_softsign"):
        tables = f"gen/native/ops/{name.partition('_')[0]}.cc"
        subprocess.run([*command, "-fsyntax-only", tables], check=True, cwd=tmp_path)
        # The build compiles the kernel several times; each time its names must be other ones.
        kernels = ["-c", f"gen/native/kernels/{name}.cc", "-o", f"{name}.o"]
        subprocess.run([*command, "-DACLHOST_ISA=elsewhere", *kernels], check=True, cwd=tmp_path)
    nm = ["nm", "-C", "pointwise_scaled_relu.o", "activation_softsign.o"]
    names = subprocess.run(nm, check=True, cwd=tmp_path, capture_output=True).stdout.decode()
    for name in ("ScaledRelu", "Softsign", "InplaceSoftsign", "SoftsignBackward"):
        assert f"T aclhost::elsewhere::kernel_aclnn{name}(aclhost::Args const&)" in names


def declared(title: str) -> dict[str, Any]:
    """What a file of the page defines."""
    pages = blocks(ROOT / "docs/tutorials/operator.md")
    block = next(each for each in pages if each.title == f"src/aclhost/ops/{title}")
    namespace: dict[str, Any] = {}
    exec(compile(block.text, block.title, "exec"), namespace)
    return namespace


def test_new_operator_computes_what_its_test_says() -> None:
    """Its function in float64 stands for the library, which would have to be built."""
    op, _, gradient = declared("activation/softsign.py")["OPS"]
    x = np.array([np.nan, -1.0, 3.0])
    (result,) = op.kernel.golden({"self": x}, op.kernel.dtypes[0])
    assert np.array_equal(result, [np.nan, -0.5, 0.75], equal_nan=True)
    assert gradient.gradient.forward == op.name
    values = {"gradOutput": np.array([1.0, 2.0, 32.0]), "self": x}
    (result,) = gradient.kernel.golden(values, gradient.kernel.dtypes[0])
    theirs = gradient.reference(
        torch, grad_output=torch.from_numpy(values["gradOutput"]), self=torch.from_numpy(x)
    )
    assert np.array_equal(result, [np.nan, 0.5, 2.0], equal_nan=True)
    assert np.array_equal(result, theirs.numpy(), equal_nan=True)


def test_checks_of_new_operators_are_the_usual_ones() -> None:
    for op in declared("activation/softsign.py")["OPS"]:
        op.kernel.check()
        assert op.products == products.ALL
        rules = [rule.id for rule in op.rules]
        assert {"not_null", "dtype_in", "rank_at_most", "inside_storage"} <= set(rules), rules
        assert {call.tensor(op.params[0].name).dtype.numpy for call in op.samples} == {
            "float32", "float16", "bfloat16"
        }  # fmt: skip


def test_new_operator_of_the_general_form_computes_what_it_says() -> None:
    op = declared("pointwise/scaled_relu.py")["OP"]
    op.kernel.check()
    assert {call.tensor("self").dtype.numpy for call in op.samples} == {
        "float32", "float16", "bfloat16"
    }  # fmt: skip
    values = {"self": np.array([np.nan, -1.0, 2.0]), "factor": 3.0}
    (result,) = op.kernel.golden(values, op.kernel.dtypes[0])
    assert np.array_equal(result, [np.nan, 0, 6], equal_nan=True)
    theirs = op.reference(torch, torch.from_numpy(values["self"]), values["factor"])
    assert np.array_equal(result, theirs.numpy(), equal_nan=True)
