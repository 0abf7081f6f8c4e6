# SPDX-License-Identifier: Apache-2.0
"""For Jupyter: `%load_ext aclhost.notebook`, then cells of C++ that begin with `%%aclhost`.

The line of the cell takes what `aclhost run` takes: `%%aclhost --strict --soc A3`.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_COMMAND = "from aclhost.cli import main; main()"

__all__ = ["load_ipython_extension", "run_cell"]


def run_cell(line: str, cell: str) -> int:
    """Compiles and runs a program, prints what it prints, and returns its exit status.

    Args:
        line: Options of `aclhost run`; what follows `--` goes to the program.
        cell: The program.

    """
    options, _, arguments = line.partition(" -- ")
    with tempfile.TemporaryDirectory(prefix="aclhost-cell-") as directory:
        source = Path(directory) / "cell.cpp"
        source.write_text(cell, encoding="utf-8")
        command = [sys.executable, "-c", _COMMAND, "run", *shlex.split(options), str(source)]
        if arguments:
            command += ["--", *shlex.split(arguments)]
        done = subprocess.run(
            command, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
    # A notebook shows what Python prints, not what its processes do.
    print(done.stdout, end="")
    if done.returncode:
        print(f"exit status {done.returncode}")
    return done.returncode


def load_ipython_extension(ipython: Any) -> None:  # noqa: ANN401 - IPython is not required
    """Makes the magic known."""

    def aclhost(line: str, cell: str) -> None:
        run_cell(line, cell)

    ipython.register_magic_function(aclhost, magic_kind="cell")
