# SPDX-License-Identifier: Apache-2.0
"""A real scheduler and two real workers, one of them killed in the middle."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from aclhost.cli.compare import compare_command
from aclhost.jobs import run_all
from jobs import work

pytest.importorskip("distributed")
TESTS = Path(__file__).parents[1]
COUNT = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def started(stack: ExitStack, module: str, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "DASK_DISTRIBUTED__LOGGING": "{}"}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    from distributed import Client

    address = f"tcp://127.0.0.1:{free_port()}"
    with ExitStack() as stack:
        port = address.rpartition(":")[2]
        started(stack, "dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard",
                   "--local-directory", str(tmp_path))  # fmt: skip
        workers = [started(stack, "dask_worker", address, *options) for _ in range(2)]
        with Client(address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield address, workers


def test_a_killed_worker_loses_nothing_and_repeats_nothing(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path
) -> None:
    address, workers = cluster
    notes = tmp_path / "notes"
    notes.mkdir()
    pieces = {f"piece {number}": (number, str(notes)) for number in range(COUNT)}
    journal = tmp_path / "journal.jsonl"
    rows, killed = [], 0
    for key, row in run_all(work.noted, pieces, dask=address, journal=journal):
        rows.append((key, row))
        if len(rows) == COUNT // 6:
            killed = workers[0].pid
            os.kill(killed, signal.SIGKILL)
    counts = Counter(key for key, _ in rows)
    assert counts == dict.fromkeys(pieces, 1)
    assert all(row["square"] == int(key.split()[1]) ** 2 for key, row in rows)
    both = {int(path.name.split("-")[1]) for path in notes.iterdir()}
    assert killed in both
    assert {row["process"] for _, row in rows[COUNT // 2 :]} == both - {killed}
    assert len(journal.read_text().splitlines()) == COUNT


def test_directories_are_compared_on_a_cluster(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path
) -> None:
    address, _ = cluster
    for side in ("actual", "expected"):
        (tmp_path / side).mkdir()
        for number in range(6):
            off = 1 if (side, number) == ("actual", 3) else 0
            np.save(tmp_path / side / f"{number}.npy", np.arange(8, dtype=np.float32) + off)
    shown = [
        CliRunner().invoke(
            compare_command,
            [str(tmp_path / "actual"), str(tmp_path / "expected"), "--json", *more],
        )
        for more in ((), ("--dask", address), ("--jobs", "2"))
    ]
    assert [result.exit_code for result in shown] == [1, 1, 1]
    assert shown[0].output == shown[1].output == shown[2].output


def test_no_scheduler_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aclhost.jobs.cluster._TIMEOUT", 2)
    with pytest.raises(OSError, match="Timed out|refused|connect"):
        list(run_all(work.square, {"one": 1}, dask=f"tcp://127.0.0.1:{free_port()}"))
