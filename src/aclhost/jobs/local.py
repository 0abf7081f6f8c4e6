# SPDX-License-Identifier: Apache-2.0
"""Processes of this machine. One that ends in the middle of a piece takes nothing else with it."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any

from aclhost.jobs import PROBLEM, Row, Work, attempt


def run(work: Work, pieces: Mapping[str, Any], processes: int) -> Iterator[tuple[str, Row]]:
    """Keys and rows as they are done."""
    left = iter(pieces.items())
    while True:
        suspects: list[tuple[str, Any]] = []
        yield from _until_broken(work, left, processes, suspects)
        if not suspects:
            return
        # One of these ended its process. Alone, each shows whether it was the one.
        for key, piece in suspects:
            yield key, _alone(work, piece)


def _pool(processes: int) -> ProcessPoolExecutor:
    # A fork would copy threads that only this process has.
    begin_anew = multiprocessing.get_context("spawn")
    threads = max((os.cpu_count() or 1) // processes, 1)
    return ProcessPoolExecutor(processes, begin_anew, _begin, (threads,))


def _begin(threads: int) -> None:
    os.environ.setdefault("ACLHOST_NUM_THREADS", str(threads))
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A pool that was killed tells its processes nothing: they would wait for work for ever."""
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def _until_broken(
    work: Work,
    left: Iterator[tuple[str, Any]],
    processes: int,
    suspects: list[tuple[str, Any]],
) -> Iterator[tuple[str, Row]]:
    """Fills suspects with what was under way when a process ended."""
    running: dict[Future[Row], tuple[str, Any]] = {}
    with _pool(processes) as pool:
        while True:
            for key, piece in islice(left, processes - len(running)):
                running[pool.submit(attempt, work, piece)] = (key, piece)
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                entry = running.pop(future)
                try:
                    yield entry[0], future.result()
                except BrokenProcessPool:
                    suspects.append(entry)
            if suspects:
                suspects += running.values()
                return


def _alone(work: Work, piece: Any) -> Row:  # noqa: ANN401
    with _pool(1) as pool:
        try:
            return pool.submit(attempt, work, piece).result()
        except BrokenProcessPool:
            return {PROBLEM: "the process that worked on it ended"}
