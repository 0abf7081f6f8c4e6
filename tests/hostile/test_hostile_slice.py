# SPDX-License-Identifier: Apache-2.0
"""A slice of `make hostile`: codes, never a signal or a hang."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostile.campaign import SCHEDULES, compiled, hostile_calls

CALLS = {"normal": 100_000, "blocking": 50_000, "stress": 4_000}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("hostile"))


@pytest.mark.parametrize("threads", [1, 8])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_hostile_calls(program: Path, schedule: str, threads: int) -> None:
    calls = CALLS[schedule]
    good = hostile_calls(program, 1, threads, calls, schedule)
    assert calls / 10 < good < calls  # a campaign that gets past no check tests nothing else
