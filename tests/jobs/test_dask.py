# SPDX-License-Identifier: Apache-2.0
"""A real scheduler and two real workers, one of them killed in the middle."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Iterator
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


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    address = f"tcp://127.0.0.1:{free_port()}"
    port = address.rpartition(":")[2]
    with ExitStack() as stack:
        started(stack, "dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        yield address


@pytest.fixture(scope="module")
def workers() -> Iterator[tuple[ExitStack, list[subprocess.Popen[bytes]]]]:
    with ExitStack() as stack:
        yield stack, []


@pytest.fixture
def cluster(
    scheduler: str,
    workers: tuple[ExitStack, list[subprocess.Popen[bytes]]],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[str, list[subprocess.Popen[bytes]]]:
    """Two workers that live; a test may kill the first."""
    from distributed import Client

    stack, alive = workers
    alive[:] = [worker for worker in alive if worker.poll() is None]
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard",
               "--local-directory", str(tmp_path_factory.mktemp("worker")))  # fmt: skip
    while len(alive) < 2:
        alive.append(started(stack, "dask_worker", scheduler, *options))
    with Client(scheduler, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
    return scheduler, alive


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
            workers[0].kill()
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


def _compare(directory: Path) -> tuple[tuple[str, ...], int]:
    for side in ("actual", "expected"):
        (directory / side).mkdir()
        for number in range(COUNT):
            off = 1 if (side, number) == ("actual", 3) else 0
            np.save(directory / side / f"{number}.npy", np.arange(200_000, dtype=np.float32) + off)
    return ("compare", "actual", "expected"), COUNT


def _golden(directory: Path) -> tuple[tuple[str, ...], int]:
    np.save(directory / "x.npy", np.linspace(-3, 3, 20_000, dtype=np.float32))
    lines = (f"elu,{number},x.npy,{number}" for number in range(COUNT))
    (directory / "cases.csv").write_text("\n".join(("operator,name,self,alpha", *lines)))
    return ("golden", "--manifest", "cases.csv", "--force", "-o", "made"), COUNT + 1  # and its mark


def _campaign(directory: Path) -> tuple[tuple[str, ...], int]:
    operators = (word for name in ("elu", "add", "avg_pool2d") for word in ("--operator", name))
    return ("campaign", *operators, "--cases", "160", "--seed", "5"), 12


@pytest.mark.parametrize("command", [_compare, _golden, _campaign])
def test_commands_survive_a_killed_worker(
    command: Callable[[Path], tuple[tuple[str, ...], int]],
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
    tmp_path: Path,
) -> None:
    """Nothing is lost, nothing done twice, and the report is that of one process."""
    address, workers = cluster
    words, rows = command(tmp_path)
    journal = tmp_path / "journal.jsonl"
    aclhost = (Path(sysconfig.get_path("scripts"), "aclhost"), *words, "--json")
    process = subprocess.Popen(
        [*aclhost, "--dask", address, "--journal", journal],
        cwd=tmp_path, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    while process.poll() is None and _lines(journal) < 4:
        time.sleep(0.002)
    at = _lines(journal)
    workers[0].kill()
    report, _ = process.communicate(timeout=300)
    assert 4 <= at < rows  # in the middle
    keys = [json.loads(line)["key"] for line in journal.read_text().splitlines()]
    assert len(keys) == len(set(keys)) == rows
    alone = subprocess.run(aclhost, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (report, process.returncode) == (alone.stdout, alone.returncode)


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


@pytest.mark.parametrize("address", ["nonsense", "tcp://host:door", "foo://host:1"])
def test_no_address_is_an_error(address: str) -> None:
    with pytest.raises(OSError, match="write tcp://HOST:PORT"):
        list(run_all(work.square, {"one": 1}, dask=address))


def test_no_scheduler_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aclhost.jobs.cluster._TIMEOUT", 2)
    with pytest.raises(OSError, match="Timed out|refused|connect"):
        list(run_all(work.square, {"one": 1}, dask=f"tcp://127.0.0.1:{free_port()}"))
