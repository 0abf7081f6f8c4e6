# SPDX-License-Identifier: Apache-2.0
"""Work in processes of this machine: results, problems, lost processes, runs that go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aclhost.jobs import run_all
from jobs import work

PIECES = {f"piece {number}": number for number in range(7)}
SQUARES = {key: {"square": number * number} for key, number in PIECES.items()}


@pytest.mark.parametrize("processes", [1, 2])
def test_every_piece_comes_back_once(processes: int) -> None:
    rows = list(run_all(work.square, PIECES, processes=processes))
    assert dict(rows) == SQUARES
    assert len(rows) == len(PIECES)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_failure_is_a_row_with_a_problem(processes: int) -> None:
    rows = dict(run_all(work.refuse_odd, PIECES, processes=processes))
    assert rows["piece 3"] == {"problem": "ValueError: 3 is odd"}
    assert rows["piece 4"] == {"half": 2}


def test_a_process_that_ends_loses_only_its_piece() -> None:
    rows = list(run_all(work.end_on_three, PIECES, processes=2))
    lost = {"piece 3": {"problem": "the process that worked on it ended"}}
    assert dict(rows) == SQUARES | lost
    assert len(rows) == len(PIECES)


def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    journal = tmp_path / "below" / "journal.jsonl"
    first = run_all(work.square, PIECES, journal=journal)
    seen = dict(next(first) for _ in range(3))
    first.close()
    with journal.open("a") as file:
        file.write('{"key": "piece 5", "row": {"squ')  # cut off while it was written
    known = {key: {"square": -1} for key in seen}  # what was done is not done again
    text = "".join(json.dumps({"key": key, "row": row}) + "\n" for key, row in known.items())
    journal.write_text(text + '{"key": "piece 5", "row": {"squ')
    assert dict(run_all(work.square, PIECES, journal=journal)) == SQUARES | known
    assert dict(run_all(work.refuse_odd, PIECES, journal=journal)) == SQUARES | known


def test_problems_are_tried_again(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    assert "problem" in dict(run_all(work.refuse_odd, {"one": 1}, journal=journal))["one"]
    assert dict(run_all(work.square, {"one": 1}, journal=journal)) == {"one": {"square": 1}}
