# SPDX-License-Identifier: Apache-2.0
"""The examples on the operators' pages run and compile, and what they link to exists."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
from functools import reduce
from importlib.resources import files
from pathlib import Path

import pytest
import torch

from aclhost import ops
from aclhost.building import toolkit
from aclhost.gen.cpp_example import cpp_example
from aclhost.gen.python_example import python_example

TORCH_NAMES = json.loads(files("aclhost.spec").joinpath("torch_names.json").read_text())


@pytest.mark.parametrize("op", ops.ALL, ids=lambda op: op.name)
def test_python_example_runs(op) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(python_example(op), op.name, "exec"), {})
    assert printed.getvalue()


def test_all_cpp_examples_compile(tmp_path: Path) -> None:
    program = tmp_path / "examples.cpp"
    program.write_text("#include <cmath>\n" + "\n".join(map(cpp_example, ops.ALL)))
    command = ["g++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", *toolkit.cflags()]
    subprocess.run([*command, program], check=True)


def test_torch_has_what_pages_name() -> None:
    for name, theirs in TORCH_NAMES.items():
        assert name in ops.BY_NAME
        assert callable(reduce(getattr, theirs.split(".")[1:], torch)), theirs
