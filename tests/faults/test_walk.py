# SPDX-License-Identifier: Apache-2.0
"""Out of memory, addresses or threads at any point: a documented code, and the next try works."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.walks import compiled, walk

LEAST = {"malloc": 50, "mmap": 3, "thread": 2}  # failures: fewer, and the walk walks past the calls


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("faults"))


@pytest.mark.parametrize("kind", LEAST)
def test_every_failure_is_borne(program: Path, kind: str) -> None:
    assert walk(program, kind) >= LEAST[kind]
