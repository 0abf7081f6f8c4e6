# SPDX-License-Identifier: Apache-2.0
"""Work in processes of this machine: results, problems, lost processes, runs that go on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
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


BEGUN = """
import sys
from aclhost.jobs import run_all
from jobs import work
if __name__ == "__main__":
    pieces = {str(number): (number, sys.argv[1]) for number in range(10_000)}
    list(run_all(work.noted, pieces, processes=2))
"""


def test_processes_end_with_the_one_that_began_them(tmp_path: Path) -> None:
    script, done = tmp_path / "begun.py", tmp_path / "done"
    script.write_text(BEGUN)
    done.mkdir()
    path = os.pathsep.join((str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")))
    with subprocess.Popen(
        [sys.executable, script, done], env=os.environ | {"PYTHONPATH": path}
    ) as it:
        while len(_processes(done)) < 2 and it.poll() is None:
            time.sleep(0.05)
        it.kill()
    begun = _processes(done)
    assert len(begun) == 2
    end = time.monotonic() + 30
    while any(map(_runs, begun)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(_runs, begun))


def _processes(done: Path) -> set[int]:
    return {int(file.name.partition("-")[2]) for file in done.iterdir()}


def _runs(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


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
