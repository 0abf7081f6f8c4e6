# SPDX-License-Identifier: Apache-2.0
"""Pieces of work for the tests, where other processes can import them."""

import os
import signal
import time
from pathlib import Path


def square(piece):
    return {"square": piece * piece}


def refuse_odd(piece):
    if piece % 2:
        raise ValueError(f"{piece} is odd")
    return {"half": piece // 2}


def end_on_three(piece):
    if piece == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"square": piece * piece}


def noted(piece):
    """Leaves a line with its process in a file, so that a test sees who did what."""
    number, directory = piece
    time.sleep(0.05)
    (Path(directory) / f"{number}-{os.getpid()}").touch()
    return {"square": number * number, "process": os.getpid()}
