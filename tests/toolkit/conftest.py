# SPDX-License-Identifier: Apache-2.0
"""The installed toolkit tree, and a compiler for small programs against it."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

import pytest
from support.programs import run

from aclhost.building import toolkit


@pytest.fixture(scope="session")
def prefix() -> Path:
    return toolkit.prefix()


@pytest.fixture(scope="session")
def arch_prefix(prefix) -> Path:
    return prefix / f"{platform.machine()}-linux"


@pytest.fixture
def build(tmp_path) -> Callable[..., Path]:
    """build("c" or "c++", text, *flags, name="program") -> the program's path."""

    def compile_program(language, text, *flags, name="program"):
        source = tmp_path / f"{name}.{'c' if language == 'c' else 'cpp'}"
        source.write_text(text)
        compiler = "gcc" if language == "c" else "g++"
        target = tmp_path / name
        run([compiler, source, "-o", target, *flags])
        return target

    return compile_program
