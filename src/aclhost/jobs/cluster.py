# SPDX-License-Identifier: Apache-2.0
"""The workers of a Dask scheduler. Pieces of a worker that is lost go to another one."""

from __future__ import annotations

import uuid
from asyncio import CancelledError
from collections.abc import Iterator, Mapping
from typing import Any

from aclhost.jobs import PROBLEM, Row, Work, attempt

_TIMEOUT = 30  # seconds for the scheduler to answer


def run(work: Work, pieces: Mapping[str, Any], address: str) -> Iterator[tuple[str, Row]]:
    """Keys and rows as they are done.

    Raises:
        OSError: the scheduler does not answer, or distributed is not installed.

    """
    try:
        from distributed import Client, as_completed
    except ModuleNotFoundError:
        raise OSError("--dask needs Dask: pip install 'aclhost[dask]'") from None
    run_id = uuid.uuid4().hex  # results of another run with equal keys must not be found
    _check(address)
    with Client(address, timeout=_TIMEOUT, set_as_default=False) as client:
        futures = {
            client.submit(attempt, work, piece, key=f"{run_id}-{key}", pure=False): key
            for key, piece in pieces.items()
        }
        for future in as_completed(list(futures), loop=client.loop):
            yield futures[future], _row(future)
            future.release()


def _check(address: str) -> None:
    """A client of something that is no address would wait for itself when it ends."""
    from distributed.comm import get_address_host_port

    try:
        get_address_host_port(address)
    except ValueError as error:
        raise OSError(f"--dask {address}: {error}; write tcp://HOST:PORT") from None


def _row(future: Any) -> Row:  # noqa: ANN401 - distributed has no types
    try:
        row: Row = future.result()  # waits once more if the worker was lost with it
    except (Exception, CancelledError) as error:
        return {PROBLEM: f"{type(error).__name__} on the cluster: {error}"}
    return row
