# SPDX-License-Identifier: Apache-2.0
"""What `make bench` runs after `aclhost bench`: `python -m benchmarks [--quick] DIRECTORY`.

Each script in a process of its own, so that none finds the threads and memory of another.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from benchmarks import pools, targets

QUICK = ("cold", "fresh", "imports")
COMPILED = ("overhead", "launch", "floors")


def main() -> None:
    """Adds figures.json and targets.txt to the directory."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only what takes seconds")
    parser.add_argument("directory", type=Path, help="where `aclhost bench --output` wrote")
    arguments = parser.parse_args()
    scripts = [*QUICK, *(() if arguments.quick else COMPILED)]
    if not arguments.quick:
        if reason := pools.missing():
            print(reason)
        else:
            scripts.append("pools")
    for script in scripts:
        command = [sys.executable, "-m", f"benchmarks.{script}", str(arguments.directory)]
        subprocess.run(command, check=True)
    targets.main(arguments.directory)


if __name__ == "__main__":
    main()
